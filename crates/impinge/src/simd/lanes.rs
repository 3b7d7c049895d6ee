//! Which instructions to run on: the best that the machine has, found out when a tree is made.

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
use fearless_simd::Fallback;
use fearless_simd::Level;
#[cfg(target_arch = "aarch64")]
use fearless_simd::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use fearless_simd::x86::{Avx2, Sse2};

/// A set of instructions. All give the same answers, in different time.
///
/// There are few, because everything is compiled once for each. What AVX-512 has to offer is of no
/// use for eight lanes, and SSE4.2 adds little to SSE2.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lanes {
    /// Eight lanes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Two times four, on every machine of the kind.
    #[cfg(target_arch = "x86_64")]
    Sse2(Sse2),
    /// Two times four, on every machine of the kind.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// One by one: the twin that the others are tested against, and for all other machines.
    #[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    Scalar(Fallback),
}

/// Runs something that is generic over the lanes, compiled for those given.
macro_rules! on {
    ($lanes:expr, $simd:ident => $run:expr) => {{
        use $crate::simd::Lanes;
        match $lanes {
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx2($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $run,
            ),
            #[cfg(target_arch = "x86_64")]
            Lanes::Sse2($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $run,
            ),
            #[cfg(target_arch = "aarch64")]
            Lanes::Neon($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $run,
            ),
            #[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
            Lanes::Scalar($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $run,
            ),
        }
    }};
}
pub(crate) use on;

impl Lanes {
    /// The best there is here.
    pub(crate) fn best() -> Self {
        let level = Level::new();
        #[cfg(target_arch = "x86_64")]
        return match (level.as_avx2(), level.as_sse2()) {
            (Some(avx2), _) => Self::Avx2(avx2),
            (None, Some(sse2)) => Self::Sse2(sse2),
            (None, None) => unreachable!("every x86-64 has SSE2"),
        };
        #[cfg(target_arch = "aarch64")]
        return Self::Neon(level.as_neon().expect("every 64-bit ARM has NEON"));
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let _ = level;
            Self::Scalar(Fallback::new())
        }
    }

    /// All that this machine can run, the scalar twin first.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let level = Level::new();
        let mut all = vec![Self::Scalar(Fallback::new())];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(level.as_sse2().map(Self::Sse2));
            all.extend(level.as_avx2().map(Self::Avx2));
        }
        #[cfg(target_arch = "aarch64")]
        all.extend(level.as_neon().map(Self::Neon));
        all
    }
}

//! The instruction set to run on: the best that the machine has, detected when a tree is built.

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
use fearless_simd::Fallback;
use fearless_simd::Level;
#[cfg(target_arch = "aarch64")]
use fearless_simd::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use fearless_simd::x86::{Avx2, Sse2};

/// An instruction set. All give the same answers, at different speeds.
///
/// There are few, because everything is compiled once for each. AVX-512 has no advantage for eight
/// lanes, and SSE4.2 adds little to SSE2.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lanes {
    /// Eight lanes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Two times four lanes. Every x86-64 processor has it.
    #[cfg(target_arch = "x86_64")]
    Sse2(Sse2),
    /// Two times four lanes. Every 64-bit ARM processor has it.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// One lane at a time: the reference for tests of the others, and the fallback on other
    /// processors.
    #[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    Scalar(Fallback),
}

/// Runs an expression that is generic over the instruction set, compiled for the given one.
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
    /// The best instruction set of this machine.
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

    /// All instruction sets of this machine, the scalar one first.
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

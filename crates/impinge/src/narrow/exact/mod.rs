//! Determinants of differences of `f64` coordinates, without any rounding. `predicates.rs` calls them when its
//! floating-point filter cannot decide a sign.
//!
//! A finite `f64` is an integer times a power of two. Scaling a whole column of a determinant (one
//! coordinate of all points) by a power of two keeps its sign. So each axis is scaled separately
//! until its coordinates are integers, and the determinant is computed in integers:
//!
//! - [`machine`]: coordinates of at most 60 bits per axis, in machine integers. Nearly all points that are close
//!   together qualify; takes some 36 multiplications.
//! - [`multiword`]: any finite coordinates, from denormals to `f64::MAX`, in as many words as they need.
//!
//! Floating-point expansions, the usual method, were measured against this and were slower by a factor of
//! several; and their error terms vanish below about 1e-100 and overflow above 1e100.

mod machine;
mod multiword;

pub(super) use multiword::{Integer, decomposed, span};

use std::cmp::Ordering;

/// A determinant that was computed without rounding: its sign, and its value to about 52 bits as
/// `mantissa · 2^exponent`, so that ratios of determinants of any magnitude can be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Determinant {
    /// Zero, or of magnitude 2^−1 to 2^1.
    pub(super) mantissa: f64,
    pub(super) exponent: i32,
}

impl Determinant {
    pub(super) fn sign(self) -> i32 {
        match self.mantissa.partial_cmp(&0.0) {
            Some(Ordering::Greater) => 1,
            Some(Ordering::Less) => -1,
            _ => 0,
        }
    }

    /// `self / (self − other)`: the fraction at which a linear function is zero between the values `self` and
    /// `other`. The two have opposite signs, or one is zero, so nothing cancels.
    pub(super) fn crossing(self, other: Self) -> f64 {
        debug_assert!(self.sign() * other.sign() <= 0 && self.sign() != other.sign());
        if self.sign() == 0 {
            return 0.0;
        }
        if other.sign() == 0 {
            return 1.0;
        }
        // Beyond 1000 powers of two the smaller value does not change an f64.
        let shift = (other.exponent - self.exponent).clamp(-1000, 1000);
        let other = other.mantissa.abs() * libm::ldexp(1.0, shift);
        self.mantissa.abs() / (self.mantissa.abs() + other)
    }
}

/// The determinant with the rows b − a, c − a, d − a.
pub(super) fn orient3d(points: [[f64; 3]; 4]) -> Determinant {
    machine::orient3d(&points).unwrap_or_else(|| multiword::orient3d(&points))
}

/// The determinant with the rows b − a, c − a.
pub(super) fn orient2d(points: [[f64; 2]; 3]) -> Determinant {
    machine::orient2d(&points).unwrap_or_else(|| multiword::orient2d(&points))
}

/// The scalar product of a direction with b − a.
#[cold]
#[inline(never)]
pub(super) fn dot_difference(direction: [f64; 3], points: [[f64; 3]; 2]) -> Determinant {
    machine::dot_difference(direction, &points)
        .unwrap_or_else(|| multiword::dot_difference(direction, &points))
}

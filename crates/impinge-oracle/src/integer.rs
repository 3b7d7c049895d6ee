//! The two integer types that the simplex method runs on, behind one trait.

use dashu_int::IBig;
use std::cmp::Ordering;

/// Exact integer arithmetic that may give up, but never rounds or wraps.
///
/// Every operation returns `None` when the result does not fit. `IBig` always fits; `i128` fits
/// for the small coordinates of test grids, and is an order of magnitude faster there.
pub(crate) trait Integer: Clone + Ord {
    /// `mantissa * 2^shift`.
    fn shifted(mantissa: i64, shift: u32) -> Option<Self>;
    fn plus(&self, other: &Self) -> Option<Self>;
    fn minus(&self, other: &Self) -> Option<Self>;
    fn times(&self, other: &Self) -> Option<Self>;
    /// Returns the quotient of a division that leaves no remainder.
    fn over(&self, divisor: &Self) -> Option<Self>;

    fn small(value: i64) -> Option<Self> {
        Self::shifted(value, 0)
    }

    /// Compares the number with zero.
    fn sign(&self) -> Ordering;

    fn is_zero(&self) -> bool {
        self.sign() == Ordering::Equal
    }
}

/// Coordinates with more bits are not tried in `i128`: the products of a few pivots would nearly always overflow.
/// This limit affects speed only.
const WORTH_TRYING_BITS: u32 = 32;

impl Integer for i128 {
    fn shifted(mantissa: i64, shift: u32) -> Option<Self> {
        let bits = 64 - mantissa.unsigned_abs().leading_zeros();
        (bits.saturating_add(shift) <= WORTH_TRYING_BITS).then(|| i128::from(mantissa) << shift)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        self.checked_add(*other)
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        self.checked_sub(*other)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        self.checked_mul(*other)
    }

    fn over(&self, divisor: &Self) -> Option<Self> {
        debug_assert_eq!(self % divisor, 0);
        self.checked_div(*divisor)
    }

    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }
}

impl Integer for IBig {
    fn shifted(mantissa: i64, shift: u32) -> Option<Self> {
        Some(IBig::from(mantissa) << shift as usize)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        Some(self - other)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }

    fn over(&self, divisor: &Self) -> Option<Self> {
        debug_assert!((self % divisor).is_zero());
        Some(self / divisor)
    }

    fn sign(&self) -> Ordering {
        self.cmp(&IBig::ZERO)
    }
}

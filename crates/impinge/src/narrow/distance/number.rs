//! The two number types for the check of closest features: floating-point numbers with an error bound, and
//! exact integers.

use crate::narrow::exact::{Determinant, Integer};

/// A number type for the check of a pair of features.
pub(super) trait Number: Clone {
    /// The type of a corner's coordinates.
    type Coordinate: Copy;

    /// `p − q`.
    fn difference(p: &Self::Coordinate, q: &Self::Coordinate) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn negated(&self) -> Self;

    /// Whether the number is at least zero; `None` if this is not certain.
    fn is_nonnegative(&self) -> Option<bool>;

    /// The sign: −1, 0 or 1; `None` if this is not certain.
    fn sign(&self) -> Option<i32>;

    /// Whether the number is at least zero, or negative by so small a fraction of `whole`, which is positive,
    /// that the error of the distance stays within its bound; `None` if this is not certain.
    fn is_nearly_nonnegative(&self, whole: &Self) -> Option<bool>;

    /// The value, if it is known to a relative error of [`STEP_ERROR`].
    fn value(&self) -> Option<Scaled>;

    /// `self / whole` in plain `f64`, for coordinates.
    fn fraction_of(&self, whole: &Self) -> f64;
}

/// The relative error that each step towards a distance may add. No distance takes more than 3.5 such steps:
/// one for each supporting plane, one for a height, and half a step for each squared length. That makes
/// 8.4e-13, which leaves a margin to 1e-12 for the last few roundings.
pub(super) const STEP_ERROR: f64 = 2.4e-13;

/// `mantissa · 2^exponent`, for values of any magnitude.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    pub(super) mantissa: f64,
    pub(super) exponent: i32,
}

impl Scaled {
    pub(super) fn abs(self) -> Self {
        Self { mantissa: self.mantissa.abs(), ..self }
    }

    pub(super) fn sqrt(self) -> Self {
        let odd = self.exponent.rem_euclid(2);
        let mantissa = if odd == 1 { 2.0 * self.mantissa } else { self.mantissa };
        Self { mantissa: mantissa.sqrt(), exponent: (self.exponent - odd) / 2 }
    }

    pub(super) fn over(self, divisor: Self) -> Self {
        Self {
            mantissa: self.mantissa / divisor.mantissa,
            exponent: self.exponent - divisor.exponent,
        }
    }

    /// The nearest `f64`, in units of the power of two with the exponent `unit`.
    pub(super) fn to_f64(self, unit: i32) -> f64 {
        libm::ldexp(self.mantissa, self.exponent + unit)
    }
}

/// A floating-point number with a bound on its error (midpoint-radius arithmetic).
///
/// The bounds are computed in floating point too. Every operation adds a whole [`f64::EPSILON`] of its
/// result, twice its rounding error, and enlarges the bound by a few more of them for the roundings of the
/// bound. [`UNDERFLOW`] covers the loss by underflow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    middle: f64,
    radius: f64,
}

const STRETCH: f64 = 1.0 + 8.0 * f64::EPSILON;
const UNDERFLOW: f64 = f64::MIN_POSITIVE;

impl Number for Ball {
    type Coordinate = f64;

    /// The radius is the exact error of the subtraction (Knuth), plus a little for the digits that scaling
    /// may have cut from coordinates close to zero.
    #[inline]
    fn difference(p: &f64, q: &f64) -> Self {
        let middle = p - q;
        let q_part = p - middle;
        let p_part = middle + q_part;
        let error = (p - p_part) + (q_part - q);
        Self { middle, radius: error.abs() + UNDERFLOW }
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let middle = self.middle + other.middle;
        let radius = self.radius + other.radius + f64::EPSILON * middle.abs();
        Self { middle, radius: radius * STRETCH }
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        let middle = self.middle * other.middle;
        let radius = self.middle.abs() * other.radius
            + (other.middle.abs() + other.radius) * self.radius
            + f64::EPSILON * middle.abs();
        Self { middle, radius: radius * STRETCH + UNDERFLOW }
    }

    #[inline]
    fn negated(&self) -> Self {
        Self { middle: -self.middle, radius: self.radius }
    }

    #[inline]
    fn is_nonnegative(&self) -> Option<bool> {
        if self.middle >= self.radius {
            Some(true)
        } else if self.middle < -self.radius {
            Some(false)
        } else {
            None
        }
    }

    #[inline]
    fn sign(&self) -> Option<i32> {
        if self.middle > self.radius {
            Some(1)
        } else if self.middle < -self.radius {
            Some(-1)
        } else {
            None
        }
    }

    #[inline]
    fn is_nearly_nonnegative(&self, whole: &Self) -> Option<bool> {
        let margin = STEP_ERROR * (whole.middle.abs() - whole.radius);
        if self.middle - self.radius >= -margin.max(0.0) {
            Some(true)
        } else if self.middle < -self.radius {
            Some(false)
        } else {
            None
        }
    }

    #[inline]
    fn value(&self) -> Option<Scaled> {
        let is_known = self.radius <= STEP_ERROR * self.middle.abs();
        is_known.then_some(Scaled { mantissa: self.middle, exponent: 0 })
    }

    #[inline]
    fn fraction_of(&self, whole: &Self) -> f64 {
        self.middle / whole.middle
    }
}

impl<const WORDS: usize> Number for Integer<WORDS> {
    type Coordinate = Self;

    fn difference(p: &Self, q: &Self) -> Self {
        Integer::minus(p, q)
    }

    fn plus(&self, other: &Self) -> Self {
        Integer::plus(self, other)
    }

    fn minus(&self, other: &Self) -> Self {
        Integer::minus(self, other)
    }

    fn times(&self, other: &Self) -> Self {
        Integer::times(self, other)
    }

    fn negated(&self) -> Self {
        Integer::negated(*self)
    }

    fn is_nonnegative(&self) -> Option<bool> {
        Some(Integer::sign(self) >= 0)
    }

    fn sign(&self) -> Option<i32> {
        Some(Integer::sign(self))
    }

    fn is_nearly_nonnegative(&self, _whole: &Self) -> Option<bool> {
        self.is_nonnegative()
    }

    fn value(&self) -> Option<Scaled> {
        let Determinant { mantissa, exponent } = self.determinant(0);
        Some(Scaled { mantissa, exponent })
    }

    fn fraction_of(&self, whole: &Self) -> f64 {
        let part = |number: &Self| {
            let Determinant { mantissa, exponent } = number.determinant(0);
            Scaled { mantissa, exponent }
        };
        part(self).over(part(whole)).to_f64(0)
    }
}

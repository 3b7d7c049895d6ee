//! A distance that queries may be asked for, checked once.

/// A distance from 0 up; infinity is allowed and means "however far".
///
/// A tolerance that exists is valid, so queries that take one cannot fail.
///
/// ```
/// use impinge::{Tolerance, ToleranceError};
///
/// let tolerance = Tolerance::new(0.5)?;
/// assert_eq!(tolerance.get(), 0.5);
/// assert!(Tolerance::ZERO < tolerance);
/// assert_eq!(Tolerance::new(-0.5), Err(ToleranceError::Negative { tolerance: -0.5 }));
/// # Ok::<(), ToleranceError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Tolerance(f64);

/// Why a number is not a [`Tolerance`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ToleranceError {
    /// It is below zero.
    #[error("a tolerance is a distance, and so at least 0, not {tolerance}")]
    Negative {
        /// The tolerance that was asked for.
        tolerance: f64,
    },
    /// It is not a number.
    #[error("a tolerance is a distance, not NaN")]
    NotANumber,
}

impl Tolerance {
    /// Touching only.
    pub const ZERO: Self = Self(0.0);

    /// A tolerance of this distance: at least 0, infinity included, not NaN. A negative zero becomes zero.
    pub const fn new(distance: f64) -> Result<Self, ToleranceError> {
        if distance.is_nan() {
            Err(ToleranceError::NotANumber)
        } else if distance < 0.0 {
            Err(ToleranceError::Negative { tolerance: distance })
        } else {
            Ok(Self(distance.abs()))
        }
    }

    /// The distance.
    pub const fn get(self) -> f64 {
        self.0
    }
}

// Neither NaN nor a negative zero is in there, so equality is reflexive and the order is total.
impl Eq for Tolerance {}

impl TryFrom<f64> for Tolerance {
    type Error = ToleranceError;

    fn try_from(distance: f64) -> Result<Self, ToleranceError> {
        Self::new(distance)
    }
}

impl From<Tolerance> for f64 {
    fn from(tolerance: Tolerance) -> Self {
        tolerance.get()
    }
}

/// Checks a tolerance: from 0 up, infinity included.
pub(crate) fn checked(tolerance: f64) -> Result<f64, ToleranceError> {
    Tolerance::new(tolerance).map(Tolerance::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_zero_to_infinity_are_accepted() {
        for distance in [0.0, f64::from_bits(1), 1.0, f64::MAX, f64::INFINITY] {
            let tolerance = Tolerance::try_from(distance).unwrap();
            assert_eq!(tolerance.get(), distance);
            assert_eq!(f64::from(tolerance), distance);
        }
        assert_eq!(Tolerance::default(), Tolerance::ZERO);
        assert!(Tolerance::new(-0.0).unwrap().get().is_sign_positive());
    }

    #[test]
    fn numbers_that_are_no_distance_are_refused() {
        assert_eq!(Tolerance::new(f64::NAN), Err(ToleranceError::NotANumber));
        for tolerance in [-f64::from_bits(1), -1.0, f64::NEG_INFINITY] {
            assert_eq!(Tolerance::new(tolerance), Err(ToleranceError::Negative { tolerance }));
        }
        let message = Tolerance::new(-2.0).unwrap_err().to_string();
        assert_eq!(message, "a tolerance is a distance, and so at least 0, not -2");
    }
}

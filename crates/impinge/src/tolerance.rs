//! How far apart faces may be to count: a distance that is checked once.

/// Why a number is no distance to ask for.
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

/// Checks a tolerance: from 0 up, infinity included.
pub(crate) fn checked(tolerance: f64) -> Result<f64, ToleranceError> {
    if tolerance.is_nan() {
        Err(ToleranceError::NotANumber)
    } else if tolerance < 0.0 {
        Err(ToleranceError::Negative { tolerance })
    } else {
        Ok(tolerance)
    }
}

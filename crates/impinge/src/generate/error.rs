//! Errors of the generators, and checks of their parameters.

use crate::{MeshError, PoseError};

/// The largest number of faces a generator makes. A larger number is more likely a typing error than
/// intended.
pub(super) const MAX_FACES: u64 = 100_000_000;

/// Why a generator refused its parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A count is out of its range.
    #[error("{parameter} is {value}, but must be {allowed}")]
    Count {
        /// The parameter's name.
        parameter: &'static str,
        /// The value that was passed.
        value: u64,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// A length or another real number is out of its range.
    #[error("{parameter} is {value}, but must be {allowed}")]
    Measure {
        /// The parameter's name.
        parameter: &'static str,
        /// The value that was passed.
        value: f64,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// The mesh would have more faces than a generator makes.
    #[error("the mesh would have {faces} faces; at most 100000000 are made")]
    TooManyFaces {
        /// The number of faces it would have.
        faces: u64,
    },
    /// A mesh that was passed has no faces.
    #[error("{parameter}: there is no mesh, or one without faces")]
    NoFaces {
        /// The parameter's name.
        parameter: &'static str,
    },
    /// Places are drawn at random and tested, and none of them fits.
    #[error("no {what} was found in {tries} random tries; {advice}")]
    NoPlace {
        /// What was to be placed.
        what: &'static str,
        /// The number of places that were tested.
        tries: u32,
        /// Which parameters to change.
        advice: &'static str,
    },
    /// Each parameter is in range, but the mesh is invalid: a coordinate overflows, or a function that was
    /// passed returned NaN.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Each parameter is in range, but a pose of the path is invalid.
    #[error(transparent)]
    Pose(#[from] PoseError),
}

/// Fails unless the length is finite and positive.
pub(crate) fn check_positive(parameter: &'static str, value: f64) -> Result<(), GenerateError> {
    check_measure(parameter, value, value > 0.0, "a finite number above 0")
}

/// Fails unless the number is finite and `is_allowed`.
pub(crate) fn check_measure(
    parameter: &'static str,
    value: f64,
    is_allowed: bool,
    allowed: &'static str,
) -> Result<(), GenerateError> {
    if is_allowed && value.is_finite() {
        Ok(())
    } else {
        Err(GenerateError::Measure { parameter, value, allowed })
    }
}

/// Fails unless `is_allowed`.
pub(crate) fn check_count(
    parameter: &'static str,
    value: u32,
    is_allowed: bool,
    allowed: &'static str,
) -> Result<(), GenerateError> {
    if is_allowed {
        Ok(())
    } else {
        Err(GenerateError::Count { parameter, value: u64::from(value), allowed })
    }
}

/// The product of the factors as a number of faces. Fails if it is too large, before anything is allocated.
pub(super) fn check_faces<const N: usize>(factors: [u32; N]) -> Result<u64, GenerateError> {
    let faces = factors.iter().fold(1_u64, |product, &n| product.saturating_mul(u64::from(n)));
    if faces <= MAX_FACES { Ok(faces) } else { Err(GenerateError::TooManyFaces { faces }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_parameter_and_the_allowed_range() {
        let count = check_count("sides", 2, false, "at least 3").unwrap_err();
        assert_eq!(count.to_string(), "sides is 2, but must be at least 3");
        let measure = check_positive("radius", -0.5).unwrap_err();
        assert_eq!(measure.to_string(), "radius is -0.5, but must be a finite number above 0");
        assert!(check_positive("radius", f64::NAN).is_err());
        assert!(check_positive("radius", f64::INFINITY).is_err());
        assert_eq!(check_faces([2, 25_000, 2000]), Ok(MAX_FACES));
        assert!(check_faces([100_000_001]).is_err());
        assert!(check_faces([u32::MAX; 3]).is_err());
    }
}

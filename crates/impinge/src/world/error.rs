//! What can be wrong with what a world is told.

use super::BodyId;
use crate::{Method, PoseError};

/// Why a world did not do as it was told. It is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The body was removed, or is another world's.
    #[error("there is no body {body}: it was removed, or is of another world")]
    NoSuchBody {
        /// The body that was named.
        body: BodyId,
    },
    /// A matrix is no pose.
    #[error("body {body}: {source}")]
    Pose {
        /// The body that it was meant for.
        body: BodyId,
        /// What is wrong with it.
        source: PoseError,
    },
    /// Shapes of one world are prepared by one method.
    #[error("a shape was prepared by {found}, but the world's bodies by {expected}")]
    Method {
        /// The method of the world's bodies.
        expected: Method,
        /// The method of the shape.
        found: Method,
    },
    /// Bodies are numbered in 32 bits.
    #[error("a world has room for 4294967295 bodies")]
    TooManyBodies,
    /// A box to look into is none.
    #[error("the box from {min:?} to {max:?} is empty, or not within ±1e100")]
    Box {
        /// The corner with the least coordinates.
        min: [f64; 3],
        /// The corner with the greatest.
        max: [f64; 3],
    },
}

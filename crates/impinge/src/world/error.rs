//! Errors of a world.

use super::BodyId;
use crate::{MeshError, Method, MotionError, PoseError};

/// Why a world refused a call. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The body was removed, or belongs to another world.
    #[error("there is no body {body}: it was removed, or belongs to another world")]
    NoSuchBody {
        /// The body that was passed.
        body: BodyId,
    },
    /// A matrix is not a valid pose.
    #[error("body {body}: {source}")]
    Pose {
        /// The body whose pose was to be set.
        body: BodyId,
        /// What is wrong with the matrix.
        source: PoseError,
    },
    /// A body cannot move as asked.
    #[error("body {body}: {source}")]
    Motion {
        /// The body that was to move.
        body: BodyId,
        /// What is wrong with the motion.
        source: MotionError,
    },
    /// A motion does not start where its body stands.
    #[error("body {body}: the motion does not start at the body's pose")]
    MotionStart {
        /// The body that was to move.
        body: BodyId,
    },
    /// A horizon is not a number of steps.
    #[error("the horizon is {horizon} steps: it must be finite and not negative")]
    Horizon {
        /// The horizon.
        horizon: f64,
    },
    /// Positions are not those of the vertices of a body's mesh.
    #[error("body {body}: {source}")]
    Mesh {
        /// The body whose vertices were to be moved.
        body: BodyId,
        /// What is wrong with the positions.
        source: MeshError,
    },
    /// A shape was prepared by another method than the shapes of the world's bodies.
    #[error(
        "the shape was prepared by {found}, but the shapes of the world's bodies by {expected}"
    )]
    Method {
        /// The method of the world's bodies.
        expected: Method,
        /// The method of the shape.
        found: Method,
    },
    /// A body is a true solid, and has no mesh.
    #[error("body {body} is a true solid: it has no mesh, and cannot deform")]
    Solid {
        /// The body.
        body: BodyId,
    },
    /// Impacts between steps were asked for in a world with true solids.
    #[error(
        "the world has true solids, whose impacts between steps cannot be found: bodies cannot have motions"
    )]
    MotionWithSolids,
    /// A body index has 32 bits, so the world cannot hold more bodies.
    #[error("a world can hold at most 4294967295 bodies")]
    TooManyBodies,
    /// The box of a query is empty or too large.
    #[error("the box from {min:?} to {max:?} is empty, or not within ±1e100")]
    Box {
        /// The corner with the least coordinates.
        min: [f64; 3],
        /// The corner with the greatest coordinates.
        max: [f64; 3],
    },
}

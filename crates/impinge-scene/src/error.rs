//! Why a scene could not be run.

use impinge::{PoseError, world::WorldError};

/// Why a scene could not be run, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something is wrong with the scene file: where in it, and what.
    #[error(transparent)]
    File(#[from] impinge_io::Error),
    /// A body is placed where no pose can be.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// Bodies do not go together.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A body moves where no pose can be.
    #[error("cycle {cycle}: body {body}: {message}")]
    Motion {
        /// The number of the cycle.
        cycle: u64,
        /// The name of the body.
        body: String,
        /// What is wrong.
        message: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Stopped,
}

//! The errors of this crate.

use impinge::{PoseError, world::WorldError};

/// Why a scene could not be run, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scene file is wrong; the error has the position and a message.
    #[error(transparent)]
    File(#[from] impinge_io::Error),
    /// A body is placed at an invalid pose.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// The world rejected a body.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A body moved to an invalid pose.
    #[error("cycle {cycle}: body {body}: {message}")]
    Motion {
        /// The number of the cycle.
        cycle: u64,
        /// The name of the body.
        body: String,
        /// The reason.
        message: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Stopped,
}

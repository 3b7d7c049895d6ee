//! The errors of this crate.

use crate::pattern::Pattern;
use impinge::{MotionError, ToleranceError, clash::ShareError};
use impinge_io::assembly::OutOfRange;

/// Why a check failed, or why its outcome could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written, or has the wrong contents.
    #[error(transparent)]
    File(#[from] impinge_io::Error),
    /// [`Pairs::between`](crate::Pairs::between) names a group that the assembly does not have.
    #[error("no sub-assembly, file or part matches `{0}`, so no pair would be checked")]
    NoSuchGroup(Pattern),
    /// A touch band, clearance or tolerance is negative or not a number.
    #[error(transparent)]
    Tolerance(#[from] ToleranceError),
    /// A configuration places a part beyond the range of numbers.
    #[error("line {line}: {error}")]
    Configuration {
        /// The line of the configuration in its file.
        line: u32,
        /// What it places, and where.
        error: OutOfRange,
    },
    /// [`PathOptions::moving`](crate::PathOptions::moving) names parts that the assembly does not have.
    #[error("no sub-assembly, file or part matches `{0}`, so nothing would move")]
    NothingMoves(Pattern),
    /// [`PathOptions::moving`](crate::PathOptions::moving) names every part.
    #[error("every part moves, so there is none to move through")]
    EverythingMoves,
    /// A row of a path cannot be reached from the row before.
    #[error("line {line}: {error}")]
    Motion {
        /// The line of the row in its file.
        line: usize,
        /// Why there is no motion.
        error: MotionError,
    },
    /// The shares of a [`Plan`](crate::Plan) are not those of its pairs.
    #[error("the shares of the search do not fit together: {0}")]
    Shares(#[from] ShareError),
    /// Bytes that are not those of a task, a share or an outcome.
    #[error("these are not the bytes of {0}")]
    NotBytes(&'static str),
    /// The caller asked to stop.
    #[error("interrupted")]
    Stopped,
}

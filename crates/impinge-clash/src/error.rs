//! The errors of this crate.

use crate::pattern::Pattern;
use impinge::ToleranceError;
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
    /// The caller asked to stop.
    #[error("interrupted")]
    Stopped,
}

//! Why a check could not be made.

use crate::pattern::Pattern;
use impinge::ToleranceError;

/// Why a check could not be made, or its outcome not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written, or does not hold what it should.
    #[error(transparent)]
    File(#[from] impinge_io::Error),
    /// [`Pairs::between`](crate::Pairs::between) names a group that the assembly does not have.
    #[error("`{0}` is no sub-assembly, file or part, so that nothing would be looked at")]
    NoSuchGroup(Pattern),
    /// A touch band, clearance or tolerance is below zero or not a number.
    #[error(transparent)]
    Tolerance(#[from] ToleranceError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Stopped,
}

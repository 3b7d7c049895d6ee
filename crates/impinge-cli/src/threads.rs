//! The threads that commands run on.

use crate::failure::Failure;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// More than any machine has use for, and still started at once.
pub(crate) const MAX_THREADS: i64 = impinge_scene::MAX_THREADS as i64;

/// The threads to run queries on; none for the caller's own.
pub(crate) fn pool(threads: u16) -> Result<Option<ThreadPool>, Failure> {
    if threads == 1 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.into()).build();
    pool.map(Some).map_err(|error| Failure::input(format!("--threads {threads}: {error}")))
}

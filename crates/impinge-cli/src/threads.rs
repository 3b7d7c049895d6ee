//! The thread pool of a command.

use crate::failure::Failure;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The largest number of threads to ask for: more than any machine can use, and still quick to start.
pub(crate) const MAX_THREADS: i64 = impinge_scene::MAX_THREADS as i64;

/// Returns a pool of `threads` threads (0 for one per core), or `None` for 1: the caller's own thread.
pub(crate) fn pool(threads: u16) -> Result<Option<ThreadPool>, Failure> {
    if threads == 1 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.into()).build();
    pool.map(Some).map_err(|error| Failure::input(format!("--threads {threads}: {error}")))
}

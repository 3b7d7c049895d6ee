//! The thread pool of a command.

use crate::failure::Failure;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The largest number of threads to ask for: more than any machine can use, and still quick to start.
pub(crate) const MAX_THREADS: i64 = impinge_scene::MAX_THREADS as i64;

/// Returns a pool of `threads` threads (0 for one per core), each bound to one core; with more threads than cores, several
/// are bound to each.
pub(crate) fn pinned_pool(threads: u16) -> Result<ThreadPool, Failure> {
    let refused = |why: String| Failure::input(format!("--pin: {why}; leave out --pin"));
    let cores = core_affinity::get_core_ids().filter(|cores| !cores.is_empty());
    let cores =
        cores.ok_or_else(|| refused("the system does not say which cores there are".to_owned()))?;
    let pool = build(threads)?;
    let is_bound = |thread: usize| core_affinity::set_for_current(cores[thread % cores.len()]);
    let bound = pool.broadcast(|thread| is_bound(thread.index()));
    match bound.iter().position(|is_bound| !is_bound) {
        None => Ok(pool),
        Some(thread) => {
            let core = cores[thread % cores.len()].id;
            Err(refused(format!("the system refuses to bind thread {thread} to core {core}")))
        }
    }
}

/// Returns a pool of `threads` threads (0 for one per core), or `None` for 1: the caller's own thread.
pub(crate) fn pool(threads: u16) -> Result<Option<ThreadPool>, Failure> {
    if threads == 1 {
        return Ok(None);
    }
    build(threads).map(Some)
}

fn build(threads: u16) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.into()).build();
    pool.map_err(|error| Failure::input(format!("--threads {threads}: {error}")))
}

//! The threads of checks and worlds, and the number of threads of batches.
//!
//! A process that Python has forked has none of the threads of its parent, and a pool made before would wait for them
//! forever. So pools are kept together with the process that made them.

use crate::error::value_error;
use impinge::Threads;
use pyo3::{PyResult, Python};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    collections::HashMap,
    num::NonZero,
    process,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

/// The largest number of threads that may be requested.
const MAX_THREADS: usize = 1024;

/// The pools of this process by their number of threads; 0 stands for all cores.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

struct Pools {
    process: u32,
    pools: HashMap<usize, Arc<ThreadPool>>,
}

/// The number of threads that the argument `threads` names: `None` stands for all cores.
pub(crate) fn thread_count(threads: Option<usize>) -> PyResult<usize> {
    match threads {
        None => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        Some(count) if (1..=MAX_THREADS).contains(&count) => Ok(count),
        Some(count) => Err(value_error(format!("threads is from 1 to {MAX_THREADS}, not {count}"))),
    }
}

/// Where a query runs: on the caller's thread, or on the threads of a pool.
#[derive(Clone)]
pub(crate) struct Workers(Option<Arc<ThreadPool>>);

impl Workers {
    /// `None` stands for all cores.
    pub(crate) fn new(threads: Option<usize>) -> PyResult<Self> {
        thread_count(threads)?;
        match threads {
            Some(1) => Ok(Self(None)),
            threads => pool(threads.unwrap_or(0)).map(|pool| Self(Some(pool))),
        }
    }

    /// Runs something that uses these threads, given how queries name them.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce(Threads) -> R + Send) -> R {
        match &self.0 {
            None => work(Threads::One),
            Some(pool) => pool.install(|| work(Threads::Pool)),
        }
    }
}

/// Does work without the interpreter. What the work does in parallel runs on all cores.
///
/// Work that uses several threads must be done here or by [`Workers::run`]: the libraries' own pool of threads does not
/// survive a fork.
pub(crate) fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let workers = Workers::new(None)?;
    Ok(py.detach(|| workers.run(|_| work())))
}

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    if pools.as_ref().is_none_or(|pools| pools.process != process) {
        // Pools of the parent process are leaked: their threads do not exist here, and could not be ended.
        std::mem::forget(pools.replace(Pools { process, pools: HashMap::new() }));
    }
    let pools = &mut pools.as_mut().expect("was just made").pools;
    if let Some(pool) = pools.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("impinge-{number}"))
        .build()
        .map_err(|error| value_error(format!("cannot start {threads} threads: {error}")))?;
    let pool = Arc::new(pool);
    pools.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

//! Ctrl-C during long calls.
//!
//! Python only notes that a signal has come; its handlers run in the main thread when the interpreter asks for it. So a
//! long call has to ask now and then.

use crate::pool::Workers;
use impinge::Threads;
use pyo3::prelude::*;
use std::{
    ops::Range,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a call may go on before it asks Python whether it should end.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long a piece of a batch should take: long beside the start of a piece, and so short that a piece of items a thousand
/// times slower than those before ends within seconds.
const PIECE: Duration = Duration::from_millis(4);
/// How much larger a piece may be than the one before.
const GROWTH: f64 = 16.0;
/// Items of the largest piece.
const LARGEST: usize = 1 << 16;

/// Items that a thread takes at a time; the smallest piece has as many for each thread.
#[derive(Clone, Copy)]
pub(crate) enum Share {
    /// Of queries with short answers.
    Many = 32,
    /// Of queries that may take long.
    Few = 4,
}

/// Asks about many items, some at a time, so that Ctrl-C works: `read` makes the items of a range, `ask` is asked about them
/// without the interpreter, and `found` receives the range and the answer.
pub(crate) fn in_pieces<T: Send + Sync, R: Send>(
    py: Python<'_>,
    count: usize,
    share: Share,
    workers: &Workers,
    read: impl Fn(Range<usize>, &mut Vec<T>) -> PyResult<()>,
    mut ask: impl FnMut(&[T], Threads) -> R + Send,
    mut found: impl FnMut(Range<usize>, R) -> PyResult<()>,
) -> PyResult<()> {
    let smallest = workers.count() * share as usize;
    let (mut first, mut size) = (0, smallest);
    let mut items = Vec::new();
    while first < count {
        let start = Instant::now();
        let range = first..count.min(first.saturating_add(size));
        read(range.clone(), &mut items)?;
        let answer = py.detach(|| workers.run(|threads| ask(&items, threads)));
        first = range.end;
        found(range, answer)?;
        py.check_signals()?;
        let factor = PIECE.as_secs_f64() / start.elapsed().as_secs_f64();
        size = (size as f64 * factor.min(GROWTH)) as usize;
        size = size.min(LARGEST).max(smallest);
    }
    Ok(())
}

/// Does long work on a thread of its own, without the interpreter. `should_end` is set when Python has been interrupted;
/// the work has to look at it. `tick` is called now and then, with the interpreter. Fails if Python has been interrupted,
/// or if `tick` fails.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    should_end: &AtomicBool,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let mut interrupted = None;
    let result = py.detach(|| {
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let result = work();
                // The receiver waits until the work has ended.
                let _ = sender.send(());
                result
            });
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(PATIENCE) {
                if interrupted.is_some() {
                    continue;
                }
                let asked = Python::attach(|py| py.check_signals().and_then(|()| tick(py)));
                if let Err(error) = asked {
                    interrupted = Some(error);
                    should_end.store(true, Ordering::Relaxed);
                }
            }
            worker.join()
        })
    });
    match (interrupted, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}

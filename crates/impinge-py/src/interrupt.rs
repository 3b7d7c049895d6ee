//! Ctrl-C during long calls.
//!
//! Python only notes that a signal has come; its handlers run in the main thread when the interpreter asks for it. So a
//! long call has to ask now and then.

use pyo3::prelude::*;
use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a call may go on before it asks Python whether it should end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Splits work on many items into pieces, after each of which Python may end the call.
pub(crate) struct Pieces {
    total: usize,
    done: usize,
    size: usize,
    start: Instant,
}

impl Pieces {
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: 0, size: 64, start: Instant::now() }
    }

    /// The next items. Fails if Python has been interrupted.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Option<std::ops::Range<usize>>> {
        if self.done > 0 {
            py.check_signals()?;
            let taken = self.start.elapsed();
            if taken * 8 < PATIENCE {
                self.size = (self.size * 4).min(1 << 16);
            } else if taken > PATIENCE {
                self.size = (self.size / 2).max(8);
            }
            self.start = Instant::now();
        }
        let first = self.done;
        self.done = self.total.min(first + self.size);
        Ok((first < self.total).then_some(first..self.done))
    }
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

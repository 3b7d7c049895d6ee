//! Ctrl-C during long calls.
//!
//! Python only notes that a signal has come; its handlers run in the main thread when the interpreter asks for it. So a
//! long call has to ask now and then.

use pyo3::prelude::*;
use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a call may go on before it asks Python whether it should end.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long a piece of a batch should take: long beside the start of a piece, and so short that a piece of items a thousand
/// times slower than those before ends within seconds.
const PIECE: Duration = Duration::from_millis(1);
/// How much larger a piece may be than the one before.
const GROWTH: f64 = 4.0;
/// How long the caller's thread works alone, before others are started. To start a thread takes a tenth of it.
const ALONE: Duration = Duration::from_micros(200);

/// Asks about many items, some at a time, on so many threads, without the interpreter, so that Ctrl-C works: `begin` makes
/// the memory of a thread, and `ask` is asked about the items of a range. Returns all answers, in the order of the items.
///
/// If `ask` fails, so does this, with the error of the first item that has one.
pub(crate) fn in_pieces<M, R: Send>(
    py: Python<'_>,
    count: usize,
    threads: usize,
    begin: impl Fn() -> M + Sync,
    ask: impl Fn(&mut M, Range<usize>) -> PyResult<R> + Sync,
) -> PyResult<Vec<R>> {
    let pieces = Pieces { count, threads, ..Pieces::default() };
    let work = |until: Option<Duration>| pieces.work(until, &begin, &ask);
    let start = Instant::now();
    py.detach(|| work(Some(ALONE)));
    let threads = pieces.threads_worth_starting(start.elapsed());
    if threads == 1 {
        while !pieces.are_taken() {
            py.check_signals()?;
            py.detach(|| work(Some(PATIENCE)));
        }
    } else if !pieces.are_taken() {
        let mut interrupted = Ok(());
        py.detach(|| {
            on_each_of(
                threads,
                || work(None),
                |ended| {
                    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PATIENCE) {
                        if interrupted.is_ok() {
                            interrupted = check_signals();
                            pieces.should_end.fetch_or(interrupted.is_err(), Ordering::Relaxed);
                        }
                    }
                },
            );
        });
        interrupted?;
    }
    py.check_signals()?;
    let mut answers = pieces.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_unstable_by_key(|(first, _)| *first);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Ends the work of all threads if that of one panics.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Does work on so many threads at the same time, and calls `meanwhile` on the caller's thread. `meanwhile` receives the end
/// of a channel that is disconnected as soon as all threads have ended. If no thread can be started, the caller's thread
/// does the work.
///
/// The threads are new ones. Those of a pool would be held until the batch has ended, and the batches of other threads of
/// Python would have to wait for them, without an answer to Ctrl-C.
fn on_each_of(threads: usize, work: impl Fn() + Sync, meanwhile: impl FnOnce(Receiver<()>)) {
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        let start = |number: usize| {
            let (work, sender) = (&work, sender.clone());
            let run = move || {
                // Dropped at the end, also of a panic.
                let _sender = sender;
                work();
            };
            thread::Builder::new().name(format!("impinge-{number}")).spawn_scoped(scope, run)
        };
        let started = (0..threads).take_while(|&number| start(number).is_ok()).count();
        if started == 0 {
            work();
        }
        drop(sender);
        meanwhile(receiver);
    });
}

/// Asks Python whether a call should end, from a thread without the interpreter.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method has one lifetime only")]
fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// The items of a batch, of which threads take one piece after another.
struct Pieces<R> {
    count: usize,
    /// How many threads take pieces, at most.
    threads: usize,
    /// The first item that no thread has taken.
    next: AtomicUsize,
    should_end: AtomicBool,
    /// The first item of each piece that was done, and the answer.
    answers: Mutex<Vec<(usize, PyResult<R>)>>,
}

impl<R> Default for Pieces<R> {
    fn default() -> Self {
        Self {
            count: 0,
            threads: 1,
            next: AtomicUsize::new(0),
            should_end: AtomicBool::new(false),
            answers: Mutex::new(Vec::new()),
        }
    }
}

impl<R> Pieces<R> {
    /// Whether no items are left to take. They may still be at work.
    fn are_taken(&self) -> bool {
        self.should_end.load(Ordering::Relaxed) || self.next.load(Ordering::Relaxed) >= self.count
    }

    /// The number of threads for the items that are left, after the first ones have taken some time: starting a thread must
    /// not take longer than its share of the work.
    fn threads_worth_starting(&self, taken: Duration) -> usize {
        let done = self.next.load(Ordering::Relaxed).max(1);
        let left = self.count.saturating_sub(done) as f64 / done as f64 * taken.as_secs_f64();
        (left / ALONE.as_secs_f64()).ceil().clamp(1.0, self.threads as f64) as usize
    }

    /// Takes about as many items as given, but fewer towards the end, so that all threads end at the same time.
    fn take(&self, size: usize) -> Range<usize> {
        let left = self.count.saturating_sub(self.next.load(Ordering::Relaxed));
        let size = size.min(left / (2 * self.threads)).max(1);
        let first = self.next.fetch_add(size, Ordering::Relaxed).min(self.count);
        first..self.count.min(first + size)
    }

    /// Does one piece after another, until none is left, or the time is over.
    ///
    /// Pieces are taken in order, and each one is finished. So all items before one that fails are asked about.
    fn work<M>(
        &self,
        until: Option<Duration>,
        begin: impl Fn() -> M,
        ask: impl Fn(&mut M, Range<usize>) -> PyResult<R>,
    ) {
        let (begun, mut memory, mut answers) = (Instant::now(), None, Vec::new());
        let (mut size, mut start) = (1, begun);
        let _guard = EndOnPanic(&self.should_end);
        while !self.are_taken() && until.is_none_or(|until| start - begun < until) {
            let range = self.take(size);
            if range.is_empty() {
                break;
            }
            let (first, taken) = (range.start, range.len());
            let answer = ask(memory.get_or_insert_with(&begin), range);
            self.should_end.fetch_or(answer.is_err(), Ordering::Relaxed);
            answers.push((first, answer));
            let end = Instant::now();
            let factor = PIECE.as_secs_f64() / (end - start).as_secs_f64();
            size = (taken as f64 * factor.min(GROWTH)) as usize;
            start = end;
        }
        let mut all = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        all.append(&mut answers);
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

//! Workers that test items: one thread produces the items, and all threads of the pool test them.
//!
//! Accepted items are reported on the caller's thread, in any order. Lists are bounded: when one is full, its items are
//! tested and reported before more are produced, so that memory does not grow with the number of items, and the
//! receiver of accepted items can stop a search that finds too many.

use super::{
    Distribution, Work,
    queue::{CloseOnDrop, Queue},
};
use crate::{Threads, stopwatch::Stopwatch};
use rayon::prelude::*;
use std::{
    ops::ControlFlow,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Memory of the workers, reused from run to run, and the work of the last run.
pub(crate) struct Crew<T> {
    list: Vec<T>,
    /// One for each worker.
    shares: Vec<Mutex<Share<T>>>,
    pub(crate) work: Work,
}

/// What one worker did.
struct Share<T> {
    accepted: Vec<T>,
    tested: u64,
}

impl<T> Default for Crew<T> {
    fn default() -> Self {
        Self { list: Vec::new(), shares: Vec::new(), work: Work::default() }
    }
}

impl<T> Default for Share<T> {
    fn default() -> Self {
        Self { accepted: Vec::new(), tested: 0 }
    }
}

/// The most items that wait for their test.
const LIST: usize = 1 << 20;
/// The most items that a worker takes at a time. A test of two faces takes 20 ns or more, to take an item about as long.
const MOST_TAKEN: usize = 64;
/// The fewest and the most items that a producer appends to the queue at a time, and the share of those produced so far:
/// consumers begin early, and are woken rarely if there are many items.
const APPENDED: [usize; 2] = [32, 4096];
const APPENDED_SHARE: usize = 16;
/// The number of items that are produced between two reports of accepted items.
const REPORT: usize = 1 << 16;

/// What a producer passes its items to. `Break` asks it to stop.
pub(crate) type Push<'p, T> = dyn FnMut(T) -> ControlFlow<()> + 'p;

impl<T: Copy + Send + Sync> Crew<T> {
    /// Tests all items that `produce` passes on, and calls `accept` with those that pass the test, until one of them
    /// returns `Break`. Each worker makes its own test with `new_test`.
    ///
    /// `produce` and `accept` run on the caller's thread.
    pub(crate) fn run<W: FnMut(&T) -> bool>(
        &mut self,
        (distribution, threads): (Distribution, Threads),
        stopwatch: &mut Stopwatch,
        produce: impl FnOnce(&mut Push<'_, T>) -> ControlFlow<()>,
        new_test: &(impl Fn() -> W + Sync),
        accept: &mut dyn FnMut(T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let workers = match threads {
            Threads::One => 1,
            Threads::Pool => rayon::current_num_threads(),
        };
        self.list.clear();
        self.shares.resize_with(workers, Mutex::default);
        for share in &mut self.shares {
            let Share { accepted, tested } =
                share.get_mut().unwrap_or_else(PoisonError::into_inner);
            accepted.clear();
            *tested = 0;
        }
        self.work = Work { workers: workers as u32, ..Work::default() };
        let flow = match distribution {
            Distribution::Producer if workers > 1 => {
                self.run_beside_producer(stopwatch, produce, new_test, accept)
            }
            _ => self.run_lists(distribution, stopwatch, produce, new_test, accept),
        };
        for share in &self.shares {
            let tested = lock(share).tested;
            self.work.items += tested;
            self.work.busiest = self.work.busiest.max(tested);
        }
        flow
    }

    /// Lists the items, then tests them.
    fn run_lists<W: FnMut(&T) -> bool>(
        &mut self,
        distribution: Distribution,
        stopwatch: &mut Stopwatch,
        produce: impl FnOnce(&mut Push<'_, T>) -> ControlFlow<()>,
        new_test: &(impl Fn() -> W + Sync),
        accept: &mut dyn FnMut(T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { list, shares, work } = self;
        let mut test_listed = |list: &mut Vec<T>| {
            work.produce += stopwatch.stage_time();
            test_list(distribution, list, shares, new_test);
            list.clear();
            work.test += stopwatch.stage_time();
            report(shares, accept)
        };
        produce(&mut |item| {
            list.push(item);
            if list.len() < LIST { ControlFlow::Continue(()) } else { test_listed(list) }
        })?;
        test_listed(list)
    }

    /// Produces items on this thread while the others test them, then helps them.
    fn run_beside_producer<W: FnMut(&T) -> bool>(
        &mut self,
        stopwatch: &mut Stopwatch,
        produce: impl FnOnce(&mut Push<'_, T>) -> ControlFlow<()>,
        new_test: &(impl Fn() -> W + Sync),
        accept: &mut dyn FnMut(T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { list, shares, work } = self;
        let (shares, queue) = (&*shares, Queue::new(std::mem::take(list)));
        // A caller outside the pool takes the place of its first thread, so that there are as many workers as threads.
        let producer = rayon::current_thread_index().unwrap_or(0);
        let consumer = |number: usize| Consumer {
            queue: &queue,
            share: &shares[number],
            workers: shares.len(),
            test: new_test(),
            taken: Vec::with_capacity(MOST_TAKEN),
        };
        let flow = rayon::in_place_scope(|scope| {
            // Others are woken when there is something to do.
            let mut start = Some(|| {
                scope.spawn_broadcast(|_, thread| {
                    if thread.index() != producer {
                        consumer(thread.index()).test_all();
                    }
                });
            });
            let closing = CloseOnDrop(&queue);
            let mut own = consumer(producer);
            let (mut found, mut produced, mut reported) = (Vec::new(), 0, 0);
            let flow = produce(&mut |item| {
                found.push(item);
                produced += 1;
                if found.len() < (produced / APPENDED_SHARE).clamp(APPENDED[0], APPENDED[1]) {
                    return ControlFlow::Continue(());
                }
                let waiting = queue.append(&mut found);
                if let Some(start) = start.take() {
                    start();
                }
                if waiting > LIST {
                    // Producing more would only take memory.
                    while queue.len() > LIST / 2 {
                        own.test_some();
                    }
                }
                if produced - reported < REPORT {
                    return ControlFlow::Continue(());
                }
                reported = produced;
                report(shares, accept)
            });
            match flow {
                ControlFlow::Continue(()) => _ = queue.append(&mut found),
                ControlFlow::Break(()) => queue.clear(),
            }
            drop(closing);
            work.produce = stopwatch.stage_time();
            own.test_all();
            flow
        });
        work.test = stopwatch.stage_time();
        *list = queue.into_memory();
        flow?;
        report(shares, accept)
    }
}

/// A worker that takes items from a queue.
struct Consumer<'c, T, W> {
    queue: &'c Queue<T>,
    share: &'c Mutex<Share<T>>,
    workers: usize,
    test: W,
    /// Memory for the items that are taken at a time.
    taken: Vec<T>,
}

impl<T: Copy, W: FnMut(&T) -> bool> Consumer<'_, T, W> {
    /// Tests items until the queue is closed and empty.
    fn test_all(&mut self) {
        while !self.queue.is_finished() {
            self.queue.wait();
            self.test_some();
        }
    }

    /// Tests some of the items that wait, fewer towards the end, so that all workers end at about the same time.
    fn test_some(&mut self) {
        let share_of = |waiting: usize| (waiting / (2 * self.workers)).clamp(1, MOST_TAKEN);
        self.queue.take(&mut self.taken, share_of);
        lock(self.share).test(self.taken.iter(), &mut self.test);
    }
}

/// Tests a list, with as many workers as there are shares.
fn test_list<T: Copy + Send + Sync, W: FnMut(&T) -> bool>(
    distribution: Distribution,
    list: &[T],
    shares: &[Mutex<Share<T>>],
    new_test: &(impl Fn() -> W + Sync),
) {
    let workers = shares.len();
    // To wake others takes longer than nothing.
    if workers == 1 || list.is_empty() {
        return lock(&shares[0]).test(list.iter(), &mut new_test());
    }
    match distribution {
        Distribution::Static => {
            rayon::broadcast(|thread| {
                let number = thread.index();
                let own = list.iter().skip(number).step_by(workers);
                lock(&shares[number]).test(own, &mut new_test());
            });
        }
        Distribution::Grab | Distribution::Producer => {
            let next = AtomicUsize::new(0);
            let count = (list.len() / (8 * workers)).clamp(1, MOST_TAKEN);
            rayon::broadcast(|thread| {
                let (mut share, mut test) = (lock(&shares[thread.index()]), new_test());
                loop {
                    let start = next.fetch_add(count, Ordering::Relaxed);
                    if start >= list.len() {
                        break;
                    }
                    let end = list.len().min(start + count);
                    share.test(list[start..end].iter(), &mut test);
                }
            });
        }
        Distribution::Steal => {
            let count = (list.len() / (8 * workers)).clamp(1, MOST_TAKEN);
            list.par_chunks(count).for_each_init(new_test, |test, chunk| {
                let number = rayon::current_thread_index().unwrap_or(0);
                lock(&shares[number]).test(chunk.iter(), test);
            });
        }
    }
}

impl<T: Copy> Share<T> {
    fn test<'i>(&mut self, items: impl Iterator<Item = &'i T>, test: &mut impl FnMut(&T) -> bool)
    where
        T: 'i,
    {
        for item in items {
            self.tested += 1;
            if test(item) {
                self.accepted.push(*item);
            }
        }
    }
}

fn lock<T>(share: &Mutex<T>) -> MutexGuard<'_, T> {
    share.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes the accepted items of all workers on, and forgets them.
fn report<T>(
    shares: &[Mutex<Share<T>>],
    accept: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    shares.iter().try_for_each(|share| lock(share).accepted.drain(..).try_for_each(&mut *accept))
}

//! The search of faces: finds the faces that touch, for pairs of bodies that the broad phase found.
//! [`step`](super::step) calls it; [`Searcher`] does the search of one pair.

use super::body::Bodies;
use crate::{FacePair, Threads, broad::ProxyPair, method::WalkCounts, query::Searcher};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Searches pairs of bodies for contacts, and stores the contacts.
#[derive(Debug, Default)]
pub(super) struct PairSearch {
    /// Pairs to be searched by the next call of [`search_batch`](Self::search_batch).
    pub(super) batch: Vec<ProxyPair>,
    /// One worker per thread.
    workers: Vec<Worker>,
    /// The pairs that touch; sorted by [`end`](Self::end).
    pub(super) touching: Vec<Touching>,
}

/// Two bodies that touch, and the range of their faces in a worker's list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touching {
    pub(super) pair: ProxyPair,
    worker: u32,
    count: u32,
    start: usize,
}

#[derive(Debug, Default)]
struct Worker {
    searcher: Searcher,
    faces: Vec<FacePair>,
    touching: Vec<Touching>,
    /// The tests of this step.
    counts: WalkCounts,
}

/// The number of pairs searched at a time. Bounds the memory for pairs.
pub(super) const BATCH: usize = 1 << 16;
/// The number of pairs a thread takes at a time.
const PAIRS_PER_TASK: usize = 32;

impl PairSearch {
    /// Drops the contacts of the last step.
    pub(super) fn begin(&mut self) {
        self.batch.clear();
        self.touching.clear();
        for worker in &mut self.workers {
            worker.faces.clear();
            worker.touching.clear();
            worker.counts = WalkCounts::default();
        }
    }

    /// Searches the pairs of the batch, and empties it.
    pub(super) fn search_batch(&mut self, bodies: &Bodies, threads: Threads) {
        let Self { batch, workers, .. } = self;
        let thread_count = match threads {
            Threads::Pool if batch.len() > PAIRS_PER_TASK => rayon::current_num_threads(),
            _ => 1,
        };
        if workers.len() < thread_count {
            workers.resize_with(thread_count, Worker::default);
        }
        if thread_count == 1 {
            workers[0].search_batch(0, bodies, batch);
        } else {
            let next = AtomicUsize::new(0);
            workers[..thread_count].par_iter_mut().enumerate().for_each(|(number, worker)| {
                loop {
                    let start = next.fetch_add(PAIRS_PER_TASK, Ordering::Relaxed);
                    if start >= batch.len() {
                        break;
                    }
                    let end = (start + PAIRS_PER_TASK).min(batch.len());
                    worker.search_batch(number as u32, bodies, &batch[start..end]);
                }
            });
        }
        batch.clear();
    }

    /// Collects the pairs that touch from all workers, and sorts them.
    pub(super) fn end(&mut self) {
        for worker in &self.workers {
            self.touching.extend_from_slice(&worker.touching);
        }
        self.touching.sort_unstable_by_key(|touching| touching.pair);
    }

    /// The faces of a touching pair.
    pub(super) fn faces(&self, touching: &Touching) -> &[FacePair] {
        let faces = &self.workers[touching.worker as usize].faces;
        &faces[touching.start..touching.start + touching.count as usize]
    }

    /// The number of pairs of faces found so far.
    pub(super) fn contacts(&self) -> usize {
        self.workers.iter().map(|worker| worker.faces.len()).sum()
    }

    /// The tests made so far, of all workers together.
    pub(super) fn counts(&self) -> WalkCounts {
        self.workers.iter().fold(WalkCounts::default(), |sum, worker| sum.plus(worker.counts))
    }

    /// A searcher for queries between steps.
    pub(super) fn searcher(&mut self) -> &mut Searcher {
        if self.workers.is_empty() {
            self.workers.push(Worker::default());
        }
        &mut self.workers[0].searcher
    }
}

impl Worker {
    fn search_batch(&mut self, number: u32, bodies: &Bodies, pairs: &[ProxyPair]) {
        for &pair in pairs {
            let (Some(a), Some(b)) = (bodies.at(pair[0]), bodies.at(pair[1])) else { continue };
            let start = self.faces.len();
            let counts =
                self.searcher.contacts((&a.shape, &a.pose), (&b.shape, &b.pose), &mut self.faces);
            self.counts = self.counts.plus(counts);
            let count = (self.faces.len() - start) as u32;
            if count > 0 {
                self.touching.push(Touching { pair, worker: number, count, start });
            }
        }
    }
}

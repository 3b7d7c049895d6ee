//! Pairs of bodies that are near each other: which of their faces touch?

use super::body::Bodies;
use crate::{FacePair, Threads, broad::ProxyPair, query::Searcher};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Decides about pairs of bodies, and keeps what was found.
#[derive(Debug, Default)]
pub(super) struct PairSearch {
    /// Pairs to be decided next.
    pub(super) batch: Vec<ProxyPair>,
    /// One for each thread.
    workers: Vec<Worker>,
    /// The pairs that touch, in order once all are decided.
    pub(super) touching: Vec<Touching>,
}

/// Two bodies that touch, and where their faces are kept.
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
}

/// So many pairs are decided at a time, so that their number does not matter.
pub(super) const BATCH: usize = 1 << 16;
/// How many pairs a thread takes at once.
const SHARE: usize = 32;

impl PairSearch {
    /// Forgets what was found.
    pub(super) fn begin(&mut self) {
        self.batch.clear();
        self.touching.clear();
        for worker in &mut self.workers {
            worker.faces.clear();
            worker.touching.clear();
        }
    }

    /// Decides about the batch, and empties it.
    pub(super) fn decide(&mut self, bodies: &Bodies, threads: Threads) {
        let Self { batch, workers, .. } = self;
        let parts = match threads {
            Threads::Pool if batch.len() > SHARE => rayon::current_num_threads(),
            _ => 1,
        };
        if workers.len() < parts {
            workers.resize_with(parts, Worker::default);
        }
        if parts == 1 {
            workers[0].decide(0, bodies, batch);
        } else {
            let next = AtomicUsize::new(0);
            workers[..parts].par_iter_mut().enumerate().for_each(|(number, worker)| {
                loop {
                    let start = next.fetch_add(SHARE, Ordering::Relaxed);
                    if start >= batch.len() {
                        break;
                    }
                    let end = (start + SHARE).min(batch.len());
                    worker.decide(number as u32, bodies, &batch[start..end]);
                }
            });
        }
        batch.clear();
    }

    /// Puts what all threads have found in order.
    pub(super) fn end(&mut self) {
        for worker in &self.workers {
            self.touching.extend_from_slice(&worker.touching);
        }
        self.touching.sort_unstable_by_key(|touching| touching.pair);
    }

    /// The faces of a pair that touches.
    pub(super) fn faces(&self, touching: &Touching) -> &[FacePair] {
        let faces = &self.workers[touching.worker as usize].faces;
        &faces[touching.start..touching.start + touching.count as usize]
    }

    /// How many pairs of faces were found.
    pub(super) fn contacts(&self) -> usize {
        self.workers.iter().map(|worker| worker.faces.len()).sum()
    }

    /// To ask something else.
    pub(super) fn searcher(&mut self) -> &mut Searcher {
        if self.workers.is_empty() {
            self.workers.push(Worker::default());
        }
        &mut self.workers[0].searcher
    }
}

impl Worker {
    fn decide(&mut self, number: u32, bodies: &Bodies, pairs: &[ProxyPair]) {
        for &pair in pairs {
            let (Some(a), Some(b)) = (bodies.at(pair[0]), bodies.at(pair[1])) else { continue };
            let start = self.faces.len();
            self.searcher.contacts((&a.shape, &a.pose), (&b.shape, &b.pose), &mut self.faces);
            let count = (self.faces.len() - start) as u32;
            if count > 0 {
                self.touching.push(Touching { pair, worker: number, count, start });
            }
        }
    }
}

//! The search of faces: finds the faces that touch, for pairs of bodies that the broad phase found.
//! [`step`](super::step) calls it; [`Searcher`] does the search of one pair.

use super::{
    body::{Bodies, Body},
    coherence::{Memory, Outcome},
    deformed::{Deformed, DeformedCounts},
    group::BodyGroup,
    solids::solid_contacts,
};
use crate::{
    FacePair, Shape, Threads,
    broad::ProxyPair,
    method::{SearchSteps, SharedBy, WalkCounts},
    query::Searcher,
};
use rayon::prelude::*;
use std::{
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

/// Searches pairs of bodies for contacts, and stores the contacts.
#[derive(Debug, Default)]
pub(super) struct PairSearch {
    /// Pairs to be searched by the next call of [`search_batch`](Self::search_batch).
    pub(super) batch: Vec<Job>,
    /// Pairs with a true solid, to be searched by the same call.
    pub(super) solid_pairs: Vec<ProxyPair>,
    /// One worker per thread.
    workers: Vec<Worker>,
    /// The search of all bodies at once, if their method has one.
    group: Option<BodyGroup>,
    /// How bodies that have deformed are searched.
    pub(super) deformed: Deformed,
    /// The number of pairs of the batch that are searched by the bodies' method; the others come after them.
    by_method: usize,
    /// The pairs that touch; sorted by [`end`](Self::end).
    pub(super) touching: Vec<Touching>,
    /// Whether the steps of searches of all bodies at once are timed.
    pub(super) is_timed: bool,
    /// These steps, if the searches have distributed their tests.
    pub(super) steps: Option<SearchSteps>,
}

/// A pair of bodies whose faces are to be searched. [`Recall::Search`](super::coherence::Recall) describes the
/// fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) pair: ProxyPair,
    pub(super) entry: Option<u32>,
    pub(super) front: Option<u32>,
    pub(super) reach: f64,
    pub(super) outcome: Outcome,
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
/// The most tests of volumes that an attempt to prove bodies apart may take. More are rarely worth it: without the
/// attempt, the search of bodies that are apart takes about a dozen.
const CLEARANCE_TESTS: u64 = 48;
/// The number of pairs a thread takes at a time.
const PAIRS_PER_TASK: usize = 32;

impl PairSearch {
    /// Drops the contacts of the last step.
    pub(super) fn begin(&mut self) {
        self.batch.clear();
        self.solid_pairs.clear();
        self.touching.clear();
        self.steps = None;
        self.deformed.counts = DeformedCounts::default();
        for worker in &mut self.workers {
            worker.faces.clear();
            worker.touching.clear();
            worker.counts = WalkCounts::default();
        }
    }

    /// Prepares for bodies with the method of a shape.
    pub(super) fn take_method(&mut self, shape: &Shape) {
        if self.group.is_none() {
            self.group = shape.new_group_search().map(BodyGroup::new);
        }
    }

    /// Whether all bodies can be searched at once.
    pub(super) fn has_group(&self) -> bool {
        self.group.is_some()
    }

    /// Searches all pairs of bodies for which `compares` holds at once, without a broad phase, if the method of the
    /// bodies can. Calls `pause` now and then with the number of contacts so far; `Break` stops the search.
    pub(super) fn search_all(
        &mut self,
        bodies: &Bodies,
        compares: &dyn Fn(ProxyPair) -> bool,
        threads: Threads,
        pause: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) {
        let worker = first(&mut self.workers);
        if let Some(group) = &mut self.group
            && let Some(counts) =
                group.search_all(bodies, (threads, self.is_timed), compares, pause)
        {
            worker.take_contacts(group, counts);
            self.steps = group.steps();
        }
    }

    /// Decides how bodies of the batch that have deformed are searched, and renews what was prepared of them if need be.
    pub(super) fn prepare_batch(&mut self, bodies: &Bodies, threads: Threads, memory: &Memory) {
        let must_refit = memory.is_on() || self.has_group();
        self.by_method = self.deformed.decide(bodies, &mut self.batch, threads, must_refit);
    }

    /// Searches the pairs of the prepared batch, stores what is worth remembering, and empties the batch.
    ///
    /// A search of all pairs at once may take long: it calls `pause` now and then with the number of contacts so far.
    /// `Break` stops the search.
    pub(super) fn search_batch(
        &mut self,
        bodies: &Bodies,
        threads: Threads,
        memory: &mut Memory,
        pause: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !self.solid_pairs.is_empty() {
            self.search_solids(bodies, threads);
        }
        let before = self.contacts();
        let mut pause = |contacts: usize| pause(before + contacts);
        let Self { batch: jobs, workers, group, deformed, by_method, is_timed, steps, .. } = self;
        let (batch, in_cells) = jobs.split_at_mut(*by_method);
        if !in_cells.is_empty() {
            let cells = &mut deformed.cells;
            first(workers).search_group(
                cells,
                bodies,
                in_cells,
                (threads, *is_timed),
                &mut pause,
            )?;
        }
        if batch.is_empty() {
            jobs.clear();
            return ControlFlow::Continue(());
        }
        if let Some(group) = group {
            first(workers).search_group(group, bodies, batch, (threads, *is_timed), &mut pause)?;
            if let Some(found) = group.steps() {
                *steps = Some(steps.unwrap_or_default().plus(found));
            }
            store(jobs, memory);
            return ControlFlow::Continue(());
        }
        let thread_count = match threads {
            Threads::Pool if batch.len() > PAIRS_PER_TASK => rayon::current_num_threads(),
            _ => 1,
        };
        if workers.len() < thread_count {
            workers.resize_with(thread_count, Worker::default);
        }
        if thread_count == 1 {
            workers[0].search_batch(0, bodies, memory, batch);
        } else {
            let (memory, tasks) = (&*memory, Mutex::new(batch.chunks_mut(PAIRS_PER_TASK)));
            let next_task = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
            workers[..thread_count].par_iter_mut().enumerate().for_each(|(number, worker)| {
                while let Some(jobs) = next_task() {
                    worker.search_batch(number as u32, bodies, memory, jobs);
                }
            });
        }
        store(jobs, memory);
        ControlFlow::Continue(())
    }

    /// Searches the pairs with a true solid.
    fn search_solids(&mut self, bodies: &Bodies, threads: Threads) {
        let Self { solid_pairs, workers, .. } = self;
        let thread_count = match threads {
            Threads::Pool if solid_pairs.len() > PAIRS_PER_TASK => rayon::current_num_threads(),
            _ => 1,
        };
        if workers.len() < thread_count {
            workers.resize_with(thread_count, Worker::default);
        }
        if thread_count == 1 {
            workers[0].search_solids(0, bodies, solid_pairs);
        } else {
            let tasks = Mutex::new(solid_pairs.chunks(PAIRS_PER_TASK));
            let next_task = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
            workers[..thread_count].par_iter_mut().enumerate().for_each(|(number, worker)| {
                while let Some(pairs) = next_task() {
                    worker.search_solids(number as u32, bodies, pairs);
                }
            });
        }
        solid_pairs.clear();
    }

    /// Renews what was prepared of bodies whose contacts with themselves are to be searched, because they have deformed.
    pub(super) fn renew_own(&mut self, bodies: &Bodies, indices: &[u32], threads: Threads) {
        let is_searched = |index: u32| {
            let own = bodies.at(index).and_then(|body| body.own_contacts.as_ref());
            own.is_some_and(|own| !own.is_current)
        };
        for &index in indices.iter().filter(|&&index| is_searched(index)) {
            self.deformed.counts.renew(bodies, index, threads);
        }
    }

    /// Appends the contacts of a body with itself, which are searched only if the body's shape has changed.
    pub(super) fn search_own(&mut self, index: u32, body: &mut Body, threads: Threads) {
        let Worker { searcher, faces, touching, counts } = first(&mut self.workers);
        let Body { shape, own_contacts: Some(own), .. } = body else { return };
        if !own.is_current {
            own.faces.clear();
            let by = SharedBy::Index;
            *counts = counts.plus(searcher.self_contacts(shape, by, threads, &mut own.faces));
            own.is_current = true;
        }
        let (start, count) = (faces.len(), own.faces.len() as u32);
        if count > 0 {
            faces.extend_from_slice(&own.faces);
            touching.push(Touching { pair: [index; 2], worker: 0, count, start });
        }
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
        &mut first(&mut self.workers).searcher
    }
}

/// The first worker.
fn first(workers: &mut Vec<Worker>) -> &mut Worker {
    if workers.is_empty() {
        workers.push(Worker::default());
    }
    &mut workers[0]
}

/// Stores what is worth remembering of the jobs of a batch, and empties the batch.
fn store(batch: &mut Vec<Job>, memory: &mut Memory) {
    for job in &*batch {
        if let Some(entry) = job.entry {
            memory.store(entry, job.reach, job.outcome);
        }
    }
    batch.clear();
}

impl Worker {
    fn search_batch(&mut self, number: u32, bodies: &Bodies, memory: &Memory, jobs: &mut [Job]) {
        for job in jobs {
            let pair = job.pair;
            let (Some(a), Some(b)) = (bodies.at(pair[0]), bodies.at(pair[1])) else { continue };
            let start = self.faces.len();
            job.outcome = self.search(memory, job, a, b);
            let count = (self.faces.len() - start) as u32;
            if count > 0 {
                self.touching.push(Touching { pair, worker: number, count, start });
            }
        }
    }

    fn search_solids(&mut self, number: u32, bodies: &Bodies, pairs: &[ProxyPair]) {
        for &pair in pairs {
            let (Some(a), Some(b)) = (bodies.at(pair[0]), bodies.at(pair[1])) else { continue };
            let start = self.faces.len();
            solid_contacts(a, b, &mut self.faces);
            let count = (self.faces.len() - start) as u32;
            if count > 0 {
                self.touching.push(Touching { pair, worker: number, count, start });
            }
        }
    }

    /// Searches all pairs of a batch at once, until `pause` stops it.
    fn search_group(
        &mut self,
        group: &mut BodyGroup,
        bodies: &Bodies,
        batch: &mut [Job],
        how: (Threads, bool),
        pause: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        batch.sort_unstable_by_key(|job| job.pair);
        for job in &mut *batch {
            job.outcome = Outcome::Apart;
            if let (Some(a), Some(b)) = (bodies.at(job.pair[0]), bodies.at(job.pair[1]))
                && self.is_beyond(job, a, b)
            {
                job.outcome = Outcome::Beyond;
            }
        }
        let left = batch.iter().filter(|job| job.outcome != Outcome::Beyond).map(|job| job.pair);
        group.take_pairs(left);
        let Some(counts) = group.search_pairs(bodies, how, pause) else {
            return ControlFlow::Break(());
        };
        let start = self.touching.len();
        self.take_contacts(group, counts);
        let mut jobs = batch.iter_mut();
        for touching in &self.touching[start..] {
            if let Some(job) = jobs.find(|job| job.pair == touching.pair) {
                job.outcome = Outcome::Touching;
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes over the contacts that the search of a group has found, which are sorted.
    fn take_contacts(&mut self, group: &BodyGroup, counts: WalkCounts) {
        self.counts = self.counts.plus(counts);
        for contacts in group.contacts.chunk_by(|(a, _), (b, _)| a == b) {
            let start = self.faces.len();
            self.faces.extend(contacts.iter().map(|(_, faces)| *faces));
            let (pair, count) = (contacts[0].0, contacts.len() as u32);
            self.touching.push(Touching { pair, worker: 0, count, start });
        }
    }

    /// Whether two bodies are proven to be farther apart than the reach of their job.
    fn is_beyond(&mut self, job: &Job, a: &Body, b: &Body) -> bool {
        if job.reach <= 0.0 {
            return false;
        }
        let (a, b) = ((&a.shape, &a.pose), (&b.shape, &b.pose));
        let (is_clear, tests) = self.searcher.is_clear(a, b, job.reach, CLEARANCE_TESTS);
        self.counts = self.counts.plus(tests);
        is_clear
    }

    /// Searches one pair, and appends its contacts.
    fn search(&mut self, memory: &Memory, job: &Job, a: &Body, b: &Body) -> Outcome {
        if self.is_beyond(job, a, b) {
            return Outcome::Beyond;
        }
        let (a, b) = ((&a.shape, &a.pose), (&b.shape, &b.pose));
        let Self { searcher, faces, counts, .. } = self;
        let start = faces.len();
        let tests = match job.front {
            Some(front) => searcher.contacts_from(a, b, &mut memory.front(front), faces),
            None => searcher.contacts(a, b, faces),
        };
        *counts = counts.plus(tests);
        if faces.len() > start { Outcome::Touching } else { Outcome::Apart }
    }
}

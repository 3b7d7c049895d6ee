//! A search of two bodies with a tree over the faces of each.

use super::{Goal, Hierarchy, NearestWalk, ResumableWalk, Walk, WalkScratch};
use crate::{
    FacePair, Threads,
    method::{
        Found, Front, Hint, Meter, NearestFaces, OpenPair, Question, Search, SelfDecider,
        SelfQuestion, WalkCounts,
        brute::Brute,
        question::{Leaves, Proximity},
        self_question::{collect_by_copy, visit_by_copy},
    },
};
use rayon::prelude::*;
use std::{
    collections::HashSet,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// A search of two bodies with a tree of this type over the faces of each.
pub(in crate::method) struct HierarchySearch<H: Hierarchy> {
    /// One for each thread that a query has used so far, and at least one.
    workers: Vec<Worker<H::Scratch>>,
    /// For bodies that no volumes can tell apart.
    brute: Brute,
    counts: WalkCounts,
}

/// What a thread needs for its part of a query, reused from query to query.
#[derive(Default)]
struct Worker<S> {
    scratch: S,
    leaves: Leaves,
    contacts: Vec<FacePair>,
}

/// A query that takes fewer tests than this is finished before other threads could have helped.
const ALONE: u64 = 2_000;
/// Into how many pieces for each thread a query is split: many, so that expensive ones even out.
const PIECES: usize = 64;
/// How many parts of a search of a body and itself a thread takes at a time.
const SELF_PARTS: usize = 64;

impl<H: Hierarchy> HierarchySearch<H> {
    pub(in crate::method) fn new() -> Self {
        let (workers, brute) = (vec![Worker::default()], Brute::default());
        Self { workers, brute, counts: WalkCounts::default() }
    }

    /// Whether a pair of faces may be found more than once.
    fn repeats(question: &Question<'_>) -> bool {
        question.prepared::<H>().iter().any(|tree| tree.repeats_faces())
    }

    /// Runs a query on the caller's thread or, if it takes longer, a part of it on each thread of the
    /// pool. Each worker collects what it finds; unless all is wanted, the search ends with the first.
    fn run(&mut self, question: &Question<'_>, wants_all: bool, hint: Option<Hint>) {
        let [a, b] = question.prepared::<H>();
        let Some(pair) = a.near_pair(b, question) else { return };
        let is_over = AtomicBool::new(false);
        self.share(&pair, question.threads, &is_over, hint, |worker, limit| {
            let Worker { scratch, leaves, contacts } = worker;
            let goal = Goal { limit, wants_all, is_over: &is_over };
            let mut found = |pair| {
                contacts.push(pair);
                if wants_all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            if pair.search(scratch, goal, &question.decider(), leaves, &mut found).is_break() {
                is_over.store(true, Ordering::Relaxed);
            }
        });
    }

    /// Runs a walk from the roots on the caller's thread or, if it takes longer, a part of it on each thread of the
    /// pool. `search` continues the walk of a worker, up to a number of tests.
    fn share<'t>(
        &mut self,
        pair: &H::Pair<'t>,
        threads: Threads,
        is_over: &AtomicBool,
        hint: Option<Hint>,
        search: impl Fn(&mut Worker<H::Scratch>, u64) + Sync,
    ) {
        let first = &mut self.workers[0];
        pair.begin_at_roots(&mut first.scratch);
        if let Some(hint) = hint {
            pair.look_first(&mut first.scratch, hint);
        }
        search(first, if threads == Threads::One { u64::MAX } else { ALONE });
        self.counts = first.scratch.counts();
        if threads == Threads::One || is_over.load(Ordering::Relaxed) {
            return;
        }

        let parts = rayon::current_num_threads();
        let pieces = pair.take_pieces(&mut first.scratch, PIECES * parts);
        if pieces.is_empty() {
            return;
        }
        self.workers.resize_with(self.workers.len().max(parts), Worker::default);
        let next = AtomicUsize::new(0);
        self.workers[..parts].par_iter_mut().for_each(|worker| {
            pair.begin(&mut worker.scratch);
            while let Some(&piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                pair.push(&mut worker.scratch, piece);
                search(worker, u64::MAX);
            }
        });
        let counts = self.workers[..parts].iter().map(|worker| worker.scratch.counts());
        self.counts = counts.fold(self.counts, WalkCounts::plus);
    }

    /// Visits what is found from the roots, or from a front on, each pair of faces once.
    fn visit_once(
        &mut self,
        question: &Question<'_>,
        front: Option<&mut Front>,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        self.counts = WalkCounts::default();
        match question.proximity() {
            Proximity::Apart => return ControlFlow::Continue(()),
            Proximity::Blurred => return self.brute.visit(question, found),
            Proximity::Near => {}
        }
        if Self::repeats(question) {
            let mut visited = HashSet::new();
            return self.visit_each(question, front, &mut |pair| {
                if visited.insert(pair) { found(pair) } else { ControlFlow::Continue(()) }
            });
        }
        self.visit_each(question, front, found)
    }

    fn visit_each(
        &mut self,
        question: &Question<'_>,
        front: Option<&mut Front>,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        let [a, b] = question.prepared::<H>();
        let Some(pair) = a.near_pair(b, question) else { return ControlFlow::Continue(()) };
        let decider = question.decider();
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        let result = match front.filter(|_| H::HAS_FRONT) {
            Some(front) => pair.walk_from(front, scratch, &mut |pair| {
                decider.close_pairs(leaves, pair, &mut *found)
            }),
            None => {
                pair.begin_at_roots(scratch);
                let is_over = &AtomicBool::new(false);
                let goal = Goal { limit: u64::MAX, wants_all: true, is_over };
                pair.search(scratch, goal, &decider, leaves, found)
            }
        };
        self.counts = scratch.counts();
        result
    }
}

impl<H: Hierarchy> Search for HierarchySearch<H> {
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()> {
        self.visit_once(question, None, found)
    }

    fn visit_from(
        &mut self,
        question: &Question<'_>,
        front: &mut Front,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        self.visit_once(question, Some(front), found)
    }

    fn any(&mut self, question: &Question<'_>, hint: &mut Option<Hint>) -> Option<FacePair> {
        self.counts = WalkCounts::default();
        match question.proximity() {
            Proximity::Apart => {
                *hint = None;
                return None;
            }
            Proximity::Blurred => return self.brute.any(question, hint),
            Proximity::Near => {}
        }
        self.run(question, false, *hint);
        // Several threads may have found one at the same time.
        let any = self.workers.iter_mut().fold(None, |any, worker| worker.contacts.pop().or(any));
        *hint = any.and_then(|_| self.workers[0].scratch.found_at());
        any
    }

    fn is_clear(&mut self, question: &Question<'_>, limit: u64) -> bool {
        self.counts = WalkCounts::default();
        match question.proximity() {
            Proximity::Apart => return true,
            Proximity::Blurred => return false,
            Proximity::Near => {}
        }
        let [a, b] = question.prepared::<H>();
        let Some(pair) = a.near_pair(b, question) else { return true };
        let scratch = &mut self.workers[0].scratch;
        pair.begin_at_roots(scratch);
        let walk = pair.walk(scratch, limit, &mut |_| ControlFlow::Break(()));
        self.counts = scratch.counts();
        // A walk that has used up its tests may have left pairs.
        walk.is_continue() && self.counts.volume_tests < limit
    }

    fn collect(&mut self, question: &Question<'_>, contacts: &mut Vec<FacePair>) {
        self.counts = WalkCounts::default();
        match question.proximity() {
            Proximity::Apart => return,
            Proximity::Blurred => return self.brute.collect(question, contacts),
            Proximity::Near => {}
        }
        let start = contacts.len();
        self.run(question, true, None);
        for worker in &mut self.workers {
            contacts.append(&mut worker.contacts);
        }
        if Self::repeats(question) {
            let mut own = contacts.split_off(start);
            own.sort_unstable();
            own.dedup();
            contacts.append(&mut own);
        }
    }

    fn visit_self(
        &mut self,
        question: &SelfQuestion<'_>,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        let both = question.question();
        let [a, b] = both.prepared::<H>();
        let pair = a.pair(b, both);
        if both.proximity() != Proximity::Near || Self::repeats(both) {
            return visit_by_copy(self, question, found);
        }
        let (parts, decider) = (pair.self_parts(), question.decider());
        let scratch = &mut self.workers[0].scratch;
        let result = if parts > 0 {
            pair.begin(scratch);
            pair.search_self(scratch, 0..parts, &decider, found)
        } else {
            pair.begin_at_roots(scratch);
            walk_copy(&pair, scratch, u64::MAX, &decider, found)
        };
        self.counts = scratch.counts();
        result
    }

    fn collect_self(&mut self, question: &SelfQuestion<'_>, contacts: &mut Vec<FacePair>) {
        let both = question.question();
        let [a, b] = both.prepared::<H>();
        let pair = a.pair(b, both);
        let parts = pair.self_parts();
        if both.proximity() != Proximity::Near || Self::repeats(both) {
            return collect_by_copy(self, question, contacts);
        }
        if parts == 0 {
            let never_over = AtomicBool::new(false);
            self.share(&pair, both.threads, &never_over, None, |worker, limit| {
                let (decider, Worker { scratch, contacts, .. }) = (question.decider(), worker);
                let _ = walk_copy(&pair, scratch, limit, &decider, &mut |pair| {
                    contacts.push(pair);
                    ControlFlow::Continue(())
                });
            });
            self.workers.iter_mut().for_each(|worker| contacts.append(&mut worker.contacts));
            return;
        }
        let (threads, next) = (threads_for(both.threads, parts), AtomicUsize::new(0));
        self.workers.resize_with(self.workers.len().max(threads), Worker::default);
        let search = |worker: &mut Worker<H::Scratch>| {
            let (decider, Worker { scratch, contacts, .. }) = (question.decider(), worker);
            pair.begin(scratch);
            loop {
                let start = next.fetch_add(SELF_PARTS, Ordering::Relaxed);
                if start >= parts {
                    break;
                }
                let part = start..parts.min(start + SELF_PARTS);
                let _ = pair.search_self(scratch, part, &decider, &mut |pair| {
                    contacts.push(pair);
                    ControlFlow::Continue(())
                });
            }
        };
        match threads {
            1 => search(&mut self.workers[0]),
            _ => self.workers[..threads].par_iter_mut().for_each(search),
        }
        self.counts = WalkCounts::default();
        for worker in &mut self.workers[..threads] {
            contacts.append(&mut worker.contacts);
            self.counts = self.counts.plus(worker.scratch.counts());
        }
    }

    fn nearest(&mut self, question: &Question<'_>, nearest: &mut NearestFaces) {
        let [a, b] = question.prepared::<H>();
        let (pair, decider) = (a.pair(b, question), question.decider());
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        pair.walk_nearest(scratch, nearest, &mut |nearest, pair| {
            let _ = decider.pairs(leaves, pair, |pair, s, t| {
                nearest.offer(pair, s, t);
                ControlFlow::Continue(())
            });
        });
        self.counts = scratch.counts();
    }

    fn begin(&mut self, question: &Question<'_>) {
        let [a, b] = question.prepared::<H>();
        a.pair(b, question).begin_open(&mut self.workers[0].scratch);
    }

    fn advance(
        &mut self,
        question: &Question<'_>,
        meter: &mut Meter,
        wants_all: bool,
        contacts: &mut Vec<FacePair>,
    ) -> bool {
        if question.proximity() == Proximity::Apart {
            self.counts = WalkCounts::default();
            return true;
        }
        let [a, b] = question.prepared::<H>();
        let (pair, decider) = (a.pair(b, question), question.decider());
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        // Two leaves are finished as a whole: none of their pairs is left for later.
        let is_over = pair.advance(scratch, meter, wants_all, &mut |pair| {
            let before = contacts.len();
            let _ = decider.close_pairs(leaves, pair, |pair| {
                contacts.push(pair);
                ControlFlow::Continue(())
            });
            contacts.len() > before
        });
        self.counts = scratch.counts();
        is_over
    }

    fn left_open(&self, question: &Question<'_>) -> (usize, f64) {
        let [a, b] = question.prepared::<H>();
        a.pair(b, question).left_open(&self.workers[0].scratch)
    }

    fn visit_open(&self, question: &Question<'_>, visit: &mut dyn FnMut(OpenPair<'_>)) {
        let [a, b] = question.prepared::<H>();
        a.pair(b, question).visit_open(&self.workers[0].scratch, visit);
    }

    fn counts(&self) -> WalkCounts {
        self.counts
    }
}

/// Continues the walk of a tree and a copy of it in the same place. Calls `found` with each pair of faces in contact
/// once, the lower face first: each pair of leaves comes up in both orders.
fn walk_copy<W: Walk>(
    pair: &W,
    scratch: &mut W::Scratch,
    limit: u64,
    decider: &SelfDecider<'_>,
    found: &mut Found<'_>,
) -> ControlFlow<()> {
    pair.walk(scratch, limit, &mut |[faces, others]| {
        for &a in faces {
            for &b in others.iter().filter(|&&b| a < b) {
                if decider.accepts(FacePair { a, b }) {
                    found(FacePair { a, b })?;
                }
            }
        }
        ControlFlow::Continue(())
    })
}

/// The number of threads worth using for this many parts of a search of a body and itself.
fn threads_for(threads: Threads, parts: usize) -> usize {
    match threads {
        Threads::Pool if parts > SELF_PARTS => rayon::current_num_threads(),
        _ => 1,
    }
}

//! A tree over the faces of each of two meshes, of whatever kind, as a method.

use super::{
    FacePair, OpenPair, Search, Threads, brute,
    cache::Spot,
    distance::Least,
    faces::{Faces, Leaves},
    question::Question,
    timed::Meter,
    tree::{Front, WalkCounts},
};
use crate::{Bounds, Mesh, volume::Frame};
use rayon::prelude::*;
use std::{
    cell::LazyCell,
    collections::HashSet,
    ops::{ControlFlow, Deref},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// A tree over the faces of a mesh.
pub(super) trait Hierarchy: Send + Sync {
    /// Room for a walk and all that an interrupted one keeps, reused from query to query.
    type Scratch: Default + Send;

    /// Two trees where they stand.
    type Descent<'t>: Descent<Scratch = Self::Scratch>
    where
        Self: 't;

    /// Whether a walk can start where the last one ended.
    const HAS_FRONT: bool = false;

    /// The coordinates in which the tree is kept.
    fn frame(&self) -> &Frame;

    /// What it holds, in bytes.
    fn bytes(&self) -> usize;

    /// Whether a face may be in several leaves.
    fn repeats_faces(&self) -> bool;

    /// Prepares to go down two trees at once.
    fn stand<'t>(&'t self, other: &'t Self, question: &Question) -> Self::Descent<'t>;

    /// How many pairs of nodes an interrupted search has left open, and the largest of their
    /// overlaps in world units.
    fn left_open(&self, scratch: &Self::Scratch) -> (usize, f64);

    /// Visits what an interrupted search of these trees has left open.
    fn visit_open(
        &self,
        other: &Self,
        scratch: &Self::Scratch,
        visit: &mut dyn FnMut(OpenPair<'_>),
    );

    /// What the last walk did.
    fn counts(scratch: &Self::Scratch) -> WalkCounts;

    /// Where the last search found something, if that is of use for the next.
    fn found_at(_scratch: &Self::Scratch) -> Option<Spot> {
        None
    }
}

/// The ways down two trees at once, to the leaves that may be as close as asked. None of them leaves
/// out a pair of leaves that holds a pair of faces that are.
pub(super) trait Descent: Sync {
    /// As of the trees.
    type Scratch;
    /// A pair of nodes to go on from.
    type Piece: Copy + Send + Sync;

    /// Makes room for a walk, which has nowhere to go yet.
    fn begin(&self, scratch: &mut Self::Scratch);

    /// Where everything begins; nowhere if one of the trees is empty.
    fn roots(&self) -> Option<Self::Piece>;

    /// Adds a pair of nodes to go on from.
    fn push(&self, scratch: &mut Self::Scratch, piece: Self::Piece);

    /// Walks on until there is nowhere left to go, or about so many volumes have been tested, or
    /// `visit` says so.
    fn walk<B>(
        &self,
        scratch: &mut Self::Scratch,
        limit: u64,
        visit: impl FnMut([&[u32]; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// A walk that decides about the faces of the leaves, and gives those that are as close as asked
    /// to `found`. Kinds of trees that can tell of most faces by themselves do so here, and may have no
    /// need for `faces`.
    #[inline(always)]
    fn search<'f>(
        &self,
        scratch: &mut Self::Scratch,
        goal: Goal<'_>,
        faces: &LazyCell<Faces<'f>, impl FnOnce() -> Faces<'f>>,
        leaves: &mut Leaves,
        mut found: impl FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let faces: &Faces<'f> = faces;
        self.walk(scratch, goal.limit, |pair| {
            if goal.is_over.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            faces.close_pairs(leaves, pair, &mut found)
        })
    }

    /// Where a walk has yet to go, in about so many pieces or more, if there are as many.
    fn take_pieces(&self, scratch: &mut Self::Scratch, enough: usize) -> Vec<Self::Piece>;

    /// Looks first where another search, of whatever trees, has found something.
    fn look_first(&self, _scratch: &mut Self::Scratch, _spot: Spot) {}

    /// A walk that starts where the last one with this front ended, if there is such a thing.
    fn walk_from<B>(
        &self,
        _front: &mut Front,
        scratch: &mut Self::Scratch,
        visit: impl FnMut([&[u32]; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.begin(scratch);
        if let Some(roots) = self.roots() {
            self.push(scratch, roots);
        }
        self.walk(scratch, u64::MAX, visit)
    }

    /// Visits pairs of leaves, those that seem closer first, but for those that `can_skip` says can
    /// be left out, given a lower bound of their distance in world units. What it says may change:
    /// `goal` is the state that the closures share.
    fn near<G>(
        &self,
        scratch: &mut Self::Scratch,
        goal: &mut G,
        can_skip: impl Fn(&G, f64) -> bool,
        visit: impl FnMut(&mut G, [&[u32]; 2]),
    );

    /// Begins a search that can be interrupted.
    fn begin_open(&self, scratch: &mut Self::Scratch);

    /// Goes on with it until nothing is left open, which is returned, or the meter has run out, or
    /// `visit` has returned that it found something, unless all is wanted.
    fn advance(
        &self,
        scratch: &mut Self::Scratch,
        meter: &mut Meter,
        wants_all: bool,
        visit: impl FnMut([&[u32]; 2]) -> bool,
    ) -> bool;
}

/// What a search is for, and when it may end.
#[derive(Clone, Copy)]
pub(super) struct Goal<'q> {
    /// After about so many tests of volumes.
    pub(super) limit: u64,
    /// Whether any pair is as good as all.
    pub(super) wants_all: bool,
    /// Whether another thread has found what was asked for.
    pub(super) is_over: &'q AtomicBool,
}

/// A mesh and its tree, shared or lent.
type Body<'m, T> = (&'m Mesh, T);

/// Two meshes with a tree each.
struct HierarchySearch<'m, H: Hierarchy, T: Deref<Target = H>> {
    a: Body<'m, T>,
    b: Body<'m, T>,
    /// One for each thread that a query has used so far, and at least one.
    workers: Vec<Worker<H::Scratch>>,
    /// For bodies that no volumes can tell apart.
    brute: brute::Room,
    counts: WalkCounts,
}

/// Prepares to search two meshes with a tree each.
pub(super) fn search<'m, H: Hierarchy + 'static>(
    (mesh_a, tree_a): (&'m Mesh, &Arc<H>),
    (mesh_b, tree_b): (&'m Mesh, &Arc<H>),
) -> Box<dyn Search + 'm> {
    let (a, b) = ((mesh_a, Arc::clone(tree_a)), (mesh_b, Arc::clone(tree_b)));
    Box::new(HierarchySearch::new(a, b))
}

/// Room for searches of any trees of a kind, one pair of them after the other.
pub(super) struct Room<H: Hierarchy> {
    workers: Vec<Worker<H::Scratch>>,
    brute: brute::Room,
}

impl<H: Hierarchy> Default for Room<H> {
    fn default() -> Self {
        Self { workers: Vec::new(), brute: brute::Room::default() }
    }
}

impl<H: Hierarchy> Room<H> {
    /// Asks something about two meshes with a tree each, which need not be those of the last time.
    pub(super) fn search<R>(
        &mut self,
        a: (&Mesh, &H),
        b: (&Mesh, &H),
        ask: impl FnOnce(&mut dyn Search) -> R,
    ) -> R {
        let mut workers = std::mem::take(&mut self.workers);
        workers.resize_with(workers.len().max(1), Worker::default);
        let brute = std::mem::take(&mut self.brute);
        let mut search = HierarchySearch { a, b, workers, brute, counts: WalkCounts::default() };
        let answer = ask(&mut search);
        (self.workers, self.brute) = (search.workers, search.brute);
        answer
    }
}

/// What a thread needs for its part of a query, reused from query to query.
#[derive(Default)]
struct Worker<S> {
    scratch: S,
    leaves: Leaves,
    contacts: Vec<FacePair>,
}

/// A query that takes fewer tests than this is done before others could have helped.
const ALONE: u64 = 2_000;
/// In how many pieces for each thread a query is shared: many, so that the dear ones even out.
const PIECES: usize = 64;

/// World bounds that enclose each of two bodies where it stands.
#[inline]
fn placed_bounds<H: Hierarchy>(a: &H, b: &H, question: &Question) -> [Bounds; 2] {
    [a.frame().placed_bounds(&question.pose_a), b.frame().placed_bounds(&question.pose_b)]
}

/// World bounds that enclose two bodies where they stand; `None` if no faces of theirs can be as close
/// as asked.
///
/// Placed coordinates are finite for every pose, so this tells bodies apart at any distance. Trees do
/// not: beyond 1e38 times a body's size their coordinates overflow, and then they tell nothing apart.
#[inline]
fn bounds_if_near<H: Hierarchy>(a: &H, b: &H, question: &Question) -> Option<Bounds> {
    let [mut a, b] = placed_bounds(a, b, question);
    // A sum that is rounded to nearest keeps its order with the other side, which is an `f64`.
    let grow = question.growth();
    let is_near = Bounds { min: a.min - grow, max: a.max + grow }.overlaps(&b);
    a.merge(&b);
    is_near.then_some(a)
}

/// Whether placing moves vertices by so much that nearly all volumes of two bodies overlap.
///
/// A walk allows for at least seven times the sum of both roundings (see
/// [`Relative::new`](crate::volume::Relative::new)), which is a 36th of the larger body then. Far more
/// pairs of leaves overlap than faces do, up to all of them. Boxes of the placed faces have no slack.
#[inline]
fn is_blurred<H: Hierarchy>(a: &H, b: &H, question: &Question) -> bool {
    let (a, b) = (a.frame(), b.frame());
    let rounding = a.rounding(&question.pose_a) + b.rounding(&question.pose_b);
    256.0 * rounding > a.unit().max(b.unit())
}

impl<'m, H: Hierarchy, T: Deref<Target = H>> HierarchySearch<'m, H, T> {
    fn new(a: Body<'m, T>, b: Body<'m, T>) -> Self {
        let (workers, brute) = (vec![Worker::default()], brute::Room::default());
        Self { a, b, workers, brute, counts: WalkCounts::default() }
    }

    /// Whether a pair of faces may be found more than once.
    fn repeats(&self) -> bool {
        self.a.1.repeats_faces() || self.b.1.repeats_faces()
    }

    /// Whether the boxes of all placed faces are to be compared, as `brute` does, instead of a walk.
    fn needs_brute(&self, question: &Question) -> bool {
        let (a, b) = (&*self.a.1, &*self.b.1);
        is_blurred(a, b, question) && bounds_if_near(a, b, question).is_some()
    }

    /// Runs a query on the caller's thread, or if it takes longer, on each of the pool a part of it.
    /// What is found is given to `found`, with a list of the thread's own, until it says to stop. Returns
    /// where the search ended, if that is of use for the next.
    fn run(
        &mut self,
        question: &Question,
        threads: Threads,
        (wants_all, spot): (bool, Option<Spot>),
        found: impl Fn(&mut Vec<FacePair>, FacePair) -> ControlFlow<()> + Sync,
    ) -> Option<Spot> {
        let (a, b) = ((self.a.0, &*self.a.1), (self.b.0, &*self.b.1));
        self.counts = WalkCounts::default();
        let bounds = bounds_if_near(a.1, b.1, question)?;
        let descent = a.1.stand(b.1, question);
        let is_over = AtomicBool::new(false);
        let walk = |worker: &mut Worker<H::Scratch>, limit: u64| {
            let Worker { scratch, leaves, contacts } = worker;
            let faces = LazyCell::new(|| Faces::new([a.0, b.0], question, &bounds));
            let goal = Goal { limit, wants_all, is_over: &is_over };
            let walk = descent.search(scratch, goal, &faces, leaves, |pair| found(contacts, pair));
            if walk.is_break() {
                is_over.store(true, Ordering::Relaxed);
            }
        };

        let first = &mut self.workers[0];
        descent.begin(&mut first.scratch);
        if let Some(roots) = descent.roots() {
            descent.push(&mut first.scratch, roots);
        }
        if let Some(spot) = spot {
            descent.look_first(&mut first.scratch, spot);
        }
        walk(first, if threads == Threads::One { u64::MAX } else { ALONE });
        self.counts = H::counts(&first.scratch);
        if threads == Threads::One || is_over.load(Ordering::Relaxed) {
            return H::found_at(&first.scratch);
        }

        let parts = rayon::current_num_threads();
        let pieces = descent.take_pieces(&mut first.scratch, PIECES * parts);
        if !pieces.is_empty() {
            self.workers.resize_with(self.workers.len().max(parts), Worker::default);
            let next = AtomicUsize::new(0);
            self.workers[..parts].par_iter_mut().for_each(|worker| {
                descent.begin(&mut worker.scratch);
                while let Some(&piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                    descent.push(&mut worker.scratch, piece);
                    walk(worker, u64::MAX);
                }
            });
            let counts = self.workers[..parts].iter().map(|worker| H::counts(&worker.scratch));
            self.counts = counts.fold(self.counts, WalkCounts::plus);
        }
        H::found_at(&self.workers[0].scratch)
    }
}

impl<H: Hierarchy, T: Deref<Target = H> + Send> Search for HierarchySearch<'_, H, T> {
    fn any(
        &mut self,
        question: &Question,
        threads: Threads,
        spot: &mut Option<Spot>,
    ) -> Option<FacePair> {
        if self.needs_brute(question) {
            self.counts = WalkCounts::default();
            let any = |search: &mut dyn Search| search.any(question, threads, spot);
            return self.brute.search(self.a.0, self.b.0, any);
        }
        *spot = self.run(question, threads, (false, *spot), |found, pair| {
            found.push(pair);
            ControlFlow::Break(())
        });
        // Several threads may have found one at the same time.
        self.workers.iter_mut().fold(None, |any, worker| worker.contacts.pop().or(any))
    }

    fn collect(&mut self, question: &Question, threads: Threads, contacts: &mut Vec<FacePair>) {
        if self.needs_brute(question) {
            self.counts = WalkCounts::default();
            let collect = |search: &mut dyn Search| search.collect(question, threads, contacts);
            return self.brute.search(self.a.0, self.b.0, collect);
        }
        self.run(question, threads, (true, None), |found, pair| {
            found.push(pair);
            ControlFlow::Continue(())
        });
        for worker in &mut self.workers {
            contacts.append(&mut worker.contacts);
        }
        if self.repeats() {
            contacts.sort_unstable();
            contacts.dedup();
        }
    }

    fn visit(
        &mut self,
        question: &Question,
        front: Option<&mut Front>,
        visit: &mut dyn FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.needs_brute(question) {
            self.counts = WalkCounts::default();
            let all = |search: &mut dyn Search| search.visit(question, None, visit);
            return self.brute.search(self.a.0, self.b.0, all);
        }
        // Where a pair may be come upon again, those that were visited are remembered.
        let mut visited = self.repeats().then(HashSet::new);
        let Some(bounds) = bounds_if_near(&*self.a.1, &*self.b.1, question) else {
            self.counts = WalkCounts::default();
            return ControlFlow::Continue(());
        };
        let faces = LazyCell::new(|| Faces::new([self.a.0, self.b.0], question, &bounds));
        let descent = self.a.1.stand(&self.b.1, question);
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        let mut found = |pair| {
            let is_new = visited.as_mut().is_none_or(|visited| visited.insert(pair));
            if is_new { visit(pair) } else { ControlFlow::Continue(()) }
        };
        let result = match front.filter(|_| H::HAS_FRONT) {
            Some(front) => descent
                .walk_from(front, scratch, |pair| faces.close_pairs(leaves, pair, &mut found)),
            None => {
                descent.begin(scratch);
                if let Some(roots) = descent.roots() {
                    descent.push(scratch, roots);
                }
                let is_over = &AtomicBool::new(false);
                let goal = Goal { limit: u64::MAX, wants_all: true, is_over };
                descent.search(scratch, goal, &faces, leaves, found)
            }
        };
        self.counts = H::counts(scratch);
        result
    }

    fn near(&mut self, question: &Question, least: &mut Least) {
        let [mut bounds, other] = placed_bounds(&*self.a.1, &*self.b.1, question);
        bounds.merge(&other);
        let faces = Faces::new([self.a.0, self.b.0], question, &bounds);
        let descent = self.a.1.stand(&self.b.1, question);
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        descent.near(scratch, least, Least::can_skip, |least, pair| {
            let _ = faces.pairs(leaves, pair, |pair, s, t| {
                least.offer(pair, s, t);
                ControlFlow::<()>::Continue(())
            });
        });
        self.counts = H::counts(scratch);
    }

    fn begin(&mut self, question: &Question) {
        let descent = self.a.1.stand(&self.b.1, question);
        descent.begin_open(&mut self.workers[0].scratch);
    }

    fn advance(
        &mut self,
        question: &Question,
        meter: &mut Meter,
        wants_all: bool,
        contacts: &mut Vec<FacePair>,
    ) -> bool {
        let Some(bounds) = bounds_if_near(&*self.a.1, &*self.b.1, question) else {
            self.counts = WalkCounts::default();
            return true;
        };
        let faces = Faces::new([self.a.0, self.b.0], question, &bounds);
        let descent = self.a.1.stand(&self.b.1, question);
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        // Two leaves are looked at as a whole: none of their pairs is left for later.
        let is_over = descent.advance(scratch, meter, wants_all, |pair| {
            let before = contacts.len();
            let _ = faces.close_pairs(leaves, pair, |pair| {
                contacts.push(pair);
                ControlFlow::<()>::Continue(())
            });
            contacts.len() > before
        });
        self.counts = H::counts(scratch);
        is_over
    }

    fn left_open(&self) -> (usize, f64) {
        self.a.1.left_open(&self.workers[0].scratch)
    }

    fn visit_open(&self, visit: &mut dyn FnMut(OpenPair<'_>)) {
        self.a.1.visit_open(&self.b.1, &self.workers[0].scratch, visit);
    }

    fn counts(&self) -> WalkCounts {
        self.counts
    }

    fn index_bytes(&self) -> usize {
        let shared = std::ptr::eq(&*self.a.1, &*self.b.1);
        self.a.1.bytes() + if shared { 0 } else { self.b.1.bytes() }
    }
}

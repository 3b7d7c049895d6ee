//! A tree over each of two meshes, as a method.

use super::{
    BvTree, Front, Scratch, TreePair, WalkCounts,
    distance::NearStack,
    open::{self, OpenNodes},
};
use crate::{
    FacePair, Mesh, Threads,
    mid::{
        OpenPair, Search,
        distance::Least,
        question::{FaceTest, Question},
        timed::Meter,
    },
    narrow::Triangle,
    volume::{BoundingVolume, Relative},
};
use rayon::prelude::*;
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// A mesh and its tree.
type Body<'m, V> = (&'m Mesh, Arc<BvTree<V>>);

/// Two meshes with a tree each.
pub(crate) struct TreeSearch<'m, V: BoundingVolume> {
    a: Body<'m, V>,
    b: Body<'m, V>,
    /// One for each thread that a query has used so far, and at least one.
    workers: Vec<Worker<V>>,
    near: NearStack,
    /// What an interrupted search has left open.
    open: Vec<OpenNodes>,
    counts: WalkCounts,
}

/// What a thread needs for its part of a query, reused from query to query.
struct Worker<V: BoundingVolume> {
    scratch: Scratch<V>,
    leaves: Leaves,
    contacts: Vec<FacePair>,
}

/// The second leaf's faces as placed, while the first's are gone through.
#[derive(Default)]
struct Leaves {
    placed: Vec<(u32, Triangle)>,
}

impl<V: BoundingVolume> Default for Worker<V> {
    fn default() -> Self {
        Self { scratch: Scratch::default(), leaves: Leaves::default(), contacts: Vec::new() }
    }
}

/// Two bodies where they stand.
struct Stand<'q, V: BoundingVolume> {
    meshes: [&'q Mesh; 2],
    trees: TreePair<'q, V>,
    question: Question,
    test: FaceTest,
}

impl<'q, V: BoundingVolume> Stand<'q, V> {
    fn new(a: &'q Body<'_, V>, b: &'q Body<'_, V>, question: &Question) -> Self {
        let Question { pose_a, pose_b, tolerance } = question;
        let (frame_a, frame_b) = (a.1.frame(), b.1.frame());
        let mut bounds = frame_a.placed_bounds(pose_a);
        bounds.merge(&frame_b.placed_bounds(pose_b));
        let relative = Relative::new(frame_a, pose_a, frame_b, pose_b);
        Self {
            meshes: [a.0, b.0],
            trees: TreePair::new(&a.1, &b.1, &relative.buffered(frame_a, *tolerance)),
            question: *question,
            test: question.face_test(&bounds),
        }
    }

    /// Visits all pairs of faces of two leaves, as placed, until told to stop.
    #[inline(always)] // a tenth of a dense query's time
    fn face_pairs<B>(
        &self,
        leaves: &mut Leaves,
        faces_a: &[u32],
        faces_b: &[u32],
        mut visit: impl FnMut(FacePair, &Triangle, &Triangle) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Question { pose_a, pose_b, .. } = &self.question;
        let [mesh_a, mesh_b] = self.meshes;
        let placed = &mut leaves.placed;
        placed.clear();
        placed.extend(
            faces_b.iter().map(|&face| (face, mesh_b.triangle(face).map(|p| pose_b.place(p)))),
        );
        for &face in faces_a {
            let triangle = mesh_a.triangle(face).map(|corner| pose_a.place(corner));
            for (other, other_triangle) in placed.iter() {
                visit(FacePair { a: face, b: *other }, &triangle, other_triangle)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits those pairs of faces of two leaves that are as close as asked, until told to stop.
    #[inline(always)]
    fn close_pairs<B>(
        &self,
        leaves: &mut Leaves,
        faces_a: &[u32],
        faces_b: &[u32],
        mut visit: impl FnMut(FacePair) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.face_pairs(leaves, faces_a, faces_b, |pair, s, t| match self.test.accepts(s, t) {
            true => visit(pair),
            false => ControlFlow::Continue(()),
        })
    }
}

/// A query that takes fewer tests than this is done before others could have helped.
const ALONE: u64 = 2_000;
/// In how many pieces for each thread a query is shared: many, so that the dear ones even out.
const PIECES: usize = 64;

impl<'m, V: BoundingVolume> TreeSearch<'m, V> {
    pub(crate) fn new(a: Body<'m, V>, b: Body<'m, V>) -> Self {
        Self {
            a,
            b,
            workers: vec![Worker::default()],
            near: Vec::new(),
            open: Vec::new(),
            counts: WalkCounts::default(),
        }
    }

    /// Runs a query on the caller's thread, or if it takes longer, on each of the pool a part of it.
    /// What is found is given to `found`, with a list of the thread's own, until it says to stop;
    /// returns whether it has.
    fn run(
        &mut self,
        question: &Question,
        threads: Threads,
        found: impl Fn(&mut Vec<FacePair>, FacePair) -> ControlFlow<()> + Sync,
    ) -> bool {
        let stand = Stand::new(&self.a, &self.b, question);
        let is_over = AtomicBool::new(false);
        let walk = |worker: &mut Worker<V>, limit: u64| {
            let Worker { scratch, leaves, contacts } = worker;
            let walk = stand.trees.walk(scratch, limit, |faces_a, faces_b| {
                if is_over.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                stand.close_pairs(leaves, faces_a, faces_b, |pair| found(contacts, pair))
            });
            if walk.is_break() {
                is_over.store(true, Ordering::Relaxed);
            }
        };

        let limit = match threads {
            Threads::One => u64::MAX,
            Threads::Pool => ALONE,
        };
        let first = &mut self.workers[0];
        stand.trees.begin(&mut first.scratch);
        first.scratch.stack.extend(stand.trees.roots());
        walk(first, limit);
        self.counts = first.scratch.counts;

        if !is_over.load(Ordering::Relaxed) && !first.scratch.stack.is_empty() {
            let parts = rayon::current_num_threads();
            let mut pieces = std::mem::take(&mut first.scratch.stack);
            stand.trees.split_up(&mut pieces, PIECES * parts);
            self.workers.resize_with(self.workers.len().max(parts), Worker::default);
            let next = AtomicUsize::new(0);
            self.workers[..parts].par_iter_mut().for_each(|worker| {
                stand.trees.begin(&mut worker.scratch);
                while let Some(&piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                    worker.scratch.stack.push(piece);
                    walk(worker, u64::MAX);
                }
            });
            let counts = self.workers[..parts].iter().map(|worker| worker.scratch.counts);
            self.counts = counts.fold(self.counts, WalkCounts::plus);
        }
        is_over.into_inner()
    }
}

impl<V: BoundingVolume> Search for TreeSearch<'_, V> {
    fn intersects(&mut self, question: &Question, threads: Threads) -> bool {
        self.run(question, threads, |_, _| ControlFlow::Break(()))
    }

    fn collect(&mut self, question: &Question, threads: Threads, contacts: &mut Vec<FacePair>) {
        self.run(question, threads, |found, pair| {
            found.push(pair);
            ControlFlow::Continue(())
        });
        for worker in &mut self.workers {
            contacts.append(&mut worker.contacts);
        }
    }

    fn visit(
        &mut self,
        question: &Question,
        front: Option<&mut Front>,
        visit: &mut dyn FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let stand = Stand::new(&self.a, &self.b, question);
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        let at_leaves = |faces_a: &[u32], faces_b: &[u32]| {
            stand.close_pairs(leaves, faces_a, faces_b, &mut *visit)
        };
        let result = match front {
            None => stand.trees.visit_leaf_pairs(scratch, at_leaves),
            Some(front) => stand.trees.visit_leaf_pairs_from(front, scratch, at_leaves),
        };
        self.counts = scratch.counts;
        result
    }

    fn near(&mut self, question: &Question, least: &mut Least) {
        let stand = Stand::new(&self.a, &self.b, question);
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        let at_leaves = |least: &mut Least, faces_a: &[u32], faces_b: &[u32]| {
            let _ = stand.face_pairs(leaves, faces_a, faces_b, |pair, s, t| {
                least.offer(pair, s, t);
                ControlFlow::<()>::Continue(())
            });
        };
        let room = (&mut self.near, scratch);
        stand.trees.visit_near_leaf_pairs(room, least, Least::can_skip, at_leaves);
    }

    fn begin(&mut self, question: &Question) {
        let stand = Stand::new(&self.a, &self.b, question);
        stand.trees.begin_open(&mut self.workers[0].scratch, &mut self.open);
    }

    fn advance(
        &mut self,
        question: &Question,
        meter: &mut Meter,
        wants_all: bool,
        contacts: &mut Vec<FacePair>,
    ) -> bool {
        let stand = Stand::new(&self.a, &self.b, question);
        let Worker { scratch, leaves, .. } = &mut self.workers[0];
        // Two leaves are looked at as a whole: none of their pairs is left for later.
        stand.trees.advance(scratch, &mut self.open, meter, wants_all, |faces_a, faces_b| {
            let before = contacts.len();
            let _ = stand.close_pairs(leaves, faces_a, faces_b, |pair| {
                contacts.push(pair);
                ControlFlow::<()>::Continue(())
            });
            contacts.len() > before
        });
        self.counts = scratch.counts;
        self.open.is_empty()
    }

    fn visit_open(&self, visit: &mut dyn FnMut(OpenPair<'_>)) {
        for pair in &self.open {
            visit(open::described(&self.a.1, &self.b.1, pair));
        }
    }

    fn counts(&self) -> WalkCounts {
        self.counts
    }

    fn index_bytes(&self) -> usize {
        let shared = Arc::ptr_eq(&self.a.1, &self.b.1);
        self.a.1.bytes() + if shared { 0 } else { self.b.1.bytes() }
    }
}

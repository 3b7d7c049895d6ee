//! A tree over each of two meshes, as a method.

use super::{BuildOptions, BvTree, Scratch, WalkCounts, distance::NearStack, walk::ROOTS};
use crate::{
    FacePair, Mesh, Threads,
    mid::{Poses, Search, distance::Goal},
    narrow::{Triangle, TriangleTest},
    volume::{BoundingVolume, Relative},
};
use rayon::prelude::*;
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

/// Two meshes with a tree each.
pub(crate) struct TreeSearch<'m, V: BoundingVolume> {
    a: (&'m Mesh, BvTree<V>),
    b: (&'m Mesh, BvTree<V>),
    /// One for each thread that a query has used so far, and at least one.
    workers: Vec<Worker<V>>,
    near: NearStack,
    counts: WalkCounts,
}

/// What a thread needs for its part of a query, reused from query to query.
struct Worker<V: BoundingVolume> {
    scratch: Scratch<V>,
    /// The second leaf's faces as placed, while the first's are gone through.
    placed: Vec<(u32, Triangle)>,
    contacts: Vec<FacePair>,
}

impl<V: BoundingVolume> Default for Worker<V> {
    fn default() -> Self {
        Self { scratch: Scratch::default(), placed: Vec::new(), contacts: Vec::new() }
    }
}

/// Two bodies where they stand.
struct Query<'q, V: BoundingVolume> {
    a: &'q (&'q Mesh, BvTree<V>),
    b: &'q (&'q Mesh, BvTree<V>),
    poses: Poses,
    relative: Relative,
    test: TriangleTest,
    /// Set by whoever has found enough, for all that work on the query.
    is_over: AtomicBool,
}

impl<'q, V: BoundingVolume> Query<'q, V> {
    fn new(a: &'q (&'q Mesh, BvTree<V>), b: &'q (&'q Mesh, BvTree<V>), poses: &Poses) -> Self {
        let (frame_a, frame_b) = (a.1.frame(), b.1.frame());
        let mut bounds = frame_a.placed_bounds(&poses.a);
        bounds.merge(&frame_b.placed_bounds(&poses.b));
        Self {
            a,
            b,
            poses: *poses,
            relative: Relative::new(frame_a, &poses.a, frame_b, &poses.b),
            test: TriangleTest::within(&bounds),
            is_over: AtomicBool::new(false),
        }
    }

    /// Visits all pairs of faces of two leaves, as placed, until told to stop.
    #[inline(always)] // a tenth of a dense query's time
    fn face_pairs(
        &self,
        placed: &mut Vec<(u32, Triangle)>,
        faces_a: &[u32],
        faces_b: &[u32],
        mut visit: impl FnMut(FacePair, &Triangle, &Triangle) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Poses { a: pose_a, b: pose_b } = self.poses;
        placed.clear();
        placed.extend(
            faces_b.iter().map(|&face| (face, self.b.0.triangle(face).map(|p| pose_b.place(p)))),
        );
        for &face in faces_a {
            let triangle = self.a.0.triangle(face).map(|corner| pose_a.place(corner));
            for (other, other_triangle) in placed.iter() {
                visit(FacePair { a: face, b: *other }, &triangle, other_triangle)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Finds the faces that touch below some pairs of nodes and gives them to `found`, which says
    /// whether to go on; if not, the query is over for all who work on it.
    fn run(
        &self,
        worker: &mut Worker<V>,
        starts: &[[u32; 2]],
        mut found: impl FnMut(&mut Vec<FacePair>, FacePair) -> ControlFlow<()>,
    ) {
        let Worker { scratch, placed, contacts } = worker;
        let at_leaves = |faces_a: &[u32], faces_b: &[u32]| {
            if self.is_over.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            self.face_pairs(placed, faces_a, faces_b, |pair, s, t| {
                match self.test.intersects(s, t) {
                    true => found(contacts, pair),
                    false => ControlFlow::Continue(()),
                }
            })
        };
        let walk =
            self.a.1.visit_leaf_pairs_below(starts, &self.b.1, &self.relative, scratch, at_leaves);
        if walk.is_break() {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }
}

impl<'m, V: BoundingVolume> TreeSearch<'m, V> {
    pub(crate) fn new(a: &'m Mesh, b: &'m Mesh) -> Self {
        let indexed = |mesh| (mesh, BvTree::build(mesh, BuildOptions::default()));
        let workers = vec![Worker::default()];
        let counts = WalkCounts::default();
        Self { a: indexed(a), b: indexed(b), workers, near: Vec::new(), counts }
    }

    /// Runs a query on the caller's thread, or on each of the pool a part of it. What is found is
    /// left with the workers; returns whether `found` ended it.
    fn run(
        &mut self,
        poses: &Poses,
        threads: Threads,
        found: impl Fn(&mut Vec<FacePair>, FacePair) -> ControlFlow<()> + Sync,
    ) -> bool {
        let query = Query::new(&self.a, &self.b, poses);
        let used = match threads {
            Threads::One => {
                query.run(&mut self.workers[0], &[ROOTS], found);
                1
            }
            Threads::Pool => {
                let parts = rayon::current_num_threads();
                self.workers.resize_with(self.workers.len().max(parts), Worker::default);
                let dealt = self.a.1.dealt_out(&self.b.1, &query.relative, parts);
                let work = self.workers.par_iter_mut().zip(&dealt);
                work.for_each(|(worker, starts)| query.run(worker, starts, &found));
                parts
            }
        };
        let counts = self.workers[..used].iter().map(|worker| worker.scratch.counts);
        self.counts = counts.fold(WalkCounts::default(), WalkCounts::plus);
        query.is_over.into_inner()
    }
}

impl<V: BoundingVolume> Search for TreeSearch<'_, V> {
    fn intersects(&mut self, poses: &Poses, threads: Threads) -> bool {
        self.run(poses, threads, |_, _| ControlFlow::Break(()))
    }

    fn collect(&mut self, poses: &Poses, threads: Threads, contacts: &mut Vec<FacePair>) {
        self.run(poses, threads, |found, pair| {
            found.push(pair);
            ControlFlow::Continue(())
        });
        for worker in &mut self.workers {
            contacts.append(&mut worker.contacts);
        }
    }

    fn near(&mut self, poses: &Poses, goal: &mut Goal<'_>) {
        let query = Query::new(&self.a, &self.b, poses);
        let Worker { scratch, placed, .. } = &mut self.workers[0];
        let at_leaves = |goal: &mut Goal<'_>, faces_a: &[u32], faces_b: &[u32]| {
            query.face_pairs(placed, faces_a, faces_b, |pair, s, t| goal.offer(pair, s, t))
        };
        let (tree_a, tree_b) = (&self.a.1, &self.b.1);
        let room = (&mut self.near, scratch);
        let relative = &query.relative;
        tree_a.visit_near_leaf_pairs(tree_b, relative, room, goal, Goal::can_skip, at_leaves);
    }

    fn counts(&self) -> WalkCounts {
        self.counts
    }

    fn index_bytes(&self) -> usize {
        self.a.1.bytes() + self.b.1.bytes()
    }
}

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
        }
    }

    /// Visits all faces that touch, in the order of the walk, until told to stop.
    fn visit(
        &self,
        scratch: &mut Scratch<V>,
        placed: &mut Vec<(u32, Triangle)>,
        starts: &[[u32; 2]],
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let ((mesh_a, tree_a), (mesh_b, tree_b)) = (self.a, self.b);
        let at_leaves = |faces_a: &[u32], faces_b: &[u32]| {
            let place = |&face| (face, mesh_b.triangle(face).map(|p| self.poses.b.place(p)));
            placed.clear();
            placed.extend(faces_b.iter().map(place));
            for &face in faces_a {
                let triangle = mesh_a.triangle(face).map(|corner| self.poses.a.place(corner));
                for (other, other_triangle) in placed.iter() {
                    if self.test.intersects(&triangle, other_triangle) {
                        visit(FacePair { a: face, b: *other })?;
                    }
                }
            }
            ControlFlow::Continue(())
        };
        tree_a.visit_leaf_pairs_below(starts, tree_b, &self.relative, scratch, at_leaves)
    }

    /// Runs a query on all threads of the pool: each takes a part of the walk. Every worker's pairs
    /// are left with it.
    fn visit_on_pool(
        &self,
        workers: &mut Vec<Worker<V>>,
        visit: impl Fn(FacePair, &mut Vec<FacePair>) -> ControlFlow<()> + Sync,
    ) {
        let parts = rayon::current_num_threads();
        workers.resize_with(workers.len().max(parts), Worker::default);
        let dealt = self.a.1.dealt_out(&self.b.1, &self.relative, parts);
        workers.par_iter_mut().zip(&dealt).for_each(|(worker, starts)| {
            let Worker { scratch, placed, contacts } = worker;
            let _ = self.visit(scratch, placed, starts, |pair| visit(pair, contacts));
        });
    }
}

impl<'m, V: BoundingVolume> TreeSearch<'m, V> {
    pub(crate) fn new(a: &'m Mesh, b: &'m Mesh) -> Self {
        let indexed = |mesh| (mesh, BvTree::build(mesh, BuildOptions::default()));
        let workers = vec![Worker::default()];
        Self { a: indexed(a), b: indexed(b), workers, near: Vec::new() }
    }
}

impl<V: BoundingVolume> Search for TreeSearch<'_, V> {
    fn intersects(&mut self, poses: &Poses, threads: Threads) -> bool {
        let query = Query::new(&self.a, &self.b, poses);
        if threads == Threads::One {
            let Worker { scratch, placed, .. } = &mut self.workers[0];
            return query.visit(scratch, placed, &[ROOTS], |_| ControlFlow::Break(())).is_break();
        }
        let found = AtomicBool::new(false);
        query.visit_on_pool(&mut self.workers, |_, _| {
            found.store(true, Ordering::Relaxed);
            ControlFlow::Break(())
        });
        found.into_inner()
    }

    fn collect(&mut self, poses: &Poses, threads: Threads, contacts: &mut Vec<FacePair>) {
        let query = Query::new(&self.a, &self.b, poses);
        if threads == Threads::One {
            let Worker { scratch, placed, .. } = &mut self.workers[0];
            let _ = query.visit(scratch, placed, &[ROOTS], |pair| {
                contacts.push(pair);
                ControlFlow::Continue(())
            });
            return;
        }
        query.visit_on_pool(&mut self.workers, |pair, found| {
            found.push(pair);
            ControlFlow::Continue(())
        });
        for worker in &mut self.workers {
            contacts.append(&mut worker.contacts);
        }
    }

    fn near(&mut self, poses: &Poses, goal: &mut Goal<'_>) {
        let Self { a: (mesh_a, tree_a), b: (mesh_b, tree_b), workers, near } = self;
        let Worker { scratch, placed, .. } = &mut workers[0];
        let relative = Relative::new(tree_a.frame(), &poses.a, tree_b.frame(), &poses.b);
        let visit =
            |goal: &mut Goal<'_>, faces_a: &[u32], faces_b: &[u32]| {
                placed.clear();
                placed.extend(faces_b.iter().map(|&face| {
                    (face, mesh_b.triangle(face).map(|corner| poses.b.place(corner)))
                }));
                for &face in faces_a {
                    let triangle = mesh_a.triangle(face).map(|corner| poses.a.place(corner));
                    for (other, other_triangle) in placed.iter() {
                        goal.offer(FacePair { a: face, b: *other }, &triangle, other_triangle)?;
                    }
                }
                ControlFlow::Continue(())
            };
        let room = (near, scratch);
        tree_a.visit_near_leaf_pairs(tree_b, &relative, room, goal, Goal::can_skip, visit);
    }

    fn counts(&self) -> WalkCounts {
        self.workers[0].scratch.counts
    }

    fn index_bytes(&self) -> usize {
        self.a.1.bytes() + self.b.1.bytes()
    }
}

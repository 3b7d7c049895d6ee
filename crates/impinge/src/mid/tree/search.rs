//! A tree over each of two meshes, as a method.

use super::{BuildOptions, BvTree, Scratch, WalkCounts, distance::NearStack};
use crate::{
    FacePair, Mesh, Threads,
    mid::{Poses, Search, distance::Goal},
    narrow::{Triangle, TriangleTest},
    volume::{BoundingVolume, Relative},
};
use std::ops::ControlFlow;

/// Two meshes with a tree each.
pub(crate) struct TreeSearch<'m, V: BoundingVolume> {
    a: (&'m Mesh, BvTree<V>),
    b: (&'m Mesh, BvTree<V>),
    scratch: Scratch<V>,
    /// The second leaf's faces as placed, while the first's are gone through.
    placed: Vec<(u32, Triangle)>,
    near: NearStack,
}

impl<'m, V: BoundingVolume> TreeSearch<'m, V> {
    pub(crate) fn new(a: &'m Mesh, b: &'m Mesh) -> Self {
        let indexed = |mesh| (mesh, BvTree::build(mesh, BuildOptions::default()));
        let (placed, near) = (Vec::new(), Vec::new());
        Self { a: indexed(a), b: indexed(b), scratch: Scratch::default(), placed, near }
    }

    /// Visits all faces that touch, in the order of the walk, until told to stop.
    fn visit(
        &mut self,
        poses: &Poses,
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { a: (mesh_a, tree_a), b: (mesh_b, tree_b), scratch, placed, .. } = self;
        let relative = Relative::new(tree_a.frame(), &poses.a, tree_b.frame(), &poses.b);
        let mut bounds = tree_a.frame().placed_bounds(&poses.a);
        bounds.merge(&tree_b.frame().placed_bounds(&poses.b));
        let test = TriangleTest::within(&bounds);
        tree_a.visit_leaf_pairs(tree_b, &relative, scratch, |faces_a, faces_b| {
            placed.clear();
            placed.extend(
                faces_b
                    .iter()
                    .map(|&face| (face, mesh_b.triangle(face).map(|corner| poses.b.place(corner)))),
            );
            for &face in faces_a {
                let triangle = mesh_a.triangle(face).map(|corner| poses.a.place(corner));
                for (other, other_triangle) in placed.iter() {
                    if test.intersects(&triangle, other_triangle) {
                        visit(FacePair { a: face, b: *other })?;
                    }
                }
            }
            ControlFlow::Continue(())
        })
    }
}

impl<V: BoundingVolume> Search for TreeSearch<'_, V> {
    fn intersects(&mut self, poses: &Poses, _threads: Threads) -> bool {
        self.visit(poses, |_| ControlFlow::Break(())).is_break()
    }

    fn collect(&mut self, poses: &Poses, _threads: Threads, contacts: &mut Vec<FacePair>) {
        let _ = self.visit(poses, |pair| {
            contacts.push(pair);
            ControlFlow::Continue(())
        });
    }

    fn near(&mut self, poses: &Poses, goal: &mut Goal<'_>) {
        let Self { a: (mesh_a, tree_a), b: (mesh_b, tree_b), scratch, placed, near } = self;
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
        self.scratch.counts
    }

    fn index_bytes(&self) -> usize {
        self.a.1.bytes() + self.b.1.bytes()
    }
}

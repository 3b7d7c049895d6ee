//! The traversal of two trees, down to the leaves that may touch. Contact queries call it through
//! [`Walk`].

use super::{
    BvTree,
    nearest::NearStack,
    tumbling::{Outlines, TumblingScratch},
};
use crate::{
    method::{
        Front, WalkCounts, WalkOrder,
        hierarchy::{LeafVisitor, Walk, WalkScratch},
        resumable::Ranked,
    },
    volume::{BoundingVolume, Relative},
};
use std::ops::ControlFlow;

/// Scratch memory for a traversal, reused from query to query. A warm query allocates nothing.
#[derive(Debug)]
pub struct Scratch<V: BoundingVolume> {
    pub(super) stack: Vec<[u32; 2]>,
    pub(super) placed: Placed<V>,
    /// Pairs of nodes that a distance query must still visit.
    pub(super) near: NearStack,
    /// Pairs of nodes that an interrupted query has left to visit.
    pub(super) open: Vec<Ranked<[u32; 2]>>,
    /// The work done by the last traversal.
    pub counts: WalkCounts,
}

/// The volumes of the second tree in the frame of the first, each placed on first use.
#[derive(Debug)]
pub(super) struct Placed<V: BoundingVolume> {
    volumes: Vec<Option<V::Placed>>,
    /// The nodes placed in this traversal, to be cleared before the next.
    known: Vec<u32>,
    /// For trees that place nodes by hulls or vertices.
    tumbling: TumblingScratch,
}

impl<V: BoundingVolume> Default for Scratch<V> {
    fn default() -> Self {
        Self {
            stack: Vec::new(),
            placed: Placed {
                volumes: Vec::new(),
                known: Vec::new(),
                tumbling: TumblingScratch::default(),
            },
            near: Vec::new(),
            open: Vec::new(),
            counts: WalkCounts::default(),
        }
    }
}

impl<V: BoundingVolume> Placed<V> {
    fn reset(&mut self, pair: &TreePair<'_, V>) {
        for node in self.known.drain(..) {
            if let Some(volume) = self.volumes.get_mut(node as usize) {
                *volume = None;
            }
        }
        self.volumes.resize(pair.b.nodes.len(), None);
        if let Some(outlines) = pair.outlines() {
            self.tumbling.reset::<V>(outlines, &pair.relative);
        }
    }

    /// The placed volume of a node of the second tree.
    #[inline]
    pub(super) fn get(&mut self, node: u32, pair: &TreePair<'_, V>) -> V::Placed {
        *self.volumes[node as usize].get_or_insert_with(|| {
            self.known.push(node);
            pair.outlines()
                .and_then(|outlines| outlines.placed::<V>(node, &mut self.tumbling))
                .unwrap_or_else(|| pair.b.nodes[node as usize].volume.placed(&pair.placement))
        })
    }

    /// The number of volumes placed in this traversal.
    pub(super) fn count(&self) -> u64 {
        self.known.len() as u64
    }
}

/// Two trees and their relative pose: the input of a traversal.
#[derive(Debug)]
pub struct TreePair<'t, V: BoundingVolume> {
    pub(super) a: &'t BvTree<V>,
    pub(super) b: &'t BvTree<V>,
    placement: V::Placement,
    relative: Relative,
    /// The length of the unit of `b` in the frame of `a`.
    scale: f32,
    order: WalkOrder,
}

impl<V: BoundingVolume> BvTree<V> {
    /// Visits every pair of leaves whose volumes overlap, as lists of faces, until `visit` stops
    /// the traversal. Same as [`TreePair::visit_leaf_pairs`].
    pub fn visit_leaf_pairs(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut Scratch<V>,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        TreePair::new(self, other, relative).visit_leaf_pairs(scratch, visit)
    }
}

impl<'t, V: BoundingVolume> TreePair<'t, V> {
    /// Pairs two trees. `relative` is the pose of the second relative to the first.
    pub fn new(a: &'t BvTree<V>, b: &'t BvTree<V>, relative: &Relative) -> Self {
        let (placement, scale) = (V::placement(relative), relative.scale());
        Self { a, b, placement, relative: *relative, scale, order: WalkOrder::default() }
    }

    /// The hulls and vertices by which nodes of the second tree are placed. If it is not turned, its volumes are as tight.
    fn outlines(&self) -> Option<&'t Outlines> {
        let outlines = self.b.outlines.as_deref();
        outlines.filter(|_| !self.relative.is_translation)
    }

    /// Sets which node of a pair is split.
    #[must_use]
    pub fn order(mut self, order: WalkOrder) -> Self {
        self.order = order;
        self
    }

    /// Visits every pair of leaves whose volumes overlap, as lists of faces, until `visit` stops
    /// the traversal.
    ///
    /// It misses no pair of touching faces: it prunes a pair of leaves only if their volumes, or
    /// those of nodes above them, are proved apart.
    pub fn visit_leaf_pairs(
        &self,
        scratch: &mut Scratch<V>,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.begin_at_roots(scratch);
        self.walk(scratch, u64::MAX, visit)
    }

    /// Clears the scratch memory for a new traversal.
    pub(super) fn reset(&self, scratch: &mut Scratch<V>) {
        scratch.stack.clear();
        scratch.counts = WalkCounts::default();
        scratch.placed.reset(self);
    }

    /// Splits pairs of nodes, level by level, until there are `enough` of them or only leaves are
    /// left.
    fn split_up(&self, placed: &mut Placed<V>, pairs: &mut Vec<[u32; 2]>, enough: usize) {
        let mut may_touch =
            |[i, j]: &[u32; 2]| self.a.nodes[*i as usize].volume.overlaps(&placed.get(*j, self));
        while !pairs.is_empty() && pairs.len() < enough {
            if !pairs.iter().any(|pair| self.children(*pair).is_some()) {
                break;
            }
            let next = pairs.iter().filter(|pair| may_touch(pair)).flat_map(|pair| {
                // Two leaves stay as they are until the others have come as far.
                let (first, second) =
                    self.children(*pair).map_or((*pair, None), |[p, q]| (p, Some(q)));
                [first].into_iter().chain(second)
            });
            *pairs = next.collect();
        }
    }

    /// The pairs of children of a pair of nodes, in the order to visit them; `None` for two leaves.
    #[inline]
    pub(super) fn children(&self, [i, j]: [u32; 2]) -> Option<[[u32; 2]; 2]> {
        let (a, b) = (&self.a.nodes[i as usize], &self.b.nodes[j as usize]);
        let split_a = match (a.is_leaf(), b.is_leaf()) {
            (true, true) => return None,
            (false, true) => true,
            (true, false) => false,
            (false, false) => match self.order {
                WalkOrder::Larger => a.volume.size() >= b.volume.size() * self.scale,
                WalkOrder::First | WalkOrder::Restart => true,
            },
        };
        Some(match split_a {
            true => [[a.first, j], [a.first + 1, j]],
            false => [[i, b.first], [i, b.first + 1]],
        })
    }
}

impl<V: BoundingVolume> WalkScratch for Scratch<V> {
    fn counts(&self) -> WalkCounts {
        self.counts
    }
}

impl<V: BoundingVolume> Walk for TreePair<'_, V> {
    type Scratch = Scratch<V>;
    type Piece = [u32; 2];

    fn begin(&self, scratch: &mut Scratch<V>) {
        self.reset(scratch);
    }

    fn roots(&self) -> Option<[u32; 2]> {
        (!self.a.nodes.is_empty() && !self.b.nodes.is_empty()).then_some([0, 0])
    }

    fn push(&self, scratch: &mut Scratch<V>, piece: [u32; 2]) {
        scratch.stack.push(piece);
    }

    fn walk(
        &self,
        scratch: &mut Scratch<V>,
        limit: u64,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        let Scratch { stack, placed, counts, .. } = scratch;
        let mut result = ControlFlow::Continue(());
        // The height of the stack before the current node of `b` started at the root of `a`. Unknown in a
        // piece of a traversal that began below the root of `a`: a restart would leave the piece there.
        let mut base = None;
        while counts.volume_tests < limit
            && let Some(pair) = stack.pop()
        {
            let [i, j] = pair;
            let (a, b) = (&self.a.nodes[i as usize], &self.b.nodes[j as usize]);
            if i == 0 {
                base = Some(stack.len());
            }
            counts.volume_tests += 1;
            if !a.volume.overlaps(&placed.get(j, self)) {
                continue;
            }
            if self.order == WalkOrder::Restart
                && a.is_leaf()
                && !b.is_leaf()
                && let Some(base) = base
            {
                stack.truncate(base);
                stack.extend([[0, b.first + 1], [0, b.first]]);
                continue;
            }
            match self.children(pair) {
                Some([first, second]) => stack.extend([second, first]),
                None => {
                    counts.face_tests += u64::from(a.count) * u64::from(b.count);
                    result = visit([self.a.faces_of(a), self.b.faces_of(b)]);
                    if result.is_break() {
                        break;
                    }
                }
            }
        }
        counts.placed = placed.count();
        result
    }

    fn take_pieces(&self, scratch: &mut Scratch<V>, enough: usize) -> Vec<[u32; 2]> {
        let mut pieces = std::mem::take(&mut scratch.stack);
        self.split_up(&mut scratch.placed, &mut pieces, enough);
        pieces
    }

    fn walk_from(
        &self,
        front: &mut Front,
        scratch: &mut Scratch<V>,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.visit_leaf_pairs_from(front, scratch, visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh, Pose, generate,
        method::tree::BuildOptions,
        volume::{Aabb, Dop, Obb, Sphere},
    };
    use std::collections::HashSet;

    /// The pairs of leaves that a traversal visits, by their first faces. Fails if it visits one
    /// twice.
    fn visited<V: BoundingVolume>(
        trees: [&BvTree<V>; 2],
        pose: &Pose,
        order: WalkOrder,
    ) -> (HashSet<[u32; 2]>, WalkCounts) {
        let [a, b] = trees;
        let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
        let mut scratch = Scratch::default();
        let mut leaves = HashSet::new();
        let pair = TreePair::new(a, b, &relative).order(order);
        let _ = pair.visit_leaf_pairs(&mut scratch, &mut |[faces_a, faces_b]| {
            assert!(leaves.insert([faces_a[0], faces_b[0]]), "{order:?} visits a pair twice");
            ControlFlow::Continue(())
        });
        (leaves, scratch.counts)
    }

    fn check<V: BoundingVolume>(a: &Mesh, b: &Mesh) {
        let [a, b] = [a, b].map(|mesh| BvTree::<V>::build(mesh, BuildOptions::default()));
        let mut tests = [0, 0, 0];
        for (step, pose) in generate::tumble(0.7, 30).unwrap().iter().enumerate() {
            let orders = [WalkOrder::Larger, WalkOrder::First, WalkOrder::Restart];
            let walks = orders.map(|order| visited([&a, &b], pose, order));
            for (i, (leaves, counts)) in walks.iter().enumerate() {
                // Volumes that lie within their parents' prune the same pairs of leaves in any
                // order.
                assert_eq!(*leaves, walks[0].0, "{:?}, step {step}", orders[i]);
                tests[i] += counts.volume_tests;
            }
        }
        assert!(
            tests[0] != tests[1] && tests[1] != tests[2],
            "the orders do not differ: {tests:?}"
        );
    }

    #[test]
    fn every_order_visits_the_same_leaves_once() {
        let torus = generate::deformed_torus(1, [60, 20]).unwrap();
        check::<Aabb>(&torus, &generate::chair());
        check::<Dop<9>>(&generate::chair(), &torus);
    }

    /// Other volumes may differ in what an ancestor prunes, but not in the contacts.
    #[test]
    fn every_order_visits_the_leaves_that_touch() {
        fn check<V: BoundingVolume>() {
            let ball = generate::sphere(80).unwrap();
            let tree = BvTree::<V>::build(&ball, BuildOptions::default().leaf(1));
            let pose = Pose::IDENTITY;
            for order in [WalkOrder::Larger, WalkOrder::First, WalkOrder::Restart] {
                let (leaves, _) = visited([&tree, &tree], &pose, order);
                for face in 0..80 {
                    assert!(leaves.contains(&[face, face]), "{order:?}: face {face}");
                }
            }
        }
        check::<Obb>();
        check::<Sphere>();
    }
}

//! A traversal that starts from a [`Front`]: where the last one ended. Queries with a cache use it.

use super::{Scratch, TreePair};
use crate::{
    method::{
        front::{Front, NodePair},
        hierarchy::LeafVisitor,
    },
    volume::BoundingVolume,
};
use std::ops::ControlFlow;

impl<V: BoundingVolume> TreePair<'_, V> {
    /// Like [`visit_leaf_pairs`](Self::visit_leaf_pairs), but starts from a front and updates it.
    /// Visits all pairs of leaves that may touch, with fewer tests if the bodies have moved little.
    ///
    /// Volumes that lie within their parents' (boxes, DOPs) give the same pairs as from the roots.
    /// Others (spheres, oriented boxes) may give some more, which an ancestor would have pruned.
    pub fn visit_leaf_pairs_from(
        &self,
        front: &mut Front,
        scratch: &mut Scratch<V>,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.reset(scratch);
        if self.a.nodes.is_empty() || self.b.nodes.is_empty() {
            return ControlFlow::Continue(());
        }
        let may_rise = front.begin([self.a.id, self.b.id]);
        let (nodes_a, nodes_b) = (&self.a.nodes, &self.b.nodes);
        let mut are_apart = |[i, j]: [u32; 2]| {
            scratch.counts.volume_tests += 1;
            let placed = scratch.placed.get(j, self);
            !nodes_a[i as usize].volume.overlaps(&placed)
        };

        let mut result = ControlFlow::Continue(());
        let mut face_tests = 0;
        let old = std::mem::take(&mut front.front);
        let mut next = std::mem::take(&mut front.next);
        next.clear();
        let mut rest = old.iter();
        'front: for &start in rest.by_ref() {
            let stack = &mut scratch.stack;
            stack.clear();
            stack.push([start, 0]);
            while let Some([place, _]) = stack.pop() {
                let NodePair { nodes, .. } = front.pairs[place as usize];
                let is_apart = are_apart(nodes);
                front.pairs[place as usize].is_apart = is_apart;
                if is_apart {
                    next.push(place);
                    if may_rise {
                        front.rise(&mut next, &mut are_apart);
                    }
                    continue;
                }
                let (a, b) = (&nodes_a[nodes[0] as usize], &nodes_b[nodes[1] as usize]);
                if let Some(children) = self.children(nodes) {
                    let first = front.add_children(place, children);
                    stack.extend([[first + 1, 0], [first, 0]]);
                    continue;
                }
                next.push(place);
                face_tests += u64::from(a.count) * u64::from(b.count);
                result = visit([self.a.faces_of(a), self.b.faces_of(b)]);
                if result.is_break() {
                    // Pairs that were added but not visited yet stay on the front.
                    next.extend(stack.drain(..).rev().map(|[place, _]| place));
                    break 'front;
                }
            }
        }
        next.extend(rest);
        front.front = next;
        front.next = old;
        scratch.counts.face_tests = face_tests;
        scratch.counts.placed = scratch.placed.count();
        front.end(scratch.counts.volume_tests, may_rise, result.is_continue());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh, Pose, generate,
        method::{
            front::RISE_EVERY,
            tree::{BuildOptions, BvTree},
        },
        narrow::triangles_intersect,
        volume::{Aabb, Dop, Obb, Relative},
    };
    use glam::DVec3;

    /// Compares the contacts found from the roots and from a front. Returns the tests that each
    /// took.
    fn check<V: BoundingVolume>(
        meshes: [&Mesh; 2],
        trees: [&BvTree<V>; 2],
        front: &mut Front,
        pose: &Pose,
        label: &str,
    ) -> [u64; 2] {
        let [a, b] = trees;
        let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), pose);
        let touching = |faces_a: &[u32], faces_b: &[u32], pairs: &mut Vec<[u32; 2]>| {
            for &f in faces_a {
                for &g in faces_b {
                    let placed = pose.place_triangle(meshes[1].triangle(g));
                    if triangles_intersect(&meshes[0].triangle(f), &placed) {
                        pairs.push([f, g]);
                    }
                }
            }
            ControlFlow::Continue(())
        };
        let mut scratch = Scratch::default();
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let _ = a.visit_leaf_pairs(b, &relative, &mut scratch, &mut |[s, t]| {
            touching(s, t, &mut expected)
        });
        let plain = scratch.counts.volume_tests;
        let pair = TreePair::new(a, b, &relative);
        let _ = pair
            .visit_leaf_pairs_from(front, &mut scratch, &mut |[s, t]| touching(s, t, &mut found));
        expected.sort_unstable();
        found.sort_unstable();
        assert!(found == expected, "{label}: {} of {}", found.len(), expected.len());
        [plain, scratch.counts.volume_tests]
    }

    fn tumble<V: BoundingVolume>() {
        let torus = generate::deformed_torus(1, [60, 20]).unwrap();
        let chair = generate::chair();
        let tree = |mesh| BvTree::<V>::build(mesh, BuildOptions::default());
        let (a, b, c) = (tree(&torus), tree(&torus), tree(&chair));
        let mut front = Front::new();
        let mut tests = [0, 0];
        for (step, pose) in generate::tumble(0.7, 400).unwrap().iter().enumerate() {
            let [plain, tracked] =
                check([&torus; 2], [&a, &b], &mut front, pose, &format!("step {step}"));
            tests[0] += plain;
            tests[1] += tracked;
        }
        assert!(tests[1] * 10 < tests[0] * 9, "the front saves too little: {tests:?}");

        // Far away, the front rises to the roots within a few queries.
        let away = Pose::from_translation(DVec3::splat(1e3)).unwrap();
        for query in 0..RISE_EVERY {
            check([&torus; 2], [&a, &b], &mut front, &away, &format!("away, {query}"));
        }
        assert_eq!(front.len(), 1);

        // Jumps, other bodies, and queries that stop early.
        for seed in 0..20 {
            let mut random = generate::Random::new(seed);
            let pose = Pose::new(random.rotation(), random.direction()).unwrap();
            let relative = Relative::new(a.frame(), &Pose::IDENTITY, b.frame(), &pose);
            let mut scratch = Scratch::default();
            let pair = TreePair::new(&a, &b, &relative);
            let _ = pair
                .visit_leaf_pairs_from(&mut front, &mut scratch, &mut |_| ControlFlow::Break(()));
            check([&torus; 2], [&a, &b], &mut front, &pose, &format!("jump {seed}"));
            check([&torus, &chair], [&a, &c], &mut front, &pose, &format!("another body, {seed}"));
        }
    }

    #[test]
    fn boxes_find_the_same_from_a_front() {
        tumble::<Aabb>();
    }

    #[test]
    fn oriented_boxes_find_the_same_from_a_front() {
        tumble::<Obb>();
    }

    #[test]
    fn dops_find_the_same_from_a_front() {
        tumble::<Dop<9>>();
    }
}

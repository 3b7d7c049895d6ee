//! Front tracking (Klosowski 1998, ch. 6): starting a walk where the last one ended.
//!
//! The pairs of nodes that a walk tests form a tree themselves. The pairs at which it ended, pruned
//! or at two leaves, are its *front*. When bodies move little from one query to the next, the front
//! moves little too: testing the pairs on it, instead of everything from the roots down to them,
//! saves up to half of the tests. Where a pair on the front has come to overlap, the front drops to
//! its children; where both of two siblings are apart, it rises to their parent, if that is apart.
//!
//! The front covers all pairs of leaves at any time: dropping and rising replace pairs by others that
//! cover the same. So it does not matter how far the bodies have moved, only how much is saved. Where
//! they move so far that nothing is, queries start at the roots for a while.

use super::{Scratch, TreePair};
use crate::volume::BoundingVolume;
use std::ops::ControlFlow;

/// What a caller keeps between the queries of one pair of trees.
///
/// Belongs to the two trees it was last used with. Given others, it starts anew at their roots, so
/// that it is safe to keep whatever happens to the bodies.
#[derive(Debug, Default)]
pub struct Front {
    /// The trees it belongs to.
    trees: Option<[u64; 2]>,
    /// Pairs of nodes: the root at 0, then siblings side by side at odd and even places.
    pairs: Vec<NodePair>,
    /// First places of siblings that are no longer in use.
    free: Vec<u32>,
    /// The pairs on the front, in the order of a walk.
    front: Vec<u32>,
    next: Vec<u32>,
    /// How many queries it is until the front is looked at from above.
    until_rise: u32,
    /// How long the front was when that was last done.
    length: usize,
    /// How many queries are to start at the roots.
    from_roots: u32,
    /// How many the last such spell had.
    spell: u32,
}

#[derive(Clone, Copy, Debug)]
struct NodePair {
    nodes: [u32; 2],
    parent: u32,
    /// Whether the last test proved the volumes apart.
    is_apart: bool,
}

const ROOT: u32 = 0;

/// To see whether the front can rise takes a test of its own, mostly in vain: so not every time.
const RISE_EVERY: u32 = 4;
/// The longest spell of queries from the roots before the front gets another chance.
const LONGEST_SPELL: u32 = 64;

impl Front {
    /// An empty front, which the first query fills.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many pairs are on the front.
    pub fn len(&self) -> usize {
        self.front.len()
    }

    /// Whether no query has filled it yet.
    pub fn is_empty(&self) -> bool {
        self.front.is_empty()
    }

    /// Prepares for a query and returns whether the front may rise in it.
    fn begin(&mut self, trees: [u64; 2]) -> bool {
        if self.trees != Some(trees) {
            self.trees = Some(trees);
            (self.from_roots, self.spell) = (1, 0);
        }
        if self.from_roots > 0 {
            self.from_roots -= 1;
            self.free.clear();
            self.pairs.clear();
            self.front.clear();
            self.pairs.push(NodePair { nodes: [0, 0], parent: ROOT, is_apart: false });
            self.front.push(ROOT);
            self.until_rise = RISE_EVERY;
            return false;
        }
        self.until_rise = self.until_rise.saturating_sub(1);
        self.until_rise == 0
    }

    /// Looks at what a query took.
    fn end(&mut self, tests: u64, has_risen: bool, is_whole: bool) {
        if has_risen && is_whole {
            self.until_rise = RISE_EVERY;
            self.length = self.front.len();
            // From the roots it takes one test less than twice the pairs on a front that is as high
            // as can be.
            if tests > 2 * self.front.len() as u64 {
                self.spell = (2 * self.spell).clamp(1, LONGEST_SPELL);
                self.from_roots = self.spell;
            } else {
                self.spell /= 2;
            }
        } else if self.pairs.len() > 1 && 2 * self.front.len() > 3 * self.length.max(1) {
            // It has grown: time to look whether all of it is needed.
            self.until_rise = 1;
        }
    }

    /// Two places side by side for the children of a pair.
    fn add_children(&mut self, parent: u32, children: [[u32; 2]; 2]) -> u32 {
        let [first, second] = children.map(|nodes| NodePair { nodes, parent, is_apart: false });
        match self.free.pop() {
            Some(place) => {
                self.pairs[place as usize] = first;
                self.pairs[place as usize + 1] = second;
                place
            }
            None => {
                let place = self.pairs.len() as u32;
                self.pairs.extend([first, second]);
                place
            }
        }
    }
}

impl<V: BoundingVolume> TreePair<'_, V> {
    /// [`visit_leaf_pairs`](Self::visit_leaf_pairs) from a front on, which is brought up to date:
    /// all pairs of leaves that may touch, with fewer tests where the bodies have moved little.
    ///
    /// Volumes that lie within their parents' (boxes, DOPs) give the same pairs as from the roots.
    /// Others (spheres, oriented boxes) may give some more, which an ancestor would have ruled out.
    pub fn visit_leaf_pairs_from<B>(
        &self,
        front: &mut Front,
        scratch: &mut Scratch<V>,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk_from(front, scratch, |[faces_a, faces_b]| visit(faces_a, faces_b))
    }

    pub(super) fn walk_from<B>(
        &self,
        front: &mut Front,
        scratch: &mut Scratch<V>,
        mut visit: impl FnMut([&[u32]; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.begin(scratch);
        if self.roots().is_none() {
            return ControlFlow::Continue(());
        }
        let may_rise = front.begin([self.a.id, self.b.id]);
        let (nodes_a, nodes_b) = (&self.a.nodes, &self.b.nodes);
        let mut are_apart = |[i, j]: [u32; 2]| {
            scratch.counts.volume_tests += 1;
            let placed = scratch.placed.get(j, &nodes_b[j as usize], &self.placement);
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
                    // What was dropped to but not looked at yet stays on the front as it is.
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

impl Front {
    /// Replaces siblings at the end of the front by their parent, as long as all are apart.
    fn rise(&mut self, front: &mut Vec<u32>, are_apart: &mut impl FnMut([u32; 2]) -> bool) {
        while let [.., first, second] = front[..] {
            // Siblings are at places 2n − 1 and 2n.
            let are_siblings = first % 2 == 1 && second == first + 1;
            if !are_siblings || !self.pairs[first as usize].is_apart {
                return;
            }
            let parent = self.pairs[first as usize].parent;
            if !are_apart(self.pairs[parent as usize].nodes) {
                return;
            }
            self.pairs[parent as usize].is_apart = true;
            front.truncate(front.len() - 2);
            front.push(parent);
            self.free.push(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh, Pose, generate,
        mid::tree::{BuildOptions, BvTree},
        narrow::triangles_intersect,
        volume::{Aabb, Dop, Obb, Relative},
    };
    use glam::DVec3;

    /// Compares what touches, from the roots and from a front; returns the tests that each took.
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
                    let placed = meshes[1].triangle(g).map(|corner| pose.place(corner));
                    if triangles_intersect(&meshes[0].triangle(f), &placed) {
                        pairs.push([f, g]);
                    }
                }
            }
            ControlFlow::<()>::Continue(())
        };
        let mut scratch = Scratch::default();
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let _ =
            a.visit_leaf_pairs(b, &relative, &mut scratch, |s, t| touching(s, t, &mut expected));
        let plain = scratch.counts.volume_tests;
        let pair = TreePair::new(a, b, &relative);
        let _ = pair.visit_leaf_pairs_from(front, &mut scratch, |s, t| touching(s, t, &mut found));
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
            let _ =
                pair.visit_leaf_pairs_from(&mut front, &mut scratch, |_, _| ControlFlow::Break(()));
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

//! Down two boxtrees at once, to the leaves that may touch.

use super::{
    Boxtree, Node, OverlapTest,
    lookup::{self, Lookup, Table},
    overlap::{ALIGNED, FULL, Gaps, LITE, Linear},
};
use crate::{mid::tree::WalkCounts, volume::Relative};
use std::ops::ControlFlow;

/// Room for a walk, reused from query to query so that none allocates once warm.
#[derive(Debug, Default)]
pub struct BoxtreeScratch {
    /// How boxes are told apart.
    pub test: OverlapTest,
    /// What the last walk did.
    pub counts: WalkCounts,
    aligned: Vec<Open<[f64; ALIGNED]>>,
    lite: Vec<Open<[f64; LITE]>>,
    full: Vec<Open<[f64; FULL]>>,
    lookup: Vec<Open<lookup::State>>,
    table: Table,
}

impl BoxtreeScratch {
    /// Room for walks that tell boxes apart in this way.
    pub fn new(test: OverlapTest) -> Self {
        Self { test, ..Self::default() }
    }
}

/// A pair of nodes whose boxes may overlap, and what has been worked out of them.
#[derive(Clone, Copy, Debug)]
struct Open<S> {
    state: S,
    nodes: [Node; 2],
    /// How large each box is: the sum of its sides, in the first body's frame.
    sizes: [f32; 2],
}

impl Boxtree {
    /// Visits every pair of leaves whose boxes overlap, as lists of faces, until told to stop.
    ///
    /// No pair of touching faces is passed over: a leaf pair is left out only where the boxes of the
    /// leaves, or of nodes above them, are proved apart.
    pub fn visit_leaf_pairs<B>(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let BoxtreeScratch { test, counts, aligned, lite, full, lookup, table } = scratch;
        *counts = WalkCounts::default();
        let (Some(root), Some(other_root)) = (self.root, other.root) else {
            return ControlFlow::Continue(());
        };
        let ratio = relative.scale();
        let walk = Walk {
            trees: [self, other],
            roots: [root, other_root],
            sizes: [self.size(), other.size() * ratio],
            steps: [1.0, ratio],
            counts,
        };
        match test {
            OverlapTest::AxisAlignment => {
                walk.run(&Linear::<ALIGNED>::new(self, other, relative), aligned, visit)
            }
            OverlapTest::LookupTables => {
                walk.run(&Lookup::new(self, other, relative, table), lookup, visit)
            }
            OverlapTest::SeparatingAxes => {
                walk.run(&Linear::<FULL>::new(self, other, relative), full, visit)
            }
            OverlapTest::SatLite => {
                walk.run(&Linear::<LITE>::new(self, other, relative), lite, visit)
            }
        }
    }

    /// The sum of the sides of its box, in steps.
    fn size(&self) -> f32 {
        (0..3).map(|axis| self.bounds.length(axis) as f32).sum()
    }
}

/// A walk that is about to begin.
struct Walk<'w> {
    trees: [&'w Boxtree; 2],
    roots: [Node; 2],
    sizes: [f32; 2],
    /// How long a step of each grid is, in steps of the first.
    steps: [f32; 2],
    counts: &'w mut WalkCounts,
}

impl Walk<'_> {
    fn run<G: Gaps, B>(
        self,
        gaps: &G,
        stack: &mut Vec<Open<G::State>>,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { trees, roots, sizes, steps, counts } = self;
        stack.clear();
        counts.volume_tests = 1;
        let state = gaps.roots();
        if G::are_apart(&state) {
            return ControlFlow::Continue(());
        }
        stack.push(Open { state, nodes: roots, sizes });
        while let Some(Open { state, nodes, sizes }) = stack.pop() {
            let [a, b] = nodes;
            let (split_a, split_b) = match (a.is_leaf(), b.is_leaf()) {
                (true, true) => {
                    let (faces_a, faces_b) = (trees[0].faces_of(&a), trees[1].faces_of(&b));
                    counts.face_tests += faces_a.len() as u64 * faces_b.len() as u64;
                    visit(faces_a, faces_b)?;
                    continue;
                }
                (a_is_leaf, b_is_leaf) => {
                    // A box that is much the larger is split alone: the other's children would all
                    // be within it.
                    (
                        !a_is_leaf && (b_is_leaf || 2.0 * sizes[0] >= sizes[1]),
                        !b_is_leaf && (a_is_leaf || 2.0 * sizes[1] >= sizes[0]),
                    )
                }
            };
            let shrunk =
                |which: usize, child: Node| sizes[which] - child.distance() as f32 * steps[which];
            // What depends on one node alone is worked out once, for all pairs that it is part of.
            match (split_a, split_b) {
                (true, true) => {
                    let children_a = trees[0].pairs[a.link as usize];
                    let children_b = trees[1].pairs[b.link as usize];
                    let states = children_a.map(|child| gaps.descended(&state, child));
                    let changes = children_b.map(|child| gaps.change(&state, child));
                    counts.volume_tests += 4;
                    for (child_a, state) in children_a.into_iter().zip(&states) {
                        for (child_b, change) in children_b.into_iter().zip(&changes) {
                            let state = G::changed(state, change);
                            if !G::are_apart(&state) {
                                let nodes = [child_a, child_b];
                                let sizes = [shrunk(0, child_a), shrunk(1, child_b)];
                                stack.push(Open { state, nodes, sizes });
                            }
                        }
                    }
                }
                (true, false) => {
                    counts.volume_tests += 2;
                    for child in trees[0].pairs[a.link as usize] {
                        let state = gaps.descended(&state, child);
                        if !G::are_apart(&state) {
                            let (nodes, sizes) = ([child, b], [shrunk(0, child), sizes[1]]);
                            stack.push(Open { state, nodes, sizes });
                        }
                    }
                }
                _ => {
                    counts.volume_tests += 2;
                    for child in trees[1].pairs[b.link as usize] {
                        let state = G::changed(&state, &gaps.change(&state, child));
                        if !G::are_apart(&state) {
                            let (nodes, sizes) = ([a, child], [sizes[0], shrunk(1, child)]);
                            stack.push(Open { state, nodes, sizes });
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

//! Down two boxtrees, a step at a time: for those who want to know by how much boxes overlap or are apart,
//! or to stop anywhere.

use super::{
    Boxtree, Node,
    overlap::{Gaps, LITE, Linear, Start},
};
use crate::volume::Relative;

/// A pair of nodes and the gaps between their boxes, along the axes of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinePair {
    pub(super) gaps: [f64; LITE],
    pub(super) nodes: [Node; 2],
    sizes: [f32; 2],
}

/// Two boxtrees where they stand.
pub(super) struct Fine<'t> {
    pub(super) trees: [&'t Boxtree; 2],
    pub(super) start: Start<LITE>,
    /// What the gaps of any pair may be off by.
    pub(super) slack: f64,
}

/// What the roundings of a walk add up to, relative to the greatest magnitude of a gap: the roots'
/// own, and eight for each of at most 128 levels of both trees, of numbers up to twice as large.
/// Twice over.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

impl<'t> Fine<'t> {
    pub(super) fn new(a: &'t Boxtree, b: &'t Boxtree, relative: &Relative) -> Self {
        let start = Start::new(a, b, relative);
        let slack = ROUNDING * start.magnitude;
        Self { trees: [a, b], start, slack }
    }

    /// Where everything begins; nowhere if one of the trees is empty.
    pub(super) fn roots(&self) -> Option<FinePair> {
        let nodes = [self.trees[0].root?, self.trees[1].root?];
        Some(FinePair { gaps: self.start.gaps, nodes, sizes: self.start.extent.sizes })
    }

    /// The two faces lists of a pair of leaves; nothing if one of them is none.
    pub(super) fn leaves<'n>(&'n self, nodes: &'n [Node; 2]) -> Option<[&'n [u32]; 2]> {
        let [a, b] = nodes;
        let are_leaves = a.is_leaf() && b.is_leaf();
        are_leaves.then(|| [self.trees[0].faces_of(a), self.trees[1].faces_of(b)])
    }

    /// The pairs that a pair is split into. The larger box is: its children shed the most.
    pub(super) fn children(&self, pair: &FinePair) -> [FinePair; 2] {
        let FinePair { gaps, nodes: [a, b], sizes } = *pair;
        let Start { units, fine, .. } = &self.start;
        let shrunk = |which: usize, child: Node| sizes[which] - child.loss() * units[which];
        if b.is_leaf() || (!a.is_leaf() && sizes[0] >= sizes[1]) {
            self.trees[0].pairs[a.link as usize].map(|child| FinePair {
                gaps: fine.descended(&gaps, child),
                nodes: [child, b],
                sizes: [shrunk(0, child), sizes[1]],
            })
        } else {
            self.trees[1].pairs[b.link as usize].map(|child| FinePair {
                gaps: Linear::changed(&gaps, &fine.change(child)),
                nodes: [a, child],
                sizes: [sizes[0], shrunk(1, child)],
            })
        }
    }
}

//! A traversal of two boxtrees in single steps, with gaps in `f64`. `nearest.rs` and `resumable.rs`
//! use it: they need to know by how much boxes overlap or are apart, and may stop anywhere.

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

/// Two boxtrees and their relative pose, prepared for a traversal in `f64`.
pub(super) struct FineTraversal<'t> {
    pub(super) trees: [&'t Boxtree; 2],
    pub(super) start: Start<LITE>,
    /// The largest error of a gap of any pair.
    pub(super) slack: f64,
}

/// The rounding error of a traversal, relative to the greatest magnitude of a gap: that of the
/// roots, and eight roundings for each of at most 128 levels of both trees, of numbers up to twice
/// as large. Doubled as a margin.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

impl<'t> FineTraversal<'t> {
    pub(super) fn new(a: &'t Boxtree, b: &'t Boxtree, relative: &Relative) -> Self {
        let start = Start::new(a, b, relative);
        let slack = ROUNDING * start.magnitude;
        Self { trees: [a, b], start, slack }
    }

    /// The pair of roots; `None` if one of the trees is empty.
    pub(super) fn roots(&self) -> Option<FinePair> {
        let nodes = [self.trees[0].root?, self.trees[1].root?];
        Some(FinePair { gaps: self.start.gaps, nodes, sizes: self.start.extent.sizes })
    }

    /// The faces of two leaves; `None` if one of the nodes is not a leaf.
    pub(super) fn leaves<'n>(&'n self, nodes: &'n [Node; 2]) -> Option<[&'n [u32]; 2]> {
        let [a, b] = nodes;
        let are_leaves = a.is_leaf() && b.is_leaf();
        are_leaves.then(|| [self.trees[0].faces_of(a), self.trees[1].faces_of(b)])
    }

    /// The two pairs into which a pair is split. The larger box is split: its children shed the
    /// most overlap.
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

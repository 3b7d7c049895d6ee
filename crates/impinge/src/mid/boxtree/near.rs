//! Down two boxtrees at once, to the leaves that may be close: branch and bound, the closest first.

use super::{
    Boxtree, BoxtreeScratch, Node,
    overlap::{Extent, Gaps, LITE, Linear, Start},
};
use crate::volume::Relative;
use std::ops::ControlFlow;

/// A pair of nodes, the gaps between their boxes, and a lower bound of their distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    gaps: [f64; LITE],
    nodes: [Node; 2],
    sizes: [f32; 2],
    at_least: f64,
}

/// What the roundings of a walk add up to, relative to the greatest magnitude of a gap: the roots'
/// own, and eight for each of at most 128 levels of both trees, of numbers up to twice as large.
/// Twice over.
pub(super) const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

impl Boxtree {
    /// Visits pairs of leaves, as lists of faces, those that seem closer first, until told to stop.
    ///
    /// A leaf pair is left out only if `can_skip` says so of a lower bound of its distance, in world
    /// units. It may change its mind as closer faces are found: what is given to both closures is
    /// the state that they share. Gaps are reckoned along the axes of both boxes, whatever the
    /// scratch says of overlap tests.
    pub fn visit_near_leaf_pairs<S>(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        state: &mut S,
        can_skip: impl Fn(&S, f64) -> bool,
        mut visit: impl FnMut(&mut S, &[u32], &[u32]) -> ControlFlow<()>,
    ) {
        let stack = &mut scratch.near;
        stack.clear();
        let (Some(root), Some(other_root)) = (self.root, other.root) else {
            return;
        };
        let start = Start::<LITE>::new(self, other, relative);
        let slack = ROUNDING * start.magnitude;
        // Let g be the way in the world from a point of the one body to a point of the other. In
        // this frame it is Rᵀg / scale, give or take what was allowed for at the roots, and Rᵀ
        // lengthens no vector by more than 1.5e-6; nor do the axes of the second box, on which it is
        // projected, by more than 4e-6, as they are not quite at right angles.
        let unit = self.frame.unit() / start.unit * (1.0 - 1e-5);
        let bound = |gaps: &[f64; LITE]| {
            // Where gaps are not numbers, `max` takes the 0.
            let wider = |i: usize| (gaps[i].max(gaps[LITE / 2 + i]) - slack).max(0.0);
            let along = |axes: std::ops::Range<usize>| {
                let squares = axes.clone().map(|i| wider(i) * wider(i)).sum::<f64>();
                // Squares overflow where lengths do not: then the longest will do.
                let is_sound = squares < f64::INFINITY;
                if is_sound { squares.sqrt() } else { axes.map(wider).fold(0.0, f64::max) }
            };
            along(0..3).max(along(3..6)) * unit
        };
        let Extent { sizes, .. } = start.extent;
        let nodes = [root, other_root];
        stack.push(NearPair { gaps: start.gaps, nodes, sizes, at_least: bound(&start.gaps) });
        while let Some(NearPair { gaps, nodes: [a, b], sizes, at_least }) = stack.pop() {
            if can_skip(state, at_least) {
                continue;
            }
            if a.is_leaf() && b.is_leaf() {
                if visit(state, self.faces_of(&a), other.faces_of(&b)).is_break() {
                    return;
                }
                continue;
            }
            let shrunk =
                |which: usize, child: Node| sizes[which] - child.loss() * start.units[which];
            // The larger box is split: its children shed the most.
            let children = if b.is_leaf() || (!a.is_leaf() && sizes[0] >= sizes[1]) {
                self.pairs[a.link as usize].map(|child| {
                    let gaps = start.fine.descended(&gaps, child);
                    let sizes = [shrunk(0, child), sizes[1]];
                    NearPair { gaps, nodes: [child, b], sizes, at_least: bound(&gaps) }
                })
            } else {
                other.pairs[b.link as usize].map(|child| {
                    let gaps = Linear::changed(&gaps, &start.fine.change(child));
                    let sizes = [sizes[0], shrunk(1, child)];
                    NearPair { gaps, nodes: [a, child], sizes, at_least: bound(&gaps) }
                })
            };
            // The closer is looked at first: it is likely to make the other superfluous.
            let [first, second] = children;
            let is_ordered = first.at_least <= second.at_least;
            stack.extend(if is_ordered { [second, first] } else { [first, second] });
        }
    }
}

//! A search that can be interrupted: what it has left open is a list of node pairs.

use super::{
    Boxtree, BoxtreeScratch, Node,
    near::ROUNDING,
    overlap::{Gaps, LITE, Linear, Start},
};
use crate::{
    mid::{
        OpenPair,
        timed::{self, Look, Meter, Ranked},
        tree::WalkCounts,
    },
    volume::Relative,
};

/// A pair of nodes and the gaps between their boxes, along the axes of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenNodes {
    gaps: [f64; LITE],
    nodes: [Node; 2],
    sizes: [f32; 2],
}

/// The pair, if the boxes may overlap, and by how much at most in the unit of gaps: moving one of them
/// by as much as the widest gap falls short of zero opens that gap.
fn ranked(start: &Start<LITE>, pair: OpenNodes) -> Option<Ranked<OpenNodes>> {
    let slack = ROUNDING * start.magnitude;
    let widest = pair.gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // What is not a number proves nothing.
    let overlap = if widest.is_finite() { slack - widest } else { f64::INFINITY };
    (widest <= slack || widest.is_nan()).then_some(Ranked { overlap: overlap.max(0.0), pair })
}

impl Boxtree {
    /// Makes room for a search and leaves the roots open, unless they are apart.
    pub(super) fn begin_open(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
    ) {
        scratch.counts = WalkCounts::default();
        scratch.open.clear();
        if let (Some(root), Some(other_root)) = (self.root, other.root) {
            let start = Start::<LITE>::new(self, other, relative);
            scratch.counts.volume_tests = 1;
            // A way in the world is up to 1.5e-6 shorter in the frame.
            scratch.open_unit = self.frame.unit() / start.unit * (1.0 + 1e-5);
            let nodes = [root, other_root];
            let roots = OpenNodes { gaps: start.gaps, nodes, sizes: start.extent.sizes };
            scratch.open.extend(ranked(&start, roots));
        }
    }

    /// Looks into open pairs until none are left, which is returned, or the meter has run out.
    pub(super) fn advance(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        (meter, wants_all): (&mut Meter, bool),
        mut visit: impl FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        let start = Start::<LITE>::new(self, other, relative);
        let BoxtreeScratch { open, counts, .. } = scratch;
        timed::advance(open, meter, wants_all, |meter, OpenNodes { gaps, nodes, sizes }| {
            let [a, b] = nodes;
            if a.is_leaf() && b.is_leaf() {
                let (faces_a, faces_b) = (self.faces_of(&a), other.faces_of(&b));
                let tests = faces_a.len() as u64 * faces_b.len() as u64;
                counts.face_tests += tests;
                meter.tests += tests;
                return Look::Leaves { touch: visit([faces_a, faces_b]) };
            }
            counts.volume_tests += 2;
            meter.tests += 2;
            let shrunk =
                |which: usize, child: Node| sizes[which] - child.loss() * start.units[which];
            // The larger box is split: its children shed the most.
            Look::Children(if b.is_leaf() || (!a.is_leaf() && sizes[0] >= sizes[1]) {
                self.pairs[a.link as usize].map(|child| {
                    let gaps = start.fine.descended(&gaps, child);
                    let sizes = [shrunk(0, child), sizes[1]];
                    ranked(&start, OpenNodes { gaps, nodes: [child, b], sizes })
                })
            } else {
                other.pairs[b.link as usize].map(|child| {
                    let gaps = Linear::changed(&gaps, &start.fine.change(child));
                    let sizes = [sizes[0], shrunk(1, child)];
                    ranked(&start, OpenNodes { gaps, nodes: [a, child], sizes })
                })
            })
        })
    }

    /// Visits what is open, in terms of a caller, who knows no nodes.
    pub(super) fn visit_open(
        &self,
        other: &Self,
        scratch: &BoxtreeScratch,
        visit: &mut dyn FnMut(OpenPair<'_>),
    ) {
        for Ranked { overlap, pair } in &scratch.open {
            let [faces_a, faces_b] = [(self, pair.nodes[0]), (other, pair.nodes[1])]
                .map(|(tree, node)| tree.faces_below(node));
            let overlap = overlap * scratch.open_unit;
            visit(OpenPair { faces_a: &faces_a, faces_b: &faces_b, overlap });
        }
    }

    /// The faces of all leaves below a node.
    fn faces_below(&self, node: Node) -> Vec<u32> {
        let (mut faces, mut nodes) = (Vec::new(), vec![node]);
        while let Some(node) = nodes.pop() {
            faces.extend(self.faces_of(&node));
            if !node.is_leaf() {
                nodes.extend(self.pairs[node.link as usize]);
            }
        }
        faces
    }
}

//! A traversal that can be interrupted. Its state is a list of node pairs still to visit.
//!
//! Called through [`ResumableWalk`] by queries with a budget.

use super::{
    Boxtree, BoxtreeScratch, Node,
    fine::{FinePair, FineTraversal},
    walk::BoxtreePair,
};
use crate::method::{
    Meter, OpenPair, WalkCounts,
    hierarchy::ResumableWalk,
    resumable::{self, Ranked, Visited},
};

impl FineTraversal<'_> {
    /// Returns the pair if the boxes may overlap, with an upper bound of the overlap in the unit of
    /// gaps: if the widest gap is below zero by some distance, moving one box by that distance
    /// opens the gap.
    fn ranked(&self, pair: FinePair) -> Option<Ranked<FinePair>> {
        // NaN gaps prove nothing, and `max` ignores them.
        let widest = pair.gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let overlap = self.slack - widest;
        (widest <= self.slack).then_some(Ranked { overlap: overlap.max(0.0), pair })
    }
}

impl ResumableWalk for BoxtreePair<'_> {
    type Scratch = BoxtreeScratch;

    fn begin_open(&self, scratch: &mut BoxtreeScratch) {
        let fine = FineTraversal::new(self.a, self.b, &self.relative);
        let roots = fine.roots();
        let volume_tests = u64::from(roots.is_some());
        scratch.counts = WalkCounts { volume_tests, ..WalkCounts::default() };
        // A vector in the world is up to 1.5e-6 shorter in the frame.
        scratch.open_unit = self.a.frame.unit() / fine.start.unit * (1.0 + 1e-5);
        scratch.open.clear();
        scratch.open.extend(roots.and_then(|roots| fine.ranked(roots)));
    }

    fn advance(
        &self,
        scratch: &mut BoxtreeScratch,
        meter: &mut Meter,
        wants_all: bool,
        visit: &mut dyn FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        let fine = FineTraversal::new(self.a, self.b, &self.relative);
        let BoxtreeScratch { open, counts, .. } = scratch;
        resumable::advance(open, meter, wants_all, |meter, pair| {
            if let Some(faces) = fine.leaves(&pair.nodes) {
                let tests = faces[0].len() as u64 * faces[1].len() as u64;
                counts.face_tests += tests;
                meter.spend(tests);
                return Visited::Leaves { touch: visit(faces) };
            }
            counts.volume_tests += 2;
            meter.spend(2);
            Visited::Children(fine.children(&pair).map(|child| fine.ranked(child)))
        })
    }

    fn left_open(&self, scratch: &BoxtreeScratch) -> (usize, f64) {
        let overlaps = scratch.open.iter().map(|open| open.overlap);
        (scratch.open.len(), overlaps.fold(0.0, f64::max) * scratch.open_unit)
    }

    fn visit_open(&self, scratch: &BoxtreeScratch, visit: &mut dyn FnMut(OpenPair<'_>)) {
        for Ranked { overlap, pair } in &scratch.open {
            let [faces_a, faces_b] = [(self.a, pair.nodes[0]), (self.b, pair.nodes[1])]
                .map(|(tree, node)| tree.faces_below(node));
            let overlap = overlap * scratch.open_unit;
            visit(OpenPair { faces_a: &faces_a, faces_b: &faces_b, overlap });
        }
    }
}

impl Boxtree {
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

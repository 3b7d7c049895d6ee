//! The nearest-pair traversal of two boxtrees: branch and bound, the closest pair of boxes first.
//!
//! Called through [`NearestWalk`] by distance queries.

use super::{
    BoxtreeScratch,
    fine::{FinePair, FineTraversal},
    overlap::LITE,
    walk::BoxtreePair,
};
use crate::method::{
    NearestFaces,
    hierarchy::{NearestWalk, Walk},
};
use std::ops::Range;

/// A pair of nodes, and a lower bound of the distance between their boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pair: FinePair,
    at_least: f64,
}

impl NearestWalk for BoxtreePair<'_> {
    type Scratch = BoxtreeScratch;

    /// Computes gaps along the axes of both boxes, whatever the overlap test of the options is.
    fn walk_nearest(
        &self,
        scratch: &mut BoxtreeScratch,
        nearest: &mut NearestFaces,
        visit: &mut dyn FnMut(&mut NearestFaces, [&[u32]; 2]),
    ) {
        self.begin(scratch);
        let BoxtreeScratch { near: stack, counts, .. } = scratch;
        stack.clear();
        let fine = FineTraversal::new(self.a, self.b, &self.relative);
        // Let g be the vector in the world between a point of one body and a point of the other. In
        // this frame it is Rᵀg / scale, up to the allowance made at the roots, and Rᵀ lengthens no
        // vector by more than 1.5e-6. Nor do the axes of the second box, on which it is projected,
        // lengthen it by more than 4e-6, as they are not exactly at right angles.
        let unit = self.a.frame.unit() / fine.start.unit * (1.0 - 1e-5);
        let mut bounded = |pair: FinePair| {
            counts.volume_tests += 1;
            // For a NaN gap, `max` returns 0.
            let gaps = &pair.gaps;
            let wider = |i: usize| (gaps[i].max(gaps[LITE / 2 + i]) - fine.slack).max(0.0);
            let along = |axes: Range<usize>| {
                let squares = axes.clone().map(|i| wider(i) * wider(i)).sum::<f64>();
                // Squares may overflow where lengths do not. Then the longest gap is bound enough.
                let is_sound = squares < f64::INFINITY;
                if is_sound { squares.sqrt() } else { axes.map(wider).fold(0.0, f64::max) }
            };
            NearPair { pair, at_least: along(0..3).max(along(3..6)) * unit }
        };
        let mut face_tests = 0;
        stack.extend(fine.roots().map(&mut bounded));
        while let Some(NearPair { pair, at_least }) = stack.pop() {
            if nearest.can_skip(at_least) {
                continue;
            }
            if let Some([faces_a, faces_b]) = fine.leaves(&pair.nodes) {
                face_tests += faces_a.len() as u64 * faces_b.len() as u64;
                visit(nearest, [faces_a, faces_b]);
                continue;
            }
            // The closer pair is visited first: it is likely to prune the other.
            let [first, second] = fine.children(&pair).map(&mut bounded);
            let is_ordered = first.at_least <= second.at_least;
            stack.extend(if is_ordered { [second, first] } else { [first, second] });
        }
        counts.face_tests += face_tests;
    }
}

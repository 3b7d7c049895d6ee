//! Down two boxtrees at once, to the leaves that may be close: branch and bound, the closest first.

use super::{
    BoxtreeScratch,
    fine::{Fine, FinePair},
    overlap::LITE,
    walk::BoxtreePair,
};
use crate::method::{
    NearestFaces,
    hierarchy::{NearestWalk, Walk},
};
use std::ops::Range;

/// A pair of nodes, and a lower bound of the distance of their boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pair: FinePair,
    at_least: f64,
}

impl NearestWalk for BoxtreePair<'_> {
    type Scratch = BoxtreeScratch;

    /// Gaps are computed along the axes of both boxes, whatever the options say of overlap tests.
    fn walk_nearest(
        &self,
        scratch: &mut BoxtreeScratch,
        nearest: &mut NearestFaces,
        visit: &mut dyn FnMut(&mut NearestFaces, [&[u32]; 2]),
    ) {
        self.begin(scratch);
        let BoxtreeScratch { near: stack, counts, .. } = scratch;
        stack.clear();
        let fine = Fine::new(self.a, self.b, &self.relative);
        // Let g be the way in the world from a point of the one body to a point of the other. In
        // this frame it is Rᵀg / scale, give or take what was allowed for at the roots, and Rᵀ
        // lengthens no vector by more than 1.5e-6; nor do the axes of the second box, on which it is
        // projected, by more than 4e-6, as they are not quite at right angles.
        let unit = self.a.frame.unit() / fine.start.unit * (1.0 - 1e-5);
        let mut bounded = |pair: FinePair| {
            counts.volume_tests += 1;
            // Where gaps are not numbers, `max` takes the 0.
            let gaps = &pair.gaps;
            let wider = |i: usize| (gaps[i].max(gaps[LITE / 2 + i]) - fine.slack).max(0.0);
            let along = |axes: Range<usize>| {
                let squares = axes.clone().map(|i| wider(i) * wider(i)).sum::<f64>();
                // Squares overflow where lengths do not: then the longest will do.
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
            // The closer is looked at first: it is likely to make the other superfluous.
            let [first, second] = fine.children(&pair).map(&mut bounded);
            let is_ordered = first.at_least <= second.at_least;
            stack.extend(if is_ordered { [second, first] } else { [first, second] });
        }
        counts.face_tests += face_tests;
    }
}

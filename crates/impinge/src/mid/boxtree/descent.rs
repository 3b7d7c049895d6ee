//! How queries see a boxtree: where each of the ways down is.

use super::{Boxtree, BoxtreeScratch, walk::Share};
use crate::{
    mid::{
        OpenPair,
        hierarchy::{Descent, Hierarchy},
        question::Question,
        timed::Meter,
        tree::WalkCounts,
    },
    volume::{Frame, Relative},
};
use std::ops::ControlFlow;

/// Two boxtrees where they stand.
pub(crate) struct BoxtreePair<'t> {
    a: &'t Boxtree,
    b: &'t Boxtree,
    relative: Relative,
}

impl Hierarchy for Boxtree {
    type Scratch = BoxtreeScratch;
    type Descent<'t> = BoxtreePair<'t>;

    fn frame(&self) -> &Frame {
        self.frame()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn repeats_faces(&self) -> bool {
        false
    }

    fn stand<'t>(&'t self, other: &'t Self, question: &Question) -> BoxtreePair<'t> {
        let relative = question.relative(&self.frame, &other.frame);
        BoxtreePair { a: self, b: other, relative }
    }

    fn left_open(&self, scratch: &BoxtreeScratch) -> (usize, f64) {
        let overlaps = scratch.open.iter().map(|open| open.overlap);
        (scratch.open.len(), overlaps.fold(0.0, f64::max) * scratch.open_unit)
    }

    fn visit_open(
        &self,
        other: &Self,
        scratch: &BoxtreeScratch,
        visit: &mut dyn FnMut(OpenPair<'_>),
    ) {
        self.visit_open(other, scratch, visit);
    }

    fn counts(scratch: &BoxtreeScratch) -> WalkCounts {
        scratch.counts
    }
}

impl Descent for BoxtreePair<'_> {
    type Scratch = BoxtreeScratch;
    /// A share of the walk from the roots: nodes alone do not say where their boxes are.
    type Piece = Share;

    fn begin(&self, scratch: &mut BoxtreeScratch) {
        scratch.counts = WalkCounts::default();
        scratch.test = self.a.options.overlap;
        scratch.share = None;
    }

    fn roots(&self) -> Option<Share> {
        Some(Share::WHOLE)
    }

    fn push(&self, scratch: &mut BoxtreeScratch, piece: Share) {
        scratch.share = Some(piece);
    }

    fn walk<B>(
        &self,
        scratch: &mut BoxtreeScratch,
        limit: u64,
        mut visit: impl FnMut([&[u32]; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(share) = scratch.share.take() else {
            return ControlFlow::Continue(());
        };
        let before = scratch.counts;
        let visit = |faces_a: &[u32], faces_b: &[u32]| visit([faces_a, faces_b]);
        let share = (share, limit);
        let result = self.a.visit_share(share, self.b, &self.relative, scratch, visit);
        scratch.counts = scratch.counts.plus(before);
        result
    }

    fn take_pieces(&self, scratch: &mut BoxtreeScratch, _enough: usize) -> Vec<Share> {
        let Some(left) = scratch.share.take() else {
            return Vec::new();
        };
        // Each share walks down from the roots by itself, so there should not be too many.
        let of = 4 * rayon::current_num_threads();
        (0..of).map(|nth| Share { nth, of, ..left }).collect()
    }

    fn near<G>(
        &self,
        scratch: &mut BoxtreeScratch,
        goal: &mut G,
        can_skip: impl Fn(&G, f64) -> bool,
        mut visit: impl FnMut(&mut G, [&[u32]; 2]),
    ) {
        self.begin(scratch);
        let visit = |goal: &mut G, faces_a: &[u32], faces_b: &[u32]| {
            visit(goal, [faces_a, faces_b]);
            ControlFlow::Continue(())
        };
        self.a.visit_near_leaf_pairs(self.b, &self.relative, scratch, goal, can_skip, visit);
    }

    fn begin_open(&self, scratch: &mut BoxtreeScratch) {
        self.a.begin_open(self.b, &self.relative, scratch);
    }

    fn advance(
        &self,
        scratch: &mut BoxtreeScratch,
        meter: &mut Meter,
        wants_all: bool,
        visit: impl FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        self.a.advance(self.b, &self.relative, scratch, (meter, wants_all), visit)
    }
}

//! How queries see a wide tree: where each of the ways down is.

use super::{
    Slot, WideTree,
    walk::{Scratch, WidePair},
};
use crate::{
    mid::{
        FacePair, OpenPair,
        cache::Spot,
        faces::{Faces, Leaves},
        hierarchy::{Descent, Goal, Hierarchy},
        question::Question,
        timed::Meter,
        tree::WalkCounts,
    },
    volume::Frame,
};
use std::{cell::LazyCell, ops::ControlFlow, sync::atomic::Ordering};

impl Hierarchy for WideTree {
    type Scratch = Scratch;
    type Descent<'t> = WidePair<'t>;

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn repeats_faces(&self) -> bool {
        false
    }

    #[inline(always)]
    fn stand<'t>(&'t self, other: &'t Self, question: &Question) -> WidePair<'t> {
        WidePair::new(self, other, question)
    }

    fn left_open(&self, scratch: &Scratch) -> (usize, f64) {
        Self::left_open(scratch)
    }

    fn visit_open(&self, other: &Self, scratch: &Scratch, visit: &mut dyn FnMut(OpenPair<'_>)) {
        self.visit_open(other, scratch, visit);
    }

    fn counts(scratch: &Scratch) -> WalkCounts {
        scratch.counts
    }

    fn found_at(scratch: &Scratch) -> Option<Spot> {
        scratch.found_at
    }
}

impl Descent for WidePair<'_> {
    type Scratch = Scratch;
    type Piece = [Slot; 2];

    fn begin(&self, scratch: &mut Scratch) {
        self.begin(scratch);
    }

    fn roots(&self) -> Option<[Slot; 2]> {
        self.roots()
    }

    fn push(&self, scratch: &mut Scratch, piece: [Slot; 2]) {
        self.push(scratch, piece);
    }

    fn look_first(&self, scratch: &mut Scratch, spot: Spot) {
        self.look_first(scratch, spot);
    }

    fn walk<B>(
        &self,
        scratch: &mut Scratch,
        limit: u64,
        mut visit: impl FnMut([&[u32]; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        loop {
            self.find_leaves(scratch, limit);
            if scratch.leaves.is_empty() {
                return ControlFlow::Continue(());
            }
            for pair in scratch.leaves.drain(..) {
                let faces = self.leaves(pair);
                scratch.counts.face_tests += (faces[0].len() * faces[1].len()) as u64;
                visit(faces)?;
            }
        }
    }

    /// Nearly all pairs of faces are decided here; the exact test is for the others. With a
    /// tolerance it is for all whose boxes are as close.
    fn search<'f>(
        &self,
        scratch: &mut Scratch,
        goal: Goal<'_>,
        faces: &LazyCell<Faces<'f>, impl FnOnce() -> Faces<'f>>,
        leaves: &mut Leaves,
        mut found: impl FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.tolerance > 0.0 {
            return self.walk(scratch, goal.limit, |pair| {
                if goal.is_over.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                faces.close_pairs(leaves, pair, &mut found)
            });
        }
        loop {
            self.search(scratch, goal.limit, goal.wants_all);
            if scratch.touching.is_empty() && scratch.undecided.is_empty() {
                return ControlFlow::Continue(());
            }
            if goal.is_over.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            scratch.touching.drain(..).try_for_each(&mut found)?;
            for pair in scratch.undecided.drain(..) {
                if faces.is_close(pair) {
                    found(pair)?;
                }
            }
        }
    }

    fn take_pieces(&self, scratch: &mut Scratch, enough: usize) -> Vec<[Slot; 2]> {
        let mut pieces = std::mem::take(&mut scratch.stack);
        self.split_up(&mut pieces, enough);
        pieces
    }

    fn near<G>(
        &self,
        scratch: &mut Scratch,
        goal: &mut G,
        can_skip: impl Fn(&G, f64) -> bool,
        visit: impl FnMut(&mut G, [&[u32]; 2]),
    ) {
        self.near(scratch, goal, can_skip, visit);
    }

    fn begin_open(&self, scratch: &mut Scratch) {
        self.begin_open(scratch);
    }

    fn advance(
        &self,
        scratch: &mut Scratch,
        meter: &mut Meter,
        wants_all: bool,
        visit: impl FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        self.advance(scratch, meter, wants_all, visit)
    }
}

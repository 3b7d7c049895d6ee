//! How queries see a tree: where each of the ways down is.

use super::{BvTree, Front, Scratch, TreePair, WalkCounts};
use crate::{
    mid::{
        OpenPair,
        hierarchy::{Descent, Hierarchy},
        question::Question,
        timed::Meter,
    },
    volume::{BoundingVolume, Frame},
};
use std::ops::ControlFlow;

impl<V: BoundingVolume> Hierarchy for BvTree<V> {
    type Scratch = Scratch<V>;
    type Descent<'t> = TreePair<'t, V>;
    const HAS_FRONT: bool = true;

    fn frame(&self) -> &Frame {
        self.frame()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn repeats_faces(&self) -> bool {
        self.repeats_faces()
    }

    fn stand<'t>(&'t self, other: &'t Self, question: &Question) -> TreePair<'t, V> {
        TreePair::new(self, other, &question.relative(&self.frame, &other.frame))
    }

    fn left_open(&self, scratch: &Scratch<V>) -> (usize, f64) {
        self.left_open(scratch)
    }

    fn visit_open(&self, other: &Self, scratch: &Scratch<V>, visit: &mut dyn FnMut(OpenPair<'_>)) {
        self.visit_open(other, scratch, visit);
    }

    fn counts(scratch: &Scratch<V>) -> WalkCounts {
        scratch.counts
    }
}

impl<V: BoundingVolume> Descent for TreePair<'_, V> {
    type Scratch = Scratch<V>;
    type Piece = [u32; 2];

    fn begin(&self, scratch: &mut Scratch<V>) {
        self.begin(scratch);
    }

    fn roots(&self) -> Option<[u32; 2]> {
        self.roots()
    }

    fn push(&self, scratch: &mut Scratch<V>, piece: [u32; 2]) {
        scratch.stack.push(piece);
    }

    fn walk<B>(
        &self,
        scratch: &mut Scratch<V>,
        limit: u64,
        visit: impl FnMut([&[u32]; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk(scratch, limit, visit)
    }

    fn take_pieces(&self, scratch: &mut Scratch<V>, enough: usize) -> Vec<[u32; 2]> {
        let mut pieces = std::mem::take(&mut scratch.stack);
        self.split_up(&mut pieces, enough);
        pieces
    }

    fn walk_from<B>(
        &self,
        front: &mut Front,
        scratch: &mut Scratch<V>,
        visit: impl FnMut([&[u32]; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.walk_from(front, scratch, visit)
    }

    fn near<G>(
        &self,
        scratch: &mut Scratch<V>,
        goal: &mut G,
        can_skip: impl Fn(&G, f64) -> bool,
        visit: impl FnMut(&mut G, [&[u32]; 2]),
    ) {
        self.near(scratch, goal, can_skip, visit);
    }

    fn begin_open(&self, scratch: &mut Scratch<V>) {
        self.begin_open(scratch);
    }

    fn advance(
        &self,
        scratch: &mut Scratch<V>,
        meter: &mut Meter,
        wants_all: bool,
        visit: impl FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        self.advance(scratch, meter, wants_all, visit)
    }
}

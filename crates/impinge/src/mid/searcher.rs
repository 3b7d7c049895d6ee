//! Any two shapes in turn, in the same room.

use super::{
    FacePair, MeshDistance, Search, Shape, Threads,
    distance::Least,
    method::{Rooms, Tree},
    question::Question,
};
use crate::Pose;
use std::fmt;

/// What a thread needs to ask about any two shapes, one pair after the other: no memory is taken
/// once warm, however many pairs there are.
#[derive(Default)]
pub(crate) struct Searcher {
    rooms: Rooms,
}

/// A shape where it stands.
type Placed<'s> = (&'s Shape, &'s Pose);

impl Searcher {
    /// Appends all faces that touch, sorted. Nothing if different methods prepared the shapes.
    pub(crate) fn contacts(&mut self, a: Placed<'_>, b: Placed<'_>, into: &mut Vec<FacePair>) {
        let start = into.len();
        self.ask(a, b, |search, question| search.collect(question, Threads::One, into));
        into[start..].sort_unstable();
    }

    /// Whether any faces touch. Not if different methods prepared the shapes.
    pub(crate) fn intersects(&mut self, a: Placed<'_>, b: Placed<'_>) -> bool {
        self.ask(a, b, |search, question| search.any(question, Threads::One, &mut None).is_some())
            == Some(true)
    }

    /// The least distance between the surfaces, to within a relative 1e-9, if it is at most a limit.
    pub(crate) fn distance_within(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        limit: f64,
    ) -> Option<MeshDistance> {
        self.least(a, b, Least::within(limit)).filter(|best| best.distance <= limit)
    }

    /// The least distance between the surfaces; nothing for shapes without faces, or prepared by
    /// different methods.
    pub(crate) fn distance(&mut self, a: Placed<'_>, b: Placed<'_>) -> Option<MeshDistance> {
        self.least(a, b, Least::default())
    }

    fn least(&mut self, a: Placed<'_>, b: Placed<'_>, mut least: Least) -> Option<MeshDistance> {
        self.ask(a, b, |search, question| search.near(question, &mut least));
        least.best
    }

    fn ask<R>(
        &mut self,
        (a, &pose_a): Placed<'_>,
        (b, &pose_b): Placed<'_>,
        ask: impl FnOnce(&mut dyn Search, &Question) -> R,
    ) -> Option<R> {
        let question = Question { pose_a, pose_b, tolerance: 0.0 };
        let ask = |search: &mut dyn Search| ask(search, &question);
        Tree::search_in(&mut self.rooms, a.parts(), b.parts(), ask)
    }
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Searcher")
    }
}

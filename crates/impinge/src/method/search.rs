//! The search of two prepared bodies: what every method has to be able to do.

use super::{
    Front, Hint, Meter, NearestFaces, OpenPair, Proximity, Question, SelfQuestion, WalkCounts,
    self_question::{collect_by_copy, visit_by_copy},
};
use crate::{FacePair, Threads};
use std::ops::ControlFlow;

/// Callback for each pair of faces that a search finds. `Break` stops the search.
pub type Found<'f> = dyn FnMut(FacePair) -> ControlFlow<()> + 'f;

/// A search of two prepared bodies.
///
/// A search owns the memory that a query needs and whatever it remembers from one query to the next.
/// It is asked about any two bodies that its method prepared, also about others than the last time:
/// what it remembers may make it faster and must never change an answer.
///
/// Only [`visit`](Self::visit) has to be written. A method that has a better way to do one of the
/// others overrides it.
pub trait Search: Send + Sync {
    /// Visits all pairs of faces that are as close as the question asks, each once, in any order, until
    /// `found` says to stop.
    ///
    /// A method may propose any number of candidates; [`Question::decider`] has the last word on each.
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()>;

    /// The same for a caller that keeps a [`Front`] from query to query, for methods that have one.
    fn visit_from(
        &mut self,
        question: &Question<'_>,
        _front: &mut Front,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        self.visit(question, found)
    }

    /// Some pair of faces that is as close as asked, if there is any.
    ///
    /// A method that can say where it found the pair says so in `hint`, and looks there first the next
    /// time. The hint may come from other bodies or another method.
    fn any(&mut self, question: &Question<'_>, hint: &mut Option<Hint>) -> Option<FacePair> {
        *hint = None;
        let mut any = None;
        let _ = self.visit(question, &mut |pair| {
            any = Some(pair);
            ControlFlow::Break(())
        });
        any
    }

    /// Whether volumes alone prove, with about `limit` tests at most, that no faces are as close as asked.
    /// `false` proves nothing.
    fn is_clear(&mut self, question: &Question<'_>, _limit: u64) -> bool {
        question.proximity() == Proximity::Apart
    }

    /// Appends all pairs of faces that are as close as asked, each once, in any order.
    fn collect(&mut self, question: &Question<'_>, contacts: &mut Vec<FacePair>) {
        let _ = self.visit(question, &mut |pair| {
            contacts.push(pair);
            ControlFlow::Continue(())
        });
    }

    /// Visits all pairs of faces of one body that are in contact, each once and with the lower face first, in any
    /// order, until `found` says to stop. [`SelfDecider`](super::SelfDecider) says which faces are.
    fn visit_self(
        &mut self,
        question: &SelfQuestion<'_>,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        visit_by_copy(self, question, found)
    }

    /// Appends all pairs of faces of one body that are in contact, each once and with the lower face first, in any
    /// order.
    fn collect_self(&mut self, question: &SelfQuestion<'_>, contacts: &mut Vec<FacePair>) {
        collect_by_copy(self, question, contacts);
    }

    /// Offers every pair of faces that could be the closest to `nearest`, in any order. On the caller's
    /// thread.
    fn nearest(&mut self, question: &Question<'_>, nearest: &mut NearestFaces) {
        let [a, b] = question.bodies();
        let others: Vec<_> = b.triangles().collect();
        for (face_a, triangle) in (0..).zip(a.triangles()) {
            for (face_b, other) in (0..).zip(&others) {
                nearest.offer(FacePair { a: face_a, b: face_b }, &triangle, other);
            }
        }
    }

    /// Begins a search that can be interrupted.
    fn begin(&mut self, _question: &Question<'_>) {}

    /// Continues it until it is finished, which is returned, or the meter is spent, or, unless
    /// `wants_all`, a pair is found. Appends the pairs found; none twice, except what earlier calls
    /// found.
    ///
    /// A method that cannot be interrupted finishes, however long that takes.
    fn advance(
        &mut self,
        question: &Question<'_>,
        _meter: &mut Meter,
        _wants_all: bool,
        contacts: &mut Vec<FacePair>,
    ) -> bool {
        self.collect(&question.on_threads(Threads::One), contacts);
        true
    }

    /// How many pairs of nodes such a search has left to visit, and the largest of their overlaps in
    /// world units.
    fn left_open(&self, _question: &Question<'_>) -> (usize, f64) {
        (0, 0.0)
    }

    /// Visits the pairs of nodes that such a search has left to visit.
    fn visit_open(&self, _question: &Question<'_>, _visit: &mut dyn FnMut(OpenPair<'_>)) {}

    /// How many tests the last query made; all zero for methods that do not count.
    fn counts(&self) -> WalkCounts {
        WalkCounts::default()
    }
}

//! The search of two bodies: hulls first, then faces.

use super::{HullTree, Separator};
use crate::{
    FacePair, Pose,
    convex::visit_crossing_facets,
    method::{
        Found, Front, Hint, Meter, NearestFaces, OpenPair, PlacedShape, Proximity, Question,
        Search, WalkCounts,
    },
};
use std::ops::ControlFlow;

/// A search of two bodies with a hull and a tree each.
pub(super) struct HullSearch {
    /// The search of the trees.
    inner: Box<dyn Search>,
    /// What is remembered from query to query for callers that keep no front.
    separator: Separator,
    /// Whether the last query searched the trees.
    has_descended: bool,
    /// Pairs of faces tested because their hull facets cross.
    face_tests: u64,
}

/// The most pairs of faces that are tested because their hull facets cross. More are left to the tree.
const MOST_FACE_TESTS: u64 = 64;

impl HullSearch {
    pub(super) fn new(inner: Box<dyn Search>) -> Self {
        Self { inner, separator: Separator::default(), has_descended: false, face_tests: 0 }
    }

    /// Begins a query. Returns whether the bodies are proven to be farther apart than asked.
    fn is_apart(&mut self, question: &Question<'_>) -> bool {
        (self.has_descended, self.face_tests) = (false, 0);
        match question.proximity() {
            Proximity::Apart => true,
            // Rounding would hide what hulls tell.
            Proximity::Blurred => false,
            Proximity::Near => {
                let [a, b] = bodies(question);
                self.separator.is_beyond(a, b, question.growth())
            }
        }
    }

    /// A pair of faces in red facets of overlapping hulls that are as close as asked, if one is found at once.
    fn red_contact(&mut self, question: &Question<'_>) -> Option<FacePair> {
        let [(a, pose_a), (b, pose_b)] = bodies(question);
        let features = self.separator.features()?;
        let (decider, mut contact, mut tests) = (question.decider(), None, 0);
        let mut test = |[facet_a, facet_b]: [u32; 2]| {
            if !a.coverage.is_red(facet_a) || !b.coverage.is_red(facet_b) {
                return ControlFlow::Continue(());
            }
            for &face_a in a.coverage.faces_in(facet_a) {
                for &face_b in b.coverage.faces_in(facet_b) {
                    let pair = FacePair { a: face_a, b: face_b };
                    tests += 1;
                    if decider.accepts(pair) {
                        contact = Some(pair);
                    }
                    if contact.is_some() || tests >= MOST_FACE_TESTS {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        };
        let (hull_a, hull_b) = ((&a.polytope, pose_a), (&b.polytope, pose_b));
        let _ = visit_crossing_facets(hull_a, hull_b, features, &mut test);
        self.face_tests = tests;
        contact
    }

    /// Swaps what is remembered with the front of a caller that keeps one.
    fn with_front<R>(&mut self, front: &mut Front, search: impl FnOnce(&mut Self) -> R) -> R {
        std::mem::swap(&mut self.separator, &mut front.separator);
        let result = search(self);
        std::mem::swap(&mut self.separator, &mut front.separator);
        result
    }

    /// The search of the trees, and the question for it.
    fn descend<'q>(&mut self, question: &Question<'q>) -> (&mut dyn Search, Question<'q>) {
        self.has_descended = true;
        (&mut *self.inner, inner_question(question))
    }
}

/// What was prepared of both bodies, and their poses.
fn bodies<'q>(question: &Question<'q>) -> [(&'q HullTree, &'q Pose); 2] {
    let [a, b] = question.prepared::<HullTree>();
    let [pose_a, pose_b] = question.bodies().map(|body| body.pose());
    [(a, pose_a), (b, pose_b)]
}

/// The same question about the trees.
fn inner_question<'q>(question: &Question<'q>) -> Question<'q> {
    let [a, b] = question.prepared::<HullTree>();
    let [body_a, body_b] = question.bodies();
    let bodies = [
        PlacedShape { prepared: &*a.tree, ..body_a },
        PlacedShape { prepared: &*b.tree, ..body_b },
    ];
    Question { bodies, ..*question }
}

impl Search for HullSearch {
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()> {
        if self.is_apart(question) {
            return ControlFlow::Continue(());
        }
        let (search, question) = self.descend(question);
        search.visit(&question, found)
    }

    fn visit_from(
        &mut self,
        question: &Question<'_>,
        front: &mut Front,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        self.with_front(front, |search| search.visit(question, found))
    }

    fn any(&mut self, question: &Question<'_>, hint: &mut Option<Hint>) -> Option<FacePair> {
        if self.is_apart(question) {
            *hint = None;
            return None;
        }
        // Where the last contact was found is as good a place to look, and the tree looks there itself.
        if hint.is_none()
            && let Some(pair) = self.red_contact(question)
        {
            return Some(pair);
        }
        let (search, question) = self.descend(question);
        search.any(&question, hint)
    }

    fn is_clear(&mut self, question: &Question<'_>, limit: u64) -> bool {
        if self.is_apart(question) {
            return true;
        }
        let (search, question) = self.descend(question);
        search.is_clear(&question, limit)
    }

    fn collect(&mut self, question: &Question<'_>, contacts: &mut Vec<FacePair>) {
        if !self.is_apart(question) {
            let (search, question) = self.descend(question);
            search.collect(&question, contacts);
        }
    }

    fn nearest(&mut self, question: &Question<'_>, nearest: &mut NearestFaces) {
        let (search, question) = self.descend(question);
        search.nearest(&question, nearest);
    }

    fn begin(&mut self, question: &Question<'_>) {
        let (search, question) = self.descend(question);
        search.begin(&question);
    }

    fn advance(
        &mut self,
        question: &Question<'_>,
        meter: &mut Meter,
        wants_all: bool,
        contacts: &mut Vec<FacePair>,
    ) -> bool {
        let (search, question) = self.descend(question);
        search.advance(&question, meter, wants_all, contacts)
    }

    fn left_open(&self, question: &Question<'_>) -> (usize, f64) {
        self.inner.left_open(&inner_question(question))
    }

    fn visit_open(&self, question: &Question<'_>, visit: &mut dyn FnMut(OpenPair<'_>)) {
        self.inner.visit_open(&inner_question(question), visit);
    }

    fn counts(&self) -> WalkCounts {
        let inner = if self.has_descended { self.inner.counts() } else { WalkCounts::default() };
        WalkCounts { face_tests: inner.face_tests + self.face_tests, ..inner }
    }
}

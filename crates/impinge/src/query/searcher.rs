//! Any two shapes, one pair after another, with the same memory.

use super::Shape;
use crate::{
    FacePair, MeshDistance, Method, Pose, Threads,
    method::{Front, NearestFaces, Question, Search, SelfQuestion, SharedBy, WalkCounts},
};
use std::{cell::RefCell, fmt, ops::ControlFlow};

/// What a thread needs to ask about any two shapes, one pair after another: no memory is allocated
/// once warm, however many pairs there are.
///
/// Callers have checked that one method prepared both shapes: worlds and assemblies hold shapes of one
/// method.
#[derive(Default)]
pub(crate) struct Searcher {
    /// A search for each method that was asked about so far.
    searches: Vec<(Method, Box<dyn Search>)>,
}

/// A shape and where it stands.
pub(crate) type Placed<'s> = (&'s Shape, &'s Pose);

impl Searcher {
    /// Calls a function with the searcher of the calling thread.
    pub(crate) fn of_thread<R>(ask: impl FnOnce(&mut Self) -> R) -> R {
        thread_local! {
            static SEARCHER: RefCell<Searcher> = RefCell::default();
        }
        // Taken out meanwhile: a method of the caller's own may call in here again.
        let mut searcher = SEARCHER.take();
        let answer = ask(&mut searcher);
        SEARCHER.set(searcher);
        answer
    }

    /// Some pair of faces that are within a distance of each other, if there is any.
    pub(crate) fn any_within(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        tolerance: f64,
    ) -> Option<FacePair> {
        self.ask(a, b, |search, question| {
            let question = Question { tolerance, ..*question };
            search.any(&question, &mut None)
        })
    }

    /// Whether volumes alone prove, with about `limit` tests at most, that no faces are within a distance of each
    /// other; and how many tests it took.
    pub(crate) fn is_clear(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        tolerance: f64,
        limit: u64,
    ) -> (bool, WalkCounts) {
        self.ask(a, b, |search, question| {
            let is_clear = search.is_clear(&Question { tolerance, ..*question }, limit);
            (is_clear, search.counts())
        })
    }

    /// Visits pairs of faces that are within a distance of each other, in any order, until told to stop.
    pub(crate) fn visit_within(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        tolerance: f64,
        visit: &mut dyn FnMut(FacePair) -> ControlFlow<()>,
    ) {
        self.ask(a, b, |search, question| {
            let _ = search.visit(&Question { tolerance, ..*question }, visit);
        });
    }

    /// Appends all pairs of faces that touch, sorted. Returns how many tests it took; zeros for methods that
    /// do not count.
    pub(crate) fn contacts(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        into: &mut Vec<FacePair>,
    ) -> WalkCounts {
        let start = into.len();
        let counts = self.ask(a, b, |search, question| {
            search.collect(question, into);
            search.counts()
        });
        FacePair::sort(&mut into[start..]);
        counts
    }

    /// The same, starting where the last search with this front ended.
    pub(crate) fn contacts_from(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        front: &mut Front,
        into: &mut Vec<FacePair>,
    ) -> WalkCounts {
        let start = into.len();
        let counts = self.ask(a, b, |search, question| {
            let _ = search.visit_from(question, front, &mut |pair| {
                into.push(pair);
                ControlFlow::Continue(())
            });
            search.counts()
        });
        FacePair::sort(&mut into[start..]);
        counts
    }

    /// Appends all pairs of faces of one shape that are in contact, sorted. Returns how many tests it took.
    pub(crate) fn self_contacts(
        &mut self,
        shape: &Shape,
        shared_by: SharedBy,
        threads: Threads,
        into: &mut Vec<FacePair>,
    ) -> WalkCounts {
        let start = into.len();
        let counts = self.ask_self(shape, shared_by, threads, |search, question| {
            search.collect_self(question, into);
            search.counts()
        });
        FacePair::sort(&mut into[start..]);
        counts
    }

    /// Some pair of faces of one shape that is in contact, if there is any.
    pub(crate) fn any_self_contact(
        &mut self,
        shape: &Shape,
        shared_by: SharedBy,
    ) -> Option<FacePair> {
        let mut any = None;
        self.ask_self(shape, shared_by, Threads::One, |search, question| {
            let _ = search.visit_self(question, &mut |pair| {
                any = Some(pair);
                ControlFlow::Break(())
            });
        });
        any
    }

    fn ask_self<R>(
        &mut self,
        shape: &Shape,
        shared_by: SharedBy,
        threads: Threads,
        ask: impl FnOnce(&mut dyn Search, &SelfQuestion<'_>) -> R,
    ) -> R {
        let vertices = match shared_by {
            SharedBy::Index => None,
            SharedBy::Position => Some(shape.same_vertices()),
        };
        // Other methods decide about neighbours one by one.
        let asks = shape.method() == Method::WIDE && shared_by == SharedBy::Index;
        let unfolded = asks.then(|| shape.unfolded_faces(threads));
        let body = (shape, &Pose::IDENTITY);
        self.ask(body, body, |search, question| {
            let question = question.on_threads(threads);
            ask(search, &SelfQuestion::new(question, vertices).with_unfolded(unfolded))
        })
    }

    /// Whether any faces touch.
    pub(crate) fn intersects(&mut self, a: Placed<'_>, b: Placed<'_>) -> bool {
        self.ask(a, b, |search, question| search.any(question, &mut None).is_some())
    }

    /// The least distance between the surfaces, to within a relative 1e-9, if it is at most a limit.
    pub(crate) fn distance_within(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        limit: f64,
    ) -> Option<MeshDistance> {
        let best = self.nearest(a, b, NearestFaces::roughly_within(limit));
        best.filter(|best| best.distance <= limit)
    }

    /// The least distance between the surfaces; `None` if a shape has no faces.
    pub(crate) fn distance(&mut self, a: Placed<'_>, b: Placed<'_>) -> Option<MeshDistance> {
        self.nearest(a, b, NearestFaces::default())
    }

    fn nearest(
        &mut self,
        a: Placed<'_>,
        b: Placed<'_>,
        mut nearest: NearestFaces,
    ) -> Option<MeshDistance> {
        self.ask(a, b, |search, question| search.nearest(question, &mut nearest));
        nearest.best()
    }

    fn ask<R>(
        &mut self,
        (a, pose_a): Placed<'_>,
        (b, pose_b): Placed<'_>,
        ask: impl FnOnce(&mut dyn Search, &Question<'_>) -> R,
    ) -> R {
        a.check_method(b).expect("callers refuse shapes of different methods");
        let method = a.method();
        let known = self.searches.iter().position(|(known, _)| *known == method);
        let place = known.unwrap_or_else(|| {
            self.searches.push((method, a.new_search()));
            self.searches.len() - 1
        });
        let bodies = [a.placed(pose_a), b.placed(pose_b)];
        ask(&mut *self.searches[place].1, &Question::touching(bodies))
    }
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Searcher")
    }
}

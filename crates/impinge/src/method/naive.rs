//! Every face of one body against every face of the other, with no bounding volume at all: the method that papers
//! measure others against (Kitamura, Takemura, Kishino 1994, section 3.1: every face against every edge).
//!
//! For such comparisons only, and as the simplest of all references: the time of a query grows with the product
//! of the numbers of faces, whether the bodies are near each other or not.

use super::{Found, MethodInfo, NearestFaces, Prepared, Question, Search, question::FaceTest};
use crate::{Bounds, FacePair, narrow::Triangle};
use std::{ops::ControlFlow, sync::Arc};

/// The method `naive`.
pub(super) static METHOD: MethodInfo = MethodInfo::new(
    "naive",
    "every face pair, no boxes, no index; very slow, for comparisons only",
    |_mesh, _threads| Arc::new(Nothing),
)
.paper("Kitamura, Takemura, Kishino 1994, section 3.1");

/// What this method prepares of a mesh: nothing.
#[derive(Debug)]
struct Nothing;

impl Prepared for Nothing {
    fn bytes(&self) -> usize {
        0
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(Naive::default())
    }
}

/// Memory for the placed faces of two bodies, reused from query to query.
#[derive(Default)]
struct Naive {
    placed: [Vec<Triangle>; 2],
}

impl Naive {
    fn place(&mut self, question: &Question<'_>) {
        for (placed, body) in self.placed.iter_mut().zip(&question.bodies) {
            placed.clear();
            placed.extend(body.triangles());
        }
    }

    /// All pairs of faces, as placed.
    fn pairs(&self) -> impl Iterator<Item = (FacePair, &Triangle, &Triangle)> {
        let [a, b] = &self.placed;
        (0..).zip(a).flat_map(move |(face, triangle)| {
            let pair = move |(other, other_triangle)| {
                (FacePair { a: face, b: other }, triangle, other_triangle)
            };
            (0..).zip(b).map(pair)
        })
    }
}

impl Search for Naive {
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()> {
        self.place(question);
        // The exact test needs a bound on the coordinates for its floating-point filter.
        let bounds = Bounds::enclosing(self.placed.iter().flatten().flatten().copied());
        let test: FaceTest = question.face_test(&bounds);
        let mut touching = self.pairs().filter(|(_, s, t)| test.accepts(s, t));
        touching.try_for_each(|(pair, ..)| found(pair))
    }

    fn nearest(&mut self, question: &Question<'_>, nearest: &mut NearestFaces) {
        self.place(question);
        self.pairs().for_each(|(pair, s, t)| nearest.offer(pair, s, t));
    }
}

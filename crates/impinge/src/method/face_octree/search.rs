//! The searches: of two bodies, and of a group of bodies at once.

use super::{
    FaceOctree, FaceOctreeOptions,
    gather::{Gathered, PlacedFace},
};
use crate::{
    Bounds, FacePair,
    method::{
        Found, Group, GroupPair, GroupSearch, GroupVisitor, NearestFaces, Question, Search,
        WalkCounts,
        brute::Brute,
        cells::{PairVisitor, Regions, Rules, Subdivision},
        group::visit_two,
        question::{FaceTest, Proximity},
    },
};
use std::ops::ControlFlow;

/// A search of two bodies or of a group. Holds memory only, reused from query to query.
#[derive(Default)]
pub(super) struct FaceOctreeSearch {
    gathered: Gathered,
    subdivision: Subdivision,
    counts: WalkCounts,
    /// For distances, which cells do not help to find.
    brute: Brute,
}

impl FaceOctreeSearch {
    /// Visits the pairs of faces of a group that touch or, if there are two bodies, are within a tolerance.
    fn run(
        &mut self,
        group: &Group<'_>,
        options: &FaceOctreeOptions,
        (tolerance, growth): (f64, f64),
        visitor: &mut dyn GroupVisitor,
    ) -> ControlFlow<()> {
        let Self { gathered, subdivision, counts, .. } = self;
        let FaceOctreeOptions { depth, division, cell_test } = *options;
        gathered.gather(group, growth, cell_test);
        let Gathered { faces, regions, .. } = gathered;
        let rules = Rules { depth, division, cell_test, regions, pairs: group.pairs() };
        let mut decide = Decide::new(regions, tolerance, visitor);
        let flow = subdivision.run(faces, &rules, &mut decide);
        *counts = WalkCounts {
            volume_tests: subdivision.tests,
            face_tests: decide.face_tests,
            placed: faces.len() as u64,
        };
        flow
    }
}

/// Decides about each pair of faces that share a cell.
struct Decide<'d> {
    regions: &'d Regions,
    tolerance: f64,
    visitor: &'d mut dyn GroupVisitor,
    /// The bodies that are compared, and the test of their faces.
    bodies: GroupPair,
    test: FaceTest,
    face_tests: u64,
}

impl<'d> Decide<'d> {
    fn new(regions: &'d Regions, tolerance: f64, visitor: &'d mut dyn GroupVisitor) -> Self {
        let test = FaceTest::new(tolerance, &Bounds::EMPTY);
        Self { regions, tolerance, visitor, bodies: [0, 1], test, face_tests: 0 }
    }
}

impl PairVisitor<PlacedFace> for Decide<'_> {
    fn begin(&mut self, bodies: GroupPair) {
        self.bodies = bodies;
        self.test = FaceTest::new(self.tolerance, &self.regions.around(bodies));
    }

    fn compare(&mut self, a: &PlacedFace, b: &PlacedFace) -> ControlFlow<()> {
        self.face_tests += 1;
        match self.test.accepts(&a.triangle, &b.triangle) {
            true => self.visitor.found(self.bodies, FacePair { a: a.face, b: b.face }),
            false => ControlFlow::Continue(()),
        }
    }

    fn pause(&mut self) -> ControlFlow<()> {
        self.visitor.pause()
    }
}

impl Search for FaceOctreeSearch {
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()> {
        self.counts = WalkCounts::default();
        if question.proximity() == Proximity::Apart {
            return ControlFlow::Continue(());
        }
        let options = question.prepared::<FaceOctree>()[0].options;
        let distances = (question.tolerance(), question.growth());
        visit_two(question, found, |group, visitor| self.run(group, &options, distances, visitor))
    }

    fn nearest(&mut self, question: &Question<'_>, nearest: &mut NearestFaces) {
        self.brute.nearest(question, nearest);
    }

    fn counts(&self) -> WalkCounts {
        self.counts
    }
}

impl GroupSearch for FaceOctreeSearch {
    fn visit(&mut self, group: &Group<'_>, visitor: &mut dyn GroupVisitor) -> ControlFlow<()> {
        let options = group.prepared().map(|octree: &FaceOctree| octree.options);
        self.run(group, &options.unwrap_or_default(), (0.0, 0.0), visitor)
    }

    fn counts(&self) -> WalkCounts {
        self.counts
    }
}

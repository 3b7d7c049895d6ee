//! The searches: of two bodies, and of a group of bodies at once.

use super::{
    FaceOctree, FaceOctreeOptions,
    gather::{Gathered, PlacedFace},
};
use crate::{
    Bounds, FacePair,
    distribution::{Crew, Push},
    method::{
        Found, Group, GroupPair, GroupSearch, GroupVisitor, NearestFaces, Question, Search,
        SearchSteps, WalkCounts,
        brute::Brute,
        cells::{PairVisitor, Regions, Rules, Subdivision},
        group::visit_two,
        question::{FaceTest, Proximity},
    },
    stopwatch::Stopwatch,
};
use std::{cell::RefCell, ops::ControlFlow};

/// A search of two bodies or of a group. Holds memory only, reused from query to query.
#[derive(Default)]
pub(super) struct FaceOctreeSearch {
    gathered: Gathered,
    subdivision: Subdivision,
    /// The workers that test pairs of faces, by their places in the list of faces.
    crew: Crew<[u32; 2]>,
    counts: WalkCounts,
    steps: Option<SearchSteps>,
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
        let Self { gathered, subdivision, crew, .. } = self;
        let FaceOctreeOptions { depth, division, cell_test, distribution } = *options;
        let mut stopwatch = Stopwatch::new(group.is_timed);
        gathered.find_regions(group, growth);
        let regions_time = stopwatch.stage_time();
        gathered.gather(group, growth, cell_test);
        let faces_time = stopwatch.stage_time();
        let Gathered { faces, regions, .. } = &*gathered;
        let rules = Rules { depth, division, cell_test, regions, pairs: group.pairs() };
        let (flow, face_tests);
        if let Some(distribution) = distribution {
            // Both the subdivision, now and then, and the workers report to the visitor, but not at the same time.
            let visitor = RefCell::new(visitor);
            flow = crew.run(
                (distribution, group.threads()),
                &mut stopwatch,
                |push| {
                    let pause = &mut || visitor.borrow_mut().pause();
                    subdivision.run(faces, &rules, &mut List { push, pause })
                },
                &|| {
                    let mut test = PairTest::new(regions, tolerance);
                    move |places: &[u32; 2]| {
                        let [a, b] = places.map(|place| &faces[place as usize]);
                        test.begin([a.body, b.body]);
                        test.accepts(a, b)
                    }
                },
                &mut |places| {
                    let [a, b] = places.map(|place| &faces[place as usize]);
                    let found = FacePair { a: a.face, b: b.face };
                    visitor.borrow_mut().found([a.body, b.body], found)
                },
            );
            face_tests = crew.work.items;
        } else {
            let mut decide = Decide { test: PairTest::new(regions, tolerance), visitor, tests: 0 };
            flow = subdivision.run(faces, &rules, &mut decide);
            face_tests = decide.tests;
        }
        self.steps = distribution.map(|_| SearchSteps {
            regions: regions_time,
            faces: faces_time,
            pairs: crew.work,
        });
        self.counts =
            WalkCounts { volume_tests: subdivision.tests, face_tests, placed: faces.len() as u64 };
        flow
    }
}

/// The exact test of pairs of faces, for one pair of bodies after the other.
struct PairTest<'t> {
    regions: &'t Regions,
    tolerance: f64,
    /// The bodies whose faces are tested.
    bodies: Option<GroupPair>,
    test: FaceTest,
}

impl<'t> PairTest<'t> {
    fn new(regions: &'t Regions, tolerance: f64) -> Self {
        Self { regions, tolerance, bodies: None, test: FaceTest::new(tolerance, &Bounds::EMPTY) }
    }

    /// Prepares for faces of two bodies.
    fn begin(&mut self, bodies: GroupPair) {
        if self.bodies != Some(bodies) {
            self.bodies = Some(bodies);
            self.test = FaceTest::new(self.tolerance, &self.regions.around(bodies));
        }
    }

    fn accepts(&self, a: &PlacedFace, b: &PlacedFace) -> bool {
        self.test.accepts(&a.triangle, &b.triangle)
    }
}

/// Decides about each pair of faces that share a cell.
struct Decide<'d> {
    test: PairTest<'d>,
    visitor: &'d mut dyn GroupVisitor,
    tests: u64,
}

impl PairVisitor<PlacedFace> for Decide<'_> {
    fn begin(&mut self, bodies: GroupPair) {
        self.test.begin(bodies);
    }

    fn compare(&mut self, _: [u32; 2], a: &PlacedFace, b: &PlacedFace) -> ControlFlow<()> {
        self.tests += 1;
        match self.test.accepts(a, b) {
            true => self.visitor.found([a.body, b.body], FacePair { a: a.face, b: b.face }),
            false => ControlFlow::Continue(()),
        }
    }

    fn pause(&mut self) -> ControlFlow<()> {
        self.visitor.pause()
    }
}

/// Passes the places of each pair of faces that share a cell on to workers.
struct List<'l, 'p> {
    push: &'l mut Push<'p, [u32; 2]>,
    pause: &'l mut dyn FnMut() -> ControlFlow<()>,
}

impl PairVisitor<PlacedFace> for List<'_, '_> {
    fn begin(&mut self, _: GroupPair) {}

    fn compare(&mut self, places: [u32; 2], _: &PlacedFace, _: &PlacedFace) -> ControlFlow<()> {
        (self.push)(places)
    }

    fn pause(&mut self) -> ControlFlow<()> {
        (self.pause)()
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

    fn steps(&self) -> Option<SearchSteps> {
        self.steps
    }
}

//! The searches: of two bodies, and of a group of bodies at once.

use super::{
    OctreeOptions,
    place::{MovedCube, MovedCubes, octree_of},
    rebuild::Rebuilt,
    source::SourceOctree,
};
use crate::{
    Bounds, FacePair,
    method::{
        Found, Group, GroupPair, GroupSearch, GroupVisitor, NearestFaces, PlacedShape, Question,
        Search, WalkCounts,
        brute::Brute,
        cells::{
            CellItem, CellTest, Division, PairVisitor, Regions, Rules, Subdivision,
            SubdivisionDepth, grown_outward, may_meet,
        },
        group::visit_two,
        question::{FaceTest, Proximity},
    },
    narrow::Triangle,
    pair_map::QuadSet,
};
use std::ops::ControlFlow;

/// A search of two bodies or of a group. Holds memory only, reused from query to query.
#[derive(Default)]
pub(super) struct OctreeSearch {
    moved: MovedCubes,
    subdivision: Subdivision,
    rebuilt: Rebuilt,
    faces: Faces,
    counts: WalkCounts,
    /// For distances, and for bodies that no cubes can tell apart.
    brute: Brute,
}

/// Memory for the faces that are compared.
#[derive(Default)]
struct Faces {
    /// Those of two cubes.
    lists: [Vec<PlacedFace>; 2],
    /// All faces of two bodies, if cubes do not know theirs, and which bodies these are.
    all: [Vec<PlacedFace>; 2],
    placed_for: Option<GroupPair>,
    /// The pairs that were compared: bodies, then faces. Faces share many cubes.
    compared: QuadSet,
}

#[derive(Clone, Copy)]
struct PlacedFace {
    face: u32,
    /// Grown by the tolerance for body 0.
    bounds: Bounds,
    triangle: Triangle,
}

impl PlacedFace {
    fn new(shape: &PlacedShape<'_>, face: u32, growth: f64) -> Self {
        let triangle = shape.triangle(face);
        let bounds = grown_outward(&Bounds::enclosing(triangle), growth);
        Self { face, bounds, triangle }
    }
}

impl OctreeSearch {
    /// Visits the pairs of faces of a group that touch or, if there are two bodies, are within a tolerance.
    fn run(
        &mut self,
        group: &Group<'_>,
        options: &OctreeOptions,
        (tolerance, growth): (f64, f64),
        visitor: &mut dyn GroupVisitor,
    ) -> ControlFlow<()> {
        let Self { moved, subdivision, rebuilt, faces, counts, .. } = self;
        moved.place(group, options, (tolerance, growth));
        let MovedCubes { cubes, regions } = moved;
        faces.compared.clear();
        faces.placed_for = None;
        let rules = Rules {
            depth: options.level,
            division: Division::Octree,
            cell_test: CellTest::Bounds,
            regions,
            pairs: group.pairs(),
        };
        let mut decide = Decide {
            group,
            regions,
            has_links: options.linked_faces,
            tolerance,
            growth,
            visitor,
            faces,
            bodies: [0, 1],
            shapes: [None; 2],
            test: FaceTest::new(tolerance, &Bounds::EMPTY),
            face_tests: 0,
        };
        let (flow, volume_tests) = if options.progressive {
            let flow = subdivision.run(cubes, &rules, &mut decide);
            (flow, subdivision.tests)
        } else {
            let level = match options.level {
                SubdivisionDepth::Auto => OctreeOptions::MAX_LEVEL,
                SubdivisionDepth::Level(level) => level,
            };
            let flow = rebuilt.run(cubes, &rules, level.into(), &mut decide);
            (flow, rebuilt.tests)
        };
        let face_tests = decide.face_tests;
        *counts = WalkCounts { volume_tests, face_tests, placed: cubes.len() as u64 };
        flow
    }
}

/// Decides about the faces of each pair of cubes that interfere.
struct Decide<'d, 'g> {
    group: &'d Group<'g>,
    regions: &'d Regions,
    has_links: bool,
    tolerance: f64,
    growth: f64,
    visitor: &'d mut dyn GroupVisitor,
    faces: &'d mut Faces,
    /// The bodies that are compared, and the test of their faces.
    bodies: GroupPair,
    shapes: [Option<(PlacedShape<'g>, &'g SourceOctree)>; 2],
    test: FaceTest,
    face_tests: u64,
}

impl Decide<'_, '_> {
    /// Lists the faces of a body that reach into the intersection of two cubes, one of which is of that body.
    fn list_faces(&mut self, side: usize, cube: &MovedCube, common: &Bounds) {
        let Faces { lists, all, .. } = &mut *self.faces;
        let list = &mut lists[side];
        list.clear();
        let Some((shape, octree)) = self.shapes[side] else { return };
        let growth = if cube.body() == 0 { self.growth } else { 0.0 };
        if self.has_links {
            let faces = octree.faces(cube.leaf).iter();
            let faces = faces.map(|&face| PlacedFace::new(&shape, face, growth));
            list.extend(faces.filter(|face| face.bounds.overlaps(common)));
        } else {
            let faces = all[side].iter().filter(|face| {
                face.bounds.overlaps(common) && (growth > 0.0 || may_meet(&face.triangle, common))
            });
            list.extend(faces.copied());
        }
    }

    /// Places all faces of both bodies, for cubes that do not know their faces.
    fn place_all(&mut self) {
        if self.has_links || self.faces.placed_for == Some(self.bodies) {
            return;
        }
        self.faces.placed_for = Some(self.bodies);
        for side in 0..2 {
            let all = &mut self.faces.all[side];
            all.clear();
            let Some((shape, _)) = self.shapes[side] else { continue };
            let growth = if self.bodies[side] == 0 { self.growth } else { 0.0 };
            let faces = 0..shape.mesh.faces().len() as u32;
            all.extend(faces.map(|face| PlacedFace::new(&shape, face, growth)));
        }
    }
}

impl PairVisitor<MovedCube> for Decide<'_, '_> {
    fn begin(&mut self, bodies: GroupPair) {
        self.bodies = bodies;
        self.test = FaceTest::new(self.tolerance, &self.regions.around(bodies));
        self.shapes = bodies.map(|body| {
            let shape = self.group.body(body)?;
            Some((shape, octree_of(&shape)?))
        });
        self.place_all();
    }

    fn compare(&mut self, _: [u32; 2], a: &MovedCube, b: &MovedCube) -> ControlFlow<()> {
        let common = a.bounds().intersection(b.bounds());
        self.list_faces(0, a, &common);
        if self.faces.lists[0].is_empty() {
            return ControlFlow::Continue(());
        }
        self.list_faces(1, b, &common);
        let Faces { lists: [a, b], compared, .. } = &mut *self.faces;
        for f in &*a {
            for g in b.iter().filter(|g| f.bounds.overlaps(&g.bounds)) {
                let [body, other] = self.bodies;
                if !compared.insert([body, other, f.face, g.face]) {
                    continue;
                }
                self.face_tests += 1;
                if self.test.accepts(&f.triangle, &g.triangle) {
                    self.visitor.found(self.bodies, FacePair { a: f.face, b: g.face })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pause(&mut self) -> ControlFlow<()> {
        self.visitor.pause()
    }
}

impl Search for OctreeSearch {
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()> {
        self.counts = WalkCounts::default();
        match question.proximity() {
            Proximity::Apart => return ControlFlow::Continue(()),
            Proximity::Blurred => return self.brute.visit(question, found),
            Proximity::Near => {}
        }
        let options = question.prepared::<SourceOctree>()[0].options;
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

impl GroupSearch for OctreeSearch {
    fn visit(&mut self, group: &Group<'_>, visitor: &mut dyn GroupVisitor) -> ControlFlow<()> {
        let options = group.prepared().map(|octree: &SourceOctree| octree.options);
        self.run(group, &options.unwrap_or_default(), (0.0, 0.0), visitor)
    }

    fn counts(&self) -> WalkCounts {
        self.counts
    }
}

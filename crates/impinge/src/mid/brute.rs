//! The reference: every face pair whose boxes overlap, then the exact test.
//!
//! Kept plain, because everything else is compared with it. Only faces that reach the other body's
//! box are looked at, and the boxes are compared in the order in which they begin along one axis.
//! Two intervals overlap exactly if one of them begins within the other, so it is enough to look,
//! for each face, at the faces of the other body that begin within it.

use super::{
    FacePair, OpenPair, Search, Threads,
    cache::Spot,
    distance::{Least, gap},
    question::{FaceTest, Question},
    timed::Meter,
    tree::Front,
};
use crate::{Bounds, Mesh, Pose, narrow::Triangle};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Two meshes, and room for their placed faces, reused from query to query.
pub(super) struct Brute<'m> {
    a: Body<'m>,
    b: Body<'m>,
}

/// Room for any pair of meshes, one after the other.
#[derive(Default)]
pub(super) struct Room([(Vec<DVec3>, Vec<PlacedFace>); 2]);

impl Room {
    /// Asks something about two meshes, which need not be those of the last time.
    pub(super) fn search<R>(
        &mut self,
        a: &Mesh,
        b: &Mesh,
        ask: impl FnOnce(&mut dyn Search) -> R,
    ) -> R {
        let [(positions_a, faces_a), (positions_b, faces_b)] = std::mem::take(&mut self.0);
        let mut brute = Brute {
            a: Body { mesh: a, positions: positions_a, faces: faces_a },
            b: Body { mesh: b, positions: positions_b, faces: faces_b },
        };
        let answer = ask(&mut brute);
        self.0 = [brute.a, brute.b].map(|body| (body.positions, body.faces));
        answer
    }
}

struct Body<'m> {
    mesh: &'m Mesh,
    positions: Vec<DVec3>,
    /// The faces that reach the other body's box, by where they begin along the sweep axis.
    faces: Vec<PlacedFace>,
}

struct PlacedFace {
    face: u32,
    bounds: Bounds,
    triangle: Triangle,
}

impl<'m> Brute<'m> {
    pub(super) fn new(a: &'m Mesh, b: &'m Mesh) -> Self {
        let body = |mesh| Body { mesh, positions: Vec::new(), faces: Vec::new() };
        Self { a: body(a), b: body(b) }
    }

    /// Places both bodies and returns the sweep over them.
    fn place(&mut self, question: &Question) -> Sweep<'_> {
        let a_bounds = self.a.place(&question.pose_a);
        let b_bounds = self.b.place(&question.pose_b);
        // Sweep where the bodies share the longest stretch: there the fewest intervals overlap.
        let common = a_bounds.max.min(b_bounds.max) - a_bounds.min.max(b_bounds.min);
        let axis = common.max_position();
        // Boxes within a distance of each other overlap when one of them has grown by it. Rounding
        // does not matter: it keeps the order of the sum and the other box's side.
        let grow = question.growth();
        self.a.gather(&b_bounds, axis, grow);
        self.b.gather(&grown(&a_bounds, grow), axis, 0.0);
        let mut bounds = a_bounds;
        bounds.merge(&b_bounds);
        Sweep { a: &self.a.faces, b: &self.b.faces, axis, test: question.face_test(&bounds) }
    }
}

impl Body<'_> {
    fn place(&mut self, pose: &Pose) -> Bounds {
        self.positions.clear();
        self.positions.extend(self.mesh.positions().iter().map(|&p| pose.place(p)));
        let corners = self.mesh.faces().iter().flatten();
        Bounds::enclosing(corners.map(|&vertex| self.positions[vertex as usize]))
    }

    fn gather(&mut self, reach: &Bounds, axis: usize, grow: f64) {
        self.faces.clear();
        for (face, corners) in (0..).zip(self.mesh.faces()) {
            let triangle = corners.map(|vertex| self.positions[vertex as usize]);
            let bounds = grown(&Bounds::enclosing(triangle), grow);
            if bounds.overlaps(reach) {
                self.faces.push(PlacedFace { face, bounds, triangle });
            }
        }
        let begin = |face: &PlacedFace| face.bounds.min[axis];
        self.faces.sort_unstable_by(|f, g| begin(f).total_cmp(&begin(g)));
    }
}

fn grown(bounds: &Bounds, by: f64) -> Bounds {
    Bounds { min: bounds.min - by, max: bounds.max + by }
}

/// Two lists of faces, sorted by where they begin along an axis.
struct Sweep<'f> {
    a: &'f [PlacedFace],
    b: &'f [PlacedFace],
    axis: usize,
    test: FaceTest,
}

impl Sweep<'_> {
    fn pairs(&self) -> impl Iterator<Item = FacePair> {
        let of_a = self.a.iter().flat_map(|face| self.beginning_within_a(face));
        of_a.chain(self.b.iter().flat_map(|face| self.beginning_within_b(face)))
    }

    /// What touches a face of `a` and begins within it, at or after its start.
    fn beginning_within_a(&self, a: &PlacedFace) -> impl Iterator<Item = FacePair> {
        let start = self.b.partition_point(|b| self.begin(b) < self.begin(a));
        self.touching(a, &self.b[start..]).map(|b| FacePair { a: a.face, b })
    }

    /// What touches a face of `b` and begins within it, after its start.
    fn beginning_within_b(&self, b: &PlacedFace) -> impl Iterator<Item = FacePair> {
        let start = self.a.partition_point(|a| self.begin(a) <= self.begin(b));
        self.touching(b, &self.a[start..]).map(|a| FacePair { a, b: b.face })
    }

    fn begin(&self, face: &PlacedFace) -> f64 {
        face.bounds.min[self.axis]
    }

    /// Those of `others`, which do not begin before `face` does, that touch it.
    fn touching(&self, face: &PlacedFace, others: &[PlacedFace]) -> impl Iterator<Item = u32> {
        let end = face.bounds.max[self.axis];
        others
            .iter()
            .take_while(move |other| self.begin(other) <= end)
            .filter(|other| face.bounds.overlaps(&other.bounds))
            .filter(|other| self.test.accepts(&face.triangle, &other.triangle))
            .map(|other| other.face)
    }
}

impl Search for Brute<'_> {
    fn any(
        &mut self,
        question: &Question,
        threads: Threads,
        spot: &mut Option<Spot>,
    ) -> Option<FacePair> {
        *spot = None;
        let sweep = self.place(question);
        let hit_a = |face: &PlacedFace| sweep.beginning_within_a(face).next();
        let hit_b = |face: &PlacedFace| sweep.beginning_within_b(face).next();
        match threads {
            Threads::One => {
                sweep.a.iter().find_map(hit_a).or_else(|| sweep.b.iter().find_map(hit_b))
            }
            Threads::Pool => {
                let hit = sweep.a.par_iter().find_map_any(hit_a);
                hit.or_else(|| sweep.b.par_iter().find_map_any(hit_b))
            }
        }
    }

    fn collect(&mut self, question: &Question, threads: Threads, contacts: &mut Vec<FacePair>) {
        let sweep = self.place(question);
        match threads {
            Threads::One => contacts.extend(sweep.pairs()),
            Threads::Pool => {
                let of_a = |face| sweep.beginning_within_a(face);
                let of_b = |face| sweep.beginning_within_b(face);
                contacts.par_extend(sweep.a.par_iter().flat_map_iter(of_a));
                contacts.par_extend(sweep.b.par_iter().flat_map_iter(of_b));
            }
        }
    }

    /// There are no nodes that a front could be made of.
    fn visit(
        &mut self,
        question: &Question,
        _front: Option<&mut Front>,
        visit: &mut dyn FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.place(question).pairs().try_for_each(visit)
    }

    fn near(&mut self, question: &Question, least: &mut Least) {
        let everything = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        for (body, pose) in [(&mut self.a, &question.pose_a), (&mut self.b, &question.pose_b)] {
            body.place(pose);
            body.gather(&everything, 0, 0.0);
        }
        for a in &self.a.faces {
            for b in &self.b.faces {
                if !least.can_skip(gap(&a.bounds, &b.bounds)) {
                    least.offer(FacePair { a: a.face, b: b.face }, &a.triangle, &b.triangle);
                }
            }
        }
    }

    fn begin(&mut self, _question: &Question) {}

    /// Without nodes there is nothing in between: it takes the time it takes.
    fn advance(
        &mut self,
        question: &Question,
        _meter: &mut Meter,
        _wants_all: bool,
        contacts: &mut Vec<FacePair>,
    ) -> bool {
        self.collect(question, Threads::One, contacts);
        true
    }

    fn left_open(&self) -> (usize, f64) {
        (0, 0.0)
    }

    fn visit_open(&self, _visit: &mut dyn FnMut(OpenPair<'_>)) {}

    /// There is no index: everything is done anew for each query.
    fn index_bytes(&self) -> usize {
        0
    }
}

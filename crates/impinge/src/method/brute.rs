//! The reference: every face pair whose boxes overlap, then the exact test.
//!
//! Kept plain, because everything else is compared with it. Only faces that reach the other body's
//! box are looked at, and the boxes are compared in the order in which they begin along one axis.
//! Two intervals overlap exactly if one of them begins within the other, so it is enough to look,
//! for each face, at the faces of the other body that begin within it.

use super::{
    Found, Hint, MethodInfo, NearestFaces, PlacedShape, Prepared, Question, Search, nearest::gap,
    question::FaceTest,
};
use crate::{Bounds, FacePair, Threads, narrow::Triangle};
use glam::DVec3;
use rayon::prelude::*;
use std::{ops::ControlFlow, sync::Arc};

/// The method `brute`.
pub(super) static METHOD: MethodInfo = MethodInfo::new(
    "brute",
    "every face pair whose boxes overlap; no index; the reference",
    |_mesh, _threads| Arc::new(Nothing),
);

/// What this method prepares of a mesh: nothing. Everything is done anew for each query.
#[derive(Debug)]
struct Nothing;

/// For searches that need nothing prepared of a mesh.
pub(crate) const NOTHING_PREPARED: &dyn Prepared = &Nothing;

impl Prepared for Nothing {
    fn bytes(&self) -> usize {
        0
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(Brute::default())
    }
}

/// Memory for the placed faces of two bodies, reused from query to query.
#[derive(Default)]
pub(super) struct Brute {
    a: Body,
    b: Body,
}

#[derive(Default)]
struct Body {
    positions: Vec<DVec3>,
    /// The faces that reach the other body's box, by where they begin along the sweep axis.
    faces: Vec<PlacedFace>,
}

struct PlacedFace {
    face: u32,
    bounds: Bounds,
    triangle: Triangle,
}

impl Brute {
    /// Places both bodies and returns the sweep over them.
    fn place(&mut self, question: &Question<'_>) -> Sweep<'_> {
        let [a, b] = &question.bodies;
        let (a_bounds, b_bounds) = (self.a.place(a), self.b.place(b));
        // Sweep where the bodies share the longest stretch: there the fewest intervals overlap.
        let common = a_bounds.max.min(b_bounds.max) - a_bounds.min.max(b_bounds.min);
        let axis = common.max_position();
        // Boxes within a distance of each other overlap when one of them has grown by it. Rounding
        // does not matter: it keeps the order of the sum and the other box's side.
        let grow = question.growth();
        self.a.gather(a, &b_bounds, axis, grow);
        self.b.gather(b, &a_bounds.grown(grow), axis, 0.0);
        let mut bounds = a_bounds;
        bounds.merge(&b_bounds);
        Sweep { a: &self.a.faces, b: &self.b.faces, axis, test: question.face_test(&bounds) }
    }
}

impl Body {
    /// Places all positions, and returns the bounds of all faces.
    fn place(&mut self, shape: &PlacedShape<'_>) -> Bounds {
        self.positions.clear();
        self.positions.extend(shape.mesh.positions().iter().map(|&p| shape.pose.place(p)));
        let corners = shape.mesh.faces().iter().flatten();
        Bounds::enclosing(corners.map(|&vertex| self.positions[vertex as usize]))
    }

    /// Keeps the faces whose boxes, grown by a distance, reach into some bounds, sorted along an axis.
    fn gather(&mut self, shape: &PlacedShape<'_>, reach: &Bounds, axis: usize, grow: f64) {
        self.faces.clear();
        for (face, corners) in (0..).zip(shape.mesh.faces()) {
            let triangle = corners.map(|vertex| self.positions[vertex as usize]);
            let bounds = Bounds::enclosing(triangle).grown(grow);
            if bounds.overlaps(reach) {
                self.faces.push(PlacedFace { face, bounds, triangle });
            }
        }
        let begin = |face: &PlacedFace| face.bounds.min[axis];
        self.faces.sort_unstable_by(|f, g| begin(f).total_cmp(&begin(g)));
    }
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

impl Search for Brute {
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()> {
        self.place(question).pairs().try_for_each(found)
    }

    fn any(&mut self, question: &Question<'_>, hint: &mut Option<Hint>) -> Option<FacePair> {
        *hint = None;
        let sweep = self.place(question);
        let hit_a = |face: &PlacedFace| sweep.beginning_within_a(face).next();
        let hit_b = |face: &PlacedFace| sweep.beginning_within_b(face).next();
        match question.threads {
            Threads::One => {
                sweep.a.iter().find_map(hit_a).or_else(|| sweep.b.iter().find_map(hit_b))
            }
            Threads::Pool => {
                let hit = sweep.a.par_iter().find_map_any(hit_a);
                hit.or_else(|| sweep.b.par_iter().find_map_any(hit_b))
            }
        }
    }

    fn collect(&mut self, question: &Question<'_>, contacts: &mut Vec<FacePair>) {
        let sweep = self.place(question);
        match question.threads {
            Threads::One => contacts.extend(sweep.pairs()),
            Threads::Pool => {
                let of_a = |face| sweep.beginning_within_a(face);
                let of_b = |face| sweep.beginning_within_b(face);
                contacts.par_extend(sweep.a.par_iter().flat_map_iter(of_a));
                contacts.par_extend(sweep.b.par_iter().flat_map_iter(of_b));
            }
        }
    }

    fn nearest(&mut self, question: &Question<'_>, nearest: &mut NearestFaces) {
        let everything = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        for (body, shape) in [&mut self.a, &mut self.b].into_iter().zip(&question.bodies) {
            body.place(shape);
            body.gather(shape, &everything, 0, 0.0);
        }
        for a in &self.a.faces {
            for b in &self.b.faces {
                if !nearest.can_skip(gap(&a.bounds, &b.bounds)) {
                    nearest.offer(FacePair { a: a.face, b: b.face }, &a.triangle, &b.triangle);
                }
            }
        }
    }
}

//! How deep the surface of one part reaches into the solid of the other.
//!
//! `check.rs` calls this for pairs of parts that touch or may contain each other. It probes points
//! of one surface. `solid.rs` decides whether a point lies inside the other solid; the
//! depth of an inside point is its distance to that solid's surface. The probed points are
//! - all vertices inside the other solid: first those of faces that touch the other part, then all
//!   that can be reached from them across faces that do not touch it, because the other surface
//!   cannot lie in between;
//! - the middles of chords in faces that touch the other part. A chord runs from a segment of the
//!   intersection curve straight across the face to the next segment or to the border. (Two
//!   crossing bars have no vertex inside each other.)
//! - the centroids of faces inside that do not touch the other part;
//! - starting from the deepest of these, points of the same face that are farther from the closest
//!   point.
//!
//! All of them are points of the surface, so the result is never more than the true depth.
//!
//! Where the surfaces coincide and both solids lie on the same side, no point of either surface is
//! inside the other solid. There the probe takes points below the shared patch. A point inside both
//! solids is worth the sum of its distances to the two surfaces: a translation that frees the parts has
//! to move the ball around it in one solid out of the ball around it in the other.

use super::{
    Effort,
    band::Band,
    common::{Kind, Piece, unit_normal},
    placed::Placed,
    solid::Location,
};
use crate::{Bounds, FacePair, NearestPoint, method::PointScratch, narrow::nearest_point};
use glam::DVec3;
use std::cmp::Reverse;

/// What probing found: how deep parts reach into each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// The largest depth: no shorter translation frees the parts.
    pub(super) depth: f64,
    /// The largest depth beyond the touch band of the faces there; negative if all are within it.
    pub(super) excess: f64,
    /// The touch band where the excess is largest.
    pub(super) band: f64,
    /// The deepest point, and the touch band there.
    pub(super) point: DVec3,
    pub(super) band_at_point: f64,
    /// From the deepest point to the closest point of the surface that it has to leave.
    pub(super) outward: DVec3,
    /// Whether some point may be inside or outside, depending on how holes would be closed.
    pub(super) is_undecided: bool,
    /// A translation within the touch band that lets a plane separate the parts, if there is one.
    pub(super) separation: Option<DVec3>,
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            depth: 0.0,
            excess: f64::NEG_INFINITY,
            band: 0.0,
            point: DVec3::ZERO,
            band_at_point: 0.0,
            outward: DVec3::ZERO,
            is_undecided: false,
            separation: None,
        }
    }
}

impl Reach {
    /// Takes what another probe found as well.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.depth > self.depth {
            (self.depth, self.point, self.outward) = (other.depth, other.point, other.outward);
            self.band_at_point = other.band_at_point;
        }
        if other.excess > self.excess {
            (self.excess, self.band) = (other.excess, other.band);
        }
        self.is_undecided |= other.is_undecided;
    }

    /// Takes a point of a certain depth.
    pub(super) fn offer(&mut self, depth: f64, band: f64, point: DVec3, outward: DVec3) {
        let excess = depth - band;
        let band_at_point = band;
        self.merge(&Self { depth, excess, band, point, band_at_point, outward, ..Self::default() });
    }

    /// Shallower points than this change nothing.
    pub(super) fn floor(&self, least_band: f64) -> f64 {
        self.depth.min((self.excess + least_band).max(0.0))
    }
}

/// A face that touches the other part, and the index of a piece of the intersection on it.
pub(super) type Touching = (u32, u32);

/// Finds the deepest points of one part in another. Keeps its scratch memory from pair to pair.
#[derive(Debug, Default)]
pub(super) struct DepthProbe {
    seen: Marks,
    touched: Marks,
    touched_pieces: Marks,
    points: Vec<DVec3>,
    origins: Vec<Origin>,
    flood: Vec<u32>,
    stack: PointScratch,
    crossed_faces: Vec<CrossedFace>,
}

/// The mesh element a sample point came from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Vertex(u32),
    Face(u32),
}

/// A face that the intersection curve crosses: the range of its entries in the list of touching
/// faces, and the length of its longest curve segment.
#[derive(Clone, Copy, Debug)]
struct CrossedFace {
    face: u32,
    longest: f64,
    start: u32,
    end: u32,
}

/// What was found so far, and where the deepest point came from.
#[derive(Clone, Copy, Debug)]
struct Deepest {
    reach: Reach,
    origin: Option<Origin>,
    band: Band,
    effort: Effort,
}

impl Deepest {
    /// Whether the verdict is known and nothing else is asked for.
    fn is_enough(&self) -> bool {
        self.effort == Effort::Quick && self.reach.excess > 0.0
    }
}

/// Faces searched for chords at first, those with the longest curve segments. The others are
/// searched only if nothing was deeper than the touch band.
const CHORD_FACES: usize = 64;
/// Chords started per face, longest curve segments first.
const CHORDS_PER_FACE: usize = 4;
/// Faces climbed per vertex.
const FACES_PER_VERTEX: usize = 6;
/// Shared patches probed, largest first, and how often the step below a patch is halved.
const MAX_PATCHES: usize = 16;
const MAX_HALVINGS: usize = 24;
/// Steps away from the closest point when climbing.
const CLIMB_STEPS: usize = 24;

impl DepthProbe {
    /// Returns how deep the surface of `inner` reaches into the solid of `outer`.
    ///
    /// `touching` lists the faces of `inner` that touch `outer`, sorted, each with its piece of the
    /// intersection.
    pub(super) fn depth(
        &mut self,
        (inner, outer): (Placed<'_>, Placed<'_>),
        touching: &[Touching],
        pieces: &[Piece],
        band: Band,
        effort: Effort,
    ) -> Reach {
        let mut deepest = Deepest { reach: Reach::default(), origin: None, band, effort };
        if !outer.solid().is_solid {
            return deepest.reach;
        }
        self.begin(inner, touching, pieces);
        self.add_vertices(inner, outer.bounds, touching);
        let mut faces = std::mem::take(&mut self.crossed_faces);
        for (round, end) in [faces.len().min(CHORD_FACES), faces.len()].into_iter().enumerate() {
            let first = if round == 0 { 0 } else { faces.len().min(CHORD_FACES) };
            for face in &faces[first..end] {
                self.add_chords(inner, outer.bounds, face, touching, pieces);
            }
            self.measure(inner, outer, &mut deepest);
            if deepest.reach.excess > 0.0 {
                break;
            }
        }
        faces.clear();
        self.crossed_faces = faces;
        if !deepest.is_enough() {
            self.climb(inner, outer, &mut deepest);
        }
        deepest.reach
    }

    /// Marks the faces and connected pieces that touch, and sorts the faces with curve segments by
    /// length.
    fn begin(&mut self, inner: Placed<'_>, touching: &[Touching], pieces: &[Piece]) {
        let surface = inner.surface();
        let [vertices, faces] = surface.counts();
        self.seen.begin(vertices);
        self.touched.begin(faces);
        self.touched_pieces.begin(surface.pieces.len());
        self.crossed_faces.clear();
        let mut start = 0;
        for same in touching.chunk_by(|p, q| p.0 == q.0) {
            let (face, end) = (same[0].0, start + same.len() as u32);
            self.touched.set(face);
            self.touched_pieces.set(surface.piece_of(face));
            let length = |&(_, piece): &Touching| pieces[piece as usize].length();
            let longest = same.iter().map(length).fold(0.0, f64::max);
            if longest > 0.0 {
                self.crossed_faces.push(CrossedFace { face, longest, start, end });
            }
            start = end;
        }
        let rank = |it: &CrossedFace| (Reverse(it.longest.to_bits()), it.face);
        self.crossed_faces.sort_unstable_by_key(rank);
        self.points.clear();
        self.origins.clear();
    }

    /// Adds the vertices of all touching faces, and one vertex of every connected piece that does
    /// not touch.
    fn add_vertices(&mut self, inner: Placed<'_>, bounds: &Bounds, touching: &[Touching]) {
        let surface = inner.surface();
        let Self { seen, touched_pieces, points, origins, .. } = self;
        let mut add = |vertex: u32| {
            let point = inner.vertex(vertex);
            if seen.set(vertex) && bounds.contains(point) {
                points.push(point);
                origins.push(Origin::Vertex(vertex));
            }
        };
        for same in touching.chunk_by(|p, q| p.0 == q.0) {
            surface.corners(same[0].0).into_iter().for_each(&mut add);
        }
        for (piece, &vertex) in (0..).zip(&surface.pieces) {
            if !touched_pieces.is_set(piece) {
                add(vertex);
            }
        }
    }

    /// Adds the middles of chords of a face, from its longest segments across to the next segment
    /// or to the border.
    fn add_chords(
        &mut self,
        inner: Placed<'_>,
        bounds: &Bounds,
        crossed: &CrossedFace,
        touching: &[Touching],
        pieces: &[Piece],
    ) {
        let triangle = inner.triangle(crossed.face);
        let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
        // A chord must not end at the segment it started from.
        let margin = 1e-9 * (triangle[1] - triangle[0]).length().max(crossed.longest);
        let here = &touching[crossed.start as usize..crossed.end as usize];
        let segment = |&(_, piece): &Touching| pieces[piece as usize].segment();
        let mut longest: Vec<[DVec3; 2]> = here.iter().filter_map(segment).collect();
        if longest.len() > CHORDS_PER_FACE {
            let rank = |[p, q]: &[DVec3; 2]| Reverse(p.distance_squared(*q).to_bits());
            longest.select_nth_unstable_by_key(CHORDS_PER_FACE, rank);
            longest.truncate(CHORDS_PER_FACE);
        }
        for [from, to] in longest {
            let middle = (from + to) * 0.5;
            let across = normal.cross(to - from).normalize_or_zero();
            for way in [across, -across] {
                let borders = [0, 1, 2].map(|i| [triangle[i], triangle[(i + 1) % 3]]);
                let pieces = here.iter().filter_map(segment);
                let reach = pieces
                    .chain(borders)
                    .filter_map(|segment| crossing(middle, way, normal, segment))
                    .filter(|&reach| reach > margin)
                    .fold(f64::INFINITY, f64::min);
                let point = nearest_point(&triangle, middle + way * (0.5 * reach));
                if point.is_finite() && bounds.contains(point) {
                    self.points.push(point);
                    self.origins.push(Origin::Face(crossed.face));
                }
            }
        }
    }

    /// Probes all collected points that are inside `outer`, and empties the list.
    fn measure(&mut self, inner: Placed<'_>, outer: Placed<'_>, deepest: &mut Deepest) {
        for number in 0..self.points.len() {
            if deepest.is_enough() {
                break;
            }
            let (point, origin) = (self.points[number], self.origins[number]);
            match outer.locate(point, &mut self.stack) {
                Location::Inside => {}
                Location::Outside => continue,
                Location::Undecided => {
                    deepest.reach.is_undecided = true;
                    continue;
                }
            }
            match origin {
                Origin::Vertex(vertex) => self.flood(inner, outer, vertex, deepest),
                Origin::Face(_) => self.probe((inner, outer), point, origin, deepest),
            }
        }
        self.points.clear();
        self.origins.clear();
    }

    /// Probes a vertex that is inside, and everything that is reached from it across faces that do
    /// not touch the other part.
    ///
    /// What is reached is inside too, if all faces that touch are known and no gap lets a face through. Otherwise each
    /// point is located.
    fn flood(&mut self, inner: Placed<'_>, outer: Placed<'_>, vertex: u32, deepest: &mut Deepest) {
        let surface = inner.surface();
        let is_sure = deepest.effort == Effort::Full && !outer.solid().is_mended();
        self.flood.push(vertex);
        while let Some(vertex) = self.flood.pop() {
            if deepest.is_enough() {
                self.flood.clear();
                return;
            }
            let point = inner.vertex(vertex);
            if !is_sure && !outer.is_inside(point, &mut self.stack) {
                continue;
            }
            self.probe((inner, outer), point, Origin::Vertex(vertex), deepest);
            for &face in surface.around(vertex) {
                if !self.touched.set(face) {
                    continue;
                }
                let middle = inner.triangle(face).iter().sum::<DVec3>() / 3.0;
                if is_sure || outer.is_inside(middle, &mut self.stack) {
                    self.probe((inner, outer), middle, Origin::Face(face), deepest);
                }
                for next in surface.corners(face) {
                    if self.seen.set(next) {
                        self.flood.push(next);
                    }
                }
            }
        }
    }

    /// Measures the depth of a point inside `outer`, and keeps the point if it is the deepest so
    /// far.
    fn probe(
        &mut self,
        (inner, outer): (Placed<'_>, Placed<'_>),
        point: DVec3,
        origin: Origin,
        deepest: &mut Deepest,
    ) {
        let (shape, pose) = outer.body();
        let floor = deepest.reach.floor(deepest.band.least());
        let Some(nearest) = shape.nearest_beyond(pose, point, floor, &mut self.stack) else {
            return;
        };
        // A vertex lies on the surface that its faces stand for; the middle of a face need not.
        let own = match origin {
            Origin::Vertex(_) => 0.0,
            Origin::Face(face) => inner.tessellation.at(face),
        };
        let band = deepest.band.with(own + self.deviation(outer, point, &nearest));
        if nearest.distance > deepest.reach.depth {
            deepest.origin = Some(origin);
        }
        deepest.reach.offer(nearest.distance, band, point, nearest.point - point);
    }

    /// How much less deep a point may be than its distance to the nearest face, because faces deviate from the surface
    /// that they stand for. Next to the rim of a hole the nearest face may be a plane, although the point is inside
    /// only because the wall of the hole was cut into triangles.
    fn deviation(&mut self, part: Placed<'_>, point: DVec3, nearest: &NearestPoint) -> f64 {
        let own = part.tessellation.at(nearest.face);
        let largest = part.largest_deviation;
        if own == largest {
            return own;
        }
        let (shape, pose) = part.body();
        let mut most = own;
        let limit = nearest.distance + largest;
        shape.faces_roughly_within(pose, point, limit, &mut self.stack, |face| {
            let at = part.tessellation.at(face);
            if at > most {
                let away = nearest_point(&part.triangle(face), point).distance(point);
                most = most.max(at - (away - nearest.distance));
            }
        });
        most
    }

    /// Moves the deepest point within its faces, away from the closest point of `outer`.
    fn climb(&mut self, inner: Placed<'_>, outer: Placed<'_>, deepest: &mut Deepest) {
        let faces = match deepest.origin {
            None => return,
            Some(Origin::Face(face)) => &[face][..],
            // The hub of a triangle fan has any number of faces.
            Some(Origin::Vertex(vertex)) => {
                let around = inner.surface().around(vertex);
                &around[..around.len().min(FACES_PER_VERTEX)]
            }
        };
        let start = deepest.reach.point;
        for &face in faces {
            let triangle = inner.triangle(face);
            let normal = unit_normal(&triangle);
            let (shape, pose) = outer.body();
            let mut here = start;
            let Some(mut nearest) = shape.nearest_beyond(pose, here, 0.0, &mut self.stack) else {
                return;
            };
            let mut step = 0.9;
            for _ in 0..CLIMB_STEPS {
                let away = here - nearest.point;
                let along = (away - normal * normal.dot(away)).normalize_or_zero();
                // No face of `outer` is closer than `nearest`, so that a shorter step crosses none. Projecting onto the
                // triangle does not lengthen the step.
                let next = nearest_point(&triangle, here + along * (step * nearest.distance));
                let floor = nearest.distance;
                let deeper = shape.nearest_beyond(pose, next, floor, &mut self.stack);
                // That alone does not keep the point inside. The solid is enclosed by mended faces, which differ from
                // those of the mesh by the width of its gaps, so a point inside by less than that may lie on the outer side
                // of the mesh; and the least distances are mostly rounding. From there, away from the faces is out
                // of the solid.
                match deeper.filter(|_| outer.is_inside(next, &mut self.stack)) {
                    Some(deeper) => {
                        let gain = deeper.distance - nearest.distance;
                        (here, nearest) = (next, deeper);
                        if gain < 1e-3 * nearest.distance && step < 0.1 {
                            break;
                        }
                    }
                    None => step *= 0.5,
                }
            }
            if nearest.distance > deepest.reach.depth {
                let deviation = inner.tessellation.at(face) + self.deviation(outer, here, &nearest);
                let band = deepest.band.with(deviation);
                deepest.reach.offer(nearest.distance, band, here, nearest.point - here);
            }
        }
    }
}

impl DepthProbe {
    /// Returns how deep points inside both solids are, below patches where the surfaces coincide and face the
    /// same way.
    pub(super) fn shared_depth(
        &mut self,
        (a, b): (Placed<'_>, Placed<'_>),
        faces: &[FacePair],
        pieces: &[Piece],
        band: Band,
    ) -> Reach {
        let mut patches: Vec<(f64, DVec3, DVec3)> = Vec::new();
        for (piece, pair) in pieces.iter().zip(faces) {
            if !matches!(piece.kind, Kind::Patch) {
                continue;
            }
            let (n, m) = (unit_normal(&a.triangle(pair.a)), unit_normal(&b.triangle(pair.b)));
            if n.dot(m) > 0.0 {
                patches.push((piece.bounds.size().length(), piece.middle, n));
            }
        }
        patches.sort_by(|p, q| q.0.total_cmp(&p.0));
        patches.truncate(MAX_PATCHES);
        let mut reach = Reach::default();
        for (size, middle, normal) in patches {
            // "Below" is against the normal, or along it for a part that is inside out.
            for way in [-normal, normal] {
                let mut step = size;
                for _ in 0..MAX_HALVINGS {
                    step *= 0.5;
                    if step <= band.least() {
                        break;
                    }
                    if self.common_point((a, b), middle + way * step, band, &mut reach) > 0.0 {
                        break;
                    }
                }
            }
        }
        reach
    }

    /// Whether the surface of `inner` lies within a distance of the surface of `outer`, as far as vertices and the
    /// centroids of faces tell.
    pub(super) fn is_near(&mut self, inner: Placed<'_>, outer: Placed<'_>, distance: f64) -> bool {
        let (shape, pose) = outer.body();
        let stack = &mut self.stack;
        all_points(inner, |point| shape.nearest_beyond(pose, point, distance, stack).is_none())
    }

    /// Whether all of `inner` lies inside `outer`, up to the band, as far as vertices and the centroids of faces tell.
    pub(super) fn is_within(&mut self, inner: Placed<'_>, outer: Placed<'_>, band: f64) -> bool {
        let stack = &mut self.stack;
        let (shape, pose) = outer.body();
        let is_in = |point: DVec3| {
            outer.is_inside(point, stack)
                || shape.nearest_beyond(pose, point, band, stack).is_none()
        };
        all_points(inner, is_in)
    }

    /// Measures a point that may be inside both solids. Returns by how much it is inside: the lesser of its
    /// distances to the two surfaces, or minus the larger distance that it is outside of a solid.
    pub(super) fn common_point(
        &mut self,
        (a, b): (Placed<'_>, Placed<'_>),
        point: DVec3,
        band: Band,
        reach: &mut Reach,
    ) -> f64 {
        let [in_a, in_b] = self.signed_distances((a, b), point, band, reach);
        in_a.min(in_b)
    }

    /// The distances of a point to the two surfaces, negative for a solid that does not contain it. A point inside
    /// both is offered to `reach`.
    pub(super) fn signed_distances(
        &mut self,
        (a, b): (Placed<'_>, Placed<'_>),
        point: DVec3,
        band: Band,
        reach: &mut Reach,
    ) -> [f64; 2] {
        let mut measure = |part: Placed<'_>| {
            let (shape, pose) = part.body();
            let is_inside = match part.locate(point, &mut self.stack) {
                Location::Inside => true,
                Location::Outside => false,
                Location::Undecided => {
                    reach.is_undecided = true;
                    false
                }
            };
            let nearest = shape.nearest_beyond(pose, point, 0.0, &mut self.stack)?;
            Some((is_inside, nearest))
        };
        let (Some((in_a, to_a)), Some((in_b, to_b))) = (measure(a), measure(b)) else {
            // On a surface.
            return [0.0; 2];
        };
        if in_a && in_b {
            let deviation = self.deviation(a, point, &to_a) + self.deviation(b, point, &to_b);
            let depth = to_a.distance + to_b.distance;
            // Part `b` leaves towards its own far side, or `a` towards its own.
            let outward = (to_b.point - point) - (to_a.point - point);
            reach.offer(depth, band.with(deviation), point, outward);
        }
        let sign = |is_inside: bool| if is_inside { 1.0 } else { -1.0 };
        [sign(in_a) * to_a.distance, sign(in_b) * to_b.distance]
    }
}

/// Whether something holds for all vertices of a part, and for the centroids of its faces.
fn all_points(part: Placed<'_>, mut holds: impl FnMut(DVec3) -> bool) -> bool {
    let surface = part.surface();
    let [vertices, faces] = surface.counts();
    let mut used = (0..vertices as u32).filter(|&vertex| !surface.around(vertex).is_empty());
    used.all(|vertex| holds(part.vertex(vertex)))
        && (0..faces as u32).all(|face| holds(part.triangle(face).iter().sum::<DVec3>() / 3.0))
}

impl Piece {
    fn segment(&self) -> Option<[DVec3; 2]> {
        match self.kind {
            Kind::Segment(ends, _) => Some(ends),
            _ => None,
        }
    }

    pub(super) fn length(&self) -> f64 {
        self.segment().map_or(0.0, |[from, to]| from.distance(to))
    }
}

/// Returns how far a ray in the plane of `normal` travels along `way` until it crosses the segment
/// `p q`.
fn crossing(from: DVec3, way: DVec3, normal: DVec3, [p, q]: [DVec3; 2]) -> Option<f64> {
    let side = normal.cross(way);
    let (left, right) = (side.dot(p - from), side.dot(q - from));
    if (left > 0.0) == (right > 0.0) {
        return None;
    }
    let fraction = left / (left - right);
    Some(way.dot(p + (q - p) * fraction - from))
}

/// A set of indices that is cleared in constant time.
#[derive(Debug, Default)]
struct Marks {
    marks: Vec<u32>,
    current: u32,
}

impl Marks {
    /// Clears the set, and grows it to hold indices below `count`.
    fn begin(&mut self, count: usize) {
        if self.current == u32::MAX {
            self.marks.fill(0);
            self.current = 0;
        }
        self.current += 1;
        if self.marks.len() < count {
            self.marks.resize(count, 0);
        }
    }

    /// Adds an index. Returns whether it is new.
    fn set(&mut self, number: u32) -> bool {
        let mark = &mut self.marks[number as usize];
        std::mem::replace(mark, self.current) != self.current
    }

    fn is_set(&self, number: u32) -> bool {
        self.marks[number as usize] == self.current
    }
}

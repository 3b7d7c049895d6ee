//! How deep one part reaches into the other.
//!
//! Points of the one surface that lie inside the other solid, exactly (`winding.rs`), are measured: how
//! far is it from there to the surface of that solid? The points are
//! - all vertices inside: those of faces that touch the other part, and from there on all that can be
//!   reached over faces that do not, because the other's surface is not between;
//! - in faces that touch the other part the middles of chords, from a piece of the curve straight across
//!   to the next or to the border: two bars that cross have no vertex inside each other;
//! - the middles of faces inside that do not touch the other part;
//! - from the deepest of these on, points of the same face that are farther away from the closest point.
//!
//! All of them are points of the surface, so what is found is never more than the true depth.
//!
//! Where the surfaces lie in each other and both solids are on the same side, no point of either surface
//! is inside the other solid. There points below the patch are measured instead: how far is it to
//! either surface?

use super::{
    common::{Kind, Piece},
    placed::Placed,
    winding::is_inside,
};
use crate::{
    Bounds, FacePair,
    method::PointScratch,
    narrow::{Triangle, nearest_point},
};
use glam::DVec3;
use std::cmp::Reverse;

/// A face that touches the other part, and which of the pieces in common is on it.
pub(super) type Touching = (u32, u32);

/// Looks for the deepest points of parts in others.
#[derive(Debug, Default)]
pub(super) struct Sounding {
    seen: Marks,
    touched: Marks,
    touched_pieces: Marks,
    points: Vec<DVec3>,
    origins: Vec<Origin>,
    flood: Vec<u32>,
    stack: PointScratch,
    chords: Vec<Chords>,
}

/// What a point is of.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Vertex(u32),
    Face(u32),
}

/// A face with pieces of the curve on it: where they are in the list, and how long the longest is.
#[derive(Clone, Copy, Debug)]
struct Chords {
    face: u32,
    longest: f64,
    start: u32,
    end: u32,
}

/// The deepest point so far.
#[derive(Clone, Copy, Debug, Default)]
struct Deepest {
    depth: f64,
    point: DVec3,
    origin: Option<Origin>,
}

/// So many faces are looked at for chords at first, those with the longest pieces; all others only if
/// nothing was deeper than the touch band.
const FACES: usize = 64;
/// So many chords start on a face, from its longest pieces.
const PIECES: usize = 4;
/// So many faces around a vertex are gone along.
const AROUND: usize = 6;
/// So many patches are looked below, and so often closer to the patch.
const PATCHES: usize = 16;
const HALVINGS: usize = 24;
/// So many steps are taken away from the closest point.
const STEPS: usize = 24;

impl Sounding {
    /// At least how deep points of `inner` lie in `outer`, which is closed; 0 if none are found inside.
    ///
    /// `touching` are the faces of `inner` that touch the other, in order, with what they have in common.
    pub(super) fn depth(
        &mut self,
        (inner, outer): (Placed<'_>, Placed<'_>),
        touching: &[Touching],
        pieces: &[Piece],
        touch: f64,
    ) -> f64 {
        let mut deepest = Deepest::default();
        self.begin(inner, touching, pieces);
        self.add_vertices(inner, outer.bounds, touching);
        let mut chords = std::mem::take(&mut self.chords);
        for (round, some) in [chords.len().min(FACES), chords.len()].into_iter().enumerate() {
            let first = if round == 0 { 0 } else { chords.len().min(FACES) };
            for chord in &chords[first..some] {
                self.add_chords(inner, outer.bounds, chord, touching, pieces);
            }
            self.measure(inner, outer, &mut deepest);
            if deepest.depth > touch {
                break;
            }
        }
        chords.clear();
        self.chords = chords;
        self.climb(inner, outer, &mut deepest);
        deepest.depth
    }

    /// Marks what touches, and finds the faces with the longest pieces.
    fn begin(&mut self, inner: Placed<'_>, touching: &[Touching], pieces: &[Piece]) {
        let surface = inner.surface();
        let [vertices, faces] = surface.counts();
        self.seen.begin(vertices);
        self.touched.begin(faces);
        self.touched_pieces.begin(surface.pieces.len());
        self.chords.clear();
        let mut start = 0;
        for same in touching.chunk_by(|p, q| p.0 == q.0) {
            let (face, end) = (same[0].0, start + same.len() as u32);
            self.touched.set(face);
            self.touched_pieces.set(surface.piece_of(face));
            let length = |&(_, piece): &Touching| pieces[piece as usize].length();
            let longest = same.iter().map(length).fold(0.0, f64::max);
            if longest > 0.0 {
                self.chords.push(Chords { face, longest, start, end });
            }
            start = end;
        }
        let rank = |chords: &Chords| (Reverse(chords.longest.to_bits()), chords.face);
        self.chords.sort_unstable_by_key(rank);
        self.points.clear();
        self.origins.clear();
    }

    /// A vertex of every part of the surface that may be inside.
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

    /// The middles of chords of a face, from its longest pieces across to the next or to the border.
    fn add_chords(
        &mut self,
        inner: Placed<'_>,
        bounds: &Bounds,
        chords: &Chords,
        touching: &[Touching],
        pieces: &[Piece],
    ) {
        let triangle = inner.triangle(chords.face);
        let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
        // The piece itself is not in its own way.
        let hardly = 1e-9 * (triangle[1] - triangle[0]).length().max(chords.longest);
        let here = &touching[chords.start as usize..chords.end as usize];
        let segment = |&(_, piece): &Touching| pieces[piece as usize].segment();
        let mut longest: Vec<[DVec3; 2]> = here.iter().filter_map(segment).collect();
        if longest.len() > PIECES {
            let rank = |[p, q]: &[DVec3; 2]| Reverse(p.distance_squared(*q).to_bits());
            longest.select_nth_unstable_by_key(PIECES, rank);
            longest.truncate(PIECES);
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
                    .filter(|&reach| reach > hardly)
                    .fold(f64::INFINITY, f64::min);
                let point = nearest_point(&triangle, middle + way * (0.5 * reach));
                if point.is_finite() && bounds.contains(point) {
                    self.points.push(point);
                    self.origins.push(Origin::Face(chords.face));
                }
            }
        }
    }

    /// Measures all points that are inside, and empties the list.
    fn measure(&mut self, inner: Placed<'_>, outer: Placed<'_>, deepest: &mut Deepest) {
        for number in 0..self.points.len() {
            let (point, origin) = (self.points[number], self.origins[number]);
            if !is_inside(outer, point, &mut self.stack) {
                continue;
            }
            match origin {
                Origin::Vertex(vertex) => self.flood(inner, outer, vertex, deepest),
                Origin::Face(_) => self.sound(outer, point, origin, deepest),
            }
        }
        self.points.clear();
        self.origins.clear();
    }

    /// Measures a vertex that is inside, and all that are reached from it over faces that do not touch
    /// the other part.
    fn flood(&mut self, inner: Placed<'_>, outer: Placed<'_>, vertex: u32, deepest: &mut Deepest) {
        let surface = inner.surface();
        self.flood.push(vertex);
        while let Some(vertex) = self.flood.pop() {
            self.sound(outer, inner.vertex(vertex), Origin::Vertex(vertex), deepest);
            for &face in surface.around(vertex) {
                if !self.touched.set(face) {
                    continue;
                }
                let middle = inner.triangle(face).iter().sum::<DVec3>() / 3.0;
                self.sound(outer, middle, Origin::Face(face), deepest);
                for next in surface.corners(face) {
                    if self.seen.set(next) {
                        self.flood.push(next);
                    }
                }
            }
        }
    }

    /// Measures a point, and keeps it if it is deeper than all before.
    fn sound(&mut self, outer: Placed<'_>, point: DVec3, origin: Origin, deepest: &mut Deepest) {
        let (shape, pose) = outer.body();
        if let Some(nearest) = shape.nearest_beyond(pose, point, deepest.depth, &mut self.stack) {
            *deepest = Deepest { depth: nearest.distance, point, origin: Some(origin) };
        }
    }

    /// Goes from the deepest point on, in its faces, away from what is closest.
    fn climb(&mut self, inner: Placed<'_>, outer: Placed<'_>, deepest: &mut Deepest) {
        let faces = match deepest.origin {
            None => return,
            Some(Origin::Face(face)) => &[face][..],
            // The hub of a fan has any number of them.
            Some(Origin::Vertex(vertex)) => {
                let around = inner.surface().around(vertex);
                &around[..around.len().min(AROUND)]
            }
        };
        let Deepest { point: start, origin, .. } = *deepest;
        for &face in faces {
            let triangle = inner.triangle(face);
            let normal =
                (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalize_or_zero();
            let (shape, pose) = outer.body();
            let mut here = start;
            let Some(mut nearest) = shape.nearest_beyond(pose, here, 0.0, &mut self.stack) else {
                return;
            };
            let mut step = 0.9;
            for _ in 0..STEPS {
                let away = here - nearest.point;
                let along = (away - normal * normal.dot(away)).normalize_or_zero();
                // No surface is closer than the closest point, so this is inside as well: to go to
                // the nearest point of a triangle is to go no farther.
                let next = nearest_point(&triangle, here + along * (step * nearest.distance));
                let floor = nearest.distance;
                match shape.nearest_beyond(pose, next, floor, &mut self.stack) {
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
            if nearest.distance > deepest.depth {
                *deepest = Deepest { depth: nearest.distance, point: here, origin };
            }
        }
    }
}

impl Sounding {
    /// At least how deep points are in both parts, which are closed, below patches where their surfaces lie
    /// in each other and look the same way; 0 if there are none.
    pub(super) fn shared_depth(
        &mut self,
        (a, b): (Placed<'_>, Placed<'_>),
        faces: &[FacePair],
        pieces: &[Piece],
        touch: f64,
    ) -> f64 {
        let normal = |t: Triangle| (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
        let mut patches: Vec<(f64, DVec3, DVec3)> = Vec::new();
        for (piece, pair) in pieces.iter().zip(faces) {
            if !matches!(piece.kind, Kind::Patch) {
                continue;
            }
            let (n, m) = (normal(a.triangle(pair.a)), normal(b.triangle(pair.b)));
            if n.dot(m) > 0.0 {
                patches.push((piece.bounds.size().length(), piece.middle, n));
            }
        }
        patches.sort_by(|p, q| q.0.total_cmp(&p.0));
        patches.truncate(PATCHES);
        let mut depth = 0.0f64;
        for (size, middle, normal) in patches {
            // Below is against the normal, and along it for what is inside out.
            for way in [-normal, normal] {
                let mut step = size;
                for _ in 0..HALVINGS {
                    step *= 0.5;
                    if step <= touch {
                        break;
                    }
                    let point = middle + way * step;
                    if is_inside(a, point, &mut self.stack) && is_inside(b, point, &mut self.stack)
                    {
                        let mut away = |part: Placed<'_>| {
                            let (shape, pose) = part.body();
                            let nearest = shape.nearest_beyond(pose, point, 0.0, &mut self.stack);
                            nearest.map_or(0.0, |nearest| nearest.distance)
                        };
                        depth = depth.max(away(a).min(away(b)));
                        break;
                    }
                }
            }
        }
        depth
    }
}

impl Piece {
    fn segment(&self) -> Option<[DVec3; 2]> {
        match self.kind {
            Kind::Segment(ends, _) => Some(ends),
            _ => None,
        }
    }

    fn length(&self) -> f64 {
        self.segment().map_or(0.0, |[from, to]| from.distance(to))
    }
}

/// How far along a way in a plane a segment of the plane is crossed, if it is.
fn crossing(from: DVec3, way: DVec3, normal: DVec3, [p, q]: [DVec3; 2]) -> Option<f64> {
    let side = normal.cross(way);
    let (left, right) = (side.dot(p - from), side.dot(q - from));
    if (left > 0.0) == (right > 0.0) {
        return None;
    }
    let fraction = left / (left - right);
    Some(way.dot(p + (q - p) * fraction - from))
}

/// A set of numbers that is emptied at no cost.
#[derive(Debug, Default)]
struct Marks {
    marks: Vec<u32>,
    current: u32,
}

impl Marks {
    /// Empties it, and makes room for numbers below a count.
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

    /// Adds a number, and returns whether it is new.
    fn set(&mut self, number: u32) -> bool {
        let mark = &mut self.marks[number as usize];
        std::mem::replace(mark, self.current) != self.current
    }

    fn is_set(&self, number: u32) -> bool {
        self.marks[number as usize] == self.current
    }
}

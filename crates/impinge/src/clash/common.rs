//! The intersection of two surfaces: curves along which they cross, patches where they coincide,
//! and single points.
//!
//! `check.rs` calls this with the pairs of faces that touch. Each pair adds a point, a segment or a
//! polygon, computed by [`triangles_meet`]. End points that are equal up to rounding are merged
//! into one joint. Joints tell which pieces are connected, and which segments are the same: where
//! the curve runs along an edge, both faces at that edge add the same segment.

use super::{Place, placed::Placed};
pub(super) use crate::contact::unit_normal;
use crate::{
    Bounds, FacePair,
    contact::{Joints, Patch, same_point_tolerance},
    narrow::{Meeting, Triangle, triangles_meet},
};
use glam::DVec3;
use std::collections::{HashMap, HashSet};

/// The intersection of two surfaces, as one piece for each pair of faces that touch.
#[derive(Debug, Default)]
pub(super) struct Common {
    pieces: Vec<Piece>,
    /// The merged end points of all pieces.
    joints: Joints,
}

/// The intersection of two faces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// The mean of the piece's corners.
    pub(super) middle: DVec3,
    pub(super) bounds: Bounds,
    /// The joint at the piece's first corner.
    joint: u32,
}

/// The shape of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Point,
    /// A segment of the intersection curve: its two ends, and the joints there.
    Segment([DVec3; 2], [u32; 2]),
    /// Two coplanar faces: they share a polygon, or a segment of their edges.
    Patch,
}

/// The largest sine of the angle between planes that count as parallel.
const PARALLEL: f64 = 1e-9;

impl Common {
    /// Computes the intersection of two parts from all pairs of faces that touch.
    pub(super) fn find(&mut self, a: Placed<'_>, b: Placed<'_>, faces: &[FacePair]) {
        self.pieces.clear();
        self.joints.begin(same_point_tolerance([a.bounds, b.bounds]));
        for pair in faces {
            let (face_a, face_b) = (a.triangle(pair.a), b.triangle(pair.b));
            let piece = self.piece(&face_a, &face_b);
            self.pieces.push(piece);
        }
    }

    /// The pieces, in the order of the pairs of faces given to [`find`](Self::find).
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// A box that encloses the whole intersection.
    pub(super) fn extent(&self) -> Bounds {
        let mut extent = Bounds::EMPTY;
        for piece in &self.pieces {
            extent.merge(&piece.bounds);
        }
        extent
    }

    /// The connected components of the intersection, in the order of their first pair of faces.
    pub(super) fn places(&mut self) -> Vec<Place> {
        let mut number_of = HashMap::new();
        let mut places: Vec<Place> = Vec::new();
        let mut segments = HashSet::new();
        for (number, piece) in (0..).zip(&self.pieces) {
            let root = self.joints.root(piece.joint);
            let place = *number_of.entry(root).or_insert_with(|| {
                let (length, extent, faces) = (0.0, Bounds::EMPTY, Vec::new());
                places.push(Place { point: piece.middle, length, extent, faces });
                places.len() - 1
            });
            let place = &mut places[place];
            place.extent.merge(&piece.bounds);
            place.faces.push(number);
            if let Kind::Segment([from, to], [i, j]) = piece.kind
                && segments.insert([i.min(j), i.max(j)])
            {
                place.length += from.distance(to);
            }
        }
        // A component is represented by the piece middle that is nearest to the centre of its box.
        for place in &mut places {
            let center = place.extent.center();
            let away = |point: DVec3| point.distance_squared(center);
            for &face in &place.faces {
                let middle = self.pieces[face as usize].middle;
                if away(middle) < away(place.point) {
                    place.point = middle;
                }
            }
        }
        places
    }
}

/// The point or segment that two faces share, in plain floating point: faces that touch along their edges, as flat sides
/// do, would need exact arithmetic for each. `None` where rounding leaves doubt.
fn rough_meeting(a: &Triangle, b: &Triangle, tolerance: f64) -> Option<Meeting> {
    let (n, m) = (unit_normal(a), unit_normal(b));
    let along = n.cross(m);
    if along.length_squared() < 1e-6 {
        return None;
    }
    let along = along.normalize();
    let interval = |face: &Triangle, normal: DVec3, origin: DVec3| {
        let heights = face.map(|p| normal.dot(p - origin));
        let mut ends: Option<[(f64, DVec3); 2]> = None;
        let mut add = |p: DVec3| {
            let at = (along.dot(p - a[0]), p);
            let [low, high] = ends.unwrap_or([at, at]);
            ends =
                Some([if at.0 < low.0 { at } else { low }, if at.0 > high.0 { at } else { high }]);
        };
        for i in 0..3 {
            let (p, q) = (heights[i], heights[(i + 1) % 3]);
            if p.abs() <= tolerance {
                add(face[i]);
            } else if q.abs() > tolerance && (p > 0.0) != (q > 0.0) {
                add(face[i] + (face[(i + 1) % 3] - face[i]) * (p / (p - q)));
            }
        }
        ends
    };
    let ([a_low, a_high], [b_low, b_high]) = (interval(a, m, b[0])?, interval(b, n, a[0])?);
    let low = if a_low.0 > b_low.0 { a_low } else { b_low };
    let high = if a_high.0 < b_high.0 { a_high } else { b_high };
    match high.0 - low.0 {
        length if length > tolerance => Some(Meeting::Segment([low.1, high.1])),
        length if length >= -tolerance => Some(Meeting::Point(low.1)),
        _ => None,
    }
}

/// Whether two faces are parallel up to rounding. A degenerate face has no normal and counts as
/// parallel.
fn are_parallel(a: &Triangle, b: &Triangle) -> bool {
    unit_normal(a).cross(unit_normal(b)).length_squared() <= PARALLEL * PARALLEL
}

impl Common {
    fn piece(&mut self, a: &Triangle, b: &Triangle) -> Piece {
        if let Some(patch) = self.patch(a, b) {
            return patch;
        }
        // Faces that touch share a point. Should rounding lose it, a corner takes its place.
        let meeting = rough_meeting(a, b, self.joints.tolerance())
            .or_else(|| triangles_meet(a, b))
            .unwrap_or(Meeting::Point(a[0]));
        let bounds = Bounds::enclosing(meeting.iter().copied());
        let middle = meeting.iter().copied().sum::<DVec3>() / meeting.len() as f64;
        let joint = self.joints.joint(meeting[0]);
        let kind = match meeting {
            Meeting::Point(_) => Kind::Point,
            Meeting::Segment(ends) => {
                let other = self.joints.joint(ends[1]);
                self.joints.connect(joint, other);
                if are_parallel(a, b) { Kind::Patch } else { Kind::Segment(ends, [joint, other]) }
            }
            Meeting::Polygon(corners) => {
                for &corner in &corners[1..] {
                    let other = self.joints.joint(corner);
                    self.joints.connect(joint, other);
                }
                Kind::Patch
            }
        };
        Piece { kind, middle, bounds, joint }
    }

    /// The piece of two faces that lie in one plane, up to the tolerance.
    fn patch(&mut self, a: &Triangle, b: &Triangle) -> Option<Piece> {
        let patch = Patch::of(a, b, self.joints.tolerance())?;
        let corners = patch.corners();
        let joint = self.joints.joint(corners[0]);
        for &corner in &corners[1..] {
            let other = self.joints.joint(corner);
            self.joints.connect(joint, other);
        }
        Some(Piece {
            kind: Kind::Patch,
            middle: corners.iter().sum::<DVec3>() / corners.len() as f64,
            bounds: Bounds::enclosing(corners.iter().copied()),
            joint,
        })
    }
}

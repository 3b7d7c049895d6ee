//! The intersection of two surfaces: curves along which they cross, patches where they coincide,
//! and single points.
//!
//! `check.rs` calls this with the pairs of faces that touch. Each pair adds a point, a segment or a
//! polygon, computed by [`triangles_meet`]. End points that are equal up to rounding are merged
//! into one joint. Joints tell which pieces are connected, and which segments are the same: where
//! the curve runs along an edge, both faces at that edge add the same segment.

use super::{Place, placed::Placed};
use crate::{
    Bounds, FacePair,
    narrow::{Meeting, Triangle, triangles_meet},
};
use glam::DVec3;
use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
};

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

/// Largest distance between ends that count as equal, relative to the size of the smaller part.
const SAME: f64 = 1e-9;

impl Common {
    /// Computes the intersection of two parts from all pairs of faces that touch.
    pub(super) fn find(&mut self, a: Placed<'_>, b: Placed<'_>, faces: &[FacePair]) {
        self.pieces.clear();
        let rounding =
            16.0 * f64::EPSILON * a.bounds.largest_coordinate().max(b.bounds.largest_coordinate());
        let size = a.bounds.size().length().min(b.bounds.size().length());
        self.joints.begin((SAME * size).max(rounding));
        for pair in faces {
            let (face_a, face_b) = (a.triangle(pair.a), b.triangle(pair.b));
            let piece = self.joints.piece(&face_a, &face_b);
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
    unit_normal(a).cross(unit_normal(b)).length_squared() <= SAME * SAME
}

/// The unit normal of a triangle, or zero if it is degenerate.
pub(super) fn unit_normal([p, q, r]: &Triangle) -> DVec3 {
    (q - p).cross(r - p).normalize_or_zero()
}

/// Merges points that are equal up to rounding, and tracks which ones are connected (union-find).
#[derive(Debug, Default)]
struct Joints {
    tolerance: f64,
    points: Vec<DVec3>,
    /// A hash grid: the newest joint in each cell, and for each joint the one added before it in
    /// the same cell.
    cells: HashMap<[i64; 3], u32, BuildHasherDefault<CellHasher>>,
    previous: Vec<u32>,
    /// The union-find parent of each joint; a root is its own parent.
    parent: Vec<u32>,
}

/// Hashes the numbers of grid cells. They come from geometry, so no attacker gains from collisions, and the hasher
/// of the standard library is slow.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.chunks(8).for_each(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_ne_bytes(word));
        });
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }
}

/// Width of a grid cell in tolerances. Few points are so close to a cell border that two cells must
/// be searched.
const CELL: f64 = 64.0;
const NONE: u32 = u32::MAX;

impl Joints {
    fn begin(&mut self, tolerance: f64) {
        // Positive, so that the division by the cell width is defined.
        self.tolerance = tolerance.max(f64::MIN_POSITIVE);
        self.points.clear();
        self.cells.clear();
        self.previous.clear();
        self.parent.clear();
    }

    fn piece(&mut self, a: &Triangle, b: &Triangle) -> Piece {
        if let Some(patch) = self.patch(a, b) {
            return patch;
        }
        // Faces that touch share a point. Should rounding lose it, a corner takes its place.
        let meeting = rough_meeting(a, b, self.tolerance)
            .or_else(|| triangles_meet(a, b))
            .unwrap_or(Meeting::Point(a[0]));
        let bounds = Bounds::enclosing(meeting.iter().copied());
        let middle = meeting.iter().copied().sum::<DVec3>() / meeting.len() as f64;
        let joint = self.joint(meeting[0]);
        let kind = match meeting {
            Meeting::Point(_) => Kind::Point,
            Meeting::Segment(ends) => {
                let other = self.joint(ends[1]);
                self.connect(joint, other);
                if are_parallel(a, b) { Kind::Patch } else { Kind::Segment(ends, [joint, other]) }
            }
            Meeting::Polygon(corners) => {
                for &corner in &corners[1..] {
                    let other = self.joint(corner);
                    self.connect(joint, other);
                }
                Kind::Patch
            }
        };
        Piece { kind, middle, bounds, joint }
    }

    /// The piece of two faces that lie in one plane, up to the tolerance: a polygon, measured in plain floating
    /// point. Where flat sides meet this is the common case, and deciding exactly what rounding left of it is dear.
    fn patch(&mut self, a: &Triangle, b: &Triangle) -> Option<Piece> {
        let normal = unit_normal(a);
        let is_on = |p: &DVec3| normal.dot(*p - a[0]).abs() <= self.tolerance;
        if normal == DVec3::ZERO || !b.iter().all(is_on) {
            return None;
        }
        let mut polygon = [DVec3::ZERO; 8];
        polygon[..3].copy_from_slice(b);
        let mut len = 3;
        for i in 0..3 {
            let inward = normal.cross(a[(i + 1) % 3] - a[i]).normalize_or_zero();
            let side = |p: DVec3| match inward.dot(p - a[i]) {
                side if side.abs() <= self.tolerance => 0.0,
                side => side,
            };
            let mut kept = [DVec3::ZERO; 8];
            let mut count = 0;
            for k in 0..len {
                let (p, q) = (polygon[k], polygon[(k + 1) % len]);
                let (before, after) = (side(p), side(q));
                if before >= 0.0 {
                    kept[count] = p;
                    count += 1;
                }
                if (before > 0.0 && after < 0.0) || (before < 0.0 && after > 0.0) {
                    kept[count] = p + (q - p) * (before / (before - after));
                    count += 1;
                }
            }
            (polygon, len) = (kept, count);
            if len == 0 {
                return None;
            }
        }
        let corners = &polygon[..len];
        let joint = self.joint(corners[0]);
        for &corner in &corners[1..] {
            let other = self.joint(corner);
            self.connect(joint, other);
        }
        Some(Piece {
            kind: Kind::Patch,
            middle: corners.iter().sum::<DVec3>() / len as f64,
            bounds: Bounds::enclosing(corners.iter().copied()),
            joint,
        })
    }

    /// Returns the joint at `point`, adding it if there is none within the tolerance.
    fn joint(&mut self, point: DVec3) -> u32 {
        let cell = |p: DVec3| (p / (CELL * self.tolerance)).floor().to_array().map(|c| c as i64);
        let (low, high) = (cell(point - self.tolerance), cell(point + self.tolerance));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let mut joint = self.cells.get(&[x, y, z]).copied().unwrap_or(NONE);
                    while joint != NONE {
                        let away = (self.points[joint as usize] - point).abs().max_element();
                        if away <= self.tolerance {
                            return joint;
                        }
                        joint = self.previous[joint as usize];
                    }
                }
            }
        }
        let joint = self.points.len() as u32;
        let last = self.cells.insert(cell(point), joint);
        self.points.push(point);
        self.previous.push(last.unwrap_or(NONE));
        self.parent.push(joint);
        joint
    }

    fn root(&mut self, mut joint: u32) -> u32 {
        while self.parent[joint as usize] != joint {
            let parent = self.parent[joint as usize];
            self.parent[joint as usize] = self.parent[parent as usize];
            joint = parent;
        }
        joint
    }

    fn connect(&mut self, i: u32, j: u32) {
        let (i, j) = (self.root(i), self.root(j));
        self.parent[i.max(j) as usize] = i.min(j);
    }
}

//! What two surfaces have in common: the curve along which they cross, patches where they lie in one
//! another, points.
//!
//! Every pair of faces that touch adds a point, a segment or a polygon. Ends that are the same but for
//! rounding are made one, which tells what is connected, and which segments are the same: where the
//! curve runs along an edge, each of the two faces at the edge adds it.

use super::{Place, placed::Placed};
use crate::{
    Bounds, FacePair,
    narrow::{Meeting, Triangle, triangles_meet},
};
use glam::DVec3;
use std::collections::{HashMap, HashSet};

/// What the faces of two parts have in common, pair by pair.
#[derive(Debug, Default)]
pub(super) struct Common {
    pieces: Vec<Piece>,
    /// The ends of all pieces, made one.
    joints: Joints,
}

/// What two faces have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// A point of it, well inside.
    pub(super) middle: DVec3,
    pub(super) bounds: Bounds,
    /// What its first end was made one with.
    joint: u32,
}

/// The shape of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Point,
    /// A piece of the curve: where from and where to, and the joints there.
    Segment([DVec3; 2], [u32; 2]),
    /// Faces that lie in each other: a polygon, or the edge where two of such a patch meet.
    Patch,
}

/// How far apart ends may be that are the same, relative to the smaller part.
const SAME: f64 = 1e-9;

impl Common {
    /// Takes two parts and their faces that touch.
    pub(super) fn find(&mut self, a: Placed<'_>, b: Placed<'_>, faces: &[FacePair]) {
        self.pieces.clear();
        let largest = |bounds: &Bounds| bounds.min.abs().max(bounds.max.abs()).max_element();
        let rounding = 16.0 * f64::EPSILON * largest(a.bounds).max(largest(b.bounds));
        let size = a.bounds.size().length().min(b.bounds.size().length());
        self.joints.begin((SAME * size).max(rounding));
        for pair in faces {
            let (face_a, face_b) = (a.triangle(pair.a), b.triangle(pair.b));
            let piece = self.joints.piece(&face_a, &face_b);
            self.pieces.push(piece);
        }
    }

    /// One for each pair of faces.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// All of it is in here.
    pub(super) fn extent(&self) -> Bounds {
        let mut extent = Bounds::EMPTY;
        for piece in &self.pieces {
            extent.merge(&piece.bounds);
        }
        extent
    }

    /// What is connected, in the order of the first pairs of faces.
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
        // Of all points that are at hand the one nearest to the middle.
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

/// Whether two faces lie in planes that are the same but for rounding, or have none.
fn are_parallel(a: &Triangle, b: &Triangle) -> bool {
    let normal = |t: &Triangle| (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
    normal(a).cross(normal(b)).length_squared() <= SAME * SAME
}

/// Points made one where they are the same but for rounding, and what is connected.
#[derive(Debug, Default)]
struct Joints {
    tolerance: f64,
    points: Vec<DVec3>,
    /// The last point in each cell, and for each point the one before it in its cell.
    cells: HashMap<[i64; 3], u32>,
    before: Vec<u32>,
    /// A joint that each is connected with; itself for a root.
    above: Vec<u32>,
}

/// Cells are so many tolerances wide: few points are so close to a border that two are looked into.
const CELL: f64 = 64.0;
const NONE: u32 = u32::MAX;

impl Joints {
    fn begin(&mut self, tolerance: f64) {
        // Never so small that cells could not be counted, nor 0.
        self.tolerance = tolerance.max(f64::MIN_POSITIVE);
        self.points.clear();
        self.cells.clear();
        self.before.clear();
        self.above.clear();
    }

    fn piece(&mut self, a: &Triangle, b: &Triangle) -> Piece {
        // Faces that touch have something in common; a corner stands in for what cannot be.
        let meeting = triangles_meet(a, b).unwrap_or(Meeting::Point(a[0]));
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

    /// The joint at a point.
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
                        joint = self.before[joint as usize];
                    }
                }
            }
        }
        let joint = self.points.len() as u32;
        let last = self.cells.insert(cell(point), joint);
        self.points.push(point);
        self.before.push(last.unwrap_or(NONE));
        self.above.push(joint);
        joint
    }

    fn root(&mut self, mut joint: u32) -> u32 {
        while self.above[joint as usize] != joint {
            let above = self.above[joint as usize];
            self.above[joint as usize] = self.above[above as usize];
            joint = above;
        }
        joint
    }

    fn connect(&mut self, i: u32, j: u32) {
        let (i, j) = (self.root(i), self.root(j));
        self.above[i.max(j) as usize] = i.min(j);
    }
}

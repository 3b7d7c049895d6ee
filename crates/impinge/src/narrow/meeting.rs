//! What two triangles have in common: a point, a segment or a polygon.
//!
//! Which of the three it is, and which corners and edges bound it, is decided exactly. The points
//! themselves are `f64`, rounded: they are for display and for contact points.

use super::{
    Triangle,
    degenerate::{self, Shape},
    predicates::{Filter3, Projection, determinant2d, determinant3d, orient3d},
    triangle::{Position, Sides},
};
use glam::DVec3;
use std::ops::Deref;

/// The points that two triangles have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Meeting {
    /// They touch in one point.
    Point(DVec3),
    /// They meet along a segment.
    Segment([DVec3; 2]),
    /// They overlap in a plane.
    Polygon(MeetingPolygon),
}

/// A convex polygon of three to six corners, in order around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeetingPolygon {
    corners: [DVec3; 6],
    len: usize,
}

impl Deref for MeetingPolygon {
    type Target = [DVec3];

    fn deref(&self) -> &[DVec3] {
        &self.corners[..self.len]
    }
}

impl Deref for Meeting {
    type Target = [DVec3];

    /// The one, two or more points that span it.
    fn deref(&self) -> &[DVec3] {
        match self {
            Self::Point(point) => std::slice::from_ref(point),
            Self::Segment(ends) => ends,
            Self::Polygon(polygon) => polygon,
        }
    }
}

/// Returns the points that two closed triangles have in common, or `None` if there are none:
/// exactly if [`triangles_intersect`](super::triangles_intersect) says so.
///
/// Whether it is a point, a segment or a polygon is decided exactly; coordinates are rounded.
///
/// ```
/// use impinge::{glam::DVec3, narrow::{Meeting, triangles_meet}};
///
/// let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
/// let blade = [DVec3::new(1.0, 1.0, -1.0), DVec3::new(1.0, 1.0, 1.0), DVec3::new(2.0, 1.0, 1.0)];
/// let Some(Meeting::Segment(ends)) = triangles_meet(&floor, &blade) else { panic!() };
/// assert_eq!(ends[0].distance(ends[1]), 0.5);
/// ```
pub fn triangles_meet(a: &Triangle, b: &Triangle) -> Option<Meeting> {
    let (a_sides, b_sides) = (Sides::exact(b, a), Sides::exact(a, b));
    let crossing = match Position::new(a, a_sides, b, b_sides) {
        Position::Apart => return None,
        Position::Flat(a, b) => return meet_flat(a, b),
        Position::Crossing(crossing) => crossing,
    };

    // Along the line `a` spans from its edge 0–1 to its edge 0–2, `b` from 0–2 to 0–1.
    let order = |i, j| crossing.order(Filter3::NONE, i, j);
    let (end_to_end, start_to_start) = (order(1, 1), order(2, 2));
    if end_to_end > 0 || start_to_start < 0 {
        return None;
    }
    let edge_of_a = |i| segment_at_plane([crossing.a(0), crossing.a(i)], b);
    let edge_of_b = |i| segment_at_plane([crossing.b(0), crossing.b(i)], a);
    let first_is_a = order(1, 2) > 0;
    let last_is_a = order(2, 1) < 0;
    let first = if first_is_a { edge_of_a(1) } else { edge_of_b(2) };
    let is_point = match (first_is_a, last_is_a) {
        (true, true) => crossing.a_is_point,
        (true, false) => end_to_end == 0,
        (false, true) => start_to_start == 0,
        (false, false) => crossing.b_is_point,
    };
    if is_point {
        return Some(Meeting::Point(first));
    }
    let last = if last_is_a { edge_of_a(2) } else { edge_of_b(1) };
    Some(Meeting::Segment([first, last]))
}

/// Where a segment meets the plane of a triangle, which parts its ends.
fn segment_at_plane([from, to]: [DVec3; 2], plane: &Triangle) -> DVec3 {
    let height = |point| determinant3d(plane[0], plane[1], plane[2], point);
    between(from, to, height(from).crossing(height(to)))
}

/// The point at a fraction of the way; finite wherever the ends are.
fn between(from: DVec3, to: DVec3, fraction: f64) -> DVec3 {
    from * (1.0 - fraction) + to * fraction
}

/// For triangles that are coplanar, segments or points.
fn meet_flat(a: &Triangle, b: &Triangle) -> Option<Meeting> {
    let (a_shape, b_shape) = (Shape::of(a), Shape::of(b));
    if let (Shape::Triangle(_, view), Shape::Triangle(..)) = (a_shape, b_shape) {
        return meet_in_plane(view, a, b);
    }
    if !degenerate::intersects(a, b) {
        return None;
    }
    if let (Shape::Segment(s), Shape::Triangle(t, _)) | (Shape::Triangle(t, _), Shape::Segment(s)) =
        (a_shape, b_shape)
        && s.map(|end| orient3d(t[0], t[1], t[2], end)) != [0, 0]
    {
        return Some(Meeting::Point(segment_at_plane(s, &t)));
    }

    // What remains lies in a plane. The corners of the common part are the corners of each that
    // lie in the other, and the points where two edges pass through each other.
    let mut corners = Corners::default();
    for (from, into) in [(a_shape, b), (b_shape, a)] {
        for &corner in from.corners() {
            if degenerate::intersects(&[corner; 3], into) {
                corners.insert(corner);
            }
        }
    }
    if let Some(view) = common_view(a_shape, b_shape) {
        for e in a_shape.edges() {
            for f in b_shape.edges() {
                corners.extend(proper_crossing(view, e, f));
            }
        }
        corners.sort_around(view);
    }
    corners.meeting()
}

/// For triangles that are coplanar and have an inside, where every corner's side of every edge of the other tells
/// all: which corners lie in the other, and which edges pass through each other.
fn meet_in_plane(view: Projection, a: &Triangle, b: &Triangle) -> Option<Meeting> {
    let edge = |t: &Triangle, k: usize| [t[k], t[(k + 1) % 3]];
    // `sides[i][k]`: 1 if corner i is on the inner side of edge k, −1 on the outer, 0 on its line.
    let sides = |of: &Triangle, to: &Triangle| {
        let facing = view.orient(to[0], to[1], to[2]);
        of.map(|corner| [0, 1, 2].map(|k| facing * view.orient(to[k], to[(k + 1) % 3], corner)))
    };
    let (a_sides, b_sides) = (sides(a, b), sides(b, a));
    let mut corners = Corners::default();
    for (triangle, sides) in [(a, &a_sides), (b, &b_sides)] {
        for (&corner, sides) in triangle.iter().zip(sides) {
            if sides.iter().all(|&side| side >= 0) {
                corners.insert(corner);
            }
        }
    }
    for i in 0..3 {
        for k in 0..3 {
            let is_parted = |sides: &[[i32; 3]; 3], edge: usize, other: usize| {
                sides[edge][other] * sides[(edge + 1) % 3][other] < 0
            };
            if is_parted(&a_sides, i, k) && is_parted(&b_sides, k, i) {
                corners.push(crossing_point(view, edge(a, i), edge(b, k)));
            }
        }
    }
    if corners.len > 2 {
        corners.sort_around(view);
    }
    corners.meeting()
}

/// A view that does not collapse the plane in which both shapes lie; none if they lie on a line.
fn common_view(a: Shape, b: Shape) -> Option<Projection> {
    match (a, b) {
        (Shape::Triangle(_, view), _) | (_, Shape::Triangle(_, view)) => Some(view),
        (Shape::Segment([s0, s1]), Shape::Segment(t)) => {
            t.into_iter().find_map(|end| Projection::spreading(s0, s1, end))
        }
        _ => None,
    }
}

/// Where two coplanar segments pass through each other, away from their ends.
fn proper_crossing(view: Projection, e: [DVec3; 2], f: [DVec3; 2]) -> Option<DVec3> {
    let parted = |[p, q]: [DVec3; 2], ends: [DVec3; 2]| {
        view.orient(p, q, ends[0]) * view.orient(p, q, ends[1]) < 0
    };
    (parted(e, f) && parted(f, e)).then(|| crossing_point(view, e, f))
}

/// Where a segment meets the line through another in the same plane, which parts its ends.
fn crossing_point(view: Projection, e: [DVec3; 2], f: [DVec3; 2]) -> DVec3 {
    let height = |point| determinant2d(view.of(f[0]), view.of(f[1]), view.of(point));
    between(e[0], e[1], height(e[0]).crossing(height(e[1])))
}

/// The corners found so far. Two triangles in a plane have at most six in common.
#[derive(Default)]
struct Corners {
    points: [DVec3; 6],
    len: usize,
}

impl Corners {
    fn insert(&mut self, corner: DVec3) {
        if !self.points[..self.len].contains(&corner) {
            self.push(corner);
        }
    }

    fn extend(&mut self, crossing: Option<DVec3>) {
        // A crossing is none of the corners, even where it is rounded onto one.
        if let Some(point) = crossing {
            self.push(point);
        }
    }

    fn push(&mut self, point: DVec3) {
        self.points[self.len] = point;
        self.len += 1;
    }

    fn sort_around(&mut self, view: Projection) {
        let points = &mut self.points[..self.len];
        // Seen from one of them, so that a small polygon far from the origin keeps its middle.
        let origin = points[0];
        let weight = 1.0 / points.len() as f64;
        let center = points.iter().fold(DVec3::ZERO, |sum, &p| sum + (p - origin) * weight);
        let angle = |point: &DVec3| {
            let arm = view.of((*point - origin) - center);
            libm::atan2(arm.y, arm.x)
        };
        points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    }

    fn meeting(&self) -> Option<Meeting> {
        match self.points[..self.len] {
            [] => None,
            [point] => Some(Meeting::Point(point)),
            [from, to] => Some(Meeting::Segment([from, to])),
            _ => Some(Meeting::Polygon(MeetingPolygon { corners: self.points, len: self.len })),
        }
    }
}

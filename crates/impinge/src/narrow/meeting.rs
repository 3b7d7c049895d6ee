//! The intersection of two triangles: a point, a segment or a polygon.
//!
//! The kind of intersection, and the corners and edges that bound it, are decided exactly. The points themselves
//! are rounded to `f64`: they are for display and for contact points.

use super::{
    Triangle,
    degenerate::{self, Shape},
    predicates::{Filter3, Projection, determinant2d, determinant3d, orient3d},
    triangle::{Position, Sides, filter_of, heights},
};
use glam::DVec3;
use std::ops::Deref;

/// The intersection of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Meeting {
    /// The triangles touch in one point.
    Point(DVec3),
    /// The triangles intersect along a segment.
    Segment([DVec3; 2]),
    /// The triangles are coplanar and overlap.
    Polygon(MeetingPolygon),
}

/// A convex polygon of three to six corners, in order.
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

    /// The corners of the intersection: one, two or more points.
    fn deref(&self) -> &[DVec3] {
        match self {
            Self::Point(point) => std::slice::from_ref(point),
            Self::Segment(ends) => ends,
            Self::Polygon(polygon) => polygon,
        }
    }
}

/// Returns the intersection of two closed triangles. `None` exactly if
/// [`triangles_intersect`](super::triangles_intersect) returns `false`.
///
/// Whether the intersection is a point, a segment or a polygon is decided exactly; its coordinates are
/// rounded.
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
        Position::Flat(a, b) => return planar_intersection(a, b),
        Position::Crossing(crossing) => crossing,
    };

    // Along the line, the interval of `a` runs from its edge 0–1 to its edge 0–2, that of `b` from 0–2 to
    // 0–1.
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

/// The segment or point in which two triangles cross, and the edges that end it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossed {
    /// The two ends; twice the same if the triangles touch in a point.
    pub(crate) ends: [DVec3; 2],
    /// For each end and each of the two triangles: the numbers of the corners of the edge on which the end lies, if
    /// it lies on one.
    pub(crate) edges: [[Option<[u8; 2]>; 2]; 2],
    /// For each corner of each triangle, the side of the other's plane on which it lies: 1 above, −1 below, 0 in it.
    pub(crate) sides: [[i8; 3]; 2],
    pub(crate) is_point: bool,
}

/// Returns where two triangles cross that lie in different planes; `None` if they do not touch, are coplanar or
/// degenerate.
///
/// Edges and sides are exact. The ends are off by at most `tolerance`, and by their own rounding, which lets most of
/// them be computed in floating point.
pub(crate) fn triangles_cross(a: &Triangle, b: &Triangle, tolerance: f64) -> Option<Crossed> {
    let filter = filter_of(a, b);
    let (a_sides, b_sides) = (Sides::filtered(filter, b, a), Sides::filtered(filter, a, b));
    let Position::Crossing(crossing) = Position::new(a, a_sides, b, b_sides) else { return None };
    let order = |i, j| crossing.order(filter, i, j);
    let (end_to_end, start_to_start) = (order(1, 1), order(2, 2));
    if end_to_end > 0 || start_to_start < 0 {
        return None;
    }
    // As in `triangles_meet`: the later start and the earlier end of the two intervals.
    let (starts, stops) = (order(1, 2), order(2, 1));
    let heights = [heights(b, a), heights(a, b)];
    let at = |body: usize, [from, to]: [u8; 2]| {
        let (triangle, plane) = if body == 0 { (a, b) } else { (b, a) };
        let [from, to] = [from, to].map(usize::from);
        let [h, k] = [from, to].map(|corner| heights[body][corner]);
        let (p, q) = (triangle[from], triangle[to]);
        // Both heights are off by at most the bound.
        if 4.0 * filter.bound() * p.distance(q) <= tolerance * (h - k).abs() {
            return between(p, q, (h / (h - k)).clamp(0.0, 1.0));
        }
        segment_at_plane([p, q], plane)
    };
    let (a_edges, b_edges) =
        ([1, 2].map(|i| crossing.a_edge(i)), [1, 2].map(|i| crossing.b_edge(i)));
    let mut edges = [
        [(starts >= 0).then_some(a_edges[0]), (starts <= 0).then_some(b_edges[1])],
        [(stops <= 0).then_some(a_edges[1]), (stops >= 0).then_some(b_edges[0])],
    ];
    let is_point = match (starts > 0, stops < 0) {
        (true, true) => crossing.a_is_point,
        (true, false) => end_to_end == 0,
        (false, true) => start_to_start == 0,
        (false, false) => crossing.b_is_point,
    };
    let end = |[of_a, of_b]: [Option<[u8; 2]>; 2]| match (of_a, of_b) {
        (Some(edge), _) => at(0, edge),
        (None, Some(edge)) => at(1, edge),
        (None, None) => a[0],
    };
    let mut ends = edges.map(end);
    if is_point {
        ends[1] = ends[0];
        let [first, last] = edges;
        edges = [[0, 1].map(|body| first[body].or(last[body])); 2];
    }
    Some(Crossed { ends, edges, sides: [a_sides.signs(), b_sides.signs()], is_point })
}

/// The point where a segment crosses the plane of a triangle, which separates its ends.
fn segment_at_plane([from, to]: [DVec3; 2], plane: &Triangle) -> DVec3 {
    let height = |point| determinant3d(plane[0], plane[1], plane[2], point);
    between(from, to, height(from).crossing(height(to)))
}

/// The point at a fraction of the segment; finite if the ends are.
fn between(from: DVec3, to: DVec3, fraction: f64) -> DVec3 {
    from * (1.0 - fraction) + to * fraction
}

/// The intersection of triangles that are coplanar, or are segments or points.
fn planar_intersection(a: &Triangle, b: &Triangle) -> Option<Meeting> {
    let (a_shape, b_shape) = (Shape::of(a), Shape::of(b));
    if let (Shape::Triangle(_, projection), Shape::Triangle(..)) = (a_shape, b_shape) {
        return coplanar_intersection(projection, a, b);
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

    // All remaining cases are planar. The corners of the intersection are the corners of each shape that lie
    // in the other, and the points where two edges cross.
    let mut corners = Corners::default();
    for (from, into) in [(a_shape, b), (b_shape, a)] {
        for &corner in from.corners() {
            if degenerate::intersects(&[corner; 3], into) {
                corners.insert(corner);
            }
        }
    }
    if let Some(projection) = common_projection(a_shape, b_shape) {
        for e in a_shape.edges() {
            for f in b_shape.edges() {
                corners.extend(proper_crossing(projection, e, f));
            }
        }
        corners.sort_around(projection);
    }
    corners.meeting()
}

/// The intersection of coplanar triangles that are not degenerate. The side of each corner relative to each edge of the other
/// triangle decides which corners lie in the other triangle, and which edges cross.
fn coplanar_intersection(projection: Projection, a: &Triangle, b: &Triangle) -> Option<Meeting> {
    let edge = |t: &Triangle, k: usize| [t[k], t[(k + 1) % 3]];
    // `sides[i][k]`: 1 if corner i is on the inner side of edge k, −1 on the outer side, 0 on its line.
    let sides = |of: &Triangle, to: &Triangle| {
        let facing = projection.orient(to[0], to[1], to[2]);
        of.map(|corner| {
            [0, 1, 2].map(|k| facing * projection.orient(to[k], to[(k + 1) % 3], corner))
        })
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
            let is_separated = |sides: &[[i32; 3]; 3], edge: usize, other: usize| {
                sides[edge][other] * sides[(edge + 1) % 3][other] < 0
            };
            if is_separated(&a_sides, i, k) && is_separated(&b_sides, k, i) {
                corners.push(crossing_point(projection, edge(a, i), edge(b, k)));
            }
        }
    }
    if corners.len > 2 {
        corners.sort_around(projection);
    }
    corners.meeting()
}

/// A projection that does not collapse the plane of both shapes; `None` if they are collinear.
fn common_projection(a: Shape, b: Shape) -> Option<Projection> {
    match (a, b) {
        (Shape::Triangle(_, projection), _) | (_, Shape::Triangle(_, projection)) => {
            Some(projection)
        }
        (Shape::Segment([s0, s1]), Shape::Segment(t)) => {
            t.into_iter().find_map(|end| Projection::spreading(s0, s1, end))
        }
        _ => None,
    }
}

/// The point where two coplanar segments cross, away from their ends.
fn proper_crossing(projection: Projection, e: [DVec3; 2], f: [DVec3; 2]) -> Option<DVec3> {
    let separated = |[p, q]: [DVec3; 2], ends: [DVec3; 2]| {
        projection.orient(p, q, ends[0]) * projection.orient(p, q, ends[1]) < 0
    };
    (separated(e, f) && separated(f, e)).then(|| crossing_point(projection, e, f))
}

/// The point where a segment crosses the line through another in the same plane, which separates its ends.
fn crossing_point(projection: Projection, e: [DVec3; 2], f: [DVec3; 2]) -> DVec3 {
    let height =
        |point| determinant2d(projection.of(f[0]), projection.of(f[1]), projection.of(point));
    between(e[0], e[1], height(e[0]).crossing(height(e[1])))
}

/// The corners found so far. The intersection of two coplanar triangles has at most six.
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
        // A crossing point differs from all corners, even if it is rounded onto one.
        if let Some(point) = crossing {
            self.push(point);
        }
    }

    fn push(&mut self, point: DVec3) {
        self.points[self.len] = point;
        self.len += 1;
    }

    fn sort_around(&mut self, projection: Projection) {
        let points = &mut self.points[..self.len];
        // Relative to one of the points, so that the center of a small polygon far from the origin is
        // accurate.
        let origin = points[0];
        let weight = 1.0 / points.len() as f64;
        let center = points.iter().fold(DVec3::ZERO, |sum, &p| sum + (p - origin) * weight);
        let angle = |point: &DVec3| {
            let arm = projection.of((*point - origin) - center);
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

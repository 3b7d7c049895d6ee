//! Intersection tests for coplanar triangles, and for triangles that are segments or points.
//!
//! Two convex sets in a plane are apart exactly if one lies strictly on the outer side of an edge of the
//! other, so here too signs decide everything. The sets are projected to a coordinate plane in which they do
//! not collapse.

use super::{
    Triangle,
    predicates::{Projection, orient3d},
};
use crate::Bounds;
use glam::DVec3;

/// The set of points that a triangle covers, by dimension.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Point(DVec3),
    Segment([DVec3; 2]),
    /// A triangle, and a projection in which its corners are not collinear.
    Triangle(Triangle, Projection),
}

impl Shape {
    pub(super) fn of(t: &Triangle) -> Self {
        if let Some(projection) = Projection::spreading(t[0], t[1], t[2]) {
            return Self::Triangle(*t, projection);
        }
        // On a line the lexicographic order is the order along it.
        let before = |p: DVec3, q: DVec3| p.to_array() < q.to_array();
        let first = t.iter().fold(t[0], |m, &p| if before(p, m) { p } else { m });
        let last = t.iter().fold(t[0], |m, &p| if before(m, p) { p } else { m });
        if first == last { Self::Point(first) } else { Self::Segment([first, last]) }
    }

    /// Whether a point lies on the shape.
    fn contains(&self, point: DVec3) -> bool {
        match self {
            Self::Point(own) => *own == point,
            Self::Segment(ends) => point_on_segment(point, *ends),
            Self::Triangle(t, projection) => {
                orient3d(t[0], t[1], t[2], point) == 0 && !are_apart(*projection, t, &[point])
            }
        }
    }

    /// The one, two or three corners of the shape.
    pub(super) fn corners(&self) -> &[DVec3] {
        match self {
            Self::Point(point) => std::slice::from_ref(point),
            Self::Segment(ends) => ends,
            Self::Triangle(corners, _) => corners,
        }
    }

    /// The edges of the shape: none, one or three.
    pub(super) fn edges(&self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        let corners = self.corners();
        let count = if corners.len() == 3 { 3 } else { corners.len() - 1 };
        (0..count).map(move |i| [corners[i], corners[(i + 1) % corners.len()]])
    }
}

/// Whether a point lies on a closed triangle; a degenerate triangle counts as the segment or point it is.
pub(super) fn contains(triangle: &Triangle, point: DVec3) -> bool {
    let [a, b, c] = *triangle;
    orient3d(a, b, c, point) == 0 && Shape::of(triangle).contains(point)
}

/// Whether two triangles share a point, given that they are coplanar or that one of them is a
/// segment or a point.
#[cold]
#[inline(never)]
pub(super) fn intersects(a: &Triangle, b: &Triangle) -> bool {
    use Shape::{Point, Segment, Triangle};
    match (Shape::of(a), Shape::of(b)) {
        (Point(p), shape) | (shape, Point(p)) => shape.contains(p),
        (Segment(s), Segment(t)) => segments_intersect(s, t),
        (Segment(s), Triangle(t, projection)) | (Triangle(t, projection), Segment(s)) => {
            segment_intersects_triangle(s, &t, projection)
        }
        (Triangle(s, projection), Triangle(t, _)) => !are_apart(projection, &s, &t),
    }
}

fn point_on_segment(p: DVec3, [s0, s1]: [DVec3; 2]) -> bool {
    Projection::spreading(s0, s1, p).is_none() && boxes_overlap(&[p], &[s0, s1])
}

fn segments_intersect([s0, s1]: [DVec3; 2], [t0, t1]: [DVec3; 2]) -> bool {
    let projection =
        Projection::spreading(s0, s1, t0).or_else(|| Projection::spreading(s0, s1, t1));
    match projection {
        // All are on one line, along which each coordinate is monotone.
        None => boxes_overlap(&[s0, s1], &[t0, t1]),
        Some(projection) => {
            orient3d(s0, s1, t0, t1) == 0 && !are_apart(projection, &[s0, s1], &[t0, t1])
        }
    }
}

fn segment_intersects_triangle(s: [DVec3; 2], t: &Triangle, projection: Projection) -> bool {
    match s.map(|end| orient3d(t[0], t[1], t[2], end)) {
        [0, 0] => !are_apart(projection, t, &s),
        [from, to] if from == to => false,
        _ => {
            // The line passes through the triangle unless it passes two edges on different sides.
            let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| orient3d(s[0], s[1], t[i], t[j]));
            !(turns.contains(&1) && turns.contains(&-1))
        }
    }
}

fn boxes_overlap(a: &[DVec3], b: &[DVec3]) -> bool {
    let bounds = |points: &[DVec3]| Bounds::enclosing(points.iter().copied());
    bounds(a).overlaps(&bounds(b))
}

/// Whether two convex sets in one plane, given by their corners, are apart.
///
/// The projection must not collapse the plane. The sets are points, segments or triangles, but not both
/// points.
fn are_apart(projection: Projection, a: &[DVec3], b: &[DVec3]) -> bool {
    edge_separates(projection, a, b) || edge_separates(projection, b, a)
}

/// Whether the line along an edge of `a` has all of `b` strictly on its outer side.
fn edge_separates(projection: Projection, a: &[DVec3], b: &[DVec3]) -> bool {
    let all_on = |from: DVec3, to: DVec3, side: i32| {
        b.iter().all(|&point| projection.orient(from, to, point) == side)
    };
    match *a {
        // Both sides of a segment are outer sides.
        [s0, s1] => all_on(s0, s1, 1) || all_on(s0, s1, -1),
        [t0, t1, t2] => {
            let outer = -projection.orient(t0, t1, t2);
            debug_assert_ne!(outer, 0);
            [(t0, t1), (t1, t2), (t2, t0)].iter().any(|&(from, to)| all_on(from, to, outer))
        }
        _ => false,
    }
}

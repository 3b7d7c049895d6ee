//! The first contact of two triangles whose corners move linearly.
//!
//! If two triangles do not touch at the start, then at the first time at which they share a point, a vertex of one is
//! in the other, or two edges share a point: their interiors cannot meet before their boundaries do. This holds for
//! degenerate triangles too, which are the union of their edges.

use super::{ContactTime, MovingPoint, edge_edge_contact_until, vertex_face_contact_until};
use crate::narrow::triangles_intersect;
use glam::DVec3;

/// The three moving corners of a triangle.
pub type MovingTriangle = [MovingPoint; 3];

/// The first contact of two moving triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingContact {
    /// When they first share a point.
    pub time: ContactTime,
    /// Which features of the triangles meet then. Several may; the first one in the order of [`MovingFeatures`] is
    /// returned.
    pub features: MovingFeatures,
}

/// The features of two triangles that meet. Edge i is from corner i to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MovingFeatures {
    /// The triangles touch at the start. Any of their features may do so.
    Start,
    /// A corner of `a` meets the face of `b`.
    VertexFace {
        /// The corner of `a`, from 0 to 2.
        a: usize,
    },
    /// The face of `a` meets a corner of `b`.
    FaceVertex {
        /// The corner of `b`, from 0 to 2.
        b: usize,
    },
    /// An edge of `a` meets an edge of `b`.
    EdgeEdge {
        /// The edge of `a`, from 0 to 2.
        a: usize,
        /// The edge of `b`, from 0 to 2.
        b: usize,
    },
}

/// Returns when two moving triangles first share a point, for times from 0 to 1, and which of their features meet
/// then; `None` if they never do.
///
/// Exact: triangles are closed, a degenerate triangle is the segment or point that it is at that time, no tolerance
/// is involved, and nothing is missed. The time is the same whichever triangle comes first.
pub fn moving_triangles_contact(a: &MovingTriangle, b: &MovingTriangle) -> Option<MovingContact> {
    moving_triangles_contact_until(a, b, 1.0)
}

/// [`moving_triangles_contact`] for times from 0 to `t_max`, which is at most 1.
pub fn moving_triangles_contact_until(
    a: &MovingTriangle,
    b: &MovingTriangle,
    t_max: f64,
) -> Option<MovingContact> {
    if t_max < 0.0 || t_max.is_nan() || are_separated(a, b) {
        return None;
    }
    if triangles_intersect(&a.map(|p| p.start), &b.map(|p| p.start)) {
        return Some(MovingContact { time: ContactTime::START, features: MovingFeatures::Start });
    }
    let mut first = Search { best: None, t_max };
    for (i, corner) in a.iter().enumerate() {
        let contact = vertex_face_contact_until(*corner, *b, first.t_max);
        first.add(contact, MovingFeatures::VertexFace { a: i });
    }
    for (j, corner) in b.iter().enumerate() {
        let contact = vertex_face_contact_until(*corner, *a, first.t_max);
        first.add(contact, MovingFeatures::FaceVertex { b: j });
    }
    for i in 0..3 {
        for j in 0..3 {
            let edges = ([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
            let contact = edge_edge_contact_until(edges.0, edges.1, first.t_max);
            first.add(contact, MovingFeatures::EdgeEdge { a: i, b: j });
        }
    }
    first.best
}

/// The first contact found so far. Later ones are of no interest.
struct Search {
    best: Option<MovingContact>,
    t_max: f64,
}

impl Search {
    fn add(&mut self, time: Option<ContactTime>, features: MovingFeatures) {
        let Some(time) = time else { return };
        if self.best.is_none_or(|best| time.compare(&best.time).is_lt()) {
            self.t_max = time.latest;
            self.best = Some(MovingContact { time, features });
        }
    }
}

/// Whether a direction separates the triangles at the start and at the end, and therefore at all times between:
/// a coordinate axis, or the normal of a face at the start or the end.
fn are_separated(a: &MovingTriangle, b: &MovingTriangle) -> bool {
    let origin = a[0].start;
    let start = [a, b].map(|t| t.map(|p| p.start - origin));
    let end = [a, b].map(|t| t.map(|p| p.end - origin));
    let corners = || start.iter().chain(&end).flatten();
    let extent = corners().fold(DVec3::ZERO, |extent, p| extent.max(p.abs()));
    let [low, high] = [0, 1].map(|i| {
        let range = |t: [DVec3; 3]| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
        let of = |t: &MovingTriangle| range(t.map(|p| if i == 0 { p.start } else { p.end }));
        (of(a), of(b))
    });
    let is_below = low.0.1.cmplt(low.1.0) & high.0.1.cmplt(high.1.0);
    let is_above = low.0.0.cmpgt(low.1.1) & high.0.0.cmpgt(high.1.1);
    if (is_below | is_above).any() {
        return true;
    }
    let normal = |t: [DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
    let directions = [normal(start[0]), normal(start[1]), normal(end[0]), normal(end[1])];
    directions.into_iter().any(|direction| {
        // The direction is taken as it is. A projection is a sum of three products, each through a difference, a
        // product and two sums: within 4 units of the largest sum in first order. The bound is for the difference of two.
        let largest = direction.abs().dot(extent);
        let bound = 12.0 * (f64::EPSILON / 2.0) * largest;
        let is_in_range = largest > 1e-280 && largest < 1e300;
        let gap = |[a, b]: [[DVec3; 3]; 2]| {
            let ([p, q, r], [s, t, u]) = (a.map(|p| p.dot(direction)), b.map(|p| p.dot(direction)));
            let below = s.min(t).min(u) - p.max(q).max(r);
            let above = p.min(q).min(r) - s.max(t).max(u);
            (below, above)
        };
        let (start, end) = (gap(start), gap(end));
        is_in_range && ((start.0 > bound && end.0 > bound) || (start.1 > bound && end.1 > bound))
    })
}

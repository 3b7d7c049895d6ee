//! Vertex and face, edge and edge: first a cheap test for separation, then the decision in floating point, and where
//! that cannot decide, in integers.

use super::{
    ContactTime, Kind, MovingPoint, exact,
    filter::{self, Verdict},
};

/// Returns when a moving vertex first is in a moving triangle, for times from 0 to 1; `None` if it never is.
///
/// Exact: the triangle is closed, a degenerate triangle is the segment or point that it is at that time, no tolerance
/// is involved, and nothing is missed. Takes about 100 ns if the two do not come close, a few microseconds if they
/// meet or nearly do; more for coordinates of very different magnitudes.
///
/// ```
/// use impinge::{glam::DVec3, narrow::{MovingPoint, vertex_face_contact}};
///
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y].map(MovingPoint::resting);
/// let falling = MovingPoint::new(DVec3::new(0.2, 0.2, 1.0), DVec3::new(0.2, 0.2, -2.0));
/// let time = vertex_face_contact(falling, floor).unwrap();
/// assert!(time.earliest < 1.0 / 3.0 + 1e-15 && time.latest > 1.0 / 3.0 - 1e-15);
///
/// let stops_short = MovingPoint::new(falling.start, DVec3::new(0.2, 0.2, 1e-300));
/// assert_eq!(vertex_face_contact(stops_short, floor), None);
/// ```
pub fn vertex_face_contact(vertex: MovingPoint, face: [MovingPoint; 3]) -> Option<ContactTime> {
    vertex_face_contact_until(vertex, face, 1.0)
}

/// [`vertex_face_contact`] for times from 0 to `t_max`, which is at most 1.
pub fn vertex_face_contact_until(
    vertex: MovingPoint,
    [p, q, r]: [MovingPoint; 3],
    t_max: f64,
) -> Option<ContactTime> {
    first_contact(Kind::VertexFace, &[vertex, p, q, r], t_max).0
}

/// Returns when two moving edges first share a point, for times from 0 to 1; `None` if they never do.
///
/// Exact: edges are closed segments, an edge may be a point, no tolerance is involved, and nothing is missed.
pub fn edge_edge_contact(a: [MovingPoint; 2], b: [MovingPoint; 2]) -> Option<ContactTime> {
    edge_edge_contact_until(a, b, 1.0)
}

/// [`edge_edge_contact`] for times from 0 to `t_max`, which is at most 1.
pub fn edge_edge_contact_until(
    [p, q]: [MovingPoint; 2],
    [r, s]: [MovingPoint; 2],
    t_max: f64,
) -> Option<ContactTime> {
    first_contact(Kind::EdgeEdge, &[p, q, r, s], t_max).0
}

/// The step that decided a query, for measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecidedBy {
    /// A coordinate axis separates the two at the start and at the end.
    Axis,
    /// Floating point proves that there is no contact.
    Apart,
    /// Floating point proves that there is a contact; its time was computed in integers.
    Contact,
    /// Integers alone.
    Exact,
}

/// The step that decides a query: vertex and face if `has_face`, otherwise the ends of two edges.
#[doc(hidden)]
pub fn decided_by(has_face: bool, points: &[MovingPoint; 4]) -> DecidedBy {
    first_contact(if has_face { Kind::VertexFace } else { Kind::EdgeEdge }, points, 1.0).1
}

fn first_contact(
    kind: Kind,
    points: &[MovingPoint; 4],
    t_max: f64,
) -> (Option<ContactTime>, DecidedBy) {
    // No time is negative or NaN.
    if t_max < 0.0 || t_max.is_nan() || filter::are_separated(kind, points) {
        return (None, DecidedBy::Axis);
    }
    // −0 becomes 0, because times are compared by their bits.
    let t_max = t_max.min(1.0) + 0.0;
    match filter::decide(kind, points, t_max) {
        Verdict::Apart => (None, DecidedBy::Apart),
        Verdict::Contact { low, high, sign } => {
            let time = exact::only_coplanar_time(kind, points, [low, high], sign);
            ((time.latest <= t_max).then_some(time), DecidedBy::Contact)
        }
        Verdict::Unknown => (exact::first_contact(kind, points, t_max), DecidedBy::Exact),
    }
}

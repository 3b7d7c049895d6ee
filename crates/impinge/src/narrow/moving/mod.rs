//! Contacts of vertices that move linearly, between two instants.
//!
//! Every vertex moves from one position to another at constant velocity ([`MovingPoint`]), in real numbers: nothing
//! is rounded. The functions here decide whether a vertex meets a face, an edge an edge or a triangle a triangle
//! within the interval from 0 to 1, and when first. No contact is missed and none is reported falsely, for any finite
//! coordinates, also if faces or edges are or become degenerate, and if everything stays in one plane. Time is
//! returned as the closest `f64` on both sides.
//!
//! | file | content |
//! |---|---|
//! | `contact.rs` | [`vertex_face_contact`], [`edge_edge_contact`]: the order of the steps |
//! | `triangles.rs` | [`moving_triangles_contact`]: the first contact of two triangles |
//! | `filter.rs` | the decision in floating point with error bounds, for nearly all queries |
//! | `exact/` | the decision in integers, for the rest |

mod contact;
mod exact;
mod filter;
mod triangles;

pub use contact::{
    DecidedBy, decided_by, edge_edge_contact, edge_edge_contact_until, vertex_face_contact,
    vertex_face_contact_until,
};
pub use triangles::{
    MovingContact, MovingFeatures, MovingTriangle, moving_triangles_contact,
    moving_triangles_contact_until,
};

use glam::DVec3;
use std::cmp::Ordering;

/// A vertex that moves linearly: at time t, from 0 to 1, it is at (1 − t) · start + t · end, without rounding.
///
/// The coordinates must be finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingPoint {
    /// The position at time 0.
    pub start: DVec3,
    /// The position at time 1.
    pub end: DVec3,
}

impl MovingPoint {
    /// A vertex that moves from `start` to `end`.
    pub const fn new(start: DVec3, end: DVec3) -> Self {
        Self { start, end }
    }

    /// A vertex that does not move.
    pub const fn resting(position: DVec3) -> Self {
        Self { start: position, end: position }
    }
}

/// A time from 0 to 1, as the closest `f64` on both sides. Both are equal if the time is an `f64`; otherwise they are
/// adjacent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactTime {
    /// The largest `f64` that is not later.
    pub earliest: f64,
    /// The smallest `f64` that is not earlier.
    pub latest: f64,
}

impl ContactTime {
    /// Time 0.
    pub const START: Self = Self { earliest: 0.0, latest: 0.0 };

    /// Compares two times. Times between the same two `f64` count as equal.
    pub fn compare(&self, other: &Self) -> Ordering {
        let earliest = self.earliest.total_cmp(&other.earliest);
        earliest.then(self.latest.total_cmp(&other.latest))
    }
}

/// Which features the four points of a query are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The vertex, then the three corners of the face.
    VertexFace,
    /// The ends of one edge, then those of the other.
    EdgeEdge,
}

impl Kind {
    /// The vectors e1, e2 and w between the four points, each from one index to another, with which a contact is
    /// w = α e1 + β e2. Vertex and face: α and β are from 0 up, and their sum is at most 1. Edges: α and β are from
    /// 0 to 1.
    const fn vectors(self) -> [[usize; 2]; 3] {
        match self {
            // v − f0 = α (f1 − f0) + β (f2 − f0)
            Self::VertexFace => [[1, 2], [1, 3], [1, 0]],
            // b0 − a0 = α (a1 − a0) + β (b0 − b1)
            Self::EdgeEdge => [[0, 1], [3, 2], [0, 2]],
        }
    }
}

//! What a query asks of two bodies, and what it asks of two faces.

use super::distance::{gap, gap_along_likely};
use crate::{
    Bounds, Pose,
    narrow::{Triangle, TriangleTest, triangles_within},
    volume::{Frame, Relative},
};

/// Where two bodies stand, and how close two faces must be to count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) pose_a: Pose,
    pub(super) pose_b: Pose,
    /// At most how far apart; 0 for faces that touch.
    pub(super) tolerance: f64,
}

impl Question {
    /// How the second body stands in the frame of the first, faces that count buffered.
    pub(super) fn relative(&self, a: &Frame, b: &Frame) -> Relative {
        Relative::new(a, &self.pose_a, b, &self.pose_b).buffered(a, self.tolerance)
    }

    /// How much a body's bounds must grow to overlap the other's if any faces count.
    pub(super) fn growth(&self) -> f64 {
        match self.tolerance {
            0.0 => 0.0,
            tolerance => certainly(tolerance),
        }
    }

    /// The test that decides about two faces, both of them within some bounds.
    pub(super) fn face_test(&self, bounds: &Bounds) -> FaceTest {
        if self.tolerance == 0.0 {
            FaceTest::Touch(TriangleTest::within(bounds))
        } else {
            FaceTest::Within(self.tolerance)
        }
    }
}

/// What decides about two placed faces.
#[derive(Clone, Copy, Debug)]
pub(super) enum FaceTest {
    /// Whether they share a point.
    Touch(TriangleTest),
    /// Whether they are at most so far apart.
    Within(f64),
}

impl FaceTest {
    #[inline]
    pub(super) fn accepts(&self, a: &Triangle, b: &Triangle) -> bool {
        match self {
            Self::Touch(test) => test.intersects(a, b),
            Self::Within(tolerance) => is_within(a, b, *tolerance),
        }
    }
}

/// At most how far apart faces are, for certain, whose computed distance is at most a limit.
///
/// A computed distance may be below the true one by a relative 1e-12, and computed ones decide.
pub(super) fn certainly(limit: f64) -> f64 {
    limit * (1.0 + 1e-11) + f64::MIN_POSITIVE
}

fn is_within(a: &Triangle, b: &Triangle, tolerance: f64) -> bool {
    // Much cheaper than the distance, and enough for most.
    let limit = certainly(tolerance);
    gap(&Bounds::enclosing(*a), &Bounds::enclosing(*b)) <= limit
        && gap_along_likely(a, b) <= limit
        && triangles_within(a, b, tolerance)
}

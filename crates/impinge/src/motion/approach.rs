//! How far two moving bodies can come closer during an interval of time.
//!
//! # Relative speed
//!
//! Let a material point of body b be at p(t), with the arm u(t) from its pivot, which is at L_b(t) and drifts with the
//! velocity D_b; let ω_b be the rotation vector, and the same for body a. Seen from a frame that turns with body a about
//! a's pivot, the point moves with the velocity
//!
//! > (ω_b − ω_a) × u + (D_b − D_a) − ω_a × (L_b − L_a),
//!
//! plus at most F_b r_b, where F is the [skew](Motion::skew) and r bounds the arms. Points of body a move by at most F_a r_a in that frame. The last two terms of the
//! formula are linear in t, so that their length is largest at an end of the interval. Distances are the same in all
//! frames, so the distance of two material points changes by at most
//!
//! > |ω_b − ω_a| r_b + max |(D_b − D_a) − ω_a × (L_b − L_a)| + F_a r_a + F_b r_b
//!
//! per unit of time. The same holds with a and b exchanged, and in the frame of the world with
//! |D_b − D_a| + |ω_a| r_a + |ω_b| r_b. The least of the three is used. So bodies that travel and turn together, as
//! links of an arm do, count as nearly at rest.

use super::Motion;
use crate::{Shape, mesh::Extent};

/// A moving body, with bounds that do not depend on time.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingShape<'m> {
    pub(super) shape: &'m Shape,
    pub(super) motion: &'m Motion,
    /// An upper bound on the distance of a vertex from the pivot.
    pub(super) radius: f64,
    /// A bound, along any axis, on the error of a vertex as placed at any time.
    pub(super) rounding: f64,
}

impl<'m> MovingShape<'m> {
    /// `None` if the mesh has no faces: nothing moves.
    pub(super) fn new(shape: &'m Shape, motion: &'m Motion) -> Option<Self> {
        let extent: &Extent = shape.placed(motion.start()).extent;
        if extent.half_size() < 0.0 {
            return None;
        }
        let arm = (extent.center() - motion.pivot()).length() + extent.radius();
        let radius = arm * (1.0 + 1e-14) + f64::MIN_POSITIVE;
        let rounding = motion.rounding(extent.coordinate());
        Some(Self { shape, motion, radius, rounding })
    }

    /// The corners of a face in the body's frame.
    pub(super) fn corners(&self, face: u32) -> [glam::DVec3; 3] {
        self.shape.mesh().triangle(face)
    }

    /// An upper bound on the acceleration of the points of a face, given its corners in the body's frame. Each point
    /// stays within an eighth of it, times the square of the time, of its chord; 0 if the body does not turn.
    pub(super) fn face_acceleration(&self, corners: &[glam::DVec3; 3]) -> f64 {
        let arms = corners.map(|corner| (corner - self.motion.pivot()).length());
        let radius = arms.into_iter().fold(0.0, f64::max) * (1.0 + 1e-14);
        self.motion.acceleration(radius)
    }
}

/// An upper bound on the change, per unit of time, of the distance between a vertex of one body and one of the other,
/// between two times. The module head derives it.
pub(super) fn relative_speed([a, b]: &[MovingShape<'_>; 2], [from, to]: [f64; 2]) -> f64 {
    let (turn_a, turn_b) = (a.motion.turn(), b.motion.turn());
    let drift = b.motion.drift() - a.motion.drift();
    let apart = [from, to].map(|time| b.motion.pivot_at(time) - a.motion.pivot_at(time));
    let [seen_from_a, seen_from_b] =
        [turn_a, turn_b].map(|turn| apart.map(|apart| (drift - turn.cross(apart)).length()));
    let turn = (turn_b - turn_a).length();
    let in_frame_of_a = turn * b.radius + seen_from_a[0].max(seen_from_a[1]);
    let in_frame_of_b = turn * a.radius + seen_from_b[0].max(seen_from_b[1]);
    let in_world = drift.length() + turn_a.length() * a.radius + turn_b.length() * b.radius;
    let skew = a.motion.skew() * a.radius + b.motion.skew() * b.radius;
    // Pivots are rounded. Their difference, turned, is off by at most three times their rounding; the rounding of
    // bodies is larger than that of a pivot.
    let turns = 1.0 + turn_a.length().max(turn_b.length());
    let rounding = 4.0 * turns * (a.rounding + b.rounding);
    (in_frame_of_a.min(in_frame_of_b).min(in_world) + skew) * (1.0 + 3e-6)
        + rounding
        + f64::MIN_POSITIVE.sqrt()
}

/// An upper bound on the error of the distance of two vertices, each as placed at any time.
///
/// An error of ρ along each axis moves a vertex by √3 ρ.
pub(super) fn rounding([a, b]: &[MovingShape<'_>; 2]) -> f64 {
    2.0 * (a.rounding + b.rounding)
}

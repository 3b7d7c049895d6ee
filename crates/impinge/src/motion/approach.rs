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
//! plus at most F_b r_b, where F is the [skew](super::Motion::skew) and r bounds the arms. Points of body a move by at
//! most F_a r_a in that frame. The last two terms of the formula are linear in t, so that their length is largest at an
//! end of the interval. Distances are the same in all frames, so the distance of two material points changes by at most
//!
//! > |ω_b − ω_a| r_b + max |(D_b − D_a) − ω_a × (L_b − L_a)| + F_a r_a + F_b r_b
//!
//! per unit of time. The same holds with a and b exchanged, and in the frame of the world with
//! |D_b − D_a| + |ω_a| r_a + |ω_b| r_b, which also holds for bodies that deform, with the largest departure of a vertex
//! from the drift instead of |ω| r. The least of the three is used. So bodies that travel and turn together, as
//! links of an arm do, count as nearly at rest.

use super::moving::MovingBody;

/// An upper bound on the change, per unit of time, of the distance between a point of one body and one of the other,
/// between two times. The module head derives it.
pub(super) fn relative_speed([a, b]: &[MovingBody<'_>; 2], [from, to]: [f64; 2]) -> f64 {
    let drift = b.drift - a.drift;
    let mut speed = drift.length() + a.spread + b.spread;
    let mut turns = 1.0;
    if let (Some(motion_a), Some(motion_b)) = (a.rigid(), b.rigid()) {
        let (turn_a, turn_b) = (motion_a.turn(), motion_b.turn());
        let apart = [from, to].map(|time| motion_b.pivot_at(time) - motion_a.pivot_at(time));
        let [seen_from_a, seen_from_b] =
            [turn_a, turn_b].map(|turn| apart.map(|apart| (drift - turn.cross(apart)).length()));
        let turn = (turn_b - turn_a).length() * (1.0 + 3e-6);
        let skew = motion_a.skew() * a.radius + motion_b.skew() * b.radius;
        let in_frame_of_a = turn * b.radius + seen_from_a[0].max(seen_from_a[1]) + skew;
        let in_frame_of_b = turn * a.radius + seen_from_b[0].max(seen_from_b[1]) + skew;
        speed = speed.min(in_frame_of_a).min(in_frame_of_b);
        turns += turn_a.length().max(turn_b.length());
    }
    // Pivots are rounded by less than vertices. Their difference, turned, is off by at most three times that.
    let rounding = 4.0 * turns * (a.rounding + b.rounding);
    speed * (1.0 + 1e-12) + rounding + f64::MIN_POSITIVE.sqrt()
}

/// An upper bound on the error of the distance of two vertices, each as placed at any time.
///
/// An error of ρ along each axis moves a vertex by √3 ρ.
pub(super) fn rounding([a, b]: &[MovingBody<'_>; 2]) -> f64 {
    2.0 * (a.rounding + b.rounding)
}

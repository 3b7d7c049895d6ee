//! The distance of a point to a convex solid of revolution, in the half plane through the axis and the point.
//!
//! There the solid is the convex hull of some circles around the rims of its discs, and of the same circles moved to the axis. The
//! boundary of such a hull consists of arcs, and of lines that touch two of the circles. So the closest point to one outside
//! is the closest one of the hull of some two of them.

use super::{RevolvedHull, RoundedDisc};
use glam::DVec2;

/// The distance of a point outside, at a distance from the axis and a height, to a solid. An upper bound for a point inside.
pub(super) fn distance(hull: &RevolvedHull, from_axis: f64, height: f64) -> f64 {
    let point = DVec2::new(from_axis, height);
    let rim = |disc: &RoundedDisc| (DVec2::new(disc.radius, disc.height), disc.rounding);
    let discs = hull.discs();
    let mut least = f64::INFINITY;
    for (i, disc) in discs.iter().enumerate() {
        let on_axis = (DVec2::new(0.0, disc.height), disc.rounding);
        least = least.min(to_hull_of_two([on_axis, rim(disc)], point));
        for other in &discs[..i] {
            least = least.min(to_hull_of_two([rim(disc), rim(other)], point));
        }
    }
    least.max(0.0)
}

/// The distance of a point to the convex hull of two circles; negative inside.
fn to_hull_of_two([(from, radius), (to, end_radius)]: [(DVec2, f64); 2], point: DVec2) -> f64 {
    let (offset, away) = (to - from, point - from);
    let length = offset.length();
    let difference = radius - end_radius;
    // One circle contains the other.
    if length <= difference.abs() {
        let to_end = point.distance(to) - end_radius;
        return (away.length() - radius).min(to_end);
    }
    let along = offset / length;
    let (x, y) = (away.perp_dot(along).abs(), away.dot(along));
    // The line that touches both circles has the normal (cosine, sine).
    let sine = difference / length;
    let cosine = (1.0 - sine * sine).sqrt();
    let part = y * cosine - x * sine;
    if part < 0.0 {
        away.length() - radius
    } else if part > cosine * length {
        point.distance(to) - end_radius
    } else {
        x * cosine + y * sine - radius
    }
}

//! A translation that frees one part from another.
//!
//! Along any direction, a part that is moved until a plane separates it from the other is free. The directions are
//! those of the axes, of the axes of the two parts, and a few that the caller found. The shortest such translation is
//! an upper bound of the depth. Where parts lie within each other, such as a shaft in a bore, it is far too long; then
//! `check.rs` tries short translations and checks the parts again where they would stand.

use super::placed::Placed;
use glam::DVec3;

/// The shortest translation of the second part that lets a plane separate the parts, of those along the axes, the axes
/// of the parts and the given directions.
pub(super) fn by_planes((a, b): (Placed<'_>, Placed<'_>), directions: &[DVec3]) -> DVec3 {
    let mut best = (f64::INFINITY, DVec3::X);
    let mut consider = |direction: DVec3, of_a: [f64; 2], of_b: [f64; 2]| {
        let (forth, back) = (of_a[1] - of_b[0], of_b[1] - of_a[0]);
        for (length, way) in [(forth, direction), (back, -direction)] {
            if length < best.0 {
                best = (length, way);
            }
        }
    };
    for (axis, direction) in DVec3::AXES.into_iter().enumerate() {
        let of = |part: Placed<'_>| [part.bounds.min[axis], part.bounds.max[axis]];
        consider(direction, of(a), of(b));
    }
    let axes = |part: Placed<'_>| {
        let rotation = part.pose.rotation();
        [rotation.x_axis, rotation.y_axis, rotation.z_axis]
    };
    let mut all: Vec<DVec3> = axes(a).into_iter().chain(axes(b)).collect();
    all.extend(directions.iter().filter(|d| d.length_squared() > 1e-12).map(|d| d.normalize()));
    for (number, &direction) in all.iter().enumerate() {
        if !all[..number].iter().any(|other| other.cross(direction).length_squared() < 1e-24) {
            consider(direction, a.interval(direction), b.interval(direction));
        }
    }
    best.1 * best.0.max(0.0)
}

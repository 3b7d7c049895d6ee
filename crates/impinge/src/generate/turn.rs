//! Angles and rotations that are bit-identical on every platform.
//!
//! The standard library's sine differs in the last bit between platforms, and so would every mesh and path
//! made with it. So no generator uses it, nor glam's `from_rotation_…`, which call it.

use glam::{DMat3, DVec2, DVec3};
use std::f64::consts::FRAC_PI_2;

/// The point on the unit circle after `step` of `steps` equal steps of a full turn: (cosine, sine).
///
/// Exact at quarter turns, and exactly symmetric about the axes and diagonals. So the equator of a sphere,
/// the teeth of a gear or a body turned by 90° have equal coordinates on every side.
pub(super) fn turn(step: u64, steps: u64) -> DVec2 {
    let quarters = 4 * (step % steps);
    let (quadrant, rest) = (quarters / steps, quarters % steps);
    // Fold the upper half of the quadrant onto the lower one.
    let is_folded = 2 * rest > steps;
    let folded = if is_folded { steps - rest } else { rest };
    let angle = folded as f64 / steps as f64 * FRAC_PI_2;
    let (mut cos, mut sin) = (libm::cos(angle), libm::sin(angle));
    if 2 * folded == steps {
        sin = cos;
    }
    if is_folded {
        (cos, sin) = (sin, cos);
    }
    let point = match quadrant {
        0 => DVec2::new(cos, sin),
        1 => DVec2::new(-sin, cos),
        2 => DVec2::new(-cos, -sin),
        _ => DVec2::new(sin, -cos),
    };
    // Turns −0.0 into +0.0, which reads better in files.
    point + DVec2::ZERO
}

/// All points of [`turn`], in counter-clockwise order.
pub(super) fn circle(steps: u32) -> impl Iterator<Item = DVec2> + Clone {
    (0..steps).map(move |step| turn(u64::from(step), u64::from(steps)))
}

/// The rotation about x that takes the y axis to (cos, sin) in the yz plane.
pub(super) fn about_x(turned: DVec2) -> DMat3 {
    let DVec2 { x: cos, y: sin } = turned;
    DMat3::from_cols(DVec3::X, DVec3::new(0.0, cos, sin), DVec3::new(0.0, 0.0 - sin, cos))
}

/// The rotation about z that takes the x axis to (cos, sin) in the xy plane.
pub(super) fn about_z(turned: DVec2) -> DMat3 {
    let DVec2 { x: cos, y: sin } = turned;
    DMat3::from_cols(DVec3::new(cos, sin, 0.0), DVec3::new(0.0 - sin, cos, 0.0), DVec3::Z)
}

/// The rotation about a unit vector by an angle in radians.
pub(crate) fn about(axis: DVec3, angle: f64) -> DMat3 {
    let (cos, sin) = (libm::cos(angle), libm::sin(angle));
    let turned = |e: DVec3| e * cos + axis.cross(e) * sin + axis * (axis.dot(e) * (1.0 - cos));
    DMat3::from_cols(turned(DVec3::X), turned(DVec3::Y), turned(DVec3::Z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn turns_follow_the_circle_and_are_exactly_symmetric() {
        for steps in [1, 2, 3, 4, 5, 8, 12, 17, 360] {
            for step in 0..steps {
                let point = turn(step, steps);
                let angle = step as f64 / steps as f64 * TAU;
                let expected = DVec2::new(angle.cos(), angle.sin());
                assert!((point - expected).length() < 4e-16 * 4.0, "{step} of {steps}");
                let mirrored = turn(steps - step, steps);
                assert_eq!(mirrored, DVec2::new(point.x, -point.y), "{step} of {steps}");
            }
        }
        assert_eq!(turn(1, 4), DVec2::Y);
        assert_eq!(turn(2, 4), DVec2::NEG_X);
        assert_eq!(turn(3, 4), DVec2::NEG_Y);
        assert_eq!(turn(1, 8).x, turn(1, 8).y);
    }

    #[test]
    fn rotations_turn_in_the_stated_direction() {
        let quarter = turn(1, 4);
        assert_eq!(about_x(quarter) * DVec3::Y, DVec3::Z);
        assert_eq!(about_z(quarter) * DVec3::X, DVec3::Y);
        let y = about(DVec3::Z, FRAC_PI_2) * DVec3::X;
        assert!((y - DVec3::Y).length() < 1e-15);
    }
}

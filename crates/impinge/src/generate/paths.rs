//! Motion paths: the pose of the second body at each step, in the frame of the first.

use super::error::{check_count, check_measure, check_positive};
use super::turn::{about, about_x, about_z, turn};
use super::{GenerateError, Random};
use crate::{Bounds, Pose};
use glam::{DMat3, DVec2, DVec3};

/// A body at `distance` along x that turns once about its z axis and once about its x axis.
///
/// The benchmark of Zachmann (2002, section 5): two equal bodies, scaled to fit into a cube of side 2
/// ([`scaled_to_cube`](super::scaled_to_cube)). One of them tumbles in 5000 small steps, and then again at
/// the next smaller distance. Step i of n has the rotation Rz(α)·Rx(α), α = 2π·i/n. A turn by 90° is exact,
/// so faces parallel to a coordinate plane are parallel to one again.
pub fn tumble(distance: f64, steps: u32) -> Result<Vec<Pose>, GenerateError> {
    check_steps(steps)?;
    check_measure("distance", distance, true, "a finite number")?;
    let translation = DVec3::new(distance, 0.0, 0.0);
    (0..steps)
        .map(|step| {
            let angle = turn(u64::from(step), u64::from(steps));
            Ok(Pose::new(about_z(angle) * about_x(angle), translation)?)
        })
        .collect()
}

/// A body that flies straight, is reflected by the walls of a box, and turns slowly.
///
/// The origin of the body starts at a random position in `room` in a random direction, moves by `stride` each
/// step and never leaves the box. The body turns by 1° each step about a random axis. This is a simple form
/// of the billiard paths of Klosowski (1998), without obstacles; [`scenario::bounce`](crate::scenario::bounce)
/// makes paths that bounce off obstacles.
pub fn billiard(
    seed: u64,
    room: Bounds,
    stride: f64,
    steps: u32,
) -> Result<Vec<Pose>, GenerateError> {
    check_steps(steps)?;
    let size = room.size();
    for (parameter, value) in ["room's x", "room's y", "room's z"].into_iter().zip(size.to_array())
    {
        check_positive(parameter, value)?;
    }
    check_measure("stride", stride, stride >= 0.0, "a finite number of at least 0")?;
    let mut random = Random::new(seed);
    let start = DVec3::from_array([(); 3].map(|()| random.unit())) * size;
    let velocity = random.direction() * stride;
    let axis = random.direction();
    let attitude = random.rotation();
    (0..steps)
        .map(|step| {
            let step = f64::from(step);
            // Reflected at 0 and at the size of the box, a coordinate has twice that size as its
            // period. It is computed from the start each time, so that errors do not accumulate.
            let flown = start + velocity * step;
            let folded = DVec3::from_array([0, 1, 2].map(|i| {
                let period = flown[i].rem_euclid(2.0 * size[i]);
                period.min(2.0 * size[i] - period)
            }));
            let position = (room.min + folded).clamp(room.min, room.max);
            let rotation = about(axis, (step % 360.0).to_radians()) * attitude;
            Ok(Pose::new(rotation, position)?)
        })
        .collect()
}

/// Random rotations about the origin, without translation.
pub fn random_rotations(seed: u64, count: u32) -> Vec<Pose> {
    let mut random = Random::new(seed);
    let pose = |_| Pose::new(random.rotation(), DVec3::ZERO).expect("a rotation is a pose");
    (0..count).map(pose).collect()
}

/// One round of a figure of eight over a [`terrain`](super::terrain) of this size. The body's origin keeps
/// `clearance` above the ground below it, its x axis points along the path, and its y axis is horizontal.
///
/// Modelled on the flights over terrain of Klosowski (1998). How near the body comes to the ground depends on
/// its shape.
pub fn terrain_flight(
    size: DVec2,
    clearance: f64,
    steps: u32,
    height: impl Fn(f64, f64) -> f64,
) -> Result<Vec<Pose>, GenerateError> {
    check_steps(steps)?;
    check_positive("size.x", size.x)?;
    check_positive("size.y", size.y)?;
    check_measure("clearance", clearance, true, "a finite number")?;
    // Finer than the steps, to look ahead along the path.
    let ticks = 16 * u64::from(steps);
    let at = |tick: u64| {
        let ground = size * 0.45 * DVec2::new(turn(tick, ticks).y, turn(2 * tick, ticks).y);
        ground.extend(height(ground.x, ground.y) + clearance)
    };
    (0..u64::from(steps))
        .map(|step| {
            let position = at(16 * step);
            let ahead = at(16 * step + 1) - position;
            let forward = ahead / ahead.length();
            let left = DVec3::Z.cross(forward);
            let left = left / left.length();
            let rotation = DMat3::from_cols(forward, left, forward.cross(left));
            Ok(Pose::new(rotation, position)?)
        })
        .collect()
}

/// Fails for a path that would take too much memory.
pub(crate) fn check_steps(steps: u32) -> Result<(), GenerateError> {
    check_count("steps", steps, steps <= 10_000_000, "at most 10000000")
}

#[cfg(test)]
mod tests {
    use super::super::check::hash_poses;
    use super::super::terrain_height;
    use super::*;

    #[test]
    fn a_tumble_is_one_turn_at_its_distance() {
        let poses = tumble(1.5, 5000).unwrap();
        assert_eq!(poses.len(), 5000);
        assert!(poses.iter().all(|pose| pose.translation() == DVec3::new(1.5, 0.0, 0.0)));
        assert_eq!(poses[0].rotation(), DMat3::IDENTITY);
        let quarter = poses[1250];
        assert_eq!(quarter.place(DVec3::X), DVec3::new(1.5, 1.0, 0.0));
        assert_eq!(quarter.place(DVec3::Y), DVec3::new(1.5, 0.0, 1.0));
        // The last step is as close to the first as any step to the next.
        let turned =
            |a: &Pose, b: &Pose| (a.rotation() * DVec3::ONE - b.rotation() * DVec3::ONE).length();
        assert!(poses.windows(2).all(|pair| turned(&pair[0], &pair[1]) < 0.005));
        assert!(turned(&poses[4999], &poses[0]) < 0.005);
        assert!(tumble(1.0, 0).unwrap().is_empty());
        assert!(tumble(f64::NAN, 1).is_err());
        let error = tumble(1.0, 10_000_001).unwrap_err();
        assert_eq!(error.to_string(), "steps is 10000001, but must be at most 10000000");
    }

    #[test]
    fn a_billiard_stays_in_its_box_and_moves_by_its_stride() {
        let room = Bounds { min: DVec3::new(-1.0, 0.0, 5.0), max: DVec3::new(1.0, 0.5, 6.0) };
        let poses = billiard(1, room, 0.03, 3000).unwrap();
        let mut reflected = 0;
        for pair in poses.windows(2) {
            let moved = pair[1].translation() - pair[0].translation();
            assert!(moved.length() < 0.03 + 1e-12);
            reflected += usize::from(moved.length() < 0.03 - 1e-9);
        }
        assert!((50..600).contains(&reflected), "{reflected}");
        let all = Bounds::enclosing(poses.iter().map(Pose::translation));
        assert!(all.min.cmpge(room.min).all() && all.max.cmple(room.max).all());
        assert!((all.size() / room.size()).min_element() > 0.9);
    }

    #[test]
    fn a_billiard_handles_strides_longer_than_its_box() {
        let room = Bounds { min: DVec3::ZERO, max: DVec3::ONE };
        for pose in billiard(2, room, 1e9, 100).unwrap() {
            assert!(pose.translation().cmpge(room.min).all());
            assert!(pose.translation().cmple(room.max).all());
        }
        assert!(billiard(2, room, -1.0, 1).is_err());
        let error = billiard(2, Bounds::EMPTY, 1.0, 1).unwrap_err();
        assert!(error.to_string().starts_with("room's x is -inf"), "{error}");
    }

    #[test]
    fn random_rotations_differ_and_stay_in_place() {
        let poses = random_rotations(1, 100);
        assert_eq!(poses.len(), 100);
        assert!(poses.iter().all(|pose| pose.translation() == DVec3::ZERO));
        assert!(poses.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_flight_follows_the_ground_and_points_forward() {
        let height = terrain_height(1);
        let size = DVec2::new(1.0, 0.8);
        let poses = terrain_flight(size, 0.05, 800, &height).unwrap();
        for (i, pose) in poses.iter().enumerate() {
            let at = pose.translation();
            assert!((at.z - height(at.x, at.y) - 0.05).abs() < 1e-15);
            assert!(at.x.abs() < 0.5 && at.y.abs() < 0.4);
            let next = poses[(i + 1) % poses.len()].translation() - at;
            let nose = pose.rotation().x_axis;
            assert!(nose.dot(next.normalize()) > 0.8, "step {i}");
            assert_eq!(pose.rotation().y_axis.z, 0.0);
            assert!(pose.rotation().z_axis.z > 0.0);
        }
        assert!(terrain_flight(size, f64::INFINITY, 8, &height).is_err());
        assert!(terrain_flight(-size, 0.1, 8, &height).is_err());
        assert!(terrain_flight(size, 0.1, 8, |_, _| f64::NAN).is_err());
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        let room = Bounds { min: DVec3::NEG_ONE, max: DVec3::ONE };
        assert_eq!(hash_poses(&tumble(2.0, 100).unwrap()), 0xBC1A_0D26_3A0F_F965);
        assert_eq!(hash_poses(&billiard(1, room, 0.1, 100).unwrap()), 0x7B30_F47C_A778_6B74);
        assert_eq!(hash_poses(&random_rotations(1, 100)), 0xB1DB_F0B6_2431_4EC1);
        let flight = terrain_flight(DVec2::ONE, 0.1, 100, terrain_height(1)).unwrap();
        assert_eq!(hash_poses(&flight), 0x02B1_4190_7C54_0578);
    }
}

//! Random points and rays, to ask about a mesh.

use super::{GenerateError, Random, check_count, check_measure};
use crate::{Bounds, narrow::Ray};
use glam::DVec3;

/// More points or rays than this are more likely a typing error than intended.
const MAX_PROBES: u32 = 100_000_000;

/// Random points, uniform in a box. The box must be finite and not empty.
pub fn random_points(seed: u64, room: Bounds, count: u32) -> Result<Vec<DVec3>, GenerateError> {
    check(room, count)?;
    let mut random = Random::new(seed);
    Ok((0..count).map(|_| point_in(room, &mut random)).collect())
}

/// Random rays from around a box to points that are uniform in it: they start on the sphere about its center whose
/// radius is the diagonal, and their directions have length 1. The box must be finite and not empty.
pub fn random_rays(seed: u64, room: Bounds, count: u32) -> Result<Vec<Ray>, GenerateError> {
    check(room, count)?;
    let (mut random, center) = (Random::new(seed), room.center());
    // For a box that is a point, any distance will do.
    let diagonal = room.size().length();
    let away = if diagonal > 0.0 { diagonal } else { 1.0 };
    let ray_to_a_point = |_| {
        let origin = center + random.direction() * away;
        let along = point_in(room, &mut random) - origin;
        ray(origin, along / along.length())
    };
    Ok((0..count).map(ray_to_a_point).collect())
}

/// Random rays from points that are uniform in a box, in all directions, which have length 1. The box must be finite
/// and not empty.
pub fn random_rays_within(seed: u64, room: Bounds, count: u32) -> Result<Vec<Ray>, GenerateError> {
    check(room, count)?;
    let mut random = Random::new(seed);
    Ok((0..count).map(|_| ray(point_in(room, &mut random), random.direction())).collect())
}

fn ray(origin: DVec3, direction: DVec3) -> Ray {
    Ray::new(origin, direction).expect("finite, and not zero")
}

fn point_in(room: Bounds, random: &mut Random) -> DVec3 {
    let (min, max) = (room.min.to_array(), room.max.to_array());
    DVec3::from_array([0, 1, 2].map(|axis| random.range(min[axis], max[axis])))
}

fn check(room: Bounds, count: u32) -> Result<(), GenerateError> {
    check_count("count", count, (1..=MAX_PROBES).contains(&count), "from 1 to 100000000")?;
    // Lengths up to this can be squared.
    let size = room.size().max_element();
    check_measure("room", size, (0.0..=1e150).contains(&size), "a box with sides of at most 1e150")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Bounds = Bounds { min: DVec3::new(1.0, 2.0, 3.0), max: DVec3::new(2.0, 4.0, 3.0) };

    #[test]
    fn points_and_starts_are_in_the_room() {
        let points = random_points(1, ROOM, 500).unwrap();
        let within = random_rays_within(2, ROOM, 500).unwrap();
        assert!(points.iter().all(|p| ROOM.contains(*p)));
        assert!(within.iter().all(|ray| ROOM.contains(ray.origin())));
        let mean = points.iter().sum::<DVec3>() / 500.0;
        assert!(mean.distance(ROOM.center()) < 0.1, "{mean}");
        assert_ne!(points, random_points(2, ROOM, 500).unwrap());
    }

    #[test]
    fn rays_pass_through_the_room() {
        for ray in random_rays(3, ROOM, 500).unwrap() {
            assert!(!ROOM.contains(ray.origin()));
            assert!((ray.direction().length() - 1.0).abs() < 1e-15);
            // The room is flat: the ray meets it where its z is 3.
            let at = ray.at((3.0 - ray.origin().z) / ray.direction().z);
            assert!(ROOM.grown(1e-9).contains(at), "{ray:?}");
        }
    }

    #[test]
    fn a_room_has_to_be_a_box() {
        assert!(random_points(1, Bounds::EMPTY, 1).is_err());
        assert!(random_rays(1, ROOM, 0).is_err());
        let point = Bounds { min: DVec3::ONE, max: DVec3::ONE };
        assert_eq!(random_rays(1, point, 3).unwrap().len(), 3);
        let huge = Bounds { min: DVec3::splat(-1e200), max: DVec3::splat(1e200) };
        assert!(random_rays(1, huge, 1).is_err());
    }
}

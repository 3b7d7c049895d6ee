//! How often a closed surface goes around a point, face by face: exactly.
//!
//! A closed surface goes around a point a whole number of times, its winding number: 0 outside, 1 inside of a solid
//! whose faces look outward, more where shells overlap, 0 again in a cavity. It is found along a ray: every face
//! that looks forward counts 1, every face that looks back −1.
//!
//! Rays go along x, and where they meet an edge or a corner, they are thought of as moved by ε along y and ε² along
//! z, with an ε that is smaller than any number: so no ray meets an edge, and every face is either met or missed.
//!
//! Clashes of solids and queries for a point in a solid both call [`winding_along_x`], for every face that a ray along
//! x may meet, and add up what it returns.

use super::{
    Triangle, degenerate,
    predicates::{Projection, orient2d, orient3d},
};
use crate::Bounds;
use glam::{DVec2, DVec3};

/// What a triangle adds to the winding number of a point, along the ray from the point in the direction of x: 1 if the
/// ray passes through it and it looks forward, −1 if it looks back, 0 if the ray misses it. `None` if the point lies on
/// the closed triangle.
///
/// Exact for every finite `f64`. A degenerate triangle adds 0 unless the point lies on it.
pub(crate) fn winding_along_x(point: DVec3, triangle: &Triangle) -> Option<i32> {
    let bounds = Bounds::enclosing(*triangle);
    let flat = |p: DVec3| Projection::AlongX.of(p);
    let here = flat(point);
    // Most are missed by far.
    let is_beside = here.cmplt(flat(bounds.min)) | here.cmpgt(flat(bounds.max));
    if is_beside.any() || point.x > bounds.max.x {
        return Some(0);
    }
    if point.x >= bounds.min.x && degenerate::contains(triangle, point) {
        return None;
    }
    let [a, b, c] = triangle.map(flat);
    let facing = orient2d(a, b, c);
    let is_met = facing != 0
        && [[a, b], [b, c], [c, a]].iter().all(|&[from, to]| side(from, to, here) == facing);
    if !is_met {
        return Some(0);
    }
    let [a, b, c] = *triangle;
    // With n the normal, the ray meets the plane at `−n·(p − a) / n.x` from the point on. That is not 0: a point in the
    // plane, seen within the triangle, lies on it.
    let is_ahead = orient3d(a, b, c, point) == -facing;
    Some(if is_ahead { facing } else { 0 })
}

/// On which side of a line a point is that is moved by ε along the first and ε² along the second axis.
fn side(from: DVec2, to: DVec2, point: DVec2) -> i32 {
    let sign = |value: f64| i32::from(value > 0.0) - i32::from(value < 0.0);
    match orient2d(from, to, point) {
        0 if to.y != from.y => -sign(to.y - from.y),
        0 => sign(to.x - from.x),
        side => side,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh,
        generate::{self, Random},
    };

    /// The winding number of a point; `None` on the surface.
    fn winding(mesh: &Mesh, point: DVec3) -> Option<i32> {
        mesh.triangles().map(|triangle| winding_along_x(point, &triangle)).sum()
    }

    /// Rays through edges and corners, which coarse coordinates make frequent.
    #[test]
    fn a_box_goes_once_around_all_points_inside() {
        let mesh = generate::cuboid(DVec3::splat(4.0)).unwrap();
        for x in -6..=6 {
            for y in -6..=6 {
                for z in -6..=6 {
                    let point = DVec3::new(x.into(), y.into(), z.into()) * 0.5;
                    let expected = match point.abs().max_element() {
                        reach if reach < 2.0 => Some(1),
                        2.0 => None,
                        _ => Some(0),
                    };
                    assert_eq!(winding(&mesh, point), expected, "{point}");
                }
            }
        }
    }

    /// Faces of all kinds at the point itself: edge-on, at an edge, at a corner.
    #[test]
    fn points_on_the_surface_are_told_exactly() {
        let mesh = generate::sphere(48).unwrap();
        for triangle in mesh.triangles() {
            for corner in triangle {
                assert_eq!(winding(&mesh, corner), None, "{corner}");
            }
        }
        let edge_on = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        assert_eq!(winding_along_x(DVec3::new(1.0, 1.0, 0.0), &edge_on), None);
        assert_eq!(winding_along_x(DVec3::new(2.0, 2.0, 0.0), &edge_on), None);
        let beyond = DVec3::new(2.0, 2.0_f64.next_up(), 0.0);
        assert_eq!(winding_along_x(beyond, &edge_on), Some(0));
        let segment = [DVec3::ZERO, DVec3::ONE, DVec3::ONE * 2.0];
        assert_eq!(winding_along_x(DVec3::splat(1.5), &segment), None);
        assert_eq!(winding_along_x(DVec3::new(0.5, 1.5, 1.5), &segment), Some(0));
    }

    /// Overlapping shells, a cavity, and a mesh inside out; against solid angles, which round but need no rays.
    #[test]
    fn winding_numbers_equal_solid_angles() {
        let outer = generate::sphere(168).unwrap();
        let joined = |parts: &[(f64, DVec3, bool)]| {
            let (mut positions, mut faces) = (Vec::new(), Vec::new());
            for &(size, place, is_turned) in parts {
                let first = positions.len() as u32;
                positions.extend(outer.positions().iter().map(|p| p * size + place));
                faces.extend(outer.faces().iter().map(|&[a, b, c]| {
                    let [b, c] = if is_turned { [c, b] } else { [b, c] };
                    [a, b, c].map(|vertex| vertex + first)
                }));
            }
            Mesh::new(positions, faces).unwrap()
        };
        let meshes = [
            joined(&[(1.0, DVec3::ZERO, false), (1.0, DVec3::new(0.9, 0.1, 0.0), false)]),
            joined(&[(1.0, DVec3::ZERO, false), (0.5, DVec3::ZERO, true)]),
            joined(&[(1.0, DVec3::ZERO, true)]),
        ];
        let mut seen = [0; 4];
        for (number, mesh) in meshes.iter().enumerate() {
            let mut random = Random::new(number as u64);
            for case in 0..1_000 {
                let point = random.direction() * random.range(0.0, 2.0);
                let angle: f64 = mesh.triangles().map(|t| solid_angle(t.map(|p| p - point))).sum();
                let turns = angle / (4.0 * std::f64::consts::PI);
                assert!((turns - turns.round()).abs() < 1e-6, "mesh {number}, case {case}");
                let found = winding(mesh, point);
                assert_eq!(found, Some(turns.round() as i32), "mesh {number}, case {case}");
                seen[(turns.round() as i32 + 1) as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 40), "some numbers are too rare: {seen:?}");
    }

    /// Van Oosterom and Strackee (1983).
    fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
        let [x, y, z] = [a, b, c].map(DVec3::length);
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * libm::atan2(a.dot(b.cross(c)), below)
    }
}

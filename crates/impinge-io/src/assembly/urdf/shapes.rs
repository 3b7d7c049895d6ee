//! Makes triangle meshes of the primitive shapes of a robot: box, cylinder, sphere, capsule.

use super::document::Geometry;
use glam::DVec3;
use impinge::Mesh;
use std::f64::consts::{PI, TAU};

/// The smallest and the largest number of sides of a circle. The largest is reached at a tolerance of 0.002 % of the
/// radius.
const SIDES: [u32; 2] = [8, MAX_SIDES];
pub(super) const MAX_SIDES: u32 = 512;

/// Returns a closed mesh whose vertices lie on the shape and whose faces are within `tolerance` of it, with normals
/// outward. The axis is z, the centre is the origin.
pub(super) fn mesh(geometry: &Geometry, tolerance: f64) -> Result<Mesh, String> {
    let (positions, faces) = match *geometry {
        Geometry::Box { size } => cuboid(size * 0.5),
        Geometry::Cylinder { radius, length } => {
            let half = length * 0.5;
            // The caps are flat, so one vertex at the centre of each is enough.
            let rings = [(0.0, -half), (radius, -half), (radius, half), (0.0, half)];
            revolved(&rings, sides(radius, tolerance))
        }
        // The cells of the grid on a sphere deviate in two directions; each gets half of the tolerance.
        Geometry::Sphere { radius } => {
            let sides = sides(radius, tolerance * 0.5);
            revolved(&arcs(radius, 0.0, sides), sides)
        }
        Geometry::Capsule { radius, length } => {
            let sides = sides(radius, tolerance * 0.5);
            revolved(&arcs(radius, length * 0.5, sides), sides)
        }
        Geometry::Mesh { .. } => return Err("a mesh is read from its file".into()),
    };
    Mesh::new(positions, faces).map_err(|error| error.to_string())
}

/// Returns how far each face of a round shape is from the true surface; nothing for flat shapes.
pub(super) fn deviations(geometry: &Geometry, mesh: &Mesh) -> Option<Vec<f64>> {
    let (radius, half) = match *geometry {
        Geometry::Cylinder { radius, length } => (radius, length * 0.5),
        Geometry::Capsule { radius, length } => (radius, length * 0.5),
        Geometry::Sphere { radius } => (radius, 0.0),
        Geometry::Box { .. } | Geometry::Mesh { .. } => return None,
    };
    let is_flat = |[a, b, c]: [DVec3; 3]| {
        matches!(geometry, Geometry::Cylinder { .. }) && a.z == b.z && b.z == c.z
    };
    let deviation = |corners @ [a, b, c]: [DVec3; 3]| {
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return 0.0 };
        if is_flat(corners) {
            return 0.0;
        }
        // All corners are at the distance `radius` from a point of the axis, and the plane of the face is nearer.
        let centre = DVec3::Z * ((a.z + b.z + c.z) / 3.0).clamp(-half, half);
        (radius - normal.dot(a - centre).abs()).max(0.0)
    };
    Some(mesh.triangles().map(deviation).collect())
}

/// Identifies a shape by its kind and dimensions.
pub(super) type Key = (u8, [u64; 3]);

pub(super) fn key(geometry: &Geometry) -> Key {
    let (kind, numbers) = match *geometry {
        Geometry::Box { size } => (0, size.to_array()),
        Geometry::Cylinder { radius, length } => (1, [radius, length, 0.0]),
        Geometry::Sphere { radius } => (2, [radius, 0.0, 0.0]),
        Geometry::Capsule { radius, length } => (3, [radius, length, 0.0]),
        Geometry::Mesh { scale, .. } => (4, scale.to_array()),
    };
    (kind, numbers.map(f64::to_bits))
}

fn cuboid(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let side = |corner: u32, bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
    let corner = |c: u32| half * DVec3::new(side(c, 1), side(c, 2), side(c, 4));
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    ((0..8).map(corner).collect(), faces.collect())
}

/// Returns the smallest even number of sides for which the chords of a circle are within `tolerance` of it.
fn sides(radius: f64, tolerance: f64) -> u32 {
    let [least, most] = SIDES;
    // r·(1 − cos(π / n)) ≤ tolerance
    let half_angle = libm::acos((1.0 - tolerance / radius).max(-1.0));
    let sides = (PI / half_angle).ceil();
    // A radius of 0 gives NaN, which casts to 0.
    (sides.min(f64::from(most)) as u32).max(least).next_multiple_of(2)
}

/// Returns the profile of two quarter circles centred at `±half`, from pole to pole; a half circle if `half` is 0.
fn arcs(radius: f64, half: f64, sides: u32) -> Vec<(f64, f64)> {
    let steps = sides.div_ceil(4);
    let at = |step: u32| {
        let (sin, cos) = libm::sincos(PI * 0.5 * f64::from(step) / f64::from(steps));
        (radius * sin, radius * cos)
    };
    let mut profile: Vec<_> = (1..=steps).map(at).map(|(r, z)| (r, -z - half)).collect();
    profile.insert(0, (0.0, -radius - half));
    // The equator occurs once, or twice if a straight segment lies between the two quarter circles.
    if let Some(last) = profile.last_mut() {
        *last = (radius, -half);
    }
    let mut upper: Vec<_> = profile.iter().rev().map(|&(r, z)| (r, -z)).collect();
    if half == 0.0 {
        upper.remove(0);
    }
    profile.append(&mut upper);
    profile
}

/// Revolves a profile of (radius, height) pairs, from the lower pole to the upper one, about z.
fn revolved(profile: &[(f64, f64)], sides: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let rings = profile.len() as u32 - 2;
    let (bottom, top) = (rings * sides, rings * sides + 1);
    let mut positions = Vec::with_capacity(top as usize + 1);
    for &(radius, z) in &profile[1..=rings as usize] {
        positions.extend((0..sides).map(|side| {
            let (sin, cos) = libm::sincos(TAU * f64::from(side) / f64::from(sides));
            DVec3::new(radius * cos, radius * sin, z)
        }));
    }
    positions.push(DVec3::new(0.0, 0.0, profile[0].1));
    positions.push(DVec3::new(0.0, 0.0, profile[rings as usize + 1].1));

    let mut faces = Vec::with_capacity((2 * rings * sides) as usize);
    for side in 0..sides {
        let next = (side + 1) % sides;
        faces.push([bottom, next, side]);
        for ring in 0..rings - 1 {
            let [a, b] = [side, next].map(|side| ring * sides + side);
            let [c, d] = [a, b].map(|vertex| vertex + sides);
            faces.extend([[a, b, d], [a, d, c]]);
        }
        let last = (rings - 1) * sides;
        faces.push([top, last + side, last + next]);
    }
    (positions, faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the volume of a closed mesh, positive if its normals point outward.
    fn volume(mesh: &Mesh) -> f64 {
        mesh.report().volume.expect("the mesh is closed")
    }

    #[test]
    fn shapes_are_closed_and_within_the_tolerance() {
        for tolerance in [1e-2, 1e-3, 1e-4] {
            let made = |geometry| mesh(&geometry, tolerance).unwrap();
            let shapes = [
                Geometry::Sphere { radius: 0.5 },
                Geometry::Cylinder { radius: 0.5, length: 2.0 },
                Geometry::Capsule { radius: 0.5, length: 2.0 },
            ];
            type Case<'a> = (Mesh, f64, &'a dyn Fn(DVec3) -> f64);
            let cases: [Case<'_>; 3] = [
                (made(Geometry::Sphere { radius: 0.5 }), PI / 6.0, &|p| 0.5 - p.length()),
                (made(Geometry::Cylinder { radius: 0.5, length: 2.0 }), PI / 2.0, &|p| {
                    (0.5 - p.truncate().length()).min(1.0 - p.z.abs())
                }),
                (made(Geometry::Capsule { radius: 0.5, length: 2.0 }), PI / 2.0 + PI / 6.0, &|p| {
                    0.5 - (p - DVec3::Z * p.z.clamp(-1.0, 1.0)).length()
                }),
            ];
            for (number, (mesh, exact, depth)) in cases.iter().enumerate() {
                let volume = volume(mesh);
                assert!(volume > 0.0 && volume < *exact, "shape {number}: {volume} of {exact}");
                let mut deepest = 0.0_f64;
                for corners in mesh.triangles() {
                    for corner in corners {
                        assert!(depth(corner).abs() < 1e-15, "shape {number}: {corner}");
                    }
                    let [a, b, c] = corners;
                    for point in [a + b, b + c, c + a].map(|sum| sum * 0.5) {
                        deepest = deepest.max(depth(point));
                    }
                    deepest = deepest.max(depth((a + b + c) / 3.0));
                }
                assert!(deepest <= tolerance * (1.0 + 1e-9), "shape {number}: {deepest}");
                let known = deviations(&shapes[number], mesh).unwrap();
                for (face, &known) in mesh.triangles().zip(&known) {
                    let [a, b, c] = face;
                    let deviation = depth((a + b + c) / 3.0);
                    assert!(deviation <= known + 1e-12, "shape {number}: {deviation}, not {known}");
                }
                let most = known.iter().copied().fold(0.0, f64::max);
                assert!(most <= tolerance * (1.0 + 1e-9), "shape {number}: {most} of {tolerance}");
                let flat = known.iter().filter(|&&known| known == 0.0).count();
                assert_eq!(flat > 0, number == 1, "only the ends of a cylinder are flat");
                // The mesh must not be much finer than requested.
                assert!(deepest >= tolerance * 0.3, "shape {number}: {deepest} of {tolerance}");
            }
        }
    }

    #[test]
    fn boxes_are_exact_and_shapes_of_size_0_are_points() {
        let size = DVec3::new(1.0, 2.0, 3.0);
        let made = mesh(&Geometry::Box { size }, 1.0).unwrap();
        assert_eq!((volume(&made), made.faces().len()), (6.0, 12));
        let point = mesh(&Geometry::Sphere { radius: 0.0 }, 1e-4).unwrap();
        assert!(point.positions().iter().all(|&p| p == DVec3::ZERO));
        // The number of faces is limited for any tolerance.
        let fine = mesh(&Geometry::Sphere { radius: 1.0 }, 1e-300).unwrap();
        assert!(fine.faces().len() < 300_000);
        let huge = Geometry::Cylinder { radius: 1e101, length: 1.0 };
        assert!(mesh(&huge, 1e-4).unwrap_err().contains("beyond"));
    }
}

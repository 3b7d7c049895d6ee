//! A box and a cylinder.

use super::GenerateError;
use super::error::{check_count, check_faces, check_positive};
use super::surface::Surface;
use super::turn::circle;
use crate::Mesh;
use glam::DVec3;

/// A box with the given side lengths, centered at the origin: 12 faces, closed, normals outward.
pub fn cuboid(size: DVec3) -> Result<Mesh, GenerateError> {
    for (parameter, value) in ["size.x", "size.y", "size.z"].into_iter().zip(size.to_array()) {
        check_positive(parameter, value)?;
    }
    let DVec3 { x, y, z } = size * 0.5;
    let ring = |z| [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| DVec3::new(x, y, z));
    let mut surface = Surface::with_faces(12);
    surface.block(ring(-z), ring(z));
    surface.finish()
}

/// A cylinder about the z axis, centered at the origin, with its corners on the circle of the given radius:
/// 4·sides faces, closed, normals outward.
pub fn cylinder(radius: f64, height: f64, sides: u32) -> Result<Mesh, GenerateError> {
    check_positive("radius", radius)?;
    check_positive("height", height)?;
    check_count("sides", sides, sides >= 3, "at least 3")?;
    let faces = check_faces([4, sides])?;
    let mut surface = Surface::with_faces(faces);
    let z = height * 0.5;
    let bottom = surface.vertex(DVec3::new(0.0, 0.0, -z));
    let lower = surface.ring(circle(sides).map(|at| (at * radius).extend(-z)));
    let upper = surface.ring(circle(sides).map(|at| (at * radius).extend(z)));
    let top = surface.vertex(DVec3::new(0.0, 0.0, z));
    surface.fan_below(&lower, bottom);
    surface.strip(&lower, &upper);
    surface.fan_above(&upper, top);
    surface.finish()
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, hash, volume};
    use super::*;

    #[test]
    fn a_cuboid_has_its_size() {
        let mesh = cuboid(DVec3::new(1.0, 2.0, 4.0)).unwrap();
        assert_eq!(mesh.faces().len(), 12);
        assert_closed(&mesh);
        assert_eq!(volume(&mesh), 8.0);
        assert_eq!(mesh.bounds().size(), DVec3::new(1.0, 2.0, 4.0));
        assert_eq!(mesh.bounds().center(), DVec3::ZERO);
    }

    #[test]
    fn a_cylinder_has_its_volume() {
        for sides in [3, 4, 32] {
            let mesh = cylinder(2.0, 3.0, sides).unwrap();
            assert_eq!(mesh.faces().len(), 4 * sides as usize);
            assert_closed(&mesh);
            let n = f64::from(sides);
            let expected = 0.5 * n * 4.0 * (std::f64::consts::TAU / n).sin() * 3.0;
            assert!((volume(&mesh) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn wrong_sizes_are_refused_by_name() {
        let error = cuboid(DVec3::new(1.0, 0.0, 1.0)).unwrap_err();
        assert_eq!(error.to_string(), "size.y is 0, but must be a finite number above 0");
        assert!(cylinder(f64::NAN, 1.0, 8).is_err());
        assert!(cylinder(1.0, -1.0, 8).is_err());
        assert!(cylinder(1.0, 1.0, 2).is_err());
        assert!(cylinder(1.0, 1.0, u32::MAX).is_err());
        assert!(matches!(cylinder(1e101, 1.0, 8), Err(GenerateError::Mesh(_))));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap()), 0x827B_BAD4_1FC7_7DA5);
        assert_eq!(hash(&cylinder(1.0, 2.0, 17).unwrap()), 0x9267_7472_AF24_FD5D);
    }
}

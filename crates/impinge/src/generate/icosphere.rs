//! Spheres made by subdividing an icosahedron.

use super::GenerateError;
use super::error::check_count;
use super::surface::Surface;
use crate::Mesh;
use glam::DVec3;
use std::collections::HashMap;

/// A unit sphere about the origin, made from an icosahedron whose faces are split in four `subdivisions`
/// times: 20·4^subdivisions faces of nearly equal size, closed, normals outward.
///
/// Two of them, one slightly smaller, are the "parallel close proximity" shells of Gottschalk, Lin and
/// Manocha (1996) and of Klosowski (1998). At most 10 subdivisions (20,971,520 faces).
pub fn icosphere(subdivisions: u32) -> Result<Mesh, GenerateError> {
    check_count("subdivisions", subdivisions, subdivisions <= 10, "at most 10")?;
    let mut surface = Surface::with_faces(20 << (2 * subdivisions));
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let length = (1.0 + golden * golden).sqrt();
    let (a, b) = (1.0 / length, golden / length);
    for (s, t) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
        surface.ring([DVec3::new(s, t, 0.0), DVec3::new(0.0, s, t), DVec3::new(t, 0.0, s)]);
    }
    let mut faces = ICOSAHEDRON.to_vec();
    for _ in 0..subdivisions {
        faces = split(&mut surface, &faces);
    }
    faces.into_iter().for_each(|face| surface.face(face));
    surface.finish()
}

/// The faces between the 12 vertices, in the order in which `icosphere` adds them.
const ICOSAHEDRON: [[u32; 3]; 20] = [
    [0, 1, 2],
    [0, 3, 1],
    [0, 2, 5],
    [0, 7, 3],
    [0, 5, 7],
    [1, 4, 2],
    [1, 3, 8],
    [1, 8, 4],
    [2, 4, 6],
    [2, 6, 5],
    [3, 7, 11],
    [3, 11, 8],
    [4, 9, 6],
    [4, 8, 9],
    [5, 6, 10],
    [5, 10, 7],
    [6, 9, 10],
    [7, 10, 11],
    [8, 11, 9],
    [9, 11, 10],
];

/// Splits each face at the midpoints of its edges, which are moved out onto the sphere.
fn split(surface: &mut Surface, faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    // Only looked up, never iterated: the order of a hash map must not influence the mesh.
    let mut middles: HashMap<(u32, u32), u32> = HashMap::with_capacity(faces.len() * 3 / 2);
    let mut middle = |surface: &mut Surface, a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let sum = surface.position(a) + surface.position(b);
            surface.vertex(sum / sum.length())
        })
    };
    let mut halves = Vec::with_capacity(faces.len() * 4);
    for &[a, b, c] in faces {
        let ab = middle(surface, a, b);
        let bc = middle(surface, b, c);
        let ca = middle(surface, c, a);
        halves.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    halves
}

#[cfg(test)]
mod tests {
    use super::super::check::{area, assert_closed, hash, volume};
    use super::*;

    #[test]
    fn icospheres_are_closed_and_have_faces_of_similar_area() {
        for subdivisions in 0..6 {
            let mesh = icosphere(subdivisions).unwrap();
            let faces = 20 << (2 * subdivisions);
            assert_eq!(mesh.faces().len(), faces);
            assert_closed(&mesh);
            assert!(mesh.positions().iter().all(|p| (p.length() - 1.0).abs() < 4e-16));
            assert!(volume(&mesh) > 2.5);
            let areas: Vec<f64> = (0..faces).map(|face| area(&mesh, face)).collect();
            let (least, most) = (
                areas.iter().fold(9.0, |a: f64, &b| a.min(b)),
                areas.iter().fold(0.0, |a: f64, &b| a.max(b)),
            );
            assert!(most < 2.1 * least, "{subdivisions}: {least} to {most}");
        }
    }

    #[test]
    fn too_many_subdivisions_are_refused() {
        let error = icosphere(11).unwrap_err();
        assert_eq!(error.to_string(), "subdivisions is 11, but must be at most 10");
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&icosphere(3).unwrap()), 0xE1D2_6CC5_8EB3_6C3D);
    }
}

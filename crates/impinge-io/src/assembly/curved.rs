//! Finds the faces of a mesh that stand for curved surfaces, if the program that made the triangles does not say.
//!
//! A curved surface becomes a strip of flat patches with small angles between them. A patch is a set of faces in one
//! plane that are connected by edges. A patch with two or more neighbours at small angles is taken as curved, and so are
//! these neighbours. A roof, with its one ridge, is not.

use glam::DVec3;
use impinge::{Mesh, clash::Tessellation};
use std::collections::HashMap;

/// Faces at a smaller angle, in radians, are in one plane.
const FLAT: f64 = 1e-4;

/// Faces at a larger angle, in radians, meet at an edge of the body: programs cut curved surfaces more finely.
const SHARP: f64 = 0.6;

/// Returns the tessellation of a mesh whose curved faces are within `distance` of their surfaces.
pub(super) fn tessellation(mesh: &Mesh, distance: f64) -> Tessellation {
    let curved = curved(mesh);
    match (curved.contains(&true), curved.contains(&false)) {
        (false, _) => Tessellation::Uniform(0.0),
        (true, false) => Tessellation::Uniform(distance),
        (true, true) => {
            let of = |&is_curved: &bool| if is_curved { distance as f32 } else { 0.0 };
            Tessellation::Faces(curved.iter().map(of).collect())
        }
    }
}

/// Returns whether each face stands for a curved surface.
fn curved(mesh: &Mesh) -> Vec<bool> {
    let normals: Vec<DVec3> =
        mesh.triangles().map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero()).collect();
    let mut edges: HashMap<[u32; 2], [u32; 2]> = HashMap::with_capacity(normals.len() * 3 / 2);
    let numbers = distinct_positions(mesh);
    let (mut flat, mut smooth) = (Vec::new(), Vec::new());
    for (face, corners) in mesh.faces().iter().enumerate() {
        let [a, b, c] = corners.map(|corner| numbers[corner as usize]);
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let edge = [from.min(to), from.max(to)];
            let Some([other, _]) = edges.insert(edge, [face as u32, 0]) else { continue };
            let (u, v) = (normals[face], normals[other as usize]);
            let angle = u.cross(v).length().atan2(u.dot(v));
            // A face without area has no normal; it belongs to any patch.
            if angle <= FLAT || u == DVec3::ZERO || v == DVec3::ZERO {
                flat.push([face as u32, other]);
            } else if angle <= SHARP {
                smooth.push([face as u32, other]);
            }
        }
    }
    let mut patches: Vec<u32> = (0..normals.len() as u32).collect();
    for [a, b] in flat {
        let (a, b) = (root(&mut patches, a), root(&mut patches, b));
        patches[a.max(b) as usize] = a.min(b);
    }
    let mut neighbours: Vec<[u32; 2]> = smooth
        .into_iter()
        .map(|pair| pair.map(|face| root(&mut patches, face)))
        .flat_map(|[a, b]| [[a, b], [b, a]])
        .filter(|[a, b]| a != b)
        .collect();
    neighbours.sort_unstable();
    neighbours.dedup();
    let mut is_curved = vec![false; normals.len()];
    for around in neighbours.chunk_by(|a, b| a[0] == b[0]).filter(|around| around.len() > 1) {
        is_curved[around[0][0] as usize] = true;
        around.iter().for_each(|&[_, neighbour]| is_curved[neighbour as usize] = true);
    }
    (0..normals.len() as u32).map(|face| is_curved[root(&mut patches, face) as usize]).collect()
}

/// Returns the first vertex at the position of each vertex.
fn distinct_positions(mesh: &Mesh) -> Vec<u32> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(mesh.positions().len());
    let numbered = mesh.positions().iter().enumerate();
    numbered
        .map(|(vertex, &position)| {
            let key = (position + DVec3::ZERO).to_array().map(f64::to_bits);
            *first.entry(key).or_insert(vertex as u32)
        })
        .collect()
}

fn root(above: &mut [u32], mut item: u32) -> u32 {
    while above[item as usize] != item {
        let next = above[above[item as usize] as usize];
        above[item as usize] = next;
        item = next;
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::{cuboid, cylinder, icosphere};

    #[test]
    fn only_round_sides_are_curved() {
        assert_eq!(tessellation(&cuboid(DVec3::ONE).unwrap(), 0.1), Tessellation::Uniform(0.0));
        assert_eq!(tessellation(&icosphere(3).unwrap(), 0.1), Tessellation::Uniform(0.1));
        for sides in [12, 40, 500] {
            let mesh = cylinder(1.0, 3.0, sides).unwrap();
            let Tessellation::Faces(faces) = tessellation(&mesh, 0.1) else { panic!("{sides}") };
            for (&distance, [a, b, c]) in faces.iter().zip(mesh.triangles()) {
                let is_cap = (b - a).cross(c - a).normalize().z.abs() > 0.5;
                assert_eq!(distance, if is_cap { 0.0 } else { 0.1 }, "{sides} sides: {a} {b} {c}");
            }
        }
        // A prism of six sides is no cylinder.
        assert_eq!(tessellation(&cylinder(1.0, 3.0, 6).unwrap(), 0.1), Tessellation::Uniform(0.0));
    }

    #[test]
    fn a_ridge_is_not_curved() {
        // A roof of 15 degrees: 30 degrees between its two sides.
        let point = |x: f64, y: f64| DVec3::new(x, y, -0.27 * x.abs());
        let positions =
            [-1.0, 0.0, 1.0].iter().flat_map(|&x| [point(x, 0.0), point(x, 5.0)]).collect();
        let faces = vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]];
        let roof = Mesh::new(positions, faces).unwrap();
        assert_eq!(tessellation(&roof, 0.1), Tessellation::Uniform(0.0));
    }
}

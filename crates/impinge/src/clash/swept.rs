//! The solid that a part sweeps when it is translated.

use crate::Mesh;
use glam::DVec3;
use std::collections::HashMap;

/// The surface of the solid that the solid of a closed mesh sweeps during a translation, and for each of its faces the
/// two faces of the mesh that it comes from. `None` unless each edge of the mesh has two faces that run along it in
/// opposite directions, and for positions out of range.
///
/// Faces that look backward stay where they are, faces that look forward are moved, and a parallelogram joins them at
/// each edge where both kinds meet. A line along the translation leaves the solid of the mesh through faces that look
/// forward, so the swept surface winds around a point once for each stretch of the solid that passes over the point.
/// `is_inward` says that the faces of the mesh look into the solid.
pub(super) fn swept(mesh: &Mesh, by: DVec3, is_inward: bool) -> Option<(Mesh, Vec<[u32; 2]>)> {
    let (mut positions, numbers, faces) = welded(mesh);
    let looks_forward = |face: &[u32; 3]| {
        let [p, q, r] = face.map(|vertex| positions[vertex as usize]);
        let along = (q - p).cross(r - p).dot(by);
        if is_inward { along < 0.0 } else { along > 0.0 }
    };
    let is_forward: Vec<bool> = faces.iter().map(looks_forward).collect();
    let count = positions.len() as u32;
    // The face to the left of each edge.
    let mut left: HashMap<[u32; 2], u32> = HashMap::with_capacity(3 * faces.len());
    for (number, face) in (0..).zip(&faces) {
        for edge in edges(face) {
            if left.insert(edge, number).is_some() {
                return None;
            }
        }
    }
    let (mut all, mut origins) = (Vec::with_capacity(2 * faces.len()), Vec::new());
    for (number, face) in faces.iter().enumerate() {
        let is_moved = is_forward[number];
        all.push(if is_moved { face.map(|vertex| vertex + count) } else { *face });
        origins.push([numbers[number]; 2]);
        for [u, v] in edges(face) {
            let other = *left.get(&[v, u])? as usize;
            if is_moved && !is_forward[other] {
                all.extend([[u, v, v + count], [u, v + count, u + count]]);
                origins.extend([[numbers[number], numbers[other]]; 2]);
            }
        }
    }
    positions.extend_from_within(..);
    positions[count as usize..].iter_mut().for_each(|position| *position += by);
    Some((Mesh::new(positions, all).ok()?, origins))
}

/// The edges of a face, in its direction.
fn edges(&[p, q, r]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[p, q], [q, r], [r, p]]
}

/// The mesh with one vertex for each position: the positions, and the numbers and corners of the faces that have three
/// different corners.
fn welded(mesh: &Mesh) -> (Vec<DVec3>, Vec<u32>, Vec<[u32; 3]>) {
    let mut known: HashMap<[u64; 3], u32> = HashMap::with_capacity(mesh.positions().len());
    let mut positions = Vec::with_capacity(mesh.positions().len());
    let number = |&position: &DVec3| {
        // −0.0 and 0.0 are the same place.
        let key = (position + DVec3::ZERO).to_array().map(f64::to_bits);
        *known.entry(key).or_insert_with(|| {
            positions.push(position);
            positions.len() as u32 - 1
        })
    };
    let vertices: Vec<u32> = mesh.positions().iter().map(number).collect();
    let faces = mesh.faces().iter().map(|face| face.map(|vertex| vertices[vertex as usize]));
    let is_face = |(_, [p, q, r]): &(u32, [u32; 3])| p != q && q != r && r != p;
    let (numbers, faces) = (0..).zip(faces).filter(is_face).unzip();
    (positions, numbers, faces)
}

//! A mesh prepared for pictures, with a normal at every corner of every face.

use super::normal;
use impinge::{
    Bounds, Mesh,
    glam::{DVec3, Vec3},
};
use std::borrow::Cow;

/// Faces whose normals differ by less than this angle (its cosine) belong to one smooth surface.
const SMOOTH: f32 = 0.8;

/// If more faces than this meet at a vertex, their corners keep the flat normals.
const MAX_MEETING: usize = 200;

/// Meshes with more faces than this have flat normals: their faces are small enough.
const MAX_SMOOTH: usize = 2_000_000;

/// A mesh prepared for pictures.
#[derive(Debug)]
pub(crate) struct Shape<'a> {
    pub(super) mesh: Cow<'a, Mesh>,
    /// The packed normals at each corner of each face.
    pub(super) normals: Vec<[u32; 3]>,
    pub(super) bounds: Bounds,
}

impl<'a> Shape<'a> {
    pub(crate) fn new(mesh: &'a Mesh) -> Self {
        let faces = flat_normals(mesh);
        let normals = match faces.len() <= MAX_SMOOTH {
            true => corner_normals(mesh, &faces),
            false => faces.iter().map(|(normal, _)| [normal::pack(*normal); 3]).collect(),
        };
        Self { mesh: Cow::Borrowed(mesh), normals, bounds: mesh.bounds() }
    }

    /// Returns a box, for a part that is too small to be drawn in detail.
    pub(crate) fn block(bounds: &Bounds) -> Shape<'static> {
        let positions = super::corners(bounds).to_vec();
        let quads =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        // Empty bounds are not finite; such a part has no faces.
        let mesh = Mesh::new(positions, faces).unwrap_or_default();
        let normals =
            flat_normals(&mesh).iter().map(|(normal, _)| [normal::pack(*normal); 3]).collect();
        Shape { mesh: Cow::Owned(mesh), normals, bounds: *bounds }
    }

    pub(crate) fn face_count(&self) -> usize {
        self.normals.len()
    }
}

/// Returns the normal of every face, and a number proportional to its area.
fn flat_normals(mesh: &Mesh) -> Vec<(Vec3, f32)> {
    let reach = mesh.positions().iter().fold(0.0, |most: f64, at| most.max(at.abs().max_element()));
    // Without scaling, products of very large or small edges would overflow or underflow.
    let scale = 1.0 / reach.max(1e-300);
    let turned = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| mesh.positions()[vertex as usize] * scale);
        let cross = (b - a).cross(c - a);
        let length = cross.length();
        match length > 0.0 {
            true => ((cross / length).as_vec3(), length as f32),
            false => (Vec3::Z, 0.0),
        }
    };
    mesh.faces().iter().map(turned).collect()
}

/// Returns the normal at each corner: the mean over the adjacent faces with similar normals, weighted by
/// area.
fn corner_normals(mesh: &Mesh, faces: &[(Vec3, f32)]) -> Vec<[u32; 3]> {
    let place = places(mesh.positions());
    let mut first = vec![0_u32; mesh.positions().len() + 1];
    for vertex in mesh.faces().iter().flatten() {
        first[place[*vertex as usize] as usize + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut around = vec![0_u32; faces.len() * 3];
    let mut next = first.clone();
    for (face, corners) in mesh.faces().iter().enumerate() {
        for vertex in corners {
            let slot = &mut next[place[*vertex as usize] as usize];
            around[*slot as usize] = face as u32;
            *slot += 1;
        }
    }
    let corner = |own: Vec3, vertex: u32| {
        let place = place[vertex as usize] as usize;
        let around = &around[first[place] as usize..first[place + 1] as usize];
        if around.len() > MAX_MEETING {
            return normal::pack(own);
        }
        let near = around.iter().map(|&face| faces[face as usize]);
        let near = near.filter(|(normal, _)| normal.dot(own) > SMOOTH);
        let sum: Vec3 = near.map(|(normal, area)| normal * area).sum();
        normal::pack(if sum == Vec3::ZERO { own } else { sum })
    };
    let corners =
        |(corners, (own, _)): (&[u32; 3], &(Vec3, f32))| corners.map(|vertex| corner(*own, vertex));
    mesh.faces().iter().zip(faces).map(corners).collect()
}

/// Returns a number for each vertex; vertices at the same position have the same number.
fn places(positions: &[DVec3]) -> Vec<u32> {
    let key = |vertex: u32| (positions[vertex as usize] + 0.0).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&vertex| key(vertex));
    let mut places = vec![0; positions.len()];
    let mut count = 0;
    for (at, &vertex) in order.iter().enumerate() {
        if at > 0 && key(order[at - 1]) != key(vertex) {
            count += 1;
        }
        places[vertex as usize] = count;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_surfaces_are_smooth_and_edges_stay_sharp() {
        let ball = impinge::generate::sphere(2000).unwrap();
        for (corners, face) in Shape::new(&ball).normals.iter().zip(ball.faces()) {
            for (&corner, &vertex) in corners.iter().zip(face) {
                let outward = ball.positions()[vertex as usize].as_vec3().normalize();
                assert!(normal::unpack(corner).dot(outward) > 0.99);
            }
        }
        let block = Shape::block(&Bounds { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0) });
        let again = Shape::new(&block.mesh);
        assert_eq!(again.normals, block.normals);
        let middle = DVec3::new(0.5, 1.0, 1.5);
        for (corners, face) in again.normals.iter().zip(block.mesh.faces()) {
            let outward = block.mesh.positions()[face[0] as usize] - middle;
            assert!(normal::unpack(corners[0]).dot(outward.as_vec3()) > 0.4);
        }
    }

    #[test]
    fn extreme_sizes_have_directions_too() {
        for size in [1e-200, 1e100] {
            let corners = vec![DVec3::ZERO, DVec3::X * size, DVec3::Y * size];
            let mesh = Mesh::new(corners, vec![[0, 1, 2], [0, 0, 1]]).unwrap();
            assert!(normal::unpack(Shape::new(&mesh).normals[0][2]).z > 0.999);
        }
        assert_eq!(Shape::block(&Bounds::EMPTY).face_count(), 0);
    }
}

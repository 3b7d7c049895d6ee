//! Whether a body lies inside another one whose surface it does not meet. Used by the checks of robots, which ask this about
//! many pairs in many configurations.

use impinge::{
    Mesh, PointLocation, Pose, Shape, clash::Enclosure, glam::DVec3, method::PointScratch,
};
use std::collections::HashMap;

/// A body that may lie inside others, and that others may lie inside of.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) shape: Shape,
    solid: BodySolid,
    /// A vertex of each connected piece of the surface. If no surfaces meet, a piece is inside a solid exactly if its vertex
    /// is.
    vertices: Vec<DVec3>,
}

/// The solid that the faces of a body enclose.
#[derive(Debug)]
enum BodySolid {
    /// The faces are closed: exact decisions.
    Closed,
    /// The faces have gaps or holes, which are mended as for clash checks.
    Mended(Box<Enclosure>),
    /// The faces enclose nothing.
    None,
}

impl Body {
    /// Prepares a mesh, which takes time n log n.
    pub(crate) fn new(shape: Shape) -> Self {
        let solid = match shape.contains_point(&Pose::IDENTITY, DVec3::ZERO) {
            Ok(_) => BodySolid::Closed,
            Err(_) => {
                let enclosure = Enclosure::new(&shape);
                match enclosure.is_solid() {
                    true => BodySolid::Mended(enclosure.into()),
                    false => BodySolid::None,
                }
            }
        };
        let vertices = piece_vertices(shape.mesh());
        Self { shape, solid, vertices }
    }

    /// Whether a point in the world lies inside the body at a pose.
    fn contains(&self, pose: &Pose, point: DVec3, scratch: &mut PointScratch) -> bool {
        match &self.solid {
            BodySolid::None => false,
            BodySolid::Closed => {
                self.shape.contains_point(pose, point).ok() == Some(PointLocation::Inside)
            }
            BodySolid::Mended(enclosure) => {
                enclosure.contains_with(pose.inverse().place(point), scratch)
            }
        }
    }

    /// Whether a connected piece of another body, whose surface does not meet this one's, lies inside this body.
    pub(crate) fn has_inside(
        &self,
        pose: &Pose,
        (other, at): (&Self, &Pose),
        scratch: &mut PointScratch,
    ) -> bool {
        if matches!(self.solid, BodySolid::None) {
            return false;
        }
        let Some((center, radius)) = self.shape.placed_sphere(pose) else { return false };
        other.vertices.iter().any(|&vertex| {
            let point = at.place(vertex);
            if point.distance_squared(center) > radius * radius * (1.0 + 1e-9) {
                return false;
            }
            let bounds = self.shape.placed_bounds(pose);
            let is_near = point.cmpge(bounds.min).all() && point.cmple(bounds.max).all();
            is_near && self.contains(pose, point, scratch)
        })
    }
}

/// Returns a vertex of each connected piece of a mesh. Faces that share a vertex position are connected.
fn piece_vertices(mesh: &Mesh) -> Vec<DVec3> {
    let positions = mesh.positions();
    // Vertices at the same position count as one. Adding 0 makes -0 and 0 the same.
    let mut known: HashMap<[u64; 3], u32> = HashMap::with_capacity(positions.len());
    let first: Vec<u32> = (0..)
        .zip(positions)
        .map(|(number, position)| {
            let key = (*position + 0.0).to_array().map(f64::to_bits);
            *known.entry(key).or_insert(number)
        })
        .collect();
    let mut parent: Vec<u32> = (0..positions.len() as u32).collect();
    for face in mesh.faces() {
        let [a, b, c] = face.map(|vertex| first[vertex as usize]);
        for other in [b, c] {
            let roots = [root(&mut parent, a), root(&mut parent, other)];
            parent[roots[0] as usize] = roots[1];
        }
    }
    let mut pieces: Vec<u32> =
        mesh.faces().iter().map(|face| root(&mut parent, first[face[0] as usize])).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces.into_iter().map(|vertex| positions[vertex as usize]).collect()
}

/// Returns the representative of a vertex, and shortens the way to it.
fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        let above = parent[vertex as usize];
        parent[vertex as usize] = parent[above as usize];
        vertex = above;
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate;

    fn moved(mesh: &Mesh, by: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (mesh.positions().iter().map(|p| *p + by).collect(), mesh.faces().to_vec())
    }

    fn joined(a: &Mesh, b: &Mesh) -> Mesh {
        let offset = a.positions().len() as u32;
        let positions = [a.positions(), b.positions()].concat();
        let shifted = b.faces().iter().map(|face| face.map(|vertex| vertex + offset));
        Mesh::new(positions, a.faces().iter().copied().chain(shifted).collect()).unwrap()
    }

    #[test]
    fn every_piece_is_examined() {
        let small = generate::cuboid(DVec3::splat(0.2)).unwrap();
        let (positions, faces) = moved(&small, DVec3::splat(10.0));
        let far = Mesh::new(positions, faces).unwrap();
        let both = Body::new(Shape::new(joined(&far, &small)));
        assert_eq!(both.vertices.len(), 2);
        let large = Body::new(Shape::new(generate::cuboid(DVec3::splat(2.0)).unwrap()));
        let here = Pose::IDENTITY;
        let scratch = &mut PointScratch::default();
        assert!(large.has_inside(&here, (&both, &here), scratch));
        assert!(!both.has_inside(&here, (&large, &here), scratch));
        let away = Pose::from_translation(DVec3::splat(-10.0)).unwrap();
        assert!(large.has_inside(&here, (&both, &away), scratch), "the other piece is inside");
        let farther = Pose::from_translation(DVec3::splat(-20.0)).unwrap();
        assert!(!large.has_inside(&here, (&both, &farther), scratch));
    }

    #[test]
    fn small_gaps_do_not_let_bodies_out() {
        let ball = generate::sphere(960).unwrap();
        let mut faces = ball.faces().to_vec();
        faces.pop();
        let open = Body::new(Shape::new(Mesh::new(ball.positions().to_vec(), faces).unwrap()));
        assert!(matches!(open.solid, BodySolid::Mended(_)));
        let small = Body::new(Shape::new(generate::cuboid(DVec3::splat(0.2)).unwrap()));
        let here = Pose::IDENTITY;
        let scratch = &mut PointScratch::default();
        assert!(open.has_inside(&here, (&small, &here), scratch));
        let sheet = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        assert!(!Body::new(Shape::new(sheet)).has_inside(&here, (&small, &here), scratch));
    }
}

//! How far the triangles of the shapes of a robot are from the true surfaces.

use super::{document::Geometry, shapes};
use impinge::{Mesh, clash::Tessellation};

/// Returns the tessellation of a mesh that [`shapes`] has made: 0 for flat faces.
pub(super) fn of(geometry: &Geometry, mesh: &Mesh) -> Tessellation {
    match shapes::deviations(geometry, mesh) {
        Some(each) => Tessellation::Faces(each.iter().map(|&each| rounded_up(each)).collect()),
        None => Tessellation::default(),
    }
}

/// Returns a number as `f32` that is not smaller. 0 stays 0: a flat face is exact.
fn rounded_up(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) < value { nearest.next_up() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_curved_faces_are_approximate() {
        let of = |geometry: &Geometry| of(geometry, &shapes::mesh(geometry, 1e-3).unwrap());
        assert_eq!(of(&Geometry::Box { size: glam::DVec3::ONE }), Tessellation::Uniform(0.0));
        let faces = |geometry: &Geometry| match of(geometry) {
            Tessellation::Faces(faces) => faces,
            other => panic!("{other:?}"),
        };
        let is_within = |&&distance: &&f32| (3e-4..1.01e-3).contains(&distance);
        let sphere = faces(&Geometry::Sphere { radius: 1.0 });
        assert_eq!(sphere.iter().filter(is_within).count(), sphere.len());
        let cylinder = faces(&Geometry::Cylinder { radius: 1.0, length: 2.0 });
        let flat = cylinder.iter().filter(|&&distance| distance == 0.0).count();
        assert_eq!(flat * 2, cylinder.len(), "the caps are half of the faces");
        assert_eq!(cylinder.iter().filter(is_within).count(), flat);
    }
}

//! How far the triangles of the shapes of a robot are from the true surfaces.

use super::{document::Geometry, shapes::MAX_SIDES};
use impinge::{Mesh, clash::Tessellation};
use std::f64::consts::PI;

/// Returns the tessellation of a mesh that [`shapes`](super::shapes) has made within `tolerance`.
pub(super) fn of(geometry: &Geometry, mesh: &Mesh, tolerance: f64) -> Tessellation {
    // A circle of so many sides that no more are allowed may be further off.
    let coarsest = |radius: f64| radius * (1.0 - libm::cos(PI / f64::from(MAX_SIDES)));
    match *geometry {
        Geometry::Box { .. } | Geometry::Mesh { .. } => Tessellation::default(),
        Geometry::Cylinder { radius, .. } => {
            let side = tolerance.max(coarsest(radius)) as f32;
            let is_flat = |[a, b, c]: [glam::DVec3; 3]| a.z == b.z && b.z == c.z;
            let of = |triangle| if is_flat(triangle) { 0.0 } else { side };
            Tessellation::Faces(mesh.triangles().map(of).collect())
        }
        // The sides of the two directions add up.
        Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } => {
            Tessellation::Uniform(tolerance.max(2.0 * coarsest(radius)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::shapes, *};

    #[test]
    fn only_curved_faces_are_approximate() {
        let of = |geometry: &Geometry| {
            let mesh = shapes::mesh(geometry, 1e-3).unwrap();
            of(geometry, &mesh, 1e-3)
        };
        assert_eq!(of(&Geometry::Box { size: glam::DVec3::ONE }), Tessellation::Uniform(0.0));
        assert_eq!(of(&Geometry::Sphere { radius: 1.0 }), Tessellation::Uniform(1e-3));
        assert_eq!(
            of(&Geometry::Sphere { radius: 1e4 }),
            Tessellation::Uniform(2e4 * (1.0 - libm::cos(PI / 512.0)))
        );
        let Tessellation::Faces(faces) = of(&Geometry::Cylinder { radius: 1.0, length: 2.0 })
        else {
            panic!("a cylinder has flat and curved faces")
        };
        let flat = faces.iter().filter(|&&distance| distance == 0.0).count();
        assert_eq!(flat * 2, faces.len(), "the caps are half of the faces");
        assert!(faces.iter().all(|&distance| distance == 0.0 || distance == 1e-3));
    }
}

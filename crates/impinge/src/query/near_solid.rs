//! One shape and a swept solid: the faces that the solid touches.

use super::Shape;
use crate::{Pose, method::SolidScratch, narrow::Triangle, solid::SweptSolid};
use std::ops::ControlFlow;

impl Shape {
    /// Visits faces that a solid may touch, and all that it does, until `visit` returns `Break`. In any order; each face once.
    /// The triangle is the face as placed.
    ///
    /// The scratch memory is reused from call to call. After [`start_near`](Self::start_near) the search starts at the faces
    /// that are near the region given there.
    pub fn visit_near_solid(
        &self,
        pose: &Pose,
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        mut visit: impl FnMut(u32, &Triangle) -> ControlFlow<()>,
    ) {
        let body = self.placed(pose);
        let mut visit = |face: u32| visit(face, &body.triangle(face));
        body.prepared.faces_near_solid((body.mesh, pose), solid, scratch, &mut visit);
    }

    /// Makes the next searches with this scratch memory and this shape at this pose start at the faces near a region. The
    /// solids of these searches must lie inside of the region.
    pub fn start_near(&self, pose: &Pose, region: &SweptSolid, scratch: &mut SolidScratch) {
        let body = self.placed(pose);
        body.prepared.solid_front((body.mesh, pose), region, scratch);
    }

    /// Whether a solid touches a face, decided for each face by [`SweptSolid::touches`].
    pub fn touches_swept(
        &self,
        pose: &Pose,
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
    ) -> bool {
        let mut is_touching = false;
        self.visit_near_solid(pose, solid, scratch, |_, triangle| {
            is_touching = solid.touches(triangle);
            if is_touching { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_touching
    }

    /// The numbers of the faces that a solid touches, decided for each face by [`SweptSolid::touches`]; sorted.
    pub fn faces_touching_swept(
        &self,
        pose: &Pose,
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
    ) -> Vec<u32> {
        let mut faces = Vec::new();
        self.visit_near_solid(pose, solid, scratch, |face, triangle| {
            if solid.touches(triangle) {
                faces.push(face);
            }
            ControlFlow::Continue(())
        });
        faces.sort_unstable();
        faces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh,
        generate::{self, Random},
        glam::DVec3,
        solid::{RevolvedHull, RoundedDisc},
    };

    /// The search finds the faces that a loop over all of them finds, at any pose, with and without a front.
    #[test]
    fn the_tree_finds_all_faces_that_a_solid_touches() {
        let ball = generate::sphere(2000).expect("valid");
        let torus = generate::torus(1.0, 0.4, [80, 32]).expect("valid");
        let far = |mesh: &Mesh, by: DVec3| {
            let positions = mesh.positions().iter().map(|p| *p + by).collect();
            Mesh::new(positions, mesh.faces().to_vec()).expect("valid")
        };
        let away = DVec3::new(1e5, -3e5, 2e4);
        let meshes = [far(&torus, away), ball, torus];
        let mut scratch = SolidScratch::default();
        let mut found = 0;
        for (m, mesh) in meshes.iter().enumerate() {
            let shape = Shape::new(mesh.clone());
            let center = mesh.bounds().center();
            for seed in 0..400 {
                let mut random = Random::new(seed);
                let mut vector = |size: f64| {
                    DVec3::new(
                        random.range(-size, size),
                        random.range(-size, size),
                        random.range(-size, size),
                    )
                };
                let discs = [
                    RoundedDisc { height: 0.1, radius: 0.0, rounding: 0.1 },
                    RoundedDisc { height: 1.0, radius: 0.1, rounding: 0.0 },
                ];
                let hull = RevolvedHull::new(&discs[..1 + seed as usize % 2]).expect("valid");
                let (origin, axis, travel) = (vector(1.5), vector(1.0), vector(0.7));
                let turned = crate::glam::DMat3::from_euler(
                    crate::glam::EulerRot::XYZ,
                    axis.x,
                    axis.y,
                    axis.z,
                );
                let pose = if seed % 2 == 0 {
                    Pose::IDENTITY
                } else {
                    Pose::new(turned, vector(3.0)).expect("valid")
                };
                let solid = SweptSolid::new(hull, pose.place(center) + origin, axis).swept(travel);
                let expected: Vec<u32> = (0..mesh.faces().len() as u32)
                    .filter(|&face| solid.touches(&pose.place_triangle(mesh.triangle(face))))
                    .collect();
                scratch.drop_front();
                let all = shape.faces_touching_swept(&pose, &solid, &mut scratch);
                assert_eq!(all, expected, "mesh {m}, seed {seed}");
                shape.start_near(&pose, &solid.enlarged(0.1), &mut scratch);
                let all = shape.faces_touching_swept(&pose, &solid, &mut scratch);
                assert_eq!(all, expected, "mesh {m}, seed {seed}, with a front");
                assert_eq!(shape.touches_swept(&pose, &solid, &mut scratch), !all.is_empty());
                found += all.len();
            }
        }
        assert!(found > 10_000, "{found}");
    }
}

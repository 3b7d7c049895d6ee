//! Pairs of bodies of which at least one is a true solid. A solid has a single face, with the number 0.
//!
//! Coherence does not apply to these pairs: decisions about solids have an error, and what is proven to be apart may
//! nevertheless count as touching. So answers would depend on what is remembered.

use super::body::Body;
use crate::{
    Bounds, FacePair, MeshDistance, Pose, Shape,
    query::SolidGap,
    solid::{PlacedSolid, Solid},
};
use std::ops::ControlFlow;

/// Appends the contacts of two bodies, at least one of them a true solid, sorted.
pub(super) fn solid_contacts(a: &Body, b: &Body, contacts: &mut Vec<FacePair>) {
    let start = contacts.len();
    match (a.placed_solid(), b.placed_solid()) {
        (Some(a), Some(b)) => {
            if a.touches_solid(&b) {
                contacts.push(FacePair { a: 0, b: 0 });
            }
        }
        (Some(solid), None) => {
            b.shape.visit_touching(&b.pose, &solid, &mut |face| {
                contacts.push(FacePair { a: 0, b: face });
                ControlFlow::Continue(())
            });
            FacePair::sort(&mut contacts[start..]);
        }
        (None, Some(solid)) => shape_contacts(&a.shape, &a.pose, &solid, contacts),
        (None, None) => {}
    }
}

/// Appends the contacts of a shape, placed by a pose, and a solid, sorted.
pub(super) fn shape_contacts(
    shape: &Shape,
    pose: &Pose,
    solid: &PlacedSolid,
    contacts: &mut Vec<FacePair>,
) {
    let start = contacts.len();
    shape.visit_touching(pose, solid, &mut |face| {
        contacts.push(FacePair { a: face, b: 0 });
        ControlFlow::Continue(())
    });
    FacePair::sort(&mut contacts[start..]);
}

/// The distance of a shape, placed by a pose, and a solid; `None` if the shape has no faces.
pub(super) fn shape_distance(
    shape: &Shape,
    pose: &Pose,
    solid: (&Solid, &Pose),
) -> Option<MeshDistance> {
    let SolidGap { distance, face } = shape.distance_to_solid(pose, solid)?;
    let faces = FacePair { a: face, b: 0 };
    Some(MeshDistance {
        distance: distance.upper,
        a: distance.on_other,
        b: distance.on_solid,
        faces,
    })
}

/// Whether a solid shares a point with a closed box, whose surface is given as a shape.
pub(super) fn touches_box(solid: &PlacedSolid, bounds: &Bounds, surface: &Shape) -> bool {
    let mut is_touching = bounds.contains(solid.any_point());
    if !is_touching {
        surface.visit_touching(&Pose::IDENTITY, solid, &mut |_| {
            is_touching = true;
            ControlFlow::Break(())
        });
    }
    is_touching
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{World, world::WorldError};
    use glam::DVec3;

    /// What a solid cannot do is refused, and nothing is changed.
    #[test]
    fn meshes_and_motions_of_solids_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        let mut world = World::new();
        let cube = Shape::new(crate::generate::cuboid(DVec3::ONE)?);
        let cube = world.add(Body::new(&cube))?;
        let up = Pose::from_translation(DVec3::Z)?;
        world.move_to(cube, up)?;
        let solid = Body::solid(&Solid::torus(2.0, 0.5)?)?;
        assert_eq!(world.add(solid.clone()), Err(WorldError::MotionWithSolids));
        world.set_pose(cube, Pose::IDENTITY)?;
        let ring = world.add(solid.self_collision(true))?;
        assert_eq!(world.move_to(cube, up), Err(WorldError::MotionWithSolids));
        assert_eq!(world.move_to(ring, up), Err(WorldError::MotionWithSolids));
        let refused = WorldError::Solid { body: ring };
        assert_eq!(world.set_vertices(ring, &[]), Err(refused));
        assert_eq!(world.set_mesh(ring, crate::Mesh::default()), Err(refused));
        assert_eq!(world.shape(ring).err(), Some(refused));
        assert!(world.solid(ring)?.is_some() && world.solid(cube)?.is_none());
        world.set_self_collision(ring, true)?;
        assert_eq!(world.step().pairs().len(), 0, "the cube is in the hole");
        world.remove(ring)?;
        world.move_to(cube, up)?;
        Ok(())
    }

    #[test]
    fn queries_between_steps_find_solids() -> Result<(), Box<dyn std::error::Error>> {
        let mut world = World::new();
        let ring = world.add(Body::solid(&Solid::torus(2.0, 0.5)?)?)?;
        let peg = world.add(
            Body::solid(&Solid::capsule(0.5, 2.0)?)?.at(Pose::from_translation(DVec3::X * 9.0)?),
        )?;
        let cube = |half: f64| Bounds { min: DVec3::splat(-half), max: DVec3::splat(half) };
        assert_eq!(world.bodies_in(&cube(1.0))?, []);
        assert_eq!(world.bodies_in(&cube(1.2))?, [ring]);
        assert_eq!(world.bodies_in(&cube(20.0))?, [ring, peg]);
        let probe = Shape::new(crate::generate::cuboid(DVec3::splat(2.0))?);
        let beside = Pose::from_translation(DVec3::X * 6.0)?;
        let nearest = world.nearest(&probe, &beside)?.ok_or("none")?;
        assert_eq!(nearest.body, peg);
        assert!((nearest.distance.distance - 1.5).abs() < 1e-9, "{nearest:?}");
        let touching = Pose::from_translation(DVec3::X * 8.0)?;
        let contacts = world.contacts_with(&probe, &touching)?;
        assert!(!contacts.is_empty() && contacts.iter().all(|c| c.body == peg && c.faces.b == 0));
        Ok(())
    }
}

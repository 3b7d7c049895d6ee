//! True solids: a shaft with a groove, an O-ring in it and balls around, none of them approximated by triangles. Run with
//! `cargo run -p impinge --example solids`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{Pose, Shape, World, generate, glam::DVec3, solid::Solid, world::Body};
use std::{error::Error, f64::consts::TAU};

fn main() -> Result<(), Box<dyn Error>> {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));

    // A ring of radius 5 with a tube of radius 1 around a shaft of radius 4: tangent along a whole circle.
    let (ring, shaft) = (Solid::torus(5.0, 1.0)?, Solid::cylinder(4.0, 20.0)?);
    assert!(Solid::touches((&ring, &Pose::IDENTITY), (&shaft, &Pose::IDENTITY)));
    let thinner = Solid::cylinder(3.99, 20.0)?;
    let gap = Solid::distance((&ring, &Pose::IDENTITY), (&thinner, &Pose::IDENTITY));
    println!("the ring is {:.6} from the thinner shaft", gap.lower);

    // A solid and a mesh: which faces of a block does the ring touch?
    let block = Shape::new(generate::cuboid(DVec3::new(6.0, 6.0, 6.0))?);
    let beside = at(8.0, 0.0, 0.0)?;
    println!("faces {:?}", block.faces_touching(&beside, (&ring, &Pose::IDENTITY)));
    let away = at(12.0, 0.0, 0.0)?;
    let gap = block.distance_to_solid(&away, (&ring, &Pose::IDENTITY)).ok_or("no faces")?;
    println!("face {} is {:.6} away", gap.face, gap.distance.upper);

    // A world of both: twelve balls around the ring, above a floor that is a mesh.
    let mut world = World::new();
    let floor = Shape::new(generate::cuboid(DVec3::new(40.0, 40.0, 1.0))?);
    let floor = world.add(Body::new(&floor).at(at(0.0, 0.0, -2.5)?).fixed())?;
    let ring = world.add(Body::solid(&ring)?)?;
    let ball = Body::solid(&Solid::ball(2.0)?)?;
    for i in 0..12 {
        let angle = TAU * f64::from(i) / 12.0;
        world.add(ball.clone().at(at(8.0 * angle.cos(), 8.0 * angle.sin(), 0.0)?))?;
    }
    let step = world.step();
    let of = |body| step.pairs().filter(|touch| touch.a == body || touch.b == body).count();
    println!(
        "{} pairs touch: {} with the floor, {} with the ring",
        step.pairs().len(),
        of(floor),
        of(ring)
    );
    Ok(())
}

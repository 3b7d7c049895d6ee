//! Many bodies that move: what begins to touch, and what ends? Run with `cargo run -p impinge --example world`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{Pose, Shape, World, generate, glam::DVec3, world::Body};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // One shape is prepared once and shared by all bodies.
    let ball = Shape::new(generate::sphere(960)?);
    let mut world = World::new();
    let row: Vec<_> = (0..5)
        .map(|i| {
            let pose = Pose::from_translation(DVec3::new(2.5 * f64::from(i), 0.0, 0.0))?;
            Ok(world.add(Body::new(&ball).at(pose))?)
        })
        .collect::<Result<_, Box<dyn Error>>>()?;
    let visitor = world.add(Body::new(&ball))?;

    let mut touched = 0;
    for step in 0..60 {
        let x = 0.2 * f64::from(step);
        world.set_pose(visitor, Pose::from_translation(DVec3::new(x, 1.9, 0.0))?)?;
        let step = world.step();
        for [a, b] in step.began() {
            println!("at x = {x:.1}: body {a} begins to touch body {b}");
            touched += 1;
        }
    }
    assert_eq!(touched, row.len());
    Ok(())
}

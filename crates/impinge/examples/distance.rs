//! How far apart are two bodies, and which faces are close? Run with `cargo run -p impinge --example distance`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{Pair, Pose, Shape, generate, glam::DVec3};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let gear = Shape::new(generate::torus(1.0, 0.4, [80, 32])?);
    let ball = Shape::new(generate::sphere(960)?);
    // A pair keeps memory from query to query: for more than one question about the same two shapes.
    let mut pair = Pair::new(&gear, &ball)?;
    let (here, there) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(0.0, 0.0, 1.6))?);

    let gap = pair.distance(&here, &there).ok_or("a mesh has no faces")?;
    println!("{} apart, from {} to {}", gap.distance, gap.a, gap.b);
    assert!(gap.distance > 0.0);

    let near = pair.at(&here, &there).within(gap.distance + 0.01)?.contacts().len();
    println!("{near} pairs of faces are hardly farther apart");
    assert!(near > 0);

    // Where only bodies that are close matter, a limit makes the question cheaper.
    let far = Pose::from_translation(DVec3::new(50.0, 0.0, 0.0))?;
    assert!(pair.at(&here, &far).within(1.0)?.distance().is_none());
    Ok(())
}

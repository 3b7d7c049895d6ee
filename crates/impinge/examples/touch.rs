//! Which faces of two bodies touch? Run with `cargo run -p impinge --example touch`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{Mesh, Pose, Shape, generate, glam::DVec3};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // A mesh of one's own: positions, and three of them for each face.
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let triangle = Shape::new(Mesh::new(corners, vec![[0, 1, 2]])?);
    // A mesh that the library makes.
    let ball = Shape::new(generate::sphere(960)?);

    let here = Pose::IDENTITY;
    let above = Pose::from_translation(DVec3::new(0.3, 0.3, 0.9))?;
    assert!(impinge::intersects((&triangle, &here), (&ball, &above))?);
    for contact in impinge::contacts((&triangle, &here), (&ball, &above))? {
        println!("face {} of the triangle touches face {} of the ball", contact.a, contact.b);
    }

    // A ball of radius 1 whose centre is 1.5 above the triangle does not reach it.
    let higher = Pose::from_translation(DVec3::new(0.3, 0.3, 1.5))?;
    assert!(!impinge::intersects((&triangle, &here), (&ball, &higher))?);
    Ok(())
}

//! A body that deforms: the shape is fitted to new positions instead of being prepared anew, and tells whether the body
//! touches itself. Run with `cargo run -p impinge --example deform`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{Pose, Shape, generate, glam::DVec3};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let rest = generate::torus(1.0, 0.4, [80, 32])?;
    let floor = Shape::new(generate::cuboid(DVec3::new(6.0, 6.0, 0.2))?);
    let below = Pose::from_translation(DVec3::new(0.0, 0.0, -0.8))?;

    let mut shape = Shape::new(rest.clone());
    let mut touches_at = None;
    for step in 0..10 {
        // Stretched upwards and downwards, a little more at each step.
        let stretch = 1.0 + 0.1 * f64::from(step);
        let moved: Vec<DVec3> = rest.positions().iter().map(|p| p.with_z(stretch * p.z)).collect();
        shape.set_positions(&moved)?;
        assert!(!shape.self_query().intersects());
        let touches = impinge::intersects((&shape, &Pose::IDENTITY), (&floor, &below))?;
        println!("stretched {stretch:.1} times: {}", if touches { "touches" } else { "clear" });
        touches_at = touches_at.or(touches.then_some(step));
    }
    // The floor's upper side is 0.7 below the centre, and the torus reaches 0.4 at rest.
    assert_eq!(touches_at, Some(8));
    Ok(())
}

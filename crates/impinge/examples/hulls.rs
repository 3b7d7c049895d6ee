//! Two convex bodies pass each other: their distance and closest features, step by step, and how deep they overlap.
//!
//! `cargo run --release --example hulls`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use impinge::{
    Pose,
    convex::{PenetrationSearch, Polytope, Tracker},
    generate,
    glam::{DMat3, DVec3},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = Polytope::new(generate::sphere(960)?.positions())?;
    let block = Polytope::new(generate::cuboid(DVec3::new(1.0, 2.0, 0.5))?.positions())?;
    let (mut tracker, mut search) = (Tracker::new(), PenetrationSearch::new());
    let (mut apart, mut deepest) = (0, 0.0);
    for step in 0..=100 {
        let place = DVec3::new(3.0 - 0.06 * f64::from(step), 0.9, 0.0);
        let pose = Pose::new(DMat3::from_rotation_y(0.02 * f64::from(step)), place)?;
        let found = tracker.distance((&ball, &Pose::IDENTITY), (&block, &pose));
        if found.is_apart() {
            apart += 1;
        } else if let Some(found) = search.find((&block, &pose), (&ball, &Pose::IDENTITY)) {
            deepest = f64::max(deepest, found.depth);
        }
        if step % 10 == 0 {
            println!("step {step}: {:.4} apart, between {:?}", found.distance, found.features);
        }
    }
    println!("apart in {apart} of 101 steps; elsewhere up to {deepest:.4} deep");
    assert!(apart > 20 && apart < 101 && deepest > 0.1);
    Ok(())
}

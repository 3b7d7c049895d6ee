//! A peg is held against a hole: the force and the torque that a hand would feel, over 2,000 steps of a millisecond. Run with
//! `cargo run --release -p impinge --example force_feedback`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::force::{Feedback, FeedbackOptions};
use impinge::{
    Pose, Shape, generate,
    glam::{DQuat, DVec3},
};
use std::{error::Error, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    // In millimetres: a peg of 10 mm radius, and a ring whose hole has a radius of 10.2 mm. 0.5 N for each mm² and mm.
    let peg = Shape::new(generate::cylinder(10.0, 60.0, 96)?);
    let ring = Shape::new(generate::torus(20.2, 10.0, [96, 48])?);
    let mut feedback = Feedback::new(&peg, FeedbackOptions::new().stiffness(0.5).most_force(50.0))?;
    feedback.add(&ring, Pose::IDENTITY)?;

    let (mut last, mut largest_change, mut total) = (None, 0.0_f64, 0.0);
    for step in 0..2_000 {
        // Lowered from above, a little beside the middle, and then tilted against the wall of the hole.
        let t = f64::from(step) / 2_000.0;
        let place = DVec3::new(0.6 * (1.0 - t), 0.0, 50.0 - 40.0 * t);
        let tilt = DQuat::from_rotation_y(0.05 * (t * 12.0).sin());
        let pose = Pose::from_quat(tilt, place)?;
        let start = Instant::now();
        let reaction = feedback.reaction(&pose);
        total += start.elapsed().as_secs_f64();
        if step % 200 == 199 {
            println!(
                "{:4} ms: force {:6.2} N, torque {:7.2} N mm, depth {:.3} mm, {} regions, {} depths measured",
                step + 1,
                reaction.force.length(),
                reaction.torque.length(),
                reaction.depth,
                reaction.regions.len(),
                reaction.evaluated,
            );
        }
        let change = last.map_or(0.0, |last| reaction.force.distance(last));
        largest_change = largest_change.max(change);
        last = Some(reaction.force);
    }
    println!("the force changes by at most {largest_change:.3} N from step to step");
    println!("{:.0} µs a call", total / 2_000.0 * 1e6);
    assert!(largest_change < 2.0);
    Ok(())
}

//! At which of many poses does a body collide? What a motion planner asks, on all cores. Run with
//! `cargo run --release -p impinge --example planner`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{Pair, Pose, Shape, Threads, generate};
use std::{error::Error, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let obstacle = Shape::new(generate::deformed_torus(1, [100, 25])?);
    let part = Shape::new(generate::deformed_torus(2, [100, 25])?);
    let mut pair = Pair::new(&obstacle, &part)?;
    let poses = generate::tumble(2.0, 2000)?;

    let start = Instant::now();
    let touching = pair.check_many(&Pose::IDENTITY, &poses).count();
    println!("{touching} of {} poses collide ({:?})", poses.len(), start.elapsed());

    // The faces that touch at each pose: the same poses, and no others.
    let lists = pair.at_many(&Pose::IDENTITY, &poses).threads(Threads::Pool).contacts();
    assert_eq!(lists.iter().filter(|list| !list.is_empty()).count(), touching);
    Ok(())
}

//! Where do two bodies touch, which way do they have to be pushed apart, and how far? Run with
//! `cargo run -p impinge --example contact_regions`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{Pose, Shape, World, contact::ContactRegions, generate, glam::DVec3, world::Body};
use std::{collections::HashMap, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let ball = Shape::new(generate::icosphere(4)?);
    let block = Shape::new(generate::cuboid(DVec3::ONE)?);
    let floor = Shape::new(generate::cuboid(DVec3::new(20.0, 20.0, 1.0))?);

    let mut world = World::new();
    let floor = world.add(Body::new(&floor).at(Pose::from_translation(DVec3::Z * -0.5)?))?;
    let block = world.add(Body::new(&block).at(Pose::from_translation(DVec3::Z * 0.49)?))?;
    let ball = world.add(Body::new(&ball))?;

    // One of these for each pair of bodies, so that regions keep their ids from step to step.
    let mut regions: HashMap<_, ContactRegions> = HashMap::new();
    let mut deepest: f64 = 0.0;
    for step in 0..4 {
        let pose = Pose::from_translation(DVec3::new(1.6 - 0.1 * f64::from(step), 0.0, 0.95))?;
        world.set_pose(ball, pose)?;
        world.step();
        for touch in world.last_step().pairs() {
            let [a, b] = [touch.a, touch.b];
            let found = regions.entry([a, b]).or_default();
            let (pose_a, pose_b) = (world.pose(a)?, world.pose(b)?);
            found.find((world.shape(a)?, &pose_a), (world.shape(b)?, &pose_b), touch.faces);
            for region in found.iter() {
                let (id, depth) = (region.id(), region.depth());
                println!("step {step}: bodies {a} and {b}, region {id}, {depth:.3} deep");
                for point in region.manifold() {
                    println!("    {:.3} along {:.3}", point.depth, region.normal());
                }
                deepest = deepest.max(depth);
                // The normal goes from `b` to `a`; the floor is the first body, and below the others.
                assert!(a != floor || region.normal().z < -0.99);
            }
        }
    }
    assert!(regions.contains_key(&[block, ball]));
    assert!(deepest > 0.1);
    Ok(())
}

//! Rays and points against one body: what a laser scanner, a picking tool or a sensor asks. Run with
//! `cargo run -p impinge --example rays`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{PointLocation, Pose, Ray, Shape, Threads, generate, glam::DVec3};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let block = Shape::new(generate::cuboid(DVec3::new(4.0, 2.0, 2.0))?);
    let pose = Pose::from_translation(DVec3::new(0.0, 0.0, 1.0))?;

    // A fan of rays from above: those within ±2 of the middle hit the top of the block, 3 below.
    let rays = (-5..=5)
        .map(|x| Ray::new(DVec3::new(f64::from(x), 0.5, 5.0), DVec3::NEG_Z))
        .collect::<Result<Vec<_>, _>>()?;
    let hits = block.cast_rays(&pose, &rays, Threads::Pool);
    for (ray, hit) in rays.iter().zip(&hits) {
        match hit {
            Some(hit) => println!("x = {}: face {} at {}", ray.origin().x, hit.face, ray.at(hit.t)),
            None => println!("x = {}: nothing", ray.origin().x),
        }
    }
    assert_eq!(hits.iter().flatten().count(), 5);

    let nearest = block.nearest_point(&pose, DVec3::new(0.0, 0.0, 6.0)).ok_or("no faces")?;
    assert_eq!((nearest.distance, nearest.point), (4.0, DVec3::new(0.0, 0.0, 2.0)));
    let location = block.contains_point(&pose, DVec3::new(1.0, 0.5, 1.5))?;
    assert_eq!(location, PointLocation::Inside);
    Ok(())
}

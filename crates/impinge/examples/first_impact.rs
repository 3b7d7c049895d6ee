//! When two moving bodies touch first: `cargo run --release --example first_impact`
#![expect(clippy::print_stdout, reason = "examples show their results")]
use impinge::{Motion, Pose, Shape, first_impact, generate, glam::DVec3, motion::ImpactOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plate = Shape::new(generate::cuboid(DVec3::new(10.0, 10.0, 0.1))?);
    let blade = Shape::new(generate::cuboid(DVec3::new(4.0, 0.5, 0.1))?);
    let at = |z| Pose::from_translation(DVec3::new(0.0, 0.0, z));
    let rest = Motion::still(at(-1.0)?);

    // Five turns about y while the blade moves up by 0.5: its tips pass the plate again and again.
    let turns = DVec3::Y * 5.0 * std::f64::consts::TAU;
    for (height, is_clear) in [(1.5, true), (0.5, false)] {
        let spin = Motion::spinning(at(height)?, DVec3::Z * 0.5, turns, DVec3::ZERO)?;
        let impact = first_impact((&plate, &rest), (&blade, &spin), &ImpactOptions::default())?;
        assert_eq!(impact.is_none(), is_clear);
        match impact {
            None => println!("from height {height}: proven clear"),
            Some(impact) => println!(
                "from height {height}: faces {} and {} touch at time {:.9}, near {:.3}",
                impact.faces.a, impact.faces.b, impact.time, impact.points[0]
            ),
        }
    }
    Ok(())
}

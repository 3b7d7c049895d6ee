//! scratch
#![allow(clippy::print_stdout, missing_docs, clippy::unwrap_used)]
use impinge::{
    Pose, Shape,
    force::{Feedback, FeedbackOptions},
    generate,
    glam::{DQuat, DVec3},
};
fn main() {
    let n: usize = std::env::args().nth(1).map_or(2000, |s| s.parse().unwrap());
    let kind = std::env::args().nth(2).unwrap_or("linked".into());
    let [a, b] = generate::torus_segments(1.0, 0.4, 20_000).unwrap();
    let torus = if kind == "droll" {
        generate::deformed_torus(1, [200, 50]).unwrap()
    } else if kind == "slide" {
        generate::bar(DVec3::new(2.0, 2.0, 0.5), [50, 50, 16]).unwrap()
    } else {
        generate::torus(1.0, 0.4, [a, b]).unwrap()
    };
    let shape = Shape::new(torus);
    let mut f = Feedback::new(&shape, FeedbackOptions::new()).unwrap();
    f.add(&shape, Pose::IDENTITY).unwrap();
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let (mut ev, mut ins, mut most) = (0, 0, 0.0_f64);
    let mut time = 0.0;
    let mut worst = 0;
    let mut sum = DVec3::ZERO;
    for step in 0..n {
        let t = step as f64 / 9999.0;
        let pose = match &*kind {
            "linked" => {
                let sway = DQuat::from_scaled_axis(DVec3::new(0.2 * (9.0 * t).sin(), 0.3 * t, 0.0));
                Pose::from_quat(
                    sway * upright,
                    DVec3::new(1.0 + 0.5 * (12.0 * t).sin(), 0.1 * (17.0 * t).sin(), 0.0),
                )
                .unwrap()
            }
            "slide" => {
                let (sin, cos) = (t * std::f64::consts::TAU).sin_cos();
                Pose::from_quat(
                    DQuat::from_rotation_z(t),
                    DVec3::new(0.5 * cos, 0.5 * sin, 0.5 - 1e-6 - 0.02 * t * t),
                )
                .unwrap()
            }
            _ => {
                let (sin, cos) = (t * std::f64::consts::TAU).sin_cos();
                let turn =
                    DVec3::new(0.1, 0.2, 1.0).normalize() * (t * 2.0 * std::f64::consts::TAU);
                Pose::from_quat(
                    DQuat::from_scaled_axis(turn),
                    DVec3::new(cos, sin, 0.1 * sin * cos) * 1.6,
                )
                .unwrap()
            }
        };
        let start = std::time::Instant::now();
        let r = f.reaction(&pose);
        let us = start.elapsed().as_secs_f64() * 1e6;
        if step > 0 {
            time += us;
            if us > most {
                worst = step;
            }
            most = most.max(us);
        }
        ev += r.evaluated;
        ins += r.inside;
        sum += r.force;
    }
    println!(
        "{kind}: measured {} inside {} mean {:.0} us, max {most:.0} at {worst}, {:.0} ns each; checksum {:?}",
        ev / n,
        ins / n,
        time / n as f64,
        time * 1e3 / ev as f64,
        sum
    );
}

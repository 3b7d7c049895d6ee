//! Reaction forces at 1 kHz: `cargo bench -p impinge-bench --bench force`
//!
//! A body is held against another one over 10,000 steps of a millisecond, along paths from a grazing contact to a deep one.
//! The time of every call counts, because a force that comes too late is felt. A call that the machine interrupts is
//! not our concern: paths are run three times, and the shortest time of each step is kept. The memory is fresh in each run.
//! The first call, which measures everything, is listed on its own.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Mesh, Pose, Shape,
    force::{Feedback, FeedbackOptions},
    generate,
    glam::{DQuat, DVec3},
};
use impinge_bench::Times;
use std::time::Instant;

const STEPS: usize = 10_000;
const ROUNDS: usize = 3;

fn main() {
    println!("\n### Force and torque on a held body, µs a call\n");
    println!(
        "| bodies | faces | path | deepest | samples in contact, mean | most | measured, mean | first call | mean | p99 | max |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, mesh, paths) in scenes() {
        let shape = Shape::new(mesh);
        for (path, poses) in paths {
            row(name, &shape, path, &poses);
        }
    }
}

/// A name and the poses of the held body.
type Path = (&'static str, Vec<Pose>);

fn scenes() -> Vec<(&'static str, Mesh, Vec<Path>)> {
    let sphere = generate::sphere(20_000).expect("an even number");
    let [along, around] = generate::torus_segments(1.0, 0.4, 20_000).expect("enough faces");
    let torus = generate::torus(1.0, 0.4, [along, around]).expect("enough segments");
    let deformed = generate::deformed_torus(1, [200, 50]).expect("enough segments");
    let bar = generate::bar(DVec3::new(2.0, 2.0, 0.5), [50, 50, 16]).expect("cells");
    vec![
        ("spheres", sphere, vec![("press", press(2.0, 0.2)), ("roll", roll(1.99))]),
        (
            "tori",
            torus,
            vec![("press", press(2.8, 0.2)), ("roll", roll(2.7)), ("linked", linked())],
        ),
        ("deformed tori", deformed, vec![("press", press(2.6, 0.4)), ("roll", roll(2.6))]),
        ("plates", bar, vec![("slide", slide()), ("tip", tip())]),
    ]
}

/// How far along a path a step is, from 0 to 1.
fn times() -> impl Iterator<Item = f64> {
    (0..STEPS).map(|step| step as f64 / (STEPS - 1) as f64)
}

fn pose(turn: DVec3, place: DVec3) -> Pose {
    Pose::from_quat(DQuat::from_scaled_axis(turn), place).expect("a unit quaternion")
}

/// From a grazing contact to the depth and back, four times, each deeper than the last; turning slowly.
fn press(apart: f64, depth: f64) -> Vec<Pose> {
    times()
        .map(|t| {
            let wave = 0.5 - 0.5 * (t * 8.0 * std::f64::consts::PI).cos();
            let turn = DVec3::new(0.3 * t, 0.2 * t, 0.4 * t);
            pose(turn, DVec3::X * (apart + 0.01 - (0.01 + depth) * wave * (0.25 + 0.75 * t)))
        })
        .collect()
}

/// Around the other body, turning twice on the way.
fn roll(apart: f64) -> Vec<Pose> {
    times()
        .map(|t| {
            let (sin, cos) = (t * std::f64::consts::TAU).sin_cos();
            let turn = DVec3::new(0.1, 0.2, 1.0).normalize() * (t * 2.0 * std::f64::consts::TAU);
            pose(turn, DVec3::new(cos, sin, 0.1 * sin * cos) * apart)
        })
        .collect()
}

/// Linked like the members of a chain, moved until they touch and beyond.
fn linked() -> Vec<Pose> {
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    times()
        .map(|t| {
            let sway = DQuat::from_scaled_axis(DVec3::new(0.2 * (9.0 * t).sin(), 0.3 * t, 0.0));
            let place = DVec3::new(1.0 + 0.5 * (12.0 * t).sin(), 0.1 * (17.0 * t).sin(), 0.0);
            Pose::from_quat(sway * upright, place).expect("a unit quaternion")
        })
        .collect()
}

/// Lying on the other plate, from a depth of nearly 0 on, sliding in a circle.
fn slide() -> Vec<Pose> {
    times()
        .map(|t| {
            let (sin, cos) = (t * std::f64::consts::TAU).sin_cos();
            pose(DVec3::Z * t, DVec3::new(0.5 * cos, 0.5 * sin, 0.5 - 1e-6 - 0.02 * t * t))
        })
        .collect()
}

/// From one edge over the flat side to the other edge.
fn tip() -> Vec<Pose> {
    times()
        .map(|t| {
            let angle = 0.1 * (1.0 - 2.0 * t);
            pose(DVec3::Y * angle, DVec3::new(0.0, 0.0, 0.48 + 0.9 * angle.sin().abs()))
        })
        .collect()
}

fn row(name: &str, shape: &Shape, path: &str, poses: &[Pose]) {
    let mut times = Times::new(poses.len() - 1);
    let mut first = Times::new(1);
    let (mut deepest, mut measured, mut in_contact, mut most) = (0.0_f64, 0, 0, 0);
    for round in 0..ROUNDS {
        let mut feedback = Feedback::new(shape, FeedbackOptions::new()).expect("a solid");
        feedback.add(shape, Pose::IDENTITY).expect("a solid");
        for (step, pose) in poses.iter().enumerate() {
            let start = Instant::now();
            let reaction = feedback.reaction(pose);
            match step {
                0 => first.note(0, start),
                _ => times.note(step - 1, start),
            }
            if round == 0 {
                deepest = deepest.max(reaction.depth);
                measured += reaction.evaluated;
                in_contact += reaction.inside;
                most = most.max(reaction.inside);
            }
        }
    }
    let steps = poses.len();
    println!(
        "| {name} | {} | {path} | {deepest:.3} | {} | {most} | {} | {:.0} | {:.0} | {:.0} | {:.0} |",
        shape.mesh().faces().len(),
        in_contact / steps,
        measured / steps,
        first.mean(),
        times.mean(),
        times.longest_but(0.01),
        times.longest_but(0.0),
    );
}

//! The distance of two convex hulls along a path, by engines that keep what they can from step to step:
//! `cargo bench -p impinge-bench --bench hulls`
//!
//! Hulls of points on ellipsoids, from 20 to 20,000 faces. The second hull turns by a given angle a step, and travels
//! around the first by the same angle, at a small gap. coal is asked by a program of its own, `peers/coal_hulls.cpp`
//! (`IMPINGE_COAL`, else `coal_hulls` in the path). All engines must agree with parry3d in double precision.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

#[path = "hulls/coal.rs"]
mod coal;
#[path = "hulls/ours.rs"]
mod ours;
#[path = "hulls/overlap.rs"]
mod overlap;
#[path = "hulls/parry.rs"]
mod parry;
#[path = "hulls/scene.rs"]
mod scene;

use impinge_bench::{Contender, race};
use scene::{STEPS, Scene};
use std::cell::RefCell;

const FACES: [usize; 6] = [20, 80, 320, 1_280, 5_120, 20_000];
const DEGREES: [f64; 6] = [0.1, 1.0, 10.0, 45.0, 90.0, 180.0];
const ROUNDS: usize = 5;
/// coal stops at a gap of 1e-6 between its bounds, for distances of 0.05 and more.
const COAL_TOLERANCE: f64 = 1e-4;

type Ask<'s> = Box<dyn FnMut(&mut Vec<f64>) + 's>;

/// A way to compute the distances along a path, with the hulls prepared.
struct Engine<'s> {
    name: &'static str,
    /// The relative difference from the reference that its precision explains; infinite if it only tells whether there
    /// is a gap.
    tolerance: f64,
    /// Computes the distance at each pose of the path.
    ask: Ask<'s>,
}

/// What an engine took and answered.
struct Row {
    engine: String,
    /// The mean time of a query, in nanoseconds.
    mean: f64,
    tolerance: f64,
    distances: Vec<f64>,
}

fn main() {
    let coal = coal::program();
    if let Err(message) = &coal {
        println!("\n{message}");
    }
    let mut worst: Vec<(String, f64)> = Vec::new();
    let mut has_head = false;
    for faces in FACES {
        for degrees in DEGREES {
            let scene = Scene::new(faces, degrees, faces as u64);
            let mut rows = timed(&scene);
            if let Ok(program) = &coal {
                rows.extend(coal_rows(program, &scene));
            }
            if !has_head {
                has_head = true;
                head(&rows);
            }
            let times: Vec<String> = rows.iter().map(|row| format!("{:.0}", row.mean)).collect();
            println!("| {faces} | {degrees} | {} |", times.join(" | "));
            compare(&rows, &format!("{faces} faces, {degrees}°"), &mut worst);
        }
    }
    println!("\n### Largest relative difference from parry3d in double precision\n");
    println!("| engine | difference |\n|---|---|");
    for (engine, difference) in worst {
        println!("| {engine} | {difference:.1e} |");
    }
    overlap::table();
}

fn head(rows: &[Row]) {
    println!("\n### Distance of two hulls, ns a query, by faces and rotation a step\n");
    let names: Vec<&str> = rows.iter().map(|row| row.engine.as_str()).collect();
    println!("| faces | degrees | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(rows.len()));
}

/// The engines that run in this process. The first one has the reference distances.
fn engines(scene: &Scene) -> Vec<Engine<'_>> {
    let (double, single) = (parry::double::engines(scene), parry::single::engines(scene));
    double.into_iter().chain(single).chain(ours::engines(scene)).collect()
}

fn timed(scene: &Scene) -> Vec<Row> {
    let engines = engines(scene);
    let tolerances: Vec<f64> = engines.iter().map(|engine| engine.tolerance).collect();
    let distances = vec![RefCell::new(Vec::new()); engines.len()];
    let mut contenders: Vec<Contender<'_>> = engines
        .into_iter()
        .zip(&distances)
        .map(|(mut engine, distances)| Contender {
            name: engine.name,
            run: Box::new(move || {
                let mut distances = distances.borrow_mut();
                (engine.ask)(&mut distances);
                distances.iter().filter(|distance| **distance > 0.0).count()
            }),
        })
        .collect();
    let outcomes = race(ROUNDS, &mut contenders);
    let row =
        |((outcome, tolerance), distances): ((&impinge_bench::Outcome, f64), &RefCell<_>)| Row {
            engine: outcome.name.to_owned(),
            mean: outcome.best.as_secs_f64() * 1e9 / STEPS as f64,
            tolerance,
            distances: distances.take(),
        };
    outcomes.iter().zip(tolerances).zip(&distances).map(row).collect()
}

fn coal_rows(program: &std::path::Path, scene: &Scene) -> Vec<Row> {
    let answers = coal::answers(program, scene).expect("it has answered before");
    let row = |coal::Answer { engine, mean, distances }| Row {
        engine,
        mean,
        tolerance: COAL_TOLERANCE,
        distances,
    };
    answers.into_iter().map(row).collect()
}

/// Stops if an engine is less precise than it should be, and keeps the largest difference of each.
fn compare(rows: &[Row], scene: &str, worst: &mut Vec<(String, f64)>) {
    let reference = &rows[0].distances;
    worst.resize_with(rows.len(), || (String::new(), 0.0));
    for (row, worst) in rows.iter().zip(worst) {
        let Row { engine, tolerance, distances, .. } = row;
        assert_eq!(distances.len(), reference.len(), "{scene}: {engine}");
        worst.0.clone_from(engine);
        if tolerance.is_infinite() {
            // It only tells whether there is a gap.
            assert!(distances.iter().all(|gap| *gap > 0.0), "{scene}: {engine} finds no gap");
            continue;
        }
        for (step, (&distance, &expected)) in distances.iter().zip(reference).enumerate() {
            let difference = (distance - expected).abs() / expected;
            let is_right = distance > 0.0 && difference <= *tolerance;
            assert!(is_right, "{scene}, step {step}: {engine} has {distance}, not {expected}");
            worst.1 = worst.1.max(difference);
        }
    }
}

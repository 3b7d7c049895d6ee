//! A robot along a trajectory of its joints: the proof between the rows beside samples.
//! `cargo bench -p impinge-bench --bench trajectory`
//!
//! A Panda arm (in the folder that `IMPINGE_DATA` names) moves among thin rods, from each random configuration to the next.
//! `check_between` finds the contacts that begin on the way, and proves all other pairs clear. Beside it, the way is
//! divided by more and more samples, each of them checked as `clash --joints` does. *Missed* are pairs of parts that
//! touch in a step and in no sample of it.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    clash::Verdict,
    generate::{self, Random},
    glam::DVec3,
};
use impinge_clash::{CheckOptions, check_between, check_configurations};
use impinge_io::assembly::{self, Assembly, Configurations, LoadOptions};
use std::{collections::BTreeSet, fmt::Write, fs, path::Path, time::Instant};

/// Lower and upper limits of the seven joints.
const LIMITS: [[f64; 2]; 7] =
    [[-2.8, 2.8], [-1.7, 1.7], [-2.8, 2.8], [-3.0, -0.1], [-2.8, 2.8], [0.0, 3.7], [-2.8, 2.8]];
const STEPS: usize = 24;

fn main() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()) else {
        println!("IMPINGE_DATA names no folder with robots/panda/panda.urdf: left out");
        return;
    };
    let robot = Path::new(&data).join("robots/panda/panda.urdf");
    let rods = std::env::temp_dir().join(format!("impinge-bench-{}.obj", std::process::id()));
    fs::write(&rods, rods_around(8)).expect("room for a small file");
    let loaded = assembly::load([robot.as_path(), rods.as_path()], &LoadOptions::default());
    let _ = fs::remove_file(&rods);
    let assembly = loaded.expect("a robot and its surroundings");
    let rows = rows();
    println!("\n### A trajectory of {STEPS} steps among rods, one thread, ms\n");
    println!("| check | samples a step | ms a step | contacts that begin on the way | missed |");
    println!("|---|---|---|---|---|");
    let options = CheckOptions::default();
    let configurations = configurations(&assembly, &rows, 1);
    let start = Instant::now();
    let between = check_between(&assembly, &configurations, &options, &|_| true).expect("valid");
    let ms = start.elapsed().as_secs_f64() * 1e3 / STEPS as f64;
    // Worse verdicts come first.
    let touches = |verdict: Verdict| verdict <= Verdict::Penetrating;
    let truth: BTreeSet<(usize, u32, u32)> = (between.steps.iter())
        .flat_map(|step| step.approaches.iter().map(move |found| (step.number, found)))
        .filter(|(_, found)| found.verdict.is_some_and(touches))
        .map(|(step, found)| (step, found.a, found.b))
        .collect();
    println!("| proof | | {ms:.2} | {} | 0 |", truth.len());
    for samples in [1, 10, 30, 100, 300, 1000, 3000] {
        let configurations = self::configurations(&assembly, &rows, samples);
        let start = Instant::now();
        let found = check_configurations(&assembly, &configurations, &options, &|_| true);
        let found = found.expect("valid");
        let ms = start.elapsed().as_secs_f64() * 1e3 / STEPS as f64;
        // A sample at a row belongs to the step before and to the step after.
        let seen: BTreeSet<(usize, u32, u32)> = (found.iter())
            .flat_map(|found| found.collisions.iter().map(move |pair| (found.number, pair)))
            .filter(|(_, pair)| touches(pair.verdict))
            .flat_map(|(number, pair)| {
                let (step, at_row) = (number / samples, number.is_multiple_of(samples));
                let before = (at_row && step > 0).then(|| (step - 1, pair.a, pair.b));
                [Some((step, pair.a, pair.b)), before]
            })
            .flatten()
            .collect();
        let missed = truth.difference(&seen).count();
        println!("| samples | {samples} | {ms:.2} | | {missed} |");
        if missed == 0 {
            break;
        }
    }
}

/// Joint values that change by up to a radian and a half from row to row.
fn rows() -> Vec<[f64; 7]> {
    let mut random = Random::new(5);
    let mut row = LIMITS.map(|[low, high]| 0.5 * (low + high));
    (0..=STEPS)
        .map(|_| {
            for (value, [low, high]) in row.iter_mut().zip(LIMITS) {
                *value = (*value + random.range(-1.5, 1.5)).clamp(low, high);
            }
            row
        })
        .collect()
}

/// The rows, with a number of samples for each step.
fn configurations(assembly: &Assembly, rows: &[[f64; 7]], samples: usize) -> Configurations {
    let names: Vec<String> = (1..=7).map(|joint| format!("panda_joint{joint}")).collect();
    let mut text = names.join(",") + "\n";
    let mut write = |row: [f64; 7]| {
        let values: Vec<String> = row.iter().map(f64::to_string).collect();
        writeln!(text, "{}", values.join(",")).expect("memory");
    };
    for ends in rows.windows(2) {
        for sample in 0..samples {
            let share = sample as f64 / samples as f64;
            let between = |joint: usize| ends[0][joint] * (1.0 - share) + ends[1][joint] * share;
            write(std::array::from_fn(between));
        }
    }
    write(rows[rows.len() - 1]);
    Configurations::read(text.as_bytes(), Path::new("rows.csv"), assembly).expect("all joints")
}

/// An OBJ file with vertical rods of 4 mm around the robot.
fn rods_around(count: u32) -> String {
    let rod = generate::cuboid(DVec3::new(0.004, 0.004, 1.2)).expect("sizes");
    let mut text = String::new();
    for number in 0..count {
        let angle = std::f64::consts::TAU * f64::from(number) / f64::from(count) + 0.3;
        let center = DVec3::new(0.45 * angle.cos(), 0.45 * angle.sin(), 0.7);
        writeln!(text, "o rod {number}").expect("memory");
        for p in rod.positions() {
            let p = *p + center;
            writeln!(text, "v {} {} {}", p.x, p.y, p.z).expect("memory");
        }
        let first = number * rod.positions().len() as u32 + 1;
        for face in rod.faces() {
            let [a, b, c] = face.map(|vertex| vertex + first);
            writeln!(text, "f {a} {b} {c}").expect("memory");
        }
    }
    text
}

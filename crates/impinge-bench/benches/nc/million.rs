//! A million moves over a part of half a million triangles.

use crate::scenes::{DropCutter, RADIUS, SIDE, scaled};
use impinge::{
    Mesh, Shape, Threads,
    generate::{self, Random},
    glam::{DVec2, DVec3},
};
use impinge_bench::ThreadClock;
use impinge_nc::{Body, Motion, Move, MoveKind, Options, Program, Role, Setup, Tool, check};
use rayon::prelude::*;
use std::{collections::BTreeMap, f64::consts::TAU};

/// Rows that cover a part with equal steps along both axes.
const ROWS: u32 = 1000;

/// Moves per row.
const COLUMNS: u32 = 1000;

/// How far the ball stays above the surface, in millimetres.
const GAP: f64 = 0.05;

/// Every so many points are lowered into the part, which makes about two moves gouge.
const LOWERED: usize = 200;

/// A smooth surface in millimetres, as moulds have. No curvature is tighter than that of the ball.
fn smooth(x: f64, y: f64) -> f64 {
    let [x, y] = [x, y].map(|at| at * TAU / SIDE);
    5.0 * (1.5 * x).sin() * (y + 1.0).sin() + 1.5 * (4.0 * x + 3.0 * y).sin()
}

pub(crate) fn print() {
    let size = DVec2::splat(SIDE);
    let smooth = generate::terrain(500, 500, size, smooth).expect("valid");
    let rugged = generate::terrain(500, 500, DVec2::ONE, generate::terrain_height(1));
    print_part("a smooth surface", &scaled(&smooth), 1000);
    print_part("rugged terrain", &scaled(&rugged.expect("valid")), 50);
}

/// Prints the times of a zigzag with so many rows.
fn print_part(name: &str, mesh: &Mesh, rows: u32) {
    let clear = tips(mesh, rows);
    let mut gouging = clear.clone();
    let mut random = Random::new(1);
    for tip in gouging.iter_mut().skip(LOWERED / 2).step_by(LOWERED) {
        tip.z -= GAP + random.range(0.03, 0.2);
    }
    let setup = Setup { bodies: vec![Body::new(name, Role::Part, mesh.clone())] };
    let faces = mesh.faces().len();
    println!("\n#### {} moves of a ball over {name} of {faces} faces\n", clear.len() - 1);
    println!("| path | gouging moves | coherence | s | µs per move |");
    println!("|---|---|---|---|---|");
    for (name, tips) in [("0.05 mm above the surface", &clear), ("with faults", &gouging)] {
        let program = program(tips);
        for coherence in [true, false] {
            let (seconds, found) = time(&program, &setup, coherence);
            println!(
                "| {name} | {found} | {} | {seconds:.2} | {:.2} |",
                if coherence { "on" } else { "off" },
                1e6 * seconds / program.moves.len() as f64
            );
        }
    }
}

fn program(tips: &[DVec3]) -> Program {
    let moves = tips.windows(2).enumerate().map(|(index, tips)| Move {
        line: index as u32 + 1,
        kind: MoveKind::Feed,
        tool: 0,
        motion: Motion::Straight { from: tips[0], to: tips[1], axis: DVec3::Z },
    });
    Program { moves: moves.collect(), ..Program::default() }
}

fn time(program: &Program, setup: &Setup, coherence: bool) -> (f64, usize) {
    let tool = Tool::from_spec(&format!("ball:d={}", 2.0 * RADIUS), 1.0).expect("a valid tool");
    let tools = BTreeMap::from([(0, tool)]);
    let options = Options { threads: Threads::One, coherence, ..Options::default() };
    let start = ThreadClock::start();
    let outcome = check(program, &tools, setup, &options, &()).expect("nothing interrupts it");
    (start.seconds(), outcome.gouging_moves)
}

/// A zigzag of tips, each of them the gap above the height at which the ball touches.
fn tips(mesh: &Mesh, rows: u32) -> Vec<DVec3> {
    let shape = Shape::new(mesh.clone());
    let rows: Vec<Vec<DVec3>> = (0..rows)
        .into_par_iter()
        .map(|row| {
            let mut drop = DropCutter::new(&shape);
            let y = SIDE * (f64::from(row) + 0.5) / f64::from(ROWS);
            let mut tips: Vec<DVec3> = (0..COLUMNS)
                .filter_map(|column| {
                    let x = SIDE * (f64::from(column) + 0.5) / f64::from(COLUMNS);
                    let height = drop.height(DVec2::new(x, y))?;
                    Some(DVec3::new(x, y, height + GAP))
                })
                .collect();
            if row % 2 == 1 {
                tips.reverse();
            }
            tips
        })
        .collect();
    let mut tips = rows.concat();
    // One more, so that there are a million moves.
    tips.extend(tips.last().map(|last| *last + DVec3::Z));
    tips
}

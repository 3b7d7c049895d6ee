//! Octree motion, as in figures 2.3 and 2.4 of Smith and Kitamura (1994), and making octrees:
//! `cargo bench -p impinge-bench --bench octree`.
//!
//! A shuttle at level 5 moves for 40 cycles. All algorithms take turns, cycle by cycle, on the same poses, and the least
//! time of several rounds counts. Octrees are compared at every cycle.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Pose, Threads, generate,
    glam::{DMat3, DVec3},
    octree::{
        Compaction, Grid, MotionAlgorithm, MotionCounts, MotionOptions, MovingOctree, Octree,
        VoxelRule,
    },
};
use impinge_bench::Times;
use std::time::{Duration, Instant};

const CYCLES: usize = 40;
const ROUNDS: usize = 15;
const LEVEL: u8 = 5;

fn main() {
    let shuttle = generate::shuttle();
    let grid = Grid::enclosing(&shuttle.bounds(), LEVEL).expect("a grid");
    let source = Octree::from_solid(&shuttle, grid, VoxelRule::AnyTouch).expect("a solid");
    let cells = MovingOctree::new(&source);
    let compacted =
        MovingOctree::compacted(&source, &Compaction::default()).expect("a small octree");
    println!("\n### The source: a shuttle of 528 faces at level 5\n");
    println!("| | black cells | compacted | of the cells | ms to compact |");
    println!("|---|---|---|---|---|");
    println!("| paper | 863 | 458 | 0.53 | |");
    let all = cells.cubes().len();
    for (name, options) in [
        ("one scan", Compaction::default()),
        ("100 rotated scans", Compaction::default().rotated_scans(100)),
        ("1000 rotated scans", Compaction::default().rotated_scans(1000)),
        ("1000 random restarts", Compaction::default().random_restarts(1000, 1)),
    ] {
        let start = Instant::now();
        let cubes = source.compacted(&options).expect("a small octree").len();
        let (share, time) = (cubes as f64 / all as f64, start.elapsed());
        println!("| {name} | {all} | {cubes} | {share:.2} | {:.2} |", time.as_secs_f64() * 1e3);
    }

    arbitrary(&grid, &cells, &compacted);
    translations(&grid, &cells, &compacted);
    making();
}

/// One way to move, and what it is compared with.
struct Way<'a> {
    name: &'static str,
    moving: &'a MovingOctree,
    options: MotionOptions,
    paper: &'static str,
}

/// The target: a cube around the whole path of the shuttle, with voxels of the source's size.
fn target(source: &Grid) -> Grid {
    Grid::new(source.min() - 0.5 * source.side(), 2.0 * source.side(), LEVEL + 1).expect("a grid")
}

/// The pose of a cycle: the shuttle flies along a diagonal, and turns by 9 degrees a cycle or not at all.
fn pose(source: &Grid, cycle: usize, turns: bool) -> Pose {
    let share = cycle as f64 / (CYCLES - 1) as f64 - 0.5;
    let shift = DVec3::new(0.31, 0.23, 0.17) * share * source.side();
    let center = source.min() + 0.5 * source.side();
    let angle = if turns { 0.05 * std::f64::consts::PI * cycle as f64 } else { 0.0 };
    let rotation = match turns {
        true => DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), angle),
        false => DMat3::IDENTITY,
    };
    Pose::new(rotation, center + shift - rotation * center).expect("a rotation")
}

/// Figure 2.3: arbitrary motion, with the rule of the paper and with the safe one.
fn arbitrary(grid: &Grid, cells: &MovingOctree, compacted: &MovingOctree) {
    for (heading, rule) in [
        ("(figure 2.3), rule: centre inside", VoxelRule::CenterInside),
        ("with the rule: any touch", VoxelRule::AnyTouch),
    ] {
        let options = MotionOptions::default().rule(rule);
        let weng_ahuja = options.algorithm(MotionAlgorithm::WengAhuja);
        let exact = options.algorithm(MotionAlgorithm::WengAhujaExact);
        let threads = options.threads(Threads::Pool);
        let way = |name, moving, options, paper| Way { name, moving, options, paper };
        println!("\n### Translation and rotation {heading}\n");
        table(
            grid,
            true,
            &[
                way("Weng and Ahuja", cells, weng_ahuja, "1, 54007 tests"),
                way("… with the exact test", cells, exact, "1.4, 43223 tests"),
                way("efficient, black cells", cells, options, ""),
                way("efficient, compacted", compacted, options, "nearly 4"),
                way("… on all threads", compacted, threads, "8 (4 processors)"),
            ],
        );
    }
}

/// Figure 2.4: translation, with the rule for any touch.
fn translations(grid: &Grid, cells: &MovingOctree, compacted: &MovingOctree) {
    let options = MotionOptions::default().rule(VoxelRule::AnyTouch);
    let by_cells = options.algorithm(MotionAlgorithm::TranslationByCells);
    let by_axes = options.algorithm(MotionAlgorithm::TranslationByAxes);
    let way = |name, moving, options, paper| Way { name, moving, options, paper };
    println!("\n### Translation only (figure 2.4), rule: any touch\n");
    table(
        grid,
        false,
        &[
            way("conventional, black cells", cells, by_cells, "1"),
            way("binary subdivision, black cells", cells, by_axes, ""),
            way("binary subdivision, compacted", compacted, by_axes, "3"),
            way("arbitrary motion, compacted", compacted, options, ""),
        ],
    );
}

fn table(grid: &Grid, turns: bool, ways: &[Way<'_>]) {
    let target = target(grid);
    let mut times = vec![Times::new(CYCLES); ways.len()];
    let mut last = vec![MotionCounts::default(); ways.len()];
    for _ in 0..ROUNDS {
        for cycle in 0..CYCLES {
            let pose = pose(grid, cycle, turns);
            let mut first: Option<Octree> = None;
            for (number, way) in ways.iter().enumerate() {
                let start = Instant::now();
                let moved = way.moving.at(&pose, &target, &way.options).expect("a motion");
                times[number].note(cycle, start);
                last[number] = moved.counts;
                let first = first.get_or_insert_with(|| moved.octree.clone());
                assert!(moved.octree == *first, "{}, cycle {cycle}: another octree", way.name);
            }
        }
    }
    println!(
        "| algorithm | source cubes | mean, µs | longest, µs | faster | in the paper | tests of cells | of voxels |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let first = times[0].mean();
    for ((way, times), counts) in ways.iter().zip(&times).zip(&last) {
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.2} | {} | {} | {} |",
            way.name,
            way.moving.cubes().len(),
            times.mean(),
            times.longest_but(0.0),
            first / times.mean(),
            way.paper,
            counts.cell_tests,
            counts.voxel_tests,
        );
    }
}

/// Octrees of meshes.
fn making() {
    println!("\n### Making octrees of meshes, ms\n");
    println!(
        "| mesh | faces | level | faces alone | solid, any touch | solid, centre inside | nodes | bytes |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let shuttle = generate::shuttle();
    let sphere = generate::sphere(20_000).expect("a sphere");
    let torus = generate::deformed_torus(1, [200, 50]).expect("a torus");
    for (name, mesh, level) in [
        ("shuttle", &shuttle, 5),
        ("shuttle", &shuttle, 8),
        ("sphere", &sphere, 8),
        ("deformed torus", &torus, 8),
    ] {
        let grid = Grid::enclosing(&mesh.bounds(), level).expect("a grid");
        let best = |make: &dyn Fn() -> Octree| {
            let mut best = Duration::MAX;
            for _ in 0..3 {
                let start = Instant::now();
                let octree = make();
                best = best.min(start.elapsed());
                assert!(octree.black_voxels() > 0, "{name}");
            }
            best.as_secs_f64() * 1e3
        };
        let solid = |rule| Octree::from_solid(mesh, grid, rule).expect("a solid");
        let faces = best(&|| Octree::from_faces(mesh, grid).expect("faces"));
        let touch = best(&|| solid(VoxelRule::AnyTouch));
        let center = best(&|| solid(VoxelRule::CenterInside));
        let octree = solid(VoxelRule::AnyTouch);
        println!(
            "| {name} | {} | {level} | {faces:.1} | {touch:.1} | {center:.1} | {} | {} |",
            mesh.faces().len(),
            octree.node_count(),
            octree.bytes()
        );
    }
}

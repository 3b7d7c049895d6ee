//! `impinge octree move`: the octree of an object that was moved.

use super::{
    grid::{RULES, RootCube, numbers},
    results::{self, Figures, Files},
};
use crate::{
    failure::Failure,
    output::{self, count, note, to_thousandths},
    outputs::Outputs,
    progress::Progress,
    source,
    threads::{self, MAX_THREADS},
    trees::{Names, one_of},
};
use clap::value_parser;
use impinge::{
    Bounds, Pose, Threads,
    glam::{DMat3, DVec3},
    octree::{
        Color, Compaction, Grid, MAX_LEVEL, Motion, MotionAlgorithm, MotionOptions, MovingOctree,
        Octree, OctreeError, VoxelRule,
    },
};
use impinge_io::Draft;
use serde::Serialize;
use std::{
    fmt::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Make the octree of an object at other poses.
///
/// Every pose is applied to the octree of the file, as a whole. So errors do not add up from pose to pose. The octree
/// at the last pose is written. With the rule `center` all algorithms give the same octree; they differ in speed. With
/// `touch` those for translation may leave out voxels that the object misses by rounding errors.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge octree move part.octree --translate 10,0,0 -o moved.octree
  impinge octree move part.octree --rotate 0,0,1,30 --translate 10,0,0 -o moved.octree
  impinge octree move part.octree --poses poses.csv --compact --csv steps.csv --json
  impinge octree move part.octree --translate 1,2,3 --algorithm translation-by-axes --compact",
    after_help = "\
With the rule `touch`, voxels that only share a point of their border with the object are
black. So an object that is not moved grows by one voxel on each side."
)]
pub(super) struct Arguments {
    /// Octree file
    octree: PathBuf,
    /// Poses: a CSV file, or gen:NAME
    #[arg(long, conflicts_with_all = ["translate", "rotate"])]
    poses: Option<String>,
    /// Translation, after a rotation
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    translate: Option<DVec3>,
    /// Rotation about an axis through the origin, by an angle in degrees
    #[arg(long, value_name = "X,Y,Z,DEGREES", value_parser = rotation, allow_hyphen_values = true)]
    rotate: Option<DMat3>,
    /// Black voxels: those that touch the moved object, or those whose centre is inside
    #[arg(long, value_parser = one_of(RULES), default_value = "touch")]
    rule: VoxelRule,
    /// Algorithm. Those for translation refuse poses that turn
    #[arg(long, value_parser = one_of(ALGORITHMS), default_value = "efficient")]
    algorithm: MotionAlgorithm,
    /// First cover the object by fewer cubes, which makes each pose faster
    #[arg(long)]
    compact: bool,
    /// Orders of cubes to try for --compact, each from another start
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=MAX_ORDERS))]
    #[arg(requires = "compact")]
    scans: u32,
    /// Shuffled orders of cubes to try for --compact
    #[arg(long, value_name = "N", default_value_t = 0, requires = "compact")]
    #[arg(value_parser = value_parser!(u32).range(..=MAX_ORDERS))]
    restarts: u32,
    /// Seed of the shuffled orders
    #[arg(long, value_name = "N", default_value_t = 1, requires = "restarts")]
    seed: u64,
    /// Root cube of the new octree: its least corner and its side [default: that of the file]
    #[arg(long, value_name = "X,Y,Z,SIDE", allow_hyphen_values = true)]
    cube: Option<RootCube>,
    /// Level of the new octree [default: that of the file]
    #[arg(long, value_parser = value_parser!(u8).range(..=i64::from(MAX_LEVEL)))]
    level: Option<u8>,
    /// Threads to use; 0 for one per core. Only the algorithm `efficient` uses several
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: u16,
    #[command(flatten)]
    files: Files,
    /// CSV file with a row for each pose: time and numbers of tests
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

/// Most orders of cubes that are tried. Each takes as long as the first, and covers hardly get smaller after a hundred.
const MAX_ORDERS: i64 = 10_000;

const ALGORITHMS: Names<MotionAlgorithm> = &[
    ("efficient", MotionAlgorithm::Efficient),
    ("weng-ahuja", MotionAlgorithm::WengAhuja),
    ("weng-ahuja-exact", MotionAlgorithm::WengAhujaExact),
    ("translation-by-cells", MotionAlgorithm::TranslationByCells),
    ("translation-by-axes", MotionAlgorithm::TranslationByAxes),
];

fn vector(text: &str) -> Result<DVec3, String> {
    let numbers = numbers(text).ok_or("expected X,Y,Z, as in 1,0,-2.5")?;
    Ok(DVec3::from_array(numbers))
}

fn rotation(text: &str) -> Result<DMat3, String> {
    let [x, y, z, degrees] = numbers(text).ok_or("expected X,Y,Z,DEGREES, as in 0,0,1,30")?;
    let axis = DVec3::new(x, y, z).try_normalize().ok_or("the axis X,Y,Z must not be 0")?;
    Ok(DMat3::from_axis_angle(axis, degrees.to_radians()))
}

impl Arguments {
    fn poses(&self) -> Result<Vec<Pose>, Failure> {
        if let Some(poses) = &self.poses {
            return source::poses(poses);
        }
        if self.translate.is_none() && self.rotate.is_none() {
            let message = "no motion: give --poses, --translate or --rotate";
            return Err(Failure::input(message));
        }
        let pose = Pose::new(
            self.rotate.unwrap_or(DMat3::IDENTITY),
            self.translate.unwrap_or(DVec3::ZERO),
        );
        Ok(vec![pose.map_err(Failure::input)?])
    }

    fn target(&self, source: &Grid) -> Result<Grid, Failure> {
        let (min, side) =
            self.cube.map_or((source.min(), source.side()), |cube| (cube.min, cube.side));
        Grid::new(min, side, self.level.unwrap_or(source.level())).map_err(Failure::input)
    }

    fn moving(&self, source: &Octree) -> Result<MovingOctree, OctreeError> {
        if !self.compact {
            return Ok(MovingOctree::new(source));
        }
        let options = Compaction::default()
            .rotated_scans(self.scans)
            .random_restarts(self.restarts, self.seed);
        crate::progress::with_spinner("compacting", || MovingOctree::compacted(source, &options))
    }
}

/// The report of a motion.
#[derive(Serialize)]
struct Report {
    algorithm: &'static str,
    steps: usize,
    cubes: usize,
    compact_ms: Option<f64>,
    mean_us: f64,
    max_us: f64,
    /// Of all steps.
    cell_tests: u64,
    voxel_tests: u64,
    /// Of the octree at the last pose.
    #[serde(flatten)]
    figures: Figures,
}

/// Whether a part of an object is outside of the root cube of an octree, at a pose.
fn is_cut_off(source: &Octree, pose: &Pose, target: &Grid) -> bool {
    let room = Bounds { min: target.min(), max: target.min() + target.side() };
    let is_outside = |bounds: Bounds| {
        let corner = |i: u8| {
            let pick = |axis: u8, low: f64, high: f64| if i >> axis & 1 == 0 { low } else { high };
            let Bounds { min, max } = bounds;
            DVec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z))
        };
        (0..8).any(|i| !room.contains(pose.place(corner(i))))
    };
    let black = source.nodes().filter(|(_, color)| *color == Color::Black);
    black.map(|(cell, _)| source.grid().bounds(cell)).any(is_outside)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let named = arguments.files.named().into_iter();
    let outputs = Outputs::new(named.chain([("--csv", arguments.csv.as_deref())]));
    let inputs =
        [Some(arguments.octree.as_path()), arguments.poses.as_deref().and_then(source::file)];
    outputs.check(inputs.into_iter().flatten())?;
    let (source, poses) =
        outputs.reading(|| Ok((results::load(&arguments.octree)?, arguments.poses()?)))?;
    let about = |error| Failure::input(format!("{}: {error}", arguments.octree.display()));
    let target = arguments.target(source.grid())?;
    let start = Instant::now();
    let moving = arguments.moving(&source).map_err(about)?;
    let compact_ms = arguments.compact.then(|| to_thousandths(start.elapsed().as_secs_f64() * 1e3));

    let pool = threads::pool(arguments.threads)?;
    let options = MotionOptions::default()
        .algorithm(arguments.algorithm)
        .rule(arguments.rule)
        .threads(if pool.is_some() { Threads::Pool } else { Threads::One });
    let work = || steps(&moving, &poses, &target, &options);
    let moved = match &pool {
        Some(pool) => pool.install(work),
        None => work(),
    }?;
    let mut drafts = Vec::new();
    if let Some(path) = &arguments.csv {
        let mut draft = Draft::create(path)?;
        draft.fill(|out| out.write_all(moved.rows.as_bytes()))?;
        drafts.push(draft);
    }
    let octree = moved.last.octree;
    if poses.last().is_some_and(|pose| is_cut_off(&source, pose, &target)) {
        note(
            "parts of the object lie outside of the root cube at the last pose and are left out; --cube sets another",
        );
    }
    arguments.files.write(&octree, drafts)?;

    let us = |time: Duration| to_thousandths(time.as_secs_f64() * 1e6);
    let report = Report {
        algorithm: arguments.algorithm.name(),
        steps: poses.len(),
        cubes: moving.cubes().len(),
        compact_ms,
        mean_us: to_thousandths(us(moved.total) / poses.len() as f64),
        max_us: us(moved.longest),
        cell_tests: moved.tests[0],
        voxel_tests: moved.tests[1],
        figures: Figures::new(&octree),
    };
    if arguments.json {
        return output::json(&report);
    }
    output::text(&format!(
        "{}, {}, {}, mean {} µs, {} of cells and {} of voxels; at the last pose: {}\n",
        report.algorithm,
        count(report.cubes, "source cube"),
        count(report.steps, "pose"),
        report.mean_us,
        count(report.cell_tests, "test"),
        report.voxel_tests,
        report.figures.line()
    ))
}

/// What all steps took, and the last octree.
struct Moved {
    rows: String,
    total: Duration,
    longest: Duration,
    tests: [u64; 2],
    last: Motion,
}

fn steps(
    moving: &MovingOctree,
    poses: &[Pose],
    target: &Grid,
    options: &MotionOptions,
) -> Result<Moved, Failure> {
    let mut rows = String::from("step,us,nodes,black_voxels,cell_tests,voxel_tests\n");
    let (mut total, mut longest, mut tests) = (Duration::ZERO, Duration::ZERO, [0; 2]);
    let mut last = None;
    let mut progress = Progress::new("moving", poses.len() as u64);
    for (step, pose) in poses.iter().enumerate() {
        let start = Instant::now();
        let moved = moving.at(pose, target, options);
        let time = start.elapsed();
        let moved = moved.map_err(|error| Failure::input(format!("pose {step}: {error}")))?;
        (total, longest) = (total + time, longest.max(time));
        let counts = moved.counts;
        tests = [tests[0] + counts.cell_tests, tests[1] + counts.voxel_tests];
        let us = to_thousandths(time.as_secs_f64() * 1e6);
        let (nodes, black) = (moved.octree.node_count(), moved.octree.black_voxels());
        // Writing to a string cannot fail.
        let _ = writeln!(
            rows,
            "{step},{us},{nodes},{black},{},{}",
            counts.cell_tests, counts.voxel_tests
        );
        last = Some(moved);
        progress.advance();
    }
    let last = last.ok_or_else(|| Failure::input("there are no poses"))?;
    Ok(Moved { rows, total, longest, tests, last })
}

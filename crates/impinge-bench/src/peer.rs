//! The protocol of `impinge bench --peer`, for peers that are written in Rust.
//!
//! A peer is a program that runs another library on a scenario: `PEER FOLDER --cap SECONDS --counts
//! FOLDER`. It reads `a.obj`, `b.obj` and `poses.csv` from the first folder, prints a line of JSON for
//! each engine and mode, and writes `ENGINE-MODE.csv` with a line `step,count` a step into the second.
//! `docs/benchmarks.md` describes it for peers in any language.

use impinge::{Mesh, Pose};
use serde_json::json;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The number of rounds; the time of a step is the shortest of all rounds.
const ROUNDS: usize = 3;
/// The smallest number of poses that are queried even with a slow engine, if there are as many.
const LEAST_POSES: usize = 4;
/// The number of poses that an engine must finish within the cap to get more than one round.
const ENOUGH_POSES: usize = 16;
/// Queries before timing starts: they fill caches and show the engine's speed.
const PROBES: usize = 4;

/// Two meshes and the poses that place the second in the frame of the first.
#[derive(Debug)]
pub struct Scenario {
    /// The mesh that stays in place.
    pub a: Mesh,
    /// The mesh that is placed.
    pub b: Mesh,
    /// The poses of the second mesh, one per step.
    pub poses: Vec<Pose>,
}

/// The question asked for each pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Whether any faces touch.
    Detect,
    /// The number of face pairs that touch.
    All,
}

impl Mode {
    const BOTH: [Self; 2] = [Self::Detect, Self::All];

    fn name(self) -> &'static str {
        match self {
            Self::Detect => "detect",
            Self::All => "all",
        }
    }
}

/// A library, or a way to use one, with both meshes of a scenario prepared.
pub trait Engine {
    /// The name of the rows in the report.
    fn name(&self) -> &str;

    /// The library and its version.
    fn version(&self) -> &str;

    /// The time to prepare both meshes.
    fn build_time(&self) -> Duration;

    /// The bytes of memory for both meshes, besides the meshes themselves.
    fn bytes(&self) -> u64;

    /// Returns whether the engine can answer in a mode.
    fn can(&self, mode: Mode) -> bool;

    /// Returns the number of touching face pairs with the second mesh at a pose; in [`Mode::Detect`], 1 if there
    /// is any.
    fn ask(&mut self, mode: Mode, pose: &Pose) -> u64;
}

/// The engines prepared for a scenario, or an error message.
pub type Engines<'s> = Result<Vec<Box<dyn Engine + 's>>, String>;

/// Runs a peer: reads its arguments and the scenario, times the engines, prints and writes the results.
///
/// # Errors
/// Returns a message for standard error if arguments are missing, files cannot be read or written, or engines
/// cannot be prepared.
pub fn run(
    arguments: impl IntoIterator<Item = String>,
    engines: impl for<'s> FnOnce(&'s Scenario) -> Engines<'s>,
) -> Result<(), String> {
    let arguments = Arguments::parse(arguments)?;
    let scenario = Scenario::load(&arguments.folder)?;
    let mut out = io::stdout().lock();
    for engine in &mut engines(&scenario)? {
        for mode in Mode::BOTH {
            if !engine.can(mode) {
                continue;
            }
            let timed = Timed::new(engine.as_mut(), mode, &scenario.poses, arguments.cap);
            timed.write_counts(&arguments.counts, engine.name(), mode)?;
            let line = timed.line(engine.as_ref(), mode, &scenario);
            writeln!(out, "{line}").map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

struct Arguments {
    folder: PathBuf,
    cap: Duration,
    counts: PathBuf,
}

impl Arguments {
    fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        const USAGE: &str = "usage: PEER FOLDER --cap SECONDS --counts FOLDER";
        let (mut folder, mut cap, mut counts) = (None, None, None);
        let mut words = arguments.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--cap" => cap = words.next().and_then(|value| value.parse().ok()),
                "--counts" => counts = words.next().map(PathBuf::from),
                _ => folder = Some(PathBuf::from(word)),
            }
        }
        let cap = cap.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match (folder, cap, counts) {
            (Some(folder), Some(cap), Some(counts)) => Ok(Self { folder, cap, counts }),
            _ => Err(USAGE.to_owned()),
        }
    }
}

impl Scenario {
    fn load(folder: &Path) -> Result<Self, String> {
        let mesh = |name: &str| {
            impinge_io::load_mesh(folder.join(name)).map_err(|error| error.to_string())
        };
        let poses = impinge_io::load_poses(folder.join("poses.csv"));
        let poses = poses.map_err(|error| error.to_string())?;
        Ok(Self { a: mesh("a.obj")?, b: mesh("b.obj")?, poses })
    }
}

/// The times and answers of an engine in one mode.
struct Timed {
    stride: usize,
    rounds: usize,
    steps: Vec<usize>,
    times: Vec<Duration>,
    counts: Vec<u64>,
}

impl Timed {
    /// Queries all poses, or every n-th pose if all would take longer than the cap.
    fn new(engine: &mut dyn Engine, mode: Mode, poses: &[Pose], cap: Duration) -> Self {
        let count = poses.len();
        let mut probe = |k: usize| {
            let start = Instant::now();
            engine.ask(mode, &poses[(2 * k + 1) * count / (2 * PROBES)]);
            start.elapsed()
        };
        // The first query runs with cold caches, so its time is used only if it is slow anyway.
        let mut time = probe(0);
        if time < cap / 8 {
            time = (0..PROBES).map(&mut probe).sum::<Duration>() / PROBES as u32;
        }
        let (probe, seconds) = (time.as_secs_f64(), cap.as_secs_f64());
        let enough = count.min(ENOUGH_POSES) as f64;
        let rounds = if probe * enough * ROUNDS as f64 <= seconds { ROUNDS } else { 1 };
        let most = (count / LEAST_POSES).max(1);
        let stride = (rounds as f64 * probe * count as f64 / seconds).ceil() as usize;
        let stride = stride.clamp(1, most);
        let steps: Vec<usize> = (stride / 2..count).step_by(stride).collect();
        let times = vec![Duration::MAX; steps.len()];
        let mut timed = Self { stride, rounds, steps, times, counts: Vec::new() };
        let mut spent = Duration::ZERO;
        for _ in 0..rounds {
            timed.round(engine, mode, poses, 3 * cap, &mut spent);
        }
        timed
    }

    /// Queries each step once, and stops when the engine has used up its time.
    fn round(
        &mut self,
        engine: &mut dyn Engine,
        mode: Mode,
        poses: &[Pose],
        most: Duration,
        spent: &mut Duration,
    ) {
        let is_first = self.counts.is_empty();
        for k in 0..self.steps.len() {
            let start = Instant::now();
            let count = engine.ask(mode, &poses[self.steps[k]]);
            let time = start.elapsed();
            self.times[k] = self.times[k].min(time);
            *spent += time;
            if is_first {
                self.counts.push(count);
            }
            if *spent > most && (!is_first || k + 1 >= LEAST_POSES) {
                if is_first {
                    // The probe queries were cheaper than most queries.
                    self.steps.truncate(k + 1);
                    self.times.truncate(k + 1);
                }
                return;
            }
        }
    }

    fn write_counts(&self, folder: &Path, engine: &str, mode: Mode) -> Result<(), String> {
        let path = folder.join(format!("{engine}-{}.csv", mode.name()));
        let lines = self.steps.iter().zip(&self.counts);
        let text: String = lines.map(|(step, count)| format!("{step},{count}\n")).collect();
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Returns the line of JSON, with the field names of `impinge query`.
    fn line(&self, engine: &dyn Engine, mode: Mode, scenario: &Scenario) -> String {
        let mut sorted: Vec<f64> = self.times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let rank = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
        json!({
            "engine": engine.name(),
            "version": engine.version(),
            "mode": mode.name(),
            "tris_a": scenario.a.faces().len(),
            "tris_b": scenario.b.faces().len(),
            "steps": self.steps.len(),
            "stride": self.stride,
            "rounds": self.rounds,
            "build_ms": engine.build_time().as_secs_f64() * 1e3,
            "bytes": engine.bytes(),
            "mean_us": mean,
            "p50_us": rank(0.5),
            "p99_us": rank(0.99),
            "max_us": rank(1.0),
            "colliding_steps": self.counts.iter().filter(|count| **count > 0).count(),
            "pairs": (mode == Mode::All).then(|| self.counts.iter().sum::<u64>()),
        })
        .to_string()
    }
}

//! `impinge query`: which faces of two meshes touch, at each of many poses.

use crate::{
    failure::Failure,
    output,
    progress::{self, Progress},
    source,
};
use clap::value_parser;
use impinge::{FacePair, Mesh, Method, Pair, Pose, Threads};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Which faces of two meshes touch, at each of many poses.
///
/// Mesh B is placed in the frame of mesh A by each pose in turn; A stays where it is. A query
/// stops at the first touching pair of faces, or with --all finds them all.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  impinge query gen:torus gen:sphere,faces=3968 --poses gen:tumble,steps=200 --all
  impinge query a.obj b.stl --poses poses.csv --all --pairs contacts.csv
  impinge query a.obj b.obj --poses poses.csv --method all --json

Poses: a line a step, 12 numbers, the row-major 3x4 matrix [R|t] that places B in A's frame.
Without --poses, B is taken as it stands.

Output: one JSON line with --json, or where the output is not a terminal: engine, version, method,
mode, tris_a, tris_b, steps, build_ms, bytes (of the index for both meshes), mean_us, p50_us,
p99_us, max_us (times of the queries alone), colliding_steps, pairs (null without --all).")]
pub(crate) struct Arguments {
    /// The first mesh: a file, or gen:NAME
    #[arg(value_name = "A")]
    a: String,
    /// The second mesh: a file, or gen:NAME
    #[arg(value_name = "B")]
    b: String,
    /// Where B stands in A's frame: a CSV file, or gen:NAME
    #[arg(long, value_name = "FILE")]
    poses: Option<String>,
    /// Find all touching pairs of faces, not just whether there are any
    #[arg(long)]
    all: bool,
    /// The method to search by (see `impinge methods`), or `all` to run each and compare
    #[arg(long, value_name = "NAME", default_value_t = Method::default().to_string())]
    method: String,
    /// Write all touching pairs as rows of step,face_a,face_b; implies --all
    #[arg(long, value_name = "OUT.csv")]
    pairs: Option<PathBuf>,
    /// Threads to use for a query; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: u16,
    /// Print one JSON line
    #[arg(long)]
    json: bool,
}

/// More than any machine has use for, and still started at once.
const MAX_THREADS: i64 = 1024;
/// The times of a step vary with the machine's mood; the least of a few rounds does not.
const ROUNDS: usize = 3;
/// Rounds end early once they have taken so long in all.
const ROUNDS_LIMIT: Duration = Duration::from_secs(10);

#[derive(Serialize)]
struct Report {
    engine: &'static str,
    version: &'static str,
    method: &'static str,
    mode: &'static str,
    tris_a: usize,
    tris_b: usize,
    steps: usize,
    build_ms: f64,
    bytes: usize,
    mean_us: f64,
    p50_us: f64,
    p99_us: f64,
    max_us: f64,
    colliding_steps: usize,
    pairs: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let methods = match arguments.method.as_str() {
        "all" => Method::ALL.to_vec(),
        name => vec![name.parse::<Method>().map_err(Failure::input)?],
    };
    let a = source::mesh(&arguments.a)?;
    let b = source::mesh(&arguments.b)?;
    let poses = match &arguments.poses {
        Some(file) => source::poses(file)?,
        None => vec![Pose::IDENTITY],
    };
    let workload = Workload {
        a: &a,
        b: &b,
        poses: &poses,
        all: arguments.all || arguments.pairs.is_some(),
        pool: pool(arguments.threads)?,
    };
    let mut reference: Option<(Method, Vec<Answer>)> = None;
    for method in methods {
        // The rows are the same for each method, so the first writes them.
        let rows = arguments.pairs.as_ref().filter(|_| reference.is_none());
        let (report, answers) = match rows {
            None => workload.run(method, &mut |_, _| Ok(()))?,
            Some(path) => workload.run_into(path, method)?,
        };
        if output::wants_json(arguments.json) {
            output::json(&report)?;
        } else {
            output::text(&report.readable())?;
        }
        match &reference {
            None => reference = Some((method, answers)),
            Some((first, expected)) => compare(*first, expected, method, &answers)?,
        }
    }
    Ok(())
}

/// The threads to run queries on; none for the caller's own.
fn pool(threads: u16) -> Result<Option<ThreadPool>, Failure> {
    if threads == 1 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.into()).build();
    pool.map(Some).map_err(|error| Failure::input(format!("--threads {threads}: {error}")))
}

fn compare(
    first: Method,
    expected: &[Answer],
    method: Method,
    answers: &[Answer],
) -> Result<(), Failure> {
    match expected.iter().zip(answers).position(|(e, a)| e != a) {
        None => Ok(()),
        Some(step) => Err(Failure::Check(format!(
            "{method} differs from {first} at step {step}: {} against {} pairs; this is a defect \
             of impinge, please report it with the input",
            answers[step].count, expected[step].count
        ))),
    }
}

/// What is asked, whatever the method.
struct Workload<'w> {
    a: &'w Mesh,
    b: &'w Mesh,
    poses: &'w [Pose],
    all: bool,
    pool: Option<ThreadPool>,
}

/// What a step answered: enough to compare methods without keeping all pairs.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Answer {
    count: usize,
    hash: u64,
}

/// What takes the pairs of each step.
type Sink<'s> = dyn FnMut(usize, &[FacePair]) -> io::Result<()> + 's;

impl Workload<'_> {
    /// Runs the queries and writes the pairs of each step to a file, which is whole or not there.
    fn run_into(&self, path: &Path, method: Method) -> Result<(Report, Vec<Answer>), Failure> {
        let mut result = None;
        impinge_io::write_atomically(path, |out| {
            writeln!(out, "step,face_a,face_b")?;
            result = Some(self.run(method, &mut |step, pairs| {
                pairs.iter().try_for_each(|pair| writeln!(out, "{step},{},{}", pair.a, pair.b))
            })?);
            Ok(())
        })?;
        result.ok_or_else(|| Failure::input("the pairs were not written"))
    }

    /// Prepares both meshes and runs all queries, a few rounds of them. The pairs of each step go
    /// to the sink in the first round.
    fn run(&self, method: Method, sink: &mut Sink<'_>) -> io::Result<(Report, Vec<Answer>)> {
        let start = Instant::now();
        let building = || Pair::with_method(method, self.a, self.b);
        let mut pair = progress::waiting(&format!("{method}: building"), building);
        let build = start.elapsed();

        let mut times = vec![Duration::MAX; self.poses.len()];
        let mut answers = vec![Answer::default(); self.poses.len()];
        let start = Instant::now();
        for round in 0..ROUNDS {
            let label = format!("{method}, round {} of up to {ROUNDS}", round + 1);
            let mut progress = Progress::new(&label, self.poses.len() as u64);
            for (step, pose) in self.poses.iter().enumerate() {
                let (time, answer, pairs) = self.step(&mut pair, pose);
                times[step] = times[step].min(time);
                if round == 0 {
                    answers[step] = answer;
                    sink(step, pairs)?;
                }
                progress.advance();
            }
            if start.elapsed() > ROUNDS_LIMIT {
                break;
            }
        }
        Ok((self.report(method, build, pair.index_bytes(), &mut times, &answers), answers))
    }

    fn step<'p>(&self, pair: &'p mut Pair<'_>, pose: &Pose) -> (Duration, Answer, &'p [FacePair]) {
        let still = &Pose::IDENTITY;
        let start = Instant::now();
        if self.all {
            let pairs = match &self.pool {
                None => pair.contacts(still, pose),
                Some(pool) => {
                    pool.install(|| pair.at(still, pose).threads(Threads::Pool).contacts())
                }
            };
            let time = start.elapsed();
            let mut hasher = DefaultHasher::new();
            pairs.hash(&mut hasher);
            (time, Answer { count: pairs.len(), hash: hasher.finish() }, pairs)
        } else {
            let touches = match &self.pool {
                None => pair.intersects(still, pose),
                Some(pool) => {
                    pool.install(|| pair.at(still, pose).threads(Threads::Pool).intersects())
                }
            };
            (start.elapsed(), Answer { count: usize::from(touches), hash: 0 }, &[])
        }
    }

    fn report(
        &self,
        method: Method,
        build: Duration,
        bytes: usize,
        times: &mut [Duration],
        answers: &[Answer],
    ) -> Report {
        times.sort_unstable();
        let us = |time: Duration| rounded(time.as_secs_f64() * 1e6);
        let rank = |share: f64| {
            let rank = (share * times.len() as f64).ceil() as usize;
            times.get(rank.saturating_sub(1)).copied().map_or(0.0, us)
        };
        let total: Duration = times.iter().sum();
        Report {
            engine: "impinge",
            version: env!("CARGO_PKG_VERSION"),
            method: method.name(),
            mode: if self.all { "all" } else { "detect" },
            tris_a: self.a.faces().len(),
            tris_b: self.b.faces().len(),
            steps: self.poses.len(),
            build_ms: rounded(build.as_secs_f64() * 1e3),
            bytes,
            mean_us: rounded(total.as_secs_f64() * 1e6 / times.len().max(1) as f64),
            p50_us: rank(0.5),
            p99_us: rank(0.99),
            max_us: rank(1.0),
            colliding_steps: answers.iter().filter(|answer| answer.count > 0).count(),
            pairs: self.all.then(|| answers.iter().map(|answer| answer.count as u64).sum()),
        }
    }
}

/// To the nanosecond, if the number is of microseconds: finer is noise.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

impl Report {
    fn readable(&self) -> String {
        let touching = format!("{} of {} steps touch", self.colliding_steps, self.steps);
        let pairs = match self.pairs {
            Some(pairs) => format!("{touching}, {pairs} face pairs in all"),
            None => touching,
        };
        output::table(&[
            vec!["method".into(), self.method.into()],
            vec!["meshes".into(), format!("{} and {} faces", self.tris_a, self.tris_b)],
            vec!["answer".into(), pairs],
            vec!["index".into(), format!("{} bytes, built in {} ms", self.bytes, self.build_ms)],
            vec![
                "query".into(),
                format!(
                    "mean {} µs, median {} µs, 99 % below {} µs, longest {} µs",
                    self.mean_us, self.p50_us, self.p99_us, self.max_us
                ),
            ],
        ])
    }
}

//! Questions about one mesh: `impinge points` and `impinge rays`.
//!
//! Both ask the same question for each of many points or rays, of one method or of all, and compare the answers.

pub(crate) mod points;
pub(crate) mod rays;

use crate::{
    failure::Failure,
    grids::Grids,
    output::{self, count, to_thousandths},
    outputs::Outputs,
    progress, source,
    threads::{self, MAX_THREADS},
    timing::{self, ROUNDS, ROUNDS_LIMIT},
};
use clap::value_parser;
use impinge::{Bounds, Mesh, Method, Pose, Shape};
use rayon::{ThreadPool, prelude::*};
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// The options that both commands have.
#[derive(Debug, clap::Args)]
struct Options {
    /// Pose of the mesh: a pose file with one line of 12 numbers, the row-major 3x4 matrix [R|t]. Without it the mesh
    /// is where its file says
    #[arg(long, value_name = "FILE")]
    pose: Option<PathBuf>,
    /// Search method (see `impinge methods`), or `all` to run every method and compare the answers. wide and boxtree
    /// search a tree; the other methods visit all faces, and `all` leaves them out if that takes long
    #[arg(long, value_name = "NAME", default_value_t = Method::default().to_string())]
    method: String,
    /// Index of the mesh: a file that `impinge index` wrote; it also sets the method
    #[arg(long, value_name = "FILE", conflicts_with = "method")]
    index: Option<PathBuf>,
    /// Threads to use; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: u16,
    #[command(flatten)]
    grids: Grids,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

/// Many questions of one kind about a shape, and how their answers are reported.
trait Questions: Sync {
    type Answer: PartialEq + Send;
    /// What the answers have in common: fields of the JSON line.
    type Summary: Serialize;
    /// What a question is about: `point`.
    const ABOUT: &'static str;

    /// What is asked, for the JSON line.
    fn mode(&self) -> &'static str;
    fn len(&self) -> usize;
    fn ask(&self, shape: &Shape, pose: &Pose, number: usize) -> Self::Answer;
    /// An answer for a message about two methods that differ.
    fn shown(answer: &Self::Answer) -> String;
    /// Writes the output file, if one is wanted.
    fn write(&self, answers: &[Self::Answer]) -> Result<(), Failure>;
    fn summary(&self, answers: &[Self::Answer]) -> Self::Summary;
    /// A summary for the table.
    fn readable(summary: &Self::Summary) -> String;
}

/// A placed mesh to ask about.
struct Subject {
    mesh: Arc<Mesh>,
    pose: Pose,
}

impl Subject {
    /// Loads a mesh and its pose.
    fn load(mesh: &str, options: &Options) -> Result<Self, Failure> {
        let mesh = source::mesh_with(mesh, &options.grids.options())?;
        let pose = match &options.pose {
            None => Pose::IDENTITY,
            Some(file) => match impinge_io::load_poses(file)?[..] {
                [pose] => pose,
                ref poses => {
                    return Err(Failure::input(format!(
                        "--pose {}: the file has {} poses; one is needed",
                        file.display(),
                        poses.len()
                    )));
                }
            },
        };
        Ok(Self { mesh: Arc::new(mesh), pose })
    }

    /// The bounding box of the placed mesh.
    fn bounds(&self) -> Bounds {
        let place = |corner: &_| self.pose.place(*corner);
        Bounds::enclosing(self.mesh.positions().iter().map(place))
    }
}

impl Options {
    /// The files named on the command line that are read, with those of `sources`.
    fn inputs<'a>(&'a self, sources: [&'a str; 2]) -> impl Iterator<Item = &'a Path> {
        let options = self.pose.iter().chain(&self.index).map(PathBuf::as_path);
        sources.into_iter().filter_map(source::file).chain(options)
    }

    /// Loads what a command reads, after a check of the method and that the output file is none of what is read.
    fn reading<T>(
        &self,
        write: Option<&Path>,
        sources: [&str; 2],
        load: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.methods()?;
        let outputs = Outputs::new([("--write", write)]);
        outputs.check(self.inputs(sources))?;
        outputs.reading(load)
    }

    fn methods(&self) -> Result<Vec<Method>, Failure> {
        match self.method.as_str() {
            "all" => Ok(Method::ALL.to_vec()),
            name => Ok(vec![name.parse::<Method>().map_err(Failure::input)?]),
        }
    }

    fn prepare(&self, method: Method, mesh: Arc<Mesh>) -> Result<Shape, Failure> {
        if let Some(file) = &self.index {
            let loading = || impinge_io::load_index(file, mesh);
            return Ok(progress::with_spinner(&format!("loading {}", file.display()), loading)?);
        }
        let building = || Shape::with_method(method, mesh);
        Ok(progress::with_spinner(&format!("{method}: building"), building))
    }
}

/// `--method all` leaves out methods that visit all faces if they would visit more faces than this, which takes about
/// a second.
const VISITS_LIMIT: u64 = 20_000_000;

/// Asks all questions of all methods that are wanted, reports each, and compares them.
fn run<Q: Questions>(options: &Options, subject: &Subject, questions: &Q) -> Result<(), Failure> {
    let methods = options.methods()?;
    let pool = threads::pool(options.threads)?;
    let visits = (subject.mesh.faces().len() as u64).saturating_mul(questions.len() as u64);
    let mut reference: Option<(Method, Vec<Q::Answer>)> = None;
    let mut left_out = Vec::new();
    for &method in &methods {
        let start = Instant::now();
        let shape = options.prepare(method, Arc::clone(&subject.mesh))?;
        let build = start.elapsed();
        let method = shape.method();
        if methods.len() > 1 && visits > VISITS_LIMIT && !shape.has_point_search() {
            left_out.push(method.name());
            continue;
        }
        let (answers, times) = ask(questions, &shape, &subject.pose, pool.as_ref());
        if reference.is_none() {
            questions.write(&answers)?;
        }
        let report = Report::<Q> {
            engine: "impinge",
            version: env!("CARGO_PKG_VERSION"),
            method: method.name(),
            mode: questions.mode(),
            tris: subject.mesh.faces().len(),
            build_ms: to_thousandths(build.as_secs_f64() * 1e3),
            bytes: shape.bytes(),
            times: times.summary(pool.as_ref()),
            answers: questions.summary(&answers),
        };
        match output::wants_json(options.json) {
            true => output::json(&report)?,
            false => output::text(&report.readable())?,
        }
        match &reference {
            None => reference = Some((method, answers)),
            Some((first, expected)) => compare::<Q>(*first, expected, method, &answers)?,
        }
    }
    if !left_out.is_empty() {
        output::note(&format!(
            "--method all: left out are methods that would visit {visits} faces: {}; \
             --method NAME runs one of them",
            left_out.join(", ")
        ));
    }
    Ok(())
}

/// The times of all questions.
struct Times {
    /// The minimum for each question over all rounds.
    each: Vec<Duration>,
    /// The shortest round.
    round: Duration,
}

/// Asks all questions for a few rounds.
fn ask<Q: Questions>(
    questions: &Q,
    shape: &Shape,
    pose: &Pose,
    pool: Option<&ThreadPool>,
) -> (Vec<Q::Answer>, Times) {
    /// Questions in a row on one thread, so that sharing them takes no time.
    const PART: usize = 32;
    let timed = |number: usize| {
        let start = Instant::now();
        let answer = questions.ask(shape, pose, number);
        (answer, start.elapsed())
    };
    let numbers = 0..questions.len();
    let mut times = Times { each: vec![Duration::MAX; numbers.len()], round: Duration::MAX };
    let mut answers = Vec::new();
    let begin = Instant::now();
    for round in 0..ROUNDS {
        let label = format!("{}, round {} of up to {ROUNDS}", shape.method(), round + 1);
        let start = Instant::now();
        let found: Vec<(Q::Answer, Duration)> = progress::with_spinner(&label, || match pool {
            None => numbers.clone().map(timed).collect(),
            Some(pool) => pool.install(|| {
                numbers.clone().into_par_iter().with_min_len(PART).map(timed).collect()
            }),
        });
        times.round = times.round.min(start.elapsed());
        for (least, (_, time)) in times.each.iter_mut().zip(&found) {
            *least = (*least).min(*time);
        }
        if round == 0 {
            answers = found.into_iter().map(|(answer, _)| answer).collect();
        }
        if begin.elapsed() > ROUNDS_LIMIT {
            break;
        }
    }
    (answers, times)
}

#[derive(Serialize)]
#[serde(bound = "")]
struct Report<Q: Questions> {
    engine: &'static str,
    version: &'static str,
    method: &'static str,
    mode: &'static str,
    tris: usize,
    build_ms: f64,
    bytes: usize,
    #[serde(flatten)]
    times: TimeSummary,
    #[serde(flatten)]
    answers: Q::Summary,
}

#[derive(Serialize)]
struct TimeSummary {
    mean_us: f64,
    p50_us: f64,
    p99_us: f64,
    max_us: f64,
    threads: usize,
    queries_per_s: f64,
}

impl Times {
    fn summary(&self, pool: Option<&ThreadPool>) -> TimeSummary {
        let [p50_us, p99_us, max_us] = timing::ranks_us(&self.each);
        let count = self.each.len();
        TimeSummary {
            mean_us: timing::mean_us(self.each.iter().sum(), count),
            p50_us,
            p99_us,
            max_us,
            threads: pool.map_or(1, ThreadPool::current_num_threads),
            queries_per_s: to_thousandths(count as f64 / self.round.as_secs_f64().max(1e-9)),
        }
    }
}

impl<Q: Questions> Report<Q> {
    fn readable(&self) -> String {
        let TimeSummary { mean_us, p50_us, p99_us, max_us, threads, queries_per_s } = &self.times;
        output::table(&[
            vec!["method".into(), self.method.into()],
            vec!["mesh".into(), count(self.tris, "face")],
            vec!["answer".into(), Q::readable(&self.answers)],
            vec!["index".into(), format!("{} bytes, built in {} ms", self.bytes, self.build_ms)],
            vec![
                "query".into(),
                format!(
                    "mean {mean_us} µs, median {p50_us} µs, 99 % below {p99_us} µs, longest {max_us} µs"
                ),
            ],
            vec![
                "together".into(),
                format!(
                    "{queries_per_s:.0} {}s per second on {}",
                    Q::ABOUT,
                    count(*threads, "thread")
                ),
            ],
        ])
    }
}

fn compare<Q: Questions>(
    first: Method,
    expected: &[Q::Answer],
    method: Method,
    answers: &[Q::Answer],
) -> Result<(), Failure> {
    match expected.iter().zip(answers).position(|(e, a)| e != a) {
        None => Ok(()),
        Some(number) => Err(Failure::Check(format!(
            "{method} differs from {first} at {} {number}: {} against {}; this is a bug in \
             impinge, please report it with the input",
            Q::ABOUT,
            Q::shown(&answers[number]),
            Q::shown(&expected[number])
        ))),
    }
}

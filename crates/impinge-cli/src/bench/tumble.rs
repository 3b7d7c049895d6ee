//! `impinge bench tumble`: time over distance for two equal bodies, one of which tumbles (Zachmann 2002,
//! section 5).

use super::contender::Contender;
use crate::{
    failure::Failure,
    output::{self, to_thousandths},
    outputs::Outputs,
    plot::{Lines, Scale},
    progress::{self, Progress},
    source,
};
use clap::value_parser;
use impinge::{Mesh, Pair, Pose, generate};
use serde::Serialize;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

/// Time over distance: two equal bodies, one of which tumbles.
///
/// The body is scaled to fit into a cube of side 2. A copy is placed at each distance in turn, measured
/// between the centres of the two bounding boxes. There it turns once about its z axis and once about its x
/// axis, in small steps. Each step is one query.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge bench tumble part.stl --plot tumble.svg
  impinge bench tumble gen:sphere,faces=20000 --method all --steps 500
  impinge bench tumble --method boxtree:aligned,boxtree:lookup,boxtree:full,boxtree:lite
  impinge bench tumble gen:gear --distances 1,1.5,2 --all --json")]
pub(super) struct Arguments {
    /// Body: a file, or gen:NAME
    #[arg(default_value = "gen:deformed-torus")]
    mesh: String,
    /// Methods to compare (see `impinge methods`), or `all`. boxtree:aligned, :lookup, :full and :lite select
    /// its overlap test; boxtree:paper stores one plane per node
    #[arg(
        long = "method",
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "boxtree,obb,dop18"
    )]
    methods: Vec<String>,
    /// Distances between the centres of the two boxes
    #[arg(
        long,
        value_name = "D,…",
        value_delimiter = ',',
        default_value = "0,0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2,2.2,2.4"
    )]
    distances: Vec<f64>,
    /// Steps of the turn at each distance
    #[arg(long, default_value_t = 5000, value_parser = value_parser!(u32).range(1..))]
    steps: u32,
    /// Find all pairs of faces that touch, not only whether there are any
    #[arg(long)]
    all: bool,
    /// Plot mean time over distance
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    mesh: String,
    faces: usize,
    mode: &'static str,
    steps: u32,
    methods: Vec<Summary>,
    /// One row for each distance and method.
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Summary {
    method: String,
    build_ms: f64,
    /// Index bytes of one of the two bodies.
    bytes_per_face: f64,
    /// Mean over all distances.
    mean_us: f64,
}

#[derive(Serialize)]
pub(super) struct Row {
    distance: f64,
    method: String,
    pub(super) mean_us: f64,
    max_us: f64,
    pub(super) colliding_steps: usize,
    pub(super) pairs: Option<u64>,
}

/// The time of a step varies with the load of the machine. The minimum over a few rounds varies much less.
const ROUNDS: usize = 3;
/// No further round at a distance starts after this much time.
const ROUNDS_LIMIT: Duration = Duration::from_secs(2);

/// A prepared method.
pub(super) struct Runner {
    pub(super) name: String,
    pair: Pair,
    build: Duration,
    pub(super) bytes: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let contenders = Contender::named(&arguments.methods)?;
    let outputs = Outputs::new([("--plot", arguments.plot.as_deref())]);
    outputs.check(source::file(&arguments.mesh))?;
    let mesh = outputs.reading(|| source::mesh(&arguments.mesh))?;
    let body = generate::scaled_to_cube(&mesh, 2.0);
    let body = body.map_err(|error| Failure::input(format!("{}: {error}", arguments.mesh)))?;
    let body = Arc::new(body);
    let mut runners: Vec<Runner> =
        contenders.iter().map(|it| Runner::new(it, &body)).collect::<Result<_, _>>()?;
    let rows = rows(arguments, &mut runners)?;
    let report = Report::new(arguments, body.faces().len(), &runners, rows);
    if let Some(path) = &arguments.plot {
        report.lines().draw(path)?;
    }
    if output::wants_json(arguments.json) {
        output::json(&report)?;
    } else {
        output::text(&report.readable())?;
    }
    report.check()
}

/// At each distance all methods run in turn, so that background load affects them equally.
fn rows(arguments: &Arguments, runners: &mut [Runner]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let runs = arguments.distances.len() * runners.len();
    let mut progress = Progress::new("tumbling", runs as u64 * u64::from(arguments.steps));
    for &distance in &arguments.distances {
        let poses = generate::tumble(distance, arguments.steps).map_err(Failure::input)?;
        for runner in runners.iter_mut() {
            rows.push(runner.row(distance, &poses, arguments.all, &mut progress));
        }
    }
    Ok(rows)
}

impl Runner {
    pub(super) fn new(contender: &Contender, body: &Arc<Mesh>) -> Result<Self, Failure> {
        let name = contender.name.clone();
        let start = Instant::now();
        let shape = progress::with_spinner(&format!("{name}: building"), || contender.shape(body));
        let build = start.elapsed();
        let pair = Pair::new(&shape, &shape).map_err(Failure::input)?;
        Ok(Self { name, pair, build, bytes: shape.bytes() })
    }

    /// Times each pose, and returns the row of a distance.
    pub(super) fn row(
        &mut self,
        distance: f64,
        poses: &[Pose],
        all: bool,
        progress: &mut Progress,
    ) -> Row {
        let mut times = vec![Duration::MAX; poses.len()];
        let (mut colliding_steps, mut pairs) = (0, 0);
        let begin = Instant::now();
        for round in 0..ROUNDS {
            for (pose, best) in poses.iter().zip(&mut times) {
                let start = Instant::now();
                let found = if all {
                    self.pair.contacts(&Pose::IDENTITY, pose).len()
                } else {
                    usize::from(self.pair.intersects(&Pose::IDENTITY, pose))
                };
                *best = (*best).min(start.elapsed());
                if round == 0 {
                    colliding_steps += usize::from(found > 0);
                    pairs += found as u64;
                    progress.advance();
                }
            }
            if begin.elapsed() > ROUNDS_LIMIT {
                break;
            }
        }
        let (sum, max) = (times.iter().sum::<Duration>(), times.iter().max().copied());
        Row {
            distance,
            method: self.name.clone(),
            mean_us: to_thousandths(sum.as_secs_f64() * 1e6 / poses.len() as f64),
            max_us: to_thousandths(max.unwrap_or_default().as_secs_f64() * 1e6),
            colliding_steps,
            pairs: all.then_some(pairs),
        }
    }
}

impl Report {
    fn new(arguments: &Arguments, faces: usize, runners: &[Runner], rows: Vec<Row>) -> Self {
        let contender = |runner: &Runner| {
            let of_method = rows.iter().filter(|row| row.method == runner.name);
            let sum: f64 = of_method.map(|row| row.mean_us).sum();
            Summary {
                method: runner.name.clone(),
                build_ms: to_thousandths(runner.build.as_secs_f64() * 1e3),
                bytes_per_face: to_thousandths(runner.bytes as f64 / faces as f64),
                mean_us: to_thousandths(sum / arguments.distances.len() as f64),
            }
        };
        Self {
            mesh: arguments.mesh.clone(),
            faces,
            mode: if arguments.all { "all" } else { "detect" },
            steps: arguments.steps,
            methods: runners.iter().map(contender).collect(),
            rows,
        }
    }

    fn lines(&self) -> Lines {
        let series = self.methods.iter().map(|contender| {
            let of_method = self.rows.iter().filter(|row| row.method == contender.method);
            let points = of_method.map(|row| (row.distance, row.mean_us)).collect();
            (contender.method.clone(), points)
        });
        Lines {
            title: format!("{}, {} faces, tumbling ({})", self.mesh, self.faces, self.mode),
            x: ("distance between the centres".to_owned(), Scale::Linear),
            y: ("mean time per query, µs".to_owned(), Scale::Log),
            series: series.collect(),
            marks: None,
        }
    }

    fn readable(&self) -> String {
        let number = |value: f64| format!("{value}");
        let mut head = vec!["distance".to_owned(), "touching".to_owned()];
        head.extend(self.methods.iter().flat_map(|it| [it.method.to_owned(), "max".to_owned()]));
        let mut table = vec![head];
        for rows in self.rows.chunks(self.methods.len()) {
            let touching = format!("{} of {}", rows[0].colliding_steps, self.steps);
            let mut cells = vec![number(rows[0].distance), touching];
            cells.extend(rows.iter().flat_map(|row| [number(row.mean_us), number(row.max_us)]));
            table.push(cells);
        }
        let mut summary =
            vec![["method", "build, ms", "bytes per face", "mean, µs"].map(String::from).to_vec()];
        summary.extend(self.methods.iter().map(|it| {
            vec![
                it.method.to_owned(),
                number(it.build_ms),
                number(it.bytes_per_face),
                number(it.mean_us),
            ]
        }));
        format!(
            "{}, {} faces, {}: mean and maximum time per query, µs\n{}\n{}",
            output::plain(&self.mesh),
            self.faces,
            self.mode,
            output::table(&table),
            output::table(&summary)
        )
    }

    /// Fails if the methods found different results.
    fn check(&self) -> Result<(), Failure> {
        for rows in self.rows.chunks(self.methods.len()) {
            let answer = |row: &Row| (row.colliding_steps, row.pairs);
            if let Some(other) = rows.iter().find(|row| answer(row) != answer(&rows[0])) {
                return Err(Failure::Check(format!(
                    "{} differs from {} at distance {}; this is a bug in impinge, please report \
                     it with the mesh",
                    other.method, rows[0].method, rows[0].distance
                )));
            }
        }
        Ok(())
    }
}

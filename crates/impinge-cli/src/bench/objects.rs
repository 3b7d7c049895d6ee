//! `impinge bench objects`: time over complexity for several objects, each tumbling around a copy of itself
//! (Zachmann 2002, figure 8).

use super::{contender::Contender, tumble::Runner};
use crate::{
    failure::Failure,
    output::{self, to_thousandths},
    outputs::Outputs,
    plot::{Lines, Scale},
    progress::Progress,
    source,
};
use clap::value_parser;
use impinge::generate;
use serde::Serialize;
use std::{path::PathBuf, sync::Arc};

/// Time over complexity: objects with different numbers of faces, each tumbling around a copy of itself.
///
/// The objects are a sphere, a torus, a deformed torus, a terrain and pipes, each with about the given numbers
/// of faces, and the given meshes as they are. The turn is that of `impinge bench tumble`; the time of an object
/// is the mean over all distances.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge bench objects --plot objects.svg
  impinge bench objects --sizes 1000,100000 --method boxtree,boxtree:paper,dop18 --all
  impinge bench objects lock.stl headlight.stl --json")]
pub(super) struct Arguments {
    /// Further objects: files, or gen:NAME
    meshes: Vec<String>,
    /// Methods to compare, as for `impinge bench tumble`
    #[arg(
        long = "method",
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "boxtree,dop18,obb"
    )]
    methods: Vec<String>,
    /// Numbers of faces of the generated objects, approximately
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "1000,4000,16000,64000",
        value_parser = value_parser!(u32).range(64..=10_000_000)
    )]
    sizes: Vec<u32>,
    /// Distances between the centres of the two boxes
    #[arg(long, value_name = "D,…", value_delimiter = ',', default_value = "1,1.4,1.8,2,2.2")]
    distances: Vec<f64>,
    /// Steps of the turn at each distance
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..))]
    steps: u32,
    /// Find all pairs of faces that touch, not only whether there are any
    #[arg(long)]
    all: bool,
    /// Plot mean time over the number of faces
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    mode: &'static str,
    steps: u32,
    distances: Vec<f64>,
    /// One row for each object, number of faces and method.
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    object: String,
    faces: usize,
    method: String,
    /// Mean over all distances and steps.
    mean_us: f64,
    bytes_per_face: f64,
    colliding_steps: usize,
    pairs: Option<u64>,
}

/// Returns the generated objects with about this number of faces: name and source.
fn generated(faces: u32) -> [(&'static str, String); 5] {
    let root = |cells: f64| (f64::from(faces) / cells).sqrt().round().max(3.0) as u32;
    let even = faces.next_multiple_of(2);
    [
        ("sphere", format!("gen:sphere,faces={even}")),
        ("torus", format!("gen:torus,faces={faces}")),
        (
            "deformed torus",
            format!("gen:deformed-torus,around={},tube={}", 4 * root(8.0), root(8.0)),
        ),
        ("terrain", format!("gen:terrain,columns={0},rows={0}", root(2.0))),
        // 40 pipes, with more sides for more faces.
        ("pipes", format!("gen:pipes,count=40,cells=4,sides={}", (faces / 80).max(3))),
    ]
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let contenders = Contender::named(&arguments.methods)?;
    let outputs = Outputs::new([("--plot", arguments.plot.as_deref())]);
    outputs.check(arguments.meshes.iter().filter_map(|mesh| source::file(mesh)))?;
    let mut objects: Vec<(String, String)> = Vec::new();
    for object in 0..generated(arguments.sizes.first().copied().unwrap_or(1000)).len() {
        objects.extend(arguments.sizes.iter().map(|&faces| {
            let (name, source) = generated(faces)[object].clone();
            (name.to_owned(), source)
        }));
    }
    objects.extend(arguments.meshes.iter().map(|mesh| (mesh.clone(), mesh.clone())));
    let runs = objects.len() * contenders.len() * arguments.distances.len();
    let mut progress = Progress::new("tumbling", runs as u64 * u64::from(arguments.steps));
    let mut rows = Vec::new();
    for (object, mesh) in &objects {
        let mesh = outputs.reading(|| source::mesh(mesh))?;
        let body = generate::scaled_to_cube(&mesh, 2.0);
        let body = Arc::new(body.map_err(|error| Failure::input(format!("{object}: {error}")))?);
        rows.extend(rows_of(object, &body, &contenders, arguments, &mut progress)?);
    }
    drop(progress);
    let mode = if arguments.all { "all" } else { "detect" };
    let (steps, distances) = (arguments.steps, arguments.distances.clone());
    let report = Report { mode, steps, distances, rows };
    if let Some(path) = &arguments.plot {
        report.lines().draw(path)?;
    }
    if output::wants_json(arguments.json) {
        output::json(&report)?;
    } else {
        output::text(&report.readable(&contenders))?;
    }
    report.check(contenders.len())
}

/// At each distance all methods run in turn, so that background load affects them equally.
fn rows_of(
    object: &str,
    body: &Arc<impinge::Mesh>,
    contenders: &[Contender],
    arguments: &Arguments,
    progress: &mut Progress,
) -> Result<Vec<Row>, Failure> {
    let mut runners: Vec<Runner> =
        contenders.iter().map(|it| Runner::new(it, body)).collect::<Result<_, _>>()?;
    let faces = body.faces().len();
    let mut rows: Vec<Row> = runners
        .iter()
        .map(|runner| Row {
            object: object.to_owned(),
            faces,
            method: runner.name.clone(),
            mean_us: 0.0,
            bytes_per_face: to_thousandths(runner.bytes as f64 / faces.max(1) as f64),
            colliding_steps: 0,
            pairs: arguments.all.then_some(0),
        })
        .collect();
    for &distance in &arguments.distances {
        let poses = generate::tumble(distance, arguments.steps).map_err(Failure::input)?;
        for (runner, row) in runners.iter_mut().zip(&mut rows) {
            let measured = runner.row(distance, &poses, arguments.all, progress);
            row.mean_us += measured.mean_us;
            row.colliding_steps += measured.colliding_steps;
            row.pairs = row.pairs.zip(measured.pairs).map(|(sum, pairs)| sum + pairs);
        }
    }
    for row in &mut rows {
        row.mean_us = to_thousandths(row.mean_us / arguments.distances.len() as f64);
    }
    Ok(rows)
}

impl Report {
    fn lines(&self) -> Lines {
        let mut series: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for row in &self.rows {
            let name = format!("{}, {}", row.object, row.method);
            let point = (row.faces as f64, row.mean_us);
            match series.iter_mut().find(|(other, _)| *other == name) {
                Some((_, points)) => points.push(point),
                None => series.push((name, vec![point])),
            }
        }
        for (_, points) in &mut series {
            points.sort_by(|p, q| p.0.total_cmp(&q.0));
        }
        Lines {
            title: format!("Objects of different complexity, tumbling ({})", self.mode),
            x: ("faces".to_owned(), Scale::Log),
            y: ("mean time per query, µs".to_owned(), Scale::Log),
            series,
            marks: None,
        }
    }

    fn readable(&self, contenders: &[Contender]) -> String {
        let mut head = vec!["object".to_owned(), "faces".to_owned(), "touching".to_owned()];
        head.extend(contenders.iter().map(|it| it.name.clone()));
        let mut table = vec![head];
        let steps = self.distances.len() * self.steps as usize;
        for rows in self.rows.chunks(contenders.len()) {
            let touching = format!("{} of {steps}", rows[0].colliding_steps);
            let mut cells =
                vec![output::plain(&rows[0].object), rows[0].faces.to_string(), touching];
            cells.extend(rows.iter().map(|row| row.mean_us.to_string()));
            table.push(cells);
        }
        format!("Mean time per query, µs ({})\n{}", self.mode, output::table(&table))
    }

    /// Fails if the methods found different results.
    fn check(&self, contenders: usize) -> Result<(), Failure> {
        for rows in self.rows.chunks(contenders) {
            let answer = |row: &Row| (row.colliding_steps, row.pairs);
            if let Some(other) = rows.iter().find(|row| answer(row) != answer(&rows[0])) {
                return Err(Failure::Check(format!(
                    "{} differs from {} on {} of {} faces; this is a bug in impinge, please report it",
                    other.method, rows[0].method, other.object, other.faces
                )));
            }
        }
        Ok(())
    }
}

//! `impinge bench build`: build time over mesh size (Zachmann 2002, figure 5).

use super::contender::Contender;
use crate::{
    failure::Failure,
    output::{self, to_thousandths},
    outputs::Outputs,
    plot::{Lines, Scale},
    progress::Progress,
    source,
};
use impinge::{Mesh, generate};
use serde::Serialize;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

/// Build time over mesh size: how long each method takes to prepare a mesh, and how many bytes the index has.
///
/// Runs on spheres of the given sizes, or on given meshes.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge bench build --plot build.svg
  impinge bench build --sizes 1000,10000,100000,1000000 --method all
  impinge bench build part.stl housing.glb --json")]
pub(super) struct Arguments {
    /// Meshes to use instead of spheres: files, or gen:NAME
    meshes: Vec<String>,
    /// Methods to compare (see `impinge methods`), or `all`
    #[arg(
        long = "method",
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "boxtree,obb,dop18"
    )]
    methods: Vec<String>,
    /// Numbers of faces of the spheres
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "1000,3000,10000,30000,100000,300000"
    )]
    sizes: Vec<u32>,
    /// Plot build time per face over mesh size
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    mesh: String,
    faces: usize,
    method: String,
    build_ms: f64,
    ns_per_face: f64,
    bytes_per_face: f64,
}

/// The best of a few rounds counts; no further round starts after [`ROUNDS_LIMIT`].
const ROUNDS: usize = 3;
const ROUNDS_LIMIT: Duration = Duration::from_secs(5);

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let contenders = Contender::named(&arguments.methods)?;
    let outputs = Outputs::new([("--plot", arguments.plot.as_deref())]);
    outputs.check(arguments.meshes.iter().filter_map(|mesh| source::file(mesh)))?;
    let count = match arguments.meshes.len() {
        0 => arguments.sizes.len(),
        meshes => meshes,
    };
    let mut progress = Progress::new("building", (count * contenders.len()) as u64);
    let mut rows = Vec::new();
    for i in 0..count {
        let (name, mesh) = match arguments.meshes.get(i) {
            Some(name) => (name.clone(), Arc::new(outputs.reading(|| source::mesh(name))?)),
            None => sphere(arguments.sizes[i])?,
        };
        for contender in &contenders {
            rows.push(row(&name, &mesh, contender));
            progress.advance();
        }
    }
    drop(progress);
    if let Some(path) = &arguments.plot {
        lines(&rows, &contenders).draw(path)?;
    }
    if output::wants_json(arguments.json) {
        #[derive(Serialize)]
        struct Report<'r> {
            rows: &'r [Row],
        }
        return output::json(&Report { rows: &rows });
    }
    let mut table = vec![
        ["mesh", "faces", "method", "build, ms", "ns per face", "bytes per face"]
            .map(String::from)
            .to_vec(),
    ];
    table.extend(rows.iter().map(|row| {
        let numbers = [row.build_ms, row.ns_per_face, row.bytes_per_face].map(|n| n.to_string());
        let [build, each, bytes] = numbers;
        let (mesh, faces) = (output::plain(&row.mesh), row.faces.to_string());
        vec![mesh, faces, row.method.clone(), build, each, bytes]
    }));
    output::text(&output::table(&table))
}

fn sphere(faces: u32) -> Result<(String, Arc<Mesh>), Failure> {
    // Spheres have an even number of faces.
    let mesh = generate::sphere(faces.next_multiple_of(2)).map_err(Failure::input)?;
    Ok((format!("sphere of {}", mesh.faces().len()), Arc::new(mesh)))
}

fn row(name: &str, mesh: &Arc<Mesh>, contender: &Contender) -> Row {
    let begin = Instant::now();
    let (mut best, mut bytes) = (Duration::MAX, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        bytes = contender.shape(mesh).bytes();
        best = best.min(start.elapsed());
        if begin.elapsed() > ROUNDS_LIMIT {
            break;
        }
    }
    let faces = mesh.faces().len();
    let each = |value: f64| to_thousandths(value / faces.max(1) as f64);
    Row {
        mesh: name.to_owned(),
        faces,
        method: contender.name.clone(),
        build_ms: to_thousandths(best.as_secs_f64() * 1e3),
        ns_per_face: each(best.as_secs_f64() * 1e9),
        bytes_per_face: each(bytes as f64),
    }
}

fn lines(rows: &[Row], contenders: &[Contender]) -> Lines {
    let series = contenders.iter().map(|contender| {
        let of_method = rows.iter().filter(|row| row.method == contender.name);
        let mut points: Vec<(f64, f64)> =
            of_method.map(|row| (row.faces as f64, row.ns_per_face)).collect();
        points.sort_by(|p, q| p.0.total_cmp(&q.0));
        (contender.name.clone(), points)
    });
    Lines {
        title: "Time to prepare a mesh".to_owned(),
        x: ("faces".to_owned(), Scale::Log),
        y: ("ns per face".to_owned(), Scale::Log),
        series: series.collect(),
        marks: None,
    }
}

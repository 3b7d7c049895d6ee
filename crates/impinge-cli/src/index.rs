//! `impinge index`: prepares a mesh once, for many runs of `impinge query`.

use crate::{
    failure::Failure,
    grids::Grids,
    output,
    outputs::Outputs,
    progress, source,
    threads::{self, MAX_THREADS},
    trees::{Names, TreeArguments, one_of},
};
use clap::value_parser;
use impinge::{Method, Shape, Threads, WideOptions, WideQuality, method::TreeReport};
use serde::Serialize;
use std::{path::PathBuf, time::Instant};

/// Build the index of a mesh for a method, and write it to a file.
///
/// `impinge query --index-a FILE --index-b FILE` loads index files instead of building the indices again. An
/// index belongs to one mesh: `query` rejects it for any other mesh.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge index housing.stl -o housing.index
  impinge index housing.stl --method wide --quality fast -o housing.index
  impinge index housing.stl --method dop18 --rule surface-area -o housing.index
  impinge query housing.stl shaft.stl --index-a housing.index --index-b shaft.index")]
pub(crate) struct Arguments {
    /// Mesh: a file, or gen:NAME
    mesh: String,
    /// Method: wide or one of the binary trees (aabb, sphere, obb, dop6 … dop26)
    #[arg(long, value_name = "NAME", default_value_t = Method::default().to_string())]
    method: String,
    /// Build quality of a wide tree
    #[arg(long, value_parser = one_of(QUALITIES), default_value = "quality")]
    quality: WideQuality,
    #[command(flatten)]
    tree: TreeArguments,
    /// Threads to use; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: u16,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    grids: Grids,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

const QUALITIES: Names<WideQuality> =
    &[("fast", WideQuality::Fast), ("quality", WideQuality::Quality)];

impl Arguments {
    fn threads(&self) -> Threads {
        if self.threads == 1 { Threads::One } else { Threads::Pool }
    }
}

#[derive(Serialize)]
struct Report {
    method: &'static str,
    faces: usize,
    build_ms: f64,
    /// Size of the index in memory.
    bytes: usize,
    /// Measures of a binary tree.
    #[serde(flatten)]
    tree: Option<Tree>,
}

/// Fields for binary trees.
#[derive(Serialize)]
struct Tree {
    nodes: usize,
    height: u32,
    total_volume: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let method: Method = arguments.method.parse().map_err(Failure::input)?;
    let options = arguments.tree.options(&[method])?;
    if method != Method::WIDE && arguments.quality != WideQuality::default() {
        return Err(Failure::input(format!("--quality works with `wide`, not with `{method}`")));
    }
    let outputs = Outputs::new([("--output", Some(arguments.output.as_path()))]);
    outputs.check(source::file(&arguments.mesh))?;
    let mesh =
        outputs.reading(|| source::mesh_with(&arguments.mesh, &arguments.grids.options()))?;
    let pool = threads::pool(arguments.threads)?;
    let start = Instant::now();
    let faces = mesh.faces().len();
    let building = || {
        if method == Method::WIDE {
            let options = WideOptions::default().quality(arguments.quality);
            Shape::build(options.threads(arguments.threads()), mesh)
        } else {
            options.build(method, mesh, arguments.threads())
        }
    };
    let shape = progress::with_spinner(&format!("{method}: building"), || match &pool {
        None => building(),
        Some(pool) => pool.install(building),
    });
    let build_ms = output::to_thousandths(start.elapsed().as_secs_f64() * 1e3);
    let saving = || impinge_io::save_index(&arguments.output, &shape);
    progress::with_spinner("saving", saving)?;
    let tree = shape.tree_report().map(|TreeReport { nodes, height, total_volume, .. }| Tree {
        nodes,
        height,
        total_volume,
    });
    let report = Report { method: method.name(), faces, build_ms, bytes: shape.bytes(), tree };
    if arguments.json {
        return output::json(&report);
    }
    let (faces, bytes) = (output::count(faces, "face"), report.bytes);
    let tree = report.tree.map_or(String::new(), |Tree { nodes, height, total_volume }| {
        format!(", {nodes} nodes, height {height}, total volume {total_volume}")
    });
    output::text(&format!("{method}: {faces}, {bytes} bytes, built in {build_ms} ms{tree}\n"))
}

//! `impinge index`: prepares a mesh once, for many runs of `impinge query`.

use crate::{failure::Failure, output, progress, source};
use impinge::{Index, Method};
use serde::Serialize;
use std::{path::PathBuf, time::Instant};

/// Prepares a mesh by a method and saves what was prepared.
///
/// `impinge query --index-a FILE --index-b FILE` takes it instead of preparing the meshes anew. The
/// file belongs to this very mesh, and is checked when it is read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  impinge index housing.stl -o housing.index
  impinge index housing.stl --method dop18 -o housing.index
  impinge query housing.stl shaft.stl --index-a housing.index --index-b shaft.index")]
pub(crate) struct Arguments {
    /// The mesh: a file, or gen:NAME
    mesh: String,
    /// The method to prepare it by (see `impinge methods`)
    #[arg(long, value_name = "NAME", default_value_t = Method::default().to_string())]
    method: String,
    /// Where to write the index
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    method: &'static str,
    faces: usize,
    build_ms: f64,
    /// What the index holds in memory.
    bytes: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let method: Method = arguments.method.parse().map_err(Failure::input)?;
    let mesh = source::mesh(&arguments.mesh)?;
    let start = Instant::now();
    let index = progress::waiting(&format!("{method}: building"), || Index::build(method, &mesh));
    let build_ms = output::to_thousandths(start.elapsed().as_secs_f64() * 1e3);
    let saving = || impinge_io::save_index(&arguments.output, &index);
    progress::waiting("saving", saving)?;
    let faces = mesh.faces().len();
    let report = Report { method: method.name(), faces, build_ms, bytes: index.bytes() };
    if arguments.json {
        return output::json(&report);
    }
    let Report { bytes, .. } = report;
    output::text(&format!("{method}: {faces} faces, {bytes} bytes, built in {build_ms} ms\n"))
}

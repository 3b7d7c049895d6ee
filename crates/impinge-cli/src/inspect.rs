//! `impinge inspect`: what is in a mesh file.

use crate::{failure::Failure, output, progress, source};
use impinge::{Bounds, Method, glam::DAffine3, mesh::MeshReport};
use impinge_io::{Model, Part};
use serde::Serialize;
use std::collections::BTreeMap;

/// What is in a mesh file: counts, bounds, closed or not, faults, bytes per method.
///
/// Nothing is repaired. Vertices count as the same where their positions are equal.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge inspect housing.glb shaft.stl
  impinge inspect gen:gearbox --parts
  impinge inspect part.obj --json")]
pub(crate) struct Arguments {
    /// Mesh files, or gen:NAME
    #[arg(required = true, value_name = "MESH")]
    meshes: Vec<String>,
    /// List the parts of each file too
    #[arg(long)]
    parts: bool,
    /// Print a JSON line for each file
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    file: String,
    /// Faces as placed: a mesh that three parts show counts three times.
    faces: u64,
    /// Distinct meshes in the file; what follows is added up over them.
    meshes: usize,
    vertices: usize,
    distinct_positions: usize,
    unused_vertices: usize,
    degenerate_faces: usize,
    duplicate_faces: usize,
    open_edges: usize,
    non_manifold_edges: usize,
    misoriented_edges: usize,
    /// Whether every mesh is closed.
    closed: bool,
    /// The enclosed volume, if closed, of everything as placed.
    volume: Option<f64>,
    /// The least and the greatest coordinates of everything as placed; null if that is too much.
    min: Option<[f64; 3]>,
    max: Option<[f64; 3]>,
    /// What each method's index would hold, by method.
    index_bytes: BTreeMap<&'static str, usize>,
    parts: Vec<PartReport>,
}

#[derive(Serialize)]
struct PartReport {
    name: String,
    mesh: usize,
    faces: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    for file in &arguments.meshes {
        let model = source::model(file)?;
        let report = progress::waiting(&format!("examining {file}"), || Report::new(file, &model));
        if arguments.json {
            output::json(&report)?;
        } else {
            output::text(&report.readable(arguments.parts))?;
        }
    }
    Ok(())
}

impl Report {
    fn new(file: &str, model: &Model) -> Self {
        let reports: Vec<MeshReport> = model.meshes.iter().map(|mesh| mesh.report()).collect();
        let sum = |count: fn(&MeshReport) -> usize| reports.iter().map(count).sum();
        let closed = reports.iter().all(|report| report.is_closed);
        let bounds = placed_bounds(model);
        Self {
            file: file.to_owned(),
            faces: model.face_count(),
            meshes: reports.len(),
            vertices: sum(|report| report.vertices),
            distinct_positions: sum(|report| report.distinct_positions),
            unused_vertices: sum(|report| report.unused_vertices),
            degenerate_faces: sum(|report| report.degenerate_faces.len()),
            duplicate_faces: sum(|report| report.duplicate_faces.len()),
            open_edges: sum(|report| report.open_edges.len()),
            non_manifold_edges: sum(|report| report.non_manifold_edges.len()),
            misoriented_edges: sum(|report| report.misoriented_edges.len()),
            closed,
            volume: closed.then(|| placed_volume(model, &reports)).flatten(),
            min: bounds.map(|bounds| bounds.min.to_array()),
            max: bounds.map(|bounds| bounds.max.to_array()),
            index_bytes: index_bytes(model),
            parts: model
                .parts
                .iter()
                .map(|part| PartReport {
                    name: part.name.clone(),
                    mesh: part.mesh,
                    faces: part.face_count(),
                })
                .collect(),
        }
    }

    fn readable(&self, with_parts: bool) -> String {
        let point = |p: [f64; 3]| format!("({}, {}, {})", p[0], p[1], p[2]);
        let (bounds, size) = match (self.min, self.max) {
            (Some(min), Some(max)) => {
                let size = Bounds { min: min.into(), max: max.into() }.size();
                (format!("{} to {}", point(min), point(max)), point(size.to_array()))
            }
            _ => (format!("not computed beyond {MOST_PLACED} faces"), "not computed".to_owned()),
        };
        let closed = match (self.closed, self.volume) {
            (true, Some(volume)) => format!("yes, volume {volume}"),
            (true, None) => "yes".to_owned(),
            (false, _) => format!(
                "no: {} open, {} non-manifold, {} misoriented edges",
                self.open_edges, self.non_manifold_edges, self.misoriented_edges
            ),
        };
        let bytes: Vec<String> =
            self.index_bytes.iter().map(|(method, bytes)| format!("{method} {bytes}")).collect();
        let mut rows = vec![
            vec![
                "faces".into(),
                format!("{} in {} parts, {} meshes", self.faces, self.parts.len(), self.meshes),
            ],
            vec![
                "vertices".into(),
                format!(
                    "{}, {} distinct positions in use, {} unused",
                    self.vertices, self.distinct_positions, self.unused_vertices
                ),
            ],
            vec!["bounds".into(), bounds],
            vec!["size".into(), size],
            vec!["closed".into(), closed],
            vec!["degenerate".into(), format!("{} faces", self.degenerate_faces)],
            vec!["duplicate".into(), format!("{} faces", self.duplicate_faces)],
            vec!["index bytes".into(), bytes.join(", ")],
        ];
        if with_parts {
            for part in &self.parts {
                rows.push(vec![
                    "part".into(),
                    format!(
                        "{}: {} faces, mesh {}",
                        output::plain(&part.name),
                        part.faces,
                        part.mesh
                    ),
                ]);
            }
        }
        format!("{}\n{}", output::plain(&self.file), output::table(&rows))
    }
}

/// Bounds of more placed faces than this are not worked out: a small file may place a mesh a
/// million times.
const MOST_PLACED: u64 = 1 << 25;

/// The bounds of all parts where they stand, unless instances make that too much work.
fn placed_bounds(model: &Model) -> Option<Bounds> {
    if model.face_count() > MOST_PLACED {
        return None;
    }
    let mut bounds = Bounds::EMPTY;
    for part in &model.parts {
        let mesh = &model.meshes[part.mesh];
        let faces = part.faces.iter().cloned().flatten();
        let corners = faces.flat_map(|face| mesh.triangle(face));
        bounds.merge(&Bounds::enclosing(corners.map(|p| part.transform.transform_point3(p))));
    }
    Some(bounds)
}

/// The volume of all closed meshes where they stand; parts that mirror are turned outside again.
fn placed_volume(model: &Model, reports: &[MeshReport]) -> Option<f64> {
    // Parts that only name the faces of one mesh: then it is the mesh that is closed, not they.
    let is_placed = |part: &Part| part.transform != DAffine3::IDENTITY;
    if let ([mesh], [report]) = (&model.meshes[..], reports)
        && model.face_count() == mesh.faces().len() as u64
        && !model.parts.iter().any(is_placed)
    {
        return report.volume;
    }
    let scale = |part: &Part| part.transform.matrix3.determinant().abs();
    model.parts.iter().map(|part| Some(reports[part.mesh].volume? * scale(part))).sum()
}

/// What each method's index holds for all the meshes of a file.
fn index_bytes(model: &Model) -> BTreeMap<&'static str, usize> {
    let mut sums = BTreeMap::new();
    for (method, bytes) in model.meshes.iter().flat_map(|mesh| Method::index_bytes(mesh)) {
        *sums.entry(method.name()).or_default() += bytes;
    }
    sums
}

//! `impinge inspect`: reports what a mesh file contains.
//!
//! Counts of a file are about its meshes as stored. Its parts are those that `impinge clash` checks, read by
//! the same loader.

mod gaps;

use crate::{
    failure::Failure,
    input,
    output::{self, note},
    progress,
    reading::Reading,
    source,
};
use impinge::{
    Bounds, Mesh, Method, Pose,
    glam::DAffine3,
    mesh::{Edge, MeshReport},
};
use impinge_io::{
    Format, Model, ModelPart,
    assembly::{self, Assembly, LoadOptions, Skipped, Unit},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Report what a file contains: counts, bounds, closed or not, mesh faults, index size for each method.
///
/// Nothing is repaired. Vertices with equal positions count as one.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge inspect housing.glb shaft.stl
  impinge inspect gen:gearbox --parts
  impinge inspect robot.urdf --joint elbow=90deg --parts
  impinge inspect part.obj --json",
    after_help = "\
A folder or a robot (URDF) is read as one assembly, in the same way as by `impinge clash`.
docs/output.md describes the JSON fields."
)]
pub(crate) struct Arguments {
    /// Files and folders: .glb, .gltf, .obj, .stl, .ply, .off, .3mf, .step, .ifc, .urdf, .asc, .dem,
    /// .dt0 … .dt2; or gen:NAME
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// List the parts of each file: faces, bounds, closed or not, widest gap
    #[arg(long)]
    parts: bool,
    /// Print one JSON line for each file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct Report {
    file: String,
    /// The unit of coordinates, if it is known.
    units: Option<&'static str>,
    /// Faces as placed: a mesh used by three parts counts three times.
    faces: u64,
    /// Distinct meshes in the file; the counts below are sums over them.
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
    /// The enclosed volume of all parts as placed, if all meshes are closed.
    volume: Option<f64>,
    /// The minimum and maximum coordinates of all parts as placed; null if computing them takes too long.
    min: Option<[f64; 3]>,
    max: Option<[f64; 3]>,
    /// Size of the index of each method, by method name.
    index_bytes: BTreeMap<&'static str, usize>,
    parts: Vec<PartReport>,
    skipped: Vec<SkippedItem>,
}

/// A part as `impinge clash` sees it.
#[derive(Serialize)]
struct PartReport {
    name: String,
    /// The name, preceded by the names of the sub-assemblies.
    path: String,
    mesh: usize,
    faces: u64,
    /// Bounds as placed; null if computing them takes too long.
    min: Option<[f64; 3]>,
    max: Option<[f64; 3]>,
    /// Whether the part encloses a solid: each edge has equally many faces on either side.
    closed: bool,
    open_edges: usize,
    /// The widest gap between open edges that nearly match; see [`gaps::widest`].
    gap: Option<f64>,
}

/// A part or file that was skipped.
#[derive(Serialize)]
struct SkippedItem {
    name: String,
    error: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = arguments.reading.options()?;
    input::check_joints(&options, &arguments.files)?;
    // Each file is read on its own. Only robots have joints.
    let mut without_joints = options.clone();
    without_joints.joints.clear();
    for file in &arguments.files {
        let options = if input::is_robot(file) { &options } else { &without_joints };
        let contents = Contents::load(file, options)?;
        for Skipped { name, error, .. } in &contents.assembly.skipped {
            note(&format!("skipped: {name}: {error}"));
        }
        let report =
            progress::with_spinner(&format!("examining {file}"), || Report::new(&contents));
        if arguments.json {
            output::json(&report)?;
        } else {
            output::text(&report.readable(arguments.parts))?;
        }
    }
    Ok(())
}

/// The contents of a file, as a model and as an assembly.
struct Contents<'f> {
    file: &'f str,
    /// The meshes as stored.
    model: Model,
    /// The factor that converts coordinates of the model to the requested units.
    factor: f64,
    /// The parts, in the requested units.
    assembly: Assembly,
}

impl<'f> Contents<'f> {
    fn load(file: &'f str, options: &LoadOptions) -> Result<Self, Failure> {
        let Some(path) = source::file(file) else {
            let model = source::model(file, &options.grids)?;
            let (assembly, factor) = input::to_assembly(file, model.clone(), options)?;
            return Ok(Self { file, model, factor, assembly });
        };
        let model = match Format::of_path(path).filter(|_| !path.is_dir()) {
            None => None,
            Some(format) => match source::model(file, &options.grids) {
                Ok(model) => Some((model, options.conversion(options.unit_of(format)).0)),
                // The assembly loader skips broken parts.
                Err(_) if options.keep_going => None,
                Err(failure) => return Err(failure),
            },
        };
        let reading = || assembly::load([path], options);
        let assembly = progress::with_spinner(&format!("reading {file}"), reading)?;
        let (model, factor) = model.unwrap_or_else(|| (as_model(&assembly), 1.0));
        Ok(Self { file, model, factor, assembly })
    }
}

/// Returns the parts of an assembly as a model.
fn as_model(assembly: &Assembly) -> Model {
    let all_faces = |mesh: usize| 0..assembly.meshes[mesh].faces().len() as u32;
    let part = |part: &assembly::AssemblyPart| ModelPart {
        name: part.name.clone(),
        mesh: part.mesh,
        faces: Vec::from([all_faces(part.mesh)]),
        transform: DAffine3 {
            matrix3: part.placement.rotation(),
            translation: part.placement.translation(),
        },
    };
    Model { meshes: assembly.meshes.clone(), parts: assembly.parts.iter().map(part).collect() }
}

impl Report {
    fn new(contents: &Contents<'_>) -> Self {
        let Contents { file, model, factor, assembly } = contents;
        let reports: Vec<MeshReport> = model.meshes.iter().map(|mesh| mesh.report()).collect();
        let sum = |count: fn(&MeshReport) -> usize| reports.iter().map(count).sum();
        let closed = reports.iter().all(|report| report.is_closed);
        let bounds = placed_bounds(model);
        let volume = closed.then(|| placed_volume(model, &reports)).flatten();
        Self {
            file: (*file).to_owned(),
            units: assembly.units.map(Unit::symbol),
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
            volume: volume.map(|volume| volume * factor.powi(3)),
            min: bounds.map(|bounds| (bounds.min * *factor).to_array()),
            max: bounds.map(|bounds| (bounds.max * *factor).to_array()),
            index_bytes: index_bytes(model),
            parts: part_reports(assembly),
            skipped: assembly
                .skipped
                .iter()
                .map(|it| SkippedItem { name: it.name.clone(), error: it.error.to_string() })
                .collect(),
        }
    }

    fn readable(&self, with_parts: bool) -> String {
        let point = |p: [f64; 3]| format!("({}, {}, {})", p[0], p[1], p[2]);
        let units = self.units.map(|units| format!(" {units}")).unwrap_or_default();
        let (bounds, size) = match (self.min, self.max) {
            (Some(min), Some(max)) => {
                let size = Bounds { min: min.into(), max: max.into() }.size();
                let size = format!("{}{units}", point(size.to_array()));
                (format!("{} to {}{units}", point(min), point(max)), size)
            }
            _ => (format!("not computed beyond {MAX_PLACED} faces"), "not computed".to_owned()),
        };
        let closed = match (self.closed, self.volume) {
            (true, Some(volume)) => {
                let cubic = self.units.map(|units| format!(" {units}³")).unwrap_or_default();
                format!("yes, volume {volume}{cubic}")
            }
            (true, None) => "yes".to_owned(),
            (false, _) => format!(
                "no: {} open, {} non-manifold, {} misoriented edges",
                self.open_edges, self.non_manifold_edges, self.misoriented_edges
            ),
        };
        let bytes: Vec<String> =
            self.index_bytes.iter().map(|(method, bytes)| format!("{method} {bytes}")).collect();
        let open = self.parts.iter().filter(|part| !part.closed).count();
        let parts = match open {
            0 => format!("{}, all closed", self.parts.len()),
            _ => format!("{}, of which {open} open", self.parts.len()),
        };
        let rows = [
            ("faces", format!("{} in {} meshes", self.faces, self.meshes)),
            ("parts", parts),
            (
                "vertices",
                format!(
                    "{}, {} distinct positions in use, {} unused",
                    self.vertices, self.distinct_positions, self.unused_vertices
                ),
            ),
            ("bounds", bounds),
            ("size", size),
            ("closed", closed),
            ("degenerate", output::count(self.degenerate_faces, "face")),
            ("duplicate", output::count(self.duplicate_faces, "face")),
            ("index bytes", bytes.join(", ")),
        ];
        let rows = rows.map(|(name, value)| vec![name.to_owned(), value]);
        let mut text = format!("{}\n{}", output::plain(&self.file), output::table(&rows));
        if with_parts {
            text.push('\n');
            text.push_str(&self.part_table());
        }
        text
    }

    fn part_table(&self) -> String {
        let header = ["part", "faces", "closed", "open edges", "widest gap", "from", "to"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        let point = |point: Option<[f64; 3]>| match point {
            Some(point) => {
                let [x, y, z] = point.map(|coordinate| output::short(coordinate, 6));
                format!("({x}, {y}, {z})")
            }
            None => "-".to_owned(),
        };
        for part in &self.parts {
            rows.push(vec![
                output::plain(&part.path),
                part.faces.to_string(),
                if part.closed { "yes" } else { "no" }.to_owned(),
                part.open_edges.to_string(),
                part.gap.map_or_else(|| "-".to_owned(), |gap| output::short(gap, 4)),
                point(part.min),
                point(part.max),
            ]);
        }
        output::table(&rows)
    }
}

/// Reports on the parts of an assembly; each mesh is examined once.
fn part_reports(assembly: &Assembly) -> Vec<PartReport> {
    struct OfMesh {
        is_closed: bool,
        open_edges: usize,
        gap: Option<f64>,
    }
    let meshes: Vec<OfMesh> = assembly
        .meshes
        .iter()
        .map(|mesh| {
            let report = mesh.report();
            OfMesh {
                is_closed: encloses_solid(&report),
                open_edges: report.open_edges.len(),
                gap: gaps::widest(mesh, &report.open_edges),
            }
        })
        .collect();
    let is_placed = assembly.face_count() <= MAX_PLACED;
    assembly
        .parts
        .iter()
        .enumerate()
        .map(|(number, part)| {
            let mesh = &assembly.meshes[part.mesh];
            let OfMesh { is_closed, open_edges, gap } = meshes[part.mesh];
            let bounds = is_placed.then(|| bounds_at(mesh, &part.placement));
            PartReport {
                name: part.name.clone(),
                path: assembly.full_name(number),
                mesh: part.mesh,
                faces: mesh.faces().len() as u64,
                min: bounds.map(|bounds| bounds.min.to_array()),
                max: bounds.map(|bounds| bounds.max.to_array()),
                closed: is_closed,
                open_edges,
                gap,
            }
        })
        .collect()
}

/// Returns whether a part is closed by the definition of `impinge clash`: each edge has equally many faces on
/// either side.
fn encloses_solid(report: &MeshReport) -> bool {
    let is_even = |edge: &Edge| edge.forward == edge.backward;
    let many = &report.non_manifold_edges;
    let has_no_border = report.open_edges.is_empty() && report.misoriented_edges.is_empty();
    report.is_closed || (has_no_border && !many.is_empty() && many.iter().all(is_even))
}

fn bounds_at(mesh: &Mesh, pose: &Pose) -> Bounds {
    Bounds::enclosing(mesh.triangles().flatten().map(|corner| pose.place(corner)))
}

/// Bounds of more placed faces than this are not computed: a small file may place one mesh a million times.
const MAX_PLACED: u64 = 1 << 25;

/// Returns the bounds of all parts as placed, or `None` if there are more than [`MAX_PLACED`] faces.
fn placed_bounds(model: &Model) -> Option<Bounds> {
    if model.face_count() > MAX_PLACED {
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

/// Returns the volume of all closed meshes as placed; mirrored parts count as positive.
fn placed_volume(model: &Model, reports: &[MeshReport]) -> Option<f64> {
    // Parts that only name the faces of one mesh: then it is the mesh that is closed, not they.
    let is_placed = |part: &ModelPart| part.transform != DAffine3::IDENTITY;
    if let ([mesh], [report]) = (&model.meshes[..], reports)
        && model.face_count() == mesh.faces().len() as u64
        && !model.parts.iter().any(is_placed)
    {
        return report.volume;
    }
    let scale = |part: &ModelPart| part.transform.matrix3.determinant().abs();
    model.parts.iter().map(|part| Some(reports[part.mesh].volume? * scale(part))).sum()
}

/// Returns the total index size of all meshes of a file, for each method.
fn index_bytes(model: &Model) -> BTreeMap<&'static str, usize> {
    let mut sums = BTreeMap::new();
    for (method, bytes) in model.meshes.iter().flat_map(|mesh| Method::index_bytes(mesh)) {
        *sums.entry(method.name()).or_default() += bytes;
    }
    sums
}

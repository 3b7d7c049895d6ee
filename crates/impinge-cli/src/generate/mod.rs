//! `impinge generate`: writes the generated meshes, paths, points, rays and scenarios to files.

mod scenario;
mod swept;

use crate::{
    failure::Failure,
    generators::{Path, Points, Rays, Shape},
    grids::Grids,
    output::{self, count},
    progress, source,
};
use clap::Subcommand;
use impinge::glam::{DAffine3, DVec3};
use impinge_io::{Format, Model};
use scenario::Scenario;
use std::path::{Path as FilePath, PathBuf};

/// Generate a mesh, a path of poses, points, rays or a whole scenario, and write it to a file.
///
/// The same options give the same bits on every machine.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge generate sphere --faces 3968 -o sphere.obj
  impinge generate gearbox -o gearbox.glb
  impinge generate tumble --distance 1.5 --steps 500 -o poses.csv
  impinge generate scenario gen:bsp gen:shuttle --size-b 0.1 --poses gen:bounce -o flight/
  impinge generate swept gen:shuttle --obstacles 1000 --cutting 50 -o swept/",
    after_help = "\
The file extension sets the mesh format: .obj, .stl, .ply or .glb. The gearbox and the plant
are in millimetres; a .glb file stores them in metres, as glTF requires."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
    /// File to write; for a scenario and a swept volume, the folder
    #[arg(long, short, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum What {
    #[command(flatten)]
    Shape(Shape),
    #[command(flatten)]
    Path(Path),
    #[command(flatten)]
    Points(Points),
    #[command(flatten)]
    Rays(Rays),
    /// A folder with a.obj, b.obj and poses.csv, the format of `impinge bench --dir` and of peers
    Scenario {
        /// First mesh: a file, or gen:NAME
        a: String,
        /// Second mesh: a file, or gen:NAME
        b: String,
        /// Poses: a CSV file, or gen:NAME
        #[arg(long)]
        poses: String,
        /// Scale A so that the longest side of its bounding box has this length, and move its centre to the
        /// origin
        #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
        size_a: Option<f64>,
        /// Scale B so that the longest side of its bounding box has this length, and move its centre to the
        /// origin
        #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
        size_b: Option<f64>,
        #[command(flatten)]
        grids: Grids,
    },
    Swept(swept::Arguments),
}

/// Returns an example command for the help text of a generator.
pub(crate) fn example(name: &str) -> String {
    let is_path = Path::has_subcommand(name);
    match name {
        "scenario" => {
            "impinge generate scenario gen:chair gen:shuttle --poses gen:tumble -o folder".into()
        }
        "swept" => "impinge generate swept gen:shuttle -o folder".into(),
        "bounce" => "impinge generate bounce --environment a.obj --body b.obj -o poses.csv".into(),
        "gearbox" | "plant" => format!("impinge generate {name} -o {name}.glb"),
        "points" | "rays" => format!("impinge generate {name} --mesh gen:torus -o {name}.csv"),
        _ if is_path => format!("impinge generate {name} -o {name}.csv"),
        _ => format!("impinge generate {name} -o {name}.obj"),
    }
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let output = arguments
        .output
        .ok_or_else(|| Failure::input("no output file: name one with --output FILE"))?;
    match arguments.what {
        What::Shape(shape) => {
            let mut model =
                progress::with_spinner("generating the mesh", || shape.model(&source::mesh))?;
            let wanted = Format::of_path(&output).and_then(Format::units);
            if let (Some(own), Some(wanted)) = (shape.units(), wanted) {
                scale(&mut model, own.to(wanted));
            }
            progress::with_spinner("writing", || impinge_io::save(&output, &model))?;
            written(
                &output,
                &format!(
                    "{} in {}",
                    count(model.face_count(), "face"),
                    count(model.parts.len(), "part")
                ),
            )
        }
        What::Path(path) => {
            let making = || path.poses(None, &source::mesh);
            let poses = progress::with_spinner("generating the poses", making)?;
            impinge_io::save_poses(&output, &poses)?;
            written(&output, &count(poses.len(), "pose"))
        }
        What::Points(points) => {
            let points = points.make(None, &source::mesh)?;
            impinge_io::write_atomically(&output, |out| impinge_io::write_points(&points, out))?;
            written(&output, &count(points.len(), "point"))
        }
        What::Rays(rays) => {
            let rays = rays.make(None, &source::mesh)?;
            impinge_io::write_atomically(&output, |out| impinge_io::write_rays(&rays, out))?;
            written(&output, &count(rays.len(), "ray"))
        }
        What::Scenario { a, b, poses, size_a, size_b, grids } => {
            let grids = grids.options();
            scenario::write(&output, &[&a, &b, &poses], "", || {
                let a = scenario::sized(source::mesh_with(&a, &grids)?, "--size-a", size_a)?;
                let b = scenario::sized(source::mesh_with(&b, &grids)?, "--size-b", size_b)?;
                let poses = source::poses_for(&poses, Some([&a, &b]))?;
                Ok(Scenario { a, b, poses })
            })
        }
        What::Swept(arguments) => swept::run(&arguments, &output),
    }
}

fn written(path: &FilePath, summary: &str) -> Result<(), Failure> {
    output::text(&format!("{}: {summary}\n", output::plain(&path.to_string_lossy())))
}

/// Scales a model by scaling the placements of its parts; the meshes do not change.
fn scale(model: &mut Model, factor: f64) {
    let scale = DAffine3::from_scale(DVec3::splat(factor));
    model.parts.iter_mut().for_each(|part| part.transform = scale * part.transform);
}

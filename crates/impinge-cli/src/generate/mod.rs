//! `impinge generate`: writes the generated meshes, paths and scenarios to files.

use crate::{
    failure::Failure,
    generators::{Path, Shape},
    output::{self, count},
    outputs::Outputs,
    progress, source,
};
use clap::Subcommand;
use impinge::glam::{DAffine3, DVec3};
use impinge_io::{DraftFolder, Format, Model, commit_all};
use std::path::{Path as FilePath, PathBuf};

/// Generate a mesh, a path of poses or a whole scenario, and write it to a file.
///
/// The same options give the same bits on every machine.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge generate sphere --faces 3968 -o sphere.obj
  impinge generate gearbox -o gearbox.glb
  impinge generate tumble --distance 1.5 --steps 500 -o poses.csv
  impinge generate scenario gen:pipes gen:shuttle --poses gen:billiard -o pipes/",
    after_help = "\
The file extension sets the mesh format: .obj, .stl, .ply or .glb. The gearbox and the plant
are in millimetres; a .glb file stores them in metres, as glTF requires."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
    /// File to write; for a scenario, the folder
    #[arg(long, short, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum What {
    #[command(flatten)]
    Shape(Shape),
    #[command(flatten)]
    Path(Path),
    /// A folder with a.obj, b.obj and poses.csv, the format of `impinge bench --dir` and of peers
    Scenario {
        /// First mesh: a file, or gen:NAME
        a: String,
        /// Second mesh: a file, or gen:NAME
        b: String,
        /// Poses: a CSV file, or gen:NAME
        #[arg(long)]
        poses: String,
    },
}

/// Returns an example command for the help text of a generator.
pub(crate) fn example(name: &str) -> String {
    let is_path = Path::has_subcommand(name);
    match name {
        "scenario" => {
            "impinge generate scenario gen:chair gen:shuttle --poses gen:tumble -o folder".into()
        }
        "gearbox" | "plant" => format!("impinge generate {name} -o {name}.glb"),
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
            let mut model = progress::with_spinner("generating the mesh", || shape.model())?;
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
            let poses = path.poses()?;
            impinge_io::save_poses(&output, &poses)?;
            written(&output, &count(poses.len(), "pose"))
        }
        What::Scenario { a, b, poses } => scenario(&output, &a, &b, &poses),
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

fn scenario(folder: &FilePath, a: &str, b: &str, poses: &str) -> Result<(), Failure> {
    let files = ["a.obj", "b.obj", "poses.csv"].map(|name| folder.join(name));
    let outputs = Outputs::new(files.iter().map(|file| ("--output", Some(file.as_path()))));
    // The folder is created at the end, so only existing files can be in conflict.
    let is_there = folder.is_dir();
    if is_there {
        outputs.check([a, b, poses].into_iter().filter_map(source::file))?;
    }
    let load = || Ok((source::mesh(a)?, source::mesh(b)?, source::poses(poses)?));
    let (a, b, poses) = if is_there { outputs.reading(load)? } else { load()? };
    let summary = format!(
        "{} and {} faces, {}",
        a.faces().len(),
        b.faces().len(),
        count(poses.len(), "pose")
    );
    let mut draft = DraftFolder::create(folder)?;
    for (name, mesh) in [("a", a), ("b", b)] {
        let model = Model::from_mesh(name, mesh);
        draft.file(format!("{name}.obj"), |out| impinge_io::write(&model, Format::Obj, out))?;
    }
    draft.file("poses.csv", |out| impinge_io::write_poses(&poses, out))?;
    commit_all([], Some(draft))?;
    written(folder, &summary)
}

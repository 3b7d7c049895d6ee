//! `impinge octree mesh`: the surface of an octree as a mesh file.

use super::results;
use crate::{
    failure::Failure,
    output::{self, count, plain},
    outputs::Outputs,
    progress,
};
use impinge_io::Model;
use std::path::PathBuf;

/// Write the surface of an octree as a mesh without gaps: two triangles for each side between a black and a white voxel.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge octree mesh part.octree -o voxels.stl
  impinge octree mesh part.octree -o voxels.obj")]
pub(super) struct Arguments {
    /// Octree file
    octree: PathBuf,
    /// Mesh file to write; the extension sets the format: .obj, .stl, .ply or .glb
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let outputs = Outputs::new([("--output", Some(arguments.output.as_path()))]);
    outputs.check([arguments.octree.as_path()])?;
    let octree = results::load(&arguments.octree)?;
    let mesh = progress::with_spinner("meshing", || octree.to_mesh());
    let mesh =
        mesh.map_err(|error| Failure::input(format!("{}: {error}", arguments.octree.display())))?;
    let faces = mesh.faces().len();
    let model = Model::from_mesh("octree", mesh);
    progress::with_spinner("writing", || impinge_io::save(&arguments.output, &model))?;
    let path = plain(&arguments.output.to_string_lossy());
    output::text(&format!("{path}: {}\n", count(faces, "face")))
}

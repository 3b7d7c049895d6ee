//! `impinge octree make`: the octree of a mesh.

use super::{
    grid::{RULES, RootCube},
    results::{self, Figures, Files},
};
use crate::{
    failure::Failure,
    grids::Grids,
    output::{self, count, note, to_thousandths},
    outputs::Outputs,
    progress, source,
    trees::one_of,
};
use clap::value_parser;
use impinge::{
    Bounds,
    octree::{Grid, MAX_LEVEL, Octree, VoxelRule},
};
use serde::Serialize;
use std::time::Instant;

/// Make the octree of a mesh: of the solid that it encloses, or of its faces alone.
///
/// All decisions are exact. An open mesh encloses no solid, and is refused unless --faces is given.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge octree make part.stl --level 7 -o part.octree
  impinge octree make gen:shuttle --level 5 --rule center --picture shuttle.png
  impinge octree make scan.ply --faces --level 8 -o scan.octree
  impinge octree make part.stl --cube -10,-10,-10,20 -o part.octree")]
pub(super) struct Arguments {
    /// Mesh: a file, or gen:NAME
    mesh: String,
    /// Level of the voxels: the root cube has 2^LEVEL of them along each side
    #[arg(long, default_value_t = 6, value_parser = value_parser!(u8).range(..=i64::from(MAX_LEVEL)))]
    level: u8,
    /// Make black what the faces touch, and leave the inside white; works with open meshes, too
    #[arg(long)]
    faces: bool,
    /// Black voxels: those that touch the solid, or those whose centre is inside
    #[arg(long, value_parser = one_of(RULES), default_value = "touch", conflicts_with = "faces")]
    rule: VoxelRule,
    /// Root cube: its least corner and its side [default: just encloses the mesh]
    #[arg(long, value_name = "X,Y,Z,SIDE", allow_hyphen_values = true)]
    cube: Option<RootCube>,
    #[command(flatten)]
    files: Files,
    /// Print the nodes as text, and nothing else
    #[arg(long, conflicts_with = "json")]
    text: bool,
    #[command(flatten)]
    grids: Grids,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    faces: usize,
    build_ms: f64,
    #[serde(flatten)]
    figures: Figures,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let outputs = Outputs::new(arguments.files.named());
    outputs.check(source::file(&arguments.mesh))?;
    let mesh =
        outputs.reading(|| source::mesh_with(&arguments.mesh, &arguments.grids.options()))?;
    let about = |error| Failure::input(format!("{}: {error}", arguments.mesh));
    let grid = match arguments.cube {
        Some(cube) => Grid::new(cube.min, cube.side, arguments.level)
            .map_err(|error| Failure::input(format!("--cube: {error}")))?,
        None => Grid::enclosing(&mesh.bounds(), arguments.level).map_err(about)?,
    };
    let room = Bounds { min: grid.min(), max: grid.min() + grid.side() };
    let bounds = mesh.bounds();
    if arguments.cube.is_some() && !(room.contains(bounds.min) && room.contains(bounds.max)) {
        note("parts of the mesh lie outside of the root cube and are left out");
    }
    let start = Instant::now();
    let octree = progress::with_spinner("making the octree", || match arguments.faces {
        true => Octree::from_faces(&mesh, grid),
        false => Octree::from_solid(&mesh, grid, arguments.rule),
    });
    let octree = octree.map_err(|error| match error {
        impinge::octree::OctreeError::NotSolid(why) => Failure::input(format!(
            "{}: {why}; close the mesh, or add --faces for the faces alone",
            arguments.mesh
        )),
        error => about(error),
    })?;
    let build_ms = to_thousandths(start.elapsed().as_secs_f64() * 1e3);
    arguments.files.write(&octree, Vec::new())?;
    if arguments.text {
        return results::print_text(&octree);
    }
    let faces = mesh.faces().len();
    let report = Report { faces, build_ms, figures: Figures::new(&octree) };
    if arguments.json {
        return output::json(&report);
    }
    let line = report.figures.line();
    output::text(&format!("{}, {build_ms} ms: {line}\n", count(faces, "face")))
}

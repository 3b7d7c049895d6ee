//! `impinge octree`: makes octrees of meshes, moves them, combines them, and shows them.

mod grid;
mod inspect;
mod make;
mod mesh;
mod motion;
mod results;
mod unite;

use crate::failure::Failure;

/// Make octrees of meshes, move them, combine them, and show them.
///
/// An octree divides a cube into black and white cells: black inside of the object, white outside. A path planner or
/// a simulation looks up cells faster than faces. Files hold four numbers for the root cube, the level and a character
/// for each node.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge octree make part.stl --level 7 --cube -50,-50,-50,100 -o part.octree --picture p.png
  impinge octree move part.octree --translate 10,0,0 --rotate 0,0,1,30 -o moved.octree
  impinge octree unite part.octree moved.octree -o both.octree
  impinge octree unite --operation difference part.octree moved.octree -o rest.octree
  impinge octree inspect part.octree
  impinge octree mesh part.octree -o voxels.stl",
    after_help = "\
docs/octrees.md explains the file, the rules for voxels and the algorithms."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Make(make::Arguments),
    Move(motion::Arguments),
    Unite(unite::Arguments),
    Inspect(inspect::Arguments),
    Mesh(mesh::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.what {
        What::Make(arguments) => make::run(arguments),
        What::Move(arguments) => motion::run(arguments),
        What::Unite(arguments) => unite::run(arguments),
        What::Inspect(arguments) => inspect::run(arguments),
        What::Mesh(arguments) => mesh::run(arguments),
    }
}

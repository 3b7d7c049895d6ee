//! `impinge bench`: the papers' experiments, on any mesh.

mod build;
mod contender;
mod nodes;
mod plot;
mod tumble;

use crate::failure::Failure;

/// The papers' experiments, on any mesh: time over distance, build time over size, bytes a node.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  impinge bench tumble gen:deformed-torus --method obb,dop18,aabb --plot tumble.svg
  impinge bench tumble --method boxtree:aligned,boxtree:lookup,boxtree:full,boxtree:lite
  impinge bench build --method obb,dop18 --plot build.svg
  impinge bench nodes")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, clap::Subcommand)]
enum Experiment {
    Tumble(tumble::Arguments),
    Build(build::Arguments),
    Nodes(nodes::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.experiment {
        Experiment::Tumble(arguments) => tumble::run(arguments),
        Experiment::Build(arguments) => build::run(arguments),
        Experiment::Nodes(arguments) => nodes::run(arguments),
    }
}

//! `impinge bench`: the papers' experiments, on any mesh.

mod build;
mod plot;
mod tumble;

use crate::failure::Failure;
use impinge::Method;

/// The papers' experiments, on any mesh: time over distance, build time over size.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  impinge bench tumble gen:deformed-torus --method obb,dop18,aabb --plot tumble.svg
  impinge bench build --method obb,dop18 --plot build.svg")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, clap::Subcommand)]
enum Experiment {
    Tumble(tumble::Arguments),
    Build(build::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.experiment {
        Experiment::Tumble(arguments) => tumble::run(arguments),
        Experiment::Build(arguments) => build::run(arguments),
    }
}

/// The methods of these names, or all but the reference.
fn methods(names: &[String]) -> Result<Vec<Method>, Failure> {
    if names == ["all"] {
        return Ok(Method::ALL.iter().copied().filter(|it| *it != Method::Brute).collect());
    }
    names.iter().map(|name| name.parse().map_err(Failure::input)).collect()
}

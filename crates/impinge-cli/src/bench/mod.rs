//! `impinge bench`: engines side by side, and the papers' experiments, on any mesh.

mod build;
mod compare;
mod contender;
mod nodes;
mod tumble;

use crate::failure::Failure;

/// Side by side with other engines, on this machine, in this run; and the papers' experiments.
///
/// Without a command, scenarios made on the spot (bodies that tumble at several distances, spheres in
/// spheres, flights through pipes and over hills) are run through impinge's methods, through parry3d, and
/// through any program that speaks the scenario format, in turns. All answers are compared, and who is
/// wrong is named.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Exit code 1 if methods of impinge disagree, 2 if a peer failed (the report comes nevertheless); a peer that
is wrong is a finding, and the exit code is 0.

Examples:
  impinge bench --quick
  impinge bench --scenario sphere,pipes --plots plots
  impinge bench --meshes part.stl housing.glb
  impinge bench --peer \"fcl=fcl_peer {dir}\" --peer \"ode=ode_peer {dir}\" --write docs/benchmarks.md
  impinge bench tumble gen:deformed-torus --method obb,dop18,aabb --plot tumble.svg
  impinge bench build --method obb,dop18 --plot build.svg
  impinge bench nodes"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    experiment: Option<Experiment>,
    #[command(flatten)]
    compare: compare::Arguments,
}

#[derive(Debug, clap::Subcommand)]
enum Experiment {
    Compare(compare::Arguments),
    Tumble(tumble::Arguments),
    Build(build::Arguments),
    Nodes(nodes::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.experiment {
        None => compare::run(&arguments.compare),
        Some(Experiment::Compare(arguments)) => compare::run(arguments),
        Some(Experiment::Tumble(arguments)) => tumble::run(arguments),
        Some(Experiment::Build(arguments)) => build::run(arguments),
        Some(Experiment::Nodes(arguments)) => nodes::run(arguments),
    }
}

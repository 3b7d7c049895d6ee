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
/// spheres, flights through pipes and over hills) are run through impinge's methods and through every
/// --peer, a program that runs another engine, in turns. All answers are compared, and who is wrong is
/// named. In impinge's repository, `cargo xtask compare` adds the peer for parry3d.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    before_help = "\
Examples:
  impinge bench --quick
  impinge bench --scenario sphere,pipes --plots plots
  impinge bench --meshes part.stl housing.glb
  impinge bench --quick --peer \"parry3d=target/release/peer_parry3d {dir}\"
  impinge bench --peer \"fcl=fcl_peer {dir}\" --peer \"ode=ode_peer {dir}\" --write docs/benchmarks.md
  impinge bench tumble gen:deformed-torus --method obb,dop18,aabb --plot tumble.svg
  impinge bench build --method obb,dop18 --plot build.svg
  impinge bench nodes",
    after_help = "\
Exit code 1 if methods of impinge disagree, 2 if a peer failed (the report is printed all the same). A peer
that is wrong is a finding, and the exit code is 0."
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

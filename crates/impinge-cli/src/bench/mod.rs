//! `impinge bench`: compares engines, and repeats the experiments of the papers on any mesh.

mod build;
mod compare;
mod contender;
mod nodes;
mod objects;
mod space;
mod tumble;

use crate::failure::Failure;

/// Compare with other engines on this machine, in one run; and repeat the experiments of the papers.
///
/// Without a subcommand, `impinge bench` generates scenarios (bodies that tumble at several distances,
/// spheres in spheres, flights through pipes and over hills). It runs each scenario with impinge's methods
/// and with every --peer in turn. A peer is a program that runs another engine. The report compares all
/// answers and names the engines with wrong answers. In impinge's repository, `cargo xtask compare` adds the
/// peer for parry3d.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    before_help = "\
Examples:
  impinge bench --quick
  impinge bench --scenario sphere,pipes --plots plots
  impinge bench --meshes part.stl housing.glb
  impinge bench --quick --peer \"parry3d=target/release/peer_parry3d {dir}\"
  impinge bench --peer \"fcl=fcl_peer {dir}\" --peer \"ode=ode_peer {dir}\" --write page.md
  impinge bench tumble gen:deformed-torus --method obb,dop18,aabb --plot tumble.svg
  impinge bench build --method obb,dop18 --plot build.svg
  impinge bench objects --plot objects.svg
  impinge bench nodes
  impinge bench space",
    after_help = "\
Exit code 0: success, even if a peer gives wrong answers. 1: methods of impinge disagree.
2: a peer failed; the report is still printed."
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
    Space(space::Arguments),
    Objects(objects::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.experiment {
        None => compare::run(&arguments.compare),
        Some(Experiment::Compare(arguments)) => compare::run(arguments),
        Some(Experiment::Tumble(arguments)) => tumble::run(arguments),
        Some(Experiment::Build(arguments)) => build::run(arguments),
        Some(Experiment::Nodes(arguments)) => nodes::run(arguments),
        Some(Experiment::Space(arguments)) => space::run(arguments),
        Some(Experiment::Objects(arguments)) => objects::run(arguments),
    }
}

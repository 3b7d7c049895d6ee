//! The `impinge` command: reads arguments, calls the libraries, prints the results.
//!
//! [`run`] is the whole command. The program `impinge` calls it, and so does the command that comes with the Python
//! package.
#![forbid(unsafe_code)]

mod bench;
mod cells;
mod clash;
mod cluster;
mod completions;
mod failure;
mod generate;
mod generators;
mod grids;
mod index;
mod input;
mod inspect;
mod interrupt;
mod length;
mod methods;
mod nc;
mod octree;
mod output;
mod outputs;
mod plot;
mod probe;
mod progress;
mod query;
mod reading;
mod robot;
mod run;
mod source;
mod threads;
mod timing;
mod trees;
mod verify;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use interrupt::Interrupt;
use std::ffi::OsString;

pub use cluster::{Cluster, ClusterError};

/// Find the faces of bodies that touch: exact answers for any triangle soup.
///
/// Exit code 0: success. 1: the check failed, or methods disagree. 2: bad input or usage.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, propagate_version = true, before_help = EXAMPLES, after_help = SOURCES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  impinge clash car.glb --clearance 0.5mm
  impinge nc part.stl part.nc --tool ball:d=6,length=20
  impinge query gen:torus gen:sphere --poses gen:tumble --all
  impinge query a.obj b.stl --poses poses.csv --all --pairs contacts.csv
  impinge points part.stl scan.csv --write nearest.csv
  impinge rays part.stl gen:rays,count=10000 --all
  impinge run scene.toml --plot cycles.svg
  impinge inspect housing.glb shaft.stl
  impinge generate gear --teeth 24 -o gear.obj";

const SOURCES: &str = "\
Wherever a mesh is expected, gen:NAME[,OPTION=VALUE…] makes one instead of reading a file:
`impinge generate --help` lists the names, `impinge generate NAME --help` the options.";

#[derive(Debug, Subcommand)]
enum Command {
    Clash(Box<clash::Arguments>),
    Nc(Box<nc::Arguments>),
    Query(query::Arguments),
    Points(probe::points::Arguments),
    Rays(probe::rays::Arguments),
    Run(run::Arguments),
    Robot(robot::Arguments),
    Index(index::Arguments),
    Inspect(inspect::Arguments),
    Methods(methods::Arguments),
    Octree(octree::Arguments),
    Generate(generate::Arguments),
    Bench(Box<bench::Arguments>),
    Verify(verify::Arguments),
    Completions(completions::Arguments),
}

/// The order of every help text: what the command does, its usage, examples, options, notes.
const HELP: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// The command line, with an example for each thing that `generate` makes.
fn command() -> clap::Command {
    let command = Cli::command().mut_subcommand("generate", |generate| {
        generate.mut_subcommands(|what| {
            let example = generate::example(what.get_name());
            what.before_help(format!("Example:\n  {example}"))
        })
    });
    examples_first(command)
}

fn examples_first(command: clap::Command) -> clap::Command {
    command.help_template(HELP).mut_subcommands(examples_first)
}

/// Runs the command with the given arguments, the first of which is the name of the program. Returns the exit code.
///
/// Takes over Ctrl-C for the rest of the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    run_on(arguments, None)
}

/// Runs the command as [`run`] does, with a cluster for the option `--ray`. Without a cluster, that option hands the
/// command over to Python.
pub fn run_on(arguments: impl IntoIterator<Item = OsString>, cluster: Option<&dyn Cluster>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let matches = command().try_get_matches_from(&arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed output is not an error.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let interrupt = Interrupt::watch();
    let result = match cli.command {
        Command::Clash(own) if own.needs_python(cluster) => match cluster::hand_over(&arguments) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Command::Clash(arguments) => clash::run(&arguments, &interrupt, cluster),
        Command::Query(arguments) => query::run(&arguments),
        Command::Points(arguments) => probe::points::run(&arguments),
        Command::Rays(arguments) => probe::rays::run(&arguments),
        Command::Run(arguments) => run::run(&arguments, &interrupt),
        Command::Robot(arguments) => robot::run(&arguments, &interrupt),
        Command::Index(arguments) => index::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Methods(arguments) => methods::run(&arguments),
        Command::Nc(arguments) => nc::run(&arguments, &interrupt),
        Command::Octree(arguments) => octree::run(&arguments),
        Command::Generate(arguments) => generate::run(arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, &mut command()),
    };
    match result {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap breaks lines at 100 columns; longer lines would be broken twice.
    const MAX_COLUMNS: usize = 95;

    #[test]
    fn notes_and_examples_are_not_broken_again() {
        let mut commands = vec![command()];
        while let Some(command) = commands.pop() {
            let texts = [
                command.get_before_help(),
                command.get_before_long_help(),
                command.get_after_help(),
                command.get_after_long_help(),
            ];
            for text in texts.into_iter().flatten() {
                for line in text.to_string().lines() {
                    let columns = line.chars().count();
                    assert!(columns <= MAX_COLUMNS, "{}: {columns}: {line}", command.get_name());
                }
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}

//! The `impinge` command: reads arguments, calls the library, prints what it says.

mod bench;
mod clash;
mod completions;
mod failure;
mod generate;
mod index;
mod inspect;
mod methods;
mod output;
mod plot;
mod progress;
mod query;
mod run;
mod source;
mod threads;
mod verify;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// Tells which faces of which bodies touch: exactly, for any triangle soup.
///
/// Exit code 0: done. 1: done, and the check failed (or methods disagree). 2: bad input or usage.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  impinge clash car.glb --clearance 0.5mm
  impinge query gen:torus gen:sphere --poses gen:tumble --all
  impinge query a.obj b.stl --poses poses.csv --all --pairs contacts.csv
  impinge run scene.toml --plot cycles.svg
  impinge inspect housing.glb shaft.stl
  impinge generate gear --teeth 24 -o gear.obj

Wherever a mesh is expected, gen:NAME[,OPTION=VALUE…] makes one instead of reading a file:
`impinge generate --help` lists the names, `impinge generate NAME --help` the options.";

#[derive(Debug, Subcommand)]
enum Command {
    Clash(Box<clash::Arguments>),
    Query(query::Arguments),
    Run(run::Arguments),
    Index(index::Arguments),
    Inspect(inspect::Arguments),
    Methods(methods::Arguments),
    Generate(generate::Arguments),
    Bench(Box<bench::Arguments>),
    Verify(verify::Arguments),
    Completions(completions::Arguments),
}

/// The command line, with an example for each thing that `generate` makes.
fn command() -> clap::Command {
    Cli::command().mut_subcommand("generate", |generate| {
        generate.mut_subcommands(|what| match what.get_after_help() {
            Some(_) => what,
            None => {
                let example = generate::example(what.get_name());
                what.after_help(format!("Example:\n  {example}"))
            }
        })
    })
}

fn main() -> ExitCode {
    let cli = match Cli::from_arg_matches(&command().get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let result = match cli.command {
        Command::Clash(arguments) => clash::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Index(arguments) => index::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Methods(arguments) => methods::run(&arguments),
        Command::Generate(arguments) => generate::run(arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

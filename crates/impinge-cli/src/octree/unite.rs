//! `impinge octree unite`: combines octrees.

use super::results::{self, Figures, Files};
use crate::{
    failure::Failure,
    output,
    outputs::Outputs,
    progress,
    trees::{Names, one_of},
};
use impinge::octree::{Octree, Operation};
use std::path::{Path, PathBuf};

/// Combine octrees that have the same root cube and level.
///
/// `union`: black where any octree is black. `intersection`: where all are. `difference`: where the first is and no
/// other. `complement`: black and white of one octree exchanged.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge octree unite a.octree b.octree c.octree -o all.octree
  impinge octree unite --operation intersection a.octree b.octree --json
  impinge octree unite --operation complement a.octree -o outside.octree")]
pub(super) struct Arguments {
    /// Octree files
    #[arg(required = true)]
    octrees: Vec<PathBuf>,
    /// How to combine them
    #[arg(long, value_parser = one_of(OPERATIONS), default_value = "union")]
    operation: Combination,
    #[command(flatten)]
    files: Files,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Combination {
    Of(Operation),
    Complement,
}

const OPERATIONS: Names<Combination> = &[
    ("union", Combination::Of(Operation::Union)),
    ("intersection", Combination::Of(Operation::Intersection)),
    ("difference", Combination::Of(Operation::Difference)),
    ("complement", Combination::Complement),
];

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = &arguments.octrees;
    match (arguments.operation, files.len()) {
        (Combination::Complement, 2..) => {
            return Err(Failure::input("--operation complement: takes one octree, not several"));
        }
        (Combination::Of(_), 1) => {
            let message = "one octree alone cannot be combined: name another one";
            return Err(Failure::input(message));
        }
        _ => {}
    }
    let outputs = Outputs::new(arguments.files.named());
    outputs.check(files.iter().map(PathBuf::as_path))?;
    let octree = outputs.reading(|| {
        let mut octree = results::load(&files[0])?;
        match arguments.operation {
            Combination::Complement => octree = octree.complement(),
            Combination::Of(operation) => {
                for file in &files[1..] {
                    octree = combined(&octree, [&files[0], file], operation)?;
                }
            }
        }
        Ok(octree)
    })?;
    arguments.files.write(&octree, Vec::new())?;
    let figures = Figures::new(&octree);
    if arguments.json {
        return output::json(&figures);
    }
    output::text(&format!("{}\n", figures.line()))
}

/// Combines an octree with that of the second file. The first file is named in errors.
fn combined(octree: &Octree, files: [&Path; 2], operation: Operation) -> Result<Octree, Failure> {
    let other = results::load(files[1])?;
    let combined = progress::with_spinner("combining", || octree.combined(&other, operation));
    combined.map_err(|error| {
        let [a, b] = files.map(Path::display);
        Failure::input(format!("{a} and {b}: {error}"))
    })
}

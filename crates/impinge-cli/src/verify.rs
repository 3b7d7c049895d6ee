//! `impinge verify`: compares the exact test with known answers.

use crate::{failure::Failure, output, progress};
use clap::Subcommand;
use impinge::narrow::triangles_intersect;
use serde::Serialize;
use std::path::PathBuf;

/// Compare the results of the exact test with known answers.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Example:
  impinge verify triangles cases.csv",
    after_help = "\
Prints one JSON line: {\"cases\", \"right\", \"missed\", \"false\"}. Wrong cases are named
on standard error, and the exit code is 1."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Pairs of triangles: do they touch?
    #[command(
        before_help = "\
Example:
  impinge verify triangles cases.csv more.csv",
        after_help = "\
The first line of a file names the columns: a0x, a0y, a0z, … b2z hold the corners, and
exact_intersects (or else expected_by_source) the known answer, 1 or 0. The column `case`
names the pair. Other columns are ignored."
    )]
    Triangles {
        /// CSV files of triangle pairs
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

/// At most this many wrong cases are named.
const MAX_NAMED: usize = 20;

#[derive(Default, Serialize)]
struct Tally {
    cases: usize,
    right: usize,
    missed: usize,
    #[serde(rename = "false")]
    false_alarms: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let What::Triangles { files } = &arguments.what;
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for file in files {
        let cases = progress::with_spinner("loading", || impinge_io::load_triangle_cases(file))?;
        for case in cases {
            tally.cases += 1;
            match (case.touching, triangles_intersect(&case.a, &case.b)) {
                (expected, found) if expected == found => tally.right += 1,
                (true, _) => {
                    tally.missed += 1;
                    wrong.push(format!("{}: {}: missed", file.display(), case.name));
                }
                (false, _) => {
                    tally.false_alarms += 1;
                    wrong.push(format!("{}: {}: false alarm", file.display(), case.name));
                }
            }
        }
    }
    output::json(&tally)?;
    if wrong.is_empty() {
        return Ok(());
    }
    let named = wrong.len().min(MAX_NAMED);
    let more = match wrong.len() - named {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Err(Failure::Check(format!("{}{more}", wrong[..named].join("; "))))
}

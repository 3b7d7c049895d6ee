//! `impinge methods`: lists the methods.

use crate::{failure::Failure, output};
use impinge::Method;
use serde::Serialize;

/// List the methods: name, one-line description, paper.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge methods
  impinge methods --json")]
pub(crate) struct Arguments {
    /// Print one JSON line for each method
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    summary: &'static str,
    paper: Option<&'static str>,
    default: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let rows = Method::ALL.iter().map(|&method| Row {
        name: method.name(),
        summary: method.summary(),
        paper: method.paper(),
        default: method == Method::default(),
    });
    if arguments.json {
        return rows.into_iter().try_for_each(|row| output::json(&row));
    }
    let cells = rows.map(|row| {
        let name = format!("{}{}", row.name, if row.default { " (default)" } else { "" });
        vec![name, row.summary.to_owned(), row.paper.unwrap_or("").to_owned()]
    });
    output::text(&output::table(&cells.collect::<Vec<_>>()))
}

//! `impinge clash`: which parts of an assembly collide, touch or come too close.
//!
//! | file | what it holds |
//! |---|---|
//! | `arguments.rs`, `length.rs`, `verdicts.rs` | what can be said on the command line |
//! | `input.rs` | where the parts come from |
//! | `rules.rs`, `pattern.rs`, `filter.rs` | which pairs are wanted |
//! | `search.rs`, `interrupt.rs` | the search, its progress, and its end |
//! | `baseline.rs` | an earlier run to compare with |
//! | `findings.rs`, `outcome.rs`, `totals.rs` | what was found, as all outputs show it |
//! | `table.rs`, `json.rs`, `csv.rs`, `glb.rs`, `bcf.rs`, `pictures.rs`, `page.rs` | the outputs |
//! | `outputs.rs` | files that are written: all of them, or none |

mod arguments;
mod baseline;
mod bcf;
mod csv;
mod filter;
mod findings;
mod glb;
mod input;
mod json;
mod outcome;
mod outputs;
mod page;
mod pattern;
mod pictures;
mod rules;
mod search;
mod table;
mod totals;
mod verdicts;

use crate::{
    failure::Failure,
    interrupt::Interrupt,
    output::{self, plain},
};
use baseline::Baseline;
use filter::{Filter, Wanted};
use impinge::clash::{Options, Report, Verdict};
use impinge_io::assembly::Unit;
use input::Input;
use outcome::{Listing, Outcome, Search, Showing};
use std::{
    io::{self, Write},
    path::Path,
    time::Instant,
};
use table::GroupBy;

pub(crate) use arguments::Arguments;

pub(crate) fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Failure> {
    let Arguments { files, asking, choosing, showing, outputs, .. } = arguments;
    // All that can be wrong with the words is told before files are read.
    let (rules, between, allowed) = (choosing.rules()?, choosing.between(), showing.allowed()?);
    outputs.check(arguments.inputs())?;
    let baseline = showing.baseline.as_deref().map(Baseline::load).transpose()?;

    let start = Instant::now();
    let Input { assembly, clearance } = input::load(files, &arguments.reading())?;
    let read = start.elapsed();
    for skipped in &assembly.skipped {
        note(&format!("left out: {}: {}", skipped.name, skipped.error));
    }

    let mut options = Options::new();
    if assembly.files.iter().any(|file| is_cut(file)) {
        let tolerance = arguments.tolerance(assembly.units.unwrap_or(Unit::Metre));
        options = options.tolerance(tolerance).map_err(Failure::input)?;
    }
    if let Some(touch) = asking.touch {
        options = options
            .touch(touch.within("--touch", assembly.units, "--units")?)
            .map_err(Failure::input)?;
    }
    let clearance = match asking.clearance {
        Some(length) => length.within("--clearance", assembly.units, "--units")?,
        None => clearance,
    };
    options = options.clearance(clearance).map_err(Failure::input)?;
    let wanted = Wanted {
        ignore: &rules,
        between: &between,
        same_group: choosing.same_group,
        level: choosing.group_level,
        only: choosing.only(),
        adjacent: choosing.adjacent,
    };
    if clearance == 0.0 && wanted.only == verdicts::Verdicts::of(&[Verdict::Clearance]) {
        return Err(Failure::input(
            "--only clearance: closer than what? Name a distance with --clearance",
        ));
    }
    let (filter, idle) = Filter::new(&assembly, &wanted)?;
    for rule in idle {
        note(&format!("{rule} fits no part"));
    }

    let start = Instant::now();
    let report = interrupt
        .during(|| search::find(&assembly, &filter, &options, choosing.threads, interrupt))?;
    let times = [read, start.elapsed()];
    let Report { clashes, pairs_checked, open_parts, touch } = report;
    let how = Showing {
        baseline: baseline.as_ref(),
        clearance,
        allowed,
        sort: showing.sort,
        with_totals: showing.group_by == GroupBy::Group,
        limit: showing.limit,
    };
    let listing = Listing::new(&assembly, &filter, &how, clashes);
    drop(filter);
    let outcome = Outcome::new(
        assembly,
        listing,
        Search { pairs_checked, open_parts, touch, clearance, times },
    );

    outputs.write(&outcome, interrupt)?;
    match print(arguments, &outcome) {
        // Whoever reads has enough of it, but has not seen how it ends.
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    match outcome.listing.failures {
        0 => Ok(()),
        1 => Err(Failure::Check("1 clash is neither ignored nor allowed".into())),
        count => Err(Failure::Check(format!("{count} clashes are neither ignored nor allowed"))),
    }
}

fn print(arguments: &Arguments, outcome: &Outcome) -> Result<(), Failure> {
    let Arguments { files, showing, .. } = arguments;
    if !showing.json {
        return output::text(&table::readable(outcome, showing.group_by, files.is_empty()));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    json::write(outcome, &mut out)?;
    Ok(out.flush()?)
}

/// Whether a file holds round shapes, which are cut into triangles when it is read.
fn is_cut(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["step", "stp", "urdf"].contains(&&*extension.to_lowercase()))
}

/// Something to know that is no error.
fn note(text: &str) {
    // Where nobody listens, nobody is told.
    let _ = writeln!(io::stderr(), "note: {}", plain(text));
}

//! `impinge clash`: which parts of an assembly collide, touch or come too close.
//!
//! The check itself and every output are the crate `impinge-clash`; here are arguments and printing.
//!
//! | file | what it holds |
//! |---|---|
//! | `arguments.rs` | the command line |
//! | `search.rs` | the search, its progress bar, and Ctrl-C |
//! | `table.rs` | the findings for people |
//! | `outputs.rs` | files that are written: all of them, or none |

mod arguments;
mod outputs;
mod search;
mod table;

use crate::{
    failure::Failure,
    input::{self, Input},
    interrupt::Interrupt,
    output::{self, note},
};
use impinge::clash::Verdict;
use impinge_clash::{Baseline, Options, Outcome, Verdicts, json};
use impinge_io::assembly::Unit;
use std::{
    io::{self, Write},
    path::Path,
    time::Instant,
};
use table::{GroupBy, Times};

pub(crate) use arguments::Arguments;

pub(crate) fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Failure> {
    let Arguments { files, asking, choosing, showing, outputs, .. } = arguments;
    // All that can be wrong with the words is told before files are read.
    let mut options = Options::default();
    options.pairs = choosing.pairs()?;
    options.listing.allowed = showing.allowed()?;
    options.listing.sort = showing.sort.into();
    options.listing.with_totals = showing.group_by == GroupBy::Group;
    options.listing.limit = showing.limit;
    outputs.check(arguments.inputs())?;
    options.listing.baseline = showing.baseline.as_deref().map(Baseline::load).transpose()?;

    let start = Instant::now();
    let Input { assembly, clearance } =
        outputs.outputs().reading(|| input::load(files, &arguments.reading.options()))?;
    let read = start.elapsed();
    for skipped in &assembly.skipped {
        note(&format!("left out: {}: {}", skipped.name, skipped.error));
    }

    if assembly.files.iter().any(|file| is_cut(file)) {
        options.tolerance = arguments.reading.tolerance(assembly.units.unwrap_or(Unit::Metre));
    }
    if let Some(touch) = asking.touch {
        options.touch = Some(touch.within("--touch", assembly.units, "--units")?);
    }
    options.clearance = match asking.clearance {
        Some(length) => length.within("--clearance", assembly.units, "--units")?,
        None => clearance,
    };
    if options.clearance == 0.0 && options.pairs.only == Verdicts::of(&[Verdict::Clearance]) {
        return Err(Failure::input(
            "--only clearance: closer than what? Name a distance with --clearance",
        ));
    }

    let start = Instant::now();
    let outcome =
        interrupt.during(|| search::find(assembly, options, choosing.threads, interrupt))?;
    let times = Times { read, search: start.elapsed() };

    outputs.write(&outcome, interrupt)?;
    match print(arguments, &outcome, times) {
        // Whoever reads has enough of it, but has not seen how it ends.
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    match outcome.failures {
        0 => Ok(()),
        1 => Err(Failure::Check("1 clash is neither ignored nor allowed".into())),
        count => Err(Failure::Check(format!("{count} clashes are neither ignored nor allowed"))),
    }
}

fn print(arguments: &Arguments, outcome: &Outcome, times: Times) -> Result<(), Failure> {
    let Arguments { files, showing, .. } = arguments;
    if !showing.json {
        return output::text(&table::readable(outcome, showing.group_by, times, files.is_empty()));
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

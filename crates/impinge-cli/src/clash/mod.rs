//! `impinge clash`: which parts of an assembly collide, touch or come too close.
//!
//! The crate `impinge-clash` does the check and writes every output file; this module reads the arguments and
//! prints.
//!
//! | file | what it holds |
//! |---|---|
//! | `arguments.rs` | the command line |
//! | `configurations.rs` | `--joints`: many configurations of robots |
//! | `path.rs` | `--path`: parts that move along a path |
//! | `robots.rs` | the options about robots, and SRDF files |
//! | `search.rs` | the search, with its progress bar and Ctrl-C |
//! | `table.rs`, `clusters.rs` | the printed table: a row for each clash, or for each cluster of clashes |
//! | `notes.rs` | the lines below the table |
//! | `outputs.rs` | output files: all of them are written, or none |

mod arguments;
mod clusters;
mod configurations;
mod notes;
mod outputs;
mod path;
mod robots;
mod search;
mod table;

use crate::{
    cluster::Cluster,
    failure::Failure,
    input::{self, Input},
    interrupt::Interrupt,
    length,
    output::{self, note},
};
use impinge::clash::Verdict;
use impinge_clash::{Baseline, CheckOptions, Outcome, Verdicts, json};
use std::{
    io::{self, Write},
    time::Instant,
};
use table::{GroupBy, Times};

pub(crate) use arguments::Arguments;

pub(crate) fn run(
    arguments: &Arguments,
    interrupt: &Interrupt,
    cluster: Option<&dyn Cluster>,
) -> Result<(), Failure> {
    let ray = arguments.ray.as_deref().zip(cluster);
    let Arguments { files, check_options, pair_options, list_options, outputs, .. } = arguments;
    // Errors in the arguments are reported before any file is read.
    let mut options = CheckOptions::default();
    options.pairs = pair_options.pairs()?;
    options.listing.allowed = list_options.allowed(outputs.has_review())?;
    options.listing.sort = list_options.sort.into();
    options.listing.with_totals = list_options.group_by == GroupBy::Group;
    options.listing.limit = list_options.limit;
    options.is_quick = check_options.quick;
    arguments.check_quick()?;
    outputs.check(arguments.inputs())?;
    options.listing.review = outputs.load_review()?;
    options.listing.baseline = list_options.baseline.as_deref().map(Baseline::load).transpose()?;

    let load_options = arguments.reading.options()?;

    let start = Instant::now();
    let Input { assembly, clearance } = outputs.outputs().reading(|| {
        let mut input = match ray.filter(|_| outputs.needs_faces().is_none()) {
            None => input::load(files, &load_options)?,
            Some(ray) => input::load_on(ray, files, &load_options, interrupt)?,
        };
        arguments.robot_options.apply(&mut input.assembly, load_options.keep_going)?;
        Ok(input)
    })?;
    let read = start.elapsed();
    for skipped in &assembly.skipped {
        note(&format!("skipped: {}: {}", skipped.name, skipped.error));
    }
    input::check_single_part(&assembly)?;

    if let Some(touch) = check_options.touch {
        options.touch = Some(length::within(touch, "--touch", assembly.units, "--units")?);
    }
    options.clearance = match check_options.clearance {
        Some(length) => length::within(length, "--clearance", assembly.units, "--units")?,
        None => clearance,
    };
    if options.clearance == 0.0 && options.pairs.only == Verdicts::of(&[Verdict::Clearance]) {
        return Err(Failure::input(
            "--only clearance: no clearance is set; give one with --clearance LENGTH",
        ));
    }

    if let Some(file) = &arguments.path_options.path {
        return path::run(arguments, file, &assembly, &options, interrupt);
    }
    if let Some(file) = &arguments.robot_options.configurations {
        return configurations::run(arguments, file, &assembly, options, interrupt);
    }

    let start = Instant::now();
    let outcome = interrupt.during(|| match ray {
        None => search::find(assembly, options, pair_options.threads, interrupt),
        Some((address, cluster)) => search::find_on(cluster, address, assembly, options, interrupt),
    })?;
    let search = start.elapsed();
    outcome.notes.iter().for_each(|text| note(text));

    let start = Instant::now();
    outputs.write(&outcome, interrupt)?;
    let times = Times { read, search, write: outputs.has_any().then(|| start.elapsed()) };
    match print(arguments, &outcome, times) {
        // A reader that closed our output still gets the exit code.
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    match outcome.failures {
        0 => Ok(()),
        // The table says it already.
        _ if !list_options.json => Err(Failure::Check(String::new())),
        failures => Err(Failure::Check(table::attention(failures))),
    }
}

fn print(arguments: &Arguments, outcome: &Outcome, times: Times) -> Result<(), Failure> {
    let Arguments { files, list_options, .. } = arguments;
    if !list_options.json {
        return output::text(&table::readable(
            outcome,
            list_options.group_by,
            times,
            files.is_empty(),
        ));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    json::write(outcome, &mut out)?;
    Ok(out.flush()?)
}

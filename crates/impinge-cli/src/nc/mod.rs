//! `impinge nc`: does a tool path gouge the part?
//!
//! The crate `impinge-nc` reads programs and tools, does the check and writes every output file; this module reads the
//! arguments and prints.
//!
//! | file | what it holds |
//! |---|---|
//! | `arguments.rs` | the command line |
//! | `bodies.rs` | the part, the stock and the fixtures |
//! | `program.rs` | the program and its tools |
//! | `search.rs` | the check, with its progress bar and Ctrl-C |
//! | `table.rs` | the printed table and the summary |
//! | `outputs.rs` | output files: all of them are written, or none |

mod arguments;
mod bodies;
mod outputs;
mod program;
mod search;
mod table;

use crate::{
    failure::Failure,
    interrupt::Interrupt,
    output::{self, note},
    threads,
};
use impinge_nc::{Job, Options, Report, Setup, demo, json};
use outputs::Writer;
use std::{
    io::{self, Write},
    time::Instant,
};

pub(crate) use arguments::Arguments;

/// A program with its tools, and how the part is named in reports.
struct Loaded {
    part_name: String,
    job: Job,
}

pub(crate) fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Failure> {
    // Errors in the arguments are reported before any file is read.
    let options = arguments.check.options()?;
    arguments.outputs.check(arguments.list.json, arguments.inputs())?;
    match threads::pool(arguments.check.threads)? {
        None => run_here(arguments, &options, interrupt),
        Some(pool) => pool.install(|| run_here(arguments, &options, interrupt)),
    }
}

/// Checks on the threads of the current pool.
fn run_here(
    arguments: &Arguments,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let (setup, loaded) = arguments.outputs.outputs().reading(|| load(arguments))?;
    loaded.job.notes.iter().for_each(|text| note(text));

    let start = Instant::now();
    let Loaded { part_name, job } = &loaded;
    let Job { program, tools, .. } = job;
    let outcome = interrupt.during(|| search::find(program, tools, &setup, options, interrupt))?;
    let report = Report {
        part_name,
        program_name: &job.name,
        source: &job.source,
        program,
        tools,
        setup: &setup,
        options,
        outcome: &outcome,
        notes: &job.notes,
        seconds: start.elapsed().as_secs_f64(),
    };
    arguments.outputs.write(&report, interrupt)?;
    match print(arguments, &report) {
        // A reader that closed our output still gets the exit code.
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    match outcome.gouging_moves {
        0 => Ok(()),
        // The table says it already.
        _ if arguments.printed().is_none() => Err(Failure::Check(String::new())),
        _ => Err(Failure::Check(table::verdict(&report))),
    }
}

/// Reads everything that is named, or takes the built-in example.
fn load(arguments: &Arguments) -> Result<(Setup, Loaded), Failure> {
    let mut job = match &arguments.program {
        Some(path) => program::load(path, &arguments.reading)?,
        None => program::example(&arguments.reading)?,
    };
    let setup = match &arguments.part {
        Some(part) => bodies::load(part, &arguments.reading)?,
        None => bodies::with_part(demo::PART_NAME, demo::part(), &arguments.reading)?,
    };
    let part_name = match &arguments.part {
        Some(part) => bodies::short_name(part),
        None => demo::PART_NAME.to_owned(),
    };
    if let Some(part) = &arguments.part {
        job.notes.extend(bodies::unit_note(part, job.program.unit, &arguments.reading));
    }
    job.notes.extend(bodies::open_notes(&setup));
    Ok((setup, Loaded { part_name, job }))
}

fn print(arguments: &Arguments, report: &Report<'_>) -> Result<(), Failure> {
    let Some(writer) = arguments.printed() else {
        let is_example = arguments.part.is_none();
        return output::text(&table::readable(report, &arguments.list, is_example));
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    writer(report, &mut out)?;
    Ok(out.flush()?)
}

impl Arguments {
    /// The writer of the output that replaces the table on standard output.
    fn printed(&self) -> Option<Writer> {
        match self.list.json {
            true => Some(json::write),
            false => self.outputs.to_standard_output(),
        }
    }
}

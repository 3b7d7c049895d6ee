//! `impinge clash --joints`: checks many configurations of robots in one run.

use super::{arguments::Arguments, table};
use crate::{
    failure::Failure,
    interrupt::Interrupt,
    output::{self, count, plain},
    progress::Progress,
    threads,
};
use impinge::Threads;
use impinge_clash::{
    CheckOptions, CheckedConfigurations, CollidingConfiguration, check_configurations,
};
use impinge_io::assembly::{Assembly, Configurations};
use std::{
    fmt::Write as _,
    io::{self, Write},
    path::Path,
    sync::Mutex,
    time::{Duration, Instant},
};

/// Reads the configurations, checks them, writes the output files and prints the result.
pub(super) fn run(
    arguments: &Arguments,
    file: &Path,
    assembly: &Assembly,
    mut options: CheckOptions,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let configurations = Configurations::load(file, assembly)?;
    let pool = threads::pool(arguments.pair_options.threads)?;
    options.threads = if pool.is_some() { Threads::Pool } else { Threads::One };
    let start = Instant::now();
    let colliding = interrupt.during(|| {
        let progress = Mutex::new(Progress::new("configurations", configurations.len() as u64));
        let proceed = |done: u64| {
            // If another thread is updating the bar, skip this update.
            if let Ok(progress) = progress.try_lock() {
                progress.at(done, configurations.len() as u64);
            }
            !interrupt.is_requested()
        };
        let check = || check_configurations(assembly, &configurations, &options, &proceed);
        let found = match &pool {
            None => check(),
            Some(pool) => pool.install(check),
        };
        found.map_err(|error| match error {
            error @ impinge_clash::Error::Configuration { .. } => {
                Failure::input(format!("{}: {error}", file.display()))
            }
            error => super::search::failure(error),
        })
    })?;
    let time = start.elapsed();
    let (configurations, colliding) = (&configurations, &colliding[..]);
    let checked = CheckedConfigurations { assembly, configurations, colliding };

    arguments.outputs.write_texts(
        &|out| checked.write_json(out),
        &|out| checked.write_csv(out),
        interrupt,
    )?;
    match print(arguments, file, &checked, time) {
        // A reader that closed our output still gets the exit code.
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    match checked.failures() {
        0 => Ok(()),
        failures => Err(Failure::Check(format!(
            "{failures} of {} have clashes that are neither ignored nor allowed",
            count(configurations.len(), "configuration")
        ))),
    }
}

fn print(
    arguments: &Arguments,
    file: &Path,
    checked: &CheckedConfigurations<'_>,
    time: Duration,
) -> Result<(), Failure> {
    if arguments.list_options.json {
        let mut out = io::BufWriter::new(io::stdout().lock());
        checked.write_json(&mut out)?;
        return Ok(out.flush()?);
    }
    output::text(&readable(checked, file, arguments.list_options.limit, time))
}

/// Returns the whole report: head, one row for each configuration with clashes, summary.
fn readable(
    checked: &CheckedConfigurations<'_>,
    file: &Path,
    limit: Option<usize>,
    time: Duration,
) -> String {
    let CheckedConfigurations { assembly, configurations, colliding } = checked;
    let total = configurations.len();
    let mut text = format!(
        "{}: {}; {} of {} from {}\n",
        plain(
            &assembly
                .files
                .iter()
                .map(|file| file.to_string_lossy())
                .collect::<Vec<_>>()
                .join(", ")
        ),
        count(assembly.parts.len(), "part"),
        count(total, "configuration"),
        count(configurations.joints().len(), "joint"),
        plain(&file.to_string_lossy())
    );
    let shown = &colliding[..colliding.len().min(limit.unwrap_or(usize::MAX))];
    if !shown.is_empty() {
        let mut header = vec!["configuration", "line"];
        header.extend(configurations.heading());
        header.extend(["worst", "pairs"]);
        let mut rows = vec![header.into_iter().map(str::to_owned).collect::<Vec<_>>()];
        rows.extend(shown.iter().map(|found| row(checked, found)));
        text.push('\n');
        text.push_str(&output::table(&rows));
    }
    text.push('\n');
    if shown.len() < colliding.len() {
        let _ = writeln!(
            text,
            "{} of {} configurations with clashes are listed (--limit)",
            shown.len(),
            colliding.len()
        );
    }
    let _ = write!(
        text,
        "{} of {} {}",
        colliding.len(),
        count(total, "configuration"),
        match colliding.len() {
            1 => "collides",
            _ => "collide",
        }
    );
    let allowed = colliding.len() - checked.failures();
    if allowed > 0 {
        let _ = write!(text, "; {allowed} only with allowed clashes");
    }
    let _ = writeln!(
        text,
        "; checked in {}, {} each",
        table::time(time),
        table::time(time / u32::try_from(total).unwrap_or(u32::MAX))
    );
    text
}

/// The clashes of one configuration that a row names.
const MAX_NAMED: usize = 4;

fn row(checked: &CheckedConfigurations<'_>, found: &CollidingConfiguration) -> Vec<String> {
    let configurations = checked.configurations;
    let mut cells =
        vec![(found.number + 1).to_string(), configurations.line(found.number).to_string()];
    cells.extend(configurations.label(found.number).map(plain));
    let worst = found.collisions[0].verdict;
    cells.push(table::style(worst).apply_to(worst).to_string());
    let mut pairs: Vec<String> = Vec::new();
    for collision in found.collisions.iter().take(MAX_NAMED) {
        let [a, b] = [collision.a, collision.b].map(|part| plain(checked.name(part)));
        let verdict = match collision.verdict == worst {
            true => String::new(),
            false => format!(" ({})", collision.verdict),
        };
        pairs.push(format!("{a} :: {b}{verdict}"));
    }
    if found.collisions.len() > MAX_NAMED {
        pairs.push(format!("{} more", found.collisions.len() - MAX_NAMED));
    }
    cells.push(pairs.join(", "));
    cells
}

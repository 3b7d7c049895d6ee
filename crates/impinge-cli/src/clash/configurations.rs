//! `impinge clash --joints`: checks many configurations of robots in one run, and the steps between them.

use super::{arguments::Arguments, table};
use crate::{
    failure::Failure,
    interrupt::Interrupt,
    output::{self, count, note, plain, short},
    progress::Progress,
    threads,
};
use impinge::Threads;
use impinge_clash::{
    CheckOptions, CheckedConfigurations, CollidingConfiguration, CollidingStep, check_between,
    check_configurations,
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
    let total = configurations.len() as u64;
    let watched = Watched { file, pool: pool.as_ref(), interrupt };
    let colliding = watched.run("configurations", total, |proceed| {
        check_configurations(assembly, &configurations, &options, proceed)
    })?;
    let time = start.elapsed();
    let start = Instant::now();
    let between = match arguments.robot_options.continuous {
        false => None,
        true => Some(watched.run("between configurations", total - 1, |proceed| {
            check_between(assembly, &configurations, &options, proceed)
        })?),
    };
    let times = [time, start.elapsed()];
    let (configurations, colliding) = (&configurations, &colliding[..]);
    let between = between.as_ref();
    let checked = CheckedConfigurations { assembly, configurations, colliding, between };

    arguments.outputs.write_texts(
        &|out| checked.write_json(out),
        &|out| checked.write_csv(out),
        None,
        interrupt,
    )?;
    match print(arguments, file, &checked, times) {
        // A reader that closed our output still gets the exit code.
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    if let Some(open) = between.map(|between| &between.open_parts[..]).filter(|it| !it.is_empty()) {
        note(&holes(&checked, open));
    }
    if checked.doubtful() > 0 {
        note(&format!(
            "{} between configurations could not be certified: something worse than what is listed cannot be ruled out",
            count(checked.doubtful(), "contact")
        ));
    }
    match (checked.failures(), checked.failures_between()) {
        (0, 0) => Ok(()),
        (failures, 0) => Err(Failure::Check(format!(
            "{failures} of {} have clashes that are neither ignored nor allowed",
            count(configurations.len(), "configuration")
        ))),
        (failures, between) => Err(Failure::Check(format!(
            "{failures} of {} and {between} of the steps between them have clashes that are neither ignored nor allowed",
            count(configurations.len(), "configuration")
        ))),
    }
}

/// Parts with holes that a note names; the others are counted.
const MAX_HOLES: usize = 3;

/// Warns about parts that others may get inside of between two configurations without a contact.
fn holes(checked: &CheckedConfigurations<'_>, open: &[usize]) -> String {
    let named = open.iter().take(MAX_HOLES).map(|&part| plain(checked.name(part as u32)));
    let mut names: Vec<String> = named.collect();
    if open.len() > MAX_HOLES {
        names.push(format!("{} more", open.len() - MAX_HOLES));
    }
    let have = if open.len() == 1 { "has" } else { "have" };
    format!(
        "{} {have} holes in the surface: a part that gets inside through a hole and out again between two \
         configurations is not found",
        names.join(", ")
    )
}

/// How a check is run and watched.
struct Watched<'w> {
    file: &'w Path,
    pool: Option<&'w rayon::ThreadPool>,
    interrupt: &'w Interrupt,
}

impl Watched<'_> {
    /// Does a check with a progress bar, in the pool. The check gets a function to call with the number of items that are
    /// done.
    fn run<T: Send>(
        &self,
        label: &str,
        total: u64,
        check: impl FnOnce(&(dyn Fn(u64) -> bool + Sync)) -> Result<T, impinge_clash::Error> + Send,
    ) -> Result<T, Failure> {
        let Self { file, pool, interrupt } = self;
        interrupt.during(|| {
            let progress = Mutex::new(Progress::new(label, total));
            let proceed = |done: u64| {
                // If another thread is updating the bar, skip this update.
                if let Ok(progress) = progress.try_lock() {
                    progress.at(done, total);
                }
                !interrupt.is_requested()
            };
            let found = match pool {
                None => check(&proceed),
                Some(pool) => pool.install(|| check(&proceed)),
            };
            found.map_err(|error| match error {
                error @ impinge_clash::Error::Configuration { .. } => {
                    Failure::input(format!("{}: {error}", file.display()))
                }
                error => super::search::failure(error),
            })
        })
    }
}

fn print(
    arguments: &Arguments,
    file: &Path,
    checked: &CheckedConfigurations<'_>,
    times: [Duration; 2],
) -> Result<(), Failure> {
    if arguments.list_options.json {
        let mut out = io::BufWriter::new(io::stdout().lock());
        checked.write_json(&mut out)?;
        return Ok(out.flush()?);
    }
    output::text(&readable(checked, file, arguments.list_options.limit, times))
}

/// Returns the whole report: head, one row for each configuration with clashes, summary.
fn readable(
    checked: &CheckedConfigurations<'_>,
    file: &Path,
    limit: Option<usize>,
    [time, time_between]: [Duration; 2],
) -> String {
    let CheckedConfigurations { assembly, configurations, colliding, between } = checked;
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
    if let Some(between) = between {
        text.push_str(&readable_between(checked, &between.steps, time_between));
    }
    text
}

/// The contacts of steps between two rows that a table names.
const MAX_CONTACTS: usize = 100;

/// Returns a table with one row for each contact that begins between two configurations, and a summary.
fn readable_between(
    checked: &CheckedConfigurations<'_>,
    steps: &[CollidingStep],
    time: Duration,
) -> String {
    let mut rows = vec![["between", "fraction", "verdict", "pair"].map(str::to_owned).to_vec()];
    let contacts = steps.iter().flat_map(|step| step.approaches.iter().map(move |one| (step, one)));
    let all = contacts.clone().count();
    rows.extend(contacts.take(MAX_CONTACTS).map(|(step, contact)| {
        let [a, b] = [contact.a, contact.b].map(|part| plain(checked.name(part)));
        let verdict = match contact.verdict {
            Some(verdict) if contact.doubt.is_none() => {
                table::style(verdict).apply_to(verdict).to_string()
            }
            Some(verdict) => format!("{verdict} (not certified)"),
            None => "clear (not certified)".to_owned(),
        };
        let rows = format!("{} and {}", step.number + 1, step.number + 2);
        vec![rows, short(contact.fraction, 6), verdict, format!("{a} :: {b}")]
    }));
    let mut text = String::from("\n");
    if all > 0 {
        text.push_str(&output::table(&rows));
        text.push('\n');
    }
    if all > MAX_CONTACTS {
        let _ = writeln!(text, "{MAX_CONTACTS} of {all} contacts are listed; --json has all");
    }
    let count_of = checked.configurations.len() - 1;
    let _ = writeln!(
        text,
        "contacts begin in {} of {} between configurations; checked in {}, {} each",
        steps.len(),
        count(count_of, "step"),
        table::time(time),
        table::time(time / u32::try_from(count_of.max(1)).unwrap_or(u32::MAX))
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

//! `impinge clash --path`: parts that move along a path, through the others.

use super::{arguments::Arguments, search, table};
use crate::{
    failure::Failure,
    interrupt::Interrupt,
    output::{self, count, note, plain, short},
};
use impinge::{clash::Verdict, glam::DVec3};
use impinge_clash::{
    CheckOptions, CheckedPath, Doubt, PathClash, PathOutcome, PathPage, PathPlace, Pattern,
    check_path,
};
use impinge_io::{PathRows, assembly::Assembly};
use std::{
    fmt::Write as _,
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Parts that move.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Paths")]
pub(super) struct PathOptions {
    /// Move parts along this path, through the others: a CSV file with a row of 12 numbers for each step, the
    /// row-major 3x4 matrix that displaces the parts from where they stand
    #[arg(long, value_name = "PATH.csv", requires = "moving")]
    #[arg(conflicts_with_all = ["baseline", "sort", "group_by", "glb", "bcf", "picture", "pictures", "review", "configurations"])]
    pub(super) path: Option<PathBuf>,
    /// The parts that move: a sub-assembly, a file or a part, by name, path or pattern; may be repeated
    #[arg(long, value_name = "PART", requires = "path")]
    moving: Vec<String>,
    /// The point that moves on a straight line between two rows, in the unit of the assembly [default: the
    /// centroid of the moving parts' surfaces]
    #[arg(long, value_name = "X,Y,Z", requires = "path", value_parser = point, allow_hyphen_values = true)]
    pivot: Option<DVec3>,
}

impl PathOptions {
    fn moving(&self) -> impl Iterator<Item = Pattern> {
        self.moving.iter().map(|name| Pattern::new(name.trim_end_matches('/')))
    }
}

fn point(text: &str) -> Result<DVec3, String> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|number| number.trim().parse().ok().filter(|value: &f64| value.abs() <= 1e100))
        .collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err("expected three numbers: X,Y,Z".into()),
    }
}

/// Reads the path, checks it, writes the output files and prints the result.
pub(super) fn run(
    arguments: &Arguments,
    file: &Path,
    assembly: &Assembly,
    options: &CheckOptions,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let rows = PathRows::load(file)?;
    let mut path = impinge_clash::PathOptions::new(arguments.path_options.moving().collect());
    path.pivot = arguments.path_options.pivot;
    let start = Instant::now();
    let outcome = interrupt.during(|| {
        let watcher = search::Watcher::new(assembly, interrupt);
        let threads = arguments.pair_options.threads;
        search::on_threads(options.clone(), threads, |options| {
            check_path(assembly, &rows, &path, options, &watcher)
        })
        .map_err(|failure| match failure {
            Failure::Input(message) if message.starts_with("line ") => {
                Failure::Input(message).about(&file.display().to_string())
            }
            failure => failure,
        })
    })?;
    let time = start.elapsed();
    let checked = CheckedPath { assembly, rows: &rows, file, options, outcome: &outcome };
    let page = match arguments.outputs.has_report() {
        true => Some(interrupt.during(|| {
            let watcher = search::Watcher::new(assembly, interrupt);
            PathPage::new(&checked, &watcher).map_err(search::failure)
        })?),
        false => None,
    };
    arguments.outputs.write_texts(
        &|out| checked.write_json(out),
        &|out| checked.write_csv(out),
        page.is_some().then_some(&|out| page.iter().try_for_each(|page| page.write(out))),
        interrupt,
    )?;
    match print(arguments, &checked, time) {
        // A reader that closed our output still gets the exit code.
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    if outcome.doubtful > 0 {
        note(&format!(
            "{} could not be certified: something worse than what is listed cannot be ruled out",
            count(outcome.doubtful, "interval")
        ));
    }
    match outcome.failures() {
        0 => Ok(()),
        // The table says it already.
        _ if !arguments.list_options.json => Err(Failure::Check(String::new())),
        failures => Err(Failure::Check(table::attention(failures))),
    }
}

fn print(arguments: &Arguments, checked: &CheckedPath<'_>, time: Duration) -> Result<(), Failure> {
    if arguments.list_options.json {
        let mut out = io::BufWriter::new(io::stdout().lock());
        checked.write_json(&mut out)?;
        return Ok(out.flush()?);
    }
    output::text(&readable(checked, arguments.list_options.limit, time))
}

/// Returns the whole report: head, one row for each interval, summary.
fn readable(checked: &CheckedPath<'_>, limit: Option<usize>, time: Duration) -> String {
    let CheckedPath { assembly, rows, file, outcome, .. } = checked;
    let files: Vec<_> = assembly.files.iter().map(|file| file.to_string_lossy()).collect();
    let moving = match outcome.moving[..] {
        [part] => format!("{} moves", plain(checked.name(part))),
        _ => format!("{} move", count(outcome.moving.len(), "part")),
    };
    let mut text = format!(
        "{}: {}; {moving} along {} of {}\n",
        plain(&files.join(", ")),
        count(assembly.parts.len(), "part"),
        count(rows.row_count(), "row"),
        plain(&file.to_string_lossy())
    );
    let shown = &outcome.clashes[..outcome.clashes.len().min(limit.unwrap_or(usize::MAX))];
    if !shown.is_empty() {
        let header =
            ["moving", "other", "verdict", "from", "until", "first at", "line", "distance"];
        let mut cells = vec![header.map(str::to_owned).to_vec()];
        cells.extend(shown.iter().map(|clash| row(checked, clash)));
        text.push('\n');
        text.push_str(&output::table(&cells));
    }
    text.push('\n');
    if shown.len() < outcome.clashes.len() {
        let all = outcome.clashes.len();
        let _ = writeln!(text, "{} of {all} intervals are listed (--limit)", shown.len());
    }
    if outcome.hidden > 0 {
        let _ = writeln!(
            text,
            "{} not listed because of rules or --only",
            count(outcome.hidden, "interval")
        );
    }
    let _ = writeln!(text, "{}; checked in {}", summary(outcome), table::time(time));
    text
}

fn summary(outcome: &PathOutcome) -> String {
    let counts = Verdict::ALL.map(|verdict| (verdict, outcome.count(verdict)));
    let some: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    let pairs = count(outcome.pairs_checked, "near pair");
    match some.is_empty() {
        true if outcome.doubtful == 0 => format!("{pairs}: clear along the whole path"),
        true => format!("{pairs}: no clash found"),
        false => format!("{pairs}: {}", some.join(", ")),
    }
}

fn row(checked: &CheckedPath<'_>, clash: &PathClash) -> Vec<String> {
    let [moving, other] = [clash.moving, clash.other].map(|part| plain(checked.name(part)));
    let verdict = match (clash.verdict, clash.doubt) {
        (Some(verdict), None) => table::style(verdict).apply_to(verdict).to_string(),
        (Some(verdict), Some(doubt)) => format!("{verdict} ({})", reason(doubt)),
        (None, Some(doubt)) => format!("clear ({})", reason(doubt)),
        (None, None) => "clear".to_owned(),
    };
    let place = |place: PathPlace| match place.time(checked.rows) {
        Some(time) => format!("t={}", short(time, 6)),
        None => format!("row {}", short(place.row as f64 + 1.0 + place.fraction, 6)),
    };
    let distance = match clash.verdict {
        Some(Verdict::Clearance) => short(clash.distance, 4),
        _ => "-".to_owned(),
    };
    let line = checked.rows.lines()[clash.at.row].to_string();
    let [from, until, at] = [clash.from, clash.until, clash.at].map(place);
    vec![moving, other, verdict, from, until, at, line, distance]
}

fn reason(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Gaps => "not certified: a surface has holes",
        Doubt::Near => "not certified: within the touch band",
        _ => "not certified: checked at samples",
    }
}

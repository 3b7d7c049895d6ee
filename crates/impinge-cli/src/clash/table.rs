//! The table of `impinge clash`: head, one row for each clash, summary.

use crate::{
    input::DEMO,
    output::{self, count, plain, short, width},
};
use clap::ValueEnum;
use console::{Style, Term};
use impinge::{
    clash::{Place, Verdict},
    glam::DVec3,
};
use impinge_clash::{Outcome, Row, Total};
use std::{fmt::Write, time::Duration};

/// What each row of the table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GroupBy {
    /// Two parts
    Pair,
    /// One of the places where two parts meet
    Place,
    /// Two sub-assemblies, with the number of their parts that clash
    Group,
}

/// How long the stages of a check took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// Reading the files.
    pub(super) read: Duration,
    /// Finding the clashes.
    pub(super) search: Duration,
}

/// Returns the whole report: head, table and summary. `is_default` is set if no file was named.
pub(super) fn readable(
    outcome: &Outcome,
    group_by: GroupBy,
    times: Times,
    is_default: bool,
) -> String {
    let mut text = head(outcome, is_default);
    let mut rows = match group_by {
        GroupBy::Pair => pairs(outcome),
        GroupBy::Place => places(outcome),
        GroupBy::Group => groups(outcome),
    };
    if rows.len() > 1 {
        if let Some(columns) = columns() {
            // The rows of sub-assemblies have no verdict; with a baseline, all other rows have a status.
            let is_group = group_by == GroupBy::Group;
            let first = if is_group { 0 } else { 1 + usize::from(outcome.known.is_some()) };
            fit_names(&mut rows, first, columns);
        }
        text.push('\n');
        text.push_str(&output::table(&rows));
    }
    for gone in &outcome.findings.resolved {
        let [a, b] = [&gone.a, &gone.b].map(|name| plain(name));
        let _ = write!(text, "\nresolved: {a} and {b} ({})", gone.verdict);
    }
    if !outcome.findings.resolved.is_empty() {
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&foot(outcome, group_by, times));
    text
}

fn head(outcome: &Outcome, is_default: bool) -> String {
    let findings = &outcome.findings;
    let assembly = &findings.assembly;
    let mut text = String::new();
    if is_default {
        let _ = writeln!(
            text,
            "No FILE is given, so this is the example assembly {DEMO}. \
             To check your own: impinge clash FILE…\n"
        );
    }
    let files: Vec<String> =
        assembly.files.iter().map(|file| plain(&file.to_string_lossy())).collect();
    match &files[..] {
        [only] => _ = write!(text, "{only}: "),
        _ => _ = write!(text, "{}: ", count(files.len(), "file")),
    }
    let units = assembly.units.map(|units| format!(" {units}")).unwrap_or_default();
    let _ = write!(
        text,
        "{} of {}; touch band {}{units}",
        count(assembly.parts.len(), "part"),
        count(assembly.face_count(), "face"),
        short(findings.touch, 4)
    );
    match findings.clearance {
        0.0 => text.push_str(", no clearance\n"),
        clearance => _ = writeln!(text, ", clearance {}{units}", short(clearance, 4)),
    }
    text
}

fn foot(outcome: &Outcome, group_by: GroupBy, times: Times) -> String {
    let findings = &outcome.findings;
    let mut text = String::new();
    let listed = findings.rows.len();
    if listed < outcome.total() && group_by != GroupBy::Group {
        let _ = writeln!(text, "{listed} of {} clashes are listed (--limit)", outcome.total());
    }
    if group_by == GroupBy::Pair && findings.rows.iter().any(is_open) {
        text.push_str(
            "open: one of the parts is not a closed surface, so the penetration depth is unknown\n",
        );
    }
    match outcome.open_parts {
        0 => {}
        1 => text.push_str("1 checked part is open: no part is reported as inside it\n"),
        open => {
            let _ =
                writeln!(text, "{open} checked parts are open: no part is reported as inside them");
        }
    }
    let counted: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|&verdict| outcome.count(verdict) > 0)
        .map(|verdict| {
            style(verdict).apply_to(format!("{} {verdict}", outcome.count(verdict))).to_string()
        })
        .collect();
    match &counted[..] {
        [] => text.push_str(&Style::new().green().apply_to("no clashes").to_string()),
        counted => text.push_str(&counted.join(", ")),
    }
    if let Some(known) = outcome.known {
        let (new, resolved) = (outcome.total() - known, findings.resolved.len());
        let _ = write!(text, " ({new} new, {known} known, {resolved} resolved)");
    }
    let allowed = outcome.total() - outcome.failures;
    if allowed > 0 {
        let _ = write!(text, "; {allowed} allowed");
    }
    let [read, search] = [times.read, times.search].map(time);
    let pairs = count(findings.pairs_checked, "pair");
    let _ = writeln!(text, "; {pairs} checked in {search}, files read in {read}");
    text
}

/// Returns whether the depth of a clash is unknown because a part is not closed.
fn is_open(row: &Row) -> bool {
    row.clash.depth.is_none() && row.clash.distance == 0.0 && row.clash.is_closed != [true; 2]
}

pub(super) fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", short(seconds * 1e3, 3)),
        seconds => format!("{} s", short(seconds, 3)),
    }
}

/// One row for each clash.
fn pairs(outcome: &Outcome) -> Vec<Vec<String>> {
    let rows = &outcome.findings.rows;
    let mut table = vec![header(outcome, &["depth", "length", "distance", "at"])];
    for row in rows {
        let clash = &row.clash;
        let depth = match clash.least_depth() {
            Some(depth) => short(depth, 4),
            None if is_open(row) => "open".into(),
            None => "-".into(),
        };
        let mut cells = first_cells(outcome, row);
        let [length, distance] = [clash.length, clash.distance].map(|value| short(value, 4));
        cells.extend([depth, length, distance, at(clash.points[0])]);
        table.push(cells);
    }
    table
}

/// One row for each place where two parts meet. A pair without such a place has one row, too.
fn places(outcome: &Outcome) -> Vec<Vec<String>> {
    let mut table = vec![header(outcome, &["place", "length", "faces", "at"])];
    for row in &outcome.findings.rows {
        let clash = &row.clash;
        let count = clash.places.len();
        for (number, Place { point, length, faces, .. }) in (1..).zip(&clash.places) {
            let mut cells = first_cells(outcome, row);
            let place = format!("{number}/{count}");
            cells.extend([place, short(*length, 4), faces.len().to_string(), at(*point)]);
            table.push(cells);
        }
        if count == 0 {
            let mut cells = first_cells(outcome, row);
            let faces = clash.faces.len().to_string();
            cells.extend(["-".into(), short(clash.length, 4), faces, at(clash.points[0])]);
            table.push(cells);
        }
    }
    table
}

/// One row for each pair of sub-assemblies.
fn groups(outcome: &Outcome) -> Vec<Vec<String>> {
    let shown: Vec<Verdict> =
        Verdict::ALL.into_iter().filter(|&verdict| outcome.count(verdict) > 0).collect();
    let mut header = vec!["sub-assembly".to_owned(), "sub-assembly".to_owned()];
    header.extend(shown.iter().map(Verdict::to_string));
    let mut table = vec![header];
    let name = |name: &Option<String>| name.as_deref().map_or("(none)".into(), plain);
    for Total { a, b, counts, .. } in outcome.totals.iter().flatten() {
        let mut cells = vec![name(a), name(b)];
        cells.extend(shown.iter().map(|&verdict| counts[verdict as usize].to_string()));
        table.push(cells);
    }
    table
}

fn header(outcome: &Outcome, more: &[&str]) -> Vec<String> {
    let bold = |text: &&str| Style::new().bold().apply_to(text).to_string();
    let status = outcome.known.is_some().then_some("status");
    ["verdict"].iter().chain(&status).chain(&["a", "b"]).chain(more).map(bold).collect()
}

/// Returns the first cells of a row, which are the same in all tables of clashes.
fn first_cells(outcome: &Outcome, row: &Row) -> Vec<String> {
    let clash = &row.clash;
    let mut cells = vec![style(clash.verdict).apply_to(clash.verdict).to_string()];
    if let Some(status) = row.status {
        cells.push(match outcome.was(row) {
            Some(before) => format!("{} (was {before})", status.name()),
            None => status.name().to_owned(),
        });
    }
    cells.extend([clash.a, clash.b].map(|part| plain(outcome.name(part))));
    cells
}

/// The colour of a verdict on a terminal.
pub(super) fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Duplicate => Style::new().magenta(),
        Verdict::Inside | Verdict::Penetrating => Style::new().red(),
        Verdict::Clearance => Style::new().yellow(),
        Verdict::Touching => Style::new().cyan(),
        _ => Style::new(),
    }
}

/// Returns the width of the terminal, if standard output is one.
fn columns() -> Option<usize> {
    let terminal = Term::stdout();
    let (_, columns) = terminal.size_checked().filter(|_| terminal.is_term())?;
    Some(columns.into())
}

/// Names are not made shorter than this many columns.
const MIN_NAME: usize = 12;

/// Shortens the names in the columns `first` and `first + 1` until the table is at most `columns` wide, if it
/// can be.
fn fit_names(table: &mut [Vec<String>], first: usize, columns: usize) {
    let count = table.first().map_or(0, Vec::len);
    let widest = |column: usize| table.iter().map(|row| width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(widest).collect();
    let (a, b) = (widths[first], widths[first + 1]);
    let others = widths.iter().sum::<usize>() - a - b + 2 * (count - 1);
    let left = columns.saturating_sub(others);
    if a + b <= left {
        return;
    }
    // One of the two may need less than half.
    let half = left / 2;
    let a = a.min(half.max(left.saturating_sub(b))).max(MIN_NAME);
    let b = b.min(left.saturating_sub(a)).max(MIN_NAME);
    for row in table {
        row[first] = shortened(&row[first], a);
        row[first + 1] = shortened(&row[first + 1], b);
    }
}

/// Returns `name` cut to a width of `to` columns. The middle is cut out, because similar names differ at
/// their ends.
fn shortened(name: &str, to: usize) -> String {
    if width(name) <= to {
        return name.to_owned();
    }
    let room = to.saturating_sub(1);
    let take = |characters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut taken = Vec::new();
        let mut used = 0;
        for c in characters {
            used += width(c.encode_utf8(&mut [0; 4]));
            if used > room {
                break;
            }
            taken.push(c);
        }
        taken
    };
    let mut end = take(&mut name.chars().rev(), room / 2);
    end.reverse();
    let begin = take(&mut name.chars(), room - room / 2);
    let [begin, end]: [String; 2] = [begin, end].map(|characters| characters.into_iter().collect());
    format!("{}…{}", begin.trim_end(), end.trim_start())
}

fn at(point: DVec3) -> String {
    let [x, y, z] = point.to_array().map(|value| short(value, 6));
    format!("({x}, {y}, {z})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_the_terminal_if_names_allow_it() {
        let names = ["short", "a name that is rather long", "x"];
        let row =
            |a: usize, b: usize| [names[2], names[a], names[b], "tail"].map(str::to_owned).to_vec();
        let table = vec![row(0, 1), row(2, 1), row(1, 0)];
        for columns in 40..80 {
            let mut fitted = table.clone();
            fit_names(&mut fitted, 1, columns);
            let widest = output::table(&fitted).lines().map(width).max().unwrap();
            assert!(widest <= columns, "{widest} in {columns}: {fitted:?}");
            // The table uses the width that it has: no name is cut more than needed.
            assert!(fitted == table || widest + 6 >= columns, "{widest} in {columns}: {fitted:?}");
        }
        let mut narrow = table.clone();
        fit_names(&mut narrow, 1, 10);
        assert_eq!(narrow[0][1..3], ["short", "a name…long"].map(str::to_owned), "{narrow:?}");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("bolt", 12), "bolt");
        assert_eq!(shortened("bearing input front", 12), "bearin…front");
        assert_eq!(shortened("六角螺栓六角螺栓", 16), "六角螺栓六角螺栓");
        assert_eq!(shortened("六角螺栓六角螺栓", 12), "六角螺…螺栓");
        assert_eq!(shortened("bearing input front", 13), "bearin…front");
        for to in 1..20 {
            assert!(width(&shortened("六角x螺栓六角螺栓 y", to)) <= to);
        }
    }
}

//! The findings for people.

use super::{
    findings::Row,
    input::DEMO,
    outcome::{Outcome, status_name},
    totals::Total,
};
use crate::output::{self, plain, width};
use clap::ValueEnum;
use console::{Style, Term};
use impinge::{
    clash::{Place, Verdict},
    glam::DVec3,
};
use std::{fmt::Write, time::Duration};

/// What a row of the table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GroupBy {
    /// Two parts
    Pair,
    /// A place where two parts meet; they may have several
    Place,
    /// Two sub-assemblies, with how many of their parts clash
    Group,
}

/// The table, what was asked, and what it comes to. `is_default` if no file was named.
pub(super) fn readable(outcome: &Outcome, group_by: GroupBy, is_default: bool) -> String {
    let mut text = head(outcome, is_default);
    let rows = match group_by {
        GroupBy::Pair => pairs(outcome),
        GroupBy::Place => places(outcome),
        GroupBy::Group => groups(outcome),
    };
    if rows.len() > 1 {
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
    text.push_str(&foot(outcome, group_by));
    text
}

fn head(outcome: &Outcome, is_default: bool) -> String {
    let findings = &outcome.findings;
    let assembly = &findings.assembly;
    let mut text = String::new();
    if is_default {
        let _ = writeln!(
            text,
            "No file is named, so here is an assembly of our own: {DEMO}. Yours: impinge clash FILE…\n"
        );
    }
    let files: Vec<String> =
        assembly.files.iter().map(|file| plain(&file.to_string_lossy())).collect();
    match &files[..] {
        [only] => _ = write!(text, "{only}: "),
        _ => _ = write!(text, "{} files: ", files.len()),
    }
    let units = assembly.units.map(|units| format!(" {units}")).unwrap_or_default();
    let _ = write!(
        text,
        "{} parts of {} faces; touch band {}{units}",
        assembly.parts.len(),
        assembly.face_count(),
        short(findings.touch, 4)
    );
    match findings.clearance {
        0.0 => text.push_str(", no clearance asked for\n"),
        clearance => _ = writeln!(text, ", clearance {}{units}", short(clearance, 4)),
    }
    text
}

fn foot(outcome: &Outcome, group_by: GroupBy) -> String {
    let (findings, listing) = (&outcome.findings, &outcome.listing);
    let mut text = String::new();
    let listed = findings.rows.len();
    if listed < outcome.total() && group_by != GroupBy::Group {
        let _ = writeln!(text, "{listed} of {} clashes are listed (--limit)", outcome.total());
    }
    let has_open = findings
        .rows
        .iter()
        .any(|row| row.clash.is_closed != [true; 2] && row.clash.depth.is_none());
    if has_open && group_by == GroupBy::Pair {
        text.push_str(
            "open: one of the parts is no closed surface, so that there is no depth to tell\n",
        );
    }
    let counted: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|&verdict| listing.counts[verdict as usize] > 0)
        .map(|verdict| {
            style(verdict)
                .apply_to(format!("{} {verdict}", listing.counts[verdict as usize]))
                .to_string()
        })
        .collect();
    match &counted[..] {
        [] => text.push_str(&Style::new().green().apply_to("no clashes").to_string()),
        counted => text.push_str(&counted.join(", ")),
    }
    if let Some(known) = listing.known {
        let (new, resolved) = (outcome.total() - known, findings.resolved.len());
        let _ = write!(text, " ({new} new, {known} known, {resolved} resolved)");
    }
    let allowed = outcome.total() - listing.failures;
    if allowed > 0 {
        let _ = write!(text, "; {allowed} allowed");
    }
    let [read, search] = outcome.times.map(time);
    let pairs = match findings.pairs_checked {
        1 => "1 pair".to_owned(),
        pairs => format!("{pairs} pairs"),
    };
    let _ = writeln!(text, "; {pairs} looked at in {search}, read in {read}");
    text
}

fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", short(seconds * 1e3, 3)),
        seconds => format!("{} s", short(seconds, 3)),
    }
}

/// A row for each clash.
fn pairs(outcome: &Outcome) -> Vec<Vec<String>> {
    let rows = &outcome.findings.rows;
    let fit = Fit::new(outcome, 60);
    let mut table = vec![header(outcome, &["depth", "distance", "at"])];
    for row in rows {
        let clash = &row.clash;
        let depth = match clash.depth {
            Some(depth) => short(depth, 4),
            None if clash.is_closed != [true; 2] && clash.distance == 0.0 => "open".into(),
            None => "-".into(),
        };
        let mut cells = begin(outcome, row, &fit);
        cells.extend([depth, short(clash.distance, 4), at(clash.points[0])]);
        table.push(cells);
    }
    table
}

/// A row for each place; what meets nowhere has one, too.
fn places(outcome: &Outcome) -> Vec<Vec<String>> {
    let fit = Fit::new(outcome, 64);
    let mut table = vec![header(outcome, &["place", "length", "faces", "at"])];
    for row in &outcome.findings.rows {
        let clash = &row.clash;
        let count = clash.places.len();
        for (number, Place { point, length, faces, .. }) in (1..).zip(&clash.places) {
            let mut cells = begin(outcome, row, &fit);
            let place = format!("{number}/{count}");
            cells.extend([place, short(*length, 4), faces.len().to_string(), at(*point)]);
            table.push(cells);
        }
        if count == 0 {
            let mut cells = begin(outcome, row, &fit);
            let faces = clash.faces.len().to_string();
            cells.extend(["-".into(), short(clash.length, 4), faces, at(clash.points[0])]);
            table.push(cells);
        }
    }
    table
}

/// A row for each two sub-assemblies.
fn groups(outcome: &Outcome) -> Vec<Vec<String>> {
    let listing = &outcome.listing;
    let shown: Vec<Verdict> =
        Verdict::ALL.into_iter().filter(|&verdict| listing.counts[verdict as usize] > 0).collect();
    let mut header = vec!["sub-assembly".to_owned(), "sub-assembly".to_owned()];
    header.extend(shown.iter().map(Verdict::to_string));
    let mut table = vec![header];
    let name = |name: &Option<String>| name.as_deref().map_or("(none)".into(), plain);
    for Total { a, b, counts } in listing.totals.iter().flat_map(|totals| &totals.0) {
        let mut cells = vec![name(a), name(b)];
        cells.extend(shown.iter().map(|&verdict| counts[verdict as usize].to_string()));
        table.push(cells);
    }
    table
}

fn header(outcome: &Outcome, more: &[&str]) -> Vec<String> {
    let bold = |text: &&str| Style::new().bold().apply_to(text).to_string();
    let status = outcome.listing.known.is_some().then_some("status");
    ["verdict"].iter().chain(&status).chain(&["a", "b"]).chain(more).map(bold).collect()
}

/// What all rows of a clash begin with.
fn begin(outcome: &Outcome, row: &Row, fit: &Fit) -> Vec<String> {
    let clash = &row.clash;
    let mut cells = vec![style(clash.verdict).apply_to(clash.verdict).to_string()];
    if let Some(status) = row.status {
        cells.push(match outcome.was(row) {
            Some(before) => format!("{} (was {before})", status_name(status)),
            None => status_name(status).to_owned(),
        });
    }
    cells.extend([clash.a, clash.b].map(|part| shortened(&plain(outcome.name(part)), fit.names)));
    cells
}

/// Colours where a terminal shows them.
fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Duplicate => Style::new().magenta(),
        Verdict::Inside | Verdict::Penetrating => Style::new().red(),
        Verdict::Clearance => Style::new().yellow(),
        Verdict::Touching => Style::new().cyan(),
    }
}

/// How wide names may be.
struct Fit {
    names: usize,
}

/// No name is made shorter than this.
const LEAST_NAME: usize = 12;

impl Fit {
    /// On a terminal, what is left of a line when the rest has had its share.
    fn new(outcome: &Outcome, rest: usize) -> Self {
        let Some((_, columns)) = Term::stdout().size_checked().filter(|_| Term::stdout().is_term())
        else {
            return Self { names: usize::MAX };
        };
        let status = if outcome.listing.known.is_some() { 10 } else { 0 };
        let left = usize::from(columns).saturating_sub(rest + status);
        // One of the two may need less than half.
        let longest = |part: fn(&Row) -> usize| {
            let names = outcome.findings.rows.iter().map(|row| width(outcome.name(part(row))));
            names.max().unwrap_or(0)
        };
        let (a, b) = (longest(|row| row.clash.a), longest(|row| row.clash.b));
        let half = left / 2;
        let names = half.max(left.saturating_sub(a.min(b)));
        Self { names: names.max(LEAST_NAME) }
    }
}

/// A name with its middle left out where it is too wide: names that are alike differ at their ends.
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
    begin.into_iter().chain(['…']).chain(end).collect()
}

fn at(point: DVec3) -> String {
    let [x, y, z] = point.to_array().map(|value| short(value, 6));
    format!("({x}, {y}, {z})")
}

/// A number to so many digits: the last ones are in the JSON.
fn short(value: f64, digits: i32) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".into();
    }
    if !(1e-5..1e9).contains(&magnitude) {
        return format!("{value:.*e}", (digits - 1).max(0) as usize);
    }
    let decimals = (digits - 1 - magnitude.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (1.234_567, "1.235"),
            (123_456.7, "123457"),
            (-0.000_123_456, "-0.0001235"),
            (1.5e-9, "1.500e-9"),
            (2e12, "2.000e12"),
            (9.9999, "10"),
        ] {
            assert_eq!(short(value, 4), text, "{value}");
        }
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("bolt", 12), "bolt");
        assert_eq!(shortened("bearing input front", 12), "bearin…front");
        assert_eq!(shortened("六角螺栓六角螺栓", 16), "六角螺栓六角螺栓");
        assert_eq!(shortened("六角螺栓六角螺栓", 12), "六角螺…螺栓");
        for to in 1..20 {
            assert!(width(&shortened("六角x螺栓六角螺栓 y", to)) <= to);
        }
    }
}

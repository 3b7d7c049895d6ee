//! The table of `impinge clash`: head, one row for each clash, summary. `notes.rs` writes the lines below the table.

use super::{clusters, notes};
use crate::{
    input::DEMO,
    output::{self, count, plain, short, width},
};
use clap::ValueEnum;
use console::{Style, Term};
use impinge::{
    clash::{Clash, Depth, Place, Side, Verdict},
    glam::DVec3,
};
use impinge_clash::{Outcome, ReviewStatus, Row, Total};
use std::{fmt::Write, time::Duration};

/// What each row of the table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GroupBy {
    /// Two parts
    Pair,
    /// One of the connected pieces of the intersection of two parts
    Piece,
    /// All clashes of one part: the part with the most clashes comes first and takes them
    Part,
    /// All clashes near each other
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
    /// Writing files, pictures and pages; `None` if there are none.
    pub(super) write: Option<Duration>,
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
        GroupBy::Piece => pieces(outcome),
        GroupBy::Part => clusters::by_part(outcome),
        GroupBy::Place => clusters::by_place(outcome),
        GroupBy::Group => groups(outcome),
    };
    if rows.len() > 1 {
        if let Some(columns) = columns() {
            // The names of the parts follow the verdict, the status and the review.
            let first = match group_by {
                GroupBy::Group => 0,
                GroupBy::Part | GroupBy::Place => 1,
                GroupBy::Pair | GroupBy::Piece => {
                    1 + usize::from(outcome.known.is_some()) + usize::from(has_reviews(outcome))
                }
            };
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
    let units = notes::unit(outcome);
    let _ = write!(
        text,
        "{} of {}; {}",
        count(assembly.parts.len(), "part"),
        count(assembly.face_count(), "face"),
        bands(outcome),
    );
    match findings.clearance {
        0.0 => text.push_str(", no clearance\n"),
        clearance => _ = writeln!(text, ", clearance {}{units}", short(clearance, 4)),
    }
    text
}

/// Returns the touch band that was given, or the range of the bands of the listed pairs.
fn bands(outcome: &Outcome) -> String {
    let units = notes::unit(outcome);
    let findings = &outcome.findings;
    if let Some(touch) = findings.touch_given {
        return format!("touch band {}{units}", short(touch, 4));
    }
    let bands = || findings.rows.iter().map(|row| row.clash.band);
    let least = bands().fold(f64::INFINITY, f64::min);
    let [least, most] = [least, bands().fold(0.0, f64::max)].map(|band| short(band, 3));
    match findings.rows.is_empty() {
        true => format!("touch band by pair, up to {}{units}", short(findings.touch, 3)),
        false if least == most => format!("touch band by pair, {most}{units}"),
        false => format!("touch band by pair, {least} to {most}{units}"),
    }
}

/// Returns how many clashes need attention, and the exit code.
pub(super) fn attention(failures: usize) -> String {
    match failures {
        0 => "no clash needs attention (exit code 0)".to_owned(),
        1 => "1 clash needs attention (exit code 1)".to_owned(),
        many => format!("{many} clashes need attention (exit code 1)"),
    }
}

fn foot(outcome: &Outcome, group_by: GroupBy, times: Times) -> String {
    let findings = &outcome.findings;
    let mut text = notes::below(outcome);
    if group_by == GroupBy::Pair && findings.rows.iter().any(is_open) {
        text.push_str(
            "open: one of the parts is not a closed surface, so the penetration depth is unknown\n",
        );
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
        let (worse, resolved) = (outcome.worse, findings.resolved.len());
        let new = outcome.total() - known - worse;
        let worse = if worse > 0 { format!(", {worse} worse") } else { String::new() };
        let _ = write!(text, " ({new} new{worse}, {known} known, {resolved} resolved)");
    }
    let allowed = outcome.total() - outcome.failures;
    if allowed > 0 {
        let _ = write!(text, "; {allowed} allowed");
    }
    let [read, search] = [times.read, times.search].map(time);
    let pairs = count(findings.pairs_checked, "pair");
    let _ = write!(text, "; {pairs} checked in {search}, files read in {read}");
    match times.write.map(time) {
        None => text.push('\n'),
        Some(write) => _ = writeln!(text, ", outputs written in {write}"),
    }
    if let Some(reviews) = reviews(outcome) {
        let _ = writeln!(text, "review: {reviews}");
    }
    let _ = writeln!(text, "{}", attention(outcome.failures));
    text
}

/// Returns the number of listed clashes with each status of the review file, if there is one.
fn reviews(outcome: &Outcome) -> Option<String> {
    let others = outcome.findings.other_reviews.as_ref()?;
    let statuses = || {
        let rows = outcome.findings.rows.iter().filter_map(|row| row.review.as_ref());
        let listed = rows.map(|review| review.status);
        let others = others.iter().map(|entry| entry.review.status);
        listed.chain(others.filter(|&status| status == ReviewStatus::Resolved))
    };
    let counted: Vec<String> = ReviewStatus::ALL
        .into_iter()
        .map(|status| (status, statuses().filter(|&other| other == status).count()))
        .filter(|&(_, count)| count > 0)
        .map(|(status, count)| format!("{count} {}", status.name()))
        .collect();
    Some(counted).filter(|counted| !counted.is_empty()).map(|counted| counted.join(", "))
}

/// Returns whether the rows have reviews.
fn has_reviews(outcome: &Outcome) -> bool {
    outcome.findings.other_reviews.is_some()
}

/// Returns whether the depth of a clash is unknown because a part is not closed.
fn is_open(row: &Row) -> bool {
    is_open_clash(&row.clash)
}

fn is_open_clash(clash: &Clash) -> bool {
    clash.depth.is_none() && clash.distance == 0.0 && clash.is_closed != [true; 2]
}

pub(super) fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", short(seconds * 1e3, 3)),
        seconds => format!("{} s", short(seconds, 3)),
    }
}

/// One row for each clash. A quick check has only verdicts.
fn pairs(outcome: &Outcome) -> Vec<Vec<String>> {
    let rows = &outcome.findings.rows;
    let has_volume = rows.iter().any(|row| row.clash.volume.is_some());
    let columns: &[&str] = match (outcome.findings.is_quick, has_volume) {
        (true, _) => &[],
        (false, true) => &["depth", "band", "volume", "length", "distance", "at"],
        (false, false) => &["depth", "band", "length", "distance", "at"],
    };
    let mut table = vec![header(outcome, columns)];
    for row in rows {
        let clash = &row.clash;
        let mut cells = first_cells(outcome, row);
        if !outcome.findings.is_quick {
            cells.extend([depth(clash), short(clash.band, 3)]);
            if has_volume {
                cells.push(clash.volume.map_or("-".into(), |volume| short(volume, 4)));
            }
            let [length, distance] = [clash.length, clash.distance].map(|value| short(value, 4));
            cells.extend([length, distance, at(clash.points[0])]);
        }
        table.push(cells);
    }
    table
}

/// Returns the depth of a clash as a range, if it exceeds the touch band; the difference of the radii for a fit.
pub(super) fn depth(clash: &Clash) -> String {
    if let Some(fit) = clash.fit {
        let sign = if fit.difference() > 0.0 { "+" } else { "" };
        return format!("radius {sign}{}", short(fit.difference(), 4));
    }
    match clash.depth {
        Some(depth) if depth.at_least > clash.band => range(depth),
        None if is_open_clash(clash) => "open".into(),
        _ => "-".into(),
    }
}

/// Returns a bracket of a depth: `0.19–0.21`; `≥0.19` without an upper bound.
fn range(depth: Depth) -> String {
    let least = short(depth.at_least, 4);
    match depth.at_most().map(|most| short(most, 4)) {
        None => format!("≥{least}"),
        Some(most) if most == least => least,
        Some(most) => format!("{least}–{most}"),
    }
}

/// One row for each connected piece of an intersection. A pair without one has one row, too.
fn pieces(outcome: &Outcome) -> Vec<Vec<String>> {
    let mut table = vec![header(outcome, &["piece", "length", "faces", "at"])];
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
    let status = outcome.known.is_some().then_some("status");
    let review = has_reviews(outcome).then_some("review");
    let first = ["verdict"].iter().chain(&status).chain(&review);
    first.chain(&["a", "b"]).chain(more).map(|text| bold(text)).collect()
}

/// Returns a text in bold, for a terminal.
pub(super) fn bold(text: &str) -> String {
    Style::new().bold().apply_to(text).to_string()
}

/// Returns the first cells of a row, which are the same in all tables of clashes.
fn first_cells(outcome: &Outcome, row: &Row) -> Vec<String> {
    let clash = &row.clash;
    let mut cells = vec![style(clash.verdict).apply_to(verdict(clash)).to_string()];
    if let Some(status) = row.status {
        cells.push(match row.was {
            Some(before) => format!("{} (was {before})", status.name()),
            None => status.name().to_owned(),
        });
    }
    if let Some(review) = &row.review {
        cells.push(review.status.name().to_owned());
    }
    cells.extend([clash.a, clash.b].map(|part| plain(outcome.name(part))));
    cells
}

/// Returns the verdict of a clash, with the part that is inside the other.
fn verdict(clash: &Clash) -> String {
    match clash.inner.filter(|_| clash.verdict == Verdict::Inside) {
        None => clash.verdict.name().to_owned(),
        Some(Side::A) => "inside (a in b)".to_owned(),
        Some(Side::B) => "inside (b in a)".to_owned(),
    }
}

/// The colour of a verdict on a terminal.
pub(super) fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Duplicate => Style::new().magenta(),
        Verdict::Inside | Verdict::Penetrating | Verdict::Undecided => Style::new().red(),
        Verdict::Clearance | Verdict::Fit => Style::new().yellow(),
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

pub(super) fn at(point: DVec3) -> String {
    let [x, y, z] = point.to_array().map(|value| short(value, 6));
    format!("({x}, {y}, {z})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::clash::Fit;

    #[test]
    fn depths_are_ranges_beyond_the_band() {
        let mut clash = Clash::new(0, 1, Verdict::Penetrating);
        clash.band = 0.01;
        let mut shown = |least: f64, most: Option<f64>| {
            let mut depth = Depth::at_least(least);
            depth.way_out = most.map(|most| DVec3::X * most);
            clash.depth = Some(depth);
            super::depth(&clash)
        };
        assert_eq!(shown(0.19, Some(0.21)), "0.19–0.21");
        assert_eq!(shown(0.19, Some(0.190_000_1)), "0.19");
        assert_eq!(shown(0.19, None), "≥0.19");
        assert_eq!(shown(0.01, Some(0.21)), "-", "within the band");
        clash.depth = None;
        assert_eq!(depth(&clash), "-");
        clash.is_closed = [true, false];
        assert_eq!(depth(&clash), "open");
        clash.fit = Some(Fit::new(Side::A, 5.02, 5.0));
        assert_eq!(depth(&clash), "radius +0.02");
        clash.fit = Some(Fit::new(Side::A, 5.0, 5.25));
        assert_eq!(depth(&clash), "radius -0.25");
    }

    #[test]
    fn inside_says_which_part_is_inside_which() {
        let mut clash = Clash::new(0, 1, Verdict::Inside);
        clash.inner = Some(Side::B);
        assert_eq!(verdict(&clash), "inside (b in a)");
        clash.inner = Some(Side::A);
        assert_eq!(verdict(&clash), "inside (a in b)");
    }

    #[test]
    fn the_summary_says_what_needs_attention() {
        assert_eq!(attention(0), "no clash needs attention (exit code 0)");
        assert_eq!(attention(1), "1 clash needs attention (exit code 1)");
        assert_eq!(attention(3), "3 clashes need attention (exit code 1)");
    }

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

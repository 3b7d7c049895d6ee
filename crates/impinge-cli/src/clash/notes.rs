//! The lines below the table of `impinge clash`: gaps, files that were not read, and what is not in the list.

use crate::output::{count, plain, short};
use impinge::clash::Gap;
use impinge_clash::{Hidden, Outcome};
use impinge_io::assembly::LeftOut;
use std::fmt::Write;

/// Parts with gaps that are named; the others are counted.
const MAX_GAPS: usize = 3;

/// Returns the unit of the assembly with a space before it; nothing if it is unknown.
pub(super) fn unit(outcome: &Outcome) -> String {
    outcome.findings.assembly.units.map(|units| format!(" {units}")).unwrap_or_default()
}

/// Returns all notes, one per line.
pub(super) fn below(outcome: &Outcome) -> String {
    let mut text = String::new();
    let findings = &outcome.findings;
    let (listed, total) = (findings.rows.len(), outcome.total());
    if listed < total {
        let _ = writeln!(text, "{listed} of {total} clashes are listed (--limit)");
    }
    hidden(&mut text, &findings.hidden);
    gaps(&mut text, outcome);
    for LeftOut { kind, count, names, .. } in &findings.assembly.left_out {
        not_read(&mut text, kind, *count, names);
    }
    text
}

/// Says how many clashes and pairs the list does not have, by reason.
fn hidden(text: &mut String, hidden: &Hidden) {
    let line = |text: &mut String, what: &str, reasons: &[(u64, &str)]| {
        let some: Vec<String> = reasons
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        if !some.is_empty() {
            let _ = writeln!(text, "{what}: {}", some.join(", "));
        }
    };
    let clashes = [(hidden.rules, "by rules"), (hidden.only, "by --only")];
    line(text, "clashes that are not listed", &clashes);
    let pairs = [
        (hidden.pairs_ignored, "by rules"),
        (hidden.pairs_between, "by --between"),
        (hidden.pairs_same_group, "by --same-group"),
        (
            hidden.pairs_adjacent,
            "of links that a joint connects (--adjacent checks them) or that an SRDF file excludes",
        ),
    ];
    line(text, "near pairs that were not checked", &pairs);
}

/// Names the parts with the widest gaps.
fn gaps(text: &mut String, outcome: &Outcome) {
    let mut gaps: Vec<&Gap> = outcome.findings.gaps.iter().collect();
    gaps.sort_by(|a, b| b.width.total_cmp(&a.width).then(a.part.cmp(&b.part)));
    let (named, others) = gaps.split_at(gaps.len().min(MAX_GAPS));
    let unit = unit(outcome);
    for gap in named {
        let name = plain(outcome.name(gap.part));
        let width = short(gap.width, 2);
        let _ = write!(text, "{name} has gaps, the largest {width}{unit}");
        text.push_str(if gap.is_closed { "; it counts as closed\n" } else { "\n" });
    }
    if !others.is_empty() {
        let _ = writeln!(text, "{} more with smaller gaps", count(others.len(), "part"));
    }
    if outcome.open_parts() > 0 {
        let parts = count(outcome.open_parts(), "checked part");
        let are = if outcome.open_parts() == 1 { "is" } else { "are" };
        let _ = writeln!(
            text,
            "{parts} {are} open: whether a part near the gaps is inside may be undecided, and nothing is inside a sheet"
        );
    }
}

/// Names files or elements of one kind that were not read.
fn not_read(text: &mut String, kind: &str, count: usize, names: &[String]) {
    let (kind, were) = match (count, kind.strip_suffix("files")) {
        (1, Some(kind)) => (format!("{kind}file"), "was"),
        (1, None) => (kind.to_owned(), "was"),
        _ => (kind.to_owned(), "were"),
    };
    let mut named: Vec<String> = names.iter().map(|name| plain(name)).collect();
    if named.len() < count {
        named.push("…".to_owned());
    }
    let _ = writeln!(text, "{count} {} {were} not read: {}", plain(&kind), named.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_read_is_named() {
        let line = |kind: &str, count: usize, names: &[&str]| {
            let mut text = String::new();
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            not_read(&mut text, kind, count, &names);
            text
        };
        assert_eq!(line(".dae files", 1, &["a.dae"]), "1 .dae file was not read: a.dae\n");
        assert_eq!(line(".dae files", 3, &["a", "b"]), "3 .dae files were not read: a, b, …\n");
        assert_eq!(line("IfcSpace", 2, &["x", "y"]), "2 IfcSpace were not read: x, y\n");
    }

    #[test]
    fn reasons_without_a_count_are_not_mentioned() {
        let mut text = String::new();
        hidden(&mut text, &Hidden::default());
        assert_eq!(text, "");
        let mut some = Hidden::default();
        (some.only, some.rules, some.pairs_between, some.pairs_adjacent) = (3, 5, 7, 2);
        hidden(&mut text, &some);
        assert_eq!(
            text,
            "clashes that are not listed: 5 by rules, 3 by --only\n\
             near pairs that were not checked: 7 by --between, 2 of links that a joint connects \
             (--adjacent checks them) or that an SRDF file excludes\n"
        );
    }
}

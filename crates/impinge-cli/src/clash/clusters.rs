//! The table of clusters: one row for all clashes of a part, or for all clashes near each other.

use super::table;
use crate::output::plain;
use impinge::clash::Verdict;
use impinge_clash::{Cluster, Outcome, Row};

/// Names of other parts in a row; the others are counted.
const MAX_NAMES: usize = 3;

/// One row for each cluster of clashes that have a part in common.
pub(super) fn by_part(outcome: &Outcome) -> Vec<Vec<String>> {
    let clusters = &outcome.findings.clusters.part;
    rows(outcome, clusters, |row| row.cluster.part)
}

/// One row for each cluster of clashes near each other.
pub(super) fn by_place(outcome: &Outcome) -> Vec<Vec<String>> {
    let clusters = &outcome.findings.clusters.place;
    rows(outcome, clusters, |row| row.cluster.place)
}

fn rows(outcome: &Outcome, clusters: &[Cluster], number: impl Fn(&Row) -> u32) -> Vec<Vec<String>> {
    let mut members: Vec<Vec<&Row>> = vec![Vec::new(); clusters.len()];
    for row in &outcome.findings.rows {
        members[number(row) as usize].push(row);
    }
    let header = ["verdicts", "part", "with", "depth", "at"];
    let mut table = vec![header.map(table::bold).to_vec()];
    table.extend(clusters.iter().zip(&members).map(|(cluster, rows)| row(outcome, cluster, rows)));
    table
}

fn row(outcome: &Outcome, cluster: &Cluster, rows: &[&Row]) -> Vec<String> {
    let first = &rows[0].clash;
    let (part, with) = match &cluster.name {
        Some(name) => {
            let other = |row: &&Row| {
                let [a, b] = [row.clash.a, row.clash.b].map(|part| outcome.name(part));
                if a == name { b } else { a }
            };
            let others: Vec<&str> = rows.iter().map(other).collect();
            (format!("{} × {}", plain(name), rows.len()), listed(&others))
        }
        None if rows.len() == 1 => {
            let [a, b] = [first.a, first.b].map(|part| plain(outcome.name(part)));
            (a, b)
        }
        None => {
            let pair =
                |row: &&Row| [row.clash.a, row.clash.b].map(|part| outcome.name(part)).join(" – ");
            let pairs: Vec<String> = rows.iter().map(pair).collect();
            let pairs: Vec<&str> = pairs.iter().map(|pair| &**pair).collect();
            (format!("{} clashes", rows.len()), listed(&pairs))
        }
    };
    // The deepest clash; the list need not be sorted by depth.
    let deepest = rows.iter().map(|row| &row.clash).max_by(|a, b| {
        let depth = |clash: &impinge::clash::Clash| clash.least_depth().unwrap_or(-1.0);
        depth(a).total_cmp(&depth(b))
    });
    let depth = table::depth(deepest.unwrap_or(first));
    vec![verdicts(rows), part, with, depth, table::at(first.points[0])]
}

/// Returns the first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let (named, others) = names.split_at(names.len().min(MAX_NAMES));
    let mut named: Vec<String> = named.iter().map(|name| plain(name)).collect();
    match others.len() {
        0 => {}
        1 => named.push(plain(others[0])),
        more => named.push(format!("and {more} more")),
    }
    named.join(", ")
}

/// Returns the verdicts of some rows with their numbers, worst first.
fn verdicts(rows: &[&Row]) -> String {
    let of = |verdict: &Verdict| rows.iter().filter(|row| row.clash.verdict == *verdict).count();
    let some = Verdict::ALL.into_iter().filter(|verdict| of(verdict) > 0);
    let all: Vec<String> = some
        .map(|verdict| {
            let text = match rows.len() {
                1 => verdict.to_string(),
                _ => format!("{} {verdict}", of(&verdict)),
            };
            table::style(verdict).apply_to(text).to_string()
        })
        .collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(listed(&["a", "b"]), "a, b");
        assert_eq!(listed(&["a", "b", "c", "d"]), "a, b, c, d");
        assert_eq!(listed(&["a", "b", "c", "d", "e"]), "a, b, c, and 2 more");
    }
}

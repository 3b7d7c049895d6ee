//! From what the search found to what is shown: filtered, compared, in order.

use super::{
    baseline::Baseline,
    filter::Filter,
    findings::{Findings, Resolved, Row, Status},
    totals::Totals,
    verdicts::Verdicts,
};
use clap::ValueEnum;
use impinge::clash::{Clash, Verdict};
use impinge_io::assembly::Assembly;
use std::{cmp::Ordering, collections::HashMap, mem, time::Duration};

/// In what order clashes are listed. Ties are broken by the numbers of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Sort {
    /// The worst verdict first, then the deepest, then the closest, then the longest crossing
    Severity,
    /// The deepest first, those of unknown depth last
    Depth,
    /// The closest first
    Distance,
    /// By the names of the parts
    Name,
}

/// Clashes that do not count as failures.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allowed {
    pub(super) verdicts: Verdicts,
    /// Those that the baseline has already.
    pub(super) known: bool,
}

impl Allowed {
    fn allows(self, verdict: Verdict, status: Option<Status>) -> bool {
        self.verdicts.has(verdict) || self.known && status == Some(Status::Known)
    }
}

/// How clashes are shown.
#[derive(Debug)]
pub(super) struct Showing<'s> {
    pub(super) baseline: Option<&'s Baseline>,
    pub(super) clearance: f64,
    pub(super) allowed: Allowed,
    pub(super) sort: Sort,
    /// Whether sums by sub-assemblies are wanted.
    pub(super) with_totals: bool,
    pub(super) limit: Option<usize>,
}

/// Clashes as they are shown, and what to say of them.
#[derive(Debug)]
pub(super) struct Listing {
    /// How many clashes there are of each verdict, those beyond the limit too.
    pub(super) counts: [usize; Verdict::ALL.len()],
    /// How many of them the baseline has, if there is one.
    pub(super) known: Option<usize>,
    /// How many of them are not allowed.
    pub(super) failures: usize,
    /// Sums by sub-assemblies, if they are wanted.
    pub(super) totals: Option<Totals>,
    rows: Vec<Row>,
    resolved: Vec<Resolved>,
    /// The verdict that a pair of parts had in the baseline, where it was another.
    was: HashMap<[usize; 2], Verdict>,
    allowed: Allowed,
}

impl Listing {
    pub(super) fn new(
        assembly: &Assembly,
        filter: &Filter<'_>,
        showing: &Showing<'_>,
        clashes: Vec<Clash>,
    ) -> Self {
        let resolved = showing
            .baseline
            .map(|baseline| baseline.resolved(assembly, filter, showing.clearance, &clashes))
            .unwrap_or_default();
        let mut was = HashMap::new();
        let mut rows: Vec<Row> = clashes
            .into_iter()
            .filter(|clash| filter.shows(clash.a, clash.b, clash.verdict))
            .map(|clash| {
                let status = showing.baseline.map(|baseline| {
                    let (status, before) = baseline.status(assembly, &clash);
                    was.extend(before.map(|before| ([clash.a, clash.b], before)));
                    status
                });
                Row { clash, status }
            })
            .collect();
        let mut counts = [0; Verdict::ALL.len()];
        rows.iter().for_each(|row| counts[row.clash.verdict as usize] += 1);
        let is_known = |row: &&Row| row.status == Some(Status::Known);
        let known = showing.baseline.map(|_| rows.iter().filter(is_known).count());
        let fails = |row: &&Row| !showing.allowed.allows(row.clash.verdict, row.status);
        let failures = rows.iter().filter(fails).count();
        let totals = showing.with_totals.then(|| Totals::new(assembly, filter, &rows));
        rows.sort_by(|a, b| order(assembly, showing.sort, &a.clash, &b.clash));
        rows.truncate(showing.limit.unwrap_or(usize::MAX));
        let allowed = showing.allowed;
        Self { counts, known, failures, totals, rows, resolved, was, allowed }
    }
}

/// How the search went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) pairs_checked: u64,
    pub(super) open_parts: usize,
    pub(super) touch: f64,
    pub(super) clearance: f64,
    /// To read the files, and to find what clashes.
    pub(super) times: [Duration; 2],
}

/// All there is to tell.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) findings: Findings,
    pub(super) listing: Listing,
    /// How many of the parts that were looked at are open.
    pub(super) open_parts: usize,
    /// To read the files, and to find what clashes.
    pub(super) times: [Duration; 2],
}

impl Outcome {
    pub(super) fn new(assembly: Assembly, mut listing: Listing, search: Search) -> Self {
        let Search { pairs_checked, open_parts, touch, clearance, times } = search;
        let (rows, resolved) = (mem::take(&mut listing.rows), mem::take(&mut listing.resolved));
        let findings = Findings { assembly, rows, resolved, pairs_checked, touch, clearance };
        Self { findings, listing, open_parts, times }
    }

    /// How many clashes there are, those beyond the limit too.
    pub(super) fn total(&self) -> usize {
        self.listing.counts.iter().sum()
    }

    /// The verdict that the baseline has for a pair, if it is another.
    pub(super) fn was(&self, row: &Row) -> Option<Verdict> {
        self.listing.was.get(&[row.clash.a, row.clash.b]).copied()
    }

    pub(super) fn is_allowed(&self, row: &Row) -> bool {
        self.listing.allowed.allows(row.clash.verdict, row.status)
    }

    /// The name of a part.
    pub(super) fn name(&self, part: usize) -> &str {
        &self.findings.assembly.parts[part].name
    }
}

/// A word for it.
pub(super) fn status_name(status: Status) -> &'static str {
    match status {
        Status::New => "new",
        Status::Known => "known",
    }
}

/// A total order: no two pairs have the same numbers.
fn order(assembly: &Assembly, sort: Sort, a: &Clash, b: &Clash) -> Ordering {
    // The deepest first; what is not known is less than 0.
    let depth = |clash: &Clash| clash.depth.unwrap_or(-1.0);
    let by_depth = || depth(b).total_cmp(&depth(a));
    let by_distance = || a.distance.total_cmp(&b.distance);
    let names = |clash: &Clash| [clash.a, clash.b].map(|part| &*assembly.parts[part].name);
    let sorted = match sort {
        Sort::Severity => {
            let by_length = || b.length.total_cmp(&a.length);
            let by_verdict = a.verdict.cmp(&b.verdict);
            by_verdict.then_with(by_depth).then_with(by_distance).then_with(by_length)
        }
        Sort::Depth => by_depth(),
        Sort::Distance => by_distance(),
        Sort::Name => names(a).cmp(&names(b)),
    };
    sorted.then_with(|| [a.a, a.b].cmp(&[b.a, b.b]))
}

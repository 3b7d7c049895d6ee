//! The outcome of a check: clashes that are filtered, compared with the baseline and sorted. `check.rs`
//! builds it; every writer reads it.

use crate::{
    filter::Filter,
    findings::{Findings, Resolved, Row, Status},
    options::{Allowed, CheckOptions, Sort},
    totals::Total,
};
use impinge::clash::{Clash, Verdict};
use impinge_io::assembly::Assembly;
use std::{cmp::Ordering, collections::HashMap};

/// The outcome of a check: the listed clashes, and counts of all clashes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The assembly and its listed clashes.
    pub findings: Findings,
    /// The number of clashes of each verdict, in the order of [`Verdict::ALL`], including those beyond the
    /// limit.
    pub counts: [usize; Verdict::ALL.len()],
    /// The number of clashes that the baseline has, if there is one.
    pub known: Option<usize>,
    /// The number of clashes that are not allowed.
    pub failures: usize,
    /// Counts by pairs of sub-assemblies, worst first, if [`Listing`](crate::Listing) requests them.
    pub totals: Option<Vec<Total>>,
    /// The number of checked parts that are open; no part is reported as inside an open part.
    pub open_parts: usize,
    /// The baseline's verdict of each pair, if it differs from the verdict now.
    was: HashMap<[usize; 2], Verdict>,
    allowed: Allowed,
}

impl Outcome {
    pub(crate) fn new(assembly: Assembly, listed: Listed, report: SearchStats) -> Self {
        let Listed { counts, known, failures, totals, rows, resolved, was, allowed } = listed;
        let SearchStats { pairs_checked, open_parts, touch, clearance } = report;
        let findings = Findings { assembly, rows, resolved, pairs_checked, touch, clearance };
        Self { findings, counts, known, failures, totals, open_parts, was, allowed }
    }

    /// Returns the number of clashes of a verdict, including those beyond the limit.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.counts[verdict as usize]
    }

    /// Returns the number of clashes, including those beyond the limit.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Returns the baseline's verdict of a pair, if it differs from the verdict now.
    pub fn was(&self, row: &Row) -> Option<Verdict> {
        self.was.get(&[row.clash.a, row.clash.b]).copied()
    }

    /// Returns whether a clash does not count as a failure.
    pub fn is_allowed(&self, row: &Row) -> bool {
        self.allowed.allows(row.clash.verdict, row.status)
    }

    /// Returns the name of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn name(&self, part: usize) -> &str {
        &self.findings.assembly.parts[part].name
    }
}

/// Counts and lengths of a finished search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchStats {
    pub(crate) pairs_checked: u64,
    pub(crate) open_parts: usize,
    pub(crate) touch: f64,
    pub(crate) clearance: f64,
}

/// The listed clashes. Borrows the assembly, so it is made before [`Outcome`], which owns the assembly.
#[derive(Debug)]
pub(crate) struct Listed {
    counts: [usize; Verdict::ALL.len()],
    known: Option<usize>,
    failures: usize,
    totals: Option<Vec<Total>>,
    rows: Vec<Row>,
    resolved: Vec<Resolved>,
    was: HashMap<[usize; 2], Verdict>,
    allowed: Allowed,
}

impl Listed {
    pub(crate) fn new(
        assembly: &Assembly,
        filter: &Filter<'_>,
        options: &CheckOptions,
        clashes: Vec<Clash>,
    ) -> Self {
        let listing = &options.listing;
        let baseline = listing.baseline.as_ref();
        let resolved = baseline
            .map(|baseline| baseline.resolved(assembly, filter, options.clearance, &clashes))
            .unwrap_or_default();
        let mut was = HashMap::new();
        let mut rows: Vec<Row> = clashes
            .into_iter()
            .filter(|clash| filter.shows(clash.a, clash.b, clash.verdict))
            .map(|clash| {
                let status = baseline.map(|baseline| {
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
        let known = baseline.map(|_| rows.iter().filter(is_known).count());
        let fails = |row: &&Row| !listing.allowed.allows(row.clash.verdict, row.status);
        let failures = rows.iter().filter(fails).count();
        let totals = listing.with_totals.then(|| Total::all(assembly, filter, &rows));
        rows.sort_by(|a, b| order(assembly, listing.sort, &a.clash, &b.clash));
        rows.truncate(listing.limit.unwrap_or(usize::MAX));
        let allowed = listing.allowed;
        Self { counts, known, failures, totals, rows, resolved, was, allowed }
    }
}

/// Compares two clashes. This is a total order: no two pairs have the same part numbers.
fn order(assembly: &Assembly, sort: Sort, a: &Clash, b: &Clash) -> Ordering {
    // Deepest first; an unknown depth sorts below 0.
    let depth = |clash: &Clash| clash.least_depth().unwrap_or(-1.0);
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

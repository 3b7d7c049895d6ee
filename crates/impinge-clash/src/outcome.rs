//! The outcome of a check: clashes that are filtered, compared with the baseline and sorted. `check.rs`
//! builds it; every writer reads it.

use crate::{
    coverage::Coverage,
    filter::{Filter, Hiding},
    findings::{Findings, Resolved, Row, Status},
    hidden::Hidden,
    identity::{Identities, Keys},
    options::{Allowed, CheckOptions, Sort},
    review::ReviewEntry,
    totals::Total,
};
use impinge::clash::{Clash, Verdict};
use impinge_io::assembly::Assembly;
use std::{cmp::Ordering, collections::HashSet};

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
    /// The number of clashes that the baseline has, but that became worse, if there is a baseline.
    pub worse: usize,
    /// What the user should know about the inputs, such as a baseline that names parts unclearly.
    pub notes: Vec<String>,
    pub(crate) allowed: Allowed,
}

impl Outcome {
    pub(crate) fn new(assembly: Assembly, listed: Listed) -> Self {
        let Listed { counts, known, worse, failures, totals, rows, resolved, .. } = listed;
        let Listed { hidden, other_reviews, notes, allowed, .. } = listed;
        let mut findings =
            Findings { resolved, hidden, other_reviews, ..Findings::with(assembly, rows) };
        findings.cluster();
        Self { findings, counts, known, worse, failures, totals, notes, allowed }
    }

    /// Returns the number of checked parts that are open; no part is reported as inside an open part.
    pub fn open_parts(&self) -> usize {
        self.findings.gaps.iter().filter(|gap| !gap.is_closed).count()
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
        row.was
    }

    /// Returns whether a clash does not count as a failure.
    pub fn is_allowed(&self, row: &Row) -> bool {
        self.allowed.allows(row)
    }

    /// Returns the name of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn name(&self, part: usize) -> &str {
        &self.findings.assembly.parts[part].name
    }
}

/// The listed clashes. Borrows the assembly, so it is made before [`Outcome`], which owns the assembly.
#[derive(Debug)]
pub(crate) struct Listed {
    counts: [usize; Verdict::ALL.len()],
    known: Option<usize>,
    worse: usize,
    failures: usize,
    totals: Option<Vec<Total>>,
    rows: Vec<Row>,
    resolved: Vec<Resolved>,
    hidden: Hidden,
    other_reviews: Option<Vec<ReviewEntry>>,
    notes: Vec<String>,
    allowed: Allowed,
}

impl Listed {
    pub(crate) fn new(
        assembly: &Assembly,
        identities: &Identities,
        filter: &Filter<'_>,
        options: &CheckOptions,
        clashes: Vec<Clash>,
    ) -> Self {
        let listing = &options.listing;
        let is_quick = options.is_quick;
        let coverage = Coverage { assembly, filter, clearance: options.clearance };
        let baseline = listing.baseline.as_ref();
        let baseline = baseline.map(|baseline| baseline.compared(assembly, identities));
        let review = listing.review.as_ref().map(|file| file.compared(assembly, identities));
        let resolved = baseline.as_ref().map(|baseline| baseline.resolved(&coverage, &clashes));
        let found: HashSet<[usize; 2]> = clashes.iter().map(|clash| [clash.a, clash.b]).collect();

        let mut hidden = Hidden::default();
        let mut keys = Keys::new(assembly, identities);
        let mut rows = Vec::new();
        for clash in clashes {
            let (a, b) = (clash.a, clash.b);
            let earlier = review.as_ref().and_then(|review| review.key(a, b));
            let earlier = earlier.or_else(|| baseline.as_ref()?.key(a, b));
            let key = keys.of(a, b, earlier);
            match filter.hides(a, b, clash.verdict) {
                Some(Hiding::Only) => hidden.only += 1,
                Some(Hiding::Rule) => hidden.rules += 1,
                None => rows.push(Row { key, ..Row::new(clash) }),
            }
        }
        for row in &mut rows {
            if let Some(baseline) = &baseline {
                let (status, was) = baseline.status(&row.clash, is_quick);
                (row.status, row.was) = (Some(status), was);
            }
            if let Some(review) = &review {
                review.apply(row, is_quick);
            }
        }
        let mut counts = [0; Verdict::ALL.len()];
        rows.iter().for_each(|row| counts[row.clash.verdict as usize] += 1);
        let with = |status| rows.iter().filter(|row| row.status == Some(status)).count();
        let (known, worse) = (baseline.as_ref().map(|_| with(Status::Known)), with(Status::Worse));
        let failures = rows.iter().filter(|row| !listing.allowed.allows(row)).count();
        let totals = listing.with_totals.then(|| Total::all(assembly, filter, &rows));
        rows.sort_by(|a, b| order(assembly, listing.sort, &a.clash, &b.clash));
        let limit = listing.limit.unwrap_or(usize::MAX);
        hidden.limit = rows.len().saturating_sub(limit) as u64;
        rows.truncate(limit);
        let listed = rows.iter().map(|row| [row.clash.a, row.clash.b]).collect();
        Self {
            counts,
            known,
            worse,
            failures,
            totals,
            rows,
            resolved: resolved.unwrap_or_default(),
            hidden,
            other_reviews: review.map(|review| review.others(&coverage, &listed, &found)),
            notes: baseline.and_then(|baseline| baseline.note()).into_iter().collect(),
            allowed: listing.allowed,
        }
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

//! The options of a check, and of its list of clashes.

use crate::{baseline::Baseline, filter::Pairs, findings::Status, verdicts::Verdicts};
use impinge::{Threads, clash::Verdict};

/// The options of a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The touch band, in the assembly's units: two parts that reach into each other no deeper than this only
    /// touch. If `None`, it follows from the size of the assembly: see [`impinge::clash::Options::new`].
    pub touch: Option<f64>,
    /// The clearance, in the assembly's units: parts that are closer than this are clashes, too. 0 for none.
    pub clearance: f64,
    /// One thread, or the rayon pool in which [`check`](crate::check) is called.
    pub threads: Threads,
    /// Which pairs of parts are checked, and which verdicts are listed.
    pub pairs: Pairs,
    /// How clashes are listed.
    pub listing: Listing,
}

/// How clashes are listed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The earlier run to compare with.
    pub baseline: Option<Baseline>,
    /// Clashes that do not count as failures.
    pub allowed: Allowed,
    /// The order of the list.
    pub sort: Sort,
    /// Whether to count clashes by pairs of sub-assemblies, too.
    pub with_totals: bool,
    /// The maximum number of listed clashes; counts include all clashes.
    pub limit: Option<usize>,
}

/// The order of the list. Ties are broken by the numbers of the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Worst verdict first; then the deepest, the closest, the longest crossing.
    #[default]
    Severity,
    /// Deepest first; clashes of unknown depth last.
    Depth,
    /// Closest first.
    Distance,
    /// By the names of the parts.
    Name,
}

/// Clashes that do not count as failures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// Clashes with these verdicts.
    pub verdicts: Verdicts,
    /// Whether clashes of the baseline are allowed, too.
    pub known: bool,
}

impl Allowed {
    pub(crate) fn allows(self, verdict: Verdict, status: Option<Status>) -> bool {
        self.verdicts.has(verdict) || self.known && status == Some(Status::Known)
    }
}

//! The options of a check, and of its list of clashes.

use crate::{
    baseline::Baseline,
    filter::Pairs,
    findings::{Row, Status},
    review::ReviewStatus,
    review_file::ReviewFile,
    verdicts::Verdicts,
};
use impinge::{
    Threads, ToleranceError,
    clash::{self, Effort},
};
use serde::{Deserialize, Serialize};

/// The options of a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The touch band, in the assembly's units: two parts that reach into each other no deeper than this only
    /// touch. If `None`, each pair has its own, which follows from the precision of the two parts: see
    /// [`impinge::clash::Options::new`].
    pub touch: Option<f64>,
    /// The clearance, in the assembly's units: parts that are closer than this are clashes, too. 0 for none.
    pub clearance: f64,
    /// Whether to decide verdicts only: no depths, volumes and faces, and fits count as penetrating.
    pub is_quick: bool,
    /// One thread, or the rayon pool in which [`check`](crate::check) is called.
    pub threads: Threads,
    /// Which pairs of parts are checked, and which verdicts are listed.
    pub pairs: Pairs,
    /// How clashes are listed.
    pub listing: Listing,
}

impl CheckOptions {
    /// Returns the options of a search on one thread that decides verdicts only.
    pub(crate) fn quick_search(&self) -> Result<clash::Options, ToleranceError> {
        let options = clash::Options::new().clearance(self.clearance)?.effort(Effort::Quick);
        match self.touch {
            None => Ok(options),
            Some(touch) => options.touch(touch),
        }
    }
}

/// How clashes are listed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The earlier run to compare with.
    pub baseline: Option<Baseline>,
    /// What people decided about findings of earlier runs; it is brought up to date.
    pub review: Option<ReviewFile>,
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
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Allowed {
    /// Clashes with these verdicts.
    pub verdicts: Verdicts,
    /// Whether clashes of the baseline are allowed, too, unless they became worse.
    pub known: bool,
    /// Whether clashes that are approved in the review file are allowed, too.
    pub approved: bool,
}

impl Allowed {
    pub(crate) fn allows(self, row: &Row) -> bool {
        let status = row.review.as_ref().map(|review| review.status);
        self.verdicts.has(row.clash.verdict)
            || self.known && row.status == Some(Status::Known)
            || self.approved && status == Some(ReviewStatus::Approved)
    }
}

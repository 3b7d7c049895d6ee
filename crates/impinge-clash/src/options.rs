//! What to ask of an assembly, and how to list what is found.

use crate::{baseline::Baseline, filter::Pairs, findings::Status, verdicts::Verdicts};
use impinge::{Threads, clash::Verdict};

/// What to ask of an assembly.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// How deep parts may reach into each other and still only touch, in the assembly's units. If
    /// there is none, it follows from the assembly: see [`impinge::clash::Options::new`].
    pub touch: Option<f64>,
    /// Parts that are closer than this are clashes, too; 0 for none. In the assembly's units.
    pub clearance: f64,
    /// How far the triangles may be off the round shapes that they stand for, in the assembly's
    /// units: see [`impinge::clash::Options::tolerance`].
    pub tolerance: f64,
    /// One thread, or all of the rayon pool that [`check`](crate::check) is called in.
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
    /// An earlier run to compare with.
    pub baseline: Option<Baseline>,
    /// The clashes that do not count as failures.
    pub allowed: Allowed,
    /// Which clashes come first.
    pub sort: Sort,
    /// Whether clashes are also counted by pairs of sub-assemblies.
    pub with_totals: bool,
    /// How many clashes are listed at most; those beyond are counted all the same.
    pub limit: Option<usize>,
}

/// In what order clashes are listed. Ties are broken by the numbers of the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The worst verdict first, then the deepest, then the closest, then the longest crossing.
    #[default]
    Severity,
    /// The deepest first, those of unknown depth last.
    Depth,
    /// The closest first.
    Distance,
    /// By the names of the parts.
    Name,
}

/// Clashes that do not count as failures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// Those with these verdicts.
    pub verdicts: Verdicts,
    /// Those that the baseline has already.
    pub known: bool,
}

impl Allowed {
    pub(crate) fn allows(self, verdict: Verdict, status: Option<Status>) -> bool {
        self.verdicts.has(verdict) || self.known && status == Some(Status::Known)
    }
}

//! What to ask of an assembly, and how to list what is found.

use crate::{
    baseline::Baseline, findings::Status, pattern::Pattern, rules::Rule, verdicts::Verdicts,
};
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

/// Which pairs of parts are checked, and which verdicts are listed. All, unless told otherwise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pairs {
    /// Pairs that are left out, or clashes of them with some verdicts.
    pub ignore: Vec<Rule>,
    /// Only pairs of one part in each of two groups are checked: sub-assemblies, files or parts. Of
    /// several entries any will do; without an entry all pairs are checked.
    pub between: Vec<[Pattern; 2]>,
    /// What to do with two parts of the same sub-assembly; `None` for the same as with others.
    pub same_group: Option<SameGroup>,
    /// Take sub-assemblies of this level for one, 1 for those at the top; `None` for the innermost.
    pub group_level: Option<u32>,
    /// Whether links of a robot that a joint connects are checked; they touch by design.
    pub adjacent: bool,
    /// The verdicts that are listed.
    pub only: Verdicts,
}

impl Default for Pairs {
    fn default() -> Self {
        Self {
            ignore: Vec::new(),
            between: Vec::new(),
            same_group: None,
            group_level: None,
            adjacent: false,
            only: Verdicts::ALL,
        }
    }
}

/// What to do with two parts of the same sub-assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameGroup {
    /// Check other pairs only.
    Skip,
    /// Check these pairs only.
    Only,
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

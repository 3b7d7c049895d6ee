//! Whether this run checked a pair of an earlier run. Only then its absence means that the clash is resolved.

use crate::filter::Filter;
use impinge::clash::Verdict;
use impinge_io::assembly::Assembly;

/// What a run covers.
pub(crate) struct Coverage<'r> {
    pub(crate) assembly: &'r Assembly,
    pub(crate) filter: &'r Filter<'r>,
    pub(crate) clearance: f64,
}

impl Coverage<'_> {
    /// Returns whether this run would list a clash of two parts with a verdict. `clearance` is the least clearance
    /// with which the clash would be found. A part that is `None` no longer exists.
    pub(crate) fn has(&self, parts: [Option<usize>; 2], verdict: Verdict, clearance: f64) -> bool {
        if verdict == Verdict::Clearance && self.clearance < clearance {
            return false;
        }
        match parts {
            [Some(a), Some(b)] => {
                let (a, b) = (a.min(b), a.max(b));
                self.filter.excludes(a, b).is_none() && self.filter.hides(a, b, verdict).is_none()
            }
            // A part that was skipped may still clash.
            _ => self.assembly.skipped.is_empty() && self.filter.lists(verdict),
        }
    }
}

//! Counts of what a list does not show, so that a short list is not taken for a good one.

use serde::{Deserialize, Serialize};

/// How many clashes are not in the list, and how many near pairs were not checked, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hidden {
    /// Clashes that a rule with verdicts hides.
    pub rules: u64,
    /// Clashes with a verdict that is not among the requested ones.
    pub only: u64,
    /// Clashes beyond the limit.
    pub limit: u64,
    /// Near pairs that were not checked because of a rule.
    pub pairs_ignored: u64,
    /// Near pairs that were not checked because they are not between the requested groups.
    pub pairs_between: u64,
    /// Near pairs that were not checked because of the sub-assemblies they are in.
    pub pairs_same_group: u64,
    /// Near pairs of robot links that were not checked because a joint connects them.
    pub pairs_adjacent: u64,
}

impl Hidden {
    /// Returns the sum of two counts.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            rules: self.rules + other.rules,
            only: self.only + other.only,
            limit: self.limit + other.limit,
            pairs_ignored: self.pairs_ignored + other.pairs_ignored,
            pairs_between: self.pairs_between + other.pairs_between,
            pairs_same_group: self.pairs_same_group + other.pairs_same_group,
            pairs_adjacent: self.pairs_adjacent + other.pairs_adjacent,
        }
    }

    /// Returns the number of clashes that were found but are not in the list.
    pub fn clashes(&self) -> u64 {
        self.rules + self.only + self.limit
    }

    /// Returns the number of near pairs that were not checked.
    pub fn pairs(&self) -> u64 {
        self.pairs_ignored + self.pairs_between + self.pairs_same_group + self.pairs_adjacent
    }
}

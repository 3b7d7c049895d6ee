//! How a tree is built.

use crate::{
    Threads,
    method::tree::split::{Regroup, SplitDirections, SplitPoint, SplitRule},
};

/// How a tree is built. The answer of a query does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// By which rule nodes are split: looking at more ways costs time and may save queries some.
    pub rule: SplitRule,
    /// Where they are split: the mean makes tighter nodes, the median shallower trees.
    pub point: SplitPoint,
    /// Along which directions: more of them cost time, and seldom pay.
    pub directions: SplitDirections,
    /// Whether a split is thought over in view of the next (the oscillating build): costs two to
    /// three times the time.
    pub regroup: Regroup,
    /// Up to how many faces make a leaf: fewer, and there are more nodes to store and to visit;
    /// more, and there are more triangles to test.
    pub leaf: u32,
    /// How many pieces long thin faces may be cut into, as a share of all faces: 0.3 makes the tree
    /// up to 30 % larger, and its volumes tighter. 0, the default, leaves all faces whole.
    ///
    /// A face of several pieces is in several leaves, so that a walk may come upon it, and upon the
    /// same pair of faces, more than once.
    pub split_skinny: f64,
    /// How many threads may be used. The tree is the same, bit for bit.
    pub threads: Threads,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            rule: SplitRule::default(),
            point: SplitPoint::default(),
            directions: SplitDirections::default(),
            regroup: Regroup::default(),
            leaf: 2,
            split_skinny: 0.0,
            threads: Threads::One,
        }
    }
}

impl BuildOptions {
    /// Sets [`rule`](Self::rule).
    #[must_use]
    pub fn rule(mut self, rule: SplitRule) -> Self {
        self.rule = rule;
        self
    }

    /// Sets [`point`](Self::point).
    #[must_use]
    pub fn point(mut self, point: SplitPoint) -> Self {
        self.point = point;
        self
    }

    /// Sets [`directions`](Self::directions).
    #[must_use]
    pub fn directions(mut self, directions: SplitDirections) -> Self {
        self.directions = directions;
        self
    }

    /// Sets [`regroup`](Self::regroup).
    #[must_use]
    pub fn regroup(mut self, regroup: Regroup) -> Self {
        self.regroup = regroup;
        self
    }

    /// Sets [`leaf`](Self::leaf); 0 is taken as 1.
    #[must_use]
    pub fn leaf(mut self, leaf: u32) -> Self {
        self.leaf = leaf;
        self
    }

    /// Sets [`split_skinny`](Self::split_skinny); what is below 0 or no number is taken as 0, what
    /// is above 4 as 4.
    #[must_use]
    pub fn split_skinny(mut self, share: f64) -> Self {
        self.split_skinny = share;
        self
    }

    /// Sets [`threads`](Self::threads).
    #[must_use]
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }
}

//! Build options of binary trees.

use crate::{
    Threads,
    method::tree::{
        Tumbling,
        split::{Regroup, SplitDirections, SplitPoint, SplitRule},
    },
};

/// Build options of a tree. They affect speed, never the answers of queries.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// How nodes are split. Rules that compare more splits take longer to build and may speed up
    /// queries.
    pub rule: SplitRule,
    /// The position of the split plane: the mean makes tighter nodes, the median shallower trees.
    pub point: SplitPoint,
    /// The directions compared for a split. More directions cost time and seldom pay.
    pub directions: SplitDirections,
    /// Whether a split is reconsidered in view of the next (the oscillating build). If volumes are compared, it
    /// takes ten times as long for oriented boxes and a hundred times for k-DOPs.
    pub regroup: Regroup,
    /// How many levels a node is split on trial before its groups are merged, if splits are reconsidered: 2
    /// for four groups, or 3 for eight, which takes some ten times as long.
    pub regroup_levels: u32,
    /// The largest number of faces in a leaf. Fewer faces mean more nodes to store and visit; more
    /// faces mean more triangles to test.
    pub leaf: u32,
    /// The number of additional pieces into which long thin faces may be cut, as a fraction of the
    /// number of faces: 0.3 makes the tree up to 30 % larger, and its volumes tighter. 0, the
    /// default, leaves all faces whole.
    ///
    /// A face of several pieces is in several leaves, so a traversal may visit it, and the same
    /// pair of faces, more than once.
    pub split_skinny: f64,
    /// How volumes are placed in the frame of another body, for trees of k-DOPs. The default is the
    /// fastest; the other takes more memory and longer to build.
    pub tumbling: Tumbling,
    /// The number of levels of the tree, from the root on, whose nodes are placed by hill climbing on
    /// the convex hulls of their faces, for trees of k-DOPs and axis-aligned boxes. That is the
    /// tightest way, and the slowest. 0, the default, for none; 1 for the root; `u32::MAX` for all.
    pub hill_climbing: u32,
    /// The number of threads to build with. The tree is the same for any number, bit for bit.
    pub threads: Threads,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            rule: SplitRule::default(),
            point: SplitPoint::default(),
            directions: SplitDirections::default(),
            regroup: Regroup::default(),
            regroup_levels: 2,
            leaf: 2,
            split_skinny: 0.0,
            tumbling: Tumbling::default(),
            hill_climbing: 0,
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

    /// Sets [`regroup_levels`](Self::regroup_levels); less than 2 is taken as 2, more than 3 as 3.
    #[must_use]
    pub fn regroup_levels(mut self, levels: u32) -> Self {
        self.regroup_levels = levels;
        self
    }

    /// Sets [`leaf`](Self::leaf); 0 is taken as 1.
    #[must_use]
    pub fn leaf(mut self, leaf: u32) -> Self {
        self.leaf = leaf;
        self
    }

    /// Sets [`split_skinny`](Self::split_skinny). Values below 0 and NaN count as 0, values above 4
    /// as 4.
    #[must_use]
    pub fn split_skinny(mut self, share: f64) -> Self {
        self.split_skinny = share;
        self
    }

    /// Sets [`tumbling`](Self::tumbling).
    #[must_use]
    pub fn tumbling(mut self, tumbling: Tumbling) -> Self {
        self.tumbling = tumbling;
        self
    }

    /// Sets [`hill_climbing`](Self::hill_climbing).
    #[must_use]
    pub fn hill_climbing(mut self, levels: u32) -> Self {
        self.hill_climbing = levels;
        self
    }

    /// Sets [`threads`](Self::threads).
    #[must_use]
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }
}

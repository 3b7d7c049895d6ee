//! The order in which a traversal descends into two binary trees.

/// Which of two overlapping nodes a search in binary trees splits. The answers of queries do not depend
/// on it. Other methods have an order of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalkOrder {
    /// The larger one: its children shed the most overlap.
    #[default]
    Larger,
    /// The first tree's node, down to its leaves, then the second tree's (Klosowski 1998, ch. 4).
    First,
    /// Like `First`, except that at a leaf of the first tree, the children of the second tree's
    /// node start again from the first tree's root (the paper's variant).
    ///
    /// The same as `First` where a search does not run from the roots to its end: with a cache, with
    /// a budget, for distances, and in the parts that several threads take.
    Restart,
}

//! Front tracking (Klosowski 1998, ch. 6): starting a traversal where the last one ended.
//!
//! The pairs of nodes that a traversal tests form a tree. The pairs at which it ended, pruned or at
//! two leaves, are its *front*. When bodies move little from one query to the next, the front moves
//! little, too. Testing only the pairs on it, instead of everything from the roots down to them,
//! saves up to half of the tests. Where a pair on the front has come to overlap, the front drops to
//! its children. Where two siblings are both apart, it rises to their parent, if that is apart.
//!
//! The front covers all pairs of leaves at any time: dropping and rising replace pairs by others
//! that cover the same leaves. So the answer is right however far the bodies have moved; only the
//! saving differs. If they move so far that nothing is saved, queries start at the roots for a
//! while.
//!
//! This file holds the front itself; the traversal that starts from it is in `tree/front.rs`.

use super::hull::Separator;

/// The state that a caller keeps between the queries of one pair of trees.
///
/// A front belongs to the two trees it was last used with. Given other trees, it starts again at
/// their roots, so keeping it is always safe.
#[derive(Debug, Default)]
pub struct Front {
    /// The ids of the trees it belongs to.
    trees: Option<[u64; 2]>,
    /// Pairs of nodes: the root at index 0, then siblings side by side, the first at an odd index.
    pub(super) pairs: Vec<NodePair>,
    /// First indices of sibling slots that are not in use.
    free: Vec<u32>,
    /// The pairs on the front, in the order of a traversal.
    pub(super) front: Vec<u32>,
    pub(super) next: Vec<u32>,
    /// Queries left until the front is next allowed to rise.
    until_rise: u32,
    /// The length of the front when it last rose.
    length: usize,
    /// Queries left that start at the roots.
    root_queries_left: u32,
    /// The number of queries in the last such series.
    root_series: u32,
    /// What the method `hull` keeps of a pair instead: the closest features of the hulls.
    pub(super) separator: Separator,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct NodePair {
    pub(super) nodes: [u32; 2],
    parent: u32,
    /// Whether the last test proved the volumes apart.
    pub(super) is_apart: bool,
}

const ROOT: u32 = 0;

/// Queries between two attempts to rise. An attempt costs a test and mostly fails.
pub(super) const RISE_EVERY: u32 = 4;
/// The longest series of queries from the roots before the front gets another chance.
const MAX_ROOT_SERIES: u32 = 64;

impl Front {
    /// An empty front, which the first query fills.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of pairs on the front.
    pub fn len(&self) -> usize {
        self.front.len()
    }

    /// Whether no query has filled the front yet.
    pub fn is_empty(&self) -> bool {
        self.front.is_empty()
    }

    /// Makes the next query start at the roots, in the memory that it has.
    pub(crate) fn forget(&mut self) {
        self.trees = None;
    }

    /// How many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.free.capacity() + self.front.capacity() + self.next.capacity();
        self.pairs.capacity() * size_of::<NodePair>() + lists * size_of::<u32>()
    }

    /// Prepares for a query. Returns whether the front may rise in it.
    pub(super) fn begin(&mut self, trees: [u64; 2]) -> bool {
        if self.trees != Some(trees) {
            self.trees = Some(trees);
            (self.root_queries_left, self.root_series) = (1, 0);
        }
        if self.root_queries_left > 0 {
            self.root_queries_left -= 1;
            self.free.clear();
            self.pairs.clear();
            self.front.clear();
            self.pairs.push(NodePair { nodes: [0, 0], parent: ROOT, is_apart: false });
            self.front.push(ROOT);
            self.until_rise = RISE_EVERY;
            return false;
        }
        self.until_rise = self.until_rise.saturating_sub(1);
        self.until_rise == 0
    }

    /// Decides, from the number of tests that a query took, how the next queries start.
    pub(super) fn end(&mut self, tests: u64, has_risen: bool, is_whole: bool) {
        if has_risen && is_whole {
            self.until_rise = RISE_EVERY;
            self.length = self.front.len();
            // A traversal from the roots takes one test less than twice the pairs on the highest
            // possible front.
            if tests > 2 * self.front.len() as u64 {
                self.root_series = (2 * self.root_series).clamp(1, MAX_ROOT_SERIES);
                self.root_queries_left = self.root_series;
            } else {
                self.root_series /= 2;
            }
        } else if self.pairs.len() > 1 && 2 * self.front.len() > 3 * self.length.max(1) {
            // The front has grown: check whether all of it is needed.
            self.until_rise = 1;
        }
    }

    /// Stores the children of a pair side by side. Returns the index of the first.
    pub(super) fn add_children(&mut self, parent: u32, children: [[u32; 2]; 2]) -> u32 {
        let [first, second] = children.map(|nodes| NodePair { nodes, parent, is_apart: false });
        match self.free.pop() {
            Some(index) => {
                self.pairs[index as usize] = first;
                self.pairs[index as usize + 1] = second;
                index
            }
            None => {
                let index = self.pairs.len() as u32;
                self.pairs.extend([first, second]);
                index
            }
        }
    }
}

impl Front {
    /// Replaces siblings at the end of the front by their parent, as long as all are apart.
    pub(super) fn rise(
        &mut self,
        front: &mut Vec<u32>,
        are_apart: &mut impl FnMut([u32; 2]) -> bool,
    ) {
        while let [.., first, second] = front[..] {
            // Siblings have the indices 2n − 1 and 2n.
            let are_siblings = first % 2 == 1 && second == first + 1;
            if !are_siblings || !self.pairs[first as usize].is_apart {
                return;
            }
            let parent = self.pairs[first as usize].parent;
            if !are_apart(self.pairs[parent as usize].nodes) {
                return;
            }
            self.pairs[parent as usize].is_apart = true;
            front.truncate(front.len() - 2);
            front.push(parent);
            self.free.push(first);
        }
    }
}

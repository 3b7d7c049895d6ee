//! Front tracking (Klosowski 1998, ch. 6): starting a walk where the last one ended.
//!
//! The pairs of nodes that a walk tests form a tree themselves. The pairs at which it ended, pruned
//! or at two leaves, are its *front*. When bodies move little from one query to the next, the front
//! moves little too: testing the pairs on it, instead of everything from the roots down to them,
//! saves up to half of the tests. Where a pair on the front has come to overlap, the front drops to
//! its children; where both of two siblings are apart, it rises to their parent, if that is apart.
//!
//! The front covers all pairs of leaves at any time: dropping and rising replace pairs by others that
//! cover the same. So it does not matter how far the bodies have moved, only how much is saved. Where
//! they move so far that nothing is, queries start at the roots for a while.
//!
//! This file holds the front itself; the walk that starts from it is in `tree/front.rs`.

/// What a caller keeps between the queries of one pair of trees.
///
/// Belongs to the two trees it was last used with. Given others, it starts anew at their roots, so
/// that it is safe to keep whatever happens to the bodies.
#[derive(Debug, Default)]
pub struct Front {
    /// The trees it belongs to.
    trees: Option<[u64; 2]>,
    /// Pairs of nodes: the root at 0, then siblings side by side at odd and even places.
    pub(super) pairs: Vec<NodePair>,
    /// First places of siblings that are no longer in use.
    free: Vec<u32>,
    /// The pairs on the front, in the order of a walk.
    pub(super) front: Vec<u32>,
    pub(super) next: Vec<u32>,
    /// How many queries it is until the front is looked at from above.
    until_rise: u32,
    /// How long the front was when that was last done.
    length: usize,
    /// How many queries are to start at the roots.
    from_roots: u32,
    /// How many the last such spell had.
    spell: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct NodePair {
    pub(super) nodes: [u32; 2],
    parent: u32,
    /// Whether the last test proved the volumes apart.
    pub(super) is_apart: bool,
}

const ROOT: u32 = 0;

/// To see whether the front can rise takes a test of its own, mostly in vain: so not every time.
pub(super) const RISE_EVERY: u32 = 4;
/// The longest spell of queries from the roots before the front gets another chance.
const LONGEST_SPELL: u32 = 64;

impl Front {
    /// An empty front, which the first query fills.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many pairs are on the front.
    pub fn len(&self) -> usize {
        self.front.len()
    }

    /// Whether no query has filled it yet.
    pub fn is_empty(&self) -> bool {
        self.front.is_empty()
    }

    /// Prepares for a query and returns whether the front may rise in it.
    pub(super) fn begin(&mut self, trees: [u64; 2]) -> bool {
        if self.trees != Some(trees) {
            self.trees = Some(trees);
            (self.from_roots, self.spell) = (1, 0);
        }
        if self.from_roots > 0 {
            self.from_roots -= 1;
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

    /// Looks at what a query took.
    pub(super) fn end(&mut self, tests: u64, has_risen: bool, is_whole: bool) {
        if has_risen && is_whole {
            self.until_rise = RISE_EVERY;
            self.length = self.front.len();
            // From the roots it takes one test less than twice the pairs on a front that is as high
            // as can be.
            if tests > 2 * self.front.len() as u64 {
                self.spell = (2 * self.spell).clamp(1, LONGEST_SPELL);
                self.from_roots = self.spell;
            } else {
                self.spell /= 2;
            }
        } else if self.pairs.len() > 1 && 2 * self.front.len() > 3 * self.length.max(1) {
            // It has grown: time to look whether all of it is needed.
            self.until_rise = 1;
        }
    }

    /// Two places side by side for the children of a pair.
    pub(super) fn add_children(&mut self, parent: u32, children: [[u32; 2]; 2]) -> u32 {
        let [first, second] = children.map(|nodes| NodePair { nodes, parent, is_apart: false });
        match self.free.pop() {
            Some(place) => {
                self.pairs[place as usize] = first;
                self.pairs[place as usize + 1] = second;
                place
            }
            None => {
                let place = self.pairs.len() as u32;
                self.pairs.extend([first, second]);
                place
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
            // Siblings are at places 2n − 1 and 2n.
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

//! What all trees share: the search of two bodies with a tree over the faces of each.
//!
//! A tree says how it is walked in three traits, each with a purpose of its own: [`Walk`] for the
//! faces that touch, [`NearestWalk`] for the least distance, [`ResumableWalk`] for queries that can be
//! interrupted. [`HierarchySearch`] makes a [`Search`](super::Search) of them: threads, visitors,
//! caches, budgets. [`FrameRay`], [`FramePoint`] and [`FrameSolid`] are for
//! queries about a ray, a point or a solid and one tree.

#[cfg(test)]
pub(super) mod one_tree;
mod point;
mod ray;
mod search;
mod solid;
mod solid_box;

pub(super) use point::FramePoint;
pub(super) use ray::{FrameRay, FrameSegment, TAU_SLACK};
pub(super) use search::HierarchySearch;
pub(super) use solid::FrameSolid;
pub(super) use solid_box::SolidBox;

use super::{
    FaceDecider, Found, Front, Hint, Meter, NearestFaces, OpenPair, Prepared, Question,
    SelfDecider, WalkCounts, question::Leaves,
};
use std::{
    ops::{ControlFlow, Range},
    sync::atomic::{AtomicBool, Ordering},
};

/// Callback for each pair of leaves that may hold a contact, with the faces of both. `Break` stops the search.
pub type LeafVisitor<'v> = dyn FnMut([&[u32]; 2]) -> ControlFlow<()> + 'v;

/// A tree over the faces of a mesh.
pub(super) trait Hierarchy: Prepared {
    /// Memory for a walk and for what an interrupted one keeps, reused from query to query.
    type Scratch: WalkScratch;

    /// Two trees at their poses.
    type Pair<'t>: Walk<Scratch = Self::Scratch>
        + NearestWalk<Scratch = Self::Scratch>
        + ResumableWalk<Scratch = Self::Scratch>
    where
        Self: 't;

    /// Whether a walk can start where the last one ended.
    const HAS_FRONT: bool = false;

    /// Whether a face may be in several leaves.
    fn repeats_faces(&self) -> bool {
        false
    }

    /// Prepares a walk down two trees at once, at the poses of a question.
    fn pair<'t>(&'t self, other: &'t Self, question: &Question<'_>) -> Self::Pair<'t>;

    /// The same for a search of faces that are as close as asked; `None` if it is proven that there are none.
    fn near_pair<'t>(&'t self, other: &'t Self, question: &Question<'_>) -> Option<Self::Pair<'t>> {
        Some(self.pair(other, question))
    }
}

/// Memory for a walk.
pub(super) trait WalkScratch: Default + Send + Sync {
    /// How many tests the last walk made.
    fn counts(&self) -> WalkCounts;

    /// Where the last search found a pair of faces, if the next search can use that.
    fn found_at(&self) -> Option<Hint> {
        None
    }
}

/// The walk down two trees at once, to the leaves that may be as close as asked. It leaves out no pair
/// of leaves that holds a pair of faces that are.
pub(super) trait Walk: Sync {
    /// The scratch type of these trees.
    type Scratch;
    /// A pair of nodes from which a walk can continue.
    type Piece: Copy + Send + Sync;

    /// Resets the scratch for a new walk, with no piece to start from yet.
    fn begin(&self, scratch: &mut Self::Scratch);

    /// The pair of roots; `None` if one of the trees is empty.
    fn roots(&self) -> Option<Self::Piece>;

    /// Adds a pair of nodes from which to continue.
    fn push(&self, scratch: &mut Self::Scratch, piece: Self::Piece);

    /// Continues until no pair is left, or about `limit` volumes have been tested since
    /// [`begin`](Self::begin), or `visit` says to stop. If fewer volumes were tested and `visit` was not called, the
    /// bodies are proven not to be as close as asked.
    fn walk(
        &self,
        scratch: &mut Self::Scratch,
        limit: u64,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()>;

    /// A walk that decides about the faces of the leaves, and calls `found` with the pairs that are as
    /// close as asked. Trees that can decide about most faces by themselves do so here.
    fn search(
        &self,
        scratch: &mut Self::Scratch,
        goal: Goal<'_>,
        decider: &FaceDecider<'_>,
        leaves: &mut Leaves,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        self.search_leaves(scratch, goal, decider, leaves, found)
    }

    /// A walk that decides about every pair of faces of the leaves by the exact test.
    fn search_leaves(
        &self,
        scratch: &mut Self::Scratch,
        goal: Goal<'_>,
        decider: &FaceDecider<'_>,
        leaves: &mut Leaves,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        self.walk(scratch, goal.limit, &mut |pair| {
            if goal.is_over.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            decider.close_pairs(leaves, pair, &mut *found)
        })
    }

    /// Takes the pairs of nodes that are left to visit, split until there are about `enough` of them.
    fn take_pieces(&self, scratch: &mut Self::Scratch, enough: usize) -> Vec<Self::Piece>;

    /// Visits the leaves first in which an earlier search, perhaps of other trees, found a pair.
    fn look_first(&self, _scratch: &mut Self::Scratch, _hint: Hint) {}

    /// A walk that starts where the last one with this front ended, for trees that have a front.
    fn walk_from(
        &self,
        _front: &mut Front,
        scratch: &mut Self::Scratch,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.begin_at_roots(scratch);
        self.walk(scratch, u64::MAX, visit)
    }

    /// The number of parts of a search of one tree for contacts of the body with itself; 0 for trees that are searched
    /// like two bodies instead. Both trees are the same, at the same pose.
    fn self_parts(&self) -> usize {
        0
    }

    /// Searches some of these parts, and calls `found` with each pair of faces in contact once, the lower face first.
    /// All parts together find all contacts of the body with itself.
    fn search_self(
        &self,
        _scratch: &mut Self::Scratch,
        _parts: Range<usize>,
        _decider: &SelfDecider<'_>,
        _found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Resets the scratch for a walk from the roots.
    fn begin_at_roots(&self, scratch: &mut Self::Scratch) {
        self.begin(scratch);
        if let Some(roots) = self.roots() {
            self.push(scratch, roots);
        }
    }
}

/// The walk for the least distance: branch and bound, the closest first.
pub(super) trait NearestWalk {
    /// The scratch type of these trees.
    type Scratch;

    /// Visits pairs of leaves, those that seem closer first. A pair is left out only if `nearest` can
    /// skip a lower bound of its distance in world units.
    fn walk_nearest(
        &self,
        scratch: &mut Self::Scratch,
        nearest: &mut NearestFaces,
        visit: &mut dyn FnMut(&mut NearestFaces, [&[u32]; 2]),
    );
}

/// The walk that can be interrupted and continued: what it has left to visit is a list of pairs of
/// nodes that overlap.
pub(super) trait ResumableWalk {
    /// The scratch type of these trees.
    type Scratch;

    /// Begins with the pair of roots, unless they are apart.
    fn begin_open(&self, scratch: &mut Self::Scratch);

    /// Continues until no pair is left, which is returned, or the meter is spent, or `visit` has
    /// returned that it found a pair of faces, unless all are wanted.
    fn advance(
        &self,
        scratch: &mut Self::Scratch,
        meter: &mut Meter,
        wants_all: bool,
        visit: &mut dyn FnMut([&[u32]; 2]) -> bool,
    ) -> bool;

    /// How many pairs are left, and the largest of their overlaps in world units.
    fn left_open(&self, scratch: &Self::Scratch) -> (usize, f64);

    /// Visits the pairs that are left.
    fn visit_open(&self, scratch: &Self::Scratch, visit: &mut dyn FnMut(OpenPair<'_>));
}

/// What a search is for, and when it may end.
#[derive(Clone, Copy)]
pub(super) struct Goal<'q> {
    /// After about so many tests of volumes.
    pub(super) limit: u64,
    /// Whether all pairs are wanted, or any one.
    pub(super) wants_all: bool,
    /// Whether another thread has found what was asked for.
    pub(super) is_over: &'q AtomicBool,
}

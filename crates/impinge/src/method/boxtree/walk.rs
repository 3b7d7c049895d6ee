//! The traversal of two boxtrees, down to the leaves that may touch. Contact queries call it
//! through the traits of `method/hierarchy`.

use super::{
    Boxtree, Node, OverlapTest,
    fine::FinePair,
    lookup::{Lookup, Table},
    nearest::NearPair,
    node::STEPS_PER_UNIT,
    overlap::{ALIGNED, Extent, FULL, Gaps, LITE, Linear, Real, Start},
};
use crate::{
    method::{
        Question, WalkCounts,
        hierarchy::{self, Hierarchy, LeafVisitor, WalkScratch},
        resumable::Ranked,
    },
    volume::Relative,
};
use std::ops::ControlFlow;

/// Scratch memory for a traversal, reused from query to query. A warm query allocates nothing.
#[derive(Debug, Default)]
pub struct BoxtreeScratch {
    /// The overlap test of boxes.
    pub test: OverlapTest,
    /// The work done by the last traversal.
    pub counts: WalkCounts,
    aligned: Stacks<f64, f32, ALIGNED>,
    lite: Stacks<f64, f32, LITE>,
    full: Stacks<f64, f32, FULL>,
    table: Table,
    pub(super) near: Vec<NearPair>,
    /// Pairs of nodes that an interrupted query has left to visit, and the length of their unit in
    /// the world.
    pub(super) open: Vec<Ranked<FinePair>>,
    pub(super) open_unit: f64,
    /// The share of the traversal that is still to be done.
    pub(super) share: Option<Share>,
}

/// A share of a traversal: of all pairs of small boxes that it reaches, every `of`th one. The order
/// of pairs is the same whenever the traversal is repeated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(super) nth: usize,
    pub(super) of: usize,
    /// The number of pairs of small boxes that an interrupted traversal has finished.
    pub(super) pairs_done: usize,
    /// The number of pairs of leaves that it has visited below the next pair.
    pub(super) leaves_done: usize,
}

impl Share {
    /// The whole traversal.
    pub(super) const WHOLE: Self = Self { nth: 0, of: 1, pairs_done: 0, leaves_done: 0 };
}

/// Why a traversal stops early.
enum Stop {
    /// The visitor stopped it.
    Visitor,
    /// The limit of tests is reached.
    Limit,
}

impl BoxtreeScratch {
    /// Scratch memory for traversals with this overlap test.
    pub fn new(test: OverlapTest) -> Self {
        Self { test, ..Self::default() }
    }
}

/// Pairs still to visit, with gaps in `f64` and in `f32`, or in types that count operations on them.
#[derive(Debug, Default)]
pub(super) struct Stacks<F, R, const GAPS: usize> {
    fine: Vec<PairState<[F; GAPS]>>,
    coarse: Vec<PairState<[R; GAPS]>>,
}

/// A pair of nodes whose boxes may overlap, with their gaps and sizes.
#[derive(Clone, Copy, Debug)]
struct PairState<S> {
    state: S,
    nodes: [Node; 2],
    extent: Extent,
}

/// From the roots down to boxes of this fraction of their size, gaps are computed in `f64`; below
/// in `f32`, which is twice as fast.
const FINE_FRACTION: f32 = 1.0 / 4.0;

/// The `f64` part also goes down to boxes of at most this many times the size of a typical leaf. By
/// then the slack of `f32` is about an eighth of a leaf (see [`Extent::slack_below`]; boxes shrink
/// so fast that the total slack is about four times the first). This matters only for small parts
/// of large meshes.
const FINE_LEAF_SIZES: f32 = (1 << 14) as f32;

/// A box that is this many times as large as the other is split alone: most children of the other
/// would overlap it.
const SPLIT_RATIO: f32 = 1.5;

impl Boxtree {
    /// Visits every pair of leaves whose boxes overlap, as lists of faces, until `visit` stops the
    /// traversal.
    ///
    /// It misses no pair of touching faces: it prunes a pair of leaves only if their boxes, or
    /// those of nodes above them, are proved apart.
    pub fn visit_leaf_pairs(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.visit_part_of_leaf_pairs([0, 1], other, relative, scratch, visit)
    }

    /// Visits one of several parts of about equal work that make up
    /// [`visit_leaf_pairs`](Self::visit_leaf_pairs), for as many threads. `part` is the index of
    /// the part and the number of parts.
    ///
    /// Each part traverses the trees down to small boxes by itself, and continues from its share of
    /// them.
    pub fn visit_part_of_leaf_pairs(
        &self,
        part: [usize; 2],
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        let [nth, of] = [part[0], part[1].max(1)];
        let share = Share { nth, of, ..Share::WHOLE };
        self.visit_share((share, u64::MAX), other, relative, scratch, visit)
    }

    /// Visits a share of [`visit_leaf_pairs`](Self::visit_leaf_pairs), up to about `limit` tests of
    /// boxes. The rest of the share is left in the scratch memory.
    ///
    /// The limit is checked between leaves and between pairs of small boxes, so a traversal may
    /// exceed it by all tests below one such pair.
    pub(super) fn visit_share(
        &self,
        (share, limit): (Share, u64),
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        let BoxtreeScratch { test, counts, aligned, lite, full, table, share: left, .. } = scratch;
        *counts = WalkCounts::default();
        *left = None;
        let (Some(root), Some(other_root)) = (self.root, other.root) else {
            return ControlFlow::Continue(());
        };
        let roots = [root, other_root];
        let mut walk = Walk { trees: [self, other], roots, share, limit, counts: *counts, visit };
        let result = match test {
            OverlapTest::AxisAlignment => {
                let start = Start::new(self, other, relative);
                walk.run(&start, &start.fine, &start.coarse::<f32>(), aligned)
            }
            OverlapTest::LookupTables => {
                let start = Start::new(self, other, relative);
                walk.run(&start, &start.fine, &Lookup::new(start.coarse(), table), aligned)
            }
            OverlapTest::SeparatingAxes => {
                let start = Start::new(self, other, relative);
                walk.run(&start, &start.fine, &start.coarse::<f32>(), full)
            }
            OverlapTest::SatLite => {
                let start = Start::new(self, other, relative);
                walk.run(&start, &start.fine, &start.coarse::<f32>(), lite)
            }
        };
        *counts = walk.counts;
        match result {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(Stop::Visitor) => ControlFlow::Break(()),
            ControlFlow::Break(Stop::Limit) => {
                *left = Some(walk.share);
                ControlFlow::Continue(())
            }
        }
    }

    /// Traverses down to all leaves with numbers of any type, for [`operations`](super::operations).
    pub(super) fn visit_with<F: Real + Into<f64>, R: Real, const GAPS: usize>(
        &self,
        other: &Self,
        relative: &Relative,
    ) -> WalkCounts {
        let (Some(root), Some(other_root)) = (self.root, other.root) else {
            return WalkCounts::default();
        };
        let mut walk = Walk {
            trees: [self, other],
            roots: [root, other_root],
            share: Share::WHOLE,
            limit: u64::MAX,
            counts: WalkCounts::default(),
            visit: &mut |_| ControlFlow::Continue(()),
        };
        let start = Start::<GAPS>::new(self, other, relative);
        let (fine, coarse) = (start.coarse::<F>(), start.coarse::<R>());
        // It is never stopped: there is no limit, and the visitor continues.
        let _ =
            walk.run(&start, &fine, &coarse, &mut Stacks { fine: Vec::new(), coarse: Vec::new() });
        walk.counts
    }

    /// The sum of the sides of the root's box, in the unit of cuts.
    pub(super) fn size(&self) -> f32 {
        (0..3).map(|axis| self.bounds.length(axis) as f32).sum::<f32>() / STEPS_PER_UNIT as f32
    }
}

/// A running traversal: the trees, its progress, and the visitor of its leaves.
struct Walk<'w, 'v> {
    trees: [&'w Boxtree; 2],
    roots: [Node; 2],
    /// The share to traverse, and its progress once the limit is reached.
    share: Share,
    /// The number of box tests after which it stops, approximately.
    limit: u64,
    counts: WalkCounts,
    visit: &'w mut LeafVisitor<'v>,
}

impl Walk<'_, '_> {
    fn run<F: Real + Into<f64>, R: Real, const GAPS: usize, G: Gaps<State = [R; GAPS]>>(
        &mut self,
        start: &Start<GAPS>,
        fine: &Linear<F, GAPS>,
        coarse: &G,
        stacks: &mut Stacks<F, R, GAPS>,
    ) -> ControlFlow<Stop> {
        let Stacks { fine: fine_stack, coarse: coarse_stack } = stacks;
        let Start { extent, allowance, units, .. } = *start;
        let roots = PairState { state: start.gaps.map(F::nearest), nodes: self.roots, extent };
        let least = (extent.size() * FINE_FRACTION).min(start.leaf_size * FINE_LEAF_SIZES);
        let descent = Descent { units, allowance, least };
        self.counts.volume_tests += 1;
        if start.gaps.iter().any(|&gap| gap > 0.0) {
            return ControlFlow::Continue(());
        }
        let Share { nth, of, pairs_done, leaves_done } = self.share;
        let mut passed = 0;
        self.descend(
            fine,
            descent,
            roots,
            fine_stack,
            |walk, PairState { state, nodes, extent }| {
                passed += 1;
                if passed <= pairs_done || passed % of != nth {
                    return ControlFlow::Continue(());
                }
                // The progress before this pair is visited.
                walk.share.pairs_done = passed - 1;
                walk.share.leaves_done = 0;
                if walk.counts.volume_tests >= walk.limit {
                    return ControlFlow::Break(Stop::Limit);
                }
                let skipped = if passed == pairs_done + 1 { leaves_done } else { 0 };
                // Narrowing is one more rounding, which the slack for children covers.
                let extent = Extent { slack: extent.slack_below::<G>(allowance), ..extent };
                let open =
                    PairState { state: state.map(|gap| R::nearest(gap.into())), nodes, extent };
                let descent = Descent { least: f32::NEG_INFINITY, ..descent };
                walk.descend(
                    coarse,
                    descent,
                    open,
                    coarse_stack,
                    |walk, PairState { nodes: [a, b], .. }| {
                        if walk.share.leaves_done < skipped {
                            walk.share.leaves_done += 1;
                            return ControlFlow::Continue(());
                        }
                        if walk.counts.volume_tests >= walk.limit {
                            return ControlFlow::Break(Stop::Limit);
                        }
                        walk.share.leaves_done += 1;
                        let (faces_a, faces_b) =
                            (walk.trees[0].faces_of(&a), walk.trees[1].faces_of(&b));
                        walk.counts.face_tests += faces_a.len() as u64 * faces_b.len() as u64;
                        (walk.visit)([faces_a, faces_b]).map_break(|()| Stop::Visitor)
                    },
                )
            },
        )
    }

    /// Goes down from a pair of nodes to the pairs of leaves, or of boxes that are small enough.
    #[inline]
    fn descend<G: Gaps>(
        &mut self,
        gaps: &G,
        descent: Descent,
        start: PairState<G::State>,
        stack: &mut Vec<PairState<G::State>>,
        mut at_end: impl FnMut(&mut Self, PairState<G::State>) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        let [tree_a, tree_b] = self.trees;
        let Descent { units, allowance, least } = descent;
        stack.resize(stack.len().max(64), start);
        stack[0] = start;
        let mut open = 1;
        while open > 0 {
            open -= 1;
            let pair = stack[open];
            let PairState { state, nodes: [a, b], extent } = pair;
            if (a.is_leaf() && b.is_leaf()) || extent.size() <= least {
                at_end(self, pair)?;
                continue;
            }
            if stack.len() < open + 4 {
                stack.resize(2 * stack.len(), start);
            }
            let Some(slots) = stack[open..].first_chunk_mut::<4>() else {
                unreachable!("the stack was just grown")
            };
            let shrunk =
                |which: usize, child: Node| extent.sizes[which] - child.loss() * units[which];
            let slack = extent.slack_below::<G>(allowance);
            // Every child pair is written, and kept if it overlaps. The outcome is hard to predict,
            // and a misprediction costs more than the write.
            let mut kept = 0;
            let mut keep = |state: G::State, nodes: [Node; 2], sizes: [f32; 2]| {
                slots[kept & 3] = PairState { state, nodes, extent: Extent { sizes, slack } };
                kept += usize::from(!G::are_apart(&state, slack));
            };
            let [size_a, size_b] = extent.sizes;
            let split_a = !a.is_leaf() && (b.is_leaf() || SPLIT_RATIO * size_a >= size_b);
            let split_b =
                !b.is_leaf() && (a.is_leaf() || !split_a || SPLIT_RATIO * size_b >= size_a);
            if split_a && split_b {
                // Values that depend on one node alone are computed once, for both pairs that
                // contain it.
                let [first, second] = tree_b.pairs[b.link as usize];
                let changes = [
                    (first, shrunk(1, first), gaps.change(first)),
                    (second, shrunk(1, second), gaps.change(second)),
                ];
                for child in tree_a.pairs[a.link as usize] {
                    let (state, size) = (gaps.descended(&state, child), shrunk(0, child));
                    for (other, other_size, change) in &changes {
                        keep(G::changed(&state, change), [child, *other], [size, *other_size]);
                    }
                }
                self.counts.volume_tests += 4;
            } else if split_a {
                for child in tree_a.pairs[a.link as usize] {
                    keep(gaps.descended(&state, child), [child, b], [shrunk(0, child), size_b]);
                }
                self.counts.volume_tests += 2;
            } else {
                for child in tree_b.pairs[b.link as usize] {
                    let state = G::changed(&state, &gaps.change(child));
                    keep(state, [a, child], [size_a, shrunk(1, child)]);
                }
                self.counts.volume_tests += 2;
            }
            open += kept;
        }
        ControlFlow::Continue(())
    }
}

/// The parameters of one descent.
#[derive(Clone, Copy)]
struct Descent {
    /// By how much the size of each box shrinks when a side moves by a unit.
    units: [f32; 2],
    /// See [`Start::allowance`].
    allowance: f32,
    /// The descent ends at pairs of boxes whose total size is at most this.
    least: f32,
}

/// Two boxtrees and their relative pose.
pub(crate) struct BoxtreePair<'t> {
    pub(super) a: &'t Boxtree,
    pub(super) b: &'t Boxtree,
    pub(super) relative: Relative,
}

impl Hierarchy for Boxtree {
    type Scratch = BoxtreeScratch;
    type Pair<'t> = BoxtreePair<'t>;

    fn pair<'t>(&'t self, other: &'t Self, question: &Question<'_>) -> BoxtreePair<'t> {
        let relative = question.relative(&self.frame, &other.frame);
        BoxtreePair { a: self, b: other, relative }
    }
}

impl WalkScratch for BoxtreeScratch {
    fn counts(&self) -> WalkCounts {
        self.counts
    }
}

impl hierarchy::Walk for BoxtreePair<'_> {
    type Scratch = BoxtreeScratch;
    /// A share of the traversal from the roots: a node alone does not tell where its box is.
    type Piece = Share;

    fn begin(&self, scratch: &mut BoxtreeScratch) {
        scratch.counts = WalkCounts::default();
        scratch.test = self.a.options.overlap;
        scratch.share = None;
    }

    fn roots(&self) -> Option<Share> {
        Some(Share::WHOLE)
    }

    fn push(&self, scratch: &mut BoxtreeScratch, piece: Share) {
        scratch.share = Some(piece);
    }

    fn walk(
        &self,
        scratch: &mut BoxtreeScratch,
        limit: u64,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        let Some(share) = scratch.share.take() else {
            return ControlFlow::Continue(());
        };
        let before = scratch.counts;
        let share = (share, limit);
        let result = self.a.visit_share(share, self.b, &self.relative, scratch, visit);
        scratch.counts = scratch.counts.plus(before);
        result
    }

    fn take_pieces(&self, scratch: &mut BoxtreeScratch, _enough: usize) -> Vec<Share> {
        let Some(left) = scratch.share.take() else {
            return Vec::new();
        };
        // Each share goes down from the roots by itself, so there should not be too many.
        let of = 4 * rayon::current_num_threads();
        (0..of).map(|nth| Share { nth, of, ..left }).collect()
    }
}

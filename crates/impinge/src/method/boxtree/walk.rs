//! Down two boxtrees at once, to the leaves that may touch.

use super::{
    Boxtree, Node, OverlapTest,
    fine::FinePair,
    lookup::{Lookup, Table},
    nearest::NearPair,
    node::STEPS_PER_UNIT,
    overlap::{ALIGNED, Extent, FULL, Gaps, LITE, Real, Start},
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

/// Room for a walk, reused from query to query so that none allocates once warm.
#[derive(Debug, Default)]
pub struct BoxtreeScratch {
    /// How boxes are told apart.
    pub test: OverlapTest,
    /// What the last walk did.
    pub counts: WalkCounts,
    aligned: Stacks<ALIGNED>,
    lite: Stacks<LITE>,
    full: Stacks<FULL>,
    table: Table,
    pub(super) near: Vec<NearPair>,
    /// What an interrupted search has left open, and how long its unit is in the world.
    pub(super) open: Vec<Ranked<FinePair>>,
    pub(super) open_unit: f64,
    /// The share of a walk that is to come.
    pub(super) share: Option<Share>,
}

/// A share of a walk: of the pairs of small boxes that it comes to, each `of`th one. Pairs come in the
/// same order whenever the walk is repeated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(super) nth: usize,
    pub(super) of: usize,
    /// How many pairs of small boxes an interrupted walk is done with.
    pub(super) pairs_done: usize,
    /// How many pairs of leaves it has visited below the next pair.
    pub(super) leaves_done: usize,
}

impl Share {
    /// All of a walk.
    pub(super) const WHOLE: Self = Self { nth: 0, of: 1, pairs_done: 0, leaves_done: 0 };
}

/// Why a walk stops early.
enum Stop {
    /// The visitor said so.
    Told,
    /// It has made as many tests as it may.
    Limit,
}

impl BoxtreeScratch {
    /// Room for walks that tell boxes apart in this way.
    pub fn new(test: OverlapTest) -> Self {
        Self { test, ..Self::default() }
    }
}

/// Pairs yet to be looked at, by how finely their gaps are reckoned.
#[derive(Debug, Default)]
struct Stacks<const GAPS: usize> {
    fine: Vec<Open<[f64; GAPS]>>,
    coarse: Vec<Open<[f32; GAPS]>>,
}

/// A pair of nodes whose boxes may overlap, and what has been worked out of them.
#[derive(Clone, Copy, Debug)]
struct Open<S> {
    state: S,
    nodes: [Node; 2],
    extent: Extent,
}

/// From the roots down to boxes of this part of their size, gaps are reckoned in `f64`; the rest of
/// the way in `f32`, which is twice as fast.
const FINE: f32 = 1.0 / 4.0;

/// … and of no more than this many times the size of most leaves: by then `f32` has slack for an
/// eighth of a leaf, give or take (see [`Extent::slack_below`]; boxes become smaller so fast that
/// all slack is about four times the first). Matters for small parts of large meshes only.
const GRAINS: f32 = (1 << 14) as f32;

/// If a box is so many times as large as another, it is split alone: most children of the other
/// would overlap it.
const MUCH: f32 = 1.5;

impl Boxtree {
    /// Visits every pair of leaves whose boxes overlap, as lists of faces, until told to stop.
    ///
    /// No pair of touching faces is passed over: a leaf pair is left out only where the boxes of the
    /// leaves, or of nodes above them, are proved apart.
    pub fn visit_leaf_pairs(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut BoxtreeScratch,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        self.visit_part_of_leaf_pairs([0, 1], other, relative, scratch, visit)
    }

    /// One of several parts of about equal work that make up
    /// [`visit_leaf_pairs`](Self::visit_leaf_pairs), for as many threads: which, and of how many.
    ///
    /// Each walks down to small boxes by itself, and goes on from its share of them.
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

    /// A share of [`visit_leaf_pairs`](Self::visit_leaf_pairs), up to about a number of tests of boxes.
    /// What is left of the share then is in the scratch.
    ///
    /// Counted are tests between leaves and between pairs of small boxes, so that a walk may go
    /// beyond its limit by all tests below one such pair.
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
                walk.run(&start, &start.coarse(), aligned)
            }
            OverlapTest::LookupTables => {
                let start = Start::new(self, other, relative);
                walk.run(&start, &Lookup::new(start.coarse(), table), aligned)
            }
            OverlapTest::SeparatingAxes => {
                let start = Start::new(self, other, relative);
                walk.run(&start, &start.coarse(), full)
            }
            OverlapTest::SatLite => {
                let start = Start::new(self, other, relative);
                walk.run(&start, &start.coarse(), lite)
            }
        };
        *counts = walk.counts;
        match result {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(Stop::Told) => ControlFlow::Break(()),
            ControlFlow::Break(Stop::Limit) => {
                *left = Some(walk.share);
                ControlFlow::Continue(())
            }
        }
    }

    /// The sum of the sides of its box, in the unit of cuts.
    pub(super) fn size(&self) -> f32 {
        (0..3).map(|axis| self.bounds.length(axis) as f32).sum::<f32>() / STEPS_PER_UNIT as f32
    }
}

/// A walk: the trees, what it has done, and what is done at its leaves.
struct Walk<'w, 'v> {
    trees: [&'w Boxtree; 2],
    roots: [Node; 2],
    /// What is to be walked, and what of it is done once the limit is reached.
    share: Share,
    /// After about how many tests of boxes it stops.
    limit: u64,
    counts: WalkCounts,
    visit: &'w mut LeafVisitor<'v>,
}

impl Walk<'_, '_> {
    fn run<const GAPS: usize, G: Gaps<State = [f32; GAPS]>>(
        &mut self,
        start: &Start<GAPS>,
        coarse: &G,
        stacks: &mut Stacks<GAPS>,
    ) -> ControlFlow<Stop> {
        let Stacks { fine: fine_stack, coarse: coarse_stack } = stacks;
        let Start { extent, allowance, units, .. } = *start;
        let roots = Open { state: start.gaps, nodes: self.roots, extent };
        let least = (extent.size() * FINE).min(start.grain * GRAINS);
        let rules = Rules { units, allowance, least };
        self.counts.volume_tests += 1;
        if roots.state.iter().any(|&gap| gap > 0.0) {
            return ControlFlow::Continue(());
        }
        let Share { nth, of, pairs_done, leaves_done } = self.share;
        let mut passed = 0;
        self.descend(
            &start.fine,
            rules,
            roots,
            fine_stack,
            |walk, Open { state, nodes, extent }| {
                passed += 1;
                if passed <= pairs_done || passed % of != nth {
                    return ControlFlow::Continue(());
                }
                // What is done once this pair is looked into.
                walk.share.pairs_done = passed - 1;
                walk.share.leaves_done = 0;
                if walk.counts.volume_tests >= walk.limit {
                    return ControlFlow::Break(Stop::Limit);
                }
                let skipped = if passed == pairs_done + 1 { leaves_done } else { 0 };
                // Narrowing is one rounding more, of the many that children are allowed.
                let extent = Extent { slack: extent.slack_below::<G>(allowance), ..extent };
                let open = Open { state: state.map(f32::nearest), nodes, extent };
                let rules = Rules { least: f32::NEG_INFINITY, ..rules };
                walk.descend(
                    coarse,
                    rules,
                    open,
                    coarse_stack,
                    |walk, Open { nodes: [a, b], .. }| {
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
                        (walk.visit)([faces_a, faces_b]).map_break(|()| Stop::Told)
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
        rules: Rules,
        start: Open<G::State>,
        stack: &mut Vec<Open<G::State>>,
        mut at_end: impl FnMut(&mut Self, Open<G::State>) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        let [tree_a, tree_b] = self.trees;
        let Rules { units, allowance, least } = rules;
        stack.resize(stack.len().max(64), start);
        stack[0] = start;
        let mut open = 1;
        while open > 0 {
            open -= 1;
            let pair = stack[open];
            let Open { state, nodes: [a, b], extent } = pair;
            if (a.is_leaf() && b.is_leaf()) || extent.size() <= least {
                at_end(self, pair)?;
                continue;
            }
            if stack.len() < open + 4 {
                stack.resize(2 * stack.len(), start);
            }
            let Some(room) = stack[open..].first_chunk_mut::<4>() else {
                unreachable!("room was made")
            };
            let shrunk =
                |which: usize, child: Node| extent.sizes[which] - child.loss() * units[which];
            let slack = extent.slack_below::<G>(allowance);
            // Written down in any case, and kept if they overlap: whether they do is hard to guess,
            // and a wrong guess costs more than the writing.
            let mut kept = 0;
            let mut keep = |state: G::State, nodes: [Node; 2], sizes: [f32; 2]| {
                room[kept & 3] = Open { state, nodes, extent: Extent { sizes, slack } };
                kept += usize::from(!G::are_apart(&state, slack));
            };
            let [size_a, size_b] = extent.sizes;
            let split_a = !a.is_leaf() && (b.is_leaf() || MUCH * size_a >= size_b);
            let split_b = !b.is_leaf() && (a.is_leaf() || !split_a || MUCH * size_b >= size_a);
            if split_a && split_b {
                // What depends on one node alone is worked out once, for both pairs it is part of.
                let others = tree_b.pairs[b.link as usize];
                let changes = others.map(|child| (child, shrunk(1, child), gaps.change(child)));
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

/// What a part of a walk goes by.
#[derive(Clone, Copy)]
struct Rules {
    /// How much smaller a box becomes if its side is moved by a unit.
    units: [f32; 2],
    /// See [`Start::allowance`].
    allowance: f32,
    /// Where it ends: at boxes that are no larger together.
    least: f32,
}

/// Two boxtrees at their poses.
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
    /// A share of the walk from the roots: nodes alone do not say where their boxes are.
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
        // Each share walks down from the roots by itself, so there should not be too many.
        let of = 4 * rayon::current_num_threads();
        (0..of).map(|nth| Share { nth, of, ..left }).collect()
    }
}

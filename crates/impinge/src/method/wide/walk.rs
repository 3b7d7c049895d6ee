//! The traversal of two wide trees, down to the triangles that may touch.
//!
//! Contact queries call it through the traits of `method/hierarchy`. A traversal returns now and
//! then to hand over its results, and then continues. So it does not depend on how the results are
//! used, and is compiled once for each instruction set. It relies on `boxes.rs` for pairs of nodes
//! and on `triangles.rs` for pairs of leaves.

use super::{
    Leaf, Link, Node, ROOT, Slot, WIDTH, WideTree, boxes,
    nearest::NearStack,
    neighbours::Neighbours,
    relative_pose::RelativePose,
    resumable::OpenSlots,
    support::{Separation, separation},
    triangles::{NarrowedPose, Slab, compare},
};
use crate::{
    FacePair,
    method::{
        FaceDecider, Found, Hint, Question, SelfDecider, WalkCounts,
        hierarchy::{Goal, Hierarchy, LeafVisitor, Walk, WalkScratch},
        question::Leaves,
        self_question::FaceVertices,
    },
    simd::{Eight, lanes_of, on, vector::loads},
};
use fearless_simd::{f32x8, prelude::*};
use std::{
    ops::{ControlFlow, Range},
    sync::atomic::Ordering,
};

/// Scratch memory for a traversal, reused from query to query. A warm query allocates nothing.
#[derive(Debug, Default)]
pub(in crate::method) struct Scratch {
    /// Pairs of boxes that may overlap, still to visit. At most one box of each is a leaf's.
    pub(super) stack: Vec<[Slot; 2]>,
    /// Pairs of leaves whose boxes overlap, still to compare.
    pub(super) leaves: Vec<[Slot; 2]>,
    /// Pairs of faces that touch.
    pub(super) touching: Vec<FacePair>,
    /// Pairs of faces that the exact test must decide.
    pub(super) undecided: Vec<FacePair>,
    /// Pairs of boxes that a distance query must still visit.
    pub(super) near: NearStack,
    /// Pairs of boxes that an interrupted query has left to visit.
    pub(super) open: Vec<OpenSlots>,
    /// The pair of leaves in which the last contacts were found.
    pub(super) found_at: Option<[Slot; 2]>,
    /// The work done by the last traversal.
    pub(super) counts: WalkCounts,
}

/// The number of results after which a traversal hands them over.
const RESULTS_AT_ONCE: usize = 256;
/// Pairs of boxes visited at a time. The instructions for one pair mostly wait for each other, so
/// the processor works on the next pair meanwhile.
const PAIRS_AT_ONCE: usize = 4;
/// Pairs of leaves collected before they are compared.
const LEAVES_AT_ONCE: usize = 16;
/// Nodes whose children are compared with each other before the pairs found so far are visited.
const NODES_AT_ONCE: usize = 8;
/// [`WidePair::greedy_tests`] of bodies that may well touch.
const GREEDY_TESTS: u64 = 1024;

/// Why a pair on the stack always has a node to open.
const NEVER_TWO_LEAVES: &str = "pairs of leaves are never on the stack";

/// What a traversal looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Pairs of leaves whose boxes overlap.
    Leaves,
    /// Any pair of faces that touch.
    Any,
    /// All pairs of faces that touch.
    All,
}

/// Two trees with their relative poses.
#[derive(Debug)]
pub(in crate::method) struct WidePair<'t> {
    pub(super) trees: [&'t WideTree; 2],
    /// The pose of the other tree in the frame of each.
    relative_poses: [RelativePose; 2],
    /// The length of the second tree's unit in the frame of the first.
    scale: f32,
    pub(super) tolerance: f64,
    /// Tests after which a search for any contact stops visiting the most promising pair first, and
    /// visits several pairs at a time. That is faster for each pair, but finds a contact later.
    greedy_tests: u64,
    /// The vertices of the faces, if this is one tree, searched for contacts of the body with itself.
    own: Option<FaceVertices<'t>>,
}

impl<'t> WidePair<'t> {
    #[inline(always)]
    pub(super) fn new(a: &'t WideTree, b: &'t WideTree, question: &Question<'_>) -> Self {
        let Question { bodies: [body_a, body_b], tolerance, .. } = *question;
        let relative_poses = RelativePose::both(
            (&a.body_frame, body_a.pose),
            (&b.body_frame, body_b.pose),
            tolerance,
        );
        let scale = relative_poses[0].scale;
        let greedy_tests = GREEDY_TESTS;
        Self { trees: [a, b], relative_poses, scale, tolerance, greedy_tests, own: None }
    }

    /// Clears the scratch memory for a new traversal.
    pub(super) fn reset(&self, scratch: &mut Scratch) {
        scratch.stack.clear();
        scratch.leaves.clear();
        scratch.touching.clear();
        scratch.undecided.clear();
        scratch.found_at = None;
        scratch.counts = WalkCounts::default();
    }

    /// Continues until nothing is left to visit, or about `limit` boxes have been tested, or there
    /// are results to hand over: pairs of faces that touch or are undecided. With `wants_all` it
    /// hands them over in larger batches.
    pub(super) fn find_faces(&self, scratch: &mut Scratch, limit: u64, wants_all: bool) {
        self.run(scratch, limit, if wants_all { Aim::All } else { Aim::Any });
    }

    /// Continues in the same way, but collects pairs of leaves.
    fn find_leaves(&self, scratch: &mut Scratch, limit: u64) {
        self.run(scratch, limit, Aim::Leaves);
    }

    /// Dispatches to the instruction set in use. One function serves every aim, because its code is
    /// large.
    #[inline(never)]
    fn run(&self, scratch: &mut Scratch, limit: u64, aim: Aim) {
        on!(self.trees[0].lanes, simd => self.run_on(simd, scratch, limit, aim));
    }

    #[inline(always)]
    pub(super) fn links(&self, [i, j]: [Slot; 2]) -> [Link; 2] {
        [self.trees[0].link(i), self.trees[1].link(j)]
    }

    /// The faces of two leaves.
    pub(super) fn leaves(&self, pair: [Slot; 2]) -> [&'t [u32]; 2] {
        let [a, b] = self.links(pair);
        let [tree_a, tree_b] = self.trees;
        [tree_a.faces_of(&tree_a.leaves[a.index()]), tree_b.faces_of(&tree_b.leaves[b.index()])]
    }

    /// Chooses which of two boxes to open. Returns `None` if both belong to leaves.
    #[inline(always)]
    pub(super) fn job(&self, pair: [Slot; 2]) -> Option<Job> {
        let links = self.links(pair);
        let opened = match (links[0].is_leaf(), links[1].is_leaf()) {
            (true, true) => return None,
            (false, true) => 0,
            (true, false) => 1,
            // The larger one: its children shed the most overlap.
            (false, false) => {
                let size = self.trees[1].size(pair[1]) * self.scale;
                usize::from(self.trees[0].size(pair[0]) < size)
            }
        };
        let is_other_leaf = links[1 - opened].is_leaf();
        Some(Job { pair, link: links[opened], opened, is_other_leaf })
    }

    /// The node to be opened.
    #[inline(always)]
    pub(super) fn opened(&self, job: &Job) -> &'t Node {
        &self.trees[job.opened].nodes[job.link.index()]
    }

    /// The gaps between the box that is not opened and each child of the other.
    #[inline(always)]
    fn gaps<S: Simd>(&self, simd: S, job: &Job) -> [f32x8<S>; 6] {
        let other = 1 - (job.opened & 1);
        let slot = job.pair[other] as usize;
        let node = &self.trees[other].nodes[slot / WIDTH];
        // Passed through memory: from there, loading one number into eight lanes costs nothing.
        let placed = self.relative_poses[1 - other].placed(simd, node, slot % WIDTH);
        boxes::gaps(simd, self.opened(job), &std::hint::black_box(placed))
    }

    #[inline(always)]
    fn run_on<S: Simd>(&self, simd: S, scratch: &mut Scratch, limit: u64, aim: Aim) {
        let mut jobs = [Job::NONE; PAIRS_AT_ONCE];
        // Made on first use: bodies that are clear of each other never need it.
        let mut narrowed = None;
        loop {
            let is_over = scratch.stack.is_empty() || scratch.counts.volume_tests >= limit;
            let is_greedy = aim == Aim::Any && scratch.counts.volume_tests < self.greedy_tests;
            if aim == Aim::Leaves {
                if is_over || scratch.leaves.len() >= RESULTS_AT_ONCE {
                    return;
                }
            } else if is_over || is_greedy || scratch.leaves.len() >= LEAVES_AT_ONCE {
                while let Some(pair) = scratch.leaves.pop() {
                    let narrowed =
                        narrowed.get_or_insert_with(|| NarrowedPose::new(&self.relative_poses[0]));
                    self.compare(simd, pair, narrowed, aim, scratch);
                    let results = scratch.touching.len() + scratch.undecided.len();
                    if results >= if aim == Aim::Any { 1 } else { RESULTS_AT_ONCE } {
                        scratch.found_at = Some(pair);
                        return;
                    }
                }
                if is_over {
                    return;
                }
            }

            let Scratch { stack, leaves, counts, .. } = scratch;
            if is_greedy || stack.len() < PAIRS_AT_ONCE {
                let Some(pair) = stack.pop() else { continue };
                let job = self.job(pair).expect(NEVER_TWO_LEAVES);
                counts.volume_tests += WIDTH as u64;
                counts.placed += 1;
                // A predictable branch, so that the following instructions need not wait for `job`.
                let gaps = match job.opened {
                    0 => self.gaps(simd, &Job { opened: 0, ..job }),
                    _ => self.gaps(simd, &Job { opened: 1, ..job }),
                };
                let gaps = boxes::largest(gaps);
                let from = stack.len();
                self.push_children(&job, boxes::overlaps(gaps), stack, leaves);
                if is_greedy && stack.len() - from > 1 {
                    self.deepest_last(&job, gaps, &mut stack[from..]);
                }
                continue;
            }
            let left = stack.len() - PAIRS_AT_ONCE;
            for (job, pair) in jobs.iter_mut().zip(&stack[left..]) {
                *job = self.job(*pair).expect(NEVER_TWO_LEAVES);
            }
            stack.truncate(left);
            counts.volume_tests += (PAIRS_AT_ONCE * WIDTH) as u64;
            counts.placed += PAIRS_AT_ONCE as u64;
            let mut overlaps = [0; PAIRS_AT_ONCE];
            for (overlaps, job) in overlaps.iter_mut().zip(&jobs) {
                *overlaps = boxes::overlaps(boxes::largest(self.gaps(simd, job)));
            }
            for (overlaps, job) in overlaps.iter().zip(&jobs) {
                self.push_children(job, *overlaps, stack, leaves);
            }
        }
    }

    /// Adds the pairs that children make with the box that was not opened.
    #[inline(always)]
    fn push_children(
        &self,
        job: &Job,
        overlaps: u32,
        stack: &mut Vec<[Slot; 2]>,
        leaves: &mut Vec<[Slot; 2]>,
    ) {
        let links = &self.opened(job).links;
        for lane in lanes_of(overlaps) {
            let link = links[lane as usize & 7];
            // An empty lane overlaps nothing, except an infinite box.
            if link == Link::NONE {
                continue;
            }
            let list = if job.is_other_leaf && link.is_leaf() { &mut *leaves } else { &mut *stack };
            list.push(job.with_child(lane));
        }
    }

    /// Moves the child with the largest overlap for its size to the end, so that it is visited
    /// first: it is the most likely to touch.
    #[inline(always)]
    fn deepest_last<S: Simd>(&self, job: &Job, gaps: f32x8<S>, children: &mut [[Slot; 2]]) {
        let half = loads(gaps.simd, &self.opened(job).half);
        let depths = (gaps / ((half[0] + half[1]) + half[2])).to_array();
        let (mut deepest, mut best) = (f32::INFINITY, 0);
        for (index, child) in children.iter().enumerate() {
            let depth = depths[child[job.opened] as usize % WIDTH];
            if depth < deepest {
                (deepest, best) = (depth, index);
            }
        }
        let last = children.len() - 1;
        children.swap(best, last);
    }

    /// Compares the triangles of two leaves.
    #[inline(always)]
    fn compare<S: Simd>(
        &self,
        simd: S,
        pair: [Slot; 2],
        narrowed: &NarrowedPose,
        aim: Aim,
        scratch: &mut Scratch,
    ) {
        // Compiled twice: looking for neighbours costs two different bodies 4 % more instructions.
        match &self.own {
            None => self.compare_as(simd, pair, None, narrowed, aim, scratch),
            Some(own) => self.compare_as(simd, pair, Some(own), narrowed, aim, scratch),
        }
    }

    /// The same, of one tree for contacts of the body with itself if there are vertices of faces.
    #[inline(always)]
    fn compare_as<S: Simd>(
        &self,
        simd: S,
        pair: [Slot; 2],
        own: Option<&FaceVertices<'_>>,
        narrowed: &NarrowedPose,
        aim: Aim,
        scratch: &mut Scratch,
    ) {
        let [tree_a, tree_b] = self.trees;
        let [a, b] = self.links(pair);
        let (a, b) = (&tree_a.leaves[a.index()], &tree_b.leaves[b.index()]);
        let Scratch { touching, undecided, counts, .. } = scratch;
        counts.face_tests += u64::from(a.count * b.count);
        // Within one leaf, each pair of faces counts once.
        let is_one_leaf = own.is_some() && pair[0] == pair[1];
        let neighbours =
            own.map(|own| Neighbours::new(own, [tree_a.faces_of(a), tree_b.faces_of(b)]));
        compare(
            simd,
            (a, Slab::new(tree_a, pair[0], a)),
            (b, Slab::new(tree_b, pair[1], b)),
            &self.relative_poses[0],
            narrowed,
            neighbours.as_ref(),
            #[inline(always)]
            |lane, mut found| {
                if is_one_leaf {
                    let before = (1 << lane) - 1;
                    found.touching &= before;
                    found.undecided &= before;
                }
                let b = tree_b.faces[(b.first + lane) as usize];
                push_pairs(tree_a, a, b, found.touching, touching);
                push_pairs(tree_a, a, b, found.undecided, undecided);
                aim == Aim::Any && found.touching != 0
            },
        );
    }

    /// Adds all pairs of two children of a node whose boxes overlap, and each child that is a leaf with itself.
    ///
    /// Two different faces are either in one leaf, or below two different children of exactly one node. So the nodes
    /// of a tree together lead to each pair of faces once.
    fn push_siblings(&self, node: usize, scratch: &mut Scratch) {
        on!(self.trees[0].lanes, simd => {
            let links = &self.trees[0].nodes[node].links;
            for (lane, &link) in links.iter().enumerate().filter(|(_, link)| **link != Link::NONE) {
                let slot = (node * WIDTH + lane) as Slot;
                if link.is_leaf() {
                    scratch.leaves.push([slot, slot]);
                }
                let job = Job {
                    pair: [slot, slot],
                    link: Link::node(node),
                    opened: 0,
                    is_other_leaf: link.is_leaf(),
                };
                let later = boxes::overlaps(boxes::largest(self.gaps(simd, &job))) & (0xfe << lane);
                scratch.counts.volume_tests += WIDTH as u64;
                self.push_children(&job, later, &mut scratch.stack, &mut scratch.leaves);
            }
        });
    }

    /// Splits pairs of boxes, level by level, until there are `enough` of them or only leaves are
    /// left.
    fn split_up(&self, pairs: &mut Vec<[Slot; 2]>, enough: usize) {
        while pairs.len() < enough {
            let mut next = Vec::new();
            let mut has_split = false;
            for &pair in &*pairs {
                let Some(job) = self.job(pair) else {
                    next.push(pair);
                    continue;
                };
                has_split = true;
                self.each_child(&job, |child, _| next.push(child));
            }
            *pairs = next;
            if !has_split {
                break;
            }
        }
    }

    /// Visits the children that may overlap the other box, with their gaps to it.
    pub(super) fn each_child(&self, job: &Job, mut visit: impl FnMut([Slot; 2], [f32; 6])) {
        let gaps = self.gaps_of(job);
        for (lane, link) in (0..).zip(&self.opened(job).links) {
            let gaps = gaps.map(|gaps| gaps[lane as usize]);
            if *link != Link::NONE && !gaps.iter().any(|gap| *gap > 0.0) {
                visit(job.with_child(lane), gaps);
            }
        }
    }

    /// The gaps between the box that is not opened and each child of the other.
    pub(super) fn gaps_of(&self, job: &Job) -> [Eight; 6] {
        on!(self.trees[0].lanes, simd => {
            let [a, b, c, d, e, f] = self.gaps(simd, job);
            [a.into(), b.into(), c.into(), d.into(), e.into(), f.into()]
        })
    }
}

/// Two boxes, one of which is to be opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) pair: [Slot; 2],
    /// The link to the node to be opened.
    pub(super) link: Link,
    /// The tree of that node: 0 for the first, 1 for the second.
    pub(super) opened: usize,
    /// Whether the other box belongs to a leaf.
    pub(super) is_other_leaf: bool,
}

impl Job {
    const NONE: Self = Self { pair: [ROOT; 2], link: Link::NONE, opened: 0, is_other_leaf: false };

    /// The pair of a child and the box that is not opened.
    #[inline(always)]
    pub(super) fn with_child(&self, lane: u32) -> [Slot; 2] {
        let ([i, j], child) = (self.pair, self.link.0 * WIDTH as u32 + lane);
        if self.opened == 0 { [child, j] } else { [i, child] }
    }
}

/// Adds the pairs of face `b` and the faces of a leaf whose bits are set in `mask`.
#[inline(always)]
fn push_pairs(tree: &WideTree, leaf: &Leaf, b: u32, mask: u32, list: &mut Vec<FacePair>) {
    for lane in lanes_of(mask) {
        list.push(FacePair { a: tree.faces[(leaf.first + lane) as usize], b });
    }
}

impl Hierarchy for WideTree {
    type Scratch = Scratch;
    type Pair<'t> = WidePair<'t>;

    #[inline(always)]
    fn pair<'t>(&'t self, other: &'t Self, question: &Question<'_>) -> WidePair<'t> {
        WidePair::new(self, other, question)
    }

    #[inline(always)]
    fn near_pair<'t>(&'t self, other: &'t Self, question: &Question<'_>) -> Option<WidePair<'t>> {
        match separation([self, other], question) {
            Separation::Proven => None,
            Separation::Likely => Some(WidePair { greedy_tests: 0, ..self.pair(other, question) }),
            Separation::Unlikely => Some(self.pair(other, question)),
        }
    }
}

impl WalkScratch for Scratch {
    fn counts(&self) -> WalkCounts {
        self.counts
    }

    fn found_at(&self) -> Option<Hint> {
        self.found_at
    }
}

impl Walk for WidePair<'_> {
    type Scratch = Scratch;
    type Piece = [Slot; 2];

    fn begin(&self, scratch: &mut Scratch) {
        self.reset(scratch);
    }

    fn roots(&self) -> Option<[Slot; 2]> {
        self.trees.iter().all(|tree| !tree.nodes.is_empty()).then_some([ROOT, ROOT])
    }

    fn push(&self, scratch: &mut Scratch, pair: [Slot; 2]) {
        match self.links(pair).map(Link::is_leaf) {
            [true, true] => scratch.leaves.push(pair),
            _ => scratch.stack.push(pair),
        }
    }

    /// Compares two leaves before everything else, if the hint names leaves of these trees. If the
    /// traversal reaches them again, they are compared again.
    fn look_first(&self, scratch: &mut Scratch, hint: Hint) {
        let is_leaf = |k: usize| {
            let slot = hint[k] as usize;
            let node = self.trees[k].nodes.get(slot / WIDTH);
            node.is_some_and(|node| {
                let link = node.links[slot % WIDTH];
                link != Link::NONE && link.is_leaf()
            })
        };
        if is_leaf(0) && is_leaf(1) {
            scratch.leaves.push(hint);
        }
    }

    fn walk(
        &self,
        scratch: &mut Scratch,
        limit: u64,
        visit: &mut LeafVisitor<'_>,
    ) -> ControlFlow<()> {
        loop {
            self.find_leaves(scratch, limit);
            if scratch.leaves.is_empty() {
                return ControlFlow::Continue(());
            }
            for pair in scratch.leaves.drain(..) {
                let faces = self.leaves(pair);
                scratch.counts.face_tests += (faces[0].len() * faces[1].len()) as u64;
                visit(faces)?;
            }
        }
    }

    /// Decides nearly all pairs of faces here, and the others by the exact test. With a tolerance,
    /// it computes the distance of every pair whose boxes are within the tolerance.
    fn search(
        &self,
        scratch: &mut Scratch,
        goal: Goal<'_>,
        decider: &FaceDecider<'_>,
        leaves: &mut Leaves,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        if self.tolerance > 0.0 {
            return self.search_leaves(scratch, goal, decider, leaves, found);
        }
        loop {
            self.find_faces(scratch, goal.limit, goal.wants_all);
            if scratch.touching.is_empty() && scratch.undecided.is_empty() {
                return ControlFlow::Continue(());
            }
            if goal.is_over.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            scratch.touching.drain(..).try_for_each(&mut *found)?;
            for pair in scratch.undecided.drain(..) {
                if decider.accepts(pair) {
                    found(pair)?;
                }
            }
        }
    }

    fn self_parts(&self) -> usize {
        self.trees[0].nodes.len()
    }

    /// Each part is a node: pairs of faces below two different children of it, or in one leaf below it.
    ///
    /// Faces that share vertices are never proven apart by `triangles.rs`, so all of them get to the decider. Those
    /// proven to touch are in contact: an edge of one passes through the inner points of the other, outside the convex
    /// hull of any two of its corners.
    fn search_self(
        &self,
        scratch: &mut Scratch,
        parts: Range<usize>,
        decider: &SelfDecider<'_>,
        found: &mut Found<'_>,
    ) -> ControlFlow<()> {
        let own = WidePair { own: Some(decider.vertices()), ..*self };
        let ordered = |FacePair { a, b }: FacePair| FacePair { a: a.min(b), b: a.max(b) };
        for nodes in parts.clone().step_by(NODES_AT_ONCE) {
            for node in nodes..parts.end.min(nodes + NODES_AT_ONCE) {
                own.push_siblings(node, scratch);
            }
            loop {
                own.find_faces(scratch, u64::MAX, true);
                if scratch.touching.is_empty() && scratch.undecided.is_empty() {
                    break;
                }
                scratch.touching.drain(..).map(ordered).try_for_each(&mut *found)?;
                for pair in scratch.undecided.drain(..).map(ordered) {
                    if decider.accepts(pair) {
                        found(pair)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn take_pieces(&self, scratch: &mut Scratch, enough: usize) -> Vec<[Slot; 2]> {
        let mut pieces = std::mem::take(&mut scratch.stack);
        self.split_up(&mut pieces, enough);
        pieces
    }
}

//! Down two trees at once, to the triangles that may touch.
//!
//! Walks stop in between, to hand over what they have found so far, and are taken up again: so
//! they need know nothing of what is done with it, and are compiled once for each kind of lanes.

use super::{
    Leaf, Link, Node, ROOT, Slot, WIDTH, WideTree, boxes,
    nearest::NearStack,
    resumable::OpenSlots,
    stance::Stance,
    triangles::{Slab, Turned, compare},
};
use crate::{
    FacePair,
    method::{
        FaceDecider, Found, Hint, Question, WalkCounts,
        hierarchy::{Goal, Hierarchy, LeafVisitor, Walk, WalkScratch},
        question::Leaves,
    },
    simd::{Eight, lanes_of, on, vector::loads},
};
use fearless_simd::{f32x8, prelude::*};
use std::{ops::ControlFlow, sync::atomic::Ordering};

/// Room for a walk, reused from query to query so that none allocates once warm.
#[derive(Debug, Default)]
pub(in crate::method) struct Scratch {
    /// Boxes that may overlap, not both of leaves, and have not been looked into.
    pub(super) stack: Vec<[Slot; 2]>,
    /// Leaves that a walk has come to, and have not been compared.
    pub(super) leaves: Vec<[Slot; 2]>,
    /// Faces that touch.
    pub(super) touching: Vec<FacePair>,
    /// Faces that the exact test has to decide about.
    pub(super) undecided: Vec<FacePair>,
    /// Boxes that a distance query has yet to look into.
    pub(super) near: NearStack,
    /// What an interrupted search has left open.
    pub(super) open: Vec<OpenSlots>,
    /// The last leaves that some faces were found in.
    pub(super) found_at: Option<[Slot; 2]>,
    /// What the last walk did.
    pub(super) counts: WalkCounts,
}

/// After so many results a walk hands them over.
const ENOUGH: usize = 256;
/// How many boxes are looked into at a time. What the processor does for one waits for its own
/// results most of the time, and can go on with the next meanwhile.
const TOGETHER: usize = 4;
/// How many pairs of leaves are compared one after the other.
const LEAVES: usize = 16;
/// After so many tests, something that touches is not as near as it seemed: from there on boxes are
/// looked into together.
const NEAR: u64 = 1024;

/// Why a pair on the stack can be opened.
const APART: &str = "pairs of leaves are kept apart";

/// What a walk is after.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Pairs of leaves.
    Leaves,
    /// Any pair of faces that touches.
    Any,
    /// All of them.
    All,
}

/// Two trees where they stand.
#[derive(Debug)]
pub(in crate::method) struct WidePair<'t> {
    pub(super) trees: [&'t WideTree; 2],
    /// How the other one stands in the frame of each.
    stances: [Stance; 2],
    /// How long the second's unit is in the frame of the first.
    scale: f32,
    pub(super) tolerance: f64,
}

impl<'t> WidePair<'t> {
    #[inline(always)]
    pub(super) fn new(a: &'t WideTree, b: &'t WideTree, question: &Question<'_>) -> Self {
        let Question { bodies: [body_a, body_b], tolerance, .. } = *question;
        let stances = Stance::both((&a.place, body_a.pose), (&b.place, body_b.pose), tolerance);
        let scale = stances[0].scale;
        Self { trees: [a, b], stances, scale, tolerance }
    }

    /// Resets the scratch for a walk.
    pub(super) fn reset(&self, scratch: &mut Scratch) {
        scratch.stack.clear();
        scratch.leaves.clear();
        scratch.touching.clear();
        scratch.undecided.clear();
        scratch.found_at = None;
        scratch.counts = WalkCounts::default();
    }

    /// Walks on until there is nowhere left to go, or about so many boxes have been tested, or there
    /// are results to hand over: pairs of faces that touch and those that are undecided. With
    /// `wants_all`, until there are many.
    pub(super) fn find_faces(&self, scratch: &mut Scratch, limit: u64, wants_all: bool) {
        self.go_on(scratch, limit, if wants_all { Aim::All } else { Aim::Any });
    }

    /// The same as far as pairs of leaves.
    fn find_leaves(&self, scratch: &mut Scratch, limit: u64) {
        self.go_on(scratch, limit, Aim::Leaves);
    }

    /// One function for every aim: what it consists of is large, and compiled for all lanes.
    #[inline(never)]
    fn go_on(&self, scratch: &mut Scratch, limit: u64, aim: Aim) {
        on!(self.trees[0].lanes, simd => self.go(simd, scratch, limit, aim));
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

    /// Which of two boxes to look into; none if both are of leaves.
    #[inline(always)]
    pub(super) fn job(&self, pair: [Slot; 2]) -> Option<Job> {
        let links = self.links(pair);
        let opened = match (links[0].is_leaf(), links[1].is_leaf()) {
            (true, true) => return None,
            (false, true) => 0,
            (true, false) => 1,
            // The larger: its children shed the most overlap.
            (false, false) => {
                let size = self.trees[1].size(pair[1]) * self.scale;
                usize::from(self.trees[0].size(pair[0]) < size)
            }
        };
        let is_other_leaf = links[1 - opened].is_leaf();
        Some(Job { pair, link: links[opened], opened, is_other_leaf })
    }

    /// The node that is opened.
    #[inline(always)]
    pub(super) fn opened(&self, job: &Job) -> &'t Node {
        &self.trees[job.opened].nodes[job.link.index()]
    }

    /// How far the box that is not opened is from each child of the other.
    #[inline(always)]
    fn gaps<S: Simd>(&self, simd: S, job: &Job) -> [f32x8<S>; 6] {
        let other = 1 - (job.opened & 1);
        let slot = job.pair[other] as usize;
        let node = &self.trees[other].nodes[slot / WIDTH];
        // Through memory: from there numbers fill eight lanes at no cost.
        let placed = self.stances[1 - other].placed(simd, node, slot % WIDTH);
        boxes::gaps(simd, self.opened(job), &std::hint::black_box(placed))
    }

    #[inline(always)]
    fn go<S: Simd>(&self, simd: S, scratch: &mut Scratch, limit: u64, aim: Aim) {
        let mut jobs = [Job::NONE; TOGETHER];
        // Not before it is needed: bodies that are clear of each other never do.
        let mut turned = None;
        loop {
            let is_over = scratch.stack.is_empty() || scratch.counts.volume_tests >= limit;
            let is_near = aim == Aim::Any && scratch.counts.volume_tests < NEAR;
            if aim == Aim::Leaves {
                if is_over || scratch.leaves.len() >= ENOUGH {
                    return;
                }
            } else if is_over || is_near || scratch.leaves.len() >= LEAVES {
                while let Some(pair) = scratch.leaves.pop() {
                    let turned = turned.get_or_insert_with(|| Turned::new(&self.stances[0]));
                    self.compare(simd, pair, turned, aim, scratch);
                    let results = scratch.touching.len() + scratch.undecided.len();
                    if results >= if aim == Aim::Any { 1 } else { ENOUGH } {
                        scratch.found_at = Some(pair);
                        return;
                    }
                }
                if is_over {
                    return;
                }
            }

            let Scratch { stack, leaves, counts, .. } = scratch;
            if is_near || stack.len() < TOGETHER {
                let Some(pair) = stack.pop() else { continue };
                let job = self.job(pair).expect(APART);
                counts.volume_tests += WIDTH as u64;
                counts.placed += 1;
                // A branch that is foreseen, so that all that follows need not wait for `job`.
                let gaps = match job.opened {
                    0 => self.gaps(simd, &Job { opened: 0, ..job }),
                    _ => self.gaps(simd, &Job { opened: 1, ..job }),
                };
                let gaps = boxes::largest(gaps);
                let from = stack.len();
                self.push_children(&job, boxes::overlaps(gaps), stack, leaves);
                if is_near && stack.len() - from > 1 {
                    self.deepest_last(&job, gaps, &mut stack[from..]);
                }
                continue;
            }
            let left = stack.len() - TOGETHER;
            for (job, pair) in jobs.iter_mut().zip(&stack[left..]) {
                *job = self.job(*pair).expect(APART);
            }
            stack.truncate(left);
            counts.volume_tests += (TOGETHER * WIDTH) as u64;
            counts.placed += TOGETHER as u64;
            let mut overlaps = [0; TOGETHER];
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
            // Boxes that are not there overlap nothing, but for one that is infinite.
            if link == Link::NONE {
                continue;
            }
            let list = if job.is_other_leaf && link.is_leaf() { &mut *leaves } else { &mut *stack };
            list.push(job.with_child(lane));
        }
    }

    /// Where the overlap is largest for the child's size, something is likely to touch: that child
    /// comes last, and so is looked into first.
    #[inline(always)]
    fn deepest_last<S: Simd>(&self, job: &Job, gaps: f32x8<S>, children: &mut [[Slot; 2]]) {
        let half = loads(gaps.simd, &self.opened(job).half);
        let depths = (gaps / ((half[0] + half[1]) + half[2])).to_array();
        let (mut deepest, mut best) = (f32::INFINITY, 0);
        for (place, child) in children.iter().enumerate() {
            let depth = depths[child[job.opened] as usize % WIDTH];
            if depth < deepest {
                (deepest, best) = (depth, place);
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
        turned: &Turned,
        aim: Aim,
        scratch: &mut Scratch,
    ) {
        let [tree_a, tree_b] = self.trees;
        let [a, b] = self.links(pair);
        let (a, b) = (&tree_a.leaves[a.index()], &tree_b.leaves[b.index()]);
        let Scratch { touching, undecided, counts, .. } = scratch;
        counts.face_tests += u64::from(a.count * b.count);
        compare(
            simd,
            (a, Slab::new(tree_a, pair[0], a)),
            (b, Slab::new(tree_b, pair[1], b)),
            &self.stances[0],
            turned,
            #[inline(always)]
            |lane, found| {
                let b = tree_b.faces[(b.first + lane) as usize];
                note(tree_a, a, b, found.touching, touching);
                note(tree_a, a, b, found.undecided, undecided);
                aim == Aim::Any && found.touching != 0
            },
        );
    }

    /// Splits pairs of boxes, level by level, until there are enough of them or only leaves are left.
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

    /// How far the box is from each child.
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
    /// What is below the one to be opened.
    pub(super) link: Link,
    /// Whose it is: 0 for the first tree, 1 for the second.
    pub(super) opened: usize,
    /// Whether the other is of a leaf.
    pub(super) is_other_leaf: bool,
}

impl Job {
    const NONE: Self = Self { pair: [ROOT; 2], link: Link::NONE, opened: 0, is_other_leaf: false };

    /// The pair that a child makes with the other box.
    #[inline(always)]
    pub(super) fn with_child(&self, lane: u32) -> [Slot; 2] {
        let ([i, j], child) = (self.pair, self.link.0 * WIDTH as u32 + lane);
        if self.opened == 0 { [child, j] } else { [i, child] }
    }
}

/// Adds pairs of faces of a leaf and another face to a list.
#[inline(always)]
fn note(tree: &WideTree, leaf: &Leaf, b: u32, mask: u32, list: &mut Vec<FacePair>) {
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
        match self.job(pair) {
            Some(_) => scratch.stack.push(pair),
            None => scratch.leaves.push(pair),
        }
    }

    /// Compares two leaves before anything else, if there are such leaves in these trees. If the walk
    /// reaches them again, they are compared again.
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

    /// Nearly all pairs of faces are decided here; the exact test decides the others. With a
    /// tolerance, the distance of every pair is computed whose boxes are as close.
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

    fn take_pieces(&self, scratch: &mut Scratch, enough: usize) -> Vec<[Slot; 2]> {
        let mut pieces = std::mem::take(&mut scratch.stack);
        self.split_up(&mut pieces, enough);
        pieces
    }
}

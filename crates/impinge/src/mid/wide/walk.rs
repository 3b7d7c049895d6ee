//! Down two trees at once, to the triangles that may touch.
//!
//! Walks stop in between, to hand over what they have found so far, and are taken up again: so
//! they need know nothing of what is done with it, and are compiled once for each kind of lanes.

use super::{
    Eight, Leaf, Link, Node, ROOT, Slot, WIDTH, WideTree, boxes,
    lanes::on,
    near::NearStack,
    open::OpenSlots,
    stance::Stance,
    triangles::{Slab, Turned, compare},
    vector::loads,
};
use crate::mid::{FacePair, question::Question, tree::WalkCounts};
use fearless_simd::{f32x8, prelude::*};

/// Room for a walk, reused from query to query so that none allocates once warm.
#[derive(Debug, Default)]
pub(in crate::mid) struct Scratch {
    /// Boxes that may overlap, and have not been looked into.
    pub(super) stack: Vec<[Slot; 2]>,
    /// Leaves that a walk has come to.
    pub(super) leaves: Vec<[Slot; 2]>,
    /// Faces that touch.
    pub(super) touching: Vec<FacePair>,
    /// Faces that the exact test has to decide about.
    pub(super) undecided: Vec<FacePair>,
    /// Boxes that a distance query has yet to look into.
    pub(super) near: NearStack,
    /// What an interrupted search has left open.
    pub(super) open: Vec<OpenSlots>,
    /// What the last walk did.
    pub(super) counts: WalkCounts,
}

/// After so many results a walk hands them over.
const ENOUGH: usize = 256;

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
pub(in crate::mid) struct WidePair<'t> {
    pub(super) a: &'t WideTree,
    pub(super) b: &'t WideTree,
    /// How `b` stands in the frame of `a`.
    there: Stance,
    /// How `a` stands in the frame of `b`.
    back: Stance,
    /// How long the unit of `b` is in the frame of `a`.
    scale: f32,
    pub(super) tolerance: f64,
}

impl<'t> WidePair<'t> {
    #[inline(always)]
    pub(super) fn new(a: &'t WideTree, b: &'t WideTree, question: &Question) -> Self {
        let Question { pose_a, pose_b, tolerance } = question;
        let [there, back] = Stance::both((&a.place, pose_a), (&b.place, pose_b), *tolerance);
        Self { a, b, there, back, scale: there.scale, tolerance: *tolerance }
    }

    /// Where a walk begins; nowhere if one of the trees is empty.
    pub(super) fn roots(&self) -> Option<[Slot; 2]> {
        (!self.a.nodes.is_empty() && !self.b.nodes.is_empty()).then_some([ROOT, ROOT])
    }

    /// Makes room for a walk.
    pub(super) fn begin(&self, scratch: &mut Scratch) {
        scratch.stack.clear();
        scratch.leaves.clear();
        scratch.touching.clear();
        scratch.undecided.clear();
        scratch.counts = WalkCounts::default();
    }

    /// Walks on until there is nowhere left to go, or about so many boxes have been tested, or there
    /// are results to hand over: pairs of faces that touch and those that are undecided. With
    /// `wants_all`, until there are many.
    pub(super) fn search(&self, scratch: &mut Scratch, limit: u64, wants_all: bool) {
        let aim = if wants_all { Aim::All } else { Aim::Any };
        on!(self.a.lanes, simd => self.go(simd, scratch, limit, aim));
    }

    /// The same as far as pairs of leaves.
    pub(super) fn find_leaves(&self, scratch: &mut Scratch, limit: u64) {
        on!(self.a.lanes, simd => self.go(simd, scratch, limit, Aim::Leaves));
    }

    /// Which of two boxes to look into: whether the first; none if both are of leaves.
    #[inline(always)]
    pub(super) fn opens_first(&self, [i, j]: [Slot; 2], [a, b]: [Link; 2]) -> Option<bool> {
        match (a.is_leaf(), b.is_leaf()) {
            (true, true) => None,
            (false, true) => Some(true),
            (true, false) => Some(false),
            // The larger: its children shed the most overlap.
            (false, false) => Some(self.a.size(i) >= self.b.size(j) * self.scale),
        }
    }

    #[inline(always)]
    pub(super) fn links(&self, [i, j]: [Slot; 2]) -> [Link; 2] {
        [self.a.link(i), self.b.link(j)]
    }

    /// The node that is opened.
    #[inline(always)]
    pub(super) fn opened(&self, job: &Job) -> &Node {
        let tree = if job.opens_first { self.a } else { self.b };
        &tree.nodes[job.link.index()]
    }

    /// How far the box that is not opened is from each child of the other.
    #[inline(always)]
    fn gaps<S: Simd>(&self, simd: S, job: &Job) -> [f32x8<S>; 6] {
        let (stance, tree, slot) = match job.opens_first {
            true => (&self.there, self.b, job.pair[1]),
            false => (&self.back, self.a, job.pair[0]),
        };
        let node = &tree.nodes[slot as usize / WIDTH];
        // Through memory: from there numbers fill eight lanes at no cost.
        let placed = std::hint::black_box(stance.placed(simd, node, slot as usize % WIDTH));
        boxes::gaps(simd, self.opened(job), &placed)
    }

    #[inline(always)]
    fn go<S: Simd>(&self, simd: S, scratch: &mut Scratch, limit: u64, aim: Aim) {
        let Scratch { stack, leaves, touching, undecided, counts, .. } = scratch;
        // Not before it is needed: bodies that are clear of each other never do.
        let mut turned = None;
        while counts.volume_tests < limit
            && let Some(pair) = stack.pop()
        {
            let links = self.links(pair);
            let Some(opens_first) = self.opens_first(pair, links) else {
                if aim == Aim::Leaves {
                    leaves.push(pair);
                    if leaves.len() >= ENOUGH {
                        break;
                    }
                    continue;
                }
                let (a, b) = (&self.a.leaves[links[0].index()], &self.b.leaves[links[1].index()]);
                counts.face_tests += u64::from(a.count * b.count);
                compare(
                    simd,
                    (a, Slab::new(self.a, pair[0], a)),
                    (b, Slab::new(self.b, pair[1], b)),
                    &self.there,
                    turned.get_or_insert_with(|| Turned::new(&self.there)),
                    #[inline(always)]
                    |lane, found| {
                        let b = self.b.faces[(b.first + lane) as usize];
                        self.note(a, b, found.touching, touching);
                        self.note(a, b, found.undecided, undecided);
                        aim == Aim::Any && found.touching != 0
                    },
                );
                let results = touching.len() + undecided.len();
                if results >= if aim == Aim::Any { 1 } else { ENOUGH } {
                    break;
                }
                continue;
            };
            let job = &Job { pair, link: links[usize::from(!opens_first)], opens_first };
            counts.volume_tests += WIDTH as u64;
            counts.placed += 1;
            let gaps = boxes::largest(self.gaps(simd, job));
            let overlaps = boxes::overlaps(gaps);
            if aim == Aim::Any && overlaps & overlaps.wrapping_sub(1) != 0 {
                self.push_deepest_last(job, gaps, overlaps, stack);
                continue;
            }
            let links = &self.opened(job).links;
            for lane in lanes_of(overlaps) {
                if links[lane as usize & 7] != Link::NONE {
                    stack.push(job.with_child(lane));
                }
            }
        }
    }

    /// Adds pairs of faces of a leaf and another face to a list.
    #[inline(always)]
    fn note(&self, a: &Leaf, b: u32, mask: u32, list: &mut Vec<FacePair>) {
        for lane in lanes_of(mask) {
            list.push(FacePair { a: self.a.faces[(a.first + lane) as usize], b });
        }
    }

    /// Where the overlap is largest for the child's size, something is likely to touch: that child
    /// comes last, and so is looked into first.
    #[inline(always)]
    fn push_deepest_last<S: Simd>(
        &self,
        job: &Job,
        gaps: f32x8<S>,
        overlaps: u32,
        stack: &mut Vec<[Slot; 2]>,
    ) {
        let node = self.opened(job);
        let half = loads(gaps.simd, &node.half);
        let depths = (gaps / ((half[0] + half[1]) + half[2])).to_array();
        let (mut deepest, mut best) = (f32::INFINITY, None);
        for lane in lanes_of(overlaps) {
            let lane = lane & 7;
            if node.links[lane as usize] == Link::NONE {
                continue;
            }
            if depths[lane as usize] < deepest {
                (deepest, best) = (depths[lane as usize], Some(stack.len()));
            }
            stack.push(job.with_child(lane));
        }
        if let Some(best) = best {
            let last = stack.len() - 1;
            stack.swap(best, last);
        }
    }

    /// Splits pairs of boxes, level by level, until there are enough of them or only leaves are left.
    pub(super) fn split_up(&self, pairs: &mut Vec<[Slot; 2]>, enough: usize) {
        while pairs.len() < enough {
            let mut next = Vec::new();
            let mut has_split = false;
            for &pair in &*pairs {
                let links = self.links(pair);
                let Some(opens_first) = self.opens_first(pair, links) else {
                    next.push(pair);
                    continue;
                };
                has_split = true;
                let link = links[usize::from(!opens_first)];
                let job = Job { pair, link, opens_first };
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
        on!(self.a.lanes, simd => {
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
    pub(super) opens_first: bool,
}

impl Job {
    /// The pair that a child makes with the other box.
    #[inline(always)]
    pub(super) fn with_child(&self, lane: u32) -> [Slot; 2] {
        let ([i, j], child) = (self.pair, self.link.0 * WIDTH as u32 + lane);
        if self.opens_first { [child, j] } else { [i, child] }
    }
}

/// The lanes whose bits are set.
#[inline(always)]
fn lanes_of(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let lane = (mask != 0).then(|| mask.trailing_zeros())?;
            mask &= mask - 1;
            Some(lane)
        },
    )
}

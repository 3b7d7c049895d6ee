//! The descent of two trees of boxes through space and time, to the faces that come close first.
//!
//! What is yet to be visited are pairs of boxes, each with a part of the motion in which the two may be close. A pair is
//! divided in one of two ways: by the children of the larger box, or, where the bodies turn so much that boxes of this
//! size cannot tell when they are close, by the halves of the time. The pair that may be close earliest is always visited
//! next. So pairs of faces come in the order of the times at which they may be close, and a search can end at the first
//! of them that is later than a contact.

use super::{
    moving::{MovingBody, MovingBox},
    relative::{RelativeMotion, Seen, Slice},
};
use crate::{
    FacePair,
    method::tree::{FaceBoxes, Within},
};
use std::{cmp::Ordering, collections::BinaryHeap};

/// The memory of a descent, reused from one to the next.
#[derive(Debug, Default)]
pub(super) struct DescentMemory {
    /// Pairs of boxes that are yet to be visited, the next one first.
    open: BinaryHeap<OpenBoxes>,
    slices: Vec<Slice>,
}

/// A search for faces of two bodies that come close.
#[derive(Debug)]
pub(super) struct Descent<'m, 'b> {
    memory: &'b mut DescentMemory,
    walk: Walk<'m, 'b>,
    /// Whether the first body of the walk is the second of the caller.
    is_swapped: bool,
    /// How many pairs of boxes were opened.
    count: u32,
}

/// A pair of boxes, and the times of a slice in which they may be close.
#[derive(Clone, Copy, Debug)]
struct OpenBoxes {
    times: [f64; 2],
    nodes: [u32; 2],
    slice: u32,
    /// How many were opened before. Of pairs that may be close at the same time, the last one comes first, which leads
    /// down to faces.
    number: u32,
}

impl Ord for OpenBoxes {
    /// The largest is visited next.
    fn cmp(&self, other: &Self) -> Ordering {
        other.times[0].total_cmp(&self.times[0]).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for OpenBoxes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OpenBoxes {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OpenBoxes {}

/// The number of the roots of trees of boxes.
const ROOT: u32 = <FaceBoxes>::ROOT;

/// Times are not halved beyond this length.
const SHORTEST: f64 = 1e-9;

/// Time is halved where boxes grow by more than this share of the larger one's size, because of the rotation. Bodies
/// of 20,000 faces take the least time at 0.02 to 0.05, and three times as long at 0.3: there, boxes lose that they are flat.
const MOST_GROWTH: f64 = 0.03;

impl<'m, 'b> Descent<'m, 'b> {
    /// A search for faces that come within `distance` of each other between two times.
    pub(super) fn new(
        memory: &'b mut DescentMemory,
        bodies: &'b [MovingBody<'m>; 2],
        times: [f64; 2],
        distance: f64,
    ) -> Self {
        memory.open.clear();
        memory.slices.clear();
        // The second body is seen from the first, which must be rigid if one of them is.
        let is_swapped = bodies[0].rigid().is_none();
        let [a, b] = bodies;
        let bodies = if is_swapped { [b, a] } else { [a, b] };
        let walk = Walk { motion: RelativeMotion::new(bodies, distance), bodies };
        let mut descent = Self { memory, walk, is_swapped, count: 0 };
        if times[0] <= times[1] {
            descent.memory.slices.push(descent.walk.motion.slice(times));
            descent.open([ROOT; 2], 0, times);
        }
        descent
    }

    /// No faces are close before this time that [`next`](Self::next) has yet to return.
    pub(super) fn bound(&self) -> f64 {
        self.memory.open.peek().map_or(f64::INFINITY, |next| next.times[0])
    }

    /// Returns a pair of faces and two times between which the faces may be close; the earliest pair first, as far as
    /// boxes can tell. The same pair may come again with later times. Nothing is returned that can be close only at
    /// `until` or later.
    pub(super) fn next(&mut self, until: f64) -> Option<(FacePair, [f64; 2])> {
        while let Some(next) = self.memory.open.pop() {
            let OpenBoxes { nodes, slice, times: [from, to], .. } = next;
            if from >= until {
                self.memory.open.clear();
                return None;
            }
            let times = [from, to.min(until)];
            let boxes = self.walk.boxes(nodes);
            let known = &self.memory.slices[slice as usize];
            let seen = self.walk.motion.seen(known, &boxes[1]);
            let radii = [boxes[0].radius(), seen.radius];
            let [start, end] = known.times;
            if seen.growth > MOST_GROWTH * radii[0].max(radii[1]) && end - start > SHORTEST {
                for half in self.halves(slice) {
                    self.open(nodes, half, times);
                }
                continue;
            }
            let [a, b] = self.walk.bodies;
            let pairs = match (a.within(nodes[0]), b.within(nodes[1])) {
                (Within::Face(a), Within::Face(b)) => {
                    let [a, b] = if self.is_swapped { [b, a] } else { [a, b] };
                    return Some((FacePair { a, b }, times));
                }
                (Within::Children(children), Within::Children(_)) if radii[0] >= radii[1] => {
                    self.walk.opened_in_a(known, &seen, children, nodes[1])
                }
                (Within::Children(children), Within::Face(_)) => {
                    self.walk.opened_in_a(known, &seen, children, nodes[1])
                }
                (_, Within::Children(children)) => {
                    children.map(|child| self.walk.opened_in_b(known, &boxes[0], [nodes[0], child]))
                }
            };
            for (nodes, close) in pairs {
                self.push(nodes, slice, close, times);
            }
        }
        None
    }

    /// Adds a pair of boxes, if they may be close in a slice between two times.
    fn open(&mut self, nodes: [u32; 2], slice: u32, times: [f64; 2]) {
        let known = &self.memory.slices[slice as usize];
        let [start, end] = known.times;
        if end >= times[0] && start <= times[1] {
            let boxes = self.walk.boxes(nodes);
            let (_, close) = self.walk.opened_in_b(known, &boxes[0], nodes);
            self.push(nodes, slice, close, times);
        }
    }

    /// Adds a pair of boxes that may be close at some times, if these are among those that are left.
    fn push(&mut self, nodes: [u32; 2], slice: u32, close: Option<[f64; 2]>, [from, to]: [f64; 2]) {
        let Some([first, last]) = close else { return };
        let times = [first.max(from), last.min(to)];
        if times[0] <= times[1] {
            self.count = self.count.wrapping_add(1);
            self.memory.open.push(OpenBoxes { nodes, slice, times, number: self.count });
        }
    }

    /// The two halves of a slice.
    fn halves(&mut self, slice: u32) -> [u32; 2] {
        let slices = &mut self.memory.slices;
        let known = &slices[slice as usize];
        if let Some(halves) = known.halves {
            return halves;
        }
        let [from, to] = known.times;
        let middle = 0.5 * (from + to);
        let halves = [slices.len() as u32, slices.len() as u32 + 1];
        let motion = &self.walk.motion;
        slices.extend([motion.slice([from, middle]), motion.slice([middle, to])]);
        slices[slice as usize].halves = Some(halves);
        halves
    }
}

/// A pair of boxes, and when they may be close.
type Opened = ([u32; 2], Option<[f64; 2]>);

/// Two bodies, of which the second is seen from the first.
#[derive(Debug)]
struct Walk<'m, 'b> {
    motion: RelativeMotion,
    bodies: [&'b MovingBody<'m>; 2],
}

impl Walk<'_, '_> {
    fn boxes(&self, nodes: [u32; 2]) -> [MovingBox; 2] {
        [self.bodies[0].moving_box(nodes[0]), self.bodies[1].moving_box(nodes[1])]
    }

    /// Pairs of two boxes of a and one of b.
    fn opened_in_a(&self, slice: &Slice, seen: &Seen, children: [u32; 2], b: u32) -> [Opened; 2] {
        children.map(|child| {
            let times = self.motion.close(slice, &self.bodies[0].moving_box(child), seen);
            ([child, b], times)
        })
    }

    /// A pair of boxes, of which that of a is known.
    fn opened_in_b(&self, slice: &Slice, a: &MovingBox, nodes: [u32; 2]) -> Opened {
        let seen = self.motion.seen(slice, &self.bodies[1].moving_box(nodes[1]));
        (nodes, self.motion.close(slice, a, &seen))
    }
}

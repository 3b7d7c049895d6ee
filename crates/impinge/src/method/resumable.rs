//! Queries that can be interrupted (Klosowski 1998, ch. 4): a budget of tests or time, and the
//! pairs of nodes still to visit when it is spent.
//!
//! The resumable traversals of `tree/`, `boxtree/` and `wide/` all run [`advance`].

use std::{
    cmp::Ordering,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

/// How much work or time a query may take before it must answer.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    tests: u64,
    time: Option<Duration>,
    deadline: Option<Instant>,
}

impl Budget {
    /// No limit.
    pub const UNLIMITED: Self = Self { tests: u64::MAX, time: None, deadline: None };

    /// At most this many tests, of volumes and faces together. The answer then depends on nothing
    /// else, such as the speed of the machine.
    pub fn tests(tests: u64) -> Self {
        Self { tests, ..Self::UNLIMITED }
    }

    /// At most this duration from the call on, kept to within some microseconds.
    pub fn within(time: Duration) -> Self {
        Self { time: Some(time), ..Self::UNLIMITED }
    }

    /// Until this instant, kept to within some microseconds.
    pub fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::UNLIMITED }
    }
}

/// Measures the use of a budget.
#[derive(Debug)]
pub struct Meter {
    /// Tests made so far.
    tests: u64,
    limit: u64,
    /// The number of tests at which to read the clock again.
    next_reading: u64,
    time: Option<(Instant, Instant)>,
    phase: Phase,
}

/// How much of the budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    FirstHalf,
    SecondHalf,
    Over,
}

/// Tests between two readings of the clock. They take a microsecond or so, about as long as ten
/// readings.
const TESTS_PER_READING: u64 = 32;

impl Meter {
    pub(crate) fn new(budget: Budget) -> Self {
        let time = match (budget.deadline, budget.time) {
            (None, None) => None,
            (deadline, time) => {
                let start = Instant::now();
                let end = deadline.or_else(|| start.checked_add(time?));
                end.map(|end| (start + end.saturating_duration_since(start) / 2, end))
            }
        };
        Self { tests: 0, limit: budget.tests, next_reading: 0, time, phase: Phase::FirstHalf }
    }

    /// Counts tests that were made.
    pub fn spend(&mut self, tests: u64) {
        self.tests += tests;
    }

    /// Whether the budget is spent.
    pub fn is_spent(&mut self) -> bool {
        self.phase() == Phase::Over
    }

    fn phase(&mut self) -> Phase {
        if self.tests >= self.limit {
            self.phase = Phase::Over;
        } else if self.phase == Phase::FirstHalf && self.tests >= self.limit / 2 {
            self.phase = Phase::SecondHalf;
        }
        if let Some((half, end)) = self.time
            && self.tests >= self.next_reading
        {
            self.next_reading = self.tests + TESTS_PER_READING;
            let now = Instant::now();
            if now >= end {
                self.phase = Phase::Over;
            } else if now >= half && self.phase == Phase::FirstHalf {
                self.phase = Phase::SecondHalf;
            }
        }
        self.phase
    }
}

/// A pair of nodes whose volumes overlap, and that has not been visited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked<P> {
    /// An upper bound of the distance by which one node must be moved to be clear of the other.
    pub(super) overlap: f64,
    pub(super) pair: P,
}

impl<P> Ord for Ranked<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.overlap.total_cmp(&other.overlap)
    }
}

impl<P> PartialOrd for Ranked<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Ranked<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<P> Eq for Ranked<P> {}

/// The result of visiting a pair of nodes.
pub(super) enum Visited<P, const N: usize> {
    /// Both are leaves. `touch` tells whether any of their faces touch.
    Leaves { touch: bool },
    /// The pairs of children that overlap.
    Children([Option<Ranked<P>>; N]),
}

/// Visits open pairs until none are left or the budget is spent. Returns whether none are left.
///
/// In the first half of the budget it goes depth first, to the child with the larger overlap. In
/// the second half it visits the pair with the largest overlap anywhere. After the first contact it
/// goes depth first again, and stops unless `wants_all`.
pub(super) fn advance<P, const N: usize>(
    open: &mut Vec<Ranked<P>>,
    meter: &mut Meter,
    wants_all: bool,
    mut visit: impl FnMut(&mut Meter, P) -> Visited<P, N>,
) -> bool {
    let mut has_found = false;
    // The heap takes over the list's memory, and gives it back.
    let (mut heap, mut is_heap) = (BinaryHeap::new(), false);
    while !has_found || wants_all {
        let next = match meter.phase() {
            Phase::Over => break,
            Phase::SecondHalf if !has_found => {
                if !is_heap {
                    (heap, is_heap) = (BinaryHeap::from(std::mem::take(open)), true);
                }
                heap.pop()
            }
            _ => {
                if is_heap {
                    (*open, is_heap) = (std::mem::take(&mut heap).into_vec(), false);
                }
                open.pop()
            }
        };
        let Some(Ranked { pair, .. }) = next else { break };
        match visit(meter, pair) {
            Visited::Leaves { touch } => has_found |= touch,
            Visited::Children(mut children) => {
                // The pair that overlaps most comes last, so it is visited first.
                children.sort_unstable();
                let children = children.into_iter().flatten();
                if is_heap { heap.extend(children) } else { open.extend(children) }
            }
        }
    }
    if is_heap {
        *open = heap.into_vec();
    }
    open.is_empty()
}

/// Two sets of faces, each below a node of one body's tree, that an interrupted query did not
/// compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenPair<'q> {
    /// The faces of the first body.
    pub faces_a: &'q [u32],
    /// The faces of the second body.
    pub faces_b: &'q [u32],
    /// An upper bound of the distance, in world units, by which the faces of the second body must
    /// be moved to be clear of the first. No face reaches deeper than this into the volume around
    /// the other set.
    pub overlap: f64,
}

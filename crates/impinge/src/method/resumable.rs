//! Searches that can be interrupted (Klosowski 1998, ch. 4): a budget of tests or time, and the pairs of
//! nodes that are left to visit when it is spent.

use std::{
    cmp::Ordering,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

/// How much a query may take before it has to answer.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    tests: u64,
    time: Option<Duration>,
    deadline: Option<Instant>,
}

impl Budget {
    /// As much as it takes.
    pub const UNLIMITED: Self = Self { tests: u64::MAX, time: None, deadline: None };

    /// So many tests, of volumes and faces together. What is answered then depends on nothing else.
    pub fn tests(tests: u64) -> Self {
        Self { tests, ..Self::UNLIMITED }
    }

    /// So long from the call on. Kept to within some microseconds.
    pub fn within(time: Duration) -> Self {
        Self { time: Some(time), ..Self::UNLIMITED }
    }

    /// Until a moment. Kept to within some microseconds.
    pub fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::UNLIMITED }
    }
}

/// What is left of a budget.
#[derive(Debug)]
pub struct Meter {
    /// Tests made so far.
    tests: u64,
    limit: u64,
    /// The clock is looked at when so many tests are made.
    look_at: u64,
    time: Option<(Instant, Instant)>,
    phase: Phase,
}

/// How far a meter has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    FirstHalf,
    SecondHalf,
    Over,
}

/// So many tests take a microsecond or so: about as much as ten looks at the clock.
const LOOK_EVERY: u64 = 32;

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
        Self { tests: 0, limit: budget.tests, look_at: 0, time, phase: Phase::FirstHalf }
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
            && self.tests >= self.look_at
        {
            self.look_at = self.tests + LOOK_EVERY;
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

/// A pair of nodes whose volumes were found to overlap, and that has not been looked into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked<P> {
    /// At most how far one of them has to be moved to be clear of the other.
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

/// What there was to a pair.
pub(super) enum Look<P, const N: usize> {
    /// Two leaves, and whether any of their faces touch.
    Leaves { touch: bool },
    /// Those of its children that overlap.
    Children([Option<Ranked<P>>; N]),
}

/// Looks into open pairs until none are left, which is returned, or the meter has run out. Goes down
/// where the overlap is largest for the first half of it, and to whatever overlaps most for the
/// second. Once something is found, going down is all that matters, and unless all is wanted, the
/// search ends.
pub(super) fn advance<P, const N: usize>(
    open: &mut Vec<Ranked<P>>,
    meter: &mut Meter,
    wants_all: bool,
    mut look: impl FnMut(&mut Meter, P) -> Look<P, N>,
) -> bool {
    let mut has_found = false;
    // The list as a heap, and back, without a copy.
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
        match look(meter, pair) {
            Look::Leaves { touch } => has_found |= touch,
            Look::Children(mut children) => {
                // The one that overlaps more comes last, and so is looked into first.
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

/// Faces of two bodies, those below a node of either tree, that a query had no time to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenPair<'q> {
    /// The faces of the first body.
    pub faces_a: &'q [u32],
    /// The faces of the second body.
    pub faces_b: &'q [u32],
    /// At most how far, in world units, the second lot has to be moved to be clear of the first: no
    /// face of the one reaches deeper into the volume that encloses the other.
    pub overlap: f64,
}

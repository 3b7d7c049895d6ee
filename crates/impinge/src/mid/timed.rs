//! Queries under a deadline (Klosowski 1998, ch. 4): an answer in time, and a bound where there is
//! none.

use super::{FacePair, Pair, question::Question};
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
pub(super) struct Meter {
    /// Tests made so far.
    pub(super) tests: u64,
    limit: u64,
    /// The clock is looked at when so many tests are made.
    look_at: u64,
    time: Option<(Instant, Instant)>,
    phase: Phase,
}

/// How far a meter has run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    FirstHalf,
    SecondHalf,
    Over,
}

/// So many tests take a microsecond or so: about as much as ten looks at the clock.
const LOOK_EVERY: u64 = 32;

impl Meter {
    fn new(budget: Budget) -> Self {
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

/// What a query knows when its budget is spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict<'q> {
    /// Proved: no faces touch.
    Clear,
    /// Proved: some faces touch.
    Touching {
        /// The pairs found so far, sorted.
        pairs: &'q [FacePair],
        /// Whether these are all.
        is_complete: bool,
    },
    /// Nothing was found to touch, but not everything was looked at.
    Undecided {
        /// How many pairs of nodes are left; no faces touch but below these. See
        /// [`Timed::open`].
        open: usize,
        /// The largest of their [overlaps](OpenPair::overlap).
        overlap: f64,
    },
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

/// A query that can be interrupted and resumed, made by [`Query::timed`](super::Query::timed).
///
/// The method [`Brute`](super::Method::Brute) has nothing to stop at in between: it takes the time it
/// takes, and knows the answer.
///
/// As long as nothing is found to touch, it spends half of a budget going straight down to where
/// the bodies overlap most, to find a contact, and the other half on whatever overlaps most, to
/// make the bound better.
///
/// ```
/// use impinge::{Budget, Pair, Pose, Verdict, generate, glam::DVec3};
///
/// let ball = generate::sphere(960)?;
/// let mut pair = Pair::new(&ball, &ball);
/// let close = Pose::from_translation(DVec3::new(1.99, 0.0, 0.0))?;
///
/// let mut timed = pair.at(&Pose::IDENTITY, &close).timed();
/// if let Verdict::Undecided { open, overlap } = timed.any(Budget::tests(10)) {
///     println!("{open} pairs of nodes are left, none overlaps by more than {overlap}");
/// }
/// // There is time after all: go on where it stopped.
/// assert!(matches!(timed.all(Budget::UNLIMITED), Verdict::Touching { is_complete: true, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Timed<'p, 'm> {
    pair: &'p mut Pair<'m>,
    question: Question,
    is_over: bool,
}

impl<'p, 'm> Timed<'p, 'm> {
    pub(super) fn new(pair: &'p mut Pair<'m>, question: Question) -> Self {
        pair.contacts.clear();
        pair.search.begin(&question);
        Self { pair, question, is_over: false }
    }

    /// Goes on until any more faces are found to touch or the budget is spent.
    pub fn any(&mut self, budget: Budget) -> Verdict<'_> {
        self.advance(budget, false)
    }

    /// Goes on until all faces that touch are found or the budget is spent.
    pub fn all(&mut self, budget: Budget) -> Verdict<'_> {
        self.advance(budget, true)
    }

    fn advance(&mut self, budget: Budget, wants_all: bool) -> Verdict<'_> {
        let Pair { search, contacts, .. } = &mut *self.pair;
        if !self.is_over {
            let meter = &mut Meter::new(budget);
            self.is_over = search.advance(&self.question, meter, wants_all, contacts);
            contacts.sort_unstable();
            contacts.dedup();
        }
        match (&contacts[..], self.is_over) {
            ([], true) => Verdict::Clear,
            ([], false) => {
                let (open, overlap) = search.left_open();
                Verdict::Undecided { open, overlap }
            }
            (pairs, is_complete) => Verdict::Touching { pairs, is_complete },
        }
    }

    /// The pairs found so far, sorted, for as long as the [`Pair`] is not asked anything else.
    pub fn into_pairs(self) -> &'p [FacePair] {
        &self.pair.contacts
    }

    /// Visits what is left open, in any order. Faces that touch and have not been found yet are
    /// below one of these pairs.
    pub fn open(&self, mut visit: impl FnMut(OpenPair<'_>)) {
        if !self.is_over {
            self.pair.search.visit_open(&mut visit);
        }
    }
}

//! Queries under a deadline (Klosowski 1998, ch. 4): an answer in time, and a bound where there is
//! none.

use super::{Pair, Shape};
use crate::{
    FacePair, Pose, WalkOrder,
    method::{Budget, Meter, OpenPair, Question},
};

/// What a query knows when its budget is spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimedVerdict<'q> {
    /// Proved: no faces touch.
    Clear,
    /// Proved: some faces touch.
    Touching {
        /// The pairs found so far, sorted.
        pairs: &'q [FacePair],
        /// Whether these are all.
        is_complete: bool,
    },
    /// No contact was found yet, and some pairs of nodes are unvisited.
    Undecided {
        /// How many pairs of nodes are left; no faces touch but below these. See
        /// [`Timed::open`].
        open: usize,
        /// The largest of their [overlaps](OpenPair::overlap).
        overlap: f64,
    },
}

/// A query that can be interrupted and resumed, made by [`Query::timed`](super::Query::timed).
///
/// The method `brute` cannot be interrupted: it takes the time it takes, and knows the answer.
///
/// As long as nothing is found to touch, it spends half of a budget going straight down to where
/// the bodies overlap most, to find a contact, and the other half on whatever overlaps most, to
/// make the bound better.
///
/// ```
/// use impinge::{Budget, Pair, Pose, Shape, TimedVerdict, generate, glam::DVec3};
///
/// let ball = Shape::new(generate::sphere(960)?);
/// let mut pair = Pair::new(&ball, &ball)?;
/// let close = Pose::from_translation(DVec3::new(1.99, 0.0, 0.0))?;
///
/// let mut timed = pair.at(&Pose::IDENTITY, &close).timed();
/// if let TimedVerdict::Undecided { open, overlap } = timed.any(Budget::tests(10)) {
///     println!("{open} pairs of nodes are left, none overlaps by more than {overlap}");
/// }
/// // There is time after all: go on where it stopped.
/// assert!(matches!(timed.all(Budget::UNLIMITED), TimedVerdict::Touching { is_complete: true, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Timed<'p> {
    pair: &'p mut Pair,
    poses: [Pose; 2],
    tolerance: f64,
    order: WalkOrder,
    is_over: bool,
}

impl<'p> Timed<'p> {
    pub(super) fn new(
        pair: &'p mut Pair,
        poses: [Pose; 2],
        tolerance: f64,
        order: WalkOrder,
    ) -> Self {
        pair.contacts.clear();
        let Pair { shapes, search, .. } = pair;
        search.begin(&question(shapes, &poses, tolerance, order));
        Self { pair, poses, tolerance, order, is_over: false }
    }

    /// Continues until any more faces are found to touch or the budget is spent.
    pub fn any(&mut self, budget: Budget) -> TimedVerdict<'_> {
        self.advance(budget, false)
    }

    /// Continues until all faces that touch are found or the budget is spent.
    pub fn all(&mut self, budget: Budget) -> TimedVerdict<'_> {
        self.advance(budget, true)
    }

    fn advance(&mut self, budget: Budget, wants_all: bool) -> TimedVerdict<'_> {
        let Pair { shapes, search, contacts, .. } = &mut *self.pair;
        let question = question(shapes, &self.poses, self.tolerance, self.order);
        if !self.is_over {
            let meter = &mut Meter::new(budget);
            self.is_over = search.advance(&question, meter, wants_all, contacts);
            contacts.sort_unstable();
            contacts.dedup();
        }
        match (&contacts[..], self.is_over) {
            ([], true) => TimedVerdict::Clear,
            ([], false) => {
                let (open, overlap) = search.left_open(&question);
                TimedVerdict::Undecided { open, overlap }
            }
            (pairs, is_complete) => TimedVerdict::Touching { pairs, is_complete },
        }
    }

    /// The pairs found so far, sorted, for as long as the [`Pair`] is not asked anything else.
    pub fn into_pairs(self) -> &'p [FacePair] {
        &self.pair.contacts
    }

    /// Visits the pairs of nodes that are left, in any order. Faces that touch and have not been found
    /// yet are below one of these pairs.
    pub fn open(&self, mut visit: impl FnMut(OpenPair<'_>)) {
        if !self.is_over {
            let Pair { shapes, search, .. } = &*self.pair;
            search
                .visit_open(&question(shapes, &self.poses, self.tolerance, self.order), &mut visit);
        }
    }
}

fn question<'q>(
    shapes: &'q [Shape; 2],
    poses: &'q [Pose; 2],
    tolerance: f64,
    order: WalkOrder,
) -> Question<'q> {
    let bodies = [shapes[0].placed(&poses[0]), shapes[1].placed(&poses[1])];
    Question { tolerance, order, ..Question::touching(bodies) }
}

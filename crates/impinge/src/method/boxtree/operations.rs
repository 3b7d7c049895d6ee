//! Counts the floating-point operations of the overlap tests (Zachmann 2002, table 1).
//!
//! The traversal is generic over its number type. Here it runs, unchanged, with numbers that count
//! what is done to them.

use super::{
    Boxtree, OverlapTest,
    overlap::{ALIGNED, FULL, LITE, Real},
};
use crate::volume::Relative;
use std::{
    cell::Cell,
    cmp::Ordering,
    ops::{Add, AddAssign, Mul},
};

/// The floating-point operations on the gaps between boxes, in one or more traversals.
///
/// The operations that bound the rounding error of gaps are not included: 6 for each pair of nodes
/// that is split, and 5 for each child.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// The number of pairs of boxes that were tested.
    pub tests: u64,
    /// Multiplications in which neither factor is 0.
    pub multiplications: u64,
    /// Additions in which neither term is 0.
    pub additions: u64,
    /// Comparisons.
    pub comparisons: u64,
    /// Multiplications and additions with a zero. They are executed, because a test that skips them
    /// takes longer: several gaps are computed by one instruction.
    pub with_zero: u64,
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.multiplications += other.multiplications;
        self.additions += other.additions;
        self.comparisons += other.comparisons;
        self.with_zero += other.with_zero;
    }
}

thread_local! {
    /// The operations of this thread since the last traversal began.
    static COUNTED: Cell<Operations> = const {
        Cell::new(Operations { tests: 0, multiplications: 0, additions: 0, comparisons: 0, with_zero: 0 })
    };
}

fn count(change: impl FnOnce(&mut Operations)) {
    let mut counted = COUNTED.get();
    change(&mut counted);
    COUNTED.set(counted);
}

/// A number that counts the operations on it.
#[derive(Clone, Copy, Debug)]
struct Counted<R>(R);

impl<R: Real + Into<f64>> Counted<R> {
    fn is_zero(self) -> bool {
        self.0.into() == 0.0
    }

    /// Counts an operation on two numbers: by its kind, or as one with a zero.
    fn note(self, other: Self, kind: fn(&mut Operations) -> &mut u64) {
        count(|counted| {
            let is_idle = self.is_zero() || other.is_zero();
            *(if is_idle { &mut counted.with_zero } else { kind(counted) }) += 1;
        });
    }
}

impl<R: Real + Into<f64>> Add for Counted<R> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.note(other, |counted| &mut counted.additions);
        Self(self.0 + other.0)
    }
}

impl<R: Real + Into<f64>> Mul for Counted<R> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.note(other, |counted| &mut counted.multiplications);
        Self(self.0 * other.0)
    }
}

impl<R: Real> PartialEq for Counted<R> {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl<R: Real> PartialOrd for Counted<R> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        count(|counted| counted.comparisons += 1);
        self.0.partial_cmp(&other.0)
    }
}

impl<R: Real> From<f32> for Counted<R> {
    fn from(value: f32) -> Self {
        Self(value.into())
    }
}

impl From<Counted<Self>> for f64 {
    fn from(value: Counted<Self>) -> Self {
        value.0
    }
}

impl<R: Real + Into<f64>> Real for Counted<R> {
    const ROUNDING: f32 = R::ROUNDING;

    fn nearest(value: f64) -> Self {
        Self(R::nearest(value))
    }
}

impl Boxtree {
    /// Counts the operations of a traversal of two trees down to all leaves whose boxes overlap.
    ///
    /// `None` for [`OverlapTest::LookupTables`], whose products come from a table.
    pub fn count_operations(
        &self,
        other: &Self,
        relative: &Relative,
        test: OverlapTest,
    ) -> Option<Operations> {
        let run = match test {
            OverlapTest::AxisAlignment => Self::visit_with::<Counted<f64>, Counted<f32>, ALIGNED>,
            OverlapTest::SatLite => Self::visit_with::<Counted<f64>, Counted<f32>, LITE>,
            OverlapTest::SeparatingAxes => Self::visit_with::<Counted<f64>, Counted<f32>, FULL>,
            OverlapTest::LookupTables => return None,
        };
        COUNTED.take();
        let tests = run(self, other, relative).volume_tests;
        Some(Operations { tests, ..COUNTED.take() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Pose, generate,
        method::boxtree::{BoxtreeOptions, BoxtreeScratch},
    };
    use glam::DVec3;
    use std::ops::ControlFlow;

    /// The counted traversal tests the same boxes as the plain one, and a test with more axes takes
    /// more operations.
    #[test]
    fn counted_traversals_test_the_same_boxes() {
        let torus = generate::deformed_torus(1, [60, 30]).expect("enough segments");
        let pose = Pose::new(generate::Random::new(1).rotation(), DVec3::new(0.6, 0.2, 0.1));
        let pose = pose.expect("a rotation");
        for (name, options, least, most) in [
            ("the paper's", BoxtreeOptions::of_paper(), 8.0, 13.0),
            ("the default", BoxtreeOptions::default(), 10.0, 18.0),
        ] {
            let tree = Boxtree::build(&torus, options);
            let relative = Relative::new(tree.frame(), &Pose::IDENTITY, tree.frame(), &pose);
            let mut before = 0.0;
            for test in
                [OverlapTest::AxisAlignment, OverlapTest::SatLite, OverlapTest::SeparatingAxes]
            {
                let counted = tree.count_operations(&tree, &relative, test).expect("counted");
                let mut scratch = BoxtreeScratch::new(test);
                let visit = &mut |_: [&[u32]; 2]| ControlFlow::Continue(());
                let walk = tree.visit_leaf_pairs(&tree, &relative, &mut scratch, visit);
                assert!(walk.is_continue());
                assert_eq!(counted.tests, scratch.counts.volume_tests, "{name}, {test:?}");
                assert!(counted.tests > 1_000, "{name}, {test:?}: {counted:?}");
                let Operations { multiplications, additions, comparisons, .. } = counted;
                let sum = multiplications + additions + comparisons;
                let per_test = sum as f64 / counted.tests as f64;
                assert!(per_test > before, "{name}, {test:?}: {counted:?}");
                if test == OverlapTest::AxisAlignment {
                    let is_expected = (least..most).contains(&per_test);
                    assert!(is_expected, "{name}: {per_test} operations a test");
                }
                before = per_test;
            }
            assert_eq!(tree.count_operations(&tree, &relative, OverlapTest::LookupTables), None);
        }
    }
}

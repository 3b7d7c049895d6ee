//! Compares the orders in which the intervals of two DOPs can be tested, on the pairs that tree walks meet.

use crate::{Run, Scene, contest, named};
use impinge::glam::DVec3;
use impinge::volume::{BoundingVolume, Dop, Relative};
use impinge_bench::{Contender, race};
use std::cell::RefCell;
use std::time::Duration;

/// The largest number of recorded pairs; more do not make the results better.
const MOST: usize = 100_000;

/// Two DOPs as arrays.
struct Pair<const H: usize> {
    low: [[f32; H]; 2],
    high: [[f32; H]; 2],
    /// The directions sorted by the extent of the first DOP, thinnest first, as it would be stored with it.
    thinnest: [u8; H],
}

type Met = Vec<[[f32; 13]; 4]>;

thread_local! {
    static MET: RefCell<Met> = const { RefCell::new(Vec::new()) };
}

/// A DOP that records the pairs it is compared with.
#[derive(Clone, Copy, Debug)]
struct Recorded<const H: usize>(Dop<H>);

impl<const H: usize> BoundingVolume for Recorded<H> {
    type Placed = Dop<H>;
    type Placement = <Dop<H> as BoundingVolume>::Placement;

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        Self(Dop::enclosing(triangles))
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        self.0.merged(&other.0).map(Self)
    }

    fn placement(relative: &Relative) -> Self::Placement {
        Dop::placement(relative)
    }

    fn placed(&self, placement: &Self::Placement) -> Dop<H> {
        self.0.placed(placement)
    }

    fn overlaps(&self, other: &Dop<H>) -> bool {
        MET.with_borrow_mut(|met| {
            if met.len() < MOST {
                let ([low, high], [other_low, other_high]) = (self.0.extents(), other.extents());
                met.push([low, high, other_low, other_high].map(|extents| {
                    std::array::from_fn(|i| extents.get(i).copied().unwrap_or(0.0))
                }));
            }
        });
        self.0.overlaps(other)
    }

    fn distance_below(&self, other: &Dop<H>) -> f64 {
        self.0.distance_below(other)
    }

    fn size(&self) -> f32 {
        self.0.size()
    }
}

/// A DOP that is compared direction by direction until one separates.
#[derive(Clone, Copy, Debug)]
struct OneByOne<const H: usize>(Dop<H>);

impl<const H: usize> BoundingVolume for OneByOne<H> {
    type Placed = Dop<H>;
    type Placement = <Dop<H> as BoundingVolume>::Placement;

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        Self(Dop::enclosing(triangles))
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        self.0.merged(&other.0).map(Self)
    }

    fn placement(relative: &Relative) -> Self::Placement {
        Dop::placement(relative)
    }

    fn placed(&self, placement: &Self::Placement) -> Dop<H> {
        self.0.placed(placement)
    }

    #[inline]
    fn overlaps(&self, other: &Dop<H>) -> bool {
        let ([low, high], [other_low, other_high]) = (self.0.extents(), other.extents());
        !(0..H).any(|i| low[i] > other_high[i] || other_low[i] > high[i])
    }

    fn distance_below(&self, other: &Dop<H>) -> f64 {
        self.0.distance_below(other)
    }

    fn size(&self) -> f32 {
        self.0.size()
    }
}

pub(crate) fn table(scene: &Scene) {
    contest(
        7,
        vec![
            named::<OneByOne<3>>("6-DOP, one by one", scene),
            named::<Dop<3>>("6-DOP, all at once", scene),
            named::<OneByOne<7>>("14-DOP, one by one", scene),
            named::<Dop<7>>("14-DOP, all at once", scene),
            named::<OneByOne<9>>("18-DOP, one by one", scene),
            named::<Dop<9>>("18-DOP, all at once", scene),
            named::<OneByOne<13>>("26-DOP, one by one", scene),
            named::<Dop<13>>("26-DOP, all at once", scene),
        ],
    );
    println!("\n| order | comparisons of intervals | apart | ns a test |");
    println!("|---|---|---|---|");
    orders::<7>(scene, "14-DOP");
    orders::<9>(scene, "18-DOP");
    orders::<13>(scene, "26-DOP");
}

fn orders<const H: usize>(scene: &Scene, name: &str) {
    MET.take();
    Run::<Recorded<H>>::new(scene).round();
    let pairs: Vec<Pair<H>> = MET.take().iter().map(pair).collect();
    // The order of the directions is the one that the paper proposes.
    assert!(different_first::<H>().is_sorted());
    let half = H.div_ceil(2);

    // The number of intervals compared until one separates, for each order.
    let needed = |order: &dyn Fn(&Pair<H>, usize) -> usize, most: usize| {
        let of = |pair: &Pair<H>| (0..most).find(|&i| pair.is_apart_along(order(pair, i)));
        let counts = pairs.iter().map(|pair| of(pair).map_or(most, |i| i + 1));
        counts.sum::<usize>() as f64 / pairs.len() as f64
    };
    let intervals = [
        needed(&|_, i| i, H),
        needed(&|_, i| H - 1 - i, H),
        needed(&|pair, i| usize::from(pair.thinnest[i]), H),
        needed(&|pair, i| usize::from(pair.thinnest[i]), half),
        H as f64,
        f64::NAN,
        f64::NAN,
    ];
    let count = |is_apart: &dyn Fn(&Pair<H>) -> bool| pairs.iter().filter(|p| is_apart(p)).count();
    macro_rules! contender {
        ($name:expr, $test:expr) => {
            Contender {
                name: $name,
                run: Box::new(|| {
                    let test = $test;
                    pairs.iter().filter(|pair| test(pair)).count()
                }),
            }
        };
    }
    let all = count(&|pair| (0..H).any(|i| pair.is_apart_along(i)));
    let mut contenders = [
        contender!("axes, corners, edges", |p: &Pair<H>| (0..H).any(|i| p.is_apart_along(i))),
        contender!("edges, corners, axes", |p: &Pair<H>| (0..H).rev().any(|i| p.is_apart_along(i))),
        contender!("thinnest first", |p: &Pair<H>| {
            p.thinnest.iter().any(|&i| p.is_apart_along(usize::from(i)))
        }),
        contender!("thinnest half only", |p: &Pair<H>| {
            p.thinnest[..half].iter().any(|&i| p.is_apart_along(usize::from(i)))
        }),
        contender!("all at once", |p: &Pair<H>| p.is_apart_within(0, H)),
        contender!("axes, then the rest at once", |p: &Pair<H>| {
            p.is_apart_within(0, 3) || p.is_apart_within(3, H)
        }),
        contender!("four at a time", |p: &Pair<H>| {
            (0..H).step_by(4).any(|i| p.is_apart_within(i, H.min(i + 4)))
        }),
    ];
    let outcomes = race(60, &mut contenders);
    for (outcome, intervals) in outcomes.iter().zip(intervals) {
        assert!(outcome.count == all || outcome.name.contains("half"), "one answer");
        let share = outcome.count as f64 / pairs.len() as f64 * 100.0;
        let ns = |time: Duration| time.as_secs_f64() * 1e9 / pairs.len() as f64;
        let intervals = if intervals.is_nan() { "".into() } else { format!("{intervals:.2}") };
        println!(
            "| {name}, {} | {intervals} | {share:.1} % | {:.2} |",
            outcome.name,
            ns(outcome.best)
        );
    }
}

fn pair<const H: usize>(met: &[[f32; 13]; 4]) -> Pair<H> {
    let [low, high, other_low, other_high] =
        met.each_ref().map(|extents| std::array::from_fn(|i| extents[i]));
    let directions = Dop::<H>::directions();
    let width = |i: u8| {
        let i = usize::from(i);
        (low[i] as f64 - high[i] as f64).abs() / directions[i].length()
    };
    let mut thinnest = std::array::from_fn(|i| i as u8);
    thinnest.sort_by(|&i, &j| width(i).total_cmp(&width(j)));
    Pair { low: [low, other_low], high: [high, other_high], thinnest }
}

impl<const H: usize> Pair<H> {
    #[inline(always)]
    fn is_apart_along(&self, i: usize) -> bool {
        self.low[0][i] > self.high[1][i] || self.low[1][i] > self.high[0][i]
    }

    /// Tests a range of directions without a branch.
    #[inline(always)]
    fn is_apart_within(&self, from: usize, to: usize) -> bool {
        let mut is_apart = false;
        for i in from..to {
            is_apart |= self.low[0][i] > self.high[1][i];
            is_apart |= self.low[1][i] > self.high[0][i];
        }
        is_apart
    }
}

/// Returns the directions in an order where each differs as much as possible from the earlier ones.
fn different_first<const H: usize>() -> [usize; H] {
    let directions = Dop::<H>::directions().map(DVec3::normalize);
    let mut order = [0; H];
    for count in 1..H {
        let likeness = |i: usize| {
            order[..count]
                .iter()
                .map(|&j| directions[i].dot(directions[j]).abs())
                .fold(0.0, f64::max)
        };
        let others = (0..H).filter(|i| !order[..count].contains(i));
        let next = others.min_by(|&i, &j| likeness(i).total_cmp(&likeness(j)));
        order[count] = next.expect("not all yet");
    }
    order
}

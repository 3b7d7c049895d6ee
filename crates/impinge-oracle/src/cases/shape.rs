//! Building blocks of the families. Where a comment says "exact", no operation rounds.

use super::{Pair, Rng};
use crate::Triangle;

pub(super) type Point = [f64; 3];

pub(super) fn combine(p: Point, q: Point, f: impl Fn(f64, f64) -> f64) -> Point {
    std::array::from_fn(|axis| f(p[axis], q[axis]))
}

pub(super) fn plus(p: Point, q: Point) -> Point {
    combine(p, q, |p, q| p + q)
}

pub(super) fn times(p: Point, factor: f64) -> Point {
    p.map(|coordinate| coordinate * factor)
}

/// `2^exponent`, from -1074 to 1023: exact.
///
/// `powi` may round differently on different machines, and a seed must give the same pair everywhere.
pub(super) fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (exponent + 1074)),
        _ => panic!("2^{exponent} is not a finite f64"),
    }
}

/// Applies the same map to every corner of both triangles.
pub(super) fn map(pair: Pair, mut f: impl FnMut(Point) -> Point) -> Pair {
    (pair.0.map(&mut f), pair.1.map(&mut f))
}

/// A point of the cube from -1 to 1.
pub(super) fn in_cube(rng: &mut Rng) -> Point {
    [0; 3].map(|_| rng.signed())
}

/// A triangle with corners in the cube from -1 to 1.
pub(super) fn triangle_in_cube(rng: &mut Rng) -> Triangle {
    [0; 3].map(|_| in_cube(rng))
}

/// A point with integer coordinates from `-size..=size`.
pub(super) fn on_grid(rng: &mut Rng, size: i32) -> Point {
    [0; 3].map(|_| f64::from(rng.int(-size, size)))
}

/// A triangle with integer coordinates of up to 4, 20 or 40 bits.
///
/// These sizes stay well below the 53 bits of an `f64`: [`on_face`] and [`on_edge`] are exact on it.
pub(super) fn coarse_triangle(rng: &mut Rng) -> Triangle {
    let size = power_of_two([4, 20, 40][rng.below(3) as usize]);
    [0; 3].map(|_| [0; 3].map(|_| (rng.signed() * size).round()))
}

/// The longest extent of a triangle along an axis.
pub(super) fn size(t: &Triangle) -> f64 {
    let extent = |axis: usize| {
        let values = t.map(|corner| corner[axis]);
        values.into_iter().fold(f64::MIN, f64::max) - values.into_iter().fold(f64::MAX, f64::min)
    };
    extent(0).max(extent(1)).max(extent(2))
}

/// A point of a coarse triangle, corners and edges included, with weights in 256ths: exact.
pub(super) fn on_face(rng: &mut Rng, t: &Triangle) -> Point {
    let first = rng.int(0, 256);
    let second = rng.int(0, 256 - first);
    let weights = [first, second, 256 - first - second].map(|weight| f64::from(weight) / 256.0);
    std::array::from_fn(|axis| (0..3).map(|corner| weights[corner] * t[corner][axis]).sum())
}

/// A point between two points with coarse coordinates, with weights in 256ths: exact.
pub(super) fn on_edge(rng: &mut Rng, p: Point, q: Point) -> Point {
    let weight = f64::from(rng.int(0, 256)) / 256.0;
    combine(p, q, |p, q| (1.0 - weight) * p + weight * q)
}

/// A random offset of up to `size`, a multiple of 1/256 so that sums with coarse points are exact.
pub(super) fn offset(rng: &mut Rng, size: f64) -> Point {
    [0; 3].map(|_| (rng.signed() * size * 256.0).round() / 256.0)
}

/// Moves one coordinate of one corner by one to three ulps, up or down.
pub(super) fn nudge(rng: &mut Rng, t: &mut Triangle) {
    let steps = rng.int(1, 3);
    nudge_by(rng, t, steps);
}

/// Moves one coordinate of one corner by `ulps` ulps, up or down.
pub(super) fn nudge_by(rng: &mut Rng, t: &mut Triangle, ulps: i32) {
    let coordinate = &mut t[rng.below(3) as usize][rng.below(3) as usize];
    let step = if rng.one_in(2) { f64::next_up } else { f64::next_down };
    for _ in 0..ulps {
        *coordinate = step(*coordinate);
    }
}

/// Multiplies all coordinates by a random power of two from `2^low..=2^high`: exact.
pub(super) fn rescaled(rng: &mut Rng, pair: Pair, low: i32, high: i32) -> Pair {
    let factor = power_of_two(rng.int(low, high));
    map(pair, |point| times(point, factor))
}

/// Returns the same pair with corners, axes and the two triangles in random order, and axes mirrored at random:
/// exact, and without effect on whether the triangles touch.
pub(super) fn shuffled(rng: &mut Rng, pair: Pair) -> Pair {
    let axes = permutation(rng);
    let signs = [0; 3].map(|_| if rng.one_in(2) { -1.0 } else { 1.0 });
    let place = |p: Point| std::array::from_fn(|axis| signs[axis] * p[axes[axis]]);
    let (a, b) = map(pair, place);
    let (a, b) = (permutation(rng).map(|i| a[i]), permutation(rng).map(|i| b[i]));
    if rng.one_in(2) { (b, a) } else { (a, b) }
}

fn permutation(rng: &mut Rng) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.swap(0, rng.below(3) as usize);
    order.swap(1, 1 + rng.below(2) as usize);
    order
}

//! Triangles in one plane or in parallel planes, and triangles with almost no area or none.

use super::shape::{
    Point, coarse_triangle, combine, in_cube, nudge, nudge_by, offset, on_edge, on_face, on_grid,
    plus, power_of_two, rescaled, size, times, triangle_in_cube,
};
use super::{Pair, Rng, general};
use crate::Triangle;

/// Both in one plane orthogonal to an axis, with coarse or with full coordinates.
pub(super) fn coplanar_axis(rng: &mut Rng) -> Pair {
    let (mut a, mut b) = if rng.one_in(2) { general::grid(rng, 4) } else { general::close(rng) };
    let height = rng.signed();
    for corner in a.iter_mut().chain(&mut b) {
        corner[2] = height;
    }
    (a, b)
}

/// Both in one plane, orthogonal to an axis or almost: heights differ by at most an ulp.
pub(super) fn parallel_axis(rng: &mut Rng) -> Pair {
    let (a, mut b) = coplanar_axis(rng);
    let height = b[0][2];
    let height = match rng.below(4) {
        0 => height.next_up(),
        1 => height.next_down(),
        _ => height,
    };
    for corner in &mut b {
        corner[2] = height;
    }
    (a, b)
}

/// Both in one tilted plane: exact, since the corners are small integer combinations of small
/// integer vectors.
pub(super) fn coplanar_tilted(rng: &mut Rng) -> Pair {
    let pair = tilted(rng);
    rescaled(rng, pair, -40, 40)
}

/// Both in one tilted plane, except for one coordinate that is off by an ulp.
pub(super) fn coplanar_off_by_an_ulp(rng: &mut Rng) -> Pair {
    let (a, mut b) = coplanar_tilted(rng);
    nudge_by(rng, &mut b, 1);
    (a, b)
}

/// In two tilted planes that are exactly parallel and an ulp apart, or in one.
pub(super) fn parallel_tilted(rng: &mut Rng) -> Pair {
    let (a, b) = tilted(rng);
    // From 2^52 to 2^53 an ulp is 1, so integers moved there stay exact.
    let lift = power_of_two(52) + power_of_two(51);
    let step = f64::from([-1, 0, 0, 1][rng.below(4) as usize]);
    let pair = (a.map(|p| [p[0], p[1], p[2] + lift]), b.map(|p| [p[0], p[1], p[2] + lift + step]));
    rescaled(rng, pair, -40, 40)
}

/// A triangle with an area of about 1e-16 and one that is close to it.
pub(super) fn sliver(rng: &mut Rng) -> Pair {
    let (a, near) = thin(rng);
    let b = if rng.one_in(2) {
        // Through the sliver's neighbourhood, or with an edge along it.
        [plus(near, in_cube(rng)), plus(near, in_cube(rng)), plus(near, in_cube(rng))]
    } else {
        [a[0], combine(a[1], a[2], |p, q| 0.5 * (p + q)), in_cube(rng)]
    };
    let mut pair = (a, b);
    if rng.one_in(2) {
        nudge(rng, &mut pair.1);
    }
    pair
}

/// Two triangles with an area of about 1e-16 that cross, or nearly.
pub(super) fn two_slivers(rng: &mut Rng) -> Pair {
    let (a, near) = thin(rng);
    let (p, weight) = (in_cube(rng), rng.unit());
    let q = combine(near, p, |near, p| near + weight * (near - p));
    let third = match rng.below(3) {
        0 => near,
        _ => combine(p, q, |p, q| p + weight * (q - p)),
    };
    (a, [p, q, third])
}

/// A triangle with one edge that is shorter than the others by a factor of 1e6 to 1e16.
pub(super) fn needle(rng: &mut Rng) -> Pair {
    let a = triangle_in_cube(rng);
    let width = power_of_two(-rng.int(20, 53));
    let a = [a[0], a[1], plus(a[1], times(in_cube(rng), width))];
    let weight = rng.unit();
    let near = combine(a[0], a[1], |p, q| p + weight * (q - p));
    // An edge of the other passes within a few widths of the needle.
    let [along, rest] = [in_cube(rng), in_cube(rng)];
    let start = plus(plus(near, along), times(in_cube(rng), 2.0 * width));
    (a, [start, combine(near, along, |n, d| n - d), plus(near, rest)])
}

/// A triangle that is a segment, and a proper triangle around a point of the segment or beside it.
pub(super) fn segment(rng: &mut Rng) -> Pair {
    let a = coarse_triangle(rng);
    let reach = size(&a);
    let a = collapsed_to_segment(rng, a[0], a[1]);
    let near = on_edge(rng, a[0], a[1]);
    let b = [0; 3].map(|_| plus(near, offset(rng, reach)));
    let b = match rng.below(3) {
        // A corner or an edge on the segment, or the segment just passing through.
        0 => [near, b[1], b[2]],
        1 => [b[0], combine(near, b[0], |n, p| n + (n - p)), b[2]],
        _ => b,
    };
    let mut pair = (a, b);
    if rng.one_in(2) {
        nudge(rng, &mut pair.1);
    }
    rescaled(rng, pair, -20, 20)
}

/// A triangle that is a point, on the other triangle or almost.
pub(super) fn point(rng: &mut Rng) -> Pair {
    let b = coarse_triangle(rng);
    let p = match rng.below(3) {
        0 => on_edge(rng, b[0], b[1]),
        _ => on_face(rng, &b),
    };
    let mut a = [p; 3];
    if rng.one_in(2) {
        nudge(rng, &mut a);
        // Move only the nudged corner, or all three to its new position.
        if rng.one_in(2) {
            let moved = *a.iter().find(|&&corner| corner != p).unwrap_or(&p);
            a = [moved; 3];
        }
    }
    rescaled(rng, (a, b), -20, 20)
}

/// Two segments, two points or one of each, on a small grid.
pub(super) fn both_degenerate(rng: &mut Rng) -> Pair {
    let mut degenerate = |size: i32| {
        let [p, q] = [0; 2].map(|_| on_grid(rng, size));
        if rng.one_in(6) { [p; 3] } else { collapsed_to_segment(rng, p, q) }
    };
    let (a, b) = (degenerate(1), degenerate(1));
    rescaled(rng, (a, b), -20, 20)
}

/// Two triangles in one plane, with integer coordinates below 2^21.
fn tilted(rng: &mut Rng) -> Pair {
    let [u, v] = [0; 2].map(|_| on_grid(rng, 1000));
    let origin = on_grid(rng, 1_000_000);
    let reach = [3, 30, 300][rng.below(3) as usize];
    let mut corner = || -> Point {
        let [s, t] = [0; 2].map(|_| f64::from(rng.int(-reach, reach)));
        std::array::from_fn(|axis| origin[axis] + s * u[axis] + t * v[axis])
    };
    ([0; 3].map(|_| corner()), [0; 3].map(|_| corner()))
}

/// A triangle whose third corner lies between the others, up to rounding, and a point near it.
fn thin(rng: &mut Rng) -> (Triangle, Point) {
    let [p, q] = [0; 2].map(|_| in_cube(rng));
    let [s, t] = [rng.unit(), rng.unit()];
    let between = |weight: f64| combine(p, q, |p, q| p + weight * (q - p));
    ([p, q, between(s)], between(t))
}

/// A segment as a triangle: the third corner is between the others, or is one of them.
fn collapsed_to_segment(rng: &mut Rng, p: Point, q: Point) -> Triangle {
    let third = match rng.below(3) {
        0 => p,
        1 => combine(p, q, |p, q| 0.5 * (p + q)),
        _ => on_edge(rng, p, q),
    };
    [p, q, third]
}

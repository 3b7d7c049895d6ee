//! Pairs in general position, on grids, and almost degenerate after rounding.

use super::shape::{
    Point, coarse_triangle, in_cube, map, on_face, on_grid, plus, times, triangle_in_cube,
};
use super::{Pair, Rng, contact};

/// All corners anywhere in a cube.
pub(super) fn uniform(rng: &mut Rng) -> Pair {
    (triangle_in_cube(rng), triangle_in_cube(rng))
}

/// One triangle around a point of the other, or slightly beside it: about half of the pairs touch.
pub(super) fn close(rng: &mut Rng) -> Pair {
    let a = triangle_in_cube(rng);
    let [u, v] = [rng.unit(), rng.unit()];
    let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
    let centre = std::array::from_fn(|i| (1.0 - u - v) * a[0][i] + u * a[1][i] + v * a[2][i]);
    let offsets = triangle_in_cube(rng);
    // Moves the mean of the offsets towards zero; a third of the way gives about half touching pairs.
    let back: Point = std::array::from_fn(|i| -0.1 * offsets.iter().map(|o| o[i]).sum::<f64>());
    (a, offsets.map(|offset| plus(centre, plus(offset, back))))
}

/// All corners on a small integer grid, where degenerate cases are frequent.
pub(super) fn grid(rng: &mut Rng, size: i32) -> Pair {
    ([0; 3].map(|_| on_grid(rng, size)), [0; 3].map(|_| on_grid(rng, size)))
}

/// A grid pair after a rotation in `f64`: nearly, but not exactly degenerate.
pub(super) fn rotated_grid(rng: &mut Rng) -> Pair {
    let pair = grid(rng, 2);
    rotated(rng, pair)
}

/// An exact contact after a rotation in `f64`.
pub(super) fn rotated_contact(rng: &mut Rng) -> Pair {
    let make = [
        contact::shared_edge,
        contact::vertex_on_face,
        contact::vertex_on_edge,
        contact::edges_crossing,
    ][rng.below(4) as usize];
    let pair = make(rng);
    rotated(rng, pair)
}

/// Small triangles far from the origin, so that their coordinates are coarse.
pub(super) fn far(rng: &mut Rng) -> Pair {
    // One ulp at 1e8 is 1.5e-8: the smallest of these triangles span a handful of ulps.
    let size = [1e-7, 1e-6, 1e-5, 1e-3, 1.0][rng.below(5) as usize];
    let place = times([0; 3].map(|_| if rng.one_in(2) { -1.0 } else { 1.0 }), 1e8);
    let pair = if rng.one_in(2) {
        close(rng)
    } else {
        let a = coarse_triangle(rng);
        let tip = on_face(rng, &a);
        let scale = 1.0 / a.as_flattened().iter().fold(1.0_f64, |m, c| m.max(c.abs()));
        map((a, [tip, plus(tip, in_cube(rng)), plus(tip, in_cube(rng))]), |p| times(p, scale))
    };
    map(pair, |point| plus(place, times(point, size)))
}

/// Rotates about a random axis through the origin, with rounding errors.
fn rotated(rng: &mut Rng, pair: Pair) -> Pair {
    // A random unit quaternion; its distribution does not matter. Basic operations and square
    // roots round alike on every machine, unlike sines.
    let q = [0; 4].map(|_| rng.signed() + 1e-3);
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|c| c / length);
    let rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    map(pair, |p| rows.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]))
}

//! Coordinates at the limits of `f64`, and of very different magnitudes.

use super::shape::{
    coarse_triangle, map, nudge, offset, on_face, on_grid, plus, power_of_two, times,
};
use super::{Pair, Rng, contact, general};

/// Close pairs with coordinates of about 1e100.
pub(super) fn huge(rng: &mut Rng) -> Pair {
    map(general::close(rng), |point| times(point, 1e100))
}

/// Around 1e99, with differences of a few ulps.
pub(super) fn huge_close_together(rng: &mut Rng) -> Pair {
    around(rng, 1e99)
}

/// Coordinates around 1e300: with differences of a few ulps, or as after a large translation.
pub(super) fn huge_translated(rng: &mut Rng) -> Pair {
    if rng.one_in(2) {
        return around(rng, 1e300);
    }
    // 1e300 is about 2^996.6, so an ulp there is 2^944.
    let size = power_of_two(rng.int(944, 993));
    map(general::close(rng), |point| plus(times(point, size), [1e300; 3]))
}

/// Near `f64::MAX`, where sums and differences of coordinates overflow.
pub(super) fn largest(rng: &mut Rng) -> Pair {
    if rng.one_in(2) {
        return around(rng, f64::MAX * 0.75);
    }
    let mut corner = || [0; 3].map(|_| f64::MAX * rng.signed());
    ([0; 3].map(|_| corner()), [0; 3].map(|_| corner()))
}

/// Close pairs and moved contacts, of a size of 1e-100, 1e-150 or 1e-300.
pub(super) fn tiny(rng: &mut Rng) -> Pair {
    let factor = [1e-100, 1e-150, 1e-300][rng.below(3) as usize];
    let pair = match rng.below(3) {
        0 => contact::moved(rng, contact::edges_crossing),
        1 => general::grid(rng, 2),
        _ => general::close(rng),
    };
    map(pair, |point| times(point, factor))
}

/// A grid of multiples of the smallest positive number.
pub(super) fn denormal(rng: &mut Rng) -> Pair {
    let size = [2, 8, 1000, 1_000_000][rng.below(4) as usize];
    map(general::grid(rng, size), |point| times(point, f64::from_bits(1)))
}

/// A corner on a face, exactly or up to a few ulps, with denormal coordinates.
pub(super) fn denormal_contact_moved(rng: &mut Rng) -> Pair {
    // Multiples of 256, so that points of the face are integers, times the smallest number.
    let a = coarse_triangle(rng).map(|corner| times(corner, 256.0));
    let reach = a.as_flattened().iter().fold(1.0_f64, |m, c| m.max(c.abs()));
    let tip = on_face(rng, &a);
    let away = offset(rng, reach);
    let rest = [0; 2].map(|_| plus(plus(tip, away), offset(rng, 0.5 * reach)));
    let whole = |point: [f64; 3]| times(point.map(f64::round), f64::from_bits(1));
    let (mut a, mut b) = map((a, [tip, rest[0], rest[1]]), whole);
    if !rng.one_in(4) {
        let moved = if rng.one_in(2) { &mut a } else { &mut b };
        nudge(rng, moved);
    }
    (a, b)
}

/// Coordinates of different magnitudes: `±1.… * 2^e` with `e` from `low..=high`.
pub(super) fn mixed_exponents(rng: &mut Rng, low: i32, high: i32) -> Pair {
    let mut corner = || {
        [0; 3].map(|_| {
            let mantissa = (1.0 + rng.unit()) * if rng.one_in(2) { -1.0 } else { 1.0 };
            let exponent = rng.int(low, high);
            mantissa * power_of_two(exponent)
        })
    };
    let a = [0; 3].map(|_| corner());
    let mut b = [0; 3].map(|_| corner());
    // Such triangles seldom touch, so some share a corner, and some of those are moved.
    if rng.one_in(2) {
        b[0] = a[0];
        if rng.one_in(2) {
            nudge(rng, &mut b);
        }
    }
    (a, b)
}

/// A grid pair with the last place of `centre` as the unit, around a point with coordinates
/// `±centre`.
fn around(rng: &mut Rng, centre: f64) -> Pair {
    let ulp = centre.next_up() - centre;
    let place = [0; 3].map(|_| if rng.one_in(2) { centre } else { -centre });
    let size = [2, 8, 1000][rng.below(3) as usize];
    let mut corner = || plus(place, times(on_grid(rng, size), ulp));
    ([0; 3].map(|_| corner()), [0; 3].map(|_| corner()))
}

//! Compares distances of triangles with exact fractions, computed by another method.
//!
//! `IMPINGE_PAIRS` sets how many pairs each family contributes (default 4,000).

use impinge::glam::DVec3;
use impinge::narrow::{triangles_distance, triangles_intersect, triangles_within};
use impinge_oracle::cases::{Rng, families};
use impinge_oracle::closest_distance_squared;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Corners = [[f64; 3]; 3];

fn pairs_per_family() -> u64 {
    match std::env::var("IMPINGE_PAIRS") {
        Ok(count) => count.parse().expect("IMPINGE_PAIRS is a number of pairs"),
        Err(_) => 4_000,
    }
}

fn points(t: &Corners) -> [DVec3; 3] {
    t.map(DVec3::from_array)
}

/// Checks a pair in both orders. Returns whether the triangles are apart.
fn check(label: &str, a: &Corners, b: &Corners) -> bool {
    let expected = closest_distance_squared(a, b);
    let (p, q) = (points(a), points(b));
    for (p, q) in [(p, q), (q, p)] {
        let closest = triangles_distance(&p, &q);
        let place = format!("{label}: {p:?} {q:?}: {closest:?}");
        let is_zero = closest.distance == 0.0;
        assert_eq!(is_zero, triangles_intersect(&p, &q), "{place}");
        if closest.distance == f64::INFINITY {
            assert!(!expected.is_near(f64::MAX), "{place}");
        } else {
            assert!(expected.is_near(closest.distance), "{place}");
        }
        // The closest points are rounded. Each lies in its triangle's box, and their distance is
        // right
        // up to a few units in the last place of the coordinates.
        let size = p.iter().chain(&q).fold(0.0f64, |m, c| m.max(c.abs().max_element()));
        let apart = (closest.a * 0.25).distance(closest.b * 0.25) * 4.0;
        if (1e-140..1e140).contains(&size) {
            let off = (apart - closest.distance).abs();
            assert!(off <= 1e-14 * size, "{place}: the points are {apart:e} apart");
        }
        for (point, t) in [(closest.a, p), (closest.b, q)] {
            let (min, max) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
            // A shared point may be rounded out of the box.
            let slack = if is_zero { DVec3::splat(1e-15 * size + 2e-323) } else { DVec3::ZERO };
            assert!(point.cmpge(min - slack).all() && point.cmple(max + slack).all(), "{place}");
        }
        assert!(triangles_within(&p, &q, closest.distance), "{place}");
        assert_eq!(triangles_within(&p, &q, 0.0), is_zero, "{place}");
        if closest.distance >= f64::MIN_POSITIVE && closest.distance.is_finite() {
            assert!(triangles_within(&p, &q, closest.distance * (1.0 + 1e-11)), "{place}");
            assert!(!triangles_within(&p, &q, closest.distance * (1.0 - 1e-11)), "{place}");
        }
        assert!(!triangles_within(&p, &q, -1.0) && !triangles_within(&p, &q, f64::NAN));
    }
    !expected.is_zero()
}

#[test]
fn distances_are_right_in_every_family_of_hard_cases() {
    let apart = AtomicUsize::new(0);
    for family in families() {
        // Coordinates of two thousand bits are slow to square.
        let count = pairs_per_family() / if family.name == "mixed-exponents" { 8 } else { 1 };
        (0..count).into_par_iter().for_each(|seed| {
            let (a, b) = family.pair(seed);
            let is_apart = check(&format!("{} seed {seed}", family.name), &a, &b);
            apart.fetch_add(usize::from(is_apart), Relaxed);
        });
    }
    let apart = apart.into_inner() as u64;
    assert!(apart > 10 * pairs_per_family(), "too few pairs are apart: {apart}");
}

fn vector(rng: &mut Rng) -> DVec3 {
    DVec3::new(rng.signed(), rng.signed(), rng.signed())
}

fn power(rng: &mut Rng, low: i32, high: i32) -> f64 {
    10f64.powi(rng.int(low, high))
}

/// Two triangles with two features a small gap apart; all other features are farther apart.
fn near_miss(rng: &mut Rng) -> [[DVec3; 3]; 2] {
    let gap = power(rng, -18, -1);
    let up = vector(rng).normalize();
    let (x, y) = up.any_orthonormal_pair();
    let flat = |rng: &mut Rng| x * rng.signed() + y * rng.signed();
    // Some rise from the plane, some lie in it, some nearly lie in it.
    let rise = |rng: &mut Rng| match rng.below(3) {
        0 => 0.0,
        1 => rng.unit(),
        _ => rng.unit() * power(rng, -16, -1),
    };
    let [s, t] = match rng.below(4) {
        // A corner above a face.
        0 => {
            let (p, q) = (flat(rng), flat(rng));
            let above = up * gap;
            let rest = [0; 2].map(|_| above + flat(rng) + up * rise(rng));
            [[p, q, -p - q], [above, rest[0], rest[1]]]
        }
        // Two edges at any angle, down to nearly parallel.
        1 => {
            let u = flat(rng);
            let v = u * rng.signed() + flat(rng) * power(rng, -17, 0);
            let above = up * gap;
            let (below, top) = (flat(rng) - up * rise(rng), flat(rng) + up * rise(rng));
            [[-u, u, below], [above - v * rng.unit(), above + v * rng.unit(), above + top]]
        }
        // A corner beside an edge.
        2 => {
            let u = flat(rng);
            let side = up * gap;
            let rest = [0; 2].map(|_| side + flat(rng) + up * rise(rng));
            [[-u * rng.unit(), u, flat(rng) - up * rise(rng)], [side, rest[0], rest[1]]]
        }
        // Two corners.
        _ => {
            let corner = |rng: &mut Rng| flat(rng) + up * rise(rng);
            let s = [DVec3::ZERO, -corner(rng), -corner(rng)];
            [s, [0, 1, 2].map(|i| up * gap + if i == 0 { DVec3::ZERO } else { corner(rng) })]
        }
    };
    // Sometimes squeezed to a sliver or needle, and moved away from the origin.
    let squeeze = if rng.one_in(3) { power(rng, -15, -1) } else { 1.0 };
    let shape = |p: DVec3| p + x * (p.dot(x) * (squeeze - 1.0));
    let far = if rng.one_in(3) { vector(rng) * power(rng, 0, 15) } else { DVec3::ZERO };
    let unit = if rng.one_in(4) { power(rng, -200, 100) } else { 1.0 };
    [s, t].map(|t| t.map(|p| (shape(p) + far) * unit))
}

#[test]
fn distances_of_near_misses_are_right() {
    let apart = AtomicUsize::new(0);
    let count = 20 * pairs_per_family();
    (0..count).into_par_iter().for_each(|seed| {
        let pair = near_miss(&mut Rng::new(seed));
        let [a, b] = pair.map(|t| t.map(|corner| corner.to_array()));
        let is_apart = check(&format!("near miss, seed {seed}"), &a, &b);
        apart.fetch_add(usize::from(is_apart), Relaxed);
    });
    let apart = apart.into_inner() as u64;
    assert!(apart * 2 > count, "too few pairs are apart: {apart} of {count}");
}

/// A triangle of any size: thin, a segment or a point, or with equal coordinates.
fn any_triangle(rng: &mut Rng, unit: f64) -> [DVec3; 3] {
    let corners = [vector(rng), vector(rng), vector(rng)];
    let [p, q, r] = match rng.below(6) {
        0 => [corners[0], corners[1], corners[1]],
        1 => [corners[0]; 3],
        2 => [corners[0], corners[1], corners[0] + (corners[1] - corners[0]) * rng.unit()],
        3 => corners.map(|p| (p * 2.0).round() * 0.5),
        _ => corners,
    };
    [p, q, r].map(|p| p * unit)
}

/// Distance and points are the same bits for any order of triangles and corners.
#[test]
fn the_order_of_corners_does_not_change_a_distance() {
    const ORDERS: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let count = 2 * pairs_per_family();
    (0..count).into_par_iter().for_each(|seed| {
        let mut rng = Rng::new(seed);
        let [a, b] = if rng.one_in(2) {
            near_miss(&mut rng)
        } else {
            let unit = if rng.one_in(2) { 1.0 } else { power(&mut rng, -320, 100) };
            let other = unit * if rng.one_in(4) { power(&mut rng, -20, 20) } else { 1.0 };
            let away = vector(&mut rng) * unit * 2.0;
            let b = any_triangle(&mut rng, other).map(|p| p + away);
            [any_triangle(&mut rng, unit), b]
        };
        let expected = triangles_distance(&a, &b);
        let limits = [-8, -1, 0, 1, 8].map(|ulps: i64| {
            let bits = expected.distance.to_bits().saturating_add_signed(ulps);
            if expected.distance == 0.0 { 0.0 } else { f64::from_bits(bits) }
        });
        let within = limits.map(|d| triangles_within(&a, &b, d));
        for i in ORDERS {
            for j in ORDERS {
                let (p, q) = (i.map(|i| a[i]), j.map(|j| b[j]));
                let place = format!("seed {seed}, {i:?} {j:?}: {a:?} {b:?}");
                let (one, other) = (triangles_distance(&p, &q), triangles_distance(&q, &p));
                assert_eq!(one.distance.to_bits(), expected.distance.to_bits(), "{place}");
                assert_eq!(other.distance.to_bits(), expected.distance.to_bits(), "{place}");
                assert_eq!((one.a, one.b), (expected.a, expected.b), "{place}");
                assert_eq!((other.b, other.a), (expected.a, expected.b), "{place}");
                assert_eq!(limits.map(|d| triangles_within(&p, &q, d)), within, "{place}");
                assert_eq!(limits.map(|d| triangles_within(&q, &p, d)), within, "{place}");
            }
        }
    });
}

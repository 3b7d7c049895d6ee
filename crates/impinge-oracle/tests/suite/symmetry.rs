//! Changes that must not affect an answer: permutations, mirrorings and exact scalings.

use impinge_oracle::cases::{self, Pair, Rng};
use impinge_oracle::{
    Triangle, is_degenerate, meet_dimension, orient2d_sign, orient3d_sign, triangles_touch,
};

fn map(pair: Pair, f: impl Fn([f64; 3]) -> [f64; 3]) -> Pair {
    (pair.0.map(&f), pair.1.map(&f))
}

/// The same pair, or a mirror image of it, in equivalent forms. None of the changes rounds.
fn retold((a, b): Pair) -> Vec<(&'static str, Pair)> {
    let mut list = vec![
        ("swapped", (b, a)),
        ("corners of a turned", ([a[1], a[2], a[0]], b)),
        ("corners of b turned", (a, [b[1], b[2], b[0]])),
        ("corners of both flipped", ([a[1], a[0], a[2]], [b[0], b[2], b[1]])),
        ("axes turned", map((a, b), |[x, y, z]| [y, z, x])),
        ("axes flipped", map((a, b), |[x, y, z]| [y, x, z])),
        ("x negated", map((a, b), |[x, y, z]| [-x, y, z])),
        ("all negated", map((a, b), |p| p.map(|c| -c))),
    ];
    let scalings = [
        ("scaled up", [16.0; 3]),
        ("scaled down", [0.25; 3]),
        ("scaled by axis", [2.0_f64.powi(30), 1.0, 2.0_f64.powi(-30)]),
    ];
    for (what, factors) in scalings {
        let scaled = map((a, b), |p| std::array::from_fn(|axis| p[axis] * factors[axis]));
        let back = map(scaled, |p| std::array::from_fn(|axis| p[axis] / factors[axis]));
        // At the limits of the range a scaling overflows or loses bits, so it is skipped.
        let is_finite = |t: &Triangle| t.as_flattened().iter().all(|c| c.is_finite());
        if back == (a, b) && is_finite(&scaled.0) && is_finite(&scaled.1) {
            list.push((what, scaled));
        }
    }
    list
}

#[test]
fn touching_is_symmetric() {
    for family in cases::families() {
        for seed in 0..500 {
            let pair = family.pair(seed);
            let expected = triangles_touch(&pair.0, &pair.1);
            for (what, (a, b)) in retold(pair) {
                assert_eq!(triangles_touch(&a, &b), expected, "{}, {seed}: {what}", family.name);
            }
        }
    }
}

#[test]
fn dimensions_are_symmetric() {
    for family in cases::families() {
        for seed in 0..if family.name.starts_with("mixed") { 20 } else { 100 } {
            let pair = family.pair(seed);
            let expected = meet_dimension(&pair.0, &pair.1);
            for (what, (a, b)) in retold(pair) {
                assert_eq!(meet_dimension(&a, &b), expected, "{}, {seed}: {what}", family.name);
            }
        }
    }
}

/// The common part of a triangle with itself is the triangle: a polygon, or a segment or point if it is degenerate.
#[test]
fn a_triangle_meets_itself_in_itself() {
    let mut degenerate = 0;
    for family in cases::families() {
        for seed in 0..50 {
            let (a, _) = family.pair(seed);
            let dimension = meet_dimension(&a, &a);
            assert_eq!(dimension < Some(2), is_degenerate(&a), "{}, {seed}", family.name);
            degenerate += usize::from(is_degenerate(&a));
        }
    }
    assert!(degenerate > 50, "too few degenerate triangles: {degenerate}");
}

/// Small integers, where the determinants can be written out in `i64`.
#[test]
fn orientations_of_small_integers() {
    let mut rng = Rng::new(3);
    let mut zeros = 0;
    for _ in 0..50_000 {
        let p = [0; 4].map(|_| [0; 3].map(|_| i64::from(rng.int(-4, 4))));
        let [u, v, w] = [0, 1, 2].map(|i| [0, 1, 2].map(|axis| p[i][axis] - p[3][axis]));
        let det = u[0] * v[1] * w[2] + u[1] * v[2] * w[0] + u[2] * v[0] * w[1]
            - u[2] * v[1] * w[0]
            - u[1] * v[0] * w[2]
            - u[0] * v[2] * w[1];
        let [a, b, c, d] = p.map(|point| point.map(|coordinate| coordinate as f64));
        assert_eq!(i64::from(orient3d_sign(a, b, c, d)), det.signum(), "{p:?}");
        let flat = u[0] * v[1] - u[1] * v[0];
        let [a, b, d] = [a, b, d].map(|[x, y, _]| [x, y]);
        assert_eq!(i64::from(orient2d_sign(a, b, d)), flat.signum(), "{p:?}");
        zeros += usize::from(det == 0);
    }
    assert!(zeros > 1_000, "too few coplanar points: {zeros}");
}

/// Swapping two points changes the sign, whatever the size of the coordinates.
#[test]
fn orientations_are_antisymmetric() {
    for family in cases::families() {
        for seed in 0..200 {
            let ([a, b, c], [d, ..]) = family.pair(seed);
            let sign = orient3d_sign(a, b, c, d);
            assert_eq!(orient3d_sign(b, c, a, d), sign, "{}, {seed}", family.name);
            assert_eq!(orient3d_sign(b, a, c, d), -sign, "{}, {seed}", family.name);
            assert_eq!(orient3d_sign(d, b, c, a), -sign, "{}, {seed}", family.name);
            let [a, b, c] = [a, b, c].map(|[x, y, _]| [x, y]);
            let sign = orient2d_sign(a, b, c);
            assert_eq!(orient2d_sign(b, c, a), sign, "{}, {seed}", family.name);
            assert_eq!(orient2d_sign(b, a, c), -sign, "{}, {seed}", family.name);
        }
    }
}

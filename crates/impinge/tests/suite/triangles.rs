//! Compares the exact test with an oracle that shares neither code nor method with it.
//!
//! `IMPINGE_PAIRS` sets how many pairs each family contributes (default 60,000).

use impinge::Bounds;
use impinge::glam::DVec3;
use impinge::narrow::{Meeting, TriangleTest, triangles_intersect, triangles_meet};
use impinge_oracle::cases::{Family, families};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Corners = [[f64; 3]; 3];

fn pairs_per_family() -> u64 {
    match std::env::var("IMPINGE_PAIRS") {
        Ok(count) => count.parse().expect("IMPINGE_PAIRS is a number of pairs"),
        Err(_) => 60_000,
    }
}

fn points(t: &Corners) -> [DVec3; 3] {
    t.map(DVec3::from_array)
}

fn for_each_pair(count: u64, check: impl Fn(&Family, u64, &Corners, &Corners) + Sync) {
    for family in families() {
        (0..count).into_par_iter().for_each(|seed| {
            let (a, b) = family.pair(seed);
            check(family, seed, &a, &b);
        });
    }
}

#[test]
fn every_decision_agrees_with_the_oracle() {
    let (decided, touching) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each_pair(pairs_per_family(), |family, seed, a, b| {
        let expected = impinge_oracle::triangles_touch(a, b);
        let (p, q) = (points(a), points(b));
        let found = triangles_intersect(&p, &q);
        assert_eq!(found, expected, "{}, seed {seed}: {a:?} {b:?}", family.name);
        assert_eq!(triangles_intersect(&q, &p), expected, "swapped: {}, seed {seed}", family.name);
        let mut bounds = Bounds::enclosing(p.into_iter().chain(q));
        let close = TriangleTest::within(&bounds).intersects(&p, &q);
        assert_eq!(close, expected, "close bounds: {}, seed {seed}", family.name);
        bounds.max += bounds.size() * 1e3;
        let wide = TriangleTest::within(&bounds).intersects(&p, &q);
        assert_eq!(wide, expected, "wide bounds: {}, seed {seed}", family.name);
        decided.fetch_add(1, Relaxed);
        touching.fetch_add(usize::from(expected), Relaxed);
    });
    let (decided, touching) = (decided.into_inner(), touching.into_inner());
    println!("{decided} pairs decided, {touching} of them touching, none differently");
    assert!(
        touching * 5 > decided && touching * 5 < decided * 4,
        "unbalanced: {touching} of {decided} pairs touch"
    );
}

#[test]
fn neither_the_order_of_corners_nor_of_axes_matters() {
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for_each_pair(300, |family, seed, a, b| {
        let (p, q) = (points(a), points(b));
        let expected = triangles_intersect(&p, &q);
        for order in orders {
            let turned = order.map(|i| p[i]);
            let place = format!("{}, seed {seed}, {order:?}", family.name);
            assert_eq!(triangles_intersect(&turned, &q), expected, "corners: {place}");
            let axes = |t: &Corners| t.map(|c| DVec3::from_array(order.map(|i| c[i])));
            assert_eq!(triangles_intersect(&axes(a), &axes(b)), expected, "axes: {place}");
            let mirrored = |t: &Corners| t.map(|c| -DVec3::from_array(c));
            assert_eq!(triangles_intersect(&mirrored(a), &mirrored(b)), expected, "{place}");
        }
    });
}

#[test]
fn the_intersection_has_the_right_dimension() {
    let kinds = [const { AtomicUsize::new(0) }; 4];
    for_each_pair(pairs_per_family() / 20, |family, seed, a, b| {
        let expected = impinge_oracle::meet_dimension(a, b);
        let meeting = triangles_meet(&points(a), &points(b));
        let found = meeting.map(|meeting| match meeting {
            Meeting::Point(_) => 0,
            Meeting::Segment(_) => 1,
            _ => 2,
        });
        assert_eq!(found, expected, "{}, seed {seed}: {a:?} {b:?}", family.name);
        kinds[expected.map_or(3, |dimension| dimension)].fetch_add(1, Relaxed);
        for point in meeting.iter().flat_map(|meeting| meeting.iter()) {
            assert!(point.is_finite(), "{}, seed {seed}: {meeting:?}", family.name);
        }
    });
    let kinds = kinds.map(AtomicUsize::into_inner);
    println!("points, segments, polygons, apart: {kinds:?}");
    let enough = (pairs_per_family() / 40).min(1_000) as usize;
    assert!(kinds.iter().all(|&count| count >= enough), "too few cases of one kind: {kinds:?}");
}

/// The reported points lie in both triangles, up to rounding.
#[test]
fn points_of_the_intersection_lie_in_both_triangles() {
    let checked = AtomicUsize::new(0);
    for_each_pair(2_000, |family, seed, a, b| {
        let (p, q) = (points(a), points(b));
        let size = p.iter().chain(&q).fold(0.0f64, |m, c| m.max(c.abs().max_element()));
        if !(1e-50..1e50).contains(&size) {
            return; // the distance below is plain floating point
        }
        for &point in triangles_meet(&p, &q).iter().flat_map(|meeting| meeting.iter()) {
            for t in [&p, &q] {
                let distance = distance_to_triangle(point, t);
                assert!(
                    distance <= 1e-14 * size,
                    "{}, seed {seed}: {point} is {distance:e} from {t:?}",
                    family.name
                );
            }
            checked.fetch_add(1, Relaxed);
        }
    });
    assert!(checked.into_inner() > 20_000);
}

/// The corners of a polygon go around it once, even for small polygons far from the origin.
#[test]
fn corners_of_polygons_are_in_order() {
    let a = [[6.0, 6.0], [3.0, 5.0], [0.0, 2.0]];
    let b = [[5.0, 2.0], [0.0, 4.0], [2.0, 1.0]];
    for offset in [0.0, 1e6, f64::from(1 << 30), 2f64.powi(51)] {
        let placed = |t: [[f64; 2]; 3]| t.map(|[x, y]| DVec3::new(x, y, 0.0) + offset);
        let meeting = triangles_meet(&placed(a), &placed(b)).expect("they overlap");
        let corners: Vec<DVec3> = meeting.iter().map(|corner| *corner - offset).collect();
        let turns = (0..corners.len()).map(|i| {
            let [p, q, r] = [0, 1, 2].map(|k| corners[(i + k) % corners.len()]);
            (q - p).cross(r - q).z
        });
        assert!(corners.len() > 3 && turns.into_iter().all(|turn| turn >= 0.0), "{corners:?}");
    }
}

/// The distance from a point to a triangle. It searches over the sections parallel to one edge,
/// across
/// which the distance is convex. Slow, but right for slivers and needles, whose normals are lost to
/// rounding.
fn distance_to_triangle(p: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let to_segment = |s: DVec3, e: DVec3| {
        let along = e - s;
        let t = (p - s).dot(along) / along.length_squared();
        p.distance(s + along * if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 })
    };
    let distance = |t: f64| to_segment(a * (1.0 - t) + b * t, a * (1.0 - t) + c * t);
    let (mut low, mut high) = (0.0, 1.0);
    let mut least = distance(low).min(distance(high));
    for _ in 0..120 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        least = least.min(distance(left)).min(distance(right));
        if distance(left) < distance(right) { high = right } else { low = left }
    }
    least
}

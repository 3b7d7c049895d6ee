use super::*;
use std::time::Instant;

fn split(points: &[DVec3]) -> Vec<[u32; 3]> {
    let corners: Vec<u32> = (0..points.len() as u32).collect();
    let mut out = vec![[7; 3]];
    triangulate(&corners, points, &mut out);
    assert_eq!(out.remove(0), [7; 3], "earlier triangles are kept");
    assert_eq!(out.len(), points.len() - 2);
    out
}

fn fan(n: u32) -> Vec<[u32; 3]> {
    (1..n - 1).map(|i| [0, i, i + 1]).collect()
}

fn flat(points: &[(f64, f64)]) -> Vec<DVec3> {
    points.iter().map(|&(x, y)| DVec3::new(x, y, 0.0)).collect()
}

/// Splits the polygon in several orientations, from every start corner, from both sides: the areas
/// must all be positive and add up, which overlapping triangles of a simple polygon cannot.
fn splits_cleanly(points: &[DVec3]) {
    let turn = glam::DMat3::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -2.0);
    for start in 0..points.len() {
        for place in [DVec3::ZERO, DVec3::new(100.0, -20.0, 3.0)] {
            let mut points: Vec<_> = points.iter().map(|&p| turn * p + place).collect();
            points.rotate_left(start);
            for _ in 0..2 {
                let area = |[a, b, c]: [u32; 3]| {
                    let [a, b, c] = [a, b, c].map(|i| points[i as usize]);
                    (b - a).cross(c - a)
                };
                let whole: DVec3 = fan(points.len() as u32).into_iter().map(area).sum();
                for triangle in split(&points) {
                    let share = area(triangle).dot(whole) / whole.length_squared();
                    assert!(share > -1e-9, "{triangle:?} of {points:?} started at {start}");
                }
                points.reverse();
            }
        }
    }
}

#[test]
fn convex_polygons_are_fanned() {
    for n in 3..40 {
        let angle = |i: u32| f64::from(i) / f64::from(n) * std::f64::consts::TAU;
        let points: Vec<_> =
            (0..n).map(|i| DVec3::new(angle(i).sin(), angle(i).cos(), 0.1)).collect();
        assert_eq!(split(&points), fan(n));
    }
    // Nearly collinear corners: decimal rounding moved them off the line.
    let square = [(0.1, 0.1), (0.2, 0.1), (0.3, 0.1), (0.7, 0.1), (0.7, 0.7), (0.1, 0.7)];
    assert_eq!(split(&flat(&square)), fan(6));
    // Concave, but the fan from its first corner is valid.
    assert_eq!(split(&flat(&[(0.0, 0.0), (4.0, 0.0), (1.0, 1.0), (0.0, 4.0)])), fan(4));
}

#[test]
fn concave_polygons_are_cut_cleanly() {
    let dart = [(4.0, 0.0), (1.0, 1.0), (0.0, 4.0), (0.0, 0.0)];
    splits_cleanly(&flat(&dart));
    let letter_u = [
        (0.0, 0.0),
        (1.0, 0.0),
        (3.0, 0.0),
        (3.0, 3.0),
        (2.0, 3.0),
        (2.0, 2.0),
        (2.0, 1.0),
        (1.0, 1.0),
        (1.0, 3.0),
        (0.0, 3.0),
        (0.0, 1.5),
    ];
    splits_cleanly(&flat(&letter_u));
    let wheel = |teeth: u32| -> Vec<DVec3> {
        let point = |i: u32| {
            let angle = f64::from(i) / f64::from(teeth * 4) * std::f64::consts::TAU;
            let radius = if i % 4 < 2 { 10.0 } else { 9.0 };
            DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
        };
        (0..teeth * 4).map(point).collect()
    };
    splits_cleanly(&wheel(12));
    let spiral: Vec<(f64, f64)> = (0..60)
        .map(|i| (f64::from(i) * 0.3, 1.0 + f64::from(i) * 0.1))
        .chain((0..60).rev().map(|i| (f64::from(i) * 0.3, 1.1 + f64::from(i) * 0.1)))
        .map(|(angle, radius)| (radius * angle.cos(), radius * angle.sin()))
        .collect();
    splits_cleanly(&flat(&spiral));
    // A large polygon, and polygons at both ends of the number range.
    for scale in [1e-300, 1e99] {
        let points: Vec<_> = wheel(2000).iter().map(|&p| p * scale).collect();
        assert!(split(&points) != fan(8000), "scale {scale:e}");
    }
}

#[test]
fn a_hole_joined_by_a_bridge_stays_a_hole() {
    let outer = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0), (0.0, 0.0)];
    let hole = [(3.0, 3.0), (3.0, 6.0), (6.0, 6.0), (6.0, 3.0), (3.0, 3.0)];
    let points = flat(&[&outer[..], &hole[..]].concat());
    splits_cleanly(&points);
    let centre = DVec2::new(4.6, 4.3);
    for triangle in split(&points) {
        let [a, b, c] = triangle.map(|i| points[i as usize].truncate());
        let inside = side(a, b, centre) > 0.0 && side(b, c, centre) > 0.0;
        assert!(!(inside && side(c, a, centre) > 0.0), "{triangle:?} covers the hole");
    }
}

#[test]
fn invalid_polygons_become_fans() {
    let bow_tie = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)];
    assert_eq!(split(&flat(&bow_tie)), fan(4));
    let line = [(0.0, 0.0), (1.0, 1.0), (5.0, 5.0), (2.0, 2.0), (-1.0, -1.0)];
    assert_eq!(split(&flat(&line)), fan(5));
    assert_eq!(split(&[DVec3::splat(3.0); 6]), fan(6));
    let mut out = Vec::new();
    triangulate(&[0, 9, 1, u32::MAX], &[DVec3::ZERO; 2], &mut out);
    assert_eq!(out, [[0, 9, 1], [0, 1, u32::MAX]], "`Mesh::new` will refuse the index");
    triangulate(&[], &[], &mut out);
    assert_eq!(out.len(), 2);
}

#[test]
fn hostile_polygons_take_bounded_time() {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64
    };
    let tangle: Vec<_> = (0..1000).map(|_| DVec3::new(random(), random(), 0.0)).collect();
    let zigzag: Vec<_> =
        (0..2_000_000).map(|i| DVec3::new(f64::from(i), f64::from(i % 2) * 1e6, 0.0)).collect();
    let start = Instant::now();
    for _ in 0..100 {
        split(&tangle);
    }
    assert!(split(&zigzag) == fan(2_000_000));
    split(&zigzag[..MAX_CORNERS]);
    // A generous limit: the test guards against minutes and does not measure.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

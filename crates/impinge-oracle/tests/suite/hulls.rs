//! Distances and penetration depths of hulls, by arguments that share nothing with how they are computed.

use dashu_int::IBig;
use impinge_oracle::{
    SquaredDistance,
    cases::{self, HullRelation, Rng},
    closest_distance_squared, hull_distance, hull_penetration, hulls_touch,
};

type Point = [f64; 3];

fn is_equal(p: &SquaredDistance, q: &SquaredDistance) -> bool {
    let (up, down) = match p.exponent - q.exponent {
        up @ 0.. => (up as usize, 0),
        down => (0, down.unsigned_abs() as usize),
    };
    (&p.numerator * &q.denominator) << (2 * up) == (&q.numerator * &p.denominator) << (2 * down)
}

fn square(value: i64) -> SquaredDistance {
    SquaredDistance { numerator: IBig::from(value), denominator: IBig::ONE, exponent: 0 }
}

fn minus(p: Point, q: Point) -> Point {
    std::array::from_fn(|axis| p[axis] - q[axis])
}

fn dot(p: Point, q: Point) -> f64 {
    (0..3).map(|axis| p[axis] * q[axis]).sum()
}

/// Triangles have an oracle of their own, which tries all pairs of features.
#[test]
fn triangles_agree_with_their_own_oracle() {
    for family in cases::families() {
        for seed in 0..150 {
            let (a, b) = family.pair(seed);
            let found = hull_distance(&a, &b);
            let expected = closest_distance_squared(&a, &b);
            assert!(is_equal(&found.squared, &expected), "{}, seed {seed}", family.name);
            if expected.is_zero() {
                assert_eq!(found.distance, 0.0, "{}, seed {seed}", family.name);
            } else if found.distance.is_finite() {
                // Less than half the smallest `f64` rounds to zero.
                let distance = found.distance.max(f64::from_bits(1));
                assert!(expected.is_near(distance), "{}, seed {seed}", family.name);
            }
        }
    }
}

/// For boxes along the axes, gaps and overlaps of the axes tell everything.
#[test]
fn boxes_have_closed_forms() {
    let family = cases::hull_families().iter().find(|family| family.name == "boxes").unwrap();
    let mut seen = [0; 3];
    for seed in 0..400 {
        let [a, b] = family.pair(seed);
        let range = |points: &[Point], axis: usize| {
            let values = points.iter().map(|point| point[axis] as i64);
            (values.clone().min().unwrap(), values.max().unwrap())
        };
        let ranges = [0, 1, 2].map(|axis| (range(&a, axis), range(&b, axis)));
        let gap = ranges.map(|((al, ah), (bl, bh))| (bl - ah).max(al - bh));
        let apart: i64 = gap.iter().map(|gap| gap.max(&0).pow(2)).sum();
        let found = hull_distance(&a, &b);
        assert!(is_equal(&found.squared, &square(apart)), "seed {seed}");
        assert_eq!(found.distance, (apart as f64).sqrt(), "seed {seed}");
        // The closest points are the only ones if on each axis there is a gap, or just one common value.
        assert_eq!(found.is_unique, gap.iter().all(|gap| *gap >= 0), "seed {seed}");
        let depth = hull_penetration(&a, &b);
        assert_eq!(depth.is_some(), apart == 0, "seed {seed}");
        seen[usize::from(apart == 0) + usize::from(gap.iter().all(|gap| *gap < 0))] += 1;
        let Some(depth) = depth else { continue };
        // Along each axis, b leaves a upwards or downwards.
        let ways = ranges.map(|((al, ah), (bl, bh))| [ah - bl, bh - al]);
        let least = *ways.as_flattened().iter().min().unwrap();
        assert!(is_equal(&depth.squared, &square(least * least)), "seed {seed}");
        assert_eq!(depth.depth, least as f64, "seed {seed}");
        for (axis, [up, down]) in ways.into_iter().enumerate() {
            for (way, sign) in [(up, 1.0), (down, -1.0)] {
                let mut direction = [0.0; 3];
                direction[axis] = sign;
                let is_listed = depth.directions.contains(&direction);
                // At a depth of 0, slanted planes through a common edge or corner are as near.
                assert_eq!(is_listed, way == least, "seed {seed}, {direction:?}");
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 20), "apart, touching, overlapping: {seen:?}");
}

#[test]
fn families_keep_their_promises() {
    for family in cases::hull_families() {
        let mut answers = [0; 3];
        for seed in 0..40 {
            let [a, b] = family.pair(seed);
            let case = format!("{}, seed {seed}", family.name);
            assert!((1..=16).contains(&a.len()) && (1..=16).contains(&b.len()), "{case}");
            assert!(a.iter().chain(&b).flatten().all(|c| c.is_finite()), "{case}");
            let penetration = hull_penetration(&a, &b);
            let relation = match penetration.map(|found| found.squared.is_zero()) {
                None => HullRelation::Apart,
                Some(true) => HullRelation::Touching,
                Some(false) => HullRelation::Overlapping,
            };
            let is_free = family.relation == HullRelation::Any;
            assert!(is_free || family.relation == relation, "{case}: {relation:?}");
            answers[relation as usize - 1] += 1;
        }
        let kinds = answers.iter().filter(|count| **count > 0).count();
        let is_varied = family.relation != HullRelation::Any || kinds > 1;
        assert!(is_varied, "{}: apart, touching, overlapping {answers:?}", family.name);
    }
}

/// Six points of each set decide, by a linear program, whether the hulls of these share a point.
#[test]
fn a_linear_program_finds_the_same_common_points() {
    let mut touching = 0;
    for family in cases::hull_families() {
        for seed in 0..60 {
            let [a, b] = family
                .pair(seed)
                .map(|points| -> [Point; 6] { std::array::from_fn(|i| points[i % points.len()]) });
            let is_zero = hull_distance(&a, &b).squared.is_zero();
            assert_eq!(is_zero, hulls_touch(&a, &b), "{}, seed {seed}", family.name);
            touching += usize::from(is_zero);
        }
    }
    assert!((300..1_800).contains(&touching), "too few or too many touch: {touching}");
}

/// The points are as far apart as the distance, and the planes through them at right angles to their difference have the
/// hulls on their outer sides: together that proves that no points are closer. Up to rounding of the points.
#[test]
fn closest_points_prove_the_distance() {
    let mut proven = 0;
    for family in cases::hull_families() {
        for seed in 0..60 {
            let [a, b] = family.pair(seed);
            let found = hull_distance(&a, &b);
            let [p, q] = found.points;
            let size = a.iter().chain(&b).flatten().fold(0.0_f64, |size, c| size.max(c.abs()));
            let case = format!("{}, seed {seed}: {found:?}", family.name);
            let apart = minus(p, q);
            // Where squares neither overflow nor vanish.
            if !(1e-140..1e140).contains(&size) {
                continue;
            }
            let length = dot(apart, apart).sqrt();
            assert!((length - found.distance).abs() <= 1e-15 * 8.0 * size, "{case}");
            if found.distance < 1e-6 * size {
                continue;
            }
            let normal = apart.map(|c| c / length);
            let slack = 1e-8 * size;
            assert!(a.iter().all(|&point| dot(normal, minus(point, p)) >= -slack), "{case}");
            assert!(b.iter().all(|&point| dot(normal, minus(point, q)) <= slack), "{case}");
            proven += 1;
        }
    }
    assert!(proven > 500, "too few pairs are apart: {proven}");
}

/// Moved by the depth and a little more, hulls are apart; by a little less, they still overlap. And no other direction
/// is shorter.
#[test]
fn a_translation_by_the_depth_separates() {
    let mut checked = 0;
    for family in cases::hull_families() {
        for seed in 0..20 {
            let [a, b] = family.pair(seed);
            let Some(found) = hull_penetration(&a, &b) else { continue };
            let size = a.iter().chain(&b).flatten().fold(0.0_f64, |size, c| size.max(c.abs()));
            if !(1e-140..1e140).contains(&size) || found.depth < 1e-6 * size {
                continue;
            }
            let case = format!("{}, seed {seed}: {found:?}", family.name);
            let moved = |direction: Point, by: f64| -> Vec<Point> {
                b.iter()
                    .map(|p| std::array::from_fn(|axis| p[axis] + by * direction[axis]))
                    .collect()
            };
            let slack = 1e-12 * size;
            for &direction in &found.directions {
                assert!((dot(direction, direction) - 1.0).abs() < 1e-15 * 4.0, "{case}");
                let beyond = hull_distance(&a, &moved(direction, found.depth + slack));
                assert!(beyond.distance > 0.5 * slack && beyond.distance < 1.5 * slack, "{case}");
                let within = hull_distance(&a, &moved(direction, found.depth - slack));
                assert!(within.squared.is_zero(), "{case}");
            }
            let mut rng = Rng::new(seed);
            for _ in 0..5 {
                let direction = [0; 3].map(|_| rng.signed());
                let length = dot(direction, direction).sqrt();
                let direction = direction.map(|c| c / length);
                let other = hull_distance(&a, &moved(direction, found.depth - slack));
                assert!(other.squared.is_zero(), "{case}, {direction:?}");
            }
            checked += 1;
        }
    }
    assert!(checked > 150, "too few pairs overlap: {checked}");
}

/// Closest points that are the only ones, and others that are not.
#[test]
fn known_closest_points() {
    let cube = |low: Point| -> Vec<Point> {
        (0..8).map(|i| std::array::from_fn(|axis| low[axis] + f64::from(i >> axis & 1))).collect()
    };
    let unit = cube([0.0; 3]);
    let check = |what: &str, b: &[Point], squared: f64, is_unique: bool| {
        let found = hull_distance(&unit, b);
        assert_eq!((found.distance, found.is_unique), (f64::sqrt(squared), is_unique), "{what}");
        let swapped = hull_distance(b, &unit);
        assert_eq!(
            (swapped.distance, swapped.is_unique),
            (f64::sqrt(squared), is_unique),
            "{what}"
        );
        found.points
    };
    check("face over face", &cube([0.5, 0.5, 3.0]), 4.0, false);
    check("faces over each other along an edge", &cube([1.0, 0.5, 3.0]), 4.0, false);
    check("faces over each other in a corner", &cube([1.0, 1.0, 3.0]), 4.0, true);
    check("parallel edges", &cube([2.0, 0.5, 2.0]), 2.0, false);
    check("corner to corner", &cube([2.0, 2.0, 2.0]), 3.0, true);
    let tip = [[0.25, 0.5, 1.5], [0.0, 0.0, 4.0], [1.0, 0.0, 4.0], [0.0, 1.0, 4.0]];
    assert_eq!(check("tip over a face", &tip, 0.25, true), [[0.25, 0.5, 1.0], [0.25, 0.5, 1.5]]);
    let bar = [[2.0, 0.5, -3.0], [2.0, 0.5, -3.0], [2.0, 0.5, -2.0]];
    check("segment beside the cube", &bar, 5.0, true);
    check("segment along a face", &[[2.0, 0.5, -3.0], [2.0, 0.5, 3.0]], 1.0, false);
    check("segment across an edge", &[[2.0, 0.5, 3.0], [3.0, 0.5, 2.0]], 4.5, true);
    check("segment through the cube", &[[-1.0, 0.5, 0.5], [2.0, 0.5, 0.5]], 0.0, false);
    check("segment through a corner", &[[2.0, 0.0, 0.0], [0.0, 2.0, 2.0]], 0.0, true);
    check("a point inside", &[[0.5; 3]; 5], 0.0, true);
    check("a corner", &[[1.0; 3]], 0.0, true);
    check("the cube itself", &cube([0.0; 3]), 0.0, false);
}

/// The hulls of many points on two spheres: not closer than the spheres, and not further than the sagitta explains.
#[test]
fn spheres_of_points() {
    // Fibonacci points on the unit sphere.
    let sphere = |x: f64, count: u32| -> Vec<Point> {
        (0..count)
            .map(|i| {
                let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
                let (sin, cos) = (f64::from(i) * 2.399_963_229_728_653).sin_cos();
                let r = (1.0 - z * z).sqrt();
                [x + r * cos, r * sin, z]
            })
            .collect()
    };
    for apart in [2.0, 2.5, 4.0, 10.0] {
        let found = hull_distance(&sphere(0.0, 200), &sphere(apart, 200));
        let expected = apart - 2.0;
        // 200 points leave no gap of more than 0.2 radians from a point: a sagitta below 0.02 on each side.
        assert!(
            (expected - 1e-15..expected + 0.04).contains(&found.distance),
            "{apart}: {found:?}"
        );
    }
    let found = hull_penetration(&sphere(0.0, 16), &sphere(0.5, 16)).unwrap();
    assert!(found.depth < 1.5 && found.depth > 0.8, "{found:?}");
    // A point in the middle of the octahedron: the distance to a facet, 1/√3, in eight directions.
    let octahedron = [0, 1, 2, 3, 4, 5].map(|i: usize| {
        let mut point = [0.0; 3];
        point[i % 3] = if i < 3 { 1.0 } else { -1.0 };
        point
    });
    let found = hull_penetration(&octahedron[..], &[[0.0; 3]][..]).unwrap();
    assert_eq!((found.depth, found.directions.len()), ((1.0_f64 / 3.0).sqrt(), 8));
}

//! The distance of a point and one triangle, compared with exact fractions that are computed by another method.
//!
//! `IMPINGE_PAIRS` sets how many points each family contributes (default 2,000).

use impinge::generate::Random;
use impinge::glam::DVec3;
use impinge::{Mesh, Method, NearestPoint, Pose, Shape, Tolerance};
use impinge_oracle::cases::families;
use impinge_oracle::closest_distance_squared;

type Triangle = [DVec3; 3];

fn points_per_family() -> u64 {
    match std::env::var("IMPINGE_PAIRS") {
        Ok(count) => count.parse().expect("IMPINGE_PAIRS is a number of pairs"),
        Err(_) => 2_000,
    }
}

/// The triangle alone; `None` if a mesh may not have these coordinates.
fn shape(triangle: &Triangle) -> Option<Shape> {
    let mesh = Mesh::new(triangle.to_vec(), vec![[0, 1, 2]]).ok()?;
    Some(Shape::with_method(Method::BRUTE, mesh))
}

/// Checks a distance with an exact fraction, and with the corners in another order.
fn check(label: &str, triangle: &Triangle, point: DVec3) -> Option<NearestPoint> {
    let found = shape(triangle)?.nearest_point(&Pose::IDENTITY, point)?;
    let place = format!("{label}: {triangle:?} {point:?}: {found:?}");
    let exact =
        closest_distance_squared(&triangle.map(|corner| corner.to_array()), &[point.to_array(); 3]);
    match found.distance == f64::INFINITY {
        true => assert!(!exact.is_near(f64::MAX), "{place}"),
        false => assert!(exact.is_near(found.distance), "{place}"),
    }
    let [a, b, c] = *triangle;
    for turned in [[b, c, a], [c, b, a]] {
        let again = shape(&turned)?.nearest_point(&Pose::IDENTITY, point)?;
        assert_eq!((again.distance, again.point), (found.distance, found.point), "{place}");
    }
    let bounds = impinge::Bounds::enclosing(*triangle);
    assert!(bounds.contains(found.point), "{place}");
    Some(found)
}

#[test]
fn distances_of_points_equal_exact_fractions() {
    let mut counts = [0; 2];
    for family in families() {
        for seed in 0..points_per_family() {
            let (a, b) = family.pair(seed);
            let triangle = a.map(DVec3::from_array);
            let corner = DVec3::from_array(b[seed as usize % 3]);
            let label = format!("{}, seed {seed}", family.name);
            if let Some(found) = check(&label, &triangle, corner) {
                counts[usize::from(found.distance == 0.0)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 1_000), "one-sided: {counts:?}");
}

/// A triangle of any shape: ordinary, a needle, a cap, a segment or a point.
fn random_triangle(random: &mut Random) -> Triangle {
    let corner = |random: &mut Random| random.direction() * random.range(0.1, 1.0);
    let [a, b, c] = [(); 3].map(|()| corner(random));
    let thin = [1e-3, 1e-8, 1e-15, 0.0][random.below(4) as usize];
    match random.below(6) {
        0 => [a, b, b + c * thin],
        1 => [a, b, a.lerp(b, random.unit()) + c * thin],
        2 => [a, a + b * thin, a + c * thin],
        _ => [a, b, c],
    }
}

/// Points at all distances above the faces, edges and corners of triangles of all shapes and sizes. The distance is
/// found in plain floating point above about a thousandth of the size, and otherwise below.
#[test]
fn points_close_to_features_of_triangles() {
    let mut count = [0; 2];
    for seed in 0..30_000 {
        let mut random = Random::new(seed);
        let triangle @ [a, b, c] = random_triangle(&mut random);
        let normal = (b - a).cross(c - a);
        let height = 10f64.powf(random.range(-18.0, 3.0));
        let (s, t) = (random.unit(), random.unit());
        let (foot, away) = match random.below(4) {
            0 => (a, random.direction()),
            1 => (a.lerp(b, s), (b - a).cross(random.direction())),
            // Straight above an edge: as close to the face as to the edge.
            2 => (a.lerp(b, s), normal),
            _ => (a.lerp(b, s).lerp(c, t), normal),
        };
        let point = foot + away.normalize_or_zero() * height;
        let unit = [1.0, 1e-200, 1e-40, 1e-20, 1e20, 1e40, 1e90][random.below(7) as usize];
        let far = DVec3::splat([0.0, 0.0, 1e3, 1e9][random.below(4) as usize]);
        let triangle = triangle.map(|corner| (corner + far) * unit);
        let found = check(&format!("seed {seed}"), &triangle, (point + far) * unit);
        if let Some(found) = found {
            count[usize::from(found.distance > 1e-2 * unit)] += 1;
        }
    }
    assert!(count.iter().all(|&count| count > 5_000), "{count:?}");
}

/// Both faces at an edge are equally far from a point beside it, to the last bit, so the lower number is named.
#[test]
fn faces_that_share_the_closest_edge_or_corner_are_equally_far() {
    let mut shared = 0;
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let [a, b, c, d] = [(); 4].map(|()| random.direction());
        let point = random.direction() * random.range(0.5, 3.0);
        let alone = |triangle: Triangle| shape(&triangle)?.nearest_point(&Pose::IDENTITY, point);
        let (Some(first), Some(second)) = (alone([a, b, c]), alone([d, b, a])) else { continue };
        // Without rounding the closest points are the same only if they lie on the common edge.
        let is_shared = first.point.distance(second.point) < 1e-12 && first.distance > 0.01;
        if is_shared {
            assert_eq!(first.distance, second.distance, "seed {seed}");
            let both = Mesh::new(vec![a, b, c, d], vec![[0, 1, 2], [3, 1, 0]]).expect("a mesh");
            let nearest = Shape::new(both).nearest_point(&Pose::IDENTITY, point);
            assert_eq!(nearest.map(|nearest| nearest.face), Some(0), "seed {seed}");
            shared += 1;
        }
    }
    assert!(shared > 2_000, "only {shared} points are closest to the common edge");
}

/// A face at a computed distance d is within d, and not within less.
#[test]
fn faces_are_within_their_distance_and_not_within_less() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let triangle = random_triangle(&mut random);
        let point = random.direction() * random.range(0.0, 3.0);
        let (Some(shape), label) = (shape(&triangle), format!("seed {seed}: {triangle:?}")) else {
            panic!("seed {seed}");
        };
        let nearest = shape.nearest_point(&Pose::IDENTITY, point).expect("a face");
        let is_within = |distance: f64| {
            let tolerance = Tolerance::new(distance).expect("not negative");
            !shape.faces_within(&Pose::IDENTITY, point, tolerance).is_empty()
        };
        assert!(is_within(nearest.distance), "{label}");
        if nearest.distance > 0.0 {
            assert!(!is_within(nearest.distance.next_down()), "{label}");
            assert!(!is_within(0.0), "{label}");
        }
    }
}

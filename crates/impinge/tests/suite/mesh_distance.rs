//! Distances of meshes: every method against the reference, and that against exact fractions.

use impinge::generate::Random;
use impinge::glam::{DMat3, DVec3};
use impinge::query::Query;
use impinge::{
    Budget, FacePair, Mesh, MeshDistance, Method, Pair, Pose, Threads, TimedVerdict,
    ToleranceError, generate,
};
use impinge_oracle::closest_distance_squared;

fn within<'p>(pair: &'p mut Pair, tolerance: f64, pose_a: &Pose, pose_b: &Pose) -> Query<'p> {
    pair.at(pose_a, pose_b).within(tolerance).expect("neither negative nor NaN")
}

/// The answers of all methods, which must be one: the distance, and how many faces are within
/// some tolerances of it.
fn check(label: &str, a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> (MeshDistance, usize) {
    let mut reference = Pair::with_method(Method::BRUTE, a.clone(), b.clone());
    let expected = reference.distance(pose_a, pose_b).expect("there are faces");
    let touches = reference.intersects(pose_a, pose_b);
    assert_eq!(expected.distance == 0.0, touches, "{label}");
    let tolerances = [
        0.0,
        expected.distance * 0.999,
        expected.distance,
        expected.distance * 1.5,
        expected.distance + 0.1 * expected.distance.max(1.0),
    ];
    let faces: Vec<Vec<FacePair>> = tolerances
        .iter()
        .map(|&d| within(&mut reference, d, pose_a, pose_b).contacts().to_vec())
        .collect();
    assert_eq!(faces[0], reference.contacts(pose_a, pose_b), "{label}");
    assert!(faces[1].is_empty() || tolerances[1] == expected.distance, "{label}");
    assert!(faces[2].contains(&expected.faces), "{label}");
    for (kind, mut pair, order) in crate::pairs(a, b) {
        let found = pair.at(pose_a, pose_b).order(order).distance();
        assert_eq!(found, Some(expected), "{kind}: {label}");
        for (&tolerance, faces) in tolerances.iter().zip(&faces) {
            let place = format!("{kind}, within {tolerance:e}: {label}");
            let query = within(&mut pair, tolerance, pose_a, pose_b).order(order);
            assert_eq!(query.intersects(), !faces.is_empty(), "{place}");
            let query = within(&mut pair, tolerance, pose_a, pose_b).order(order);
            assert_eq!(query.threads(Threads::Pool).contacts(), faces, "{place}");
            let query = within(&mut pair, tolerance, pose_a, pose_b).order(order);
            assert_eq!(query.contacts(), faces, "{place}");
        }
    }
    (expected, faces[4].len())
}

/// The reference itself, against the exact minimum over all pairs of faces.
fn check_exactly(label: &str, a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) {
    let placed = |mesh: &Mesh, pose: &Pose| -> Vec<[[f64; 3]; 3]> {
        mesh.triangles().map(|t| t.map(|p| pose.place(p).to_array())).collect()
    };
    let (p, q) = (placed(a, pose_a), placed(b, pose_b));
    let found = Pair::with_method(Method::BRUTE, a.clone(), b.clone()).distance(pose_a, pose_b);
    let found = found.expect("there are faces");
    let closest = closest_distance_squared(&p[found.faces.a as usize], &q[found.faces.b as usize]);
    assert!(closest.is_near(found.distance), "{label}: {found:?}");
    // Nothing else is closer, but for the accuracy of distances: then it is as near to this one.
    for s in &p {
        for t in &q {
            let other = closest_distance_squared(s, t);
            assert!(other.is_at_least(found.distance), "{label}: {found:?}, {s:?} {t:?}");
        }
    }
}

/// Small triangles all over a cube, some of them degenerate.
fn soup(faces: usize, random: &mut Random) -> Mesh {
    let mut positions = Vec::new();
    let coordinate = |random: &mut Random| random.below(33) as f64 / 16.0 - 1.0;
    let vector = |random: &mut Random| {
        DVec3::new(coordinate(random), coordinate(random), coordinate(random))
    };
    for _ in 0..faces {
        let (at, size) = (vector(random), 0.25 * random.below(5) as f64 / 4.0);
        positions.extend([0; 3].map(|_| at + vector(random) * size));
    }
    let faces = (0..faces as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Mesh::new(positions, faces).expect("coordinates are small")
}

#[test]
fn soups_at_any_pose() {
    let mut near = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let (a, b) = (soup(40, &mut random), soup(30, &mut random));
        for away in [0.0, 1.5, 2.5, 4.0] {
            let shift = random.direction() * away;
            let moved = Pose::from_translation((shift * 8.0).round() / 8.0).unwrap();
            let turned = Pose::new(random.rotation(), shift).unwrap();
            let label = format!("seed {seed}, {away} away");
            near += check(&label, &a, &Pose::IDENTITY, &b, &moved).1;
            near += check(&label, &a, &Pose::IDENTITY, &b, &turned).1;
            near += check(&label, &a, &turned, &b, &Pose::IDENTITY).1;
        }
    }
    assert!(near > 1_500, "hardly any are near: {near}");
}

#[test]
fn small_soups_exactly() {
    for seed in 0..30 {
        let mut random = Random::new(500 + seed);
        let (a, b) = (soup(12, &mut random), soup(9, &mut random));
        for away in [0.0, 2.0, 3.0, 1e9] {
            let pose_a = Pose::new(random.rotation(), random.direction() * away).unwrap();
            let shift = pose_a.translation() + random.direction() * 2.5;
            let pose_b = Pose::new(random.rotation(), shift).unwrap();
            check_exactly(&format!("seed {seed}, {away:e}"), &a, &pose_a, &b, &pose_b);
        }
    }
}

#[test]
fn far_from_the_origin_and_not_quite_orthogonal() {
    for seed in 0..12 {
        let mut random = Random::new(1000 + seed);
        let (a, b) = (soup(30, &mut random), soup(30, &mut random));
        for far in [1e3, 1e8, 1e15, 1e16, 1e300] {
            let stretch = DMat3::from_diagonal(DVec3::new(1.0 + 4e-7, 1.0 - 3e-7, 1.0));
            let offset = DVec3::new(far, -far, far * 0.5);
            let pose_a = Pose::new(random.rotation() * stretch, offset).unwrap();
            let pose_b = Pose::new(random.rotation(), offset + random.direction() * 3.0).unwrap();
            check(&format!("seed {seed}, {far:e} away"), &a, &pose_a, &b, &pose_b);
            // One here, the other there.
            check(&format!("seed {seed}, {far:e} apart"), &a, &Pose::IDENTITY, &b, &pose_b);
        }
    }
}

#[test]
fn the_largest_and_the_least_coordinates() {
    for seed in 0..8 {
        let mut random = Random::new(2000 + seed);
        let (a, b) = (soup(20, &mut random), soup(20, &mut random));
        for scale in [2e99, 1e-100, 1e-160, 4e-162, 1e-200, 2e-322] {
            let scaled = |mesh: &Mesh, shift: DVec3| {
                let positions = mesh.positions().iter().map(|p| (*p + shift) * scale).collect();
                Mesh::new(positions, mesh.faces().to_vec()).unwrap()
            };
            let label = format!("seed {seed}, scale {scale:e}");
            let (a, b) = (scaled(&a, DVec3::ZERO), scaled(&b, random.direction() * 2.5));
            check(&label, &a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
        }
    }
}

#[test]
fn bodies_of_the_papers() {
    let fit = |mesh: &Mesh| generate::scaled_to_cube(mesh, 2.0).unwrap();
    let (a, b) = (fit(&generate::shuttle()), fit(&generate::chair()));
    let mut near = 0;
    for away in [0.5, 1.9, 2.3] {
        for (step, pose) in generate::tumble(away, 3).unwrap().iter().enumerate() {
            near += check(&format!("{away}, step {step}"), &a, &Pose::IDENTITY, &b, pose).1;
        }
    }
    assert!(near > 100, "hardly any are near: {near}");
}

/// Two plates that are equally far apart everywhere: the first faces count.
#[test]
fn of_equally_close_faces_the_first() {
    let plate = |z: f64| {
        let corner = |i: u32| DVec3::new(f64::from(i % 5), f64::from(i / 5), z);
        let square = |i: u32| [[i, i + 1, i + 6], [i, i + 6, i + 5]];
        let squares = (0..4).flat_map(|row| (0..4).map(move |column| 5 * row + column));
        Mesh::new((0..25).map(corner).collect(), squares.flat_map(square).collect()).unwrap()
    };
    let (a, b) = (plate(0.0), plate(0.375));
    let (found, _) = check("plates", &a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
    assert_eq!((found.distance, found.faces), (0.375, FacePair { a: 0, b: 0 }));
}

#[test]
fn nothing_is_near_an_empty_mesh() {
    let (ball, nothing) = (generate::sphere(8).unwrap(), Mesh::default());
    let here = Pose::IDENTITY;
    for method in crate::methods() {
        for (a, b) in [(&ball, &nothing), (&nothing, &ball), (&nothing, &nothing)] {
            let mut pair = Pair::with_method(method, a.clone(), b.clone());
            assert_eq!(pair.distance(&here, &here), None);
            assert!(!within(&mut pair, f64::INFINITY, &here, &here).intersects());
            assert_eq!(within(&mut pair, 1.0, &here, &here).contacts(), []);
        }
        let mut pair = Pair::with_method(method, ball.clone(), ball.clone());
        let everything = within(&mut pair, f64::INFINITY, &here, &here).count();
        assert_eq!(everything, ball.faces().len().pow(2), "{method}");
    }
}

#[test]
fn what_is_no_distance_is_refused() {
    let ball = generate::sphere(8).unwrap();
    let mut pair = Pair::with_method(Method::WIDE, ball.clone(), ball);
    let here = Pose::IDENTITY;
    let mut within = |tolerance| pair.at(&here, &here).within(tolerance).map(Query::intersects);
    assert_eq!(within(-1.0), Err(ToleranceError::Negative { tolerance: -1.0 }));
    assert_eq!(within(f64::NAN), Err(ToleranceError::NotANumber));
    assert!(within(f64::NEG_INFINITY).is_err());
    assert_eq!(within(-0.0), Ok(true));
}

/// A mesh of one face.
fn single(corners: [DVec3; 3]) -> Mesh {
    Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("finite coordinates")
}

/// Which methods say that faces are within a tolerance, asked in every way: all or none.
fn are_within(label: &str, a: &Mesh, b: &Mesh, pose_b: &Pose, tolerance: f64) -> bool {
    let still = Pose::IDENTITY;
    let mut reference = Pair::with_method(Method::BRUTE, a.clone(), b.clone());
    let expected = within(&mut reference, tolerance, &still, pose_b).contacts().to_vec();
    for method in crate::methods() {
        let mut pair = Pair::with_method(method, a.clone(), b.clone());
        let place = format!("{method}: {label}");
        for threads in [Threads::One, Threads::Pool] {
            let query = within(&mut pair, tolerance, &still, pose_b).threads(threads);
            assert_eq!(query.contacts(), expected, "{place}");
        }
        let is_clear = within(&mut pair, tolerance, &still, pose_b).timed().any(Budget::UNLIMITED)
            == TimedVerdict::Clear;
        assert_eq!(is_clear, expected.is_empty(), "{place}");
    }
    !expected.is_empty()
}

/// Squares of lengths relative to the other body underflow and overflow here.
#[test]
fn a_tolerance_of_bodies_of_very_different_sizes() {
    let triangle =
        |size: f64, at: DVec3| single([DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p * size + at));
    let point = Mesh::new(vec![DVec3::ZERO], vec![[0, 0, 0]]).expect("a point");
    let lifted = Pose::from_translation(DVec3::Z).expect("a pose");
    let turned = Pose::new(DMat3::from_rotation_x(1.0), DVec3::Z).expect("a pose");
    for pose in [&lifted, &turned] {
        let flat = triangle(4.0, DVec3::new(-1.0, -1.0, 0.0));
        let back = Pose::new(pose.rotation().transpose(), pose.rotation().transpose() * -DVec3::Z);
        let back = back.expect("a pose");
        assert!(are_within("a point and a triangle", &point, &flat, pose, 2.0));
        assert!(are_within("a triangle and a point", &flat, &point, &back, 2.0));
        assert!(are_within("two points", &point, &point, pose, 2.0));
        assert!(!are_within("two points", &point, &point, pose, 0.5));
    }
    for size in [1e-320, 1e-170, 1e-150, 1e-100, 1e-40, 1e-10, 1.0_f64] {
        for ratio in [1e-165, 1e-160, 1e-40, 1e40, 1e155, 1e165, 1e250] {
            let other = size * ratio;
            if other > 1e99 || other == 0.0 {
                continue;
            }
            let (small, large) = (size.min(other), size.max(other));
            let shift = Pose::new(DMat3::from_rotation_x(0.5), DVec3::Z * large);
            let shift = shift.expect("a pose");
            let label = format!("{size:e} and {other:e}");
            let (a, b) = (triangle(small, DVec3::ZERO), triangle(large, DVec3::ZERO));
            assert!(are_within(&label, &a, &b, &shift, 1.5 * large));
            assert!(are_within(&label, &b, &a, &shift, 1.5 * large));
            assert!(!are_within(&label, &a, &b, &shift, 0.5 * large));
        }
    }
}

/// Distances that an `f64` can hardly tell, and one that it cannot.
#[test]
fn a_tolerance_at_the_end_of_numbers() {
    let triangle = single([DVec3::ZERO, DVec3::X, DVec3::Y]);
    for (away, is_within_largest) in [(DVec3::X * 1.7e308, true), (DVec3::splat(1.7e308), false)] {
        let pose = Pose::from_translation(away).expect("a pose");
        let label = format!("{away:?} away");
        assert!(are_within(&label, &triangle, &triangle, &pose, f64::INFINITY));
        let largest = are_within(&label, &triangle, &triangle, &pose, f64::MAX);
        assert_eq!(largest, is_within_largest, "{label}");
        assert!(!are_within(&label, &triangle, &triangle, &pose, 1.6e308));
        assert!(!are_within(&label, &triangle, &triangle, &pose, 1e60));
    }
}

/// A tolerance a few steps of the last place from the distance that is reported.
#[test]
fn a_tolerance_next_to_the_distance() {
    let (mut random, mut near) = (Random::new(77), 0);
    for case in 0..3_000 {
        let mut vector = || random.direction() * random.range(0.1, 1.0);
        let (p, q) = (vector(), vector());
        // A segment near a triangle, and two triangles.
        let a = single([p, q, if case % 2 == 0 { q } else { vector() }]);
        let b = single([vector(), vector(), vector()].map(|p| p + DVec3::X));
        let mut reference = Pair::with_method(Method::BRUTE, a.clone(), b.clone());
        let still = &Pose::IDENTITY;
        let distance = reference.distance(still, still).expect("there are faces").distance;
        for ulps in [-8, -1, 0, 1, 8] {
            let tolerance = f64::from_bits(distance.to_bits().saturating_add_signed(ulps));
            if distance == 0.0 {
                continue;
            }
            let expected = within(&mut reference, tolerance, still, still).intersects();
            assert_eq!(expected, tolerance >= distance, "case {case}, {ulps} steps away");
            for method in [Method::WIDE, Method::OBB, Method::BOXTREE, Method::DOP18] {
                let mut pair = Pair::with_method(method, a.clone(), b.clone());
                let found = within(&mut pair, tolerance, still, still).intersects();
                assert_eq!(found, expected, "{method}: case {case}, {ulps} steps away");
            }
            near += usize::from(expected);
        }
    }
    assert!(near > 3_000, "hardly any are near: {near}");
}

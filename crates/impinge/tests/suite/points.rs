//! Points and shapes: every method against one that looks at every face, and exact decisions.

use crate::rays::{meshes, random_pose, random_target};
use impinge::generate::Random;
use impinge::glam::DVec3;
use impinge::mesh::NotSolid;
use impinge::narrow::triangles_distance;
use impinge::{Mesh, NearestPoint, PointLocation, Pose, Shape, Threads, Tolerance, generate};

/// The distance of each placed face from a point, by the test of two triangles.
fn distances(mesh: &Mesh, pose: &Pose, point: DVec3) -> Vec<f64> {
    let distance = |t| triangles_distance(&pose.place_triangle(t), &[point; 3]).distance;
    mesh.triangles().map(distance).collect()
}

#[test]
fn every_method_finds_the_nearest_point() {
    let mut on_surface = 0;
    for (number, mesh) in meshes().into_iter().enumerate() {
        let shapes: Vec<Shape> = crate::methods()
            .into_iter()
            .map(|method| Shape::with_method(method, mesh.clone()))
            .collect();
        let size = mesh.bounds().size().max_element().max(1e-150);
        for seed in 0..150 {
            let mut random = Random::new(seed);
            let pose = random_pose(&mut random, size);
            let target = random_target(&mesh, &pose, &mut random);
            let point =
                target + random.direction() * size * [0.0, 0.1, 30.0][random.below(3) as usize];
            let place = format!("mesh {number}, seed {seed}");
            let all = distances(&mesh, &pose, point);
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let nearest: Vec<Option<NearestPoint>> =
                shapes.iter().map(|shape| shape.nearest_point(&pose, point)).collect();
            assert!(nearest.iter().all(|n| *n == nearest[0]), "{place}: {nearest:?}");
            let Some(found) = nearest[0] else {
                assert!(all.is_empty(), "{place}");
                continue;
            };
            assert!(
                (found.distance - least).abs() <= 2e-12 * least,
                "{place}: {found:?}, {least:e}"
            );
            assert_eq!(found.distance == 0.0, least == 0.0, "{place}");
            on_surface += usize::from(least == 0.0);
            if seed % 3 == 0 {
                let limit = Tolerance::new(least * 1.5).expect("a distance");
                let within = shapes[0].faces_within(&pose, point, limit);
                let expected = (0..).zip(&all).filter(|(_, d)| **d <= limit.get());
                let expected: Vec<u32> = expected.map(|(face, _)| face).collect();
                for shape in &shapes {
                    assert_eq!(shape.faces_within(&pose, point, limit), within, "{place}");
                }
                assert_eq!(within, expected, "{place}");
            }
        }
    }
    assert!(on_surface > 100, "only {on_surface} points are on a surface");
}

/// The winding number by solid angles (van Oosterom and Strackee 1983), for points that are not close to the surface.
fn turns(mesh: &Mesh, pose: &Pose, point: DVec3) -> f64 {
    let angle = |triangle: [DVec3; 3]| {
        let [a, b, c] = pose.place_triangle(triangle).map(|p| p - point);
        let [x, y, z] = [a, b, c].map(DVec3::length);
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * f64::atan2(a.dot(b.cross(c)), below)
    };
    mesh.triangles().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

#[test]
fn every_method_tells_inside_from_outside() {
    let mut counts = [0; 3];
    for (number, mesh) in meshes().into_iter().enumerate() {
        if mesh.check_solid().is_err() {
            continue;
        }
        let shapes: Vec<Shape> = crate::methods()
            .into_iter()
            .map(|method| Shape::with_method(method, mesh.clone()))
            .collect();
        let size = mesh.bounds().size().max_element();
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let pose = random_pose(&mut random, size);
            let target = random_target(&mesh, &pose, &mut random);
            let point =
                target + random.direction() * size * [0.0, 0.1, 0.4][random.below(3) as usize];
            let place = format!("mesh {number}, seed {seed}: {point}");
            let locate = |shape: &Shape| shape.contains_point(&pose, point).expect("closed");
            let found = locate(&shapes[0]);
            for shape in &shapes {
                assert_eq!(locate(shape), found, "{}: {place}", shape.method());
            }
            let least = distances(&mesh, &pose, point).into_iter().fold(f64::INFINITY, f64::min);
            assert_eq!(found == PointLocation::OnSurface, least == 0.0, "{place}");
            // Where the angles can be told: triple products of coordinates neither overflow nor vanish.
            if least > 1e-3 * size && (1e-80..1e80).contains(&size) {
                let is_inside = turns(&mesh, &pose, point).round() != 0.0;
                assert_eq!(found == PointLocation::Inside, is_inside, "{place}");
            }
            counts[found as usize] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "one-sided: {counts:?}");
}

#[test]
fn what_encloses_no_solid_is_refused() {
    let locate = |mesh: Mesh| Shape::new(mesh).contains_point(&Pose::IDENTITY, DVec3::ZERO);
    let ball = generate::sphere(48).expect("an even number");
    assert_eq!(locate(ball.clone()), Ok(PointLocation::Inside));
    assert_eq!(locate(Mesh::default()), Err(NotSolid::NoFaces));
    let (positions, mut faces) = ball.into_parts();
    faces.pop();
    let open = locate(Mesh::new(positions, faces).expect("a mesh"));
    assert!(matches!(open, Err(NotSolid::OpenEdge { .. })), "{open:?}");
}

/// Overlapping shells count as one solid, a shell that is inside out is a cavity.
#[test]
fn shells_count_by_their_winding_number() {
    let cube = generate::cuboid(DVec3::splat(2.0)).expect("a size");
    let with = |scale: f64, shift: DVec3, is_turned: bool| {
        let (mut positions, mut faces) = cube.clone().into_parts();
        let first = positions.len() as u32;
        let second: Vec<DVec3> = positions.iter().map(|p| p * scale + shift).collect();
        positions.extend(second);
        let more: Vec<[u32; 3]> = faces
            .iter()
            .map(|&[a, b, c]| if is_turned { [a, c, b] } else { [a, b, c] }.map(|v| v + first))
            .collect();
        faces.extend(more);
        Shape::new(Mesh::new(positions, faces).expect("a mesh"))
    };
    let locate = |shape: &Shape, x: f64, y: f64| {
        shape.contains_point(&Pose::IDENTITY, DVec3::new(x, y, 0.0)).expect("closed")
    };
    let overlapping = with(1.0, DVec3::X, false);
    assert_eq!(locate(&overlapping, 0.5, 0.0), PointLocation::Inside);
    assert_eq!(locate(&overlapping, 1.0, 0.0), PointLocation::OnSurface);
    assert_eq!(locate(&overlapping, 1.5, 0.0), PointLocation::Inside);
    assert_eq!(locate(&overlapping, 2.5, 0.0), PointLocation::Outside);
    let hollow = with(0.5, DVec3::ZERO, true);
    assert_eq!(locate(&hollow, 0.0, 0.0), PointLocation::Outside);
    assert_eq!(locate(&hollow, 0.5, 0.5), PointLocation::OnSurface);
    assert_eq!(locate(&hollow, 0.75, 0.0), PointLocation::Inside);
}

#[test]
fn points_that_are_not_finite_are_nowhere() {
    let ball = Shape::new(generate::sphere(48).expect("an even number"));
    let still = Pose::IDENTITY;
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let point = DVec3::select(axis.cmpgt(DVec3::ZERO), DVec3::splat(bad), DVec3::ZERO);
            assert_eq!(ball.nearest_point(&still, point), None);
            assert_eq!(ball.contains_point(&still, point), Ok(PointLocation::Outside));
            let all = Tolerance::new(f64::INFINITY).expect("allowed");
            assert!(ball.faces_within(&still, point, all).is_empty());
            assert_eq!(ball.faces_within(&still, DVec3::ZERO, all).len(), 48);
        }
    }
}

#[test]
fn batches_of_points_are_answered_in_order_on_any_threads() {
    let ball = Shape::new(generate::sphere(360).expect("an even number"));
    let mut random = Random::new(4);
    let pose = random_pose(&mut random, 1.0);
    let points: Vec<DVec3> =
        (0..1_000).map(|_| pose.place(random.direction() * random.range(0.0, 2.0))).collect();
    let nearest: Vec<_> = points.iter().map(|&point| ball.nearest_point(&pose, point)).collect();
    let inside: Vec<_> =
        points.iter().map(|&p| ball.contains_point(&pose, p).expect("closed")).collect();
    for threads in [Threads::One, Threads::Pool] {
        assert_eq!(ball.nearest_points(&pose, &points, threads), nearest, "{threads:?}");
        assert_eq!(ball.contains_points(&pose, &points, threads), Ok(inside.clone()));
    }
}

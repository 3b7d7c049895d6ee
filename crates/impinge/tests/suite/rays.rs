//! Rays against triangles: compared with an oracle that shares neither code nor method, and nothing slips through
//! the edges and corners of closed meshes.
//!
//! `IMPINGE_RAYS` sets how many rays each family contributes (default 6,000).

use impinge::glam::{DVec2, DVec3};
use impinge::narrow::{Ray, RayError, ray_hit};
use impinge::{Mesh, Pose, RayHit, Shape, Threads, generate};
use impinge_oracle::cases::{RayCase, RayFamily, ray_families};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn rays_per_family() -> u64 {
    match std::env::var("IMPINGE_RAYS") {
        Ok(count) => count.parse().expect("IMPINGE_RAYS is a number of rays"),
        Err(_) => 6_000,
    }
}

fn ray(case: &RayCase) -> Ray {
    let (origin, direction) = (DVec3::from(case.origin), DVec3::from(case.direction));
    Ray::new(origin, direction).and_then(|ray| ray.up_to(case.t_max)).expect("a valid ray")
}

fn corners(case: &RayCase) -> [DVec3; 3] {
    case.triangle.map(DVec3::from_array)
}

fn for_each_case(count: u64, check: impl Fn(&RayFamily, u64, &RayCase) + Sync) {
    for family in ray_families() {
        (0..count).into_par_iter().for_each(|seed| check(family, seed, &family.case(seed)));
    }
}

#[test]
fn every_hit_equals_the_oracles() {
    let (decided, hits) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for family in ray_families() {
        let before = hits.load(Relaxed);
        (0..rays_per_family()).into_par_iter().for_each(|seed| {
            let case = family.case(seed);
            let RayCase { origin, direction, t_max, triangle } = &case;
            let expected = impinge_oracle::first_hit_of_ray(*origin, *direction, *t_max, triangle);
            let found = ray_hit(&ray(&case), &corners(&case));
            let place = format!("{}, seed {seed}: {case:?}", family.name);
            match (&expected, found) {
                (Some(expected), Some(t)) => {
                    assert!(expected.is_near(t) && t <= *t_max, "{t:e} is wrong: {place}");
                    hits.fetch_add(1, Relaxed);
                }
                (None, None) => {}
                (Some(_), None) => panic!("a hit is missed: {place}"),
                (None, Some(t)) => panic!("a false hit at {t:e}: {place}"),
            }
            decided.fetch_add(1, Relaxed);
        });
        let share = (hits.load(Relaxed) - before) as f64 / rays_per_family() as f64;
        println!("{:24} {:5.1} % hits", family.name, 100.0 * share);
        assert!((0.02..0.98).contains(&share), "{} is one-sided: {share}", family.name);
    }
    println!("{decided:?} rays decided, {hits:?} of them hit, none differently");
}

#[test]
fn neither_the_order_of_corners_nor_the_orientation_matters() {
    for_each_case(300, |family, seed, case| {
        let (ray, corners) = (ray(case), corners(case));
        let found = ray_hit(&ray, &corners);
        for order in [[1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let turned = ray_hit(&ray, &order.map(|i| corners[i]));
            assert_eq!(found.is_some(), turned.is_some(), "{}, seed {seed}", family.name);
        }
    });
}

/// A limit at the parameter itself, and just around it.
#[test]
fn the_limit_is_compared_exactly() {
    // A hit at exactly 1/3, which no f64 is.
    let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let down = Ray::new(DVec3::new(0.25, 0.25, 1.0), DVec3::new(0.0, 0.0, -3.0)).unwrap();
    let third: f64 = 1.0 / 3.0; // below the true value
    assert_eq!(ray_hit(&down.up_to(third).unwrap(), &floor), None);
    assert_eq!(ray_hit(&down.up_to(third.next_up()).unwrap(), &floor), Some(third));
    // At exactly 2.
    let slow = Ray::new(DVec3::new(0.25, 0.25, 1.0), DVec3::new(0.0, 0.0, -0.5)).unwrap();
    assert_eq!(ray_hit(&slow.up_to(2.0).unwrap(), &floor), Some(2.0));
    assert_eq!(ray_hit(&slow.up_to(2f64.next_down()).unwrap(), &floor), None);
    // The origin alone.
    let here = Ray::new(DVec3::new(0.5, 0.5, 0.0), DVec3::Z).unwrap().up_to(0.0).unwrap();
    assert_eq!(ray_hit(&here, &floor), Some(0.0));
    assert_eq!(ray_hit(&here, &floor.map(|p| p + DVec3::Z)), None);
}

#[test]
fn parameters_at_the_ends_of_the_range_are_clamped() {
    let wall =
        |x: f64| [DVec3::new(x, -1.0, -1.0), DVec3::new(x, 3.0, -1.0), DVec3::new(x, -1.0, 3.0)];
    let creep = Ray::new(DVec3::ZERO, DVec3::new(f64::from_bits(1), 0.0, 0.0)).unwrap();
    assert_eq!(ray_hit(&creep, &wall(1e100)), Some(f64::MAX));
    assert_eq!(ray_hit(&creep.up_to(f64::MAX).unwrap(), &wall(1e100)), None);
    let leap = Ray::new(DVec3::ZERO, DVec3::new(1e300, 0.0, 0.0)).unwrap();
    let close = wall(f64::from_bits(1));
    assert_eq!(ray_hit(&leap, &close), Some(f64::from_bits(1)));
    assert_eq!(ray_hit(&leap.up_to(0.0).unwrap(), &close), None);
}

#[test]
fn bad_rays_are_refused_with_their_fault() {
    let new = |o: [f64; 3], d: [f64; 3]| Ray::new(o.into(), d.into());
    assert_eq!(new([0.0; 3], [0.0, -0.0, 0.0]), Err(RayError::NoDirection));
    assert!(matches!(
        new([0.0, f64::NAN, 0.0], [1.0; 3]),
        Err(RayError::OriginNotFinite { axis: 1, .. })
    ));
    assert!(matches!(
        new([0.0; 3], [1.0, 1.0, f64::INFINITY]),
        Err(RayError::DirectionNotFinite { axis: 2, .. })
    ));
    let ray = new([0.0; 3], [1.0; 3]).unwrap();
    assert_eq!(ray.t_max(), f64::INFINITY);
    assert_eq!(ray.up_to(-1.0), Err(RayError::BadLimit { t_max: -1.0 }));
    assert!(ray.up_to(f64::NAN).is_err() && ray.up_to(f64::INFINITY).is_ok());
    assert_eq!(ray.at(2.0), DVec3::splat(2.0));
}

/// The same mesh with coordinates of so few bits that sums of two are exact.
fn coarse(mesh: &Mesh) -> Mesh {
    let unit = f64::from(1 << 20);
    let positions = mesh.positions().iter().map(|p| (p * unit).round() / unit).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("finite coordinates")
}

/// The faces that a ray hits.
fn hits(mesh: &Mesh, pose: &Pose, ray: &Ray) -> Vec<usize> {
    let placed = |triangle: [DVec3; 3]| triangle.map(|corner| pose.place(corner));
    let hits = mesh.triangles().map(|triangle| ray_hit(ray, &placed(triangle)).is_some());
    hits.enumerate().filter(|(_, is_hit)| *is_hit).map(|(face, _)| face).collect()
}

/// From the middle exactly through every corner and the middle of every edge: all faces there are hit.
#[test]
fn rays_through_shared_edges_and_corners_hit_all_faces_there() {
    let mut checked = 0;
    for mesh in [
        generate::sphere(528).unwrap(),
        generate::icosphere(2).unwrap(),
        generate::cuboid(DVec3::new(2.0, 3.0, 1.0)).unwrap(),
    ] {
        let mesh = coarse(&mesh);
        for (face, corners) in mesh.faces().iter().enumerate() {
            let at = |i: usize| mesh.positions()[corners[i % 3] as usize];
            for i in 0..3 {
                let edge = [corners[i], corners[(i + 1) % 3]];
                for (direction, shared) in [(at(i), &edge[..1]), (at(i) + at(i + 1), &edge[..])] {
                    let ray = Ray::new(DVec3::ZERO, direction).unwrap();
                    let found = hits(&mesh, &Pose::IDENTITY, &ray);
                    let around = mesh.faces().iter().enumerate();
                    let around = around.filter(|(_, f)| shared.iter().all(|v| f.contains(v)));
                    for (neighbour, _) in around {
                        assert!(found.contains(&neighbour), "face {face}, edge {i}: {neighbour}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 10_000, "hardly any: {checked}");
}

/// From anywhere inside of convex meshes that are placed anywhere, at corners and edges but for rounding: something is
/// always hit.
#[test]
fn no_ray_leaves_a_closed_mesh_unseen() {
    let meshes = [
        generate::sphere(528).unwrap(),
        generate::sphere(24).unwrap(),
        generate::cuboid(DVec3::new(2.0, 2.0, 2.0)).unwrap(),
    ];
    for (number, mesh) in meshes.iter().enumerate() {
        (0..1_500u64).into_par_iter().for_each(|seed| {
            let mut random = generate::Random::new(seed);
            let far = [0.0, 1.0, 1e3, 1e9][seed as usize % 4];
            let pose = Pose::new(random.rotation(), random.direction() * far).unwrap();
            let origin = pose.place(random.direction() * random.range(0.0, 0.5));
            let face = mesh.triangle(random.below(mesh.faces().len() as u64) as u32);
            let [p, q, _] = face.map(|corner| pose.place(corner));
            let weight = [0.0, 0.5, random.unit()][seed as usize % 3];
            let direction = (p + (q - p) * weight) - origin;
            let ray = Ray::new(origin, direction).unwrap();
            assert!(!hits(mesh, &pose, &ray).is_empty(), "mesh {number}, seed {seed}: {ray:?}");
        });
    }
}

/// Meshes of every kind: closed, open, a soup with degenerate and duplicate faces, tiny and far from the origin.
pub(crate) fn meshes() -> Vec<Arc<Mesh>> {
    let ball = generate::sphere(360).expect("an even number");
    let resized = |size: f64, place: f64| {
        let positions = ball.positions().iter().map(|p| p * size + place).collect();
        Mesh::new(positions, ball.faces().to_vec()).expect("finite coordinates")
    };
    let soup = {
        let mut random = generate::Random::new(3);
        let mut coordinate = || random.below(5) as f64;
        let positions: Vec<DVec3> =
            (0..180).map(|_| DVec3::new(coordinate(), coordinate(), coordinate())).collect();
        let faces = (0..60).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        Mesh::new(positions, faces).expect("finite coordinates")
    };
    [
        resized(1.0, 0.0),
        resized(1e-3, 1e4),
        resized(1e-130, 0.0),
        resized(1e90, 0.0),
        generate::cuboid(DVec3::new(4.0, 2.0, 1.0)).expect("a size"),
        generate::deformed_torus(1, [24, 10]).expect("enough segments"),
        generate::terrain(8, 8, DVec2::splat(4.0), generate::terrain_height(2)).expect("cells"),
        soup,
        Mesh::default(),
    ]
    .map(Arc::new)
    .to_vec()
}

/// A pose that is the identity, a translation, a rotation, or one that is barely a rotation; near and far.
pub(crate) fn random_pose(random: &mut generate::Random, size: f64) -> Pose {
    let rotation = random.rotation();
    let translation = random.direction() * size * [0.0, 3.0, 1e9][random.below(3) as usize];
    match random.below(4) {
        0 => Pose::IDENTITY,
        1 => Pose::from_translation(translation).expect("a translation"),
        2 => Pose::new(rotation * (1.0 + 4e-7), translation).expect("nearly a rotation"),
        _ => Pose::new(rotation, translation).expect("a rotation"),
    }
}

/// A point at a corner, on an edge or on a face of the placed mesh, but for rounding, or anywhere near it.
pub(crate) fn random_target(mesh: &Mesh, pose: &Pose, random: &mut generate::Random) -> DVec3 {
    if mesh.faces().is_empty() {
        return random.direction();
    }
    let face = random.below(mesh.faces().len() as u64) as u32;
    let [a, b, c] = pose.place_triangle(mesh.triangle(face));
    let size = mesh.bounds().size().max_element();
    match random.below(5) {
        0 => a,
        1 => a.lerp(b, 0.5),
        2 => a.lerp(b, random.unit()),
        3 => a.lerp(b, random.unit()).lerp(c, random.unit()),
        _ => a + random.direction() * size * random.unit(),
    }
}

/// Every method against one that looks at every face.
#[test]
fn every_method_casts_rays_alike() {
    let (mut found, mut asked) = (0, 0);
    for (number, mesh) in meshes().into_iter().enumerate() {
        let shapes: Vec<Shape> = crate::methods()
            .into_iter()
            .map(|method| Shape::with_method(method, mesh.clone()))
            .collect();
        let size = mesh.bounds().size().max_element().max(1e-150);
        for seed in 0..250 {
            let mut random = generate::Random::new(seed);
            let pose = random_pose(&mut random, size);
            let target = random_target(&mesh, &pose, &mut random);
            let away = [0.0, 0.5, 3.0, 1e6][random.below(4) as usize];
            let origin = target + random.direction() * size * away;
            let direction = match random.below(4) {
                0 => DVec3::Y,
                1 => DVec3::new(0.0, -2.0, 2.0),
                _ if target != origin => target - origin,
                _ => random.direction(),
            };
            let mut ray = Ray::new(origin, direction).expect("a direction");
            if random.below(3) == 0 {
                ray = ray.up_to(random.range(0.0, 1.5)).expect("a limit");
            }
            let mut expected: Vec<RayHit> = (0..)
                .zip(mesh.triangles())
                .filter_map(|(face, triangle)| {
                    ray_hit(&ray, &pose.place_triangle(triangle)).map(|t| RayHit { t, face })
                })
                .collect();
            expected.sort_by(|p, q| (p.t, p.face).partial_cmp(&(q.t, q.face)).expect("numbers"));
            for shape in &shapes {
                let place = format!("{}, mesh {number}, seed {seed}: {ray:?}", shape.method());
                assert_eq!(shape.cast_ray_all(&pose, &ray), expected, "{place}");
                assert_eq!(shape.cast_ray(&pose, &ray), expected.first().copied(), "{place}");
            }
            found += expected.len();
            asked += 1;
        }
    }
    assert!(found > asked, "{asked} rays hit only {found} faces");
}

#[test]
fn batches_of_rays_are_answered_in_order_on_any_threads() {
    let shape = Shape::new(generate::sphere(360).expect("an even number"));
    let mut random = generate::Random::new(9);
    let pose = random_pose(&mut random, 1.0);
    let rays: Vec<Ray> = (0..2_000)
        .map(|_| {
            let origin = pose.place(random.direction() * 3.0);
            let direction = pose.place(random.direction() * 1.2) - origin;
            Ray::new(origin, direction).expect("a direction")
        })
        .collect();
    let expected: Vec<_> = rays.iter().map(|ray| shape.cast_ray(&pose, ray)).collect();
    let hits = expected.iter().flatten().count();
    assert!((400..1_900).contains(&hits), "{hits} of 2000 rays hit");
    for threads in [Threads::One, Threads::Pool] {
        assert_eq!(shape.cast_rays(&pose, &rays, threads), expected, "{threads:?}");
    }
    assert!(shape.cast_rays(&pose, &[], Threads::Pool).is_empty());
}

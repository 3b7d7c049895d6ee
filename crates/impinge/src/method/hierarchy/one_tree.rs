//! Tests of queries about a ray or a point and one tree. Every tree that answers them runs these tests.

use crate::{
    Mesh, Pose, Ray,
    generate::{self, Random},
    method::{PointScratch, Prepared},
    narrow::{ray_hit, triangles_distance},
};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Prepares trees of a mesh, one for each variant to be tested.
type Prepare<'p> = &'p dyn Fn(&Mesh) -> Vec<Arc<dyn Prepared>>;

/// Calls `act` for trees of several meshes, at poses where rounding errors show, each with random numbers
/// and a label.
fn each_placed_tree(
    prepare: Prepare<'_>,
    mut act: impl FnMut(&Mesh, &dyn Prepared, &Pose, &mut Random, &str),
) {
    let far_part = {
        let ball = generate::sphere(120).unwrap();
        let positions = ball.positions().iter().map(|p| p * 1e-3 + DVec3::splat(1e4)).collect();
        Mesh::new(positions, ball.faces().to_vec()).unwrap()
    };
    let meshes = [
        generate::sphere(960).unwrap(),
        generate::torus(1.0, 0.3, [40, 16]).unwrap(),
        generate::cuboid(DVec3::new(9.0, 0.1, 2.0)).unwrap(),
        generate::bsp_tetrahedra(3, 50).unwrap(),
        far_part,
    ];
    for (number, mesh) in meshes.iter().enumerate() {
        for (variant, tree) in prepare(mesh).iter().enumerate() {
            for seed in 0..150 {
                let mut random = Random::new(seed + 1000 * number as u64);
                let far = [0.0, 1.0, 1e3, 1e9][seed as usize % 4];
                let translation = random.direction() * far;
                // Poses may be off by 1e-6 from a rotation.
                let stretch = 1.0 + [0.0, 4e-7, -4e-7][seed as usize % 3];
                let rotation =
                    if random.below(4) == 0 { DMat3::IDENTITY } else { random.rotation() };
                let pose = Pose::new(rotation * stretch, translation).unwrap();
                let label = format!("mesh {number}, variant {variant}, seed {seed}");
                act(mesh, &**tree, &pose, &mut random, &label);
            }
        }
    }
}

/// Aimed at corners, edges and faces of the placed mesh, or just anywhere; from inside, beside and far away.
fn random_ray(mesh: &Mesh, pose: &Pose, random: &mut Random) -> Ray {
    let face = random.below(mesh.faces().len() as u64) as u32;
    let [a, b, c] = pose.place_triangle(mesh.triangle(face));
    let target = match random.below(4) {
        0 => a,
        1 => a.lerp(b, random.unit()),
        2 => a.lerp(b, random.unit()).lerp(c, random.unit()),
        _ => pose.translation() + random.direction(),
    };
    let size = (mesh.bounds().size()).length();
    let away = [0.3, 2.0, 100.0, 1e7][random.below(4) as usize] * size;
    let origin = target + random.direction() * away;
    let length = [1.0, 1e-3, 1e-300, 1e200][random.below(4) as usize];
    let direction = match random.below(12) {
        0 => DVec3::X,
        // Along an axis of the mesh itself, within the planes of boxes.
        1 => pose.rotation() * DVec3::AXES[random.below(3) as usize],
        _ => target - origin,
    };
    let direction = direction.normalize() * length;
    let ray = Ray::new(origin, direction).unwrap();
    if random.below(3) > 0 { ray } else { ray.up_to(1.5 * away / length).unwrap() }
}

/// Every face that a ray meets is visited, once, and at most the given share of all faces.
pub(in crate::method) fn a_ray_misses_no_face(prepare: Prepare<'_>, most_visits: f64) {
    let (mut hits, mut visits, mut all) = (0, 0, 0);
    each_placed_tree(prepare, |mesh, tree, pose, random, place| {
        let ray = random_ray(mesh, pose, random);
        let mut is_visited = vec![false; mesh.faces().len()];
        tree.faces_along_ray((mesh, pose), &ray, &mut PointScratch::default(), &mut |face| {
            assert!(!is_visited[face as usize], "{place}: face {face} is visited twice");
            is_visited[face as usize] = true;
            visits += 1;
            f64::INFINITY
        });
        for (face, triangle) in mesh.triangles().enumerate() {
            if ray_hit(&ray, &pose.place_triangle(triangle)).is_some() {
                assert!(is_visited[face], "{place}: face {face} is missed by {ray:?}");
                hits += 1;
            }
        }
        all += mesh.faces().len();
    });
    assert!(hits > 2_000, "only {hits} faces are hit");
    let is_few = f64::from(visits) < most_visits * all as f64;
    assert!(is_few, "{visits} of {all} faces were visited");
}

/// With a limit that shrinks, the first hit is found, and so is every face with the same parameter.
pub(in crate::method) fn the_first_hit_is_never_pruned(prepare: Prepare<'_>, most_visits: u32) {
    let (mut visits, mut rays) = (0, 0);
    each_placed_tree(prepare, |mesh, tree, pose, random, place| {
        let ray = random_ray(mesh, pose, random);
        let hit = |triangle| ray_hit(&ray, &pose.place_triangle(triangle));
        let hits: Vec<Option<f64>> = mesh.triangles().map(hit).collect();
        let first = hits.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let (mut is_visited, mut limit) = (vec![false; hits.len()], f64::INFINITY);
        tree.faces_along_ray((mesh, pose), &ray, &mut PointScratch::default(), &mut |face| {
            is_visited[face as usize] = true;
            visits += 1;
            limit = limit.min(hits[face as usize].unwrap_or(f64::INFINITY));
            limit
        });
        rays += 1;
        for (face, t) in hits.iter().enumerate() {
            assert!(*t != Some(first) || is_visited[face], "{place}: face {face}, {ray:?}");
        }
    });
    assert!(visits < most_visits * rays, "{visits} faces visited by {rays} rays");
}

/// From so far away that nothing can be told in `f64`, all 48 faces are candidates; from nearby, few are.
pub(in crate::method) fn rays_out_of_reach_are_left_to_the_exact_test(prepare: Prepare<'_>) {
    let mesh = generate::sphere(48).unwrap();
    for tree in prepare(&mesh) {
        let visits = |origin: DVec3, direction: DVec3| {
            let (ray, mut visits) = (Ray::new(origin, direction).unwrap(), 0);
            let body = (&mesh, &Pose::IDENTITY);
            tree.faces_along_ray(body, &ray, &mut PointScratch::default(), &mut |_| {
                visits += 1;
                f64::INFINITY
            });
            visits
        };
        assert_eq!(visits(DVec3::X * 1e300, DVec3::NEG_X), 48);
        assert_eq!(visits(DVec3::X * f64::MAX, DVec3::NEG_X), 48);
        // Beside the axis of the sphere, which the boxes of many faces touch.
        let nearby = DVec3::new(3.0, 0.31, 0.27);
        assert!(visits(nearby, DVec3::NEG_X * f64::from_bits(1)) < 30);
        assert!(visits(nearby, DVec3::new(-f64::MAX, f64::from_bits(1), 0.0)) < 30);
        assert_eq!(visits(DVec3::X * 3.0, DVec3::X), 0);
    }
}

/// The faces in the order in which they are visited, with limits that shrink to the least distance so far.
fn visited(
    (mesh, tree): (&Mesh, &dyn Prepared),
    pose: &Pose,
    point: DVec3,
    distances: &[f64],
) -> Vec<u32> {
    let (mut faces, mut least) = (Vec::new(), f64::INFINITY);
    tree.faces_near_point((mesh, pose), point, &mut PointScratch::default(), &mut |face| {
        faces.push(face);
        least = least.min(distances[face as usize]);
        least
    });
    faces
}

/// All faces at the least distance are visited, and at most the given share of all faces.
pub(in crate::method) fn the_closest_faces_are_visited_and_few_others(
    prepare: Prepare<'_>,
    most_visits: f64,
) {
    let (mut visits, mut all) = (0, 0);
    each_placed_tree(prepare, |mesh, tree, pose, random, place| {
        let reach = [0.1, 1.5, 30.0][random.below(3) as usize];
        let point = pose.translation() + random.direction() * random.range(0.0, reach);
        let distance =
            |triangle| triangles_distance(&pose.place_triangle(triangle), &[point; 3]).distance;
        let distances: Vec<f64> = mesh.triangles().map(distance).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let faces = visited((mesh, tree), pose, point, &distances);
        for (face, &distance) in (0..).zip(&distances) {
            assert!(distance > least || faces.contains(&face), "{place}: face {face} is missed");
        }
        visits += faces.len();
        all += distances.len();
    });
    assert!((visits as f64) < most_visits * all as f64, "{visits} of {all} faces were visited");
}

pub(in crate::method) fn all_faces_within_a_distance_are_visited(prepare: Prepare<'_>) {
    let mut within = 0;
    each_placed_tree(prepare, |mesh, tree, pose, random, place| {
        let point = pose.translation() + random.direction() * random.range(0.0, 1.5);
        let limit = random.range(0.0, 0.5);
        let mut is_visited = vec![false; mesh.faces().len()];
        tree.faces_near_point((mesh, pose), point, &mut PointScratch::default(), &mut |face| {
            is_visited[face as usize] = true;
            limit
        });
        for (triangle, is_visited) in mesh.triangles().zip(is_visited) {
            let distance = triangles_distance(&pose.place_triangle(triangle), &[point; 3]).distance;
            assert!(distance > limit || is_visited, "{place}");
            within += usize::from(distance <= limit);
        }
    });
    assert!(within > 1_000, "only {within} faces are within the distance");
}

pub(in crate::method) fn a_negative_limit_ends_the_search(prepare: Prepare<'_>) {
    each_placed_tree(prepare, |mesh, tree, pose, _, place| {
        let (mut visits, scratch) = (0, &mut PointScratch::default());
        tree.faces_near_point((mesh, pose), pose.translation(), scratch, &mut |_| {
            visits += 1;
            -1.0
        });
        assert_eq!(visits, 1, "{place}");
    });
}

//! The face octree and the octree with every choice of their options: pairs of hard meshes against the oracle, and worlds of bodies
//! against every pair of them.

use crate::methods::{check_pair, expected, soup};
use impinge::{
    Distribution, FacePair, Mesh, Method, Pair, Pose, Shape, World,
    broad::AllPairs,
    generate::{self, Random},
    glam::{DMat3, DVec3},
    method::{
        face_octree::{CellTest, Division, FaceOctreeOptions, SubdivisionDepth},
        octree::{BoundingShape, OctreeOptions},
    },
    world::{Body, BodyId, Contact},
};
use std::{ops::ControlFlow, sync::Arc};

/// The options of one of the two methods.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Faces(FaceOctreeOptions),
    Cubes(OctreeOptions),
}

impl Choice {
    fn shape(self, mesh: impl Into<Arc<Mesh>>) -> Shape {
        match self {
            Self::Faces(options) => Shape::build(options, mesh),
            Self::Cubes(options) => Shape::build(options, mesh),
        }
    }
}

/// Every choice, with levels that stay fast where faces are as large as the root.
fn choices() -> Vec<Choice> {
    let depths = [
        SubdivisionDepth::Auto,
        SubdivisionDepth::Level(0),
        SubdivisionDepth::Level(1),
        SubdivisionDepth::Level(4),
    ];
    let mut choices = Vec::new();
    for depth in depths {
        for division in [Division::Octree, Division::Bintree] {
            for test in [CellTest::Bounds, CellTest::Exact] {
                let options = FaceOctreeOptions::default();
                choices
                    .push(Choice::Faces(options.depth(depth).division(division).cell_test(test)));
            }
        }
    }
    for &(_, distribution) in Distribution::NAMES {
        for test in [CellTest::Bounds, CellTest::Exact] {
            let options = FaceOctreeOptions::default().cell_test(test);
            choices.push(Choice::Faces(options.distribution(distribution)));
        }
    }
    for bits in 0..16u32 {
        let is_set = |bit: u32| bits >> bit & 1 == 1;
        // Each optimisation with both bounding shapes.
        let bounding =
            [BoundingShape::Boxes, BoundingShape::Spheres][(bits.count_ones() % 2) as usize];
        let options = OctreeOptions::default()
            .bounding(bounding)
            .surface_only(is_set(0))
            .regions(is_set(1))
            .progressive(is_set(2))
            .linked_faces(is_set(3));
        choices.push(Choice::Cubes(options.level(SubdivisionDepth::Level(3))));
        if [0, 3, 9, 13, 15].contains(&bits) {
            choices.push(Choice::Cubes(options));
        }
    }
    choices
}

fn pair_of(choice: Choice, [a, b]: [&Mesh; 2]) -> Pair {
    let [a, b] = [a, b].map(|mesh| choice.shape(mesh.clone()));
    Pair::new(&a, &b).expect("one method")
}

/// Compares every choice with the oracle, for all ways to ask. Returns the number of contacts.
fn check(label: &str, meshes: [&Mesh; 2], poses: [&Pose; 2]) -> usize {
    let expected = expected(meshes[0], poses[0], meshes[1], poses[1]);
    for choice in choices() {
        let label = format!("{label}, {choice:?}");
        check_pair(&label, &mut pair_of(choice, meshes), poses, &expected);
    }
    expected.len()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).expect("finite")
}

fn scaled(mesh: &Mesh, by: f64) -> Mesh {
    let positions = mesh.positions().iter().map(|p| *p * by).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("finite")
}

/// Meshes one beside the other, as one.
fn united(meshes: &[&Mesh]) -> Mesh {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let start = positions.len() as u32;
        positions.extend_from_slice(mesh.positions());
        faces.extend(mesh.faces().iter().map(|face| face.map(|vertex| vertex + start)));
    }
    Mesh::new(positions, faces).expect("as before")
}

#[test]
fn soups_by_every_choice() {
    let mut touching = 0;
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let (a, b) = (soup(40, &mut random), soup(30, &mut random));
        let turned = Pose::new(random.rotation(), DVec3::new(1.0, 0.0, 0.0)).expect("a rotation");
        let moved = at(0.0, 1.0, 0.0);
        for (name, poses) in [("moved", [&Pose::IDENTITY, &moved]), ("turned", [&turned, &moved])] {
            touching += check(&format!("seed {seed}, {name}"), [&a, &b], poses);
        }
    }
    assert!(touching > 500, "hardly anything touches: {touching}");
}

/// Faces whose corners lie on the borders of cells: a root of side 8 with cells of side 4, 2, 1.
#[test]
fn faces_on_the_borders_of_cells() {
    let mut touching = 0;
    for seed in 0..6 {
        let mut random = Random::new(400 + seed);
        let mut grid_mesh = |faces: u32| {
            let coordinate = |random: &mut Random| random.below(9) as f64;
            let mut positions: Vec<DVec3> = Vec::new();
            for _ in 0..faces {
                let corner = DVec3::from([(); 3].map(|()| coordinate(&mut random)));
                let axis = random.below(3) as usize;
                // Along an axis, or in a plane, or any.
                for _ in 0..3 {
                    let mut other = DVec3::from([(); 3].map(|()| coordinate(&mut random)));
                    if random.below(3) > 0 {
                        other[axis] = corner[axis];
                    }
                    positions.push(other);
                }
            }
            let faces = (0..faces).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
            Mesh::new(positions, faces).expect("small whole numbers")
        };
        let (a, b) = (grid_mesh(30), grid_mesh(30));
        touching += check(&format!("seed {seed}"), [&a, &b], [&Pose::IDENTITY; 2]);
    }
    assert!(touching > 500, "hardly anything touches: {touching}");
}

#[test]
fn all_faces_in_one_point_and_identical_bodies() {
    let point = Mesh::new(vec![DVec3::splat(0.3)], vec![[0, 0, 0]; 40]).expect("a point");
    assert_eq!(check("points", [&point, &point], [&Pose::IDENTITY; 2]), 1600);
    // Forty faces around one vertex.
    let fan = |count: u32| {
        let rim = |i: u32| {
            let angle = f64::from(i) / f64::from(count) * std::f64::consts::TAU;
            DVec3::new(angle.cos(), angle.sin(), 0.1 * f64::from(i % 3))
        };
        let positions = std::iter::once(DVec3::ZERO).chain((0..count).map(rim)).collect();
        let faces = (0..count).map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect();
        Mesh::new(positions, faces).expect("finite")
    };
    assert_eq!(check("fans", [&fan(40), &fan(40)], [&Pose::IDENTITY; 2]), 1600);
    let ball = generate::sphere(80).expect("an even number");
    assert!(check("identical spheres", [&ball, &ball], [&Pose::IDENTITY; 2]) >= 320);
}

#[test]
fn huge_and_tiny_bodies_together() {
    let floor = Mesh::new(
        [[-1e6, -1e6], [1e6, -1e6], [1e6, 1e6], [-1e6, 1e6]]
            .map(|[x, y]| DVec3::new(x, y, 0.0))
            .to_vec(),
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .expect("a floor");
    let ball = generate::sphere(80).expect("an even number");
    let tiny = scaled(&ball, 1e-6);
    let with_floor = united(&[&floor, &tiny]);
    let beside = at(1.5e-6, 1e-7, 2e-7);
    assert!(check("tiny on floors", [&with_floor, &with_floor], [&Pose::IDENTITY, &beside]) > 10);
    assert!(check("tiny in huge", [&scaled(&ball, 1e6), &tiny], [&at(0.0, 0.0, 1e6), &beside]) > 0);
    // A distant part of a body, which stretches its box.
    let distant = scaled(&ball, 1.0);
    let positions = distant.positions().iter().map(|p| *p + DVec3::splat(1e5)).collect();
    let distant = Mesh::new(positions, ball.faces().to_vec()).expect("finite");
    let stretched = united(&[&ball, &distant]);
    let pose = at(1.5, 0.1, 0.2);
    assert!(check("stretched", [&stretched, &stretched], [&Pose::IDENTITY, &pose]) > 20);
}

#[test]
fn the_largest_least_and_most_distant_coordinates() {
    let mut touching = 0;
    for seed in 0..2 {
        let mut random = Random::new(600 + seed);
        let (a, b) = (soup(20, &mut random), soup(20, &mut random));
        for scale in [5e98, 1e-100, 1e-160, 1e-308, 5e-324] {
            let meshes = [&scaled(&a, scale), &scaled(&b, scale)];
            let label = format!("seed {seed}, scale {scale:e}");
            touching += check(&label, meshes, [&Pose::IDENTITY; 2]);
        }
        for distance in [1e8, 1e15, 1e16, 1e300] {
            let stretch = DMat3::from_diagonal(DVec3::new(1.0 + 4e-7, 1.0 - 3e-7, 1.0));
            let offset = DVec3::new(distance, -distance, distance * 0.5);
            let pose_a = Pose::new(random.rotation() * stretch, offset).expect("nearly a rotation");
            let pose_b = Pose::new(random.rotation(), offset).expect("a rotation");
            let label = format!("seed {seed}, {distance:e} away");
            touching += check(&label, [&a, &b], [&pose_a, &pose_b]);
        }
    }
    assert!(touching > 500, "hardly anything touches: {touching}");
}

/// Faces within a distance, on grids where many are at exactly that distance, against `brute`.
#[test]
fn tolerances_by_every_choice() {
    let mut found = 0;
    for seed in 0..4 {
        let mut random = Random::new(700 + seed);
        let (a, b) = (soup(30, &mut random), soup(30, &mut random));
        let turned = Pose::new(random.rotation(), DVec3::splat(1e8)).expect("a rotation");
        let beside = at(1e8 + 3.0, 1e8, 1e8);
        for poses in [[&Pose::IDENTITY, &at(4.0, 1.0, 0.0)], [&turned, &beside]] {
            let mut reference = Pair::with_method(Method::BRUTE, a.clone(), b.clone());
            for tolerance in [1e-300, 0.1, 1.0, 3.0, 1e50, f64::INFINITY] {
                let near = reference.at(poses[0], poses[1]).within(tolerance).expect("a distance");
                let expected = near.contacts().to_vec();
                found += expected.len();
                for choice in choices() {
                    let label = format!("seed {seed}, within {tolerance:e}, {choice:?}");
                    let mut pair = pair_of(choice, [&a, &b]);
                    let near = pair.at(poses[0], poses[1]).within(tolerance).expect("a distance");
                    assert_eq!(near.contacts(), expected, "{label}");
                    let near = pair.at(poses[0], poses[1]).within(tolerance).expect("a distance");
                    assert_eq!(near.intersects(), !expected.is_empty(), "{label}");
                    assert_eq!(
                        pair.distance(poses[0], poses[1]),
                        reference.distance(poses[0], poses[1]),
                        "{label}"
                    );
                }
            }
        }
    }
    assert!(found > 5_000, "only {found} pairs");
}

/// A cell test that looks at the faces themselves leaves fewer candidates than boxes do, and automatic depth leaves far
/// fewer than no subdivision.
#[test]
fn cells_leave_few_candidates() {
    let torus = generate::deformed_torus(1, [60, 20]).expect("enough segments");
    let pose = generate::tumble(1.2, 3).expect("a distance")[1];
    let tests = |options: FaceOctreeOptions| {
        let mut pair = pair_of(Choice::Faces(options), [&torus, &torus]);
        pair.contacts(&Pose::IDENTITY, &pose);
        pair.counts()
    };
    let options = FaceOctreeOptions::default();
    let boxes = tests(options.cell_test(CellTest::Bounds));
    let exact = tests(options.cell_test(CellTest::Exact));
    let undivided = tests(options.depth(SubdivisionDepth::Level(0)));
    assert!(exact.placed < boxes.placed, "{exact:?}, {boxes:?}");
    assert!(boxes.volume_tests * 4 < undivided.volume_tests, "{boxes:?}, {undivided:?}");
    // Each pair of faces whose boxes overlap is compared once, however many cells it shares.
    let deep = tests(options.depth(SubdivisionDepth::Level(6)).cell_test(CellTest::Bounds));
    assert_eq!(deep.face_tests, undivided.face_tests);
    assert_eq!(boxes.face_tests, undivided.face_tests);
}

/// All contacts of some bodies, pair by pair.
fn contacts_of(
    bodies: &[(BodyId, &Mesh, Pose)],
    compares: impl Fn(usize, usize) -> bool,
) -> Vec<Contact> {
    let mut contacts = Vec::new();
    for (i, (a, mesh, pose)) in bodies.iter().enumerate() {
        for (j, (b, other, other_pose)) in bodies.iter().enumerate().skip(i + 1) {
            if compares(i, j) {
                let mut pair = Pair::with_method(Method::BRUTE, (*mesh).clone(), (*other).clone());
                let found = pair.contacts(pose, other_pose);
                contacts.extend(found.iter().map(|&faces| Contact { a: *a, b: *b, faces }));
            }
        }
    }
    contacts
}

/// A crowd with a broad phase and without one, with every choice: the same contacts as those of every pair. Bodies
/// leave the crowd by far and return, some are fixed, some pairs are ignored, some groups do not touch.
#[test]
fn all_bodies_of_a_world_at_once() {
    let meshes = [
        generate::sphere(48).expect("an even number"),
        generate::cuboid(DVec3::new(3.0, 0.2, 0.4)).expect("a size"),
        generate::deformed_torus(2, [12, 6]).expect("enough segments"),
        Mesh::new(vec![DVec3::ZERO; 2], vec![[0, 1, 0]]).expect("a point"),
        Mesh::default(),
    ];
    let (mut checked, mut seed) = (0, 900);
    for choice in choices() {
        seed += 1;
        let mut random = Random::new(seed);
        let shapes = meshes.each_ref().map(|mesh| choice.shape(mesh.clone()));
        let mut worlds = [
            ("packed", World::new()),
            ("unchecked", World::with_broad_phase(AllPairs::unchecked())),
        ];
        let place = |random: &mut Random, far: f64| {
            let at = DVec3::from([(); 3].map(|()| random.range(-3.0, 3.0)));
            Pose::new(random.rotation(), at + DVec3::new(far, -far, 0.0)).expect("a rotation")
        };
        let mut bodies: Vec<(BodyId, usize, Pose, bool, u32)> = Vec::new();
        for i in 0..24 {
            let (shape, pose) = (i % shapes.len(), place(&mut random, 0.0));
            let (is_fixed, group) = (random.below(5) == 0, 1 << random.below(2));
            let mut id = None;
            for (_, world) in &mut worlds {
                let body = Body::new(&shapes[shape]).at(pose).groups(group, 0b01);
                id = Some(world.add(if is_fixed { body.fixed() } else { body }).expect("a body"));
            }
            bodies.push((id.expect("two worlds"), shape, pose, is_fixed, group));
        }
        let ignored = [(0, 1), (2, 7), (5, 12)];
        for (_, world) in &mut worlds {
            for (a, b) in ignored {
                world.ignore(bodies[b].0, bodies[a].0).expect("both are there");
            }
        }
        for step in 0..6 {
            let expected = contacts_of(
                &bodies.iter().map(|b| (b.0, &meshes[b.1], b.2)).collect::<Vec<_>>(),
                |i, j| {
                    let (a, b) = (&bodies[i], &bodies[j]);
                    (!a.3 || !b.3) && !ignored.contains(&(i, j)) && a.4 & b.4 & 1 != 0
                },
            );
            for (name, world) in &mut worlds {
                let label = format!("{name}, seed {seed}, step {step}, {choice:?}");
                let step = world.step();
                let found: Vec<Contact> = step.contacts().collect();
                assert!(found == expected, "{label}: {}, not {}", found.len(), expected.len());
                let stats = step.stats();
                assert_eq!(stats.contacts, expected.len(), "{label}");
                assert!(stats.near >= stats.tested && stats.tested >= stats.touching, "{label}");
                checked += found.len();
            }
            for (id, shape, pose, ..) in &mut bodies {
                // Away from the crowd, by up to 1e12 of its size; back at the next step.
                let far = [0.0, 0.0, 0.0, 1e3, 1e12][random.below(5) as usize];
                *pose = place(&mut random, far);
                if random.below(10) == 0 {
                    *shape = random.below(shapes.len() as u64) as usize;
                }
                for (_, world) in &mut worlds {
                    world.set_pose(*id, *pose).expect("it is there");
                    world.set_shape(*id, &shapes[*shape]).expect("one method");
                }
            }
        }
    }
    assert!(checked > 5_000, "only {checked} contacts");
}

/// Bodies whose vertices all move at each step: nothing of the last step is left.
#[test]
fn deforming_bodies_of_a_world() {
    let rest = generate::deformed_torus(3, [16, 8]).expect("enough segments");
    let mut checked = 0;
    for choice in [
        Choice::Faces(FaceOctreeOptions::default()),
        Choice::Faces(FaceOctreeOptions::default().cell_test(CellTest::Exact)),
        Choice::Cubes(OctreeOptions::default()),
    ] {
        let mut world = World::new();
        let shape = choice.shape(rest.clone());
        let poses = [at(0.0, 0.0, 0.0), at(1.1, 0.3, 0.2), at(0.2, 1.2, -0.1), at(9.0, 0.0, 0.0)];
        let ids = poses.map(|pose| world.add(Body::new(&shape).at(pose)).expect("one method"));
        for step in 0..8 {
            let meshes: Vec<Mesh> = (0..ids.len())
                .map(|body| {
                    let bend = 0.2 * (f64::from(step) + body as f64).sin();
                    let bent = |p: &DVec3| DVec3::new(p.x, p.y + bend * p.x * p.x, p.z + bend);
                    let positions = rest.positions().iter().map(bent).collect();
                    Mesh::new(positions, rest.faces().to_vec()).expect("finite")
                })
                .collect();
            for (&id, mesh) in ids.iter().zip(&meshes) {
                let shape = shape.clone().refitted(mesh.clone()).expect("the same faces");
                world.set_shape(id, &shape).expect("one method");
            }
            let bodies: Vec<_> = ids
                .iter()
                .zip(&meshes)
                .zip(poses)
                .map(|((&id, mesh), pose)| (id, mesh, pose))
                .collect();
            let expected = contacts_of(&bodies, |_, _| true);
            let found: Vec<Contact> = world.step().contacts().collect();
            assert!(found == expected, "{choice:?}, step {step}: {} contacts", found.len());
            checked += found.len();
        }
    }
    assert!(checked > 1_000, "only {checked} contacts");
}

/// A step that searches all bodies at once can be stopped, whether anything is found or not, and then never was.
#[test]
fn a_step_of_all_bodies_can_be_stopped() {
    let point = Mesh::new(vec![DVec3::ZERO], vec![[0, 0, 0]]).expect("a point");
    for method in [Method::FACE_OCTREE, Method::OCTREE] {
        check_stops(&Shape::with_method(method, point.clone()));
    }
}

fn check_stops(shape: &Shape) {
    for (name, mut world) in
        [("packed", World::new()), ("unchecked", World::with_broad_phase(AllPairs::unchecked()))]
    {
        let [a, b] = [(); 2].map(|()| world.add(Body::new(shape)).expect("one method"));
        assert_eq!(world.step().began(), [[a, b]], "{name}");
        let others: Vec<BodyId> =
            (0..1_500).map(|_| world.add(Body::new(shape)).expect("one method")).collect();
        let mut calls = 0;
        let stopped = world.step_watched(|stats| {
            calls += 1;
            assert!(stats.contacts <= 1502 * 1501 / 2, "{name}");
            if calls == 2 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, ControlFlow::Break("enough")), "{name}: {calls} calls");
        // All in groups that do not touch: there is nothing to find.
        for body in world.bodies().collect::<Vec<_>>() {
            world.set_groups(body, 1, 2).expect("it is there");
        }
        let stopped = world.step_watched(|stats| {
            assert_eq!(stats.contacts, 0, "{name}");
            ControlFlow::Break(())
        });
        assert!(stopped.is_break(), "{name}");
        for other in others {
            world.remove(other).expect("it is there");
        }
        for body in [a, b] {
            world.set_groups(body, 1, 1).expect("it is there");
        }
        let step = world.step();
        assert_eq!(step.persisted(), [[a, b]], "{name}");
        let faces: Vec<FacePair> = step.contacts().map(|contact| contact.faces).collect();
        assert_eq!(faces, [FacePair { a: 0, b: 0 }], "{name}");
        assert_eq!(step.began().len() + step.ended().len(), 0, "{name}");
    }
}

//! Bodies that deform, in every world and with every method; and contacts of a body with itself against the oracle.

use crate::{methods, tree_choices, world::worlds};
use impinge::{
    FacePair, Mesh, MeshError, Method, Pose, Shape, SharedBy, Threads, World,
    generate::{self, Random},
    glam::{DVec2, DVec3},
    query::Renewal,
    world::{Body, BodyId, Coherence, Contact, DeformedSearch, WorldError},
};

/// All pairs of faces of two placed meshes that touch: a double loop over the exact test.
fn touching(a: (&Mesh, &Pose), b: (&Mesh, &Pose)) -> Vec<FacePair> {
    let placed = |(mesh, pose): (&Mesh, &Pose)| -> Vec<[DVec3; 3]> {
        mesh.triangles().map(|t| pose.place_triangle(t)).collect()
    };
    let (a, b) = (placed(a), placed(b));
    let mut pairs = Vec::new();
    for (i, s) in (0..).zip(&a) {
        for (j, t) in (0..).zip(&b) {
            if impinge::narrow::triangles_intersect(s, t) {
                pairs.push(FacePair { a: i, b: j });
            }
        }
    }
    pairs
}

/// All pairs of faces of a mesh that are in contact, by the oracle and the definition.
fn own_contacts(mesh: &Mesh, shared_by: SharedBy) -> Vec<FacePair> {
    let corners: Vec<[[f64; 3]; 3]> =
        mesh.triangles().map(|t| t.map(|corner| corner.to_array())).collect();
    let is_same = |v: u32, w: u32| match shared_by {
        SharedBy::Position => mesh.positions()[v as usize] == mesh.positions()[w as usize],
        _ => v == w,
    };
    let mut pairs = Vec::new();
    for i in 0..mesh.faces().len() {
        for j in i + 1..mesh.faces().len() {
            let [f, g] = [mesh.faces()[i], mesh.faces()[j]];
            let mut common: Vec<u32> = Vec::new();
            for v in f {
                if g.iter().any(|&w| is_same(v, w)) && !common.iter().any(|&u| is_same(u, v)) {
                    common.push(v);
                }
            }
            let has_others =
                |face: [u32; 3]| face.iter().any(|&v| !common.iter().any(|&u| is_same(u, v)));
            let is_contact = match common.len() {
                0 => impinge_oracle::triangles_touch(&corners[i], &corners[j]),
                _ if !has_others(f) && !has_others(g) => true,
                _ => {
                    let common: Vec<[f64; 3]> =
                        common.iter().map(|&v| mesh.positions()[v as usize].to_array()).collect();
                    impinge_oracle::meet_beyond(&corners[i], &corners[j], &common)
                }
            };
            if is_contact {
                pairs.push(FacePair { a: i as u32, b: j as u32 });
            }
        }
    }
    pairs
}

fn signed(random: &mut Random) -> f64 {
    random.range(-1.0, 1.0)
}

fn point(random: &mut Random) -> DVec3 {
    DVec3::new(signed(random), signed(random), signed(random))
}

/// Ways to move all vertices of a body that lies within about ±1, from gentle to violent.
fn deformed(rest: &[DVec3], random: &mut Random) -> Vec<DVec3> {
    let kind = random.below(12);
    let share = signed(random);
    rest.iter()
        .map(|&p| match kind {
            0..=4 => DVec3::new(p.x, p.y + 0.5 * share * p.x * p.x, p.z * (1.0 + 0.5 * share)),
            5 => -p,
            6 => DVec3::splat(share),
            7 => p.with_z(0.0),
            8 => p * 1e-12 + DVec3::X,
            9 => p + DVec3::new(1e9, -3e8, 0.0),
            10 => p * 1e60,
            _ => 1.5 * point(random),
        })
        .collect()
}

/// Random deformations and motions, for every method with every broad phase and coherence. Contacts between bodies, and
/// of bodies with themselves, are those of the positions and poses at each step.
#[test]
fn no_answer_of_a_world_is_stale() {
    let ball = generate::sphere(24).unwrap();
    let torus = generate::torus(0.7, 0.3, [5, 4]).unwrap();
    let methods = methods();
    let (mut between, mut own, mut rebuilt, mut refitted, mut in_cells) = (0, 0, 0, 0, 0);
    for (number, (label, _)) in worlds().into_iter().enumerate() {
        // Each world with some of the methods, so that all pairs of both come up over time, at bearable cost.
        for method in methods.iter().skip(number % 3).step_by(3).copied() {
            let (_, mut world) = worlds().swap_remove(number);
            let mut random = Random::new(number as u64);
            let shared = Shape::with_method(method, ball.clone());
            let other = Shape::with_method(method, torus.clone());
            let at = |random: &mut Random| Pose::from_translation(point(random)).unwrap();
            let mut bodies: Vec<(BodyId, Mesh, Pose)> = Vec::new();
            // Contacts of a body with itself make a step refit it; the others may be searched by a face octree.
            for (shape, mesh, is_own) in
                [(&shared, &ball, true), (&shared, &ball, false), (&other, &torus, false)]
            {
                let pose = at(&mut random);
                let body = Body::new(shape).at(pose).self_collision(is_own);
                bodies.push((world.add(body).unwrap(), mesh.clone(), pose));
            }
            world.set_deformed_search(SEARCHES[number % 3]);
            for step in 0..36 {
                for (id, mesh, pose) in &mut bodies {
                    match random.below(5) {
                        0 | 1 => {
                            let rest = if mesh.faces().len() == 24 { &ball } else { &torus };
                            let moved = deformed(rest.positions(), &mut random);
                            world.set_vertices(*id, &moved).unwrap();
                            *mesh = mesh.with_positions(moved).unwrap();
                        }
                        2 => {
                            *pose = at(&mut random);
                            world.set_pose(*id, *pose).unwrap();
                        }
                        3 if random.below(3) == 0 => {
                            *mesh =
                                if mesh.faces().len() == 24 { torus.clone() } else { ball.clone() };
                            world.set_mesh(*id, mesh.clone()).unwrap();
                        }
                        _ => {}
                    }
                }
                let mut expected: Vec<Contact> = Vec::new();
                for (i, (a, mesh_a, pose_a)) in bodies.iter().enumerate() {
                    let anew = Shape::with_method(Method::NAIVE, mesh_a.clone());
                    let anew = if i == 0 { anew } else { Shape::new(Mesh::default()) };
                    for faces in anew.self_query().contacts() {
                        expected.push(Contact { a: *a, b: *a, faces });
                        own += 1;
                    }
                    for (b, mesh_b, pose_b) in &bodies[i + 1..] {
                        for faces in touching((mesh_a, pose_a), (mesh_b, pose_b)) {
                            expected.push(Contact { a: *a, b: *b, faces });
                            between += 1;
                        }
                    }
                }
                let found: Vec<Contact> = world.step().contacts().collect();
                let stats = world.last_step().stats();
                (rebuilt, refitted) = (rebuilt + stats.rebuilt, refitted + stats.refitted);
                in_cells += stats.in_cells;
                assert!(
                    found == expected,
                    "{method}, world {number} ({label}), step {step}: {} contacts, expected {}",
                    found.len(),
                    expected.len()
                );
            }
        }
    }
    assert!(between > 10_000 && own > 10_000, "{between} contacts of two bodies, {own} of one");
    assert!(
        rebuilt > 250 && refitted > 250 && in_cells > 150,
        "{rebuilt} rebuilt, {refitted} refitted, {in_cells} in cells"
    );
}

const SEARCHES: [DeformedSearch; 3] =
    [DeformedSearch::Auto, DeformedSearch::Refit, DeformedSearch::FaceOctree];

/// A world that changes its search of deformed bodies between steps reports the same contacts, and the same pairs that
/// began, persisted and ended, as one with the method `brute`.
#[test]
fn a_world_can_switch_its_search_of_deformed_bodies() {
    let ball = generate::sphere(528).unwrap();
    let torus = generate::torus(0.7, 0.3, [12, 10]).unwrap();
    // Bodies as large as this are refitted at other costs, and fixed ones count as faces to be placed.
    let floor = generate::terrain(80, 80, DVec2::new(12.0, 12.0), |_, _| -0.8).unwrap();
    let (mut in_cells, mut renewed, mut contacts) = (0, 0, 0);
    let mut pairs = [0; 3];
    for seed in 0..12u64 {
        let mut random = Random::new(seed);
        let has_floor = seed % 3 == 0;
        let threads = if seed % 2 == 0 { Threads::One } else { Threads::Pool };
        let make = |method: Method| {
            let mut random = Random::new(seed);
            let mut world = World::new();
            world.set_threads(threads);
            let mut ids: Vec<BodyId> = Vec::new();
            let shapes = [&ball, &torus].map(|mesh| Shape::with_method(method, mesh.clone()));
            for i in 0..10u32 {
                let place = DVec3::from([i % 3, i / 3 % 3, i / 9].map(f64::from));
                let pose = Pose::new(random.rotation(), 1.9 * place).unwrap();
                let body = Body::new(&shapes[(i % 2) as usize]).at(pose);
                ids.push(world.add(body).unwrap());
            }
            if has_floor {
                let shape = Shape::with_method(method, floor.clone());
                ids.push(world.add(Body::new(&shape).fixed()).unwrap());
            }
            (world, ids)
        };
        let (mut world, ids) = make(Method::WIDE);
        let (mut reference, same_ids) = make(Method::BRUTE);
        assert_eq!(ids, same_ids);
        for step in 0..8 {
            let search = SEARCHES[random.below(3) as usize];
            world.set_deformed_search(search);
            for (i, &id) in ids.iter().enumerate().take(10) {
                let rest = if i % 2 == 0 { &ball } else { &torus };
                // Some rest, and some are large enough to be deep in others.
                if random.below(4) > 0 {
                    let size = [0.9, 1.0, 1.4][random.below(3) as usize];
                    let phase = random.unit();
                    let bump = |p: &DVec3| *p * size * (1.0 + 0.03 * (9.0 * p.x + phase).sin());
                    let moved: Vec<DVec3> = rest.positions().iter().map(bump).collect();
                    world.set_vertices(id, &moved).unwrap();
                    reference.set_vertices(id, &moved).unwrap();
                }
                // A query between steps needs what was prepared.
                if random.below(8) == 0 {
                    let shape = world.shape(id).unwrap();
                    let expected = reference.shape(id).unwrap().self_query().intersects();
                    assert_eq!(shape.self_query().intersects(), expected, "seed {seed}");
                }
            }
            let label = format!("seed {seed}, step {step}, {search:?}");
            let (found, expected) = (world.step(), reference.step());
            assert_eq!(found.began(), expected.began(), "{label}");
            assert_eq!(found.persisted(), expected.persisted(), "{label}");
            assert_eq!(found.ended(), expected.ended(), "{label}");
            let all: Vec<Contact> = found.contacts().collect();
            assert!(all == expected.contacts().collect::<Vec<_>>(), "{label}: other contacts");
            contacts += all.len();
            for (count, list) in
                pairs.iter_mut().zip([found.began(), found.persisted(), found.ended()])
            {
                *count += list.len();
            }
            let stats = found.stats();
            in_cells += stats.in_cells;
            renewed += stats.refitted + stats.rebuilt;
        }
    }
    assert!(contacts > 10_000 && pairs.iter().all(|&count| count > 50), "{contacts}, {pairs:?}");
    assert!(in_cells > 200 && renewed > 100, "{in_cells} pairs in cells, {renewed} renewed");
}

/// The search that a world chooses by itself: a face octree where few faces are near other bodies, a refit where many
/// are, where bodies have stopped to deform, and beside a large body that does not deform. Nothing is done about bodies
/// that are near no other.
#[test]
fn a_world_chooses_by_numbers_of_faces() {
    let ball = generate::sphere(3_968).unwrap();
    let large = generate::sphere(200_000).unwrap();
    // How many pairs are searched by a face octree, and how many bodies are renewed, in the first step after both balls
    // have deformed, and in the next step.
    let chosen = |distance: f64, other: Option<&Mesh>, threads: Threads| {
        let mut world = World::new();
        world.set_threads(threads);
        let at = Pose::from_translation(DVec3::new(distance, 0.0, 0.0)).unwrap();
        let shape = Shape::new(ball.clone());
        let a = world.add(Body::new(&shape)).unwrap();
        let b = match other {
            None => world.add(Body::new(&shape).at(at)).unwrap(),
            Some(mesh) => world.add(Body::new(&Shape::new(mesh.clone())).at(at)).unwrap(),
        };
        let moved: Vec<DVec3> = ball.positions().iter().map(|p| p.with_z(0.9 * p.z)).collect();
        world.set_vertices(a, &moved).unwrap();
        if other.is_none() {
            world.set_vertices(b, &moved).unwrap();
        }
        [0; 2].map(|_| {
            let stats = world.step().stats();
            (stats.in_cells, stats.refitted + stats.rebuilt)
        })
    };
    assert_eq!(chosen(5.0, None, Threads::One), [(0, 0), (0, 0)], "apart");
    assert_eq!(chosen(1.98, None, Threads::One), [(1, 0), (0, 2)], "just touching");
    assert_eq!(chosen(0.3, None, Threads::One), [(0, 2), (0, 0)], "crossing");
    assert_eq!(chosen(1.98, Some(&large), Threads::One), [(0, 1), (0, 0)], "a large body");
    assert_eq!(chosen(0.3, None, Threads::Pool), [(0, 2), (0, 0)], "crossing, all threads");
}

/// A tree that is refitted gives the right answers whatever the positions were before and are now.
#[test]
fn refitted_shapes_answer_as_new_ones() {
    let rest = generate::torus(0.7, 0.3, [6, 5]).unwrap();
    let chair = generate::scaled_to_cube(&generate::chair(), 1.6).unwrap();
    let pose = Pose::from_translation(DVec3::new(0.3, 0.1, -0.2)).unwrap();
    let labelled = methods().into_iter().map(|method| {
        (
            method.to_string(),
            Shape::with_method(method, rest.clone()),
            Shape::with_method(method, chair.clone()),
        )
    });
    let choices = tree_choices().into_iter().map(|(method, options, _)| {
        let shape = |mesh: &Mesh| Shape::build((method, options), mesh.clone());
        (format!("{method} {options:?}"), shape(&rest), shape(&chair))
    });
    let mut checked = 0;
    for (label, mut shape, other) in labelled.chain(choices) {
        let mut random = Random::new(7);
        for step in 0..24 {
            let moved = deformed(rest.positions(), &mut random);
            let threads = if step % 2 == 0 { Threads::One } else { Threads::Pool };
            shape.set_positions_on(&moved, threads).unwrap();
            let mesh = rest.with_positions(moved).unwrap();
            assert_eq!(**shape.mesh(), mesh, "{label}, step {step}");
            let expected = touching((&mesh, &pose), (&chair, &Pose::IDENTITY));
            let found = impinge::contacts((&shape, &pose), (&other, &Pose::IDENTITY)).unwrap();
            assert!(
                found == expected,
                "{label}, step {step}: {} and {}",
                found.len(),
                expected.len()
            );
            let back = impinge::contacts((&other, &Pose::IDENTITY), (&shape, &pose)).unwrap();
            assert_eq!(back.len(), expected.len(), "{label}, step {step}, exchanged");
            checked += expected.len();
        }
    }
    assert!(checked > 5_000, "only {checked} contacts");
}

/// A violent deformation makes a tree be built anew, a gentle one does not.
#[test]
fn poor_fits_are_built_anew() {
    let rest = generate::sphere(5_000).unwrap();
    for method in
        [Method::WIDE, Method::BOXTREE, Method::AABB, Method::OBB, Method::DOP18, Method::SPHERE]
    {
        let mut shape = Shape::with_method(method, rest.clone());
        for step in 1..=6 {
            let bend = 0.03 * f64::from(step);
            let bent: Vec<DVec3> =
                rest.positions().iter().map(|p| p.with_y(p.y + bend * p.x * p.x)).collect();
            assert_eq!(
                shape.set_positions(&bent).unwrap(),
                Renewal::Refitted,
                "{method}, step {step}"
            );
        }
        let mut random = Random::new(3);
        let scattered: Vec<DVec3> = rest.positions().iter().map(|_| point(&mut random)).collect();
        assert_eq!(
            shape.set_positions(&scattered).unwrap(),
            Renewal::Rebuilt,
            "{method}: scattered"
        );
        assert_eq!(
            shape.set_positions(&scattered).unwrap(),
            Renewal::Refitted,
            "{method}: the same again"
        );
        // All in one point, and out again.
        let collapsed = vec![DVec3::ONE; scattered.len()];
        shape.set_positions(&collapsed).unwrap();
        shape = shape.with_mesh(shape.mesh().clone(), Threads::One);
        assert_eq!(
            shape.set_positions(&collapsed).unwrap(),
            Renewal::Refitted,
            "{method}: a point"
        );
        assert_eq!(
            shape.set_positions(rest.positions()).unwrap(),
            Renewal::Rebuilt,
            "{method}: spread"
        );
    }
}

#[test]
fn wrong_positions_change_nothing() {
    let ball = generate::sphere(80).unwrap();
    let shape = Shape::new(ball.clone());
    let mut world = World::new();
    world.set_coherence(Coherence::default());
    let beside = Pose::from_translation(DVec3::new(1.9, 0.0, 0.0)).unwrap();
    let a = world.add(Body::new(&shape)).unwrap();
    let b = world.add(Body::new(&shape).at(beside)).unwrap();
    let before: Vec<Contact> = world.step().contacts().collect();
    assert!(!before.is_empty());
    let vertices = ball.positions().len();
    let mut bad = ball.positions().to_vec();
    bad[5].y = f64::NAN;
    let mut large = ball.positions().to_vec();
    large[6].z = 1e101;
    for (positions, source) in [
        (vec![], MeshError::VertexCount { expected: vertices, found: 0 }),
        (
            vec![DVec3::ZERO; vertices + 1],
            MeshError::VertexCount { expected: vertices, found: vertices + 1 },
        ),
        (large, MeshError::TooLarge { vertex: 6, axis: 2, value: 1e101 }),
    ] {
        assert_eq!(world.set_vertices(a, &positions), Err(WorldError::Mesh { body: a, source }));
    }
    let error = world.set_vertices(a, &bad).unwrap_err();
    assert_eq!(
        error.to_string(),
        "body 0: vertex 5 has the y coordinate NaN, which is not a finite number"
    );
    assert_eq!(**world.shape(a).unwrap().mesh(), ball);
    assert_eq!(world.step().contacts().collect::<Vec<_>>(), before);
    world.remove(b).unwrap();
    assert_eq!(world.set_vertices(b, ball.positions()), Err(WorldError::NoSuchBody { body: b }));
    assert_eq!(world.set_mesh(b, ball.clone()), Err(WorldError::NoSuchBody { body: b }));
    assert_eq!(world.set_self_collision(b, true), Err(WorldError::NoSuchBody { body: b }));
}

/// Bodies, pairs and callers that share a shape keep it when one body deforms.
#[test]
fn only_the_named_body_deforms() {
    let ball = generate::sphere(80).unwrap();
    for method in methods() {
        let shape = Shape::with_method(method, ball.clone());
        let mut world = World::new();
        let far = Pose::from_translation(DVec3::new(9.0, 0.0, 0.0)).unwrap();
        let a = world.add(Body::new(&shape)).unwrap();
        let b = world.add(Body::new(&shape).at(far)).unwrap();
        let grown: Vec<DVec3> = ball.positions().iter().map(|p| 9.0 * *p).collect();
        world.set_vertices(a, &grown).unwrap();
        assert_eq!(shape.mesh().positions(), ball.positions(), "{method}");
        assert_eq!(world.shape(b).unwrap().mesh().positions(), ball.positions(), "{method}");
        assert_eq!(world.bounds(b).unwrap(), shape.placed_bounds(&far), "{method}");
        assert_eq!(world.step().began(), [[a, b]], "{method}");
        let expected = touching((world.shape(a).unwrap().mesh(), &Pose::IDENTITY), (&ball, &far));
        let found: Vec<FacePair> = world.last_step().contacts().map(|c| c.faces).collect();
        assert_eq!(found, expected, "{method}");
    }
}

/// Soups in which faces share vertices by index, by position or not at all, with degenerate and duplicate faces.
fn knotted_soup(random: &mut Random) -> Mesh {
    let coordinate = |random: &mut Random| match random.below(3) {
        0 => (signed(random) * 2.0).round(),
        1 => (signed(random) * 4.0).round() / 4.0,
        _ => signed(random),
    };
    let flat = random.below(3) == 0;
    let vertices = 6 + random.below(14) as usize;
    let mut positions: Vec<DVec3> = (0..vertices)
        .map(|_| {
            let p = DVec3::new(coordinate(random), coordinate(random), coordinate(random));
            if flat { p.with_z(0.0) } else { p }
        })
        .collect();
    // Some vertices at the places of others.
    for _ in 0..vertices / 4 {
        let from = random.below(vertices as u64) as usize;
        positions.push(positions[from]);
    }
    let count = positions.len() as u64;
    let mut faces: Vec<[u32; 3]> =
        (0..18).map(|_| [0; 3].map(|_| random.below(count) as u32)).collect();
    let [i, j] = [0; 2].map(|_| random.below(18) as usize);
    faces.push([faces[i][1], faces[i][2], faces[i][0]]);
    faces.push([faces[j][0], faces[j][0], faces[j][1]]);
    Mesh::new(positions, faces).expect("valid positions")
}

#[test]
fn contacts_of_a_body_with_itself_are_those_of_the_oracle() {
    let mut found = [0; 2];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mesh = knotted_soup(&mut random);
        for (kind, shared_by) in [SharedBy::Index, SharedBy::Position].into_iter().enumerate() {
            let expected = own_contacts(&mesh, shared_by);
            found[kind] += expected.len();
            for method in methods() {
                let shape = Shape::with_method(method, mesh.clone());
                let query = shape.self_query().shared_by(shared_by);
                assert_eq!(query.contacts(), expected, "{method}, seed {seed}, {shared_by:?}");
                let on_pool = query.threads(Threads::Pool).contacts();
                assert_eq!(
                    on_pool, expected,
                    "{method}, seed {seed}, {shared_by:?}, on all threads"
                );
                assert_eq!(query.intersects(), !expected.is_empty(), "{method}, seed {seed}");
            }
        }
    }
    assert!(found.iter().all(|&count| count > 1_000), "{found:?}");
}

/// Larger bodies, compared with `naive`, which proposes every pair.
#[test]
fn methods_agree_about_bodies_that_fold() {
    let flat = generate::terrain(24, 16, impinge::glam::DVec2::new(3.0, 2.0), |_, _| 0.0).unwrap();
    let roll = |turns: f64| -> Mesh {
        let place = |p: &DVec3| {
            let (sin, cos) = (turns * p.x).sin_cos();
            DVec3::new((1.0 + 0.1 * p.x) * cos, p.y + 0.2 * p.x, (1.0 + 0.1 * p.x) * sin)
        };
        flat.with_positions(flat.positions().iter().map(place).collect()).unwrap()
    };
    let folded = |p: &DVec3| DVec3::new(p.x.abs(), p.y, 0.0);
    let folded = flat.with_positions(flat.positions().iter().map(folded).collect()).unwrap();
    let knot = generate::deformed_torus(4, [60, 16]).unwrap();
    let crossed = knot
        .with_positions(knot.positions().iter().map(|p| p.with_z(0.3 * p.z * p.x)).collect())
        .unwrap();
    let mut counts = Vec::new();
    for (label, mesh) in [
        ("flat", flat.clone()),
        ("rolled", roll(1.0)),
        ("rolled twice", roll(4.5)),
        ("folded", folded),
        ("crossed", crossed),
        ("empty", Mesh::default()),
    ] {
        let expected = Shape::with_method(Method::NAIVE, mesh.clone()).self_query().contacts();
        for method in methods() {
            let shape = Shape::with_method(method, mesh.clone());
            for threads in [Threads::One, Threads::Pool] {
                let found = shape.self_query().threads(threads).contacts();
                assert!(
                    found == expected,
                    "{label}, {method}, {threads:?}: {} contacts, expected {}",
                    found.len(),
                    expected.len()
                );
            }
        }
        counts.push((label, expected.len()));
    }
    let of = |name: &str| counts.iter().find(|(label, _)| *label == name).unwrap().1;
    assert_eq!((of("flat"), of("rolled"), of("empty")), (0, 0, 0), "{counts:?}");
    assert!(of("folded") > 700 && of("crossed") > 50, "{counts:?}");
}

/// Fans of faces around a vertex, nearly flat, nearly folded or exactly so, near the origin and far away: what `wide`
/// clears in single precision, `naive` decides exactly.
#[test]
fn nearly_folded_neighbours_are_decided_exactly() {
    let (mut found, mut clear) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let off = [0.0, 1e-12, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2][random.below(7) as usize];
        let far = [0.0, 1.0, 1e3, 1e6][random.below(4) as usize] * point(&mut random);
        let mut positions = vec![DVec3::ZERO];
        for _ in 0..9 {
            // Directions that coincide now and then.
            let angle = f64::from(random.below(8) as u32) * 0.8 + off * signed(&mut random);
            let radius = 0.5 + 0.5 * f64::from(random.below(3) as u32);
            positions.push(DVec3::new(
                radius * angle.cos(),
                radius * angle.sin(),
                off * signed(&mut random),
            ));
        }
        let positions = positions.into_iter().map(|p| p + far).collect();
        let mut faces = Vec::new();
        for _ in 0..24 {
            let [i, j, k] = [0; 3].map(|_| 1 + random.below(9) as u32);
            faces.push(if random.below(4) == 0 { [i, j, k] } else { [0, i, j] });
        }
        let mesh = Mesh::new(positions, faces).unwrap();
        let expected = Shape::with_method(Method::NAIVE, mesh.clone()).self_query().contacts();
        let contacts = Shape::new(mesh).self_query().contacts();
        assert_eq!(contacts, expected, "seed {seed}, off by {off}, at {far}");
        found += expected.len();
        clear += 24 * 23 / 2 - expected.len();
    }
    // Of 110,400 pairs of faces a tenth are in contact: most share a vertex and point in different directions.
    assert!(found > 10_000 && clear > 50_000, "{found} contacts, {clear} pairs without");
}

/// A step reports a body that touches itself as a pair, and searches it again only when its shape has changed.
#[test]
fn worlds_report_contacts_of_a_body_with_itself() {
    let flat = generate::terrain(6, 4, impinge::glam::DVec2::new(3.0, 2.0), |_, _| 0.0).unwrap();
    let folded: Vec<DVec3> = flat.positions().iter().map(|p| p.with_x(p.x.abs())).collect();
    let mut world = World::new();
    let body = world.add(Body::new(&Shape::new(flat.clone()))).unwrap();
    world.set_vertices(body, &folded).unwrap();
    assert_eq!(world.step().pairs().len(), 0, "off by default");
    world.set_self_collision(body, true).unwrap();
    let step = world.step();
    assert_eq!(step.began(), [[body, body]]);
    let expected = own_contacts(&flat.with_positions(folded.clone()).unwrap(), SharedBy::Index);
    assert_eq!(step.contacts().map(|c| c.faces).collect::<Vec<_>>(), expected);
    assert!(step.stats().tests.face_tests > 0 && step.stats().contacts == expected.len());
    world.set_pose(body, Pose::from_translation(DVec3::new(1e3, 0.1, 0.0)).unwrap()).unwrap();
    let step = world.step();
    assert_eq!((step.persisted(), step.stats().tests.face_tests), (&[[body, body]][..], 0));
    world.set_vertices(body, flat.positions()).unwrap();
    assert_eq!(world.step().ended(), [[body, body]]);
    world.set_vertices(body, &folded).unwrap();
    assert_eq!(world.step().pairs().len(), 1);
    world.remove(body).unwrap();
    assert_eq!(world.step().ended(), [[body, body]]);
    let again = world.add(Body::new(&Shape::new(flat)).self_collision(false)).unwrap();
    world.set_vertices(again, &folded).unwrap();
    assert_eq!(world.step().pairs().len(), 0, "another body with the same index");
}

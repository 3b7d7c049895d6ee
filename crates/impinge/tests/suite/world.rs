//! Worlds against every pair of bodies, through random lives; and what is promised of handles, groups,
//! queries and errors.

use impinge::{
    Bounds, FacePair, Mesh, Method, Pair, Pose, Shape, Threads, World,
    broad::{AllPairs, DynamicTree, Packed, Sweep},
    generate::{self, Random},
    glam::{DMat3, DVec3},
    world::{Body, BodyId, BodyPair, Coherence, Contact, WorldError},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

/// Worlds with every broad phase, and with every way to remember pairs. The default, without coherence, comes
/// first.
pub(crate) fn worlds() -> Vec<(String, World)> {
    let sweep = |k: usize| World::with_broad_phase(Sweep::directions(k).expect("a k-DOP"));
    let hulls = |k: usize| World::with_broad_phase(Sweep::hull_directions(k).expect("a k-DOP"));
    let mut worlds = vec![
        ("default".to_owned(), World::new()),
        ("packed".to_owned(), World::with_broad_phase(Packed::new())),
        ("all pairs".to_owned(), World::with_broad_phase(AllPairs::new())),
        ("boxes".to_owned(), World::with_broad_phase(AllPairs::boxes())),
        ("spheres".to_owned(), World::with_broad_phase(AllPairs::spheres())),
        ("unchecked".to_owned(), World::with_broad_phase(AllPairs::unchecked())),
        ("sweep".to_owned(), World::with_broad_phase(Sweep::axes())),
        ("tree".to_owned(), World::with_broad_phase(DynamicTree::new())),
    ];
    for k in [6, 8, 12, 14, 18, 20, 26] {
        worlds.push((format!("directions{k}"), sweep(k)));
    }
    worlds.push(("hull-directions14".to_owned(), hulls(14)));
    worlds.push(("hull-directions20".to_owned(), hulls(20)));
    let all = Coherence::default();
    let coherence = [
        ("nothing", Coherence::NONE),
        ("all", all),
        ("skips", all.fronts(false)),
        ("fronts", all.skips(false)),
        ("little", all.bytes(1500)),
        ("hardly anything", all.bytes(200)),
    ];
    // Each broad phase with another way to remember, and the default with all of them, on one thread and more.
    for ((_, world), (_, coherence)) in worlds.iter_mut().skip(1).zip(coherence.iter().cycle()) {
        world.set_coherence(*coherence);
    }
    for (name, coherence) in coherence {
        for (threads, place) in [(Threads::One, "one thread"), (Threads::Pool, "all threads")] {
            let mut world = World::new();
            world.set_coherence(coherence);
            world.set_threads(threads);
            worlds.push((format!("remembering {name} on {place}"), world));
        }
    }
    worlds
}

/// Shapes of all kinds, in one size.
fn shapes(method: Method, size: f64) -> Vec<Shape> {
    let scaled = |mesh: Mesh| {
        let positions = mesh.positions().iter().map(|&p| p * size).collect();
        Mesh::new(positions, mesh.faces().to_vec()).expect("as before")
    };
    let meshes = [
        generate::sphere(48).expect("an even number"),
        generate::cuboid(DVec3::new(1.0, 2.0, 0.5)).expect("a size"),
        generate::cuboid(DVec3::new(9.0, 0.1, 0.1)).expect("a size"),
        Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).expect("a triangle"),
        Mesh::new(vec![DVec3::ONE], vec![[0, 0, 0]]).expect("a point"),
        Mesh::default(),
    ];
    meshes.into_iter().map(|mesh| Shape::with_method(method, scaled(mesh))).collect()
}

/// What is expected of a world.
#[derive(Default)]
struct Twin {
    bodies: BTreeMap<BodyId, TwinBody>,
    ignored: BTreeSet<BodyPair>,
    touching: BTreeSet<BodyPair>,
    teleported: BTreeSet<BodyId>,
}

struct TwinBody {
    shape: usize,
    pose: Pose,
    is_fixed: bool,
    groups: [u32; 2],
}

/// All contacts of the bodies, by brute force.
fn contacts(
    bodies: &BTreeMap<BodyId, TwinBody>,
    ignored: &BTreeSet<BodyPair>,
    shapes: &[Shape],
) -> Vec<Contact> {
    let mut contacts = Vec::new();
    for (&a, body) in bodies {
        for (&b, other) in bodies.range(a..).skip(1) {
            let heeds =
                body.groups[0] & other.groups[1] != 0 && other.groups[0] & body.groups[1] != 0;
            if (body.is_fixed && other.is_fixed) || ignored.contains(&[a, b]) || !heeds {
                continue;
            }
            let meshes = [&shapes[body.shape], &shapes[other.shape]].map(Shape::mesh);
            let mut pair = Pair::with_method(Method::BRUTE, meshes[0].clone(), meshes[1].clone());
            let found = pair.contacts(&body.pose, &other.pose);
            contacts.extend(found.iter().map(|&faces| Contact { a, b, faces }));
        }
    }
    contacts
}

impl Twin {
    /// Compares a step with every pair of bodies. Returns how many contacts there are.
    fn check(&mut self, label: &str, world: &mut World, contacts: &[Contact]) -> usize {
        let step = world.step();
        let found: Vec<Contact> = step.contacts().collect();
        assert!(found == contacts, "{label}: {} contacts, not {}", found.len(), contacts.len());
        let now: BTreeSet<BodyPair> = contacts.iter().map(|c| [c.a, c.b]).collect();
        let pairs: Vec<BodyPair> = step.pairs().map(|touch| [touch.a, touch.b]).collect();
        assert_eq!(pairs, now.iter().copied().collect::<Vec<_>>(), "{label}");
        let is_new = |pair: &BodyPair| {
            !self.touching.contains(pair) || pair.iter().any(|body| self.teleported.contains(body))
        };
        let began: Vec<BodyPair> = now.iter().copied().filter(is_new).collect();
        let persisted: Vec<BodyPair> = now.iter().copied().filter(|pair| !is_new(pair)).collect();
        let has_ended = |pair: &BodyPair| !now.contains(pair) || is_new(pair);
        let ended: Vec<BodyPair> = self.touching.iter().copied().filter(has_ended).collect();
        assert_eq!(step.began(), began, "{label}: began");
        assert_eq!(step.persisted(), persisted, "{label}: persisted");
        assert_eq!(step.ended(), ended, "{label}: ended");
        let stats = step.stats();
        assert_eq!([stats.touching, stats.contacts], [now.len(), contacts.len()], "{label}");
        assert!(stats.near >= stats.tested + stats.skipped, "{label}");
        assert!(stats.tested >= stats.touching, "{label}");
        assert_eq!(stats.bodies, self.bodies.len(), "{label}");
        self.touching = now;
        self.teleported.clear();
        found.len()
    }
}

fn pose(random: &mut Random, room: f64, far: DVec3) -> Pose {
    let rotation = if random.below(3) == 0 { DMat3::IDENTITY } else { random.rotation() };
    let place = DVec3::from_array([(); 3].map(|()| random.range(-room, room)));
    Pose::new(rotation, place + far).expect("a rotation")
}

/// Bodies that hardly move are skipped again and again, and never for too long: they drift, turn, stand still,
/// jump, deform and are replaced. With every method, whose searches prove that bodies are apart.
#[test]
fn bodies_that_move_little_are_skipped_but_never_missed() {
    let (mut checked, mut skipped) = (0, 0);
    for (seed, method) in (100..).zip(crate::methods()) {
        let (contacts, skips) = drift(seed, method, 1.0, DVec3::ZERO);
        checked += contacts;
        skipped += skips;
    }
    for (seed, size, far) in [(200, 1.0, 1e9), (201, 1e-9, 0.0), (202, 1e9, 1e12), (203, 1e-9, 1.0)]
    {
        let (contacts, skips) = drift(seed, Method::WIDE, size, DVec3::splat(far));
        checked += contacts;
        skipped += skips;
    }
    assert!(checked > 5_000 && skipped > 10_000, "{checked} contacts, {skipped} pairs skipped");
}

/// A crowd of bodies that move slowly. Returns how many contacts there were, and how many pairs were skipped.
fn drift(seed: u64, method: Method, size: f64, far: DVec3) -> (usize, usize) {
    let shapes = shapes(method, size);
    let mut random = Random::new(seed);
    let mut worlds = worlds();
    worlds.retain(|(name, _)| {
        name.starts_with("remembering") || name == "spheres" || name == "unchecked"
    });
    let mut bodies: BTreeMap<BodyId, TwinBody> = BTreeMap::new();
    let mut motions: BTreeMap<BodyId, (DVec3, DVec3)> = BTreeMap::new();
    let (mut checked, mut skipped) = (0, 0);
    for step in 0..60 {
        let label = format!("{method}, seed {seed}, step {step}");
        let count = if step == 0 { 14 } else { u64::from(random.below(8) == 0) };
        for _ in 0..count {
            let shape = random.below(shapes.len() as u64) as usize;
            let at = pose(&mut random, 2.0 * size, far);
            let is_fixed = random.below(6) == 0;
            let mut known = None;
            for (name, world) in &mut worlds {
                let body = Body::new(&shapes[shape]).at(at);
                let id = world.add(if is_fixed { body.fixed() } else { body }).expect("one method");
                assert_eq!(*known.get_or_insert(id), id, "{name}: {label}");
            }
            let id = known.expect("there are worlds");
            bodies.insert(id, TwinBody { shape, pose: at, is_fixed, groups: [!0; 2] });
            let speed = [0.0, 1e-3, 0.02, 0.1][random.below(4) as usize];
            motions.insert(id, (random.direction() * speed, random.direction() * speed));
        }
        let ids: Vec<BodyId> = bodies.keys().copied().collect();
        for id in ids {
            let body = bodies.get_mut(&id).expect("it is there");
            let (by, turn) = motions[&id];
            let way = random.below(100);
            match way {
                // Removed; the next body gets its number.
                0 => {
                    bodies.remove(&id);
                    for (_, world) in &mut worlds {
                        world.remove(id).expect("it is there");
                    }
                    continue;
                }
                // Another shape at the same place, as a body that deforms.
                1 | 2 => {
                    body.shape = random.below(shapes.len() as u64) as usize;
                    for (_, world) in &mut worlds {
                        world.set_shape(id, &shapes[body.shape]).expect("one method");
                    }
                }
                3 => body.pose = pose(&mut random, 2.0 * size, far),
                // A moment of rest; or a pose that is set again.
                4..20 => {}
                _ => {
                    let rotation = match turn.length() {
                        0.0 => body.pose.rotation(),
                        angle => {
                            let turn = DMat3::from_axis_angle(turn / angle, angle);
                            DMat3::from_quat(
                                Pose::new(turn, DVec3::ZERO).expect("one").to_quat()
                                    * body.pose.to_quat(),
                            )
                        }
                    };
                    let place = body.pose.translation() + by * size;
                    body.pose = Pose::new(rotation, place).expect("a rotation");
                }
            }
            for (_, world) in &mut worlds {
                match way {
                    3 => world.teleport(id, body.pose).expect("it is there"),
                    4..12 => {}
                    _ => world.set_pose(id, body.pose).expect("it is there"),
                }
            }
        }
        let expected = contacts(&bodies, &BTreeSet::new(), &shapes);
        for (name, world) in &mut worlds {
            let step = world.step();
            let found: Vec<Contact> = step.contacts().collect();
            assert!(found == expected, "{name}: {label}: {} not {}", found.len(), expected.len());
            checked += found.len();
            skipped += step.stats().skipped;
            // What is remembered is forgotten now and then, and learned again.
            if random.below(200) == 0 {
                world.set_coherence(Coherence::default());
            }
        }
    }
    (checked, skipped)
}

/// A body that deforms at each step: its shape is refitted, and contacts are those of the deformed meshes.
#[test]
fn deforming_bodies_are_never_skipped_by_what_they_were() {
    let mut checked = 0;
    for method in crate::methods() {
        let ball = generate::sphere(80).expect("an even number");
        let stretched = |z: f64| {
            let positions = ball.positions().iter().map(|p| p.with_z(z * p.z)).collect();
            Mesh::new(positions, ball.faces().to_vec()).expect("finite")
        };
        let mut world = World::new();
        world.set_coherence(Coherence::default());
        let mut shape = Shape::with_method(method, ball.clone());
        let other = Shape::with_method(method, ball.clone());
        let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.0, z)).expect("finite");
        let a = world.add(Body::new(&shape)).expect("one method");
        let b = world.add(Body::new(&other).at(at(0.5, 2.2))).expect("one method");
        for step in 0..40 {
            let z = 1.0 + 0.4 * (f64::from(step) * 0.35).sin();
            shape = shape.refitted(stretched(z)).expect("the same faces");
            world.set_shape(a, &shape).expect("one method");
            let beside = at(0.5, 2.2 + 1e-3 * f64::from(step % 3));
            world.set_pose(b, beside).expect("it is there");
            let mut pair = Pair::with_method(Method::BRUTE, stretched(z), ball.clone());
            let expected = pair.contacts(&Pose::IDENTITY, &beside).to_vec();
            let found: Vec<FacePair> = world.step().contacts().map(|c| c.faces).collect();
            assert_eq!(found, expected, "{method}, step {step}");
            checked += found.len();
        }
        let wide = Shape::new(Mesh::default());
        if method != Method::WIDE {
            assert!(matches!(world.set_shape(a, &wide), Err(WorldError::Method { .. })));
        }
        world.remove(a).expect("it is there");
        assert_eq!(world.set_shape(a, &shape), Err(WorldError::NoSuchBody { body: a }));
    }
    assert!(checked > 500, "only {checked} contacts");
}

#[test]
fn a_world_finds_what_every_pair_finds() {
    let mut checked = 0;
    for seed in 0..10 {
        checked += live(seed, Method::WIDE, 1.0, DVec3::ZERO);
    }
    for (seed, method) in (10..).zip(crate::methods()) {
        checked += live(seed, method, 1.0, DVec3::ZERO);
    }
    assert!(checked > 10_000, "only {checked} contacts");
}

#[test]
fn far_away_and_in_all_sizes() {
    let mut checked = 0;
    for (seed, size, far) in
        [(50, 1.0, 1e12), (51, 1e-9, 0.0), (52, 1e9, 0.0), (53, 1e-9, 1e9), (54, 1e-9, 1.0)]
    {
        checked += live(seed, Method::WIDE, size, DVec3::splat(far));
    }
    assert!(checked > 1_000, "only {checked} contacts");
}

/// A life of a world: returns how many contacts there were.
fn live(seed: u64, method: Method, size: f64, far: DVec3) -> usize {
    let shapes = shapes(method, size);
    let room = 3.0 * size;
    let mut checked = 0;
    let mut worlds = worlds();
    let mut twins: Vec<Twin> = worlds.iter().map(|_| Twin::default()).collect();
    let mut random = Random::new(seed);
    let mut removed = Vec::new();
    for step in 0..15 {
        let label = format!("{method}, seed {seed}, step {step}");
        let ids: Vec<BodyId> = twins[0].bodies.keys().copied().collect();
        for _ in 0..random.below(if step == 0 { 16 } else { 3 }) {
            let shape = random.below(shapes.len() as u64) as usize;
            let at = pose(&mut random, room, far);
            let is_fixed = random.below(4) == 0;
            let bits = |random: &mut Random| if random.below(4) == 0 { 0b01 } else { 0b11 };
            let groups = [bits(&mut random), bits(&mut random)];
            let mut known = None;
            for ((name, world), twin) in worlds.iter_mut().zip(&mut twins) {
                let body = Body::new(&shapes[shape]).at(at).groups(groups[0], groups[1]);
                let id = world.add(if is_fixed { body.fixed() } else { body }).expect("one method");
                assert_eq!(*known.get_or_insert(id), id, "{name}: {label}");
                assert!(!removed.contains(&id), "{name}: {label}: an old handle");
                twin.bodies.insert(id, TwinBody { shape, pose: at, is_fixed, groups });
            }
        }
        for &id in &ids {
            let (way, at) = (random.below(12), pose(&mut random, room, far));
            let other = ids[random.below(ids.len() as u64) as usize];
            let near = random.range(-0.1, 0.1) * room;
            for ((name, world), twin) in worlds.iter_mut().zip(&mut twins) {
                match way {
                    0 => {
                        world.remove(id).expect("it is there");
                        twin.bodies.remove(&id);
                        twin.ignored.retain(|pair| !pair.contains(&id));
                        assert!(!world.contains(id), "{name}: {label}");
                    }
                    1 => {
                        world.teleport(id, at).expect("it is there");
                        twin.bodies.get_mut(&id).expect("it is there").pose = at;
                        twin.teleported.insert(id);
                    }
                    2 if other != id && world.contains(other) => {
                        let pair = [id.min(other), id.max(other)];
                        if twin.ignored.remove(&pair) {
                            world.unignore(other, id).expect("both are there");
                        } else {
                            world.ignore(other, id).expect("both are there");
                            twin.ignored.insert(pair);
                        }
                    }
                    3..8 => {
                        let body = twin.bodies.get_mut(&id).expect("it is there");
                        let place = body.pose.translation() + near;
                        body.pose = Pose::new(body.pose.rotation(), place).expect("as before");
                        world.set_poses(&[(id, body.pose)]).expect("it is there");
                    }
                    8 => {
                        world.set_rows(id, at.to_rows()).expect("a pose");
                        twin.bodies.get_mut(&id).expect("it is there").pose = at;
                    }
                    _ => {}
                }
            }
            if way == 0 {
                removed.push(id);
            }
        }
        let contacts = contacts(&twins[0].bodies, &twins[0].ignored, &shapes);
        for ((name, world), twin) in worlds.iter_mut().zip(&mut twins) {
            checked += twin.check(&format!("{name}: {label}"), world, &contacts);
        }
        ask(&label, &mut random, &mut worlds, &twins[0], &shapes, room, far);
    }
    checked
}

/// Compares queries with every body.
fn ask(
    label: &str,
    random: &mut Random,
    worlds: &mut [(String, World)],
    twin: &Twin,
    shapes: &[Shape],
    room: f64,
    far: DVec3,
) {
    let shape = &shapes[random.below(shapes.len() as u64) as usize];
    let at = pose(random, 2.0 * room, far);
    let corner = at.translation();
    let size = DVec3::from_array([(); 3].map(|()| random.range(0.0, room)));
    let bounds = Bounds { min: corner, max: corner + size };

    let (mut contacts, mut within, mut nearest) = (Vec::new(), Vec::new(), None);
    for (&id, body) in &twin.bodies {
        let mesh = shapes[body.shape].mesh();
        let mut pair = Pair::with_method(Method::BRUTE, shape.mesh().clone(), mesh.clone());
        let found: Vec<FacePair> = pair.contacts(&at, &body.pose).to_vec();
        contacts.extend(found.into_iter().map(|faces| (id, faces)));
        if let Some(gap) = pair.distance(&at, &body.pose) {
            let is_nearer = nearest.is_none_or(|(distance, _)| gap.distance < distance);
            nearest = if is_nearer { Some((gap.distance, id)) } else { nearest };
        }
        if reaches_into(mesh, &body.pose, &bounds) {
            within.push(id);
        }
    }
    for (name, world) in worlds {
        let found = world.contacts_with(shape, &at).expect("one method");
        let found: Vec<_> = found.into_iter().map(|c| (c.body, c.faces)).collect();
        assert_eq!(found, contacts, "{name}: {label}");
        let found = world.nearest(shape, &at).expect("one method");
        let found = found.map(|nearest| (nearest.distance.distance, nearest.body));
        assert_eq!(found, nearest, "{name}: {label}");
        assert_eq!(world.bodies_in(&bounds).expect("a box"), within, "{name}: {label}");
    }
}

/// Whether a mesh reaches into a box: by the oracle, against the twelve faces of the box, or with a
/// corner.
fn reaches_into(mesh: &Mesh, pose: &Pose, bounds: &Bounds) -> bool {
    let [a, b] = [bounds.min, bounds.max];
    let corner = |bits: usize| {
        let pick = |k: usize| if bits >> k & 1 == 0 { a[k] } else { b[k] };
        [pick(0), pick(1), pick(2)]
    };
    let sides =
        [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    mesh.triangles().any(|triangle| {
        let placed = triangle.map(|p| pose.place(p));
        let is_inside = |p: &DVec3| p.cmpge(a).all() && p.cmple(b).all();
        let placed_array = placed.map(|p| p.to_array());
        placed.iter().any(is_inside)
            || sides.iter().any(|&[p, q, r, s]| {
                [[p, q, r], [p, r, s]]
                    .iter()
                    .any(|side| impinge_oracle::triangles_touch(&placed_array, &side.map(corner)))
            })
    })
}

#[test]
fn bodies_in_one_place() {
    let ball = Shape::new(generate::sphere(12).expect("an even number"));
    for (name, mut world) in worlds() {
        let count = 60;
        for _ in 0..count {
            world.add(Body::new(&ball)).expect("one method");
        }
        let step = world.step();
        assert_eq!(step.pairs().len(), count * (count - 1) / 2, "{name}");
        assert_eq!(step.stats().near, count * (count - 1) / 2, "{name}");
    }
}

/// The memory for pairs is bounded: with few bytes, few pairs are remembered, and the rest is searched.
#[test]
fn memory_for_pairs_is_bounded() {
    let ball = Shape::with_method(Method::DOP18, generate::sphere(80).expect("an even number"));
    let mut skipped = Vec::new();
    for bytes in [0, 200, 5_000, 1 << 20] {
        let mut world = World::new();
        world.set_coherence(Coherence::default().bytes(bytes));
        let mut bodies = Vec::new();
        for i in 0..100u32 {
            // Boxes overlap along a diagonal, but the balls are apart.
            let place = DVec3::splat(1.5 * f64::from(i));
            let pose = Pose::from_translation(place).expect("finite");
            bodies.push((world.add(Body::new(&ball).at(pose)).expect("one method"), place));
        }
        let mut sum = 0;
        for step in 0..20 {
            for &(body, place) in &bodies {
                let place = place + DVec3::X * 1e-3 * f64::from(step % 5);
                let pose = Pose::from_translation(place).expect("finite");
                world.set_pose(body, pose).expect("it is there");
            }
            let stats = world.step().stats();
            assert_eq!((stats.near, stats.touching), (99, 0), "{bytes} bytes, step {step}");
            sum += stats.skipped;
        }
        skipped.push(sum);
    }
    assert!(
        skipped[0] == 0 && skipped[1] < skipped[2] && 2 * skipped[2] < skipped[3],
        "{skipped:?}"
    );
    assert!(skipped[3] > 99 * 15, "{skipped:?}");
}

#[test]
fn a_step_that_is_stopped_never_was() {
    let point = Mesh::new(vec![DVec3::ZERO], vec![[0, 0, 0]]).expect("a point");
    let point = Shape::new(point);
    let mut world = World::new();
    let first = world.add(Body::new(&point)).expect("one method");
    let second = world.add(Body::new(&point)).expect("one method");
    assert_eq!(world.step().began(), [[first, second]]);
    let others: Vec<BodyId> =
        (0..1_000).map(|_| world.add(Body::new(&point)).expect("one method")).collect();
    let mut calls = 0;
    let stopped = world.step_watched(|stats| {
        calls += 1;
        assert!(stats.tested >= 65_536 && stats.contacts == stats.tested);
        ControlFlow::Break("enough")
    });
    assert!(matches!(stopped, ControlFlow::Break("enough")));
    assert_eq!(calls, 1);
    for other in others {
        world.remove(other).expect("it is there");
    }
    let step = world.step();
    assert_eq!(step.persisted(), [[first, second]]);
    assert_eq!(step.began().len() + step.ended().len(), 0);
}

#[test]
fn handles_of_removed_bodies_are_refused() {
    let ball = Shape::new(generate::sphere(12).expect("an even number"));
    let mut world = World::new();
    let old = world.add(Body::new(&ball)).expect("one method");
    world.remove(old).expect("it is there");
    let new = world.add(Body::new(&ball)).expect("one method");
    assert_eq!(old.index(), new.index(), "numbers are used again");
    let refused = WorldError::NoSuchBody { body: old };
    assert_eq!(world.remove(old), Err(refused));
    assert_eq!(world.pose(old), Err(refused));
    assert_eq!(world.set_pose(old, Pose::IDENTITY), Err(refused));
    assert_eq!(world.teleport(old, Pose::IDENTITY), Err(refused));
    assert_eq!(world.ignore(old, new), Err(refused));
    assert_eq!(world.set_groups(old, 1, 1), Err(refused));
    assert_eq!(world.bounds(old), Err(refused));
    assert!(world.shape(old).is_err() && !world.contains(old) && world.contains(new));
    assert_eq!(
        refused.to_string(),
        "there is no body 0: it was removed, or belongs to another world"
    );
    assert_eq!(world.len(), 1);
}

#[test]
fn what_is_no_pose_is_refused_by_name_and_nothing_moves() {
    let ball = Shape::new(generate::sphere(12).expect("an even number"));
    let mut world = World::new();
    let a = world.add(Body::new(&ball)).expect("one method");
    let b = world.add(Body::new(&ball)).expect("one method");
    let away = Pose::from_translation(DVec3::splat(5.0)).expect("finite");
    let mut bad = away.to_rows();
    bad[3] = f64::NAN;
    let error = world.set_many_rows(&[(a, away.to_rows()), (b, bad)]).expect_err("NaN");
    assert_eq!(
        error.to_string(),
        "body 1: the translation's component 0 is NaN, not a finite number"
    );
    assert_eq!(world.pose(a), Ok(Pose::IDENTITY));
    let mut mirrored = Pose::IDENTITY.to_rows();
    mirrored[0] = -1.0;
    assert!(matches!(world.set_rows(b, mirrored), Err(WorldError::Pose { body, .. }) if body == b));
    let gone = world.add(Body::new(&ball)).expect("one method");
    world.remove(gone).expect("it is there");
    let error = world.set_poses(&[(a, away), (gone, away)]);
    assert_eq!(error, Err(WorldError::NoSuchBody { body: gone }));
    assert_eq!(world.pose(a), Ok(Pose::IDENTITY));
    assert_eq!(world.step().pairs().len(), 1);
    world.set_many_rows(&[(a, away.to_rows())]).expect("a pose");
    assert_eq!(world.step().ended(), [[a, b]]);

    let other = Shape::with_method(Method::OBB, generate::sphere(12).expect("an even number"));
    let refused = WorldError::Method { expected: Method::WIDE, found: Method::OBB };
    assert_eq!(world.add(Body::new(&other)).err(), Some(refused));
    assert_eq!(world.contacts_with(&other, &away).err(), Some(refused));
    assert!(world.bodies_in(&Bounds::EMPTY).is_err());
    assert_eq!(world.len(), 2);
}

#[test]
fn groups_can_change() {
    let ball = Shape::new(generate::sphere(12).expect("an even number"));
    let mut world = World::new();
    let a = world.add(Body::new(&ball).groups(0b01, 0b10)).expect("one method");
    let b = world.add(Body::new(&ball).groups(0b01, 0b11)).expect("one method");
    assert_eq!(world.step().pairs().len(), 0, "b is in no group that a may touch");
    world.set_groups(b, 0b10, 0b01).expect("it is there");
    assert_eq!(world.step().began(), [[a, b]]);
    world.set_groups(b, 0b10, 0b10).expect("it is there");
    assert_eq!(world.step().ended(), [[a, b]]);
}

#[test]
fn empty_worlds_have_answers() {
    let ball = Shape::new(generate::sphere(12).expect("an even number"));
    let nothing = Shape::new(Mesh::default());
    let everything = Bounds { min: DVec3::splat(-1e100), max: DVec3::splat(1e100) };
    for (name, mut world) in worlds() {
        assert!(world.is_empty() && world.step().contacts().next().is_none(), "{name}");
        assert_eq!(world.nearest(&ball, &Pose::IDENTITY), Ok(None), "{name}");
        assert_eq!(world.bodies_in(&everything), Ok(vec![]), "{name}");
        let body = world.add(Body::new(&nothing)).expect("one method");
        assert_eq!(world.step().stats().near, 0, "{name}");
        assert_eq!(world.nearest(&ball, &Pose::IDENTITY), Ok(None), "{name}");
        assert_eq!(world.bodies_in(&everything), Ok(vec![]), "{name}");
        world.remove(body).expect("it is there");
        let body = world.add(Body::new(&ball)).expect("one method");
        assert_eq!(world.step().pairs().len(), 0, "{name}");
        assert_eq!(world.nearest(&nothing, &Pose::IDENTITY), Ok(None), "{name}");
        let found = world.nearest(&ball, &Pose::IDENTITY).expect("one method");
        assert_eq!(found.map(|found| (found.body, found.distance.distance)), Some((body, 0.0)));
        assert_eq!(world.bodies_in(&everything), Ok(vec![body]), "{name}: a body inside a box");
    }
}

/// Boxes and spheres hold all that they should, whatever the pose, and hardly more.
#[test]
fn placed_bounds_hold_every_placed_vertex() {
    let mut random = Random::new(9);
    for round in 0..2_000 {
        let size = (10f64).powf(random.range(-12.0, 12.0));
        let far = if random.below(2) == 0 { 0.0 } else { (10f64).powf(random.range(-12.0, 15.0)) };
        let mut point = |size: f64| DVec3::from_array([(); 3].map(|()| random.range(-size, size)));
        let offset = point(far);
        let corners: Vec<DVec3> = (0..9).map(|_| point(size) + offset).collect();
        let mesh = Mesh::new(corners, vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]]).expect("finite");
        let shape = Shape::new(mesh);
        let stretch = DMat3::from_diagonal(DVec3::splat(1.0 + random.range(-4e-7, 4e-7)));
        let rotation = if round % 5 == 0 { DMat3::IDENTITY } else { random.rotation() };
        let place = DVec3::from_array([(); 3].map(|()| random.range(-far, far)));
        let pose = Pose::new(rotation * stretch, place).expect("nearly a rotation");
        let bounds = shape.placed_bounds(&pose);
        let (center, radius) = shape.placed_sphere(&pose).expect("there are faces");
        let mut tight = Bounds::EMPTY;
        for &corner in shape.mesh().positions() {
            let placed = pose.place(corner);
            let is_inside = placed.cmpge(bounds.min).all() && placed.cmple(bounds.max).all();
            assert!(is_inside, "round {round}: {placed} is not in {bounds:?}");
            assert!(placed.distance(center) <= radius, "round {round}: {placed}");
            tight.merge(&Bounds { min: placed, max: placed });
        }
        let most = 2.0 * 1.75 * size + 1e-14 * (size + far);
        assert!(bounds.size().max_element() <= 2.0 * most, "round {round}: {bounds:?}");
    }
}

/// Bodies that all overlap and heed none: there is nothing to decide, but it takes its time.
#[test]
fn a_step_is_told_of_pairs_that_are_left_out() {
    let shape = Shape::new(generate::sphere(8).expect("an even number"));
    for (name, mut world) in worlds() {
        for _ in 0..600 {
            world.add(Body::new(&shape).groups(1, 2)).expect("one method");
        }
        let mut told = 0;
        let stopped = world.step_watched(|stats| {
            told += 1;
            assert_eq!(stats.tested, 0, "{name}");
            if told == 2 { ControlFlow::Break(stats.near) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, ControlFlow::Break(near) if near > 100_000), "{name}: {told}");
    }
}

/// A step reads no clock unless it is timed.
#[test]
fn only_timed_steps_are_timed() {
    let ball = Shape::new(generate::sphere(80).unwrap());
    let mut world = World::new();
    for _ in 0..50 {
        world.add(Body::new(&ball)).unwrap();
    }
    assert!(world.step().stats().total().is_zero());
    assert!(!world.step_timed().stats().total().is_zero());
}

#[test]
fn a_world_tells_which_pairs_it_compares_and_keeps_its_last_step() {
    let ball = Shape::with_method(Method::OBB, generate::sphere(48).expect("an even number"));
    for (name, mut world) in worlds() {
        assert_eq!(world.last_step().pairs().len(), 0, "{name}");
        let at = |x: f64| Pose::from_translation(DVec3::X * x).expect("a pose");
        let mut add = |body: Body| world.add(body).expect("a body");
        let [a, b] = [0.0, 1.5].map(|x| add(Body::new(&ball).at(at(x)).fixed()));
        let [c, d] = [3.0, 9.0].map(|x| add(Body::new(&ball).at(at(x))));
        assert!(!world.compares(a, b), "{name}: both are fixed");
        assert!(!world.compares(c, c), "{name}: one body");
        assert!(world.compares(b, c) && world.compares(d, a), "{name}");
        let along_x = |min: f64, max: f64| Bounds {
            min: DVec3::new(min, -0.1, -0.1),
            max: DVec3::new(max, 0.1, 0.1),
        };
        assert_eq!(world.bodies_near(&along_x(-0.1, 0.9)), [a, b], "{name}");
        assert_eq!(world.bodies_near(&along_x(3.2, 3.6)), [c], "{name}");
        let tests = world.step().stats().tests;
        assert!(tests.volume_tests > 0 && tests.face_tests > 0, "{name}: {tests:?}");
        world.set_pose(c, at(30.0)).expect("a body");
        assert_eq!(world.last_step().began(), [[b, c]], "{name}: set poses do not change it");
        assert!(world.bodies_near(&along_x(3.2, 3.6)).is_empty(), "{name}");
        world.ignore(b, c).expect("two bodies");
        world.set_groups(d, 2, 1).expect("a body");
        world.set_groups(a, 4, 2).expect("a body");
        assert!(!world.compares(c, b) && !world.compares(a, d), "{name}");
        assert_eq!(world.step().stats().tests.face_tests, 0, "{name}: the counts are of one step");
        world.remove(c).expect("a body");
        assert!(!world.compares(a, c), "{name}: removed");
    }
}

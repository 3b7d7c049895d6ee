//! True solids: against a dense numerical oracle, every method against a loop over all faces, pairs of solids against
//! their meshes, and worlds against every pair of bodies.

use crate::{rays::random_pose, world::worlds};
use impinge::{
    FacePair, Method, Pose, Shape, World,
    generate::{self, Random},
    glam::{DMat3, DVec3},
    solid::{PlacedSolid, RevolvedHull, RoundedDisc, Solid},
    world::{Body, BodyId, BodyPair, Contact},
};
use impinge_oracle::OracleSolid;

/// A solid with sizes in a unit, and the oracle's.
fn make(kind: OracleSolid, unit: f64) -> (Solid, OracleSolid) {
    use OracleSolid::{Ball, Capsule, Cone, Cylinder, Torus};
    let (solid, scaled) = match kind {
        Ball(r) => (Solid::ball(r * unit), Ball(r * unit)),
        Capsule(r, h) => (Solid::capsule(r * unit, h * unit), Capsule(r * unit, h * unit)),
        Cylinder(r, h) => (Solid::cylinder(r * unit, h * unit), Cylinder(r * unit, h * unit)),
        Cone(a, b, h) => {
            (Solid::cone(a * unit, b * unit, h * unit), Cone(a * unit, b * unit, h * unit))
        }
        Torus(ring, tube) => {
            (Solid::torus(ring * unit, tube * unit), Torus(ring * unit, tube * unit))
        }
    };
    (solid.expect("positive sizes"), scaled)
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
}

/// A triangle in the coordinates of a solid of about size 1, and often one that is hard to decide.
fn triangle(random: &mut Random, oracle: &OracleSolid) -> [DVec3; 3] {
    let size = pick(random, &[0.02, 0.4, 2.0, 20.0]);
    let about = vector(random) * 2.0;
    let any = [0; 3].map(|_| about + vector(random) * size);
    // The point of the surface closest to some point, about, and the direction outward.
    let surface = |random: &mut Random| {
        let far = random.direction() * random.range(1.0, 3.0);
        let at = |p: DVec3| oracle.distance(p.to_array());
        let step = 1e-5;
        let slope =
            DVec3::from(DVec3::AXES.map(|axis| at(far + axis * step) - at(far - axis * step)));
        let outward = slope.normalize_or_zero();
        (far - outward * at(far), outward)
    };
    match random.below(9) {
        // Tangent, nearly: a plane, an edge or a corner a little above or below the surface.
        0 | 1 => {
            let (point, outward) = surface(random);
            let gap = pick(random, &[0.0, 1e-12, 1e-6, -1e-6, 1e-3, -1e-3, 0.1]);
            let corner = point + outward * gap;
            let (x, y) = outward.any_orthonormal_pair();
            let raised = outward * pick(random, &[0.0, 0.0, 0.5]) * size;
            let mut along = || (x * random.range(-1.0, 1.0) + y * random.range(-1.0, 1.0)) * size;
            let (p, q) = (along(), along());
            match p.x > 0.0 {
                true => [corner - p - q, corner + p, corner + q],
                false => [corner, corner + p + raised, corner + q + raised],
            }
        }
        // A segment, a point, a needle.
        2 => [any[0], any[1], any[0].lerp(any[1], random.range(-0.5, 1.5))],
        3 => [any[0]; 3],
        4 => {
            let width = pick(random, &[1e-3, 1e-6, 1e-9, 1e-13]);
            [any[0], any[1], any[0].lerp(any[1], 0.5) + vector(random) * width]
        }
        // Parallel to the axis, or at a right angle to it.
        5 => any.map(|p| p.with_z(about.z * 0.4)),
        6 => any.map(|p| p.with_x(about.x)),
        // Through the hole of a torus, or inside of a solid.
        7 => [
            DVec3::new(0.0, 0.0, -random.range(0.1, 3.0)) + vector(random) * 0.1,
            DVec3::new(0.0, 0.0, random.range(0.1, 3.0)) + vector(random) * 0.1,
            vector(random) * 0.4,
        ],
        _ => any,
    }
}

/// Compares a solid with the oracle, for triangles of all kinds, at all sizes and places.
fn check(kinds: &[OracleSolid]) {
    let cases = 4_000;
    let (mut touching, mut apart, mut undecided) = (0, 0, 0);
    for seed in 0..cases {
        let mut random = Random::new(seed);
        let kind = pick(&mut random, kinds);
        let local = triangle(&mut random, &kind);
        let unit = pick(&mut random, &[1.0, 1.0, 1e-6, 1e6]);
        let far = pick(&mut random, &[0.0, 0.0, 1.0, 1e6]) * unit;
        let rotation = if random.below(3) == 0 { DMat3::IDENTITY } else { random.rotation() };
        let pose = Pose::new(rotation, vector(&mut random) * far).expect("a rotation");
        let (solid, oracle) = make(kind, unit);
        let world = local.map(|p| pose.place(p * unit));
        // Rounding has moved the corners: the oracle gets them as they are.
        let back = pose.rotation().transpose();
        let local = world.map(|p| (back * (p - pose.translation())).to_array());
        let corner = local.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        let error = Solid::ERROR * (corner + 3.0 * unit);

        let [lower, upper] = oracle.triangle_distance(&local, 0.1 * error);
        let placed = solid.placed(&pose);
        let place = || {
            format!("seed {seed}: {kind:?} in {unit:e}, {world:?}, oracle {lower:e} to {upper:e}")
        };
        let found = placed.distance(&world);
        assert!(found.lower <= upper + 1e-3 * error, "{}: {found:?}", place());
        assert!(found.upper >= lower - 1e-3 * error, "{}: {found:?}", place());
        assert!(found.upper - found.lower <= error, "{}: {found:?}", place());
        let touches = placed.touches(&world);
        match touches {
            true => assert!(lower <= error, "{} does not touch", place()),
            false => assert!(upper > 0.0, "{} touches", place()),
        }
        match (lower > error, upper > 0.0) {
            (true, _) => apart += 1,
            (_, false) => touching += 1,
            _ => undecided += 1,
        }
    }
    let counts = [touching, apart, undecided];
    assert!(touching > cases / 6 && apart > cases / 6 && undecided < cases / 20, "{counts:?}");
}

#[test]
fn balls_equal_the_oracle() {
    check(&[OracleSolid::Ball(1.0), OracleSolid::Ball(0.3)]);
}

#[test]
fn capsules_equal_the_oracle() {
    check(&[OracleSolid::Capsule(0.5, 1.0), OracleSolid::Capsule(0.05, 2.5)]);
}

#[test]
fn cylinders_equal_the_oracle() {
    check(&[
        OracleSolid::Cylinder(0.6, 1.4),
        OracleSolid::Cylinder(1.5, 0.05),
        OracleSolid::Cylinder(0.05, 2.0),
    ]);
}

#[test]
fn cones_equal_the_oracle() {
    check(&[
        OracleSolid::Cone(1.0, 0.0, 1.5),
        OracleSolid::Cone(0.2, 1.2, 0.8),
        OracleSolid::Cone(0.0, 0.1, 2.0),
    ]);
}

#[test]
fn tori_equal_the_oracle() {
    check(&[
        OracleSolid::Torus(1.0, 0.3),
        OracleSolid::Torus(1.0, 0.01),
        OracleSolid::Torus(0.7, 0.7),
        OracleSolid::Torus(0.4, 0.9),
    ]);
}

/// Solids of all kinds, about as large as `size`.
fn solids(size: f64) -> Vec<Solid> {
    let disc = |height, radius, rounding| RoundedDisc {
        height: height * size,
        radius: radius * size,
        rounding: rounding * size,
    };
    let mill = RevolvedHull::new(&[disc(0.1, 0.2, 0.1), disc(1.0, 0.3, 0.0)]).expect("valid");
    [
        Solid::ball(0.4 * size),
        Solid::capsule(0.1 * size, 0.8 * size),
        Solid::cylinder(0.3 * size, 0.7 * size),
        Solid::cone(0.5 * size, 0.1 * size, 0.6 * size),
        Solid::torus(0.6 * size, 0.15 * size),
        Solid::torus(0.2 * size, 0.3 * size),
        Ok(Solid::revolved(mill)),
    ]
    .map(|solid| solid.expect("positive sizes"))
    .to_vec()
}

/// The faces that a solid touches, by a test of every one.
fn by_a_loop(shape: &Shape, pose: &Pose, solid: &PlacedSolid) -> Vec<u32> {
    let touches = |&face: &u32| solid.touches(&pose.place_triangle(shape.mesh().triangle(face)));
    (0..shape.mesh().faces().len() as u32).filter(touches).collect()
}

#[test]
fn every_method_finds_the_faces_that_a_solid_touches() {
    let mut found = [0; 2];
    for (number, mesh) in crate::rays::meshes().into_iter().enumerate() {
        let with = |method| Shape::with_method(method, mesh.clone());
        let mut shapes: Vec<Shape> = crate::methods().into_iter().map(with).collect();
        let choices = crate::tree_choices().into_iter();
        shapes.extend(
            choices.map(|(method, options, _)| Shape::build((method, options), mesh.clone())),
        );
        let size = mesh.bounds().size().max_element().clamp(1e-90, 1e90);
        let solids = solids(size);
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let pose = random_pose(&mut random, size);
            let target = crate::rays::random_target(&mesh, &pose, &mut random);
            let away = random.direction() * size * pick(&mut random, &[0.0, 0.3, 1.0, 30.0]);
            let stands = Pose::new(random.rotation(), target + away).expect("finite");
            let solid = pick(&mut random, &solids);
            let place = format!("mesh {number}, seed {seed}, {solid:?}");
            let expected = by_a_loop(&shapes[0], &pose, &solid.placed(&stands));
            let gaps: Vec<_> = shapes
                .iter()
                .map(|shape| shape.distance_to_solid(&pose, (&solid, &stands)))
                .collect();
            for (shape, gap) in shapes.iter().zip(&gaps) {
                let faces = shape.faces_touching(&pose, (&solid, &stands));
                assert_eq!(faces, expected, "{place}, {}", shape.method());
                let touches = shape.touches_solid(&pose, (&solid, &stands));
                assert_eq!(touches, !expected.is_empty(), "{place}, {}", shape.method());
                assert_eq!(gap.is_none(), mesh.faces().is_empty(), "{place}");
                if let (Some(gap), Some(first)) = (gap, gaps[0]) {
                    assert_eq!(
                        gap.distance.upper,
                        first.distance.upper,
                        "{place}, {}",
                        shape.method()
                    );
                    assert!(!touches || gap.distance.lower == 0.0, "{place}: {gap:?}");
                }
            }
            found[usize::from(!expected.is_empty())] += 1;
        }
    }
    assert!(found.iter().all(|&count| count > 60), "one-sided: {found:?}");
}

/// The mesh of a solid lies within a tolerance of its surface. So its distance to another solid is that of the two solids, up
/// to the tolerance, and solids without a common point have meshes that touch nothing.
#[test]
fn pairs_of_solids_are_as_far_apart_as_their_meshes() {
    let tolerance = 2e-3;
    let solids = solids(1.0);
    let meshes: Vec<Shape> = solids
        .iter()
        .map(|solid| Shape::new(solid.to_mesh(tolerance).expect("a valid tolerance")))
        .collect();
    let mut counts = [0; 2];
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let [i, j] = [0; 2].map(|_| random.below(solids.len() as u64) as usize);
        let pose = |random: &mut Random| {
            let place = vector(random) * pick(random, &[0.0, 0.5, 1.5]);
            let turn = if random.below(4) == 0 { DMat3::IDENTITY } else { random.rotation() };
            Pose::new(turn, place).expect("a rotation")
        };
        let (a, b) = ((&solids[i], &pose(&mut random)), (&solids[j], &pose(&mut random)));
        let (touches, distance) = (Solid::touches(a, b), Solid::distance(a, b));
        let place = format!("seed {seed}: {a:?}, {b:?}, {distance:?}");
        assert_eq!(touches, Solid::touches(b, a), "{place}");
        assert!(distance.upper - distance.lower <= 1e-8, "{place}");
        assert!(!touches || distance.lower <= 1e-8, "{place}");
        assert!(touches || distance.upper > 0.0, "{place}");
        let of_mesh = meshes[j].distance_to_solid(b.1, a).expect("faces").distance;
        // The solids may be one inside the other, where the mesh touches, too: solids are solid, meshes are not.
        assert!(distance.lower <= of_mesh.upper + tolerance, "{place}: {of_mesh:?}");
        assert!(distance.upper + tolerance >= of_mesh.lower || touches, "{place}: {of_mesh:?}");
        let [p, q] = [distance.on_solid, distance.on_other];
        assert!(touches || (p.distance(q) - distance.upper).abs() <= 1e-8, "{place}");
        counts[usize::from(touches)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 700), "one-sided: {counts:?}");
}

#[test]
fn coaxial_solids_are_decided_though_they_are_tangent_along_a_circle() {
    let still = Pose::IDENTITY;
    let ring = Solid::torus(2.0, 0.5).expect("positive");
    let peg = |radius: f64| Solid::cylinder(radius, 4.0).expect("positive");
    assert!(Solid::touches((&ring, &still), (&peg(1.5), &still)));
    assert!(!Solid::touches((&ring, &still), (&peg(1.5 - 1e-6), &still)));
    let above = |z: f64| Pose::from_translation(DVec3::new(0.0, 0.0, z)).expect("finite");
    assert!(Solid::touches((&ring, &still), (&ring, &above(1.0))));
    assert!(!Solid::touches((&ring, &still), (&ring, &above(1.0 + 1e-6))));
    let beside = Pose::from_translation(DVec3::new(1e-5, 0.0, 1.0 + 1e-5)).expect("finite");
    assert!(!Solid::touches((&ring, &still), (&ring, &beside)));
    // A body inside the hole, the tube, and around.
    let ball = |radius: f64| Solid::ball(radius).expect("positive");
    assert!(!Solid::touches((&ring, &still), (&ball(1.4), &still)));
    assert!(Solid::touches((&ring, &still), (&ball(9.0), &still)));
    let within = Pose::from_translation(DVec3::X * 2.0).expect("finite");
    assert!(Solid::touches((&ball(0.1), &within), (&ring, &still)));
}

/// A body of the twin: a shape or a solid, and whether it is fixed.
enum Twin {
    Shape(Shape),
    Solid(Solid),
}

/// The contacts of two bodies, by tests of all faces.
fn contacts_of(a: (&Twin, &Pose), b: (&Twin, &Pose)) -> Vec<FacePair> {
    let faces = |shape: &Shape, pose: &Pose, solid: (&Solid, &Pose)| {
        by_a_loop(shape, pose, &solid.0.placed(solid.1)).into_iter()
    };
    match (a.0, b.0) {
        (Twin::Shape(s), Twin::Shape(t)) => {
            impinge::contacts((s, a.1), (t, b.1)).expect("one method")
        }
        (Twin::Solid(s), Twin::Solid(t)) => Solid::touches((s, a.1), (t, b.1))
            .then_some(FacePair { a: 0, b: 0 })
            .into_iter()
            .collect(),
        (Twin::Shape(s), Twin::Solid(t)) => {
            faces(s, a.1, (t, b.1)).map(|face| FacePair { a: face, b: 0 }).collect()
        }
        (Twin::Solid(s), Twin::Shape(t)) => {
            faces(t, b.1, (s, a.1)).map(|face| FacePair { a: 0, b: face }).collect()
        }
    }
}

/// Lives of worlds with meshes and solids: whatever the broad phase, the threads and what is remembered, steps report what a
/// comparison of all pairs finds.
fn worlds_find_all_contacts(method: Method, worlds: Vec<(String, World)>) {
    for (number, (name, mut world)) in (0..).zip(worlds) {
        let mut random = Random::new(number);
        let mesh = |mesh| Twin::Shape(Shape::with_method(method, mesh));
        let mut kinds = vec![
            mesh(generate::sphere(48).expect("an even number")),
            mesh(generate::cuboid(DVec3::new(6.0, 6.0, 0.2)).expect("a size")),
            mesh(generate::cuboid(DVec3::splat(0.7)).expect("a size")),
        ];
        kinds.extend(solids(1.0).into_iter().map(Twin::Solid));
        let mut bodies: Vec<(BodyId, usize, Pose, bool)> = Vec::new();
        let pose = |random: &mut Random| {
            Pose::new(random.rotation(), vector(random) * 2.0).expect("a rotation")
        };
        for i in 0..16 {
            let (kind, at, is_fixed) = (i % kinds.len(), pose(&mut random), i % 5 == 1);
            let body = match &kinds[kind] {
                Twin::Shape(shape) => Body::new(shape),
                Twin::Solid(solid) => Body::solid(solid).expect("of moderate size"),
            };
            let body = body.at(at);
            let id = world.add(if is_fixed { body.fixed() } else { body }).expect("one method");
            bodies.push((id, kind, at, is_fixed));
        }
        let ignored = [bodies[0].0, bodies[4].0];
        world.ignore(ignored[0], ignored[1]).expect("bodies");
        let (mut before, mut total): (Vec<BodyPair>, _) = (Vec::new(), 0);
        for step in 0..6 {
            for (id, _, at, is_fixed) in &mut bodies {
                if !*is_fixed && random.below(3) > 0 {
                    let nudge = Pose::from_translation(vector(&mut random) * 0.2).expect("finite");
                    *at = if random.below(4) == 0 { pose(&mut random) } else { at.then(nudge) };
                    world.set_pose(*id, *at).expect("a body");
                }
            }
            let mut expected = Vec::new();
            for (i, (a, kind_a, pose_a, fixed_a)) in bodies.iter().enumerate() {
                for (b, kind_b, pose_b, fixed_b) in &bodies[i + 1..] {
                    if (*fixed_a && *fixed_b) || [*a, *b] == ignored {
                        continue;
                    }
                    let faces = contacts_of((&kinds[*kind_a], pose_a), (&kinds[*kind_b], pose_b));
                    expected.extend(faces.into_iter().map(|faces| Contact { a: *a, b: *b, faces }));
                }
            }
            let found = world.step();
            let contacts: Vec<Contact> = found.contacts().collect();
            assert!(contacts == expected, "{method}, {name}, step {step}");
            let pairs: Vec<_> = found.pairs().map(|touch| [touch.a, touch.b]).collect();
            let new = |old: &[BodyPair], new: &[BodyPair]| -> Vec<BodyPair> {
                new.iter().filter(|pair| !old.contains(pair)).copied().collect()
            };
            assert_eq!(found.began(), new(&before, &pairs), "{method}, {name}, step {step}");
            assert_eq!(found.ended(), new(&pairs, &before), "{method}, {name}, step {step}");
            (before, total) = (pairs, total + contacts.len());
        }
        assert!(total > 100, "{method}, {name}: hardly any contacts: {total}");
    }
}

#[test]
fn worlds_with_solids_find_all_contacts() {
    worlds_find_all_contacts(Method::WIDE, worlds());
    for method in [Method::DOP18, Method::BOXTREE, Method::FACE_OCTREE, Method::HULL] {
        worlds_find_all_contacts(method, worlds().into_iter().step_by(4).collect());
    }
}

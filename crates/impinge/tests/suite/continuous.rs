//! Continuous steps of worlds against `first_impact` for every pair, without any broad phase; and what is promised of
//! motions, stops and forecasts.

use crate::world::worlds;
use impinge::{
    Mesh, Method, Motion, Pair, Pose, Shape, Threads, World, first_impact,
    generate::{self, Random},
    glam::{DMat3, DVec3},
    motion::{Deformation, ImpactOptions, Moving},
    world::{Body, BodyId, Forecast, WorldError, WorldImpact},
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).expect("finite")
}

fn shapes(method: Method) -> Vec<Shape> {
    let meshes = [
        generate::cuboid(DVec3::new(1.0, 0.6, 0.2)).expect("sizes"),
        generate::cuboid(DVec3::new(3.0, 0.1, 0.1)).expect("sizes"),
        generate::sphere(48).expect("an even number"),
        Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).expect("a triangle"),
        Mesh::default(),
    ];
    meshes.map(|mesh| Shape::with_method(method, mesh)).into()
}

/// A body of a random world.
struct Tumbling {
    shape: usize,
    motion: Motion,
    is_fixed: bool,
    groups: [u32; 2],
}

impl Tumbling {
    /// Whether a continuous step compares two bodies.
    fn is_compared_with(&self, other: &Self) -> bool {
        let [one, two] = [self.groups, other.groups];
        let is_masked = one[0] & two[1] == 0 || two[0] & one[1] == 0;
        let is_still = self.motion.is_still() && other.motion.is_still();
        !(is_masked || is_still || (self.is_fixed && other.is_fixed))
    }
}

/// Bodies that rest, fly straight, and turn slowly or several times, about points on them or far from them. Every fourth
/// seed is so far from the origin that tolerances follow from rounding.
fn tumbling(seed: u64, count: usize) -> Vec<Tumbling> {
    let mut random = Random::new(seed);
    let middle = DVec3::X * if seed % 4 == 3 { 1e8 } else { 0.0 };
    (0..count)
        .map(|_| {
            let rotation = DMat3::from_axis_angle(random.direction(), random.range(0.0, 3.0));
            let place = middle + random.direction() * random.range(0.0, 4.0);
            let start = Pose::new(rotation, place).expect("a rotation");
            let turn = random.direction() * [0.0, 0.3, 2.0, 9.0][random.below(4) as usize];
            let way = random.direction() * [0.0, 0.5, 5.0][random.below(3) as usize];
            let pivot = random.direction() * [0.0, 0.5, 4.0][random.below(3) as usize];
            let motion = match random.below(4) {
                0 => Motion::still(start),
                _ => Motion::spinning(start, way, turn, pivot).expect("in range"),
            };
            let is_fixed = random.below(6) == 0;
            let groups = [[u32::MAX, u32::MAX], [1, 3], [2, 1]][random.below(3) as usize];
            Tumbling { shape: random.below(5) as usize, motion, is_fixed, groups }
        })
        .collect()
}

/// Adds the bodies to a world, where they have numbers in their order.
fn fill(world: &mut World, bodies: &[Tumbling], shapes: &[Shape]) -> Vec<BodyId> {
    let add = |body: &Tumbling| {
        let [groups, mask] = body.groups;
        let new = Body::new(&shapes[body.shape]).at(*body.motion.start()).groups(groups, mask);
        let new = if body.is_fixed { new.fixed() } else { new };
        let id = world.add(new).expect("one method");
        world.set_motion(id, body.motion).expect("it starts there");
        id
    };
    bodies.iter().map(add).collect()
}

/// The impacts of every pair, as numbers of bodies.
fn every_pair(
    bodies: &[Tumbling],
    shapes: &[Shape],
    options: &ImpactOptions,
) -> Vec<(usize, usize, impinge::Impact)> {
    let mut impacts = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies.iter().enumerate().skip(i + 1) {
            if !a.is_compared_with(b) {
                continue;
            }
            let placed = [a, b].map(|body| (&shapes[body.shape], &body.motion));
            let impact = first_impact(placed[0], placed[1], options).expect("one method");
            impacts.extend(impact.map(|impact| (i, j, impact)));
        }
    }
    impacts.sort_by(|one, other| {
        let key = |&(i, j, impact): &(usize, usize, impinge::Impact)| (impact.time, i, j);
        key(one).partial_cmp(&key(other)).expect("no NaN")
    });
    impacts
}

fn numbered(impacts: &[WorldImpact]) -> Vec<(usize, usize, impinge::Impact)> {
    impacts.iter().map(|hit| (hit.a.index() as usize, hit.b.index() as usize, hit.impact)).collect()
}

/// Every broad phase, coherence and number of threads: the impacts are those of all pairs, the bodies end where their
/// motions end, and the next instant step is that of a world that was made there.
#[test]
fn worlds_find_the_impacts_of_every_pair() {
    let shapes = shapes(Method::default());
    let (mut hits, mut dropped) = (0, 0);
    for seed in 0..12 {
        let bodies = tumbling(seed, 24);
        let tolerance = [None, Some(1e-6), Some(0.3)][seed as usize % 3];
        let mut options = ImpactOptions::default();
        if let Some(tolerance) = tolerance {
            options = options.tolerance(tolerance).expect("a distance");
        }
        if seed % 4 > 1 {
            options = options.margin(0.5).expect("a distance");
        }
        let expected = every_pair(&bodies, &shapes, &options);
        hits += expected.len();
        let mut there = World::new();
        let ends: Vec<Tumbling> = (bodies.iter())
            .map(|body| Tumbling { motion: Motion::still(*body.motion.end()), ..*body })
            .collect();
        fill(&mut there, &ends, &shapes);
        let contacts_there: Vec<_> = there.step().contacts().collect();
        for (name, mut world) in worlds() {
            let ids = fill(&mut world, &bodies, &shapes);
            if seed % 2 == 0 {
                world.step();
            }
            let step = world.step_continuous(&options);
            assert_eq!(numbered(step.impacts()), expected, "seed {seed}, {name}");
            assert_eq!((step.time(), step.stats().impacts), (1.0, expected.len()));
            dropped += 24 * 23 / 2 - step.stats().near;
            for (id, body) in ids.iter().zip(&bodies) {
                assert_eq!(world.pose(*id), Ok(*body.motion.end()), "seed {seed}, {name}");
            }
            let contacts: Vec<_> = world.step().contacts().collect();
            assert_eq!(contacts, contacts_there, "seed {seed}, {name}");
            // Now they rest.
            assert_eq!(world.step_continuous(&options).impacts(), [], "seed {seed}, {name}");
        }
    }
    assert!(hits > 100 && dropped > 10_000, "{hits} hits, {dropped} pairs dropped");
}

/// Bodies that deform among bodies that tumble, for every broad phase: the impacts are those of all pairs, and the vertices
/// end where they were to go. What changes a body's mesh or pose drops its deformation.
#[test]
fn worlds_find_the_impacts_of_bodies_that_deform() {
    let shapes = shapes(Method::default());
    let options = ImpactOptions::default();
    let mut hits = 0;
    for seed in 400..408 {
        let mut random = Random::new(seed);
        let mut bodies = tumbling(seed, 20);
        for body in &mut bodies {
            (body.is_fixed, body.groups) = (false, [1, 1]);
        }
        // Every other body deforms: stretched, and carried away.
        let deformed: Vec<Option<Vec<DVec3>>> = (bodies.iter().enumerate())
            .map(|(i, body)| {
                let (stretch, way) = (random.range(0.3, 2.0), random.direction() * 3.0);
                let moved = shapes[body.shape].mesh().positions().iter();
                let moved = moved.map(|p| *p * DVec3::new(stretch, 1.0, 1.0) + way).collect();
                (i % 2 == 0).then_some(moved)
            })
            .collect();
        let end = |i: usize| {
            let motion = &bodies[i].motion;
            if seed % 2 == 0 { *motion.start() } else { *motion.end() }
        };
        let deformations: Vec<Option<Deformation>> = (bodies.iter().enumerate())
            .map(|(i, body)| {
                let (shape, start) = (&shapes[body.shape], *body.motion.start());
                let positions = deformed[i].as_ref()?;
                Some(Deformation::new(shape, start, positions, end(i)).expect("finite"))
            })
            .collect();
        let moving = |i: usize| match &deformations[i] {
            Some(deformation) => Moving::from(deformation),
            None => Moving::from((&shapes[bodies[i].shape], &bodies[i].motion)),
        };
        let rests = |i: usize| deformations[i].is_none() && bodies[i].motion.is_still();
        let mut expected = Vec::new();
        for i in 0..bodies.len() {
            for j in (i + 1..bodies.len()).filter(|&j| !rests(i) || !rests(j)) {
                let impact = first_impact(moving(i), moving(j), &options).expect("one method");
                expected.extend(impact.map(|impact| (i, j, impact)));
            }
        }
        expected.sort_by(|one, other| {
            one.2.time.total_cmp(&other.2.time).then((one.0, one.1).cmp(&(other.0, other.1)))
        });
        hits += expected.len();
        for (name, mut world) in worlds() {
            let ids = fill(&mut world, &bodies, &shapes);
            for (i, id) in ids.iter().enumerate() {
                if let Some(positions) = &deformed[i] {
                    world.deform_to(*id, positions, end(i)).expect("finite");
                }
            }
            let step = world.step_continuous(&options);
            assert_eq!(numbered(step.impacts()), expected, "seed {seed}, {name}");
            for (i, id) in ids.iter().enumerate() {
                let positions = world.shape(*id).expect("a body").mesh().positions().to_vec();
                if let Some(deformed) = &deformed[i] {
                    assert_eq!(positions, *deformed, "seed {seed}, {name}");
                    assert_eq!(world.pose(*id), Ok(end(i)));
                }
            }
        }
    }
    assert!(hits > 50, "{hits} hits");

    let mut world = World::new();
    let ball = world.add(Body::new(&shapes[2])).expect("one method");
    world.add(Body::new(&shapes[2]).at(at(2.5, 0.0, 0.0))).expect("one method");
    let large: Vec<DVec3> = shapes[2].mesh().positions().iter().map(|p| *p * 3.0).collect();
    assert!(world.deform_to(ball, &large[1..], Pose::IDENTITY).is_err());
    assert!(world.deform_to(ball, &vec![DVec3::NAN; large.len()], Pose::IDENTITY).is_err());
    world.deform_to(ball, &large, Pose::IDENTITY).expect("finite");
    assert_eq!(world.last_continuous_step().impacts(), []);
    world.set_vertices(ball, shapes[2].mesh().positions()).expect("finite");
    assert_eq!(world.step_continuous(&options).impacts(), []);
    world.deform_to(ball, &large, Pose::IDENTITY).expect("finite");
    world.set_pose(ball, Pose::IDENTITY).expect("a body");
    assert_eq!(world.step_continuous(&options).impacts(), []);
    world.deform_to(ball, &large, Pose::IDENTITY).expect("finite");
    assert_eq!(world.step_continuous(&options).impacts().len(), 1);
}

#[test]
fn worlds_of_every_method_find_the_same_impacts() {
    let reference = shapes(Method::BRUTE);
    let mut hits = 0;
    for seed in 100..103 {
        let bodies = tumbling(seed, 12);
        let expected = every_pair(&bodies, &reference, &ImpactOptions::default());
        hits += expected.len();
        for method in crate::methods() {
            let shapes = shapes(method);
            for threads in [Threads::One, Threads::Pool] {
                let mut world = World::new();
                world.set_threads(threads);
                fill(&mut world, &bodies, &shapes);
                let step = world.step_continuous(&ImpactOptions::default());
                assert_eq!(numbered(step.impacts()), expected, "seed {seed}, {method}");
            }
        }
    }
    assert!(hits > 10, "{hits} hits");
}

/// Instant queries at many times, which share nothing with the search for impacts: pairs that are not reported never
/// touch, and no other touches before its impact.
#[test]
fn no_pair_touches_before_its_impact() {
    let shapes = shapes(Method::default());
    let mut sampled = 0;
    for seed in 200..206 {
        let bodies = tumbling(seed, 16);
        let mut world = World::new();
        fill(&mut world, &bodies, &shapes);
        let impacts = numbered(world.step_continuous(&ImpactOptions::default()).impacts());
        for (i, a) in bodies.iter().enumerate() {
            for (j, b) in bodies.iter().enumerate().skip(i + 1) {
                if !a.is_compared_with(b) {
                    continue;
                }
                let known = impacts.iter().find(|hit| (hit.0, hit.1) == (i, j));
                let end = known.map_or(1.0, |hit| hit.2.time);
                let mut pair = Pair::new(&shapes[a.shape], &shapes[b.shape]).expect("one method");
                for sample in 0..100 {
                    let time = end * f64::from(sample) / 100.0;
                    let poses = [a, b].map(|body| body.motion.pose_at(time));
                    let touch = time < end && pair.intersects(&poses[0], &poses[1]);
                    assert!(!touch, "seed {seed}: {i} and {j} touch at {time}, before {end}");
                    sampled += 1;
                }
            }
        }
    }
    assert!(sampled > 10_000, "only {sampled} samples");
}

/// Stops at the first impact later than the start, and at none of those after.
#[test]
fn steps_stop_at_the_first_impact() {
    let shapes = shapes(Method::default());
    let mut stopped = 0;
    for seed in 300..330 {
        let bodies = tumbling(seed, 10);
        let options = ImpactOptions::default();
        let expected = every_pair(&bodies, &shapes, &options);
        let first = expected.iter().map(|hit| hit.2.time).find(|&time| time > 0.0);
        let until = first.unwrap_or(1.0);
        let mut world = World::new();
        let ids = fill(&mut world, &bodies, &shapes);
        let step = world.step_until_impact(&options);
        assert_eq!(step.time(), until, "seed {seed}");
        let up_to: Vec<_> = expected.into_iter().filter(|hit| hit.2.time <= until).collect();
        assert_eq!(numbered(step.impacts()), up_to, "seed {seed}");
        for (id, body) in ids.iter().zip(&bodies) {
            assert_eq!(world.pose(*id), Ok(body.motion.pose_at(until)), "seed {seed}");
        }
        stopped += usize::from(first.is_some());
    }
    assert!(stopped > 10, "only {stopped} steps stopped");
}

/// Cubes that meet face to face, flush or offset, have the normal of these faces, although edges and other faces meet at
/// the same time.
#[test]
fn normals_of_flat_impacts_are_those_of_the_faces() {
    let cube = Shape::new(generate::cuboid(DVec3::ONE).expect("a size"));
    for way in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
        for offset in [DVec3::ZERO, DVec3::new(0.2, 0.1, 0.3), DVec3::new(0.0, 0.4, 0.0)] {
            let offset = offset - way * offset.dot(way);
            let mut world = World::new();
            let start = offset - way * 3.0;
            world.add(Body::new(&cube).at(at(start.x, start.y, start.z))).expect("one method");
            let other = world.add(Body::new(&cube)).expect("one method");
            let end = -way * 4.0;
            world.move_to(other, at(end.x, end.y, end.z)).expect("in range");
            let step = world.step_until_impact(&ImpactOptions::default());
            let [hit] = step.impacts() else { panic!("{way} {offset}: {:?}", step.impacts()) };
            assert!((hit.impact.time - 0.5).abs() < 1e-12, "{way} {offset}: {hit:?}");
            assert!((hit.impact.normal - way).length() < 1e-6, "{way} {offset}: {hit:?}");
        }
    }
}

/// A ball between two walls, back and forth by impacts, ends where reflection says.
#[test]
fn a_body_bounces_between_walls() {
    let mut world = World::new();
    let cube = Shape::new(generate::cuboid(DVec3::ONE).expect("a size"));
    for x in [-3.0, 3.0] {
        world.add(Body::new(&cube).at(at(x, 0.0, 0.0)).fixed()).expect("one method");
    }
    let ball = world.add(Body::new(&cube)).expect("one method");
    // The gap is 2 to either side.
    let (mut velocity, mut left, mut bounces) = (DVec3::X * 21.0, 1.0, 0);
    while left > 0.0 {
        let pose = world.pose(ball).expect("it exists");
        let end = pose.translation() + velocity * left;
        world.move_to(ball, at(end.x, end.y, end.z)).expect("in range");
        let step = world.step_until_impact(&ImpactOptions::default());
        let hit = step.impacts().iter().find(|hit| hit.impact.time == step.time());
        if hit.is_some() {
            velocity = -velocity;
            bounces += 1;
        }
        left *= 1.0 - step.time();
    }
    // 2 to the first wall, 4 for each of the next, and 3 left over.
    assert_eq!(bounces, 5);
    let x = world.pose(ball).expect("it exists").translation().x;
    assert!((x + 1.0).abs() < 1e-6, "{x}");
}

#[test]
fn motions_can_be_dropped_and_refused() {
    let cube = Shape::new(generate::cuboid(DVec3::ONE).expect("a size"));
    let mut world = World::new();
    let [a, b] = [0.0, 5.0].map(|x| world.add(Body::new(&cube).at(at(x, 0.0, 0.0))).expect("ok"));
    let options = ImpactOptions::default();
    let elsewhere = Motion::still(at(1.0, 0.0, 0.0));
    assert_eq!(world.set_motion(a, elsewhere), Err(WorldError::MotionStart { body: a }));
    let half = Pose::new(DMat3::from_rotation_z(std::f64::consts::PI), DVec3::X).expect("ok");
    let error = world.move_to(a, half).expect_err("half a turn");
    assert!(error.to_string().contains("body 0: the poses differ by a rotation of 180"), "{error}");

    // A pose drops the motion, and so does the removal of its body.
    let through = at(10.0, 0.0, 0.0);
    world.move_to(a, through).expect("in range");
    world.set_pose(a, at(0.0, 0.0, 0.0)).expect("it exists");
    assert_eq!(world.step_continuous(&options).impacts(), []);
    world.move_to(a, through).expect("in range");
    world.move_to(b, at(5.0, 9.0, 0.0)).expect("in range");
    world.remove(a).expect("it exists");
    assert_eq!(world.move_to(a, through), Err(WorldError::NoSuchBody { body: a }));
    let c = world.add(Body::new(&cube)).expect("ok");
    let step = world.step_continuous(&options);
    assert_eq!((step.impacts(), step.stats().moving), (&[][..], 1));
    assert_eq!(world.pose(c), Ok(at(0.0, 0.0, 0.0)));
    assert_eq!(world.pose(b), Ok(at(5.0, 9.0, 0.0)));

    // Ignored pairs have no impacts; a part of the motion ends where it says.
    world.set_pose(b, at(5.0, 0.0, 0.0)).expect("it exists");
    world.ignore(b, c).expect("both exist");
    world.move_to(c, through).expect("in range");
    assert_eq!(world.step_continuous(&options).impacts(), []);
    world.unignore(b, c).expect("both exist");
    world.set_pose(c, at(0.0, 0.0, 0.0)).expect("it exists");
    world.move_to(c, through).expect("in range");
    let step = world.step_continuous(&options.between(0.0, 0.25));
    assert_eq!((step.impacts(), step.time()), (&[][..], 0.25));
    assert_eq!(world.pose(c), Ok(at(2.5, 0.0, 0.0)));

    // A step that is stopped changes nothing.
    world.move_to(c, through).expect("in range");
    let stopped = world.step_continuous_watched(&options, |_| std::ops::ControlFlow::Break("stop"));
    assert!(matches!(stopped, std::ops::ControlFlow::Break("stop")));
    assert_eq!(world.pose(c), Ok(at(2.5, 0.0, 0.0)));
    let step = world.step_continuous(&options);
    assert_eq!(step.impacts().len(), 1);
    assert!((step.impacts()[0].impact.time - 0.2).abs() < 1e-8);
}

/// Bodies that move steadily are predicted to collide when a continuous step finds that they do, most urgent first.
#[test]
fn forecasts_of_steady_motions_come_true() {
    let shapes = shapes(Method::default());
    let mut hits = 0;
    for seed in 400..440 {
        let mut random = Random::new(seed);
        let horizon = random.range(2.0, 20.0);
        let bodies: Vec<_> = tumbling(4 * seed, 12);
        let steady: Vec<(DVec3, DVec3)> = (bodies.iter())
            .map(|_| {
                let turn = random.direction() * [0.0, 0.1, 0.5][random.below(3) as usize];
                (random.direction() * [0.0, 0.1, 0.5][random.below(3) as usize], turn)
            })
            .collect();
        let mut world = World::new();
        let ids = fill(&mut world, &bodies, &shapes);
        let pivot = |index: usize| {
            let bounds = shapes[bodies[index].shape].mesh().bounds();
            if bounds.is_empty() { DVec3::ZERO } else { bounds.center() }
        };
        let mut forecast = Forecast::fitted(1 + random.below(4) as usize);
        forecast.observe(&world);
        for _ in 0..6 {
            for (index, (&id, &(by, turn))) in ids.iter().zip(&steady).enumerate() {
                let from = world.pose(id).expect("it exists");
                let motion = Motion::spinning(from, by, turn, pivot(index)).expect("in range");
                world.set_pose(id, *motion.end()).expect("it exists");
            }
            forecast.observe(&world);
        }
        let found = forecast.collisions(&mut world, horizon, &ImpactOptions::default());
        let found = found.expect("in range");
        assert!(found.is_sorted_by_key(|hit| hit.steps), "seed {seed}");
        for (index, (&id, &(by, turn))) in ids.iter().zip(&steady).enumerate() {
            let from = world.pose(id).expect("it exists");
            let motion = Motion::spinning(from, by * horizon, turn * horizon, pivot(index));
            world.set_motion(id, motion.expect("in range")).expect("it starts there");
        }
        let step = world.step_continuous(&ImpactOptions::default());
        assert_eq!(found.len(), step.impacts().len(), "seed {seed}");
        for hit in step.impacts() {
            let known = found.iter().find(|known| (known.a, known.b) == (hit.a, hit.b));
            let steps = known.expect("predicted").steps;
            assert!((steps - hit.impact.time * horizon).abs() < 1e-6, "seed {seed}: {steps}");
        }
        hits += found.len();
    }
    assert!(hits > 40, "only {hits} collisions");
}

#[test]
fn forecasts_forget_bodies_that_are_gone_or_put_elsewhere() {
    let cube = Shape::new(generate::cuboid(DVec3::ONE).expect("a size"));
    let mut world = World::new();
    let wall = world.add(Body::new(&cube).at(at(9.0, 0.0, 0.0)).fixed()).expect("ok");
    let hand = world.add(Body::new(&cube)).expect("ok");
    let mut forecast = Forecast::constant_velocity();
    let options = ImpactOptions::default();
    // Without any pose, all bodies rest.
    assert_eq!(forecast.collisions(&mut world, 1e9, &options), Ok(vec![]));
    forecast.observe(&world);
    world.set_pose(hand, at(4.0, 0.0, 0.0)).expect("it exists");
    forecast.observe(&world);
    let found = forecast.collisions(&mut world, 2.0, &options).expect("in range");
    let [hit] = found[..] else { panic!("{found:?}") };
    assert_eq!((hit.a, hit.b), (wall, hand));
    assert!((hit.steps - 1.0).abs() < 1e-6, "{hit:?}");
    forecast.forget(hand);
    assert_eq!(forecast.collisions(&mut world, 2.0, &options), Ok(vec![]));
    for horizon in [-1.0, f64::NAN, f64::INFINITY] {
        let error = forecast.collisions(&mut world, horizon, &options).expect_err("no horizon");
        assert!(matches!(error, WorldError::Horizon { .. }), "{error}");
    }
    forecast.observe(&world);
    world.set_pose(hand, at(5.0, 0.0, 0.0)).expect("it exists");
    forecast.observe(&world);
    let error = forecast.collisions(&mut world, 1e300, &options).expect_err("too far");
    assert!(matches!(error, WorldError::Motion { body, .. } if body == hand), "{error}");
    // Another body in the place of one that was removed has no past.
    world.remove(hand).expect("it exists");
    assert_eq!(forecast.collisions(&mut world, 99.0, &options), Ok(vec![]));
    let other = world.add(Body::new(&cube).at(at(2.0, 0.0, 0.0))).expect("ok");
    assert_eq!(other.index(), hand.index());
    forecast.observe(&world);
    assert_eq!(forecast.collisions(&mut world, 99.0, &options), Ok(vec![]));
}

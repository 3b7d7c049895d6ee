//! First impacts of moving bodies: the same for every method, never later than a sampled contact, and never reported for
//! bodies that stay apart.

use impinge::{
    Mesh, Method, Motion, Pair, Pose, Shape, Tolerance, first_impact, generate,
    glam::{DMat3, DVec3},
    motion::{Deformation, ImpactOptions, Moving, contact_intervals, distance_profile},
};

/// A random motion of a body of about unit size, through or past the origin.
fn random_motion(random: &mut generate::Random, reach: f64) -> Motion {
    let start = Pose::new(
        DMat3::from_axis_angle(random.direction(), random.range(0.0, 3.0)),
        random.direction() * random.range(0.0, reach),
    )
    .expect("a rotation");
    let turn = random.direction() * [0.0, 0.3, 2.0, 9.0][random.below(4) as usize];
    let to = random.direction() * random.range(0.0, reach) - start.translation();
    let pivot = random.direction() * [0.0, 0.5][random.below(2) as usize];
    Motion::spinning(start, to, turn, pivot).expect("in range")
}

/// Bodies of about unit size, convex and not.
pub(crate) fn shapes(method: Method) -> Vec<Shape> {
    let meshes = [
        generate::cuboid(DVec3::new(1.0, 0.6, 0.2)).expect("sizes"),
        generate::torus(0.6, 0.2, [12, 6]).expect("sizes"),
        generate::sphere(48).expect("even"),
    ];
    meshes.map(|mesh| Shape::with_method(method, mesh)).into()
}

/// Compares with instant queries at many times: the first of them that finds a contact is not before the impact, and
/// one that finds none at the impact itself finds the bodies within the tolerance.
#[test]
fn impacts_are_never_later_than_a_sampled_contact() {
    const SAMPLES: u32 = 400;
    let shapes = shapes(Method::default());
    let (mut hits, mut clear) = (0, 0);
    for seed in 0..300 {
        let mut random = generate::Random::new(seed);
        let [a, b] = [0; 2].map(|_| &shapes[random.below(3) as usize]);
        let [motion_a, motion_b] = [0; 2].map(|_| random_motion(&mut random, 2.5));
        let tolerance = 1e-7;
        let options = ImpactOptions::default().tolerance(tolerance).expect("a distance");
        let impact = first_impact((a, &motion_a), (b, &motion_b), &options).expect("one method");
        let mut pair = Pair::new(a, b).expect("one method");
        let poses = |time: f64| [motion_a.pose_at(time), motion_b.pose_at(time)];
        let end = impact.map_or(1.0, |impact| impact.time);
        for sample in 0..=SAMPLES {
            let time = end * f64::from(sample) / f64::from(SAMPLES);
            let [pose_a, pose_b] = poses(time);
            if time < end || impact.is_none() {
                assert!(
                    !pair.intersects(&pose_a, &pose_b),
                    "seed {seed}: contact at {time} < {end}"
                );
            }
        }
        let Some(impact) = impact else {
            clear += 1;
            continue;
        };
        hits += 1;
        let [pose_a, pose_b] = poses(impact.time);
        let found = pair.distance(&pose_a, &pose_b).expect("faces").distance;
        assert!(found <= tolerance * 1.001, "seed {seed}: {found} apart at the impact");
        assert!((found - impact.distance).abs() <= 1e-9, "seed {seed}: {found} {impact:?}");
        assert!((impact.normal.length() - 1.0).abs() < 1e-9, "seed {seed}: {impact:?}");
    }
    assert!(hits > 80 && clear > 40, "{hits} hits, {clear} clear");
}

/// The impact of two bodies is the first of the impacts of their faces, each taken as a body by itself: the search leaves
/// out no pair of faces. At any scale, far from the origin, with bodies that travel together, and with bodies that deform.
#[test]
fn no_pair_of_faces_is_left_out() {
    let meshes = [
        generate::torus(0.6, 0.2, [7, 4]).expect("sizes"),
        generate::cuboid(DVec3::new(1.0, 0.6, 0.2)).expect("sizes"),
    ];
    let (mut hits, mut clear) = (0, 0);
    for seed in 0..120 {
        let mut random = generate::Random::new(seed);
        let scale = 10f64.powf(random.range(-4.0, 4.0));
        let origin = random.direction() * scale * [0.0, 1e3][random.below(2) as usize];
        let common = random.direction() * [0.0, 1.0, 5.0][random.below(3) as usize];
        // Each body with where its vertices go, if it deforms.
        let bodies: [_; 2] = std::array::from_fn(|_| {
            let mesh = &meshes[random.below(2) as usize];
            let positions = mesh.positions().iter().map(|p| *p * scale).collect();
            let mesh = Mesh::new(positions, mesh.faces().to_vec()).expect("in range");
            let turn = common + random.direction() * [0.0, 0.3, 2.0][random.below(3) as usize];
            let start = origin + random.direction() * random.range(0.5, 2.5) * scale;
            let to = origin + random.direction() * random.range(0.0, 2.0) * scale - start;
            let rotation = DMat3::from_axis_angle(random.direction(), random.range(0.0, 3.0));
            let start = Pose::new(rotation, start).expect("a rotation");
            let pivot = random.direction() * scale * [0.0, 0.5][random.below(2) as usize];
            let motion = Motion::spinning(start, to, turn, pivot).expect("in range");
            let way = DVec3::new(random.range(0.5, 2.0), random.range(0.5, 2.0), 1.0);
            let deformed: Vec<DVec3> = mesh.positions().iter().map(|p| *p * way).collect();
            let deforms = random.below(3) == 0;
            (mesh, motion, deforms.then_some(deformed))
        });
        let options = ImpactOptions::default().tolerance(1e-9 * scale).expect("a distance");
        let impact = |meshes: [&Mesh; 2], vertices: [&[u32]; 2]| {
            let shapes = meshes.map(|mesh| Shape::with_method(Method::BRUTE, mesh.clone()));
            let deformations: [_; 2] = std::array::from_fn(|i| {
                let (_, motion, deformed) = &bodies[i];
                let positions = deformed.as_ref()?;
                let positions: Vec<_> =
                    vertices[i].iter().map(|&vertex| positions[vertex as usize]).collect();
                let (start, end) = (*motion.start(), *motion.end());
                Some(Deformation::new(&shapes[i], start, &positions, end).expect("in range"))
            });
            let moving = |i: usize| match &deformations[i] {
                Some(deformation) => Moving::from(deformation),
                None => Moving::from((&shapes[i], &bodies[i].1)),
            };
            first_impact(moving(0), moving(1), &options).expect("one method")
        };
        let meshes = [&bodies[0].0, &bodies[1].0];
        let all = meshes.map(|mesh| (0..mesh.positions().len() as u32).collect::<Vec<_>>());
        let whole = impact(meshes, [&all[0], &all[1]]);
        let mut first: Option<f64> = None;
        for face_a in meshes[0].faces() {
            for face_b in meshes[1].faces() {
                let single = |mesh: &Mesh, face: &[u32; 3]| {
                    let corners = face.map(|vertex| mesh.positions()[vertex as usize]);
                    Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("one face")
                };
                let [a, b] = [single(meshes[0], face_a), single(meshes[1], face_b)];
                if let Some(found) = impact([&a, &b], [face_a, face_b]) {
                    first = Some(first.map_or(found.time, |known| known.min(found.time)));
                }
            }
        }
        match (whole, first) {
            (Some(whole), Some(first)) => {
                hits += 1;
                assert!((whole.time - first).abs() < 1e-5, "seed {seed}: {} {first}", whole.time);
            }
            (None, None) => clear += 1,
            different => panic!("seed {seed}: {different:?}"),
        }
    }
    assert!(hits > 40 && clear > 10, "{hits} hits, {clear} clear");
}

/// Thousands of turns beside a wall, clear of it and into it: searched part by part, the impact at the right turn.
#[test]
fn many_turns_are_searched_one_after_the_other() {
    let bar = Shape::new(generate::cuboid(DVec3::new(2.0, 0.2, 0.2)).expect("sizes"));
    let wall = Shape::new(generate::cuboid(DVec3::new(0.2, 4.0, 4.0)).expect("sizes"));
    let turns = 3000.0;
    let turn = DVec3::Z * turns * std::f64::consts::TAU;
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).expect("finite");
    let rest = Motion::still(at(1.2));
    let ask = |way: f64| {
        let spin = Motion::spinning(at(0.0), DVec3::X * way, turn, DVec3::ZERO).expect("in range");
        let options = ImpactOptions::default();
        first_impact((&bar, &spin), (&wall, &rest), &options).expect("one method")
    };
    // The corners of the bar reach 1.005 from the axis, and the wall begins at 1.1.
    assert_eq!(ask(0.09), None);
    let reach = 1.01f64.sqrt();
    let time = ask(1.0).expect("it gets there").time;
    // A corner points to the wall four times a turn.
    assert!(time >= 1.1 - reach && time < 1.1 - reach + 1.0 / turns, "{time}");
}

/// As `no_pair_of_faces_is_left_out`, for a few faces on straight lines: there the last boxes of the search often lead to no faces, after faces were
/// found that come close later.
#[test]
fn no_faces_are_left_out_when_the_last_boxes_have_none() {
    let mut hits = 0;
    for seed in 0..4000 {
        let mut random = generate::Random::new(seed);
        let bodies: [_; 2] = std::array::from_fn(|_| {
            let faces: Vec<[DVec3; 3]> = (0..1 + random.below(4))
                .map(|_| {
                    let middle = random.direction() * random.range(0.0, 2.0);
                    [0; 3].map(|_| middle + random.direction())
                })
                .collect();
            let from = random.direction() * random.range(0.0, 3.0);
            let to = from + random.direction() * random.range(0.0, 5.0);
            let [from, to] = [from, to].map(|at| Pose::from_translation(at).expect("finite"));
            (faces, Motion::between(from, to).expect("no turn"))
        });
        let impact = |faces: [&[[DVec3; 3]]; 2]| {
            let [a, b] = faces.map(|faces| {
                let numbers = (0..faces.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
                Shape::new(Mesh::new(faces.concat(), numbers.collect()).expect("finite"))
            });
            let (a, b) = ((&a, &bodies[0].1), (&b, &bodies[1].1));
            first_impact(a, b, &ImpactOptions::default()).expect("one method")
        };
        let whole = impact([&bodies[0].0, &bodies[1].0]).map(|impact| impact.time);
        let mut first: Option<f64> = None;
        for a in bodies[0].0.chunks(1) {
            for found in bodies[1].0.chunks(1).filter_map(|b| impact([a, b])) {
                first = Some(first.map_or(found.time, |known| known.min(found.time)));
            }
        }
        assert_eq!(whole, first, "seed {seed}");
        hits += usize::from(first.is_some());
    }
    assert!(hits > 500, "only {hits} hits");
}

#[test]
fn every_method_finds_the_same_impact() {
    let reference = shapes(Method::BRUTE);
    let others: Vec<_> = crate::methods().into_iter().map(|m| (m, shapes(m))).collect();
    let mut hits = 0;
    for seed in 0..20 {
        let mut random = generate::Random::new(seed);
        let [i, j] = [0; 2].map(|_| random.below(3) as usize);
        let [motion_a, motion_b] = [0; 2].map(|_| random_motion(&mut random, 2.0));
        let impact = |shapes: &[Shape]| {
            let options = ImpactOptions::default();
            first_impact((&shapes[i], &motion_a), (&shapes[j], &motion_b), &options)
                .expect("one method")
        };
        let expected = impact(&reference);
        hits += usize::from(expected.is_some());
        for (method, shapes) in &others {
            assert_eq!(impact(shapes), expected, "{method}, seed {seed}");
        }
    }
    assert!(hits > 5, "only {hits} hits");
}

/// Two deforming bodies, and one beside a rigid body that turns: compared with instant queries at many times.
#[test]
fn impacts_of_deforming_bodies_are_never_later_than_a_sampled_contact() {
    let shapes = shapes(Method::default());
    let (mut hits, mut clear) = (0, 0);
    for seed in 0..120 {
        let mut random = generate::Random::new(seed);
        let deformations = [0; 2].map(|_| {
            let shape = &shapes[random.below(3) as usize];
            let motion = random_motion(&mut random, 2.0);
            let bend = random.range(-0.5, 0.5);
            let bent = |p: &DVec3| DVec3::new(p.x, p.y + bend * p.x * p.x, p.z * (1.0 + bend));
            let positions: Vec<DVec3> = shape.mesh().positions().iter().map(bent).collect();
            Deformation::new(shape, *motion.start(), &positions, *motion.end()).expect("valid")
        });
        let motion = random_motion(&mut random, 2.0);
        let rigid = &shapes[1];
        let options = ImpactOptions::default();
        let is_mixed = seed % 2 == 0;
        let impact = match is_mixed {
            true => first_impact(&deformations[0], (rigid, &motion), &options),
            false => first_impact(&deformations[0], &deformations[1], &options),
        };
        let impact = impact.expect("one method");
        let end = impact.map_or(1.0, |impact| impact.time);
        let at = |deformation: &Deformation, time: f64| {
            let mut shape = deformation.shape().clone();
            shape.set_positions(&deformation.positions_at(time)).expect("valid");
            shape
        };
        for sample in 0..=60 {
            let time = end * f64::from(sample) / 60.0;
            let first = at(&deformations[0], time);
            let (second, pose) = match is_mixed {
                true => (rigid.clone(), motion.pose_at(time)),
                false => (at(&deformations[1], time), Pose::IDENTITY),
            };
            let mut pair = Pair::new(&first, &second).expect("one method");
            if time < end || impact.is_none() {
                assert!(!pair.intersects(&Pose::IDENTITY, &pose), "seed {seed}: at {time} < {end}");
            } else {
                let found = pair.distance(&Pose::IDENTITY, &pose).expect("faces").distance;
                assert!(found <= 1e-8, "seed {seed}: {found} apart at the impact");
            }
        }
        match impact {
            Some(_) => hits += 1,
            None => clear += 1,
        }
    }
    assert!(hits > 30 && clear > 10, "{hits} hits, {clear} clear");
}

/// Impacts of translations are exact: a gap of one last bit is clear, and touching in a point at the last moment counts.
#[test]
fn translations_are_decided_to_the_last_bit() {
    let block = Shape::new(generate::cuboid(DVec3::splat(1.0)).expect("sizes"));
    let rest = Motion::still(Pose::IDENTITY);
    let to = |x: f64, y: f64| {
        let [start, end] = [DVec3::new(5.0, y, 0.0), DVec3::new(x, y, 0.0)];
        let [start, end] = [start, end].map(|t| Pose::from_translation(t).expect("finite"));
        let motion = Motion::between(start, end).expect("no turn");
        let impact = first_impact((&block, &rest), (&block, &motion), &ImpactOptions::default());
        impact.expect("one method").map(|impact| impact.time)
    };
    assert_eq!(to(1.0, 0.25), Some(1.0));
    assert_eq!(to(1.0_f64.next_up(), 0.25), None);
    assert_eq!(to(1.0, 1.0), Some(1.0));
    assert_eq!(to(-3.0, 1.0), Some(0.5));
    assert_eq!(to(-3.0, 1.0_f64.next_up()), None);
    // A later part of a motion that touched before.
    let start = Pose::from_translation(DVec3::new(-4.0, 0.0, 0.0)).expect("finite");
    let end = Pose::from_translation(DVec3::new(4.0, 0.0, 0.0)).expect("finite");
    let through = Motion::between(start, end).expect("no turn");
    let later = |from, to| {
        let options = ImpactOptions::default().between(from, to);
        first_impact((&block, &rest), (&block, &through), &options).expect("one method")
    };
    assert_eq!(later(0.0, 1.0).map(|impact| impact.time), Some(0.375));
    assert_eq!(later(0.0, 0.374), None);
    assert_eq!(later(0.5, 1.0).map(|impact| impact.time), Some(0.5));
    assert_eq!(later(0.626, 1.0), None);
}

/// Contact intervals cover every sampled contact, begin with the first impact, and leave out times at which the bodies
/// are apart. The distance profile bounds every sampled distance from below.
#[test]
fn intervals_and_profiles_agree_with_samples() {
    let shapes = shapes(Method::default());
    let (mut intervals, mut contacts, mut gaps) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = generate::Random::new(seed);
        let [a, b] = [0; 2].map(|_| &shapes[random.below(3) as usize]);
        let [motion_a, motion_b] = [0; 2].map(|_| random_motion(&mut random, 1.5));
        let options = ImpactOptions::default();
        let found =
            contact_intervals((a, &motion_a), (b, &motion_b), &options, 1e-3).expect("one method");
        let first = first_impact((a, &motion_a), (b, &motion_b), &options).expect("one method");
        assert_eq!(found.first().map(|interval| interval.impact), first, "seed {seed}");
        let accuracy = Tolerance::new(0.05).expect("a distance");
        let profile =
            distance_profile((a, &motion_a), (b, &motion_b), accuracy).expect("one method");
        let mut pair = Pair::new(a, b).expect("one method");
        for sample in 0..=500 {
            let time = f64::from(sample) / 500.0;
            let (pose_a, pose_b) = (motion_a.pose_at(time), motion_b.pose_at(time));
            let is_inside =
                found.iter().any(|interval| interval.impact.time <= time && time <= interval.until);
            let distance = pair.distance(&pose_a, &pose_b).expect("faces").distance;
            if distance == 0.0 {
                contacts += 1;
                assert!(is_inside, "seed {seed}: contact at {time} in none of {found:?}");
            }
            gaps += usize::from(!is_inside);
            let entry = profile.partition_point(|entry| entry.time <= time) - 1;
            let at_least = profile[entry].at_least;
            assert!(distance >= at_least, "seed {seed}: {distance} < {at_least} at {time}");
        }
        intervals += found.len();
        assert!(found.windows(2).all(|two| two[0].until <= two[1].impact.time), "seed {seed}");
    }
    assert!(intervals > 30 && contacts > 500 && gaps > 500, "{intervals} {contacts} {gaps}");
}

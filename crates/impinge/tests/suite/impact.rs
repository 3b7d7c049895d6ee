//! First impacts of moving bodies: the same for every method, never later than a sampled contact, and never reported for
//! bodies that stay apart.

use impinge::{
    Method, Motion, Pair, Pose, Shape, first_impact, generate,
    glam::{DMat3, DVec3},
    motion::ImpactOptions,
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

fn shapes(method: Method) -> Vec<Shape> {
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

//! Bodies that are turned alike, or nearly: every method and every way to place volumes finds what brute force finds, whether or
//! not the caller states that bodies only translate.

use impinge::{
    Mesh, Method, Pair, Pose, Shape, WalkOrder,
    generate::{self, Random},
    glam::{DMat3, DVec3},
    method::tree::{BuildOptions, Tumbling},
};
use std::sync::Arc;

/// Two poses whose rotations differ by about an angle, in matrices that may be rotations only to 1e-6.
fn poses(random: &mut Random, angle: f64, apart: f64) -> [Pose; 2] {
    let stretch = 1.0 + [0.0, 3e-7][random.below(2) as usize];
    let turn = if random.below(3) == 0 { DMat3::IDENTITY } else { random.rotation() } * stretch;
    let place = random.direction() * [0.0, 10.0, 1e5][random.below(3) as usize];
    let other = DMat3::from_axis_angle(random.direction(), angle) * turn;
    let other = if angle == 0.0 { turn } else { other };
    let there = place + random.direction() * apart;
    [Pose::new(turn, place), Pose::new(other, there)].map(|pose| pose.expect("nearly a rotation"))
}

#[test]
fn bodies_that_are_turned_alike_touch_as_for_brute_force() {
    let torus = Arc::new(generate::torus(1.0, 0.4, [16, 8]).expect("valid"));
    let chair = Arc::new(generate::chair());
    let of = |build: &dyn Fn(&Arc<Mesh>) -> Shape| {
        Pair::new(&build(&chair), &build(&torus)).expect("one method")
    };
    let mut pairs: Vec<(Pair, WalkOrder)> = crate::methods()
        .into_iter()
        .map(|method| (of(&|mesh| Shape::with_method(method, mesh.clone())), WalkOrder::default()))
        .collect();
    pairs.extend(crate::tree_choices().into_iter().map(|(method, options, order)| {
        (of(&|mesh| Shape::build((method, options), mesh.clone())), order)
    }));
    let mut counts = [0; 2];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let angle = [0.0, 1e-12, 1e-9, 3e-8, 9e-7, 1e-5][random.below(6) as usize];
        let apart = random.range(0.2, 1.6);
        let [a, b] = poses(&mut random, angle, apart);
        let expected = pairs[0].0.contacts(&a, &b).to_vec();
        for (pair, order) in &mut pairs {
            let place = format!("seed {seed}, {}, {order:?}", pair.method());
            assert_eq!(pair.at(&a, &b).order(*order).contacts(), expected, "{place}");
            let stated = pair.at(&a, &b).order(*order).translation_only().contacts();
            assert_eq!(stated, expected, "{place}, stated");
            let near = pair.at(&a, &b).within(0.05).expect("valid").count();
            let query = pair.at(&a, &b).translation_only().within(0.05).expect("valid");
            assert_eq!(query.count(), near, "{place}, within a distance");
            let batch = pair.at_many(&a, std::slice::from_ref(&b)).translation_only();
            assert_eq!(batch.intersects().count() > 0, !expected.is_empty(), "{place}, batch");
        }
        counts[usize::from(!expected.is_empty())] += 1;
    }
    assert!(counts.iter().all(|&count| count > 10), "one-sided: {counts:?}");
}

/// A statement that is false changes nothing.
#[test]
fn a_false_statement_has_no_effect() {
    let ball = Arc::new(generate::sphere(960).expect("an even number"));
    let mut pair = Pair::with_method(Method::DOP18, ball.clone(), ball);
    let turned = Pose::new(DMat3::from_rotation_x(1.0), DVec3::X * 1.95).expect("a rotation");
    let expected = pair.contacts(&Pose::IDENTITY, &turned).to_vec();
    let stated = pair.at(&Pose::IDENTITY, &turned).translation_only().contacts();
    assert!(!expected.is_empty() && stated == expected);
}

/// Volumes that are moved are as tight as those that are enclosed anew by hulls or vertices.
#[test]
fn moved_volumes_are_tight() {
    let torus = Arc::new(generate::deformed_torus(1, [60, 20]).expect("valid"));
    let tests = [(Tumbling::Aligned, 0), (Tumbling::Vertices, 0), (Tumbling::Aligned, u32::MAX)]
        .map(|(tumbling, levels)| {
            let options = BuildOptions::default().tumbling(tumbling).hill_climbing(levels);
            let shape = Shape::build((Method::DOP18, options), torus.clone());
            let mut pair = Pair::new(&shape, &shape).expect("one method");
            let count = |seed: u64| {
                let [a, b] = poses(&mut Random::new(seed), 0.0, 1.1);
                pair.at(&a, &b).count();
                pair.counts().volume_tests
            };
            (0..40).map(count).sum::<u64>()
        });
    assert!(tests[0] > 1000 && tests == [tests[0]; 3], "{tests:?}");
}

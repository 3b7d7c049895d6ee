//! First impacts of triangles that translate and rotate, compared with interval arithmetic.

use impinge::{
    Mesh, Motion, Pose, Shape, first_impact, generate::Random, glam::DVec3, motion::ImpactOptions,
};
use impinge_oracle::{RotatingContact, RotatingTriangle, first_rotating_contact};

/// Two triangles and their motions. Every other case nearly misses: the second triangle is put beside a contact.
fn case(seed: u64) -> [RotatingTriangle; 2] {
    let mut random = Random::new(seed);
    let thin = [1.0, 1.0, 0.01][random.below(3) as usize];
    let triangle = |random: &mut Random| {
        let center = random.direction() * random.range(0.0, 1.5);
        let corners = [0; 3].map(|_| random.direction() * DVec3::new(1.0, 1.0, thin) + center);
        let angle = [0.0, 0.1, 1.0, 3.0, 12.0][random.below(5) as usize];
        let arm = [0.0, 0.3, 3.0][random.below(3) as usize];
        RotatingTriangle {
            corners: corners.map(|corner| corner.to_array()),
            pivot: (center + random.direction() * arm).to_array(),
            displacement: (random.direction() * random.range(0.0, 2.0)).to_array(),
            turn: (random.direction() * angle).to_array(),
        }
    };
    let mut pair = [triangle(&mut random), triangle(&mut random)];
    if seed % 2 == 1 {
        // Where a corner of the first is at some time, a corner of the second is close by.
        let time = random.range(0.1, 0.9);
        let corner_at = |t: &RotatingTriangle| {
            let [corner, pivot] = [t.corners[0], t.pivot].map(DVec3::from_array);
            let motion = motion(t);
            assert!((motion.pivot() - pivot).length() == 0.0);
            motion.pose_at(time).place(corner)
        };
        let gap = random.direction() * 10f64.powf(random.range(-7.0, -1.0));
        let shift = corner_at(&pair[0]) - corner_at(&pair[1]) + gap;
        let shifted = |p: [f64; 3]| (DVec3::from_array(p) + shift).to_array();
        pair[1].corners = pair[1].corners.map(shifted);
        pair[1].pivot = shifted(pair[1].pivot);
    }
    pair
}

fn motion(triangle: &RotatingTriangle) -> Motion {
    let [displacement, turn, pivot] =
        [triangle.displacement, triangle.turn, triangle.pivot].map(DVec3::from_array);
    Motion::spinning(Pose::IDENTITY, displacement, turn, pivot).expect("in range")
}

/// No contact is missed or reported too late. Triangles that stay apart are reported only if they come within the
/// tolerance.
#[test]
fn impacts_agree_with_interval_arithmetic() {
    let cases = if cfg!(debug_assertions) { 4_000 } else { 20_000 };
    let (mut clear, mut hits, mut early, mut unknown, mut falsely) = (0, 0, 0, 0, 0);
    for seed in 0..cases {
        let pair = case(seed);
        let truth = first_rotating_contact(&pair[0], &pair[1]);
        let shapes = pair.map(|triangle| {
            let corners = triangle.corners.map(DVec3::from_array).to_vec();
            Shape::new(Mesh::new(corners, vec![[0, 1, 2]]).expect("finite"))
        });
        let motions = pair.map(|triangle| motion(&triangle));
        let options = ImpactOptions::default();
        let impact = first_impact((&shapes[0], &motions[0]), (&shapes[1], &motions[1]), &options)
            .expect("one method");
        match (truth, impact) {
            (RotatingContact::Clear, None) => clear += 1,
            (RotatingContact::Clear, Some(impact)) => {
                falsely += 1;
                println!("seed {seed} is reported although the triangles stay apart: {impact:?}");
                assert!(impact.distance <= 1e-9, "seed {seed}: {impact:?}");
            }
            (RotatingContact::Between(_, by), None) => {
                panic!("seed {seed}: missed, contact by {by}")
            }
            (RotatingContact::Between(from, by), Some(impact)) => {
                hits += 1;
                assert!(impact.time <= by, "seed {seed}: {} is later than {by}", impact.time);
                assert!(impact.distance <= 1e-9, "seed {seed}: {impact:?}");
                // For the last 1e-10 of the way, slow or grazing triangles take a while.
                early += u64::from(from - impact.time > 1e-6);
            }
            (RotatingContact::Unknown(_), _) => unknown += 1,
        }
    }
    println!(
        "{cases} cases: {hits} contacts, none missed; {clear} clear, {falsely} falsely reported; {unknown} unknown"
    );
    assert!(falsely * 2000 <= cases, "{falsely} of {clear} that stay apart were reported");
    assert!(hits * 4 > cases && clear * 10 > cases, "{hits} contacts, {clear} clear");
    assert!(early * 50 < hits, "{early} of {hits} contacts were reported over 1e-6 too early");
    assert!(unknown * 50 < cases, "the oracle does not know {unknown} of {cases}");
}

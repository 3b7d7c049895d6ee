//! Hulls that overlap: whether anything touches, all contacts, and which facets may cross.

use impinge::{
    Method, Pair, Pose, Shape,
    convex::{Coverage, PenetrationSearch, Polytope},
    generate,
    glam::{DMat3, DVec3},
    method::hull::FacetPairs,
};
use impinge_bench::{Contender, race};

const SUBDIVISIONS: [u32; 4] = [2, 3, 4, 5];
const STEPS: u32 = 200;
const ROUNDS: usize = 3;

/// Prints a table of two equal spheres at some distances, the second of which turns by a degree a step.
pub(crate) fn table() {
    println!("\n### Two overlapping spheres, µs a step\n");
    println!(
        "| faces | distance | any, wide | any, hull | all, wide | all, hull | facets by sweep and prune | pairs of \
         facets | depth |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for subdivisions in SUBDIVISIONS {
        for distance in [1.9, 1.0] {
            row(subdivisions, distance);
        }
    }
}

fn row(subdivisions: u32, distance: f64) {
    let ball = generate::icosphere(subdivisions).expect("few enough");
    let hull = Polytope::new(ball.positions()).expect("finite");
    let coverage = Coverage::new(&hull, &ball);
    let poses: Vec<Pose> = (0..STEPS)
        .map(|step| {
            let turn =
                DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), f64::from(step).to_radians());
            Pose::new(turn, DVec3::X * distance).expect("a rotation")
        })
        .collect();
    let (still, poses) = (Pose::IDENTITY, &poses);
    let pair = |method: Method| {
        let shape = Shape::with_method(method, ball.clone());
        Pair::new(&shape, &shape).expect("one method")
    };
    let any = |method: Method| {
        let mut pair = pair(method);
        move || poses.iter().filter(|pose| pair.intersects(&still, pose)).count()
    };
    let all = |method: Method| {
        let mut pair = pair(method);
        move || poses.iter().map(|pose| pair.contacts(&still, pose).len()).sum::<usize>()
    };
    let mut pairs = FacetPairs::new();
    let facets = || {
        let found = poses
            .iter()
            .map(|pose| pairs.find((&hull, &coverage, &still), (&hull, &coverage, pose)).len());
        found.sum::<usize>()
    };
    let mut search = PenetrationSearch::new();
    let depth = || {
        poses.iter().filter(|pose| search.find((&hull, &still), (&hull, pose)).is_some()).count()
    };
    let mut contenders = [
        Contender { name: "any, wide", run: Box::new(any(Method::WIDE)) },
        Contender { name: "any, hull", run: Box::new(any(Method::HULL)) },
        Contender { name: "all, wide", run: Box::new(all(Method::WIDE)) },
        Contender { name: "all, hull", run: Box::new(all(Method::HULL)) },
        Contender { name: "facets", run: Box::new(facets) },
        Contender { name: "depth", run: Box::new(depth) },
    ];
    let outcomes = race(ROUNDS, &mut contenders);
    assert_eq!(outcomes[0].count, outcomes[1].count, "any contact");
    assert_eq!(outcomes[2].count, outcomes[3].count, "all contacts");
    let us: Vec<String> = outcomes
        .iter()
        .map(|outcome| format!("{:.2}", outcome.best.as_secs_f64() * 1e6 / f64::from(STEPS)))
        .collect();
    let [any_wide, any_hull, all_wide, all_hull, facets, depth] = &us[..] else { return };
    println!(
        "| {} | {distance} | {any_wide} | {any_hull} | {all_wide} | {all_hull} | {facets} | {:.0} | {depth} |",
        ball.faces().len(),
        outcomes[4].count as f64 / f64::from(STEPS),
    );
}

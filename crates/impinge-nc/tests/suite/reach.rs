//! Cutters without a length, tilting moves on large bodies, and tools that are wholly inside a body.

use impinge::{
    Mesh, Threads,
    generate::{self, Random},
    glam::DVec3,
    solid::SweptSolid,
};
use impinge_nc::{
    Body, Gouge, Motion, Move, MoveKind, Options, Outcome, Program, Role, Setup, Tool, ToolPose,
    check,
};
use std::collections::BTreeMap;

const TOLERANCE: f64 = 0.01;

const OPTIONS: Options = Options {
    tolerance: TOLERANCE,
    stock_to_leave: 0.0,
    clearance: 0.0,
    threads: Threads::One,
    coherence: true,
    most_faces: 1000,
};

fn run(mesh: &Mesh, spec: &str, motions: impl IntoIterator<Item = Motion>) -> Outcome {
    let moves = (1..).zip(motions).map(|(line, motion)| Move {
        line,
        kind: MoveKind::Feed,
        tool: 0,
        motion,
    });
    let program = Program { moves: moves.collect(), ..Program::default() };
    let setup = Setup { bodies: vec![Body::new("part", Role::Part, mesh.clone())] };
    let tools = BTreeMap::from([(0, Tool::from_spec(spec, 1.0).expect("a valid tool"))]);
    check(&program, &tools, &setup, &OPTIONS, &()).expect("not interrupted")
}

/// A block of 300 × 200 × 100 mm with its top at z = 0.
fn block() -> Mesh {
    moved(&generate::cuboid(DVec3::new(300.0, 200.0, 100.0)).expect("valid"), DVec3::Z * -50.0)
}

fn moved(mesh: &Mesh, by: DVec3) -> Mesh {
    let positions = mesh.positions().iter().map(|&p| p + by).collect();
    mesh.with_positions(positions).expect("finite")
}

/// A tilting move close to the surface of the block: mostly on its top, sometimes beside it.
fn tilting(random: &mut Random) -> Motion {
    let beside = random.below(8) == 0;
    let middle = match beside {
        true => DVec3::new(random.range(150.0, 158.0), random.range(-80.0, 80.0), -4.0),
        false => DVec3::new(random.range(-140.0, 140.0), random.range(-90.0, 90.0), 0.3),
    };
    let mut pose = || {
        let off = DVec3::new(1.0, 1.0, 0.5) * vector(random);
        let axis = (DVec3::Z + 0.1 * vector(random)).normalize();
        ToolPose { tip: middle + off, axis }
    };
    Motion::Tilting { from: pose(), to: pose() }
}

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
}

#[test]
fn a_cutter_without_length_gouges_as_a_very_long_one_does() {
    for spec in ["ball:d=6", "flat:d=6", "bull:d=8,r=1"] {
        let motions: Vec<Motion> = (0..48).map(|seed| tilting(&mut Random::new(seed))).collect();
        let endless = run(&block(), spec, motions.clone());
        let long = run(&block(), &format!("{spec},length=900"), motions);
        let count = endless.gouging_moves;
        assert!((6..=42).contains(&count), "{spec}: one-sided: {count} of 48 moves gouge");
        let lines = |outcome: &Outcome| -> Vec<u32> {
            outcome.gouges.iter().map(|gouge| gouge.line).collect()
        };
        assert_eq!(lines(&endless), lines(&long), "{spec}");
        for (a, b) in endless.gouges.iter().zip(&long.gouges) {
            assert!((a.depth - b.depth).abs() <= TOLERANCE, "{spec}: {a:?} {b:?}");
            assert!((a.lift - b.lift).abs() <= TOLERANCE, "{spec}: {a:?} {b:?}");
        }
    }
}

/// A tilting move is as deep as the deepest of many poses on its way.
#[test]
fn tilting_moves_are_as_deep_as_their_poses() {
    const STEPS: u32 = 300;
    let (mut gouging, mut clear) = (0, 0);
    for seed in 0..40 {
        let mut random = Random::new(1000 + seed);
        let motion = tilting(&mut random);
        let spec = ["ball:d=6", "flat:d=6", "bull:d=8,r=1"][random.below(3) as usize];
        let deepest =
            |outcome: &Outcome| outcome.gouges.iter().map(|g| g.depth).fold(0.0, f64::max);
        let whole = deepest(&run(&block(), spec, [motion.clone()]));
        let pose = |step: u32| {
            let ToolPose { tip, axis } = motion.pose_at(f64::from(step) / f64::from(STEPS));
            Motion::Straight { from: tip, to: tip, axis }
        };
        let sampled = deepest(&run(&block(), spec, (0..=STEPS).map(pose)));
        let case = format!("seed {seed}, {spec}: {whole} for the move, {sampled} for its poses");
        assert!(whole >= sampled - 2.0 * TOLERANCE, "{case}");
        // Between two poses, a point within 20 mm of the tip moves by less than 0.04 mm: by half of it from one of them.
        assert!(whole <= sampled + 2.0 * TOLERANCE + 0.02, "{case}");
        *(if whole > 0.0 { &mut gouging } else { &mut clear }) += 1;
    }
    assert!(gouging > 10 && clear > 3, "one-sided: {gouging} {clear}");
}

/// How far a tool must be lifted to be out of a convex body, found by lifting it in small steps, from above.
fn brute_lift(mesh: &Mesh, tool: &Tool, gouge: &Gouge, step: f64) -> f64 {
    let solids: Vec<_> = tool.parts.iter().map(|part| part.solid).collect();
    let bounds = mesh.bounds();
    let size = bounds.size().length() + tool.overall_length().unwrap_or(0.0);
    for count in (0..=(2.0 * size / step) as u32).rev() {
        let lift = f64::from(count) * step;
        let tip = gouge.tip + gouge.axis * lift;
        let is_hit = solids.iter().any(|solid| {
            let solid = SweptSolid::new(*solid, tip, gouge.axis);
            mesh.triangles().any(|triangle| solid.touches(&triangle))
        });
        if is_hit {
            return lift;
        }
    }
    0.0
}

#[test]
fn a_tool_inside_a_body_is_lifted_out_of_it() {
    let mut inside = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let ball = generate::sphere(240).expect("an even number");
        let stretched = DVec3::new(30.0, 20.0, random.range(20.0, 40.0));
        let positions = ball.positions().iter().map(|&p| p * stretched).collect();
        let round = ball.with_positions(positions).expect("finite");
        let cuboid = generate::cuboid(DVec3::new(50.0, 40.0, 60.0)).expect("valid");
        let mesh = if seed % 2 == 0 { round } else { cuboid };
        let spec = ["ball:d=4,length=6", "flat:d=3,length=5"][random.below(2) as usize];
        let axis = (DVec3::Z + 0.4 * vector(&mut random)).normalize();
        // From well inside to poking out of the bottom.
        let tip = DVec3::new(4.0, 4.0, 30.0) * vector(&mut random) - DVec3::Z * 5.0;
        let outcome = run(&mesh, spec, [Motion::Straight { from: tip, to: tip, axis }]);
        let [gouge] = &outcome.gouges[..] else { continue };
        inside += usize::from(gouge.face_count == 0);
        let tool = Tool::from_spec(spec, 1.0).expect("valid");
        let expected = brute_lift(&mesh, &tool, gouge, 0.02);
        let case = format!("seed {seed}, {spec}: {} instead of {expected}", gouge.lift);
        assert!((gouge.lift - expected).abs() <= 0.02 + TOLERANCE, "{case}: {gouge:?}");
    }
    assert!(inside > 15, "only {inside} tools are wholly inside");
}

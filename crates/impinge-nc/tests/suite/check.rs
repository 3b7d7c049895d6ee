//! Checks of programs whose gouges are known.

use impinge::{
    Mesh, Threads, generate,
    glam::{DMat3, DVec2, DVec3},
};
use impinge_nc::{
    Body, Gouge, Motion, Move, MoveKind, Options, Outcome, Program, Role, Setup, Tool,
    ToolPartKind, check,
};
use std::collections::BTreeMap;

fn tool(spec: &str) -> Tool {
    Tool::from_spec(spec, 1.0).expect("a valid tool")
}

fn straight(from: [f64; 3], to: [f64; 3]) -> Motion {
    Motion::Straight { from: from.into(), to: to.into(), axis: DVec3::Z }
}

fn program(motions: impl IntoIterator<Item = Motion>) -> Program {
    let moves = motions.into_iter().enumerate().map(|(i, motion)| Move {
        line: 10 + i as u32,
        kind: MoveKind::Feed,
        tool: 0,
        motion,
    });
    Program { moves: moves.collect(), ..Program::default() }
}

fn run(mesh: Mesh, tool_spec: &str, motions: Vec<Motion>, options: &Options) -> Outcome {
    let setup = Setup { bodies: vec![Body::new("part", Role::Part, mesh)] };
    let tools = BTreeMap::from([(0, tool(tool_spec))]);
    check(&program(motions), &tools, &setup, options, &()).expect("not interrupted")
}

/// A block of 100 × 100 × 20 with its top at z = 0.
fn block() -> Mesh {
    moved(&generate::cuboid(DVec3::new(100.0, 100.0, 20.0)).expect("valid"), DVec3::Z * -10.0)
}

fn moved(mesh: &Mesh, by: DVec3) -> Mesh {
    mapped(mesh, |p| p + by)
}

fn mapped(mesh: &Mesh, map: impl Fn(DVec3) -> DVec3) -> Mesh {
    let positions = mesh.positions().iter().map(|p| map(*p)).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("valid")
}

fn close(found: f64, expected: f64, by: f64) -> bool {
    (found - expected).abs() <= by
}

fn only(outcome: &Outcome) -> &Gouge {
    assert_eq!((outcome.gouges.len(), outcome.gouging_moves), (1, 1), "{outcome:?}");
    &outcome.gouges[0]
}

const FINE: Options = Options {
    tolerance: 0.001,
    stock_to_leave: 0.0,
    clearance: 0.0,
    threads: Threads::One,
    coherence: true,
    most_faces: 1000,
};

const TOOLS: [&str; 6] = [
    "ball:d=6",
    "flat:d=6",
    "bull:d=6,r=1",
    "cone:d=6,angle=30",
    "taper:d=6,angle=5,r=0.5",
    "drill:d=6,angle=118",
];

#[test]
fn a_slot_in_the_top_is_as_deep_as_the_tip() {
    for spec in TOOLS {
        for depth in [0.005, 0.3, 1.7, 6.0] {
            let slot = straight([-20.0, 3.0, -depth], [20.0, 7.0, -depth]);
            let outcome = run(block(), spec, vec![slot], &FINE);
            let gouge = only(&outcome);
            assert!(close(gouge.depth, depth, 0.001), "{spec}, {depth}: {gouge:?}");
            assert!(close(gouge.lift, depth, 0.001), "{spec}, {depth}: {gouge:?}");
            assert_eq!((gouge.with, gouge.line), (ToolPartKind::Cutter, 10));
            assert!(!gouge.faces.is_empty());
        }
    }
}

#[test]
fn a_tool_that_only_touches_is_clear() {
    for spec in TOOLS {
        for height in [0.0, 0.0005, -0.0005, 3.0] {
            let motions = vec![
                straight([-20.0, 3.0, height], [20.0, 7.0, height]),
                straight([-20.0, 3.0, height], [-20.0, 3.0, height + 5.0]),
                straight([60.0, 0.0, 5.0], [60.0, 0.0, -30.0]),
            ];
            let outcome = run(block(), spec, motions, &FINE);
            assert_eq!(outcome.gouges, [], "{spec} at {height}");
            assert_eq!(outcome.moves, 3);
        }
    }
}

#[test]
fn a_wall_is_cut_as_deep_as_the_side_reaches_into_it() {
    for spec in ["flat:d=6", "ball:d=6", "bull:d=6,r=1"] {
        for depth in [0.01, 0.25, 2.0] {
            let x = 50.0 + 3.0 - depth;
            let side = straight([x, -20.0, -10.0], [x, 20.0, -10.0]);
            let outcome = run(block(), spec, vec![side], &FINE);
            let gouge = only(&outcome);
            assert!(close(gouge.depth, depth, 0.001), "{spec}, {depth}: {gouge:?}");
            let is_lifted = spec != "flat:d=6" || close(gouge.lift, 10.0, 0.001);
            assert!(is_lifted, "{spec}: the wall reaches 10 above the tip: {gouge:?}");
        }
    }
}

#[test]
fn slopes_are_gouged_along_their_normal_and_lifted_along_the_axis() {
    for degrees in [10.0_f64, 30.0, 60.0] {
        let angle = degrees.to_radians();
        let turn = DMat3::from_rotation_y(angle);
        let slope = mapped(&block(), |p| turn * p);
        let normal = turn * DVec3::Z;
        // How far below the slope each tip is, for a tip at the origin.
        let radius = 3.0;
        let down = [
            ("ball:d=6", radius - normal.z * radius),
            ("flat:d=6", radius * normal.x),
            ("bull:d=6,r=1", 1.0 + 2.0 * normal.x - normal.z),
        ];
        for (spec, reach) in down {
            for depth in [0.02, 0.8] {
                // The deepest point is `depth` below the plane.
                let tip = normal * (reach - depth);
                let across = DVec3::Y * 8.0;
                let path = straight((tip - across).into(), (tip + across).into());
                let outcome = run(slope.clone(), spec, vec![path], &FINE);
                let gouge = only(&outcome);
                let lift = depth / angle.cos();
                assert!(close(gouge.depth, depth, 0.001), "{spec}, {degrees}°: {gouge:?}");
                assert!(close(gouge.lift, lift, 0.001), "{spec}, {degrees}°: {lift} {gouge:?}");
            }
        }
    }
}

#[test]
fn shank_and_holder_are_told_from_the_cutter() {
    let spec = "ball:d=6,length=12,shank=5:20,holder=30:15,40:25";
    // Beside the block, 10 deep: only what is above the top can hit it.
    let at = |x: f64, z: f64| straight([x, -5.0, z], [x, 5.0, z]);
    let cases = [
        (at(53.5, -19.0), None),
        (at(53.5, -40.0), Some((ToolPartKind::Holder, 8.0))),
        (at(52.0, -16.0), Some((ToolPartKind::Shank, 0.5))),
    ];
    for (motion, expected) in cases {
        let outcome = run(block(), spec, vec![motion.clone()], &FINE);
        match expected {
            None => assert_eq!(outcome.gouges, []),
            Some((with, _)) => {
                assert!(
                    outcome.gouges.iter().any(|gouge| gouge.with == with),
                    "{motion:?} {outcome:?}"
                );
            }
        }
    }
}

#[test]
fn a_tool_deep_inside_touches_no_face_and_gouges() {
    let spec = "ball:d=2,length=3";
    let outcome = run(block(), spec, vec![straight([0.0, 0.0, -11.0], [5.0, 0.0, -11.0])], &FINE);
    let gouge = only(&outcome);
    assert_eq!(gouge.faces, [] as [u32; 0]);
    // The middle of the block is 10 below its top.
    assert!(close(gouge.depth, 10.0, 0.001), "{gouge:?}");
}

#[test]
fn an_allowance_and_a_clearance_add_to_the_depth() {
    let options = Options { stock_to_leave: 0.5, ..FINE };
    let at = |z: f64| vec![straight([-20.0, 3.0, z], [20.0, 7.0, z])];
    for spec in TOOLS {
        assert_eq!(run(block(), spec, at(0.5), &options).gouges, [], "{spec}");
        for height in [0.3, 0.0, -0.7] {
            let outcome = run(block(), spec, at(height), &options);
            assert!(close(only(&outcome).depth, 0.5 - height, 0.001), "{spec}: {outcome:?}");
        }
    }
    let options = Options { clearance: 1.0, ..FINE };
    let spec = "ball:d=6,length=12,holder=30:15";
    let outcome =
        run(block(), spec, vec![straight([53.5, 0.0, -11.5], [53.5, 3.0, -11.5])], &options);
    let gouge = only(&outcome);
    assert_eq!(gouge.with, ToolPartKind::Holder);
    assert!(close(gouge.depth, 0.5, 0.001), "{gouge:?}");
}

/// An open surface counts as the top of a solid below it.
#[test]
fn open_surfaces_are_gouged_from_above() {
    let positions = [[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]];
    let positions = positions.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
    for faces in [vec![[0, 1, 2], [0, 2, 3]], vec![[0, 2, 1], [0, 2, 3]]] {
        let plane = Mesh::new(positions.clone(), faces).expect("valid");
        for spec in TOOLS {
            let slot = straight([-20.0, 3.0, -0.4], [20.0, 7.0, -0.4]);
            let outcome = run(plane.clone(), spec, vec![slot], &FINE);
            assert!(close(only(&outcome).depth, 0.4, 0.001), "{spec}: {outcome:?}");
        }
    }
}

#[test]
fn arcs_are_checked_along_their_true_curve() {
    use impinge_nc::ArcMotion;
    // A cylindrical boss of radius 20: a tool of radius 3 around it at radius 23 touches, at 22.9 it gouges by 0.1.
    let boss = generate::cylinder(20.0, 30.0, 4000).expect("valid");
    let around = |radius: f64| {
        Motion::Arc(ArcMotion {
            center: DVec3::new(0.0, 0.0, -5.0),
            radius: DVec3::X * radius,
            normal: DVec3::Z,
            sweep: std::f64::consts::TAU,
            rise: DVec3::ZERO,
            growth: 0.0,
            axis: DVec3::Z,
        })
    };
    let outcome = run(boss.clone(), "flat:d=6", vec![around(23.0)], &FINE);
    assert_eq!((outcome.gouges.len(), outcome.worst_depth), (0, 0.0));
    for depth in [0.01, 0.1, 1.0] {
        let outcome = run(boss.clone(), "flat:d=6", vec![around(23.0 - depth)], &FINE);
        assert!(close(only(&outcome).depth, depth, 0.0015), "{depth}: {:?}", only(&outcome).depth);
    }
}

/// A surface without a bottom, which a cap would close at the height of its floor: the floor has material below it all the same.
#[test]
fn floors_of_open_surfaces_are_the_top_of_a_solid() {
    let block = |x: f64, y: f64| {
        if x.abs() < 20.0 && y.abs() < 20.0 { 40.0 } else { 0.0 }
    };
    let part = generate::terrain(100, 100, DVec2::splat(100.0), block).expect("valid");
    let down = |x: f64, z: f64| {
        vec![Motion::Straight {
            from: DVec3::new(x, 0.0, 60.0),
            to: DVec3::new(x, 0.0, z),
            axis: DVec3::Z,
        }]
    };
    for (x, floor) in [(-40.0, 0.0), (0.0, 40.0)] {
        for depth in [0.02, 0.5] {
            let outcome = run(part.clone(), "flat:d=6", down(x, floor - depth), &FINE);
            let found = only(&outcome);
            assert!(close(found.depth, depth, 0.0015), "{x}: {depth}: {}", found.depth);
            assert!(close(found.lift, depth, 0.0015), "{x}: {depth}: {}", found.lift);
        }
        let outcome = run(part.clone(), "flat:d=6", down(x, floor), &FINE);
        assert_eq!(outcome.gouges.len(), 0);
    }
}

fn helix(center: DVec3, radius: f64, turns: f64, rise: f64) -> Motion {
    Motion::Arc(impinge_nc::ArcMotion {
        center,
        radius: DVec3::X * radius,
        normal: DVec3::Z,
        sweep: turns * std::f64::consts::TAU,
        rise: DVec3::Z * rise,
        growth: 0.0,
        axis: DVec3::Z,
    })
}

/// Short cutters disappear in the part, and touch none of its faces there.
#[test]
fn short_tools_are_measured_where_they_touch_no_face() {
    let part = generate::cuboid(DVec3::new(100.0, 100.0, 40.0)).expect("valid");
    let down = helix(DVec3::new(0.0, 0.0, 21.0), 2.0, 2.0, -10.0);
    let up = helix(DVec3::new(0.0, 0.0, 11.0), 2.0, 2.0, 10.0);
    let straight = straight([0.0, 0.0, 21.0], [0.0, 0.0, 11.0]);
    let axis = DVec3::new(0.3, 0.0, 1.0).normalize();
    let tilting = Motion::Tilting {
        from: impinge_nc::ToolPose { tip: DVec3::new(0.0, 0.0, 30.0), axis: DVec3::Z },
        to: impinge_nc::ToolPose { tip: DVec3::new(0.0, 0.0, 11.0), axis },
    };
    let rim = 9.0 + axis.x;
    for (motion, expected) in [(down, 9.0), (up, 9.0), (straight, 9.0), (tilting, rim)] {
        let outcome = run(part.clone(), "flat:d=2,length=3", vec![motion], &Options::default());
        let found = only(&outcome);
        assert!(close(found.depth, expected, 0.01), "{expected}: {}", found.depth);
        assert!(found.depth_at_most >= expected - 1e-9, "{expected}: {}", found.depth_at_most);
    }
}

/// Also if the move touches no face: it enters from the side, where an open surface has none.
#[test]
fn short_tools_below_open_surfaces_are_found() {
    let sheet = generate::terrain(10, 10, DVec2::splat(100.0), |_, _| 0.0).expect("valid");
    let motions = vec![
        straight([-100.0, 0.0, -30.0], [0.0, 0.0, -30.0]),
        straight([0.0, 0.0, -30.0], [10.0, 0.0, -30.0]),
        straight([10.0, 0.0, 5.0], [20.0, 0.0, 5.0]),
    ];
    let outcome = run(sheet, "flat:d=6,length=10", motions, &Options::default());
    let depths: Vec<f64> = outcome.gouges.iter().map(|gouge| gouge.depth).collect();
    assert_eq!(depths.len(), 2, "{depths:?}");
    assert!(depths.iter().all(|depth| close(*depth, 30.0, 0.01)), "{depths:?}");
    assert!(outcome.gouges.iter().all(|gouge| close(gouge.lift, 30.0, 0.01)));
}

/// A cutter without a length reaches beyond the part wherever a full circle takes it.
#[test]
fn full_circles_are_gouges_as_their_halves_are() {
    let part = generate::cuboid(DVec3::splat(10.0)).expect("valid");
    let circle = |start: f64, sweep: f64| {
        Motion::Arc(impinge_nc::ArcMotion {
            center: DVec3::new(0.0, 0.0, -94.0),
            radius: DVec3::new(start.sin(), 0.0, start.cos()) * 100.0,
            normal: DVec3::Y,
            sweep,
            rise: DVec3::ZERO,
            growth: 0.0,
            axis: DVec3::Z,
        })
    };
    use std::f64::consts::{PI, TAU};
    let whole = run(part.clone(), "flat:d=6", vec![circle(0.0, TAU)], &Options::default());
    let halves = vec![circle(0.0, PI), circle(PI, PI)];
    let halves = run(part, "flat:d=6", halves, &Options::default());
    assert!(close(whole.worst_depth, halves.worst_depth, 0.02), "{whole:?} {halves:?}");
    assert!(whole.worst_depth > 4.9, "{whole:?}");
}

/// Tools that reach in by less than the tolerance are not reported, also with sharp rims and on arcs.
#[test]
fn nothing_below_the_tolerance_is_reported() {
    let part = generate::cuboid(DVec3::new(100.0, 100.0, 40.0)).expect("valid");
    for spec in ["flat:d=6", "ball:d=6", "bull:d=6,r=1", "cone:d=6,angle=30"] {
        for (depth, expected) in [(0.0072, 0), (0.0099, 0), (0.0101, 1), (0.02, 1)] {
            let z = 20.0 - depth;
            let level = straight([0.0, 0.0, z], [10.0, 5.0, z]);
            let outcome = run(part.clone(), spec, vec![level], &Options::default());
            assert_eq!(outcome.gouges.len(), expected, "{spec}: {depth}");
        }
        let arc = |depth: f64| helix(DVec3::new(0.0, 0.0, 20.0 - depth), 20.0, 0.7, 0.0);
        let clear = run(part.clone(), spec, vec![arc(0.0056)], &Options::default());
        assert_eq!(clear.gouges.len(), 0, "{spec}");
        let gouge = run(part.clone(), spec, vec![arc(0.0101)], &Options::default());
        assert_eq!(gouge.gouges.len(), 1, "{spec}");
    }
}

/// The tip of the tool is where it reaches the deepest point, also on long moves.
#[test]
fn the_tool_stands_at_the_deepest_point() {
    let part = generate::cuboid(DVec3::new(100.0, 100.0, 40.0)).expect("valid");
    let down = straight([0.0, 0.0, 2020.0], [0.0, 0.0, 19.0]);
    let outcome = run(part, "ball:d=6", vec![down], &Options::default());
    assert!(close(only(&outcome).tip.z, 19.0, 0.02), "{:?}", only(&outcome));
}

#[test]
fn results_do_not_depend_on_threads_or_coherence() {
    let part = generate::torus(30.0, 10.0, [120, 60]).expect("valid");
    let mut random = generate::Random::new(7);
    let mut tip = DVec3::new(-40.0, -40.0, 12.0);
    let motions: Vec<Motion> = (0..200)
        .map(|_| {
            let from = tip;
            tip += DVec3::new(
                random.range(-4.0, 4.5),
                random.range(-4.0, 4.5),
                random.range(-1.0, 1.0),
            );
            tip.z = tip.z.clamp(5.0, 14.0);
            Motion::Straight { from, to: tip, axis: DVec3::Z }
        })
        .collect();
    let spec = "bull:d=6,r=1,length=10,shank=6:10,holder=25:30";
    let mut results = Vec::new();
    for threads in [Threads::One, Threads::Pool] {
        for coherence in [true, false] {
            let options = Options { threads, coherence, ..Options::default() };
            results.push(run(part.clone(), spec, motions.clone(), &options));
        }
    }
    assert!((10..180).contains(&results[0].gouging_moves), "{}", results[0].gouging_moves);
    for other in &results[1..] {
        assert!(*other == results[0], "results differ");
    }
}

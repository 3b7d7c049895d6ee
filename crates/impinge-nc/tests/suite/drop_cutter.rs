//! Verdicts and lifts beside the heights of another program.
//!
//! `drop_cutter.csv` holds, for four cutters and random positions, the height of the tip at which the cutter touches the
//! surface below: the answer of the drop-cutter of opencamlib 2023.1.11. A tool above that height is clear. A tool below it
//! gouges, and must be lifted to that height. The comparison `drop_cutter` of `impinge-bench` runs opencamlib itself.

use impinge::{Mesh, generate, generate::Random, glam::DVec2, glam::DVec3};
use impinge_nc::{
    Body, Motion, Move, MoveKind, Options, Program, Role, Setup, Tool, check, tool::SpecError,
};
use std::collections::BTreeMap;

/// The cutters in the order of their tool numbers: the name in the file, and the specification.
const CUTTERS: [(&str, &str); 4] = [
    ("ball", "ball:d=6"),
    ("flat", "flat:d=6"),
    ("bull", "bull:d=6,r=1"),
    ("cone", "cone:d=6,angle=30"),
];

/// In millimetres.
const TOLERANCE: f64 = 0.01;

/// A surface of 20 × 20 cells of 2 mm, with heights from 0 to 4 mm in steps of 1/8 mm. All coordinates are exact.
fn bumps() -> Mesh {
    let height = |x: f64, y: f64| {
        let [i, j] = [x, y].map(|at| (at / 2.0).round() as i64 + 10);
        ((7 * i * i + 13 * j * j + 5 * i * j) % 32) as f64 / 8.0
    };
    let centered = generate::terrain(20, 20, DVec2::splat(40.0), height).expect("a valid grid");
    let round = |p: &DVec3| DVec3::new((p.x + 20.0).round(), (p.y + 20.0).round(), p.z);
    let positions = centered.positions().iter().map(round).collect();
    Mesh::new(positions, centered.faces().to_vec()).expect("finite positions")
}

/// The tool numbers and the points at which the tips touch.
fn touching_tips() -> Vec<(u32, DVec3)> {
    let rows = include_str!("drop_cutter.csv").lines().skip(1);
    rows.map(|row| {
        let [cutter, numbers @ ..] = &row.split(',').collect::<Vec<_>>()[..] else {
            panic!("an empty row")
        };
        let tool = CUTTERS.iter().position(|(name, _)| name == cutter).expect("a known cutter");
        let numbers: Vec<f64> = numbers.iter().map(|it| it.parse().expect("a number")).collect();
        (tool as u32, DVec3::from_slice(&numbers))
    })
    .collect()
}

#[test]
fn verdicts_and_lifts_follow_from_the_heights_of_a_drop_cutter() -> Result<(), SpecError> {
    let setup = Setup { bodies: vec![Body::new("bumps", Role::Part, bumps())] };
    let mut tools = BTreeMap::new();
    for (number, (_, spec)) in (0..).zip(CUTTERS) {
        tools.insert(number, Tool::from_spec(spec, 1.0)?);
    }
    let mut random = Random::new(1);
    let mut cases = Vec::new();
    for (index, (tool, tip)) in touching_tips().into_iter().enumerate() {
        // The tool is made smaller by the tolerance, so it must be some tolerances too low to be sure to be found. Depths
        // of deep gouges take long, so there are fewer of them.
        let deep = if index % 40 == 0 { random.range(-0.5, -0.1) } else { -0.05 };
        let above = [0.02, 1.0, random.range(0.001, 1.0), deep];
        cases.extend(above.map(|above| (tool, tip + DVec3::Z * above, above)));
    }
    let moves = (0..).zip(&cases).map(|(line, &(tool, tip, _))| Move {
        line,
        kind: MoveKind::Feed,
        tool,
        motion: Motion::Straight { from: tip, to: tip, axis: DVec3::Z },
    });
    let program = Program { moves: moves.collect(), ..Program::default() };
    let options = Options { tolerance: TOLERANCE, ..Options::default() };
    let outcome = check(&program, &tools, &setup, &options, &()).expect("nothing interrupts it");

    let mut gouges = outcome.gouges.iter().peekable();
    for (index, &(tool, tip, above)) in cases.iter().enumerate() {
        let gouge = gouges.next_if(|gouge| gouge.move_index == index);
        let case = format!("{}, tip {tip}, {above} above: {gouge:?}", CUTTERS[tool as usize].1);
        assert_eq!(gouge.is_some(), above < 0.0, "{case}");
        if let Some(gouge) = gouge {
            assert!((gouge.lift + above).abs() <= 0.2 * TOLERANCE, "{case}");
            assert!(gouge.depth > 0.0 && gouge.depth <= gouge.lift + TOLERANCE, "{case}");
        }
    }
    assert_eq!(outcome.gouging_moves, 240);
    Ok(())
}

//! Cutter compensation.

use super::{
    FEED, RAPID, assert_continuous, assert_ends, assert_same, fault, fault_with, read, read_with,
    tip,
};
use impinge::{generate::Random, glam::DVec3};
use impinge_nc::{GcodeOptions, Motion, ToolOffset};

/// Around a square of 10 mm, to the right of a path that turns left: the tool goes around the corners.
#[test]
fn outside_corners_are_arcs() {
    let program =
        read("G21\nG0 X-10 Y0 Z0\nG42.1 D2 G1 X0 Y0 F10\nX10\nY10\nX0\nY0\nG40 G1 X-10\n");
    assert_ends(
        &program,
        &[
            (RAPID, [-10.0, 0.0, 0.0]),
            (FEED, [0.0, -1.0, 0.0]),
            (FEED, [10.0, -1.0, 0.0]),
            (FEED, [11.0, 0.0, 0.0]),
            (FEED, [11.0, 10.0, 0.0]),
            (FEED, [10.0, 11.0, 0.0]),
            (FEED, [0.0, 11.0, 0.0]),
            (FEED, [-1.0, 10.0, 0.0]),
            (FEED, [-1.0, 0.0, 0.0]),
            (FEED, [-10.0, 0.0, 0.0]),
        ],
    );
    let Motion::Arc(corner) = &program.moves[3].motion else { panic!("an arc") };
    assert!(corner.center.distance(DVec3::new(10.0, 0.0, 0.0)) < 1e-12);
    assert!((corner.sweep - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    let lines: Vec<_> = program.moves.iter().map(|step| step.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 5, 6, 6, 7, 7, 8]);
}

/// Inside the same square: the offset lines end where they meet.
#[test]
fn inside_corners_are_cut_short() {
    let program =
        read("G21\nG0 X5 Y5 Z0\nG41.1 D2\nG1 X5 Y0 F10\nX10\nY10\nX0\nY0\nX5\nG40\nG1 X5 Y5\n");
    assert_ends(
        &program,
        &[
            (RAPID, [5.0, 5.0, 0.0]),
            (FEED, [6.0, 1.0, 0.0]),
            (FEED, [9.0, 1.0, 0.0]),
            (FEED, [9.0, 9.0, 0.0]),
            (FEED, [1.0, 9.0, 0.0]),
            (FEED, [1.0, 1.0, 0.0]),
            (FEED, [5.0, 1.0, 0.0]),
            (FEED, [5.0, 5.0, 0.0]),
        ],
    );
}

/// A slot with round ends, from inside and outside; the arcs continue the lines.
#[test]
fn arcs_grow_or_shrink() {
    let slot = |code: &str| {
        format!(
            "G21\nG0 X-20 Y-3 Z0\n{code} D2 G1 X0 Y-3\nX10\nG3 Y3 J3 Z-1\nG1 X0\nG3 Y-3 R3\nG40 G1 X-20\n"
        )
    };
    for (code, y, radius) in [("G41.1", 2.0, 2.0), ("G42.1", 4.0, 4.0)] {
        let program = read(&slot(code));
        assert_ends(
            &program,
            &[
                (RAPID, [-20.0, -3.0, 0.0]),
                (FEED, [0.0, -y, 0.0]),
                (FEED, [10.0, -y, 0.0]),
                (FEED, [10.0, y, -1.0]),
                (FEED, [0.0, y, -1.0]),
                (FEED, [0.0, -y, -1.0]),
                (FEED, [-20.0, -3.0, -1.0]),
            ],
        );
        let Motion::Arc(arc) = &program.moves[3].motion else { panic!("an arc") };
        assert!((arc.radius.length() - radius).abs() < 1e-12, "{arc:?}");
    }
}

/// Moves along the normal happen where the tool is.
#[test]
fn moves_along_the_normal_keep_their_place() {
    let program = read("G21\nG0 X-10 Y0 Z5\nG42.1 D2\nG1 Z0\nX0\nX10\nZ-2\nZ-3\nY10\nG40\nG0 Z5\n");
    assert_ends(
        &program,
        &[
            (RAPID, [-10.0, 0.0, 5.0]),
            (FEED, [-10.0, 0.0, 0.0]),
            (FEED, [0.0, -1.0, 0.0]),
            (FEED, [10.0, -1.0, 0.0]),
            (FEED, [10.0, -1.0, -2.0]),
            (FEED, [10.0, -1.0, -3.0]),
            (FEED, [11.0, 0.0, -3.0]),
            (FEED, [11.0, 10.0, -3.0]),
            (RAPID, [10.0, 10.0, 5.0]),
        ],
    );
}

#[test]
fn the_diameter_comes_from_the_table_or_the_program() {
    let text = |code: &str| format!("G21 T3 M6\nG0 X-10 Y0 Z0\n{code} G1 X0 Y0\nX10\nG40\nX20\n");
    let mut options = GcodeOptions::default();
    options.tools.insert(3, ToolOffset { length: None, diameter: Some(4.0) });
    options.tools.insert(8, ToolOffset { length: None, diameter: Some(4.0) });
    options.tools.insert(9, ToolOffset { length: None, diameter: Some(-4.0) });
    let expected = read(&text("G41.1 D4"));
    assert_same(&expected, &read_with(&text("G41"), &options));
    assert_same(&expected, &read_with(&text("G41 D8"), &options));
    assert_same(&expected, &read_with(&text("G42 D9"), &options));
    assert_same(&read(&text("")), &read_with(&text("G41 D0"), &options));
    assert_same(&expected, &read(&text("G41.1 D4").replace("G40", "G41.1 D4\nG40")));
    for code in ["G41", "G42 D8"] {
        let message = fault(&text(code));
        assert!(
            message.starts_with("3:1: cutter compensation needs the diameter of tool"),
            "{message}"
        );
        assert!(message.contains("--tool-table"), "{message}");
    }
}

#[test]
fn in_other_planes() {
    let program = read("G21 G18\nG0 Z-10 X0 Y0\nG41.1 D2 G1 Z0\nZ10\nX-5\nG40 G1 X-9\n");
    // Seen from +Y, with Z to the right and X up: left is +X, and the turn to the right is an outside corner.
    assert_ends(
        &program,
        &[
            (RAPID, [0.0, 0.0, -10.0]),
            (FEED, [1.0, 0.0, 0.0]),
            (FEED, [1.0, 0.0, 10.0]),
            (FEED, [0.0, 0.0, 11.0]),
            (FEED, [-5.0, 0.0, 11.0]),
            (FEED, [-9.0, 0.0, 10.0]),
        ],
    );
}

#[test]
fn impossible_paths_are_refused_by_line() {
    let start = "G21\nG0 X-10 Y0 Z0\n";
    let mut options = GcodeOptions::default();
    options.tools.insert(1, ToolOffset { length: None, diameter: Some(2.0) });
    for (text, message) in [
        ("G41 D1 G2 X0 Y0 R5\n", "3: the first move after G41 or G42 must be straight"),
        ("G41 D1 G1 X-9.5\n", "3: the first move after G41 or G42 is 0.500000 mm long"),
        // An arc inside of which the cutter is too thick.
        ("G41 D1 G1 X0\nG3 X0 Y1 J0.5\n", "4: the cutter of radius 1.000000 mm does not fit"),
        // A groove that is too narrow.
        ("G41 D1 G1 X0\nX10\nY1\nX0\nX-5\n", "5: the cutter of radius 1.000000 mm does not fit"),
        (
            "G41 D1 G1 X0\nX10\nG18\n",
            "5: a change of the plane is not allowed during cutter compensation",
        ),
        ("G41 D1 G1 X0\nX10\nG81 X1 Z0 R1\n", "5: a cycle is not allowed"),
        ("G41 D1 G1 X0\nX10\nG28\n", "5: a return to a fixed point is not allowed"),
        ("G41 D1 G1 X0\nX10\nT1 M6\n", "5: a tool change is not allowed"),
        ("G41 D1 G1 X0\nX10\nG55\n", "5: a change of the work offset is not allowed"),
        ("G41 D1 G1 X0\nX10\nG42 D1\n", "5:1: cutter compensation is on already"),
        ("G41 D1 G1 X0\nX10\nG40\nG2 X12 R1\n", "6: the first move after G40 must be straight"),
    ] {
        let found = fault_with(&format!("{start}{text}"), &options);
        assert!(found.starts_with(message), "{text}: {found}");
    }
    assert!(fault_with("G21\nG41 D1 G0 X5 Y5 Z5", &options).contains("is known"));
}

/// Random outlines of lines and arcs, from inside and outside: the tool touches the outline at every time and never
/// cuts into it.
#[test]
fn the_tool_follows_random_outlines_at_its_radius() {
    const RADIUS: f64 = 1.5;
    let mut random = Random::new(5);
    let mut unit = || random.below(1 << 20) as f64 / f64::from(1 << 20);
    let (mut checked, mut arcs) = (0, 0);
    for seed in 0..60 {
        let count = 7;
        let corners: Vec<DVec3> = (0..count)
            .map(|index| {
                let angle = std::f64::consts::TAU * f64::from(index) / f64::from(count);
                DVec3::new(angle.cos(), angle.sin(), 0.0) * (40.0 + 20.0 * unit())
            })
            .collect();
        let start = corners[0] - (corners[1] - corners[0]).normalize() * 10.0;
        let mut plain = format!("G21\nG0 X{} Y{} Z0\n", start.x, start.y);
        let point = |corner: DVec3| format!("X{} Y{}", corner.x, corner.y);
        let mut outline = format!("G1 {}\n", point(corners[0]));
        for index in 1..=count as usize {
            let [from, to] = [index - 1, index].map(|index| corners[index % corners.len()]);
            outline += &match (unit() * 3.0) as u32 {
                1 if index > 1 => {
                    format!("G2 {} R{}\n", point(to), from.distance(to) * (1.0 + unit()))
                }
                2 if index > 1 => {
                    format!("G3 {} R{}\n", point(to), from.distance(to) * (1.0 + unit()))
                }
                _ => format!("G1 {}\n", point(to)),
            };
        }
        let contour: Vec<DVec3> = read(&format!("{plain}{outline}"))
            .moves
            .iter()
            .skip(2)
            .flat_map(|step| (0..=600).map(|i| tip(&step.motion, f64::from(i) / 600.0)))
            .collect();
        let code = if seed % 2 == 0 { "G41.1" } else { "G42.1" };
        plain += &format!("{code} D{}\n{outline}", 2.0 * RADIUS);
        let program = read(&plain);
        assert_continuous(&program);
        for step in program.moves.iter().filter(|step| step.line > 4) {
            arcs += usize::from(matches!(step.motion, Motion::Arc(_)));
            for i in 0..=20 {
                let tool = tip(&step.motion, f64::from(i) / 20.0);
                // Where the outline closes, compensation starts and ends: the corner is not joined there.
                if tool.distance(corners[0]) < 5.0 {
                    continue;
                }
                let distance =
                    contour.iter().map(|point| point.distance(tool)).fold(f64::MAX, f64::min);
                assert!(
                    (-1e-6..0.01).contains(&(distance - RADIUS)),
                    "seed {seed}: at {tool} of line {}, the outline is {distance} mm away\n{plain}",
                    step.line
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 5000 && arcs > 100, "{checked} positions, {arcs} arcs");
}

//! Programs that do not say where the tool starts, and paths of rapids.

use super::{FEED, RAPID, assert_ends, fault, read, read_with, tip};
use impinge::glam::DVec3;
use impinge_nc::{GcodeOptions, Motion, Program, Rapids, Unit};

fn notes(program: &Program) -> Vec<String> {
    program.notes.iter().map(ToString::to_string).collect()
}

fn length(program: &Program, index: usize) -> f64 {
    let motion = &program.moves[index].motion;
    tip(motion, 0.0).distance(tip(motion, 1.0))
}

#[test]
fn the_first_position_is_checked_but_not_the_way_to_it() {
    let program = read("G21\nG0 Z20\nG0 X10 Y5\nG1 Z-1 F100\n");
    assert_ends(&program, &[(RAPID, [10.0, 5.0, 20.0]), (FEED, [10.0, 5.0, -1.0])]);
    assert_eq!(length(&program, 0), 0.0);
    assert_eq!(
        notes(&program),
        [
            "line 2: the tool comes from a position that is not known: the way is not checked, only the end once X, Y and Z are known (--start states the start) (2 times)"
        ]
    );
    // With a start, all moves are there.
    let options = start(DVec3::new(0.0, 0.0, 50.0));
    let program = read_with("G21\nG0 Z20\nG0 X10 Y5\nG1 Z-1 F100\n", &options);
    assert_ends(
        &program,
        &[(RAPID, [0.0, 0.0, 20.0]), (RAPID, [10.0, 5.0, 20.0]), (FEED, [10.0, 5.0, -1.0])],
    );
    assert_eq!(length(&program, 0), 30.0);
    assert!(program.notes.is_empty(), "{:?}", program.notes);
}

fn start(start: DVec3) -> GcodeOptions {
    let mut options = GcodeOptions::default();
    options.start = Some(start);
    options
}

#[test]
fn a_cut_without_a_stated_axis_starts_at_zero() {
    let program = read("G21\nG0 Z3\nG1 Z-1\nG1 X4\nG1 Y4\n");
    assert_ends(
        &program,
        &[(FEED, [0.0, 0.0, -1.0]), (FEED, [4.0, 0.0, -1.0]), (FEED, [4.0, 4.0, -1.0])],
    );
    assert_eq!(length(&program, 0), 4.0);
    let notes = notes(&program);
    assert!(
        notes[1].starts_with("line 3: the program cuts before it states every axis: X"),
        "{notes:?}"
    );
    assert!(
        notes[2].starts_with("line 3: the program cuts before it states every axis: Y"),
        "{notes:?}"
    );
}

#[test]
fn increments_without_a_position_start_at_zero() {
    let program = read("G21 G91\nG0 X10\nG0 Y5 Z-2\nG0 Z1\n");
    assert_ends(&program, &[(RAPID, [10.0, 5.0, -2.0]), (RAPID, [10.0, 5.0, -1.0])]);
    assert_eq!(notes(&program).len(), 4, "{:?}", notes(&program));
}

#[test]
fn the_unit_is_that_of_the_first_motion() {
    assert_eq!(read("G20\nG0 X1 Y1 Z1\nG21\nX2").unit, Unit::Inch);
    assert_eq!(read("G20\nG21\nG0 X1 Y1 Z1\n").unit, Unit::Millimetre);
    let mut options = GcodeOptions::default();
    options.unit = Unit::Inch;
    let program = read_with("G0 X1 Y1 Z1\n", &options);
    assert_eq!(program.unit, Unit::Inch);
    assert_ends(&program, &[(RAPID, [25.4; 3])]);
    let notes = notes(&program);
    assert_eq!(
        notes[0],
        "line 1: the program states no unit before its first motion: inches are assumed"
    );
    assert_eq!(program.lines, 1);
}

/// The return to a position that is not known: the moves around it are not checked, and a note says so.
#[test]
fn a_return_to_an_unknown_position_is_noted() {
    let program =
        read("G21 G91 G28 Z0\nG90 G0 X1 Y2\nZ3\nG1 Z0\nG0 G28 Z8\nX0\nG30\nG53 G0 X1\nM30\n");
    assert_ends(
        &program,
        &[(RAPID, [1.0, 2.0, 3.0]), (FEED, [1.0, 2.0, 0.0]), (RAPID, [1.0, 2.0, 8.0])],
    );
    let notes = notes(&program).join("\n");
    assert!(notes.contains("line 1: G28: where the machine returns to is not known"), "{notes}");
    assert!(notes.contains("line 7: G30: where"), "{notes}");
    assert!(notes.contains("line 8: G53: where the machine's zero is"), "{notes}");
}

/// After a return to an unknown position, an axis is not taken as 0.
#[test]
fn a_lost_axis_is_not_guessed() {
    let start = "G21\nG0 X1 Y2 Z3\nG28 Z5\n";
    let first = [(RAPID, [1.0, 2.0, 3.0]), (RAPID, [1.0, 2.0, 5.0])];
    let ends = |rest: &[_]| [first.as_slice(), rest].concat();
    // Cuts and increments at an unknown height are not checked.
    assert_ends(&read(&format!("{start}G1 X4\nG91 G0 Z-3\nX1\nG90\n")), &ends(&[]));
    let back = format!("{start}G1 X4\nG1 Z1\nG1 X6\n");
    let program = read(&back);
    let ends: Vec<_> = program.moves.iter().map(|step| tip(&step.motion, 1.0).to_array()).collect();
    assert_eq!(ends, [[1.0, 2.0, 3.0], [1.0, 2.0, 5.0], [4.0, 2.0, 1.0], [6.0, 2.0, 1.0]]);
    for line in ["G92 Z0", "G10 L20 P1 Z0", "#1=#5422", "#1=#<_z>", "G91 G81 X1 Z-1 R1"] {
        let message = fault(&format!("{start}{line}\n"));
        assert!(
            message.contains("the position of Z is not known after the return"),
            "{line}: {message}"
        );
    }
    assert!(fault(&format!("{start}G2 X4 R9\n")).contains("an arc needs a known start"));
}

#[test]
fn rapids_are_straight_or_dog_legs_or_both() {
    let text = "G21\nG0 X0 Y0 Z0\nG0 X10 Y4 Z-7\nG1 X0 Y0\nG0 X5\n";
    let count = |rapids| {
        let mut options = GcodeOptions::default();
        options.rapids = rapids;
        read_with(text, &options).moves.len()
    };
    assert_eq!(count(Rapids::Straight), 4);
    assert_eq!(count(Rapids::Dogleg), 6);
    assert_eq!(count(Rapids::Both), 7);
    let mut options = GcodeOptions::default();
    options.rapids = Rapids::Dogleg;
    assert_ends(
        &read_with(text, &options),
        &[
            (RAPID, [0.0, 0.0, 0.0]),
            (RAPID, [4.0, 4.0, -4.0]),
            (RAPID, [7.0, 4.0, -7.0]),
            (RAPID, [10.0, 4.0, -7.0]),
            (FEED, [0.0, 0.0, -7.0]),
            (RAPID, [5.0, 0.0, -7.0]),
        ],
    );
}

#[test]
fn moves_without_motion_are_left_out() {
    let program = read("G21\nG0 X0 Y0 Z0\nG1 X0\nG1 X1\nG1 X1 Y0\nG0 Z0\n");
    assert_eq!(program.moves.len(), 2);
    assert!(matches!(program.moves[1].motion, Motion::Straight { axis: DVec3::Z, .. }));
}

#[test]
fn arcs_need_a_start() {
    assert!(fault("G21\nG2 X5 Y5 R9\n").starts_with("2: an arc needs a known start"));
}

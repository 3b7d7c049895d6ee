//! Work offsets, tool lengths and fixed positions.

use super::{FEED, RAPID, assert_ends, fault, fault_with, read, read_with, tip};
use impinge_nc::{GcodeOptions, ToolOffset};

fn offsets() -> GcodeOptions {
    let mut options = GcodeOptions::default();
    options.offsets.insert(1, [100.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    options.offsets.insert(9, [0.0, 200.0, -5.0, 0.0, 0.0, 0.0]);
    options
}

#[test]
fn positions_are_those_of_the_machine() {
    let text = "G21\nG0 X1 Y2 Z3\nG59.3 X1 Y2 Z3\nG53 X1\nG53 G1 Z0\nG0 X2\nG91 G53 G0 X7\nX1\n";
    assert_ends(
        &read_with(text, &offsets()),
        &[
            (RAPID, [101.0, 2.0, 3.0]),
            (RAPID, [1.0, 202.0, -2.0]),
            (FEED, [1.0, 202.0, 0.0]),
            (RAPID, [2.0, 202.0, 0.0]),
            (RAPID, [7.0, 202.0, 0.0]),
            (RAPID, [8.0, 202.0, 0.0]),
        ],
    );
    let message = fault_with("G21\nG0 X1 Y2 Z3\nG55\nG0 X2\n", &offsets());
    assert!(message.starts_with("4: the program moves in G54 and G55"), "{message}");
    assert!(fault("G54 G0 X1 Y1 Z1\nG55 X1").contains("--offset"));
    // One system without an offset is the part's own.
    assert_ends(&read("G21 G57 G0 X1 Y2 Z3"), &[(RAPID, [1.0, 2.0, 3.0])]);
}

#[test]
fn offsets_can_be_set_by_the_program() {
    let text = "G21\nG10 L2 P1 X10 Y20 Z30\nG0 X1 Y1 Z1\nG10 L20 P1 X0 Y0 Z0\nG1 X5\nG91 G10 L2 P0 Z1\nG90 G1 Z0\n\
                #100=[#5221+#5222+#5223+#5220] G1 X#100";
    assert_ends(
        &read(text),
        &[
            (RAPID, [11.0, 21.0, 31.0]),
            (FEED, [16.0, 21.0, 31.0]),
            (FEED, [16.0, 21.0, 32.0]),
            (FEED, [11.0 + 0.0, 21.0, 32.0]),
        ],
    );
}

#[test]
fn shifts_last_until_they_are_reset() {
    let text = "G21\nG0 X10 Y10 Z10\nG92 X2\nG1 X3\nG91 G1 X1\nG90 G92.2\nG1 X0\nG92.3\nG1 X0\nG92.1\nG1 X0\n";
    let x = [10.0, 11.0, 12.0, 0.0, 8.0, 0.0];
    let program = read(text);
    let found: Vec<_> = program.moves.iter().map(|step| tip(&step.motion, 1.0).x).collect();
    assert_eq!(found, x);
    // A program that starts by saying where the tool is uses the coordinates of the part.
    assert_ends(&read("G21 G92 X1 Y2 Z3\nG1 X5\n"), &[(FEED, [5.0, 2.0, 3.0])]);
}

#[test]
fn returns_go_by_way_of_the_stated_point() {
    let mut options = GcodeOptions::default();
    options.home = Some([0.0, 0.0, 100.0, 0.0, 0.0, 0.0]);
    options.second_home = Some([-5.0, -6.0, 70.0, 0.0, 0.0, 0.0]);
    let text = "G21\nG0 X1 Y2 Z3\nG91 G28 Z0\nG90 G0 Z5\nG28 Z20\nG30\nG28.1\nG0 X0 Y0\nG28 X3\n";
    assert_ends(
        &read_with(text, &options),
        &[
            (RAPID, [1.0, 2.0, 3.0]),
            (RAPID, [1.0, 2.0, 100.0]),
            (RAPID, [1.0, 2.0, 5.0]),
            (RAPID, [1.0, 2.0, 20.0]),
            (RAPID, [1.0, 2.0, 100.0]),
            (RAPID, [-5.0, -6.0, 70.0]),
            (RAPID, [0.0, 0.0, 70.0]),
            (RAPID, [3.0, 0.0, 70.0]),
            (RAPID, [-5.0, 0.0, 70.0]),
        ],
    );
}

fn tools() -> GcodeOptions {
    let mut options = GcodeOptions::default();
    for (number, length) in [(1, 50.0), (2, 80.0)] {
        options.tools.insert(number, ToolOffset { length: Some(length), diameter: None });
    }
    options
}

/// The height of the tip after each move, which all go to Z10.
fn heights(text: &str, options: &GcodeOptions) -> Vec<f64> {
    read_with(text, options).moves.iter().map(|step| tip(&step.motion, 1.0).z).collect()
}

#[test]
fn a_wrong_length_offset_moves_the_tip() {
    let program = |words: &str| {
        format!("G21 T1 M6\n{words}\nG0 X0 Y0 Z10\nT2 M6\nG1 X1\nG43 H2\nG1 X2\nG49\nG1 X3")
    };
    // Tool 2 is 30 mm longer than the control reckons with, until its own offset is set.
    assert_eq!(heights(&program("G43 H1"), &tools()), [10.0, -20.0, 10.0, 10.0]);
    assert_eq!(heights(&program("G43"), &tools()), [10.0, -20.0, 10.0, 10.0]);
    // Tool 1 with the offset of tool 2 is 30 mm too high.
    assert_eq!(heights(&program("G43 H2"), &tools()), [40.0, 10.0, 10.0, 10.0]);
    assert_eq!(heights(&program("G49"), &tools()), [10.0; 4]);
    assert_eq!(heights(&program("G43 H0"), &tools()), [10.0; 4]);
    // Without lengths the offset counts as right, with a note.
    let read = read(&program("G43 H1"));
    assert!(read.moves.iter().all(|step| tip(&step.motion, 1.0).z == 10.0));
    assert!(read.notes.iter().any(|note| {
        note.to_string().starts_with("line 5: the length offset H1 is used with tool 2")
    }));
}

#[test]
fn a_length_offset_can_change_with_a_move() {
    assert_eq!(heights("G21 T1 M6\nG43 H1 G0 X0 Y0 Z10\nX1 H2\n", &tools()), [10.0, 40.0]);
    assert!(fault("G21 G0 X1 H2").contains("H2 is not used"));
}

#[test]
fn parameters_mirror_the_machine() {
    let text = "G20 T2 M6\nG0 X1 Y2 Z3\nG1 X#5420 Y[#<_y> + #<_x>] Z#<_abs_z>\n#1=#5400 X#1\n\
                #2=[#<_imperial> + #<_metric> + #<_absolute> + #<_current_tool>] Y#2\nY#2\n";
    let inch = |values: [f64; 3]| values.map(|value| value * 25.4);
    let program = read(&text.replace("#1=#5400 X#1", "#1=#5400\nX#1").replace("Y#2\nY#2", "\nY#2"));
    assert_ends(
        &program,
        &[
            (RAPID, inch([1.0, 2.0, 3.0])),
            (FEED, inch([1.0, 3.0, 3.0])),
            (FEED, inch([2.0, 3.0, 3.0])),
            (FEED, inch([2.0, 4.0, 3.0])),
        ],
    );
    let notes = read("G21\nG0 X#500 Y0 Z0").notes;
    assert!(notes[0].to_string().starts_with("line 2: #500 is used but never set"), "{notes:?}");
}

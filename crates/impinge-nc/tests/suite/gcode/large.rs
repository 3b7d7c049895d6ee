//! Large programs: the time grows with their length, not with its square.

use impinge_nc::{GcodeOptions, Program};
use std::{
    fmt::Write,
    time::{Duration, Instant},
};

/// Far more than needed, as other tests may share the processor, and far less than quadratic time would take.
const SLOWEST: Duration = Duration::from_secs(30);

#[track_caller]
fn count_moves(text: &str) -> usize {
    let start = Instant::now();
    let program = Program::read_gcode(text, "large.nc", &GcodeOptions::default());
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    assert!(start.elapsed() < SLOWEST, "{:?} for {} bytes", start.elapsed(), text.len());
    program.moves.len()
}

#[test]
fn many_lines_and_blocks() {
    const COUNT: usize = 200_000;
    let head = "G21\nG0 X0 Y0 Z0\n";
    let mut lines = head.to_owned();
    let mut repeats = head.to_owned();
    let mut subroutines = head.to_owned();
    let mut tools = head.to_owned();
    for index in 0..COUNT {
        let x = index % 7 + 1;
        writeln!(lines, "N{index} G1 X{x}.25 Y{}.5 Z-{x}", index % 5).expect("a string");
        writeln!(repeats, "o{index} repeat [2]\nG1 X{x}\no{index} endrepeat").expect("a string");
        writeln!(subroutines, "o{index} sub\nG1 X#1\no{index} endsub\no{index} call [{x}]")
            .expect("a string");
        writeln!(tools, "T{index} M6\nG1 X{x}").expect("a string");
    }
    for text in [lines, repeats, subroutines, tools] {
        assert_eq!(count_moves(&text), COUNT + 1);
    }
}

/// Compensation holds back moves along the normal until the next move in the plane.
#[test]
fn many_moves_without_motion_in_the_plane() {
    let mut text = "G21\nG0 X0 Y0 Z0\nG41.1 D1 G1 X10\n".to_owned();
    for index in 0..50_000 {
        writeln!(text, "Z{}", index % 2 + 1).expect("a string");
    }
    text += "X20\n";
    assert_eq!(count_moves(&text), 50_003);
}

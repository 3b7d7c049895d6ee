//! The built-in example: a part and a program with three faults whose places and depths are known.
//!
//! `impinge nc` shows it if no file is named, and tests compare a check with the known faults.

mod part;

pub use part::part;

use crate::ToolPartKind;
use impinge::glam::DVec3;

/// The name of the part in reports.
pub const PART_NAME: &str = "example part";

/// The name of the program in reports.
pub const PROGRAM_NAME: &str = "example program";

/// The program, in G-code. Its zero is the corner of the part's top face, as in the coordinates of [`part`].
pub const PROGRAM: &str = include_str!("program.nc");

/// Where the tip of the tool is before the first move, in millimetres.
pub const START: DVec3 = DVec3::new(0.0, 0.0, 50.0);

/// The tools of the program: number and specification.
pub const TOOLS: [(u32, &str); 2] = [
    (1, "flat:d=6,length=14,holder=20:15,32:20"),
    (2, "ball:d=6,length=8,shank=5:14,holder=20:15,32:20"),
];

/// A fault of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// The line of the program.
    pub line: u32,
    /// Whether the move is a rapid move.
    pub is_rapid: bool,
    /// The part of the tool that hits.
    pub with: ToolPartKind,
    /// How far the tool reaches into the part, in millimetres.
    pub depth: f64,
    /// How far the tool must be lifted to be free, in millimetres.
    pub lift: f64,
}

/// The faults of the program, in the order of its lines. There are no others.
///
/// 1. An arc along a wall of the pocket bulges 0.5 mm into it, at the floor, 12 mm below the top of the wall.
/// 2. The tip is 12 mm below the top face, so the holder begins 2 mm above it. The boss is 4 mm high, and 5.5 mm from the
///    axis of a holder with a radius of 10 mm.
/// 3. A rapid move crosses a wall of 5 mm with the tip 2 mm below its top.
pub const FAULTS: [Fault; 3] = [
    Fault { line: 16, is_rapid: false, with: ToolPartKind::Cutter, depth: 0.5, lift: 12.0 },
    Fault { line: 28, is_rapid: false, with: ToolPartKind::Holder, depth: 2.0, lift: 2.0 },
    Fault { line: 39, is_rapid: true, with: ToolPartKind::Cutter, depth: 2.0, lift: 2.0 },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, GcodeOptions, MoveKind, Options, Program, Role, Setup, Tool, check};

    #[test]
    fn a_check_finds_the_known_faults_and_no_others() {
        let program = Program::read_gcode(PROGRAM, PROGRAM_NAME, &GcodeOptions::default()).unwrap();
        let tools =
            TOOLS.map(|(number, spec)| (number, Tool::from_spec(spec, 1.0).unwrap())).into();
        let setup = Setup { bodies: vec![Body::new(PART_NAME, Role::Part, part())] };
        let options = Options::default();
        let outcome = check(&program, &tools, &setup, &options, &()).unwrap();
        let lines: Vec<u32> = outcome.gouges.iter().map(|gouge| gouge.line).collect();
        assert_eq!(lines, FAULTS.map(|fault| fault.line), "{:?}", outcome.gouges);
        for (gouge, fault) in outcome.gouges.iter().zip(&FAULTS) {
            let is_rapid = gouge.kind == MoveKind::Rapid;
            assert_eq!((gouge.with, is_rapid), (fault.with, fault.is_rapid), "{gouge:?}");
            assert!((gouge.depth - fault.depth).abs() <= options.tolerance, "{gouge:?}");
            assert!((gouge.lift - fault.lift).abs() <= 0.01, "{gouge:?}");
        }
    }
}

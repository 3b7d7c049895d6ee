//! The reader of G-code: positions computed by hand, programs that must mean the same, refusals, real programs and
//! mutated ones.

mod arcs;
mod compensation;
mod corpus;
mod cycles;
mod errors;
mod fuzz;
mod large;
mod offsets;
mod rotary;
mod same;
mod start;

use impinge::glam::{DMat3, DVec3};
use impinge_nc::{GcodeOptions, Motion, Move, MoveKind, Program};

pub(crate) const RAPID: MoveKind = MoveKind::Rapid;
pub(crate) const FEED: MoveKind = MoveKind::Feed;

pub(crate) fn read_with(text: &str, options: &GcodeOptions) -> Program {
    Program::read_gcode(text, "test.nc", options)
        .unwrap_or_else(|error| panic!("{error}\nin the program:\n{text}"))
}

pub(crate) fn read(text: &str) -> Program {
    read_with(text, &GcodeOptions::default())
}

/// The message of the error, after the name of the file.
pub(crate) fn fault_with(text: &str, options: &GcodeOptions) -> String {
    let error = Program::read_gcode(text, "t", options)
        .err()
        .unwrap_or_else(|| panic!("the program should be refused:\n{text}"));
    error.to_string()[2..].to_owned()
}

pub(crate) fn fault(text: &str) -> String {
    fault_with(text, &GcodeOptions::default())
}

/// The tip of the tool at a time between 0 and 1, by the definition of each motion.
pub(crate) fn tip(motion: &Motion, t: f64) -> DVec3 {
    match motion {
        Motion::Straight { from, to, .. } => from.lerp(*to, t),
        Motion::Arc(arc) => {
            let turn = DMat3::from_axis_angle(arc.normal, t * arc.sweep);
            arc.center + t * arc.rise + (1.0 + t * arc.growth) * (turn * arc.radius)
        }
        Motion::Machine { machine, from, to } => {
            let axes = std::array::from_fn(|axis| from[axis] + t * (to[axis] - from[axis]));
            machine.tool_pose(axes).tip
        }
        Motion::TipControlled { from, to, .. } => {
            DVec3::new(from[0], from[1], from[2]).lerp(DVec3::new(to[0], to[1], to[2]), t)
        }
        Motion::Tilting { .. } => panic!("G-code makes no tilting moves"),
    }
}

/// Checks the ends of all moves, and that each starts where the one before has ended.
#[track_caller]
pub(crate) fn assert_ends(program: &Program, expected: &[(MoveKind, [f64; 3])]) {
    let ends: Vec<_> =
        program.moves.iter().map(|step| (step.kind, tip(&step.motion, 1.0).to_array())).collect();
    let near = |a: &(MoveKind, [f64; 3]), b: &(MoveKind, [f64; 3])| {
        a.0 == b.0 && DVec3::from(a.1).distance(b.1.into()) < 1e-9
    };
    let equal = ends.len() == expected.len() && ends.iter().zip(expected).all(|(a, b)| near(a, b));
    assert!(equal, "found:\n{ends:#?}\nexpected:\n{expected:#?}");
    assert_continuous(program);
}

#[track_caller]
pub(crate) fn assert_continuous(program: &Program) {
    for pair in program.moves.windows(2) {
        let (end, start) = (tip(&pair[0].motion, 1.0), tip(&pair[1].motion, 0.0));
        assert!(
            end.distance(start) < 1e-9,
            "line {} ends at {end}, line {} starts at {start}",
            pair[0].line,
            pair[1].line
        );
    }
}

/// Checks that two programs make the same moves.
#[track_caller]
pub(crate) fn assert_same(first: &Program, second: &Program) {
    let show = |program: &Program| {
        let line = |step: &Move| {
            let [from, to] = [0.0, 1.0].map(|t| tip(&step.motion, t));
            format!("{}: {:?} {from} -> {to}\n", step.line, step.kind)
        };
        program.moves.iter().map(line).collect::<String>()
    };
    let same = |a: &Move, b: &Move| {
        a.kind == b.kind
            && a.tool == b.tool
            && [0.0, 0.2, 0.5, 0.9, 1.0]
                .into_iter()
                .all(|t| tip(&a.motion, t).distance(tip(&b.motion, t)) < 1e-9)
    };
    let equal = first.moves.len() == second.moves.len()
        && first.moves.iter().zip(&second.moves).all(|(a, b)| same(a, b));
    assert!(equal, "the first program:\n{}the second:\n{}", show(first), show(second));
    assert!(!first.moves.is_empty(), "the programs have no moves: the test proves nothing");
}

//! Real programs. The environment variable `IMPINGE_DATA` names the folder of the files, with a `MANIFEST.csv` that states
//! the ranges of the axes, as found by an independent scan of the words.

#![allow(clippy::unwrap_used)]

use super::{assert_continuous, tip};
use crate::data::data;
use impinge::glam::DVec3;
use impinge_nc::{GcodeOptions, Machine, Motion, Program, ToolOffset, Unit};
use std::{fs, sync::Arc};

/// The file, the number of moves, the number of arcs among them, its unit, its tools.
const PROGRAMS: [(&str, usize, usize, Unit, &[u32]); 12] = [
    ("3D_Chips.ngc", 4683, 0, Unit::Millimetre, &[1]),
    ("arc-xz-plane.gcode", 2, 1, Unit::Millimetre, &[0]),
    ("arc-yz-plane.gcode", 2, 1, Unit::Millimetre, &[0]),
    ("arcspiral.ngc", 1003, 999, Unit::Inch, &[0]),
    ("bear.nc", 15_156, 0, Unit::Millimetre, &[1]),
    ("flower_mold.nc", 16_557, 0, Unit::Inch, &[0]),
    ("helical-thread-milling.gcode", 13, 11, Unit::Inch, &[0]),
    ("impeller-7bl-xyzac.ngc", 4492, 0, Unit::Millimetre, &[0]),
    ("jsdc.gcode", 2377, 0, Unit::Millimetre, &[0]),
    ("tball-pocket.gcode", 40_266, 0, Unit::Millimetre, &[0]),
    ("tort.ngc", 268, 138, Unit::Millimetre, &[0]),
    ("wave.gcode", 1152, 0, Unit::Millimetre, &[3]),
];

/// The programs that are refused, and why.
const REFUSED: [(&str, &str); 1] = [(
    "full-circle-without-xyz.gcode",
    ":11: an arc in the plane G17 needs its centre (I, J) or its radius (R)",
)];

fn options() -> GcodeOptions {
    let mut options = GcodeOptions::default();
    options.tools.insert(8, ToolOffset { length: None, diameter: Some(0.1 * 25.4) });
    options.machine = Machine::built_in("xyzac").map(Arc::new);
    options
}

/// The positions at the end of a move: X, Y, Z in millimetres, A, B, C in degrees.
fn end(motion: &Motion) -> [f64; 6] {
    match motion {
        Motion::TipControlled { to, .. } | Motion::Machine { to, .. } => {
            std::array::from_fn(|axis| if axis < 3 { to[axis] } else { to[axis].to_degrees() })
        }
        other => {
            let [x, y, z] = tip(other, 1.0).to_array();
            [x, y, z, 0.0, 0.0, 0.0]
        }
    }
}

/// The ranges that the manifest states, such as `X[0,20] Z[0,20]`.
fn stated_ranges(manifest: &str, file: &str) -> Vec<(usize, f64, f64)> {
    let line = manifest.lines().find(|line| line.contains(&format!("gcode/{file},")));
    let line = line.unwrap_or_else(|| panic!("{file} is not in the manifest"));
    let mut ranges = Vec::new();
    for (axis, letter) in "XYZABC".char_indices() {
        let Some((_, rest)) = line.split_once(&format!(" {letter}[")) else { continue };
        let (range, _) = rest.split_once(']').unwrap();
        let (low, high) = range.split_once(',').unwrap();
        ranges.push((axis, low.parse().unwrap(), high.parse().unwrap()));
    }
    ranges
}

#[test]
fn real_programs_are_read() {
    let Some(data) = data() else { return };
    let manifest = fs::read_to_string(data.join("MANIFEST.csv")).unwrap();
    let mut ranges_checked = 0;
    for (file, moves, arcs, unit, tools) in PROGRAMS {
        let bytes = fs::read(data.join("cnc/gcode").join(file)).unwrap();
        let program =
            Program::read_gcode(&bytes, file, &options()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(program.moves.len(), moves, "{file}");
        let is_arc = |motion: &Motion| matches!(motion, Motion::Arc(_));
        assert_eq!(
            program.moves.iter().filter(|step| is_arc(&step.motion)).count(),
            arcs,
            "{file}"
        );
        assert_eq!((program.unit, program.tools.as_slice()), (unit, tools), "{file}");
        assert_continuous(&program);
        // Compensation moves the path of this one.
        if file == "helical-thread-milling.gcode" {
            continue;
        }
        let ends: Vec<_> = program.moves.iter().map(|step| end(&step.motion)).collect();
        for (axis, low, high) in stated_ranges(&manifest, file) {
            let scale = if axis < 3 { unit.to(Unit::Millimetre) } else { 1.0 };
            let values = || ends.iter().map(|end| end[axis] / scale);
            let found = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
            // The manifest rounds to six digits.
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
            assert!(
                near(found.0, low) && near(found.1, high),
                "{file}: axis {axis} is in {found:?}, the manifest says {low} to {high}"
            );
            ranges_checked += 1;
        }
    }
    assert!(ranges_checked >= 28, "only {ranges_checked} ranges were compared");
}

#[test]
fn some_real_programs_are_refused_by_line() {
    let Some(data) = data() else { return };
    for (file, reason) in REFUSED {
        let bytes = fs::read(data.join("cnc/gcode").join(file)).unwrap();
        let error = Program::read_gcode(&bytes, file, &options()).unwrap_err().to_string();
        assert_eq!(error, format!("{file}{reason}"));
    }
    let mut known: Vec<_> = PROGRAMS.iter().map(|program| program.0).collect();
    known.extend(REFUSED.map(|(file, _)| file));
    for entry in fs::read_dir(data.join("cnc/gcode")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name.ends_with(".camotics") || known.contains(&name.as_str()),
            "{name} is not tested"
        );
    }
}

/// The block is 100 by 100 by 50 mm, its zero at the centre of its top: positions stay near it.
#[test]
fn the_program_with_expressions_stays_near_its_block() {
    let Some(data) = data() else { return };
    let bytes = fs::read(data.join("cnc/gcode/3D_Chips.ngc")).unwrap();
    let program = Program::read_gcode(&bytes, "3D_Chips.ngc", &options()).unwrap();
    let (mut low, mut high) = (DVec3::MAX, DVec3::MIN);
    for step in &program.moves {
        let end = tip(&step.motion, 1.0);
        (low, high) = (low.min(end), high.max(end));
    }
    assert!((low.z..=high.z).contains(&-27.372) && high.z == 10.0 && low.z > -50.0, "{low} {high}");
    assert!(low.x > -60.0 && low.y > -60.0 && high.x < 60.0 && high.y < 60.0, "{low} {high}");
    assert!((high - low).x > 100.0 && (high - low).y > 100.0, "{low} {high}");
}

/// The impeller is cut under tip control, with all five axes moving.
#[test]
fn the_five_axis_program_turns_the_tool() {
    let Some(data) = data() else { return };
    let bytes = fs::read(data.join("cnc/gcode/impeller-7bl-xyzac.ngc")).unwrap();
    let program = Program::read_gcode(&bytes, "impeller", &options()).unwrap();
    let turning = program
        .moves
        .iter()
        .filter(|step| matches!(step.motion, Motion::TipControlled { .. }))
        .count();
    assert!(turning > 4000, "{turning}");
    let without = Program::read_gcode(&bytes, "impeller", &GcodeOptions::default()).unwrap_err();
    assert!(without.to_string().starts_with("impeller:8: "), "{without}");
}

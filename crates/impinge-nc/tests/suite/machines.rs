//! Machines on a real program for five axes.

use crate::data::data;
use impinge::glam::DVec3;
use impinge_nc::Machine;

/// The positions of the axes X, Y, Z, A, C of a program in which every line states them all: a simple reader that is
/// independent of the one of the crate.
fn rows(text: &str) -> Vec<(bool, [f64; 6])> {
    let word = |line: &str, letter: char| {
        let rest = &line[line.find(letter)? + 1..];
        rest.split_whitespace().next()?.parse::<f64>().ok()
    };
    let rows = text.lines().filter(|line| line.starts_with("G0") || line.starts_with("G1"));
    rows.filter_map(|line| {
        let line_without_code = &line[2..];
        let [x, y, z, a, c] =
            ['X', 'Y', 'Z', 'A', 'C'].map(|letter| word(line_without_code, letter));
        let axes = [x?, y?, z?, a?.to_radians(), 0.0, c?.to_radians()];
        Some((line.starts_with("G0"), axes))
    })
    .collect()
}

/// The program has tool centre point control. The signs of the rotary axes show in it: the tool must come from above,
/// and where it plunges or retracts without turning, it must move along its axis. The opposite sign of A or of C would
/// make it move across its axis.
#[test]
fn the_tool_of_the_impeller_program_moves_along_its_axis() {
    let Some(data) = data() else { return };
    let path = data.join("cnc/gcode/impeller-7bl-xyzac.ngc");
    let rows = rows(&std::fs::read_to_string(path).expect("the impeller program"));
    assert!(rows.len() > 1000, "{} rows", rows.len());
    let machine = Machine::built_in("xyzac").unwrap().with_tip_programmed(true);
    let mut along = 0_usize;
    let mut plunges = 0;
    for pair in rows.windows(2) {
        let [(_, from), (is_rapid, to)] = [pair[0], pair[1]];
        let [start, end] = [from, to].map(|axes| machine.tool_pose(axes));
        assert!(end.axis.z > 0.0, "the tool comes from below at {to:?}");
        assert_eq!(end.tip, DVec3::new(to[0], to[1], to[2]));
        // Long moves without turning, from or to a safe distance.
        let step = end.tip - start.tip;
        if start.axis == end.axis && step.length() > 5.0 && is_rapid {
            plunges += 1;
            along += usize::from(step.normalize().dot(end.axis).abs() > 1.0 - 1e-7);
        }
    }
    println!("{along} of {plunges} long moves without turning are along the axis");
    assert!(plunges > 20, "{plunges}");
    assert_eq!(along, plunges, "some moves are across the axis");
    // With the other sign of C, hardly a move is along the axis.
    let mirrored = rows.windows(2).filter(|pair| {
        let step = DVec3::from_slice(&pair[1].1) - DVec3::from_slice(&pair[0].1);
        let axes = pair[1].1;
        let axis = machine.tool_axis([axes[3], 0.0, -axes[5]]);
        pair[0].1[3..] == axes[3..]
            && step.length() > 5.0
            && step.normalize().dot(axis).abs() > 1.0 - 1e-7
    });
    assert!(mirrored.count() * 10 < plunges, "the sign of C cannot be told");
}

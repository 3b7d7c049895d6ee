//! Rotary axes.

use super::{assert_continuous, fault, fault_with, read, read_with, tip};
use impinge::glam::DVec3;
use impinge_nc::{GcodeOptions, Machine, Motion, Rapids, ToolOffset};
use std::sync::Arc;

fn machine() -> Machine {
    let text = "[[rotary]]\naxis='A'\nside='table'\npoint=[0,2,3]\n[[rotary]]\naxis='C'\nside='table'\npoint=[1,2,0]";
    Machine::read(text, "m.toml").expect("a machine")
}

fn options() -> GcodeOptions {
    let mut options = GcodeOptions::default();
    options.machine = Some(Arc::new(machine()));
    options
}

#[test]
fn without_kinematics_only_zero_is_accepted() {
    assert_eq!(read("G21\nG0 X0 Y0 Z0 A0 C0\nG1 X5 A0 B0\n").moves.len(), 2);
    let message = fault("G21\nG0 X0 Y0 Z0\nG1 X5 A5\n");
    assert!(message.starts_with("3: the move uses rotary axes"), "{message}");
    assert!(message.contains("--machine"), "{message}");
    let message = fault_with("G21\nG0 X0 Y0 Z0\nG1 B5\n", &options());
    assert!(
        message.starts_with("3: the move uses the axis B, which the machine 'm' does not have"),
        "{message}"
    );
}

#[test]
fn all_axes_move_together() {
    let program = read_with("G20\nG0 X1 Y0 Z0\nG1 X2 A90 C-45 F10\nG91 C45\n", &options());
    let Motion::Machine { from, to, .. } = &program.moves[1].motion else {
        panic!("a machine's move")
    };
    assert_eq!(*from, [25.4, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let expected = [50.8, 0.0, 0.0, 90f64.to_radians(), 0.0, -45f64.to_radians()];
    assert!(to.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{to:?}");
    let Motion::Machine { to, .. } = &program.moves[2].motion else { panic!("a machine's move") };
    assert!(to[5].abs() < 1e-12, "{to:?}");
}

/// With fixed rotary axes, segments and arcs are those of the program, turned with the part.
#[test]
fn a_tilted_part_is_cut_by_segments_and_arcs() {
    let plain = "G21\nG0 X10 Y5 Z3\nG1 X12 Y6 Z1\nG2 X16 Y6 I2 J0 Z0\nG18 G3 X18 Z2 R2\n";
    let tilted = plain.replace("Z3\n", "Z3\nG0 A-30 C75\n");
    let (plain, tilted) = (read(plain), read_with(&tilted, &options()));
    assert_eq!(tilted.moves.len(), plain.moves.len() + 1);
    let rotary = [-30f64.to_radians(), 0.0, 75f64.to_radians()];
    for (plain, tilted) in plain.moves[1..].iter().zip(&tilted.moves[2..]) {
        assert_eq!(
            std::mem::discriminant(&plain.motion),
            std::mem::discriminant(&tilted.motion),
            "{:?}",
            tilted.motion
        );
        for step in 0..=10 {
            let t = f64::from(step) / 10.0;
            let point = tip(&plain.motion, t);
            let axes = [point.x, point.y, point.z, rotary[0], rotary[1], rotary[2]];
            let pose = machine().tool_pose(axes);
            let found = tip(&tilted.motion, t);
            assert!(
                found.distance(pose.tip) < 1e-12,
                "line {}: {found}, not {}",
                tilted.line,
                pose.tip
            );
            let (Motion::Straight { axis, .. } | Motion::Arc(impinge_nc::ArcMotion { axis, .. })) =
                &tilted.motion
            else {
                panic!("{:?}", tilted.motion)
            };
            assert!(axis.distance(pose.axis) < 1e-12);
        }
    }
}

#[test]
fn tip_control_keeps_the_tip_on_the_program() {
    for (on, off) in [("M428", "M429"), ("G43.4 H1", "G49")] {
        let text =
            format!("G21\n{on}\nG0 X1 Y2 Z3 A10 C20\nG1 X4 A15\nX5\nG3 X7 R1\n{off}\nG1 X6 A0\n");
        let mut options = options();
        let program = read_with(&text, &options);
        let Motion::TipControlled { from, to, .. } = &program.moves[1].motion else {
            panic!("tip control")
        };
        assert_eq!(
            (from[..3].to_vec(), to[..3].to_vec()),
            (vec![1.0, 2.0, 3.0], vec![4.0, 2.0, 3.0])
        );
        let axis = machine().tool_axis([15f64.to_radians(), 0.0, 20f64.to_radians()]);
        let Motion::Straight { from, to, axis: found } = program.moves[2].motion else {
            panic!("straight")
        };
        assert_eq!((from, to), (DVec3::new(4.0, 2.0, 3.0), DVec3::new(5.0, 2.0, 3.0)));
        assert!(found.distance(axis) < 1e-12);
        let Motion::Arc(arc) = &program.moves[3].motion else { panic!("an arc") };
        assert!(arc.axis.distance(axis) < 1e-12 && arc.normal == DVec3::Z);
        assert!(matches!(program.moves[4].motion, Motion::Machine { .. }));
        // The tool stays where it is while tip control is switched.
        assert_continuous(&program);
        let again = text.replace("A0", "A5") + &format!("{on}\nG1 X0 Y0 Z0\n");
        assert_continuous(&read_with(&again, &options));
        // A machine that is always under tip control needs no code.
        options.machine = Some(Arc::new(machine().with_tip_programmed(true)));
        let always = read_with(&text.replace(on, "").replace(off, ""), &options);
        assert!(matches!(always.moves[1].motion, Motion::TipControlled { .. }));
    }
}

#[test]
fn the_machine_has_the_length_of_the_tool() {
    let mut options = options();
    options.tools.insert(2, ToolOffset { length: Some(70.0), diameter: None });
    let program = read_with("G21\nG0 X0 Y0 Z0\nT2 M6\nG1 A5\nT1 M6\nG1 A6", &options);
    let lengths: Vec<_> = program.moves[1..]
        .iter()
        .map(|step| match &step.motion {
            Motion::Machine { machine, .. } => machine.tool_length(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lengths, [70.0, 0.0]);
}

#[test]
fn what_is_not_modelled_is_refused_or_noted() {
    let start = "G21\nG0 X0 Y0 Z0\n";
    let found = fault_with(&format!("{start}G2 X2 R1 A5\n"), &options());
    assert!(found.starts_with("3: an arc during which rotary axes turn"), "{found}");
    let mut with_tools = options();
    for (number, length) in [(1, 10.0), (2, 20.0)] {
        with_tools.tools.insert(number, ToolOffset { length: Some(length), diameter: None });
    }
    let found = fault_with(&format!("{start}T1 M6 G43 H2\nG1 A5\n"), &with_tools);
    assert!(found.starts_with("4: a length offset that is not that of the tool"), "{found}");
    let found = fault_with(&format!("{start}G41.1 D1 G1 X5\nX9 A5\n"), &options());
    assert!(found.starts_with("4: rotary axes cannot turn during cutter compensation"), "{found}");
    let mut dogleg = options();
    dogleg.rapids = Rapids::Dogleg;
    let program = read_with(&format!("{start}G0 X5 Y2 A3\n"), &dogleg);
    assert_eq!(program.moves.len(), 2);
    assert!(program.notes.iter().any(|note| note.message.contains("dog-legs are not modelled")));
}

//! Arcs in every plane and format.

use super::{FEED, RAPID, assert_ends, fault, read, tip};
use impinge::glam::DVec3;
use impinge_nc::Motion;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A plane with its first, second and third axis, and the letters of centres.
struct Plane {
    code: &'static str,
    axes: [usize; 3],
}

const PLANES: [Plane; 3] = [
    Plane { code: "G17", axes: [0, 1, 2] },
    Plane { code: "G18", axes: [2, 0, 1] },
    Plane { code: "G19", axes: [1, 2, 0] },
];

fn point(plane: &Plane, u: f64, v: f64, w: f64) -> DVec3 {
    let mut point = [0.0; 3];
    for (axis, value) in plane.axes.into_iter().zip([u, v, w]) {
        point[axis] = value;
    }
    point.into()
}

fn words(letters: &str, plane: &Plane, values: [f64; 2]) -> String {
    let letter = |index: usize| letters.as_bytes()[plane.axes[index]] as char;
    format!("{}{} {}{}", letter(0), values[0], letter(1), values[1])
}

/// A helix from the angle 20° by every sweep, in all planes, senses and formats: the tip at any time is where polar
/// coordinates say.
#[test]
fn every_format_in_every_plane_gives_the_same_helix() {
    let (center, radius, start, rise) = ([3.0, -2.0], 5.0, 20_f64.to_radians(), 4.0);
    let mut checked = 0;
    for plane in &PLANES {
        for sweep in [-6.0, -PI, -2.0, -0.1, 0.1, 2.0, PI, 6.0_f64] {
            let on =
                |angle: f64| [center[0] + radius * angle.cos(), center[1] + radius * angle.sin()];
            let ([su, sv], [eu, ev]) = (on(start), on(start + sweep));
            let code = if sweep < 0.0 { "G2" } else { "G3" };
            let w = ["X", "Y", "Z"][plane.axes[2]];
            let relative = words("IJK", plane, [center[0] - su, center[1] - sv]);
            let absolute = words("IJK", plane, center);
            let signed = if sweep.abs() > PI { -radius } else { radius };
            for (mode, format) in [("", relative), ("G90.1", absolute), ("", format!("R{signed}"))]
            {
                let text = format!(
                    "G21 {} {mode}\nG0 {} {w}7\n{code} {} {w}{} {format} F100\n",
                    plane.code,
                    words("XYZ", plane, [su, sv]),
                    words("XYZ", plane, [eu, ev]),
                    7.0 + rise
                );
                let program = read(&text);
                assert_eq!(program.moves.len(), 2, "{text}");
                for step in 0..=8 {
                    let t = f64::from(step) / 8.0;
                    let [u, v] = on(start + t * sweep);
                    let expected = point(plane, u, v, 7.0 + t * rise);
                    let found = tip(&program.moves[1].motion, t);
                    // Half a turn by its radius: the centre is as uncertain as the square root of the rounding.
                    let tolerance = if sweep.abs() == PI { 1e-6 } else { 1e-9 };
                    assert!(
                        found.distance(expected) < tolerance,
                        "{text}at {t}: {found}, not {expected}"
                    );
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 3 * 8 * 3);
}

/// Clockwise in the plane of X and Z is seen from +Y: from +Z by way of -X.
#[test]
fn the_sense_in_the_planes_is_that_of_rs274() {
    let half = |text: &str| tip(&read(text).moves[1].motion, 0.5);
    let from_y = half("G21 G18\nG0 X0 Y0 Z1\nG2 X0 Z-1 I0 K-1");
    assert!(from_y.distance(DVec3::NEG_X) < 1e-12, "{from_y}");
    let from_x = half("G21 G19\nG0 X0 Y0 Z1\nG2 Y0 Z-1 J0 K-1");
    assert!(from_x.distance(DVec3::Y) < 1e-12, "{from_x}");
    let from_z = half("G21 G17\nG0 X0 Y1 Z0\nG2 X0 Y-1 I0 J-1");
    assert!(from_z.distance(DVec3::X) < 1e-12, "{from_z}");
}

#[test]
fn full_circles_and_turns() {
    let sweep = |text: &str| match &read(text).moves[1].motion {
        Motion::Arc(arc) => arc.sweep,
        other => panic!("{text}: {other:?}"),
    };
    let start = "G21\nG0 X2 Y0 Z0\n";
    assert_eq!(sweep(&format!("{start}G2 I-2")), -TAU);
    assert_eq!(sweep(&format!("{start}G3 X2 Y0 I-2 J0")), TAU);
    assert_eq!(sweep(&format!("{start}G3 I-2 P3 Z5")), 3.0 * TAU);
    assert!((sweep(&format!("{start}G3 X0 Y2 I-2 P2")) - TAU - FRAC_PI_2).abs() < 1e-12);
    // In increments, rounding must not turn a circle into nothing.
    let circle = "G21 G91\nG0 X0.1 Y0.2 Z0\nG0 X0.7 Y0.1\nG0 X-0.3\nG3 X0 Y0 I-2";
    assert_eq!(read(circle).moves.last().map(|step| step.line), Some(5));
    match read(circle).moves.last().map(|step| &step.motion) {
        Some(Motion::Arc(arc)) => assert_eq!(arc.sweep, TAU),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arcs_are_modal_and_end_where_the_program_says() {
    let program = read("G21\nG0 X0 Y0 Z0\nG2 X2 Y0 R1 F10\nX4 R1\nG1 X5\nG3 X7 I1 J0\n");
    let expected = [
        (RAPID, [0.0, 0.0, 0.0]),
        (FEED, [2.0, 0.0, 0.0]),
        (FEED, [4.0, 0.0, 0.0]),
        (FEED, [5.0, 0.0, 0.0]),
        (FEED, [7.0, 0.0, 0.0]),
    ];
    assert_ends(&program, &expected);
}

/// A radius that differs a little at the end makes a spiral that ends exactly where the program says.
#[test]
fn small_differences_of_the_radius_make_a_spiral() {
    let program = read("G21\nG0 X10 Y0 Z0\nG3 X0 Y10.004 I-10 J0");
    let Motion::Arc(arc) = &program.moves[1].motion else { panic!("an arc") };
    assert!((arc.growth - 0.0004).abs() < 1e-12, "{arc:?}");
    assert!(tip(&program.moves[1].motion, 1.0).distance(DVec3::new(0.0, 10.004, 0.0)) < 1e-12);
    let message = fault("G21\nG0 X10 Y0 Z0\nG3 X0 Y10.02 I-10 J0");
    assert!(message.starts_with("3: the arc starts 10.000000 mm from its centre"), "{message}");
    // The tolerance is larger in inches, as in LinuxCNC.
    read("G20\nG0 X1 Y0 Z0\nG3 X0 Y1.0004 I-1 J0");
    fault("G20\nG0 X1 Y0 Z0\nG3 X0 Y1.06 I-1 J0");
}

//! Cycles make the moves that the same holes take when they are written out.

use super::{assert_same, fault, read};

const START: &str = "G21\nG0 X1 Y2 Z20\n";

#[track_caller]
fn same(cycle: &str, written_out: &str) {
    assert_same(&read(&format!("{START}{cycle}")), &read(&format!("{START}{written_out}")));
}

#[test]
fn drilling_returns_to_the_start_or_to_r() {
    let to = "G0 X5 Y6\nG0 Z3\nG1 Z-10\nG0 Z20\nG0 X7\nG0 Z3\nG1 Z-10\nG0 Z20\n";
    same("G98 G81 X5 Y6 Z-10 R3 F100\nX7\nG80\n", to);
    same("G81 G98 X5 Y6 Z-10 R3 F100\nM8\nX7\nG80\n", to);
    let low = "G0 X5 Y6\nG0 Z3\nG1 Z-10\nG0 Z3\nG0 X7\nG1 Z-10\nG0 Z3\nG0 X0\n";
    same("G99 G81 X5 Y6 Z-10 R3 F100\nX7\nG0 X0\n", low);
    same("G99 G82 X5 Y6 Z-10 R3 P1 F100\nX7\nG0 X0\n", low);
    same("G99 G86 X5 Y6 Z-10 R3 F100\nX7\nG0 X0\n", low);
    same("G99 G88 X5 Y6 Z-10 R3 P1 F100\nX7\nG0 X0\n", low);
}

#[test]
fn words_are_kept_until_they_change() {
    same(
        "G99 G81 X5 Z-10 R3\nX6 Z-12\nY4 R1\nG81 X0 Z-1\nG82 X1 Z-2 R2\n",
        "G0 X5\nG0 Z3\nG1 Z-10\nG0 Z3\nG0 X6\nG1 Z-12\nG0 Z3\nG0 Y4\nG0 Z1\nG1 Z-12\nG0 Z1\n\
         G0 X0\nG1 Z-1\nG0 Z1\nG0 Z2\nG0 X1\nG1 Z-2\nG0 Z2\n",
    );
}

#[test]
fn boring_and_tapping_leave_at_feed_rate() {
    for code in ["G84", "G74", "G85", "G89"] {
        same(&format!("G98 {code} X5 Z-10 R3\n"), "G0 X5\nG0 Z3\nG1 Z-10\nG1 Z3\nG0 Z20\n");
    }
}

#[test]
fn pecking() {
    same(
        "G99 G83 X5 Z-10 R3 Q5\n",
        "G0 X5\nG0 Z3\nG1 Z-2\nG0 Z3\nG0 Z-1.746\nG1 Z-7\nG0 Z3\nG0 Z-6.746\nG1 Z-10\nG0 Z3\n",
    );
    same(
        "G98 G73 X5 Z-10 R3 Q5\n",
        "G0 X5\nG0 Z3\nG1 Z-2\nG0 Z-1.746\nG1 Z-7\nG0 Z-6.746\nG1 Z-10\nG0 Z20\n",
    );
    // The depth is a multiple of the peck: no empty peck at the end.
    same("G99 G83 X5 Z-2 R3 Q5\n", "G0 X5\nG0 Z3\nG1 Z-2\nG0 Z3\n");
}

#[test]
fn increments_and_repetitions() {
    // From LinuxCNC's manual: R and Z are increments, X and Y step from hole to hole.
    same(
        "G91 G98 G81 X4 Y5 Z-0.6 R-17.2 L3\n",
        "G0 X5 Y7\nG0 Z2.8\nG1 Z2.2\nG0 Z20\nG0 X9 Y12\nG0 Z2.8\nG1 Z2.2\nG0 Z20\nG0 X13 Y17\nG0 Z2.8\n\
         G1 Z2.2\nG0 Z20\n",
    );
    same("G99 G81 X5 Z-1 R3 L2\n", "G0 X5\nG0 Z3\nG1 Z-1\nG0 Z3\nG1 Z-1\nG0 Z3\n");
}

#[test]
fn a_start_below_r_rises_first() {
    same("G98 G81 X5 Y6 Z0 R25\n", "G0 Z25\nG0 X5 Y6\nG1 Z0\nG0 Z25\n");
}

#[test]
fn other_planes() {
    same("G18 G98 G81 X5 Z6 Y-10 R1 F9\n", "G0 X5 Z6\nG0 Y1\nG1 Y-10\nG0 Y2\n");
    same(
        "G19 G99 G83 Y5 Z6 X-4 R0 Q3\n",
        "G0 Y5 Z6\nG0 X0\nG1 X-3\nG0 X0\nG0 X-2.746\nG1 X-4\nG0 X0\n",
    );
}

#[test]
fn back_boring() {
    same(
        "G98 G87 X5 Y6 Z-10 R3 I1 J2 K-7\n",
        "G0 X5 Y6\nG0 Z3\nG0 X6 Y8\nG0 Z-10\nG0 X5 Y6\nG1 Z-7\nG1 Z-10\nG0 X6 Y8\nG0 Z20\nG0 X5 Y6\n",
    );
}

#[test]
fn inches_and_offsets() {
    same("G20 G99 G81 X1 Z-1 R0.5\n", "G0 X25.4\nG0 Z12.7\nG1 Z-25.4\nG0 Z12.7\n");
    same("G52 Z5\nG99 G81 X5 Z-1 R3\n", "G0 X5\nG0 Z8\nG1 Z4\nG0 Z8\n");
}

#[test]
fn impossible_cycles_are_refused() {
    for (cycle, message) in [
        ("G81 X5 R3\n", "3: G81 needs the words Z and R"),
        ("G81 X5 Z-3\n", "3: G81 needs the words Z and R"),
        ("G81\n", "3:1: G81 needs words of axes"),
        ("G83 X5 Z-3 R1\n", "3: G83 needs a depth Q above 0"),
        ("G83 X5 Z-3 R1 Q0\n", "3: G83 needs a depth Q above 0"),
        ("G81 X5 Z3 R1\n", "3: G81: the plane R is below"),
        ("G81 X5 Z-3 R1 L0\n", "3:15: L must be"),
        ("G81 X5 Z-3 R1 A4\n", "3:15: A4 is not used"),
        ("G81 X5 Z-3 R1\nG80\nX4\n", "5:1: X has no motion"),
    ] {
        let found = fault(&format!("{START}{cycle}"));
        assert!(found.starts_with(message), "{cycle}: {found}");
    }
}

//! Refusals: each names the line, and mostly the character.

use super::{fault, fault_with, read_with};
use impinge_nc::GcodeOptions;

#[test]
fn errors_name_the_place_and_the_reason() {
    for (text, message) in [
        ("G21\nG1 X1 U2\n", "2:7: U2 is not known; --allow-unknown"),
        ("G21\n\nG1234 X1\n", "3:1: G1234 is not known"),
        ("G21\nM123\n", "2:1: M123 is not known"),
        ("G5 X1 Y1 I1 J1\n", "1:1: G5: splines: not supported"),
        ("M70\n", "1:1: M70: saving and restoring the modal state: not supported"),
        ("X1\n", "1:1: X has no motion to belong to"),
        ("G0 G1 X1\n", "1:4: G0 and G1 cannot be on one line"),
        ("G17 G18\n", "1:5: G17 and G18"),
        ("G0 X1 X2\n", "1:7: the word X is on the line twice"),
        ("G0 X1 P2\n", "1:7: P2 is not used by any code of the line"),
        ("G1 X1 I2\n", "1:7: I2 is not used"),
        (
            "G21\nG0 X1 Y1 Z1\nG2 X5 Y5\n",
            "3: an arc in the plane G17 needs its centre (I, J) or its radius (R)",
        ),
        ("G18\nG0 X1 Y1 Z1\nG2 X5 Z5\n", "3: an arc in the plane G18 needs its centre (K, I)"),
        ("G21\nG0 X1 Y1 Z1\nG2 X5 Y5 R4 I2\n", "3: an arc has either"),
        ("G21\nG0 X1 Y1 Z1\nG2 X5 Y5 K4\n", "3: an arc in the plane"),
        ("G21\nG0 X1 Y1 Z1\nG90.1 G2 X5 Y5 I4\n", "3: with G90.1"),
        ("G21\nG0 X1 Y1 Z1\nG2 X5 Y5 R1\n", "3: an arc of radius 1.000000 mm cannot reach"),
        ("G21\nG0 X1 Y1 Z1\nG2 X1 Y1 R1\n", "3: an arc with a radius R must end elsewhere"),
        ("G21\nG0 X1 Y1 Z1\nG2 I1 P0\n", "3:7: P must be the number of turns, from 1 to 1000000"),
        (
            "G21\nG0 X1 Y1 Z1\nG2 I1 P1000001\n",
            "3:7: P must be the number of turns, from 1 to 1000000",
        ),
        (
            "G21\nG0 X1 Y1 Z1\nG2 I1 P5000000000\n",
            "3:7: P must be the number of turns, from 1 to 1000000",
        ),
        ("G21\nG0 X1 Y1 Z1\nG2 I1 P1.5\n", "3:7: P must be the number of turns, from 1 to 1000000"),
        ("G10 L2 P10 X1\n", "1:8: P must be the number of a work offset, from 0 to 9"),
        ("G1 X[1+\n", "1:8: expected a number, but the line ends"),
        ("G1 X[1/0]\n", "1:7: division by zero"),
        ("G1 X#<a>\n", "1:5: the parameter #<a> has no value"),
        ("#5221=1\n", "1:1: the parameter #5221 belongs to the machine"),
        ("G1 X#9999\n", "1:5: there is no parameter #9999"),
        ("G1 X1 (open\n", "1:7: the comment is not closed"),
        ("G21\no100 call\n", "2: the subroutine 'o100' is not in the file"),
        ("G21\no100 if [1]\nG0 X1\n", "2: the block 'o100 if' is not closed"),
        ("o1 if [#<x>]\no1 endif\n", "1:8: the parameter #<x>"),
        ("o1 if [0]\no1 elseif [#<x>]\no1 endif\n", "2:12: the parameter #<x>"),
        ("o1 while [0] X1\no1 endwhile\n", "1:14: cannot follow the O word"),
        ("o1 sub\no1 call\no1 endsub\no1 call\n", "2: calls are nested more than 100 deep"),
        ("M98 P7\n", "1:5: P 7: there is no subprogram O7"),
        ("M98\n", "1:1: M98 needs"),
        ("M98 P7\nM30\nO7\nG21\n", "4: the file ends inside a subprogram"),
        ("G21\nO7\nM99\n", "2: the program runs into a subprogram"),
        ("M98 P7\nM30\nO7\nM99 P5\n", "4:5: P with M99"),
        ("G53\n", "1:1: G53 needs the word of an axis"),
        ("G4\n", "1:1: G4 needs a time"),
        ("G92\n", "1:1: needs the word of an axis"),
        ("G10 L1 P1 X5\n", "1:1: of G10, only L2 and L20"),
        ("G10 L2 P1 R5\n", "1:11: R turns the coordinate system"),
        ("G10 L2 P11 X5\n", "1:8: P must be the number of a work offset"),
        ("T1.5 M6\n", "1:1: T must be a whole number"),
        ("T-1\n", "1:1: T must be a whole number"),
        ("G0 X1 Y1 Z99999999999\n", "1: the tool moves further"),
        ("G0 X1 Y1\0\n", "1:9: a NUL byte"),
        ("G0 X1 $3\n", "1:7: '$' does not start a word"),
        ("M61\n", "1: M61 needs the number"),
        ("\u{b5}\n", "1:1: the byte 0xc2"),
    ] {
        let found = fault(text);
        assert!(found.starts_with(message), "{text}\nfound:    {found}\nexpected: {message}");
    }
}

#[test]
fn unknown_words_can_be_allowed() {
    let mut options = GcodeOptions::default();
    options.allow_unknown = true;
    let program = read_with("G21\nM123 P5\nG0 X1 Y1 Z1 U2\nG1 X5 U2 W7\nG888\n", &options);
    assert_eq!(program.moves.len(), 2);
    let notes: Vec<_> = program.notes.iter().map(ToString::to_string).collect();
    for expected in [
        "line 2: M123 is not known: passed over",
        "line 2: P5 is not used by any code of the line: passed over",
        "line 3: U2 is not known: passed over (2 times)",
        "line 4: W7 is not known: passed over",
        "line 5: G888 is not known: passed over",
    ] {
        assert!(notes.iter().any(|note| note == expected), "{expected} is not in {notes:#?}");
    }
    // A code that changes the path is refused all the same.
    assert!(fault_with("G5 X1", &options).contains("splines"));
}

#[test]
fn endless_programs_end_at_a_limit() {
    let mut options = GcodeOptions::default();
    options.most_lines = 10_000;
    options.most_moves = 1000;
    let found = fault_with("o1 while [1]\n#1=2\no1 endwhile\n", &options);
    assert!(found.contains("executed 10000 lines and has not ended"), "{found}");
    let found = fault_with(
        "G21\nG0 X0 Y0 Z0\no1 repeat [1000000000000]\nG91 G1 X1\no1 endrepeat\n",
        &options,
    );
    assert_eq!(found, "4: the program has more than 1000 moves");
    let found = fault_with("G21\nG0 X0 Y0 Z9\nG83 X1 Z-9 R5 Q0.000001\n", &options);
    assert_eq!(found, "3: the program has more than 1000 moves");
    let found = fault_with("G21\nG0 X0 Y0 Z9\nG81 X1 Z-9 R5 L3000000000\n", &options);
    assert_eq!(found, "3: the program has more than 1000 moves");
    let found = fault_with("G21\nM98 P1 L4000000000\nM30\nO1\nM99\n", &options);
    assert!(found.contains("has not ended"), "{found}");
    // A loop of dog-legs that do not move, and a jump of a subroutine into itself.
    let found = fault_with("o1 do\no1 continue\no1 while [1]\n", &options);
    assert!(found.contains("has not ended"), "{found}");
}

#[test]
fn lines_can_be_deleted() {
    let text = "G21\nG0 X0 Y0 Z0\n/G1 X5\n/ N7 G1 X6\nG1 X7\n";
    assert_eq!(read_with(text, &GcodeOptions::default()).moves.len(), 4);
    let mut options = GcodeOptions::default();
    options.block_delete = true;
    let program = read_with(text, &options);
    assert_eq!(program.moves.len(), 2);
    assert!(
        program.notes.iter().any(|note| note.line == 3 && note.count == 2),
        "{:?}",
        program.notes
    );
}

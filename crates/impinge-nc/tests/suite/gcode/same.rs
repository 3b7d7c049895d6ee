//! Programs that must make the same moves, though they are written differently.

use super::{assert_same, read, read_with};
use impinge::glam::DVec3;
use impinge_nc::{GcodeOptions, Program};

const PLAIN: &str = "G21 G90 G17
G0 X10 Y20 Z30
G1 Z-2.5 F100
X15 Y22
G2 X25 Y22 I5 J0
G3 X25 Y12 Z-3 R5
G0 Z30
";

#[test]
fn lower_case_blanks_comments_and_numbers_of_lines() {
    let other = "%\ng21g90g17 (plane)\nN10 g0 x 1 0 y20z30 ; start\n\nn20 G01 z-2.5 f1 0 0\n(next) x15.y+22\n\
                 G02x25y22i5.0j0\ng 3 x25y12z-3r5\ng0z30\n%\n";
    assert_same(&read(PLAIN), &read(other));
    assert_same(&read(PLAIN), &read(&PLAIN.to_lowercase()));
    assert_same(&read(PLAIN), &read(&PLAIN.replace('\n', "\r\n")));
    assert_same(&read(PLAIN), &read(&PLAIN.replace('\n', "\r")));
    assert_same(&read(PLAIN), &read(&format!("\u{feff}{PLAIN}")));
}

#[test]
fn inches() {
    let inch = |value: f64| value / 25.4;
    let text = format!(
        "G20\nG0 X{} Y{} Z{}\nG1 Z{} F5\nX{} Y{}\nG2 X{} Y{} I{}\nG3 Y{} Z{} R{}\nG0 Z{}\n",
        inch(10.0),
        inch(20.0),
        inch(30.0),
        inch(-2.5),
        inch(15.0),
        inch(22.0),
        inch(25.0),
        inch(22.0),
        inch(5.0),
        inch(12.0),
        inch(-3.0),
        inch(5.0),
        inch(30.0)
    );
    assert_same(&read(PLAIN), &read(&text));
    // The unit can change between lines.
    let mixed =
        format!("G20\nG0 X{} Y{} Z{}\nG21 {}", inch(10.0), inch(20.0), inch(30.0), &PLAIN[27..]);
    assert_same(&read(PLAIN), &read(&mixed));
}

#[test]
fn increments() {
    let text =
        "G21\nG0 X10 Y20 Z30\nG91 G1 Z-32.5 F100\nX5 Y2\nG2 X10 I5\nG3 Y-10 Z-0.5 R5\nG0 Z33\n";
    assert_same(&read(PLAIN), &read(text));
}

#[test]
fn absolute_centres_and_radii() {
    let text = PLAIN.replace("G2 X25 Y22 I5 J0", "G90.1 G2 X25 Y22 I20 J22");
    assert_same(&read(PLAIN), &read(&text));
    // Half a turn leaves the centre where it is, for either sign of the radius.
    assert_same(&read(PLAIN), &read(&PLAIN.replace("I5 J0", "R5")));
}

#[test]
fn work_offsets_move_the_program() {
    let mut options = GcodeOptions::default();
    options.offsets.insert(1, [0.0; 6]);
    options.offsets.insert(2, [100.0, -50.0, 7.0, 0.0, 0.0, 0.0]);
    options.origin = DVec3::new(100.0, -50.0, 7.0);
    assert_same(&read(PLAIN), &read_with(&PLAIN.replace("G90", "G90 G55"), &options));
    // The same offset as a shift, and set by the program.
    options.offsets.insert(2, [100.0, -50.0, 0.0, 0.0, 0.0, 0.0]);
    let shifted = PLAIN.replace("G90 G17\n", "G90 G17 G55\nG52 Z7\n");
    assert_same(&read(PLAIN), &read_with(&shifted, &options));
    let set = PLAIN.replace("G90 G17\n", "G90 G17 G55\nG10 L2 P2 Z7\n");
    assert_same(&read(PLAIN), &read_with(&set, &options));
}

#[test]
fn coordinates_can_be_shifted_by_g92() {
    let text = "G21\nG0 X10 Y20 Z30\nG92 X0 Y0 Z0\nG1 Z-32.5 F100\nX5 Y2\nG92.1\nG2 X25 Y22 I5\n\
                G3 Y12 Z-3 R5\nG0 Z30\n";
    assert_same(&read(PLAIN), &read(text));
    let suspended = "G21\nG0 X10 Y20 Z30\nG92 X0 Y0 Z0\nG92.2\nG1 Z-2.5\nG92.3\nX5 Y2\nG92.2\n\
                     G2 X25 Y22 I5\nG3 Y12 Z-3 R5\nG0 Z30\n";
    assert_same(&read(PLAIN), &read(suspended));
}

#[test]
fn parameters_and_expressions() {
    let text = "#1=10 #<depth> = -2.5\n#<_up>=[3 * #1]\nG21\nG0 X#1 Y[2 * #1] Z#<_up>\nG1 Z#<depth> F100\n\
                #2=1 X[#1+5] Y[22 * #2 + 22]\n(#2 is set after the line was read)\n\
                G2 X25 Y22 Isqrt[25] J-0\nG3 X25 Y12 Z[-6 / 2] R[2**2+1]\nG0 Z#<_z>\nZ#<_up>\n";
    let text = text.replace("Y[22 * #2 + 22]", "Y[22 * exists[#2] + 22]");
    assert_same(&read(PLAIN), &read(&text));
}

/// Rows of points, by loops of all kinds, by subroutines, by recursion, and written out.
#[test]
fn loops_and_subroutines() {
    let mut unrolled = "G21\nG0 X0 Y0 Z5\n".to_owned();
    for row in 1..=4 {
        for column in 1..=3 {
            unrolled += &format!("G1 X{} Y{} Z{}\n", 10 * row, 5 * column, -row * column);
        }
    }
    let unrolled = read(&unrolled);
    assert_eq!(unrolled.moves.len(), 13);
    let head = "G21\nG0 X0 Y0 Z5\n";
    let step = "G1 X[10*#1] Y[5*#2] Z[-#1*#2]\n";
    for (name, body) in [
        (
            "while",
            format!(
                "#1=1\no100 while [#1 le 4]\n#2=1\no101 while [#2 le 3]\n{step}#2=[#2+1]\no101 endwhile\n\
                 #1=[#1+1]\no100 endwhile\n"
            ),
        ),
        (
            "do",
            format!(
                "#1=1\no100 do\n#2=1\no101 do\n{step}#2=[#2+1]\no101 while [#2 le 3]\n#1=[#1+1]\n\
                 o100 while [#1 lt 5]\n"
            ),
        ),
        (
            "repeat",
            format!(
                "#1=1\no<rows> repeat [4]\n#2=1\no<columns> repeat [3]\n{step}#2=[#2+1]\n\
                 o<columns> endrepeat\n#1=[#1+1]\no<rows> endrepeat\no5 repeat [0]\nG1 X99\no5 endrepeat\n"
            ),
        ),
        (
            "break and continue",
            format!(
                "#1=0\no1 while [1]\n#1=[#1+1]\no2 if [#1 eq 5]\no1 break\no2 endif\n#2=0\no3 while [1]\n\
                 #2=[#2+1]\no4 if [#2 gt 3]\no1 continue\no4 endif\n{step}o3 endwhile\no1 endwhile\n"
            ),
        ),
        (
            "continue in repeat and do",
            "#1=1\no1 repeat [4]\n#2=0\no2 do\n#2=[#2+1]\nG1 X[10*#1] Y[5*#2] Z[-#1*#2]\no2 continue\nG1 X99\n\
             o2 while [#2 lt 3]\n#1=[#1+1]\no1 continue\nG1 X99\no1 endrepeat\n"
                .to_owned(),
        ),
        (
            "subroutines",
            format!(
                "o<point> sub\n{step}o<point> endsub\no10 sub (a row)\n#3=1\no11 while [#3 le 3]\n\
                 o<point> call [#1] [#3]\n#3=[#3+1]\no11 endwhile\no10 endsub\n#1=1\no12 while [#1 le 4]\n\
                 o10 call [#1]\n#1=[#1+1]\no12 endwhile\nM2\n"
            ),
        ),
        (
            "recursion",
            format!(
                "o1 sub\no2 if [#2 gt 3]\no1 return\no2 endif\n{step}o1 call [#1] [#2 + 1]\no1 endsub\n\
                 o1 call [1] [1]\no1 call [2] [1]\n#7=1\no#7 call [3] [1]\no[0+1] call [4] [1]\n"
            ),
        ),
        (
            "branches",
            format!(
                "#3=0\no1 repeat [12]\no2 if [#3 lt 3]\n#1=1\no2 elseif [#3 lt 6]\n#1=2\n\
                 o2 elseif [#3 lt 9]\n#1=3\no2 else\n#1=4\no2 endif\n#2=[1 + #3 mod 3]\n{step}#3=[#3+1]\n\
                 o1 endrepeat\n"
            ),
        ),
        (
            "subprograms",
            format!(
                "#1=1\nM98 P1000 L4\nM30\nO1000\n#2=1\nM98 P31001\n#1=[#1+1]\nM99\n\
                 O1001\n{step}#2=[#2+1]\nM99\n"
            ),
        ),
        (
            "returned values",
            format!(
                "o<next> sub\no<next> endsub [#1 + 1]\no1 sub\no1 return [#1]\nG1 X99\no1 endsub\n#1=1\n\
                 o3 repeat [4]\no1 call [1]\n#2=#<_value>\no4 repeat [3]\n{step}o<next> call [#2]\n\
                 #2=#<_value>\no4 endrepeat\no<next> call [#1]\n#1=#<_value>\no3 endrepeat\n"
            ),
        ),
    ] {
        let program = read(&format!("{head}{body}"));
        println!("{name}");
        assert_same(&unrolled, &program);
    }
}

#[test]
fn a_program_number_and_an_end_do_not_matter() {
    assert_same(&read(PLAIN), &read(&format!("%\nO0001 (PART)\n{PLAIN}M30\n%\n")));
    let after = read(&format!("{PLAIN}M2\nG1 X99\n"));
    assert_same(&read(PLAIN), &after);
    let notes: Vec<_> = after.notes.iter().map(ToString::to_string).collect();
    assert!(
        notes.iter().any(|note| note.starts_with("line 9: the lines after the end")),
        "{notes:?}"
    );
}

#[test]
fn words_that_do_not_move_the_tool_do_not_matter() {
    let text = PLAIN
        .replace("G90 G17", "G90 G94 G40 G49 G80 G97 G54 G15 G69 M3 S1000 M8")
        .replace("G1 Z-2.5", "G4 P0.5\nG61\nM0\nM48\nM62 P1\n(MSG, hello)\nG1 Z-2.5");
    assert_same(&read(PLAIN), &read(&text));
}

/// A tool change ends nothing: the next move starts where the tool before has been.
#[test]
fn tools_are_named_by_their_moves() {
    let program = read("G21 T3 M6\nG0 X0 Y0 Z5\nT12\nG1 X1\nM6\nG1 X2\nM61 Q4 G1 X3\nT3 M6\nX4");
    let tools: Vec<_> = program.moves.iter().map(|step| step.tool).collect();
    assert_eq!(tools, [3, 3, 12, 4, 3]);
    assert_eq!(program.tools, [3, 12, 4]);
    let selected: Program = read("G21 T3\nG0 X0 Y0 Z5\n");
    assert_eq!(selected.tools, [0]);
    assert!(
        selected.notes.iter().any(|note| note.message.contains("no M6")),
        "{:?}",
        selected.notes
    );
}

use super::*;
use crate::Location;

const VERTICES: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn model(text: &str) -> Model {
    read(text.as_bytes(), "stem").unwrap()
}

fn faces(text: &str) -> Vec<[u32; 3]> {
    model(text).meshes[0].faces().to_vec()
}

/// Part names with their faces.
fn parts(text: &str) -> Vec<(String, Vec<Range<u32>>)> {
    model(text).parts.into_iter().map(|part| (part.name, part.faces)).collect()
}

fn refused(text: &str) -> (usize, String) {
    match read(text.as_bytes(), "stem").unwrap_err() {
        Fault { location: Location::Line(line), message } => (line, message),
        fault => panic!("no line: {fault:?}"),
    }
}

#[test]
fn every_form_of_a_corner() {
    for face in [
        "f 1 2 3",
        "f 1/7 2/7 3/7",
        "f 1//2 2//2 3//2",
        "f 1/1/1 2/-2/2 3/3/3",
        "f -4 -3 -2",
        "  f\t1// 2/  3 # comment",
        "f 1 \\\n 2 \\  \r\n3",
        "fo 1 2 3",
    ] {
        assert_eq!(faces(&format!("{VERTICES}{face}\n")), [[0, 1, 2]], "{face}");
    }
    assert_eq!(faces(&format!("{VERTICES}f 1 2 3 4")), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn lines_may_end_in_any_way_and_faces_may_come_first() {
    let text = format!("# a\n\nf 4 2 3\n{VERTICES}f -1 1 2\n");
    for text in [text.replace('\n', "\r\n"), text.replace('\n', "\r"), text] {
        assert_eq!(faces(&text), [[3, 1, 2], [3, 0, 1]]);
    }
}

#[test]
fn vertices_may_carry_more_and_other_statements_are_skipped() {
    let text = "654 218\nmtllib a b.mtl\nv 1 2. +3e0 1.0 # weight\nv 0 0 0 0.5 nan 1 1\nvt 0 0\nvn a b\n\
                v 1 1 .1\nusemtl C:\\x\\\ns off\nf 1 2 3\nl 1 2\np 1\ncstype rat bspline\n\
                surf 0 1 0 1 \\\n1 2 3\ncurv2 1 2\nend\nunknown_word 1 2\nx_2b 3\n";
    let model = model(text);
    assert_eq!(model.meshes[0].positions()[0], DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(model.meshes[0].faces(), [[0, 1, 2]]);
}

#[test]
fn a_final_ctrl_z_is_ignored() {
    for end in ["\x1A", "\r\n\x1A"] {
        assert_eq!(faces(&format!("{VERTICES}f 1 2 3{end}")), [[0, 1, 2]], "{end:?}");
    }
}

#[test]
fn groups_and_objects_are_parts() {
    let text =
        format!("{VERTICES}f 1 2 3\ng a\nf 1 2 3 4\ng b c\nf 1 2 3\ng a\nf 3 4 1\nf 1 2 4\ng d");
    let part = |name: &str, faces: &[Range<u32>]| (name.to_owned(), faces.to_vec());
    assert_eq!(
        parts(&text),
        [part("stem", &[0..1]), part("a", &[1..3, 4..6]), part("b c", &[3..4])]
    );
    // Two objects may have groups of the same name; a group that is reopened at once stays one range.
    let text = format!(
        "{VERTICES}o x\ng a\nf 1 2 3\no y\ng a\nf 1 2 3\ng\nf 1 2 3\ng a\ng default\nf 1 2 3\no z\ng z\nf 1 2 3"
    );
    assert_eq!(
        parts(&text),
        [
            part("x/a", &[0..1]),
            part("y/a", &[1..2]),
            part("y/default", &[2..4]),
            part("z", &[4..5])
        ]
    );
}

#[test]
fn errors_name_the_line() {
    let cases = [
        ("f 1 2", 5, "a face needs at least 3 corners, this one has 2"),
        ("\nf", 6, "a face needs at least 3 corners, this one has 0"),
        ("f 1 2 # 3", 5, "a face needs at least 3 corners, this one has 2"),
        ("f 1 0 2", 5, "a face uses vertex 0, but OBJ numbers vertices from 1"),
        ("f 1 2 5", 5, "a face names vertex 5, but the file has 4"),
        ("f 1 2 4294967297", 5, "a face names vertex 4294967297, but the file has 4"),
        ("f 1 2 -5", 5, "a face counts 5 vertices back, but only 4 come before it"),
        ("f 1 2 -999999999999999999", 5, "a face counts 999999999999999999 vertices back"),
        ("f 1 2 99999999999999999999", 5, "`99999999999999999999` is not a corner"),
        ("f 1 2 x", 5, "`x` is not a corner"),
        ("f 1 2 3.0", 5, "`3.0` is not a corner"),
        ("f 1 2 +3", 5, "`+3` is not a corner"),
        ("f 1 2 3/1/1/1", 5, "`3/1/1/1` is not a corner"),
        ("f 1 2 /1/1", 5, "`/1/1` is not a corner"),
        ("v 1 2", 5, "a vertex needs 3 coordinates, this one has 2"),
        ("v", 5, "a vertex needs 3 coordinates, this one has 0"),
        ("v 1 2 3.1+e2", 5, "`3.1+e2` is not a number"),
        ("v 1 2 nan", 5, "`nan` is NaN, not a finite number"),
        ("v 1 2 1e999", 5, "`1e999` is inf, not a finite number"),
        ("v 1 2 1e101", 5, "vertex 4 has the z coordinate 1e101, which is beyond ±1e100"),
        ("v 1 2 3 4 5 6 7 8", 5, "a vertex has at most 7 numbers"),
        ("v 1 2 3 x", 5, "`x` is not a number"),
        ("3 2", 5, "`3` is not an OBJ keyword"),
        ("v1 2 3", 5, "`v1` is not an OBJ keyword"),
        ("v1e5 2 3", 5, "`v1e5` is not an OBJ keyword"),
        ("f1 2 3", 5, "`f1` is not an OBJ keyword"),
        ("fo12 2 3", 5, "`fo12` is not an OBJ keyword"),
        ("2d 2 3", 5, "`2d` is not an OBJ keyword"),
        ("\x1A\nv 1 2 3", 5, "`\\u{1a}` is not an OBJ keyword"),
        ("{ \"asset\": 1 }", 5, "`{` is not an OBJ keyword"),
        ("F 1 2 3", 5, "`F`: OBJ keywords are in lower case"),
        ("call other.obj", 5, "`call` includes another file"),
        ("f 1 2 \\\n\\\nx", 5, "`x` is not a corner"),
        ("f 1 2 3 \\", 5, "the last line ends with `\\`, but no line follows that continues it"),
    ];
    for (statement, line, message) in cases {
        let (at, what) = refused(&format!("{VERTICES}{statement}"));
        assert_eq!(at, line, "{statement}");
        assert!(what.starts_with(message), "{statement}: {what}");
    }
}

#[test]
fn written_models_read_back_the_same() {
    let text = format!(
        "v 0.1 -0 1e-310\nv 1e99 123456789.123456789 -7\nv 3 3 3\n{VERTICES}\
         o a\nf 1 2 3\no b\nf 4 5 6\no a\nf 5 6 7\n"
    );
    let before = model(&text);
    let mut out = Vec::new();
    write(&before, &mut out).unwrap();
    let after = read(&out, "other").unwrap();
    // Names are unique in what is written: some programs join objects of one name.
    let mut expected = before.parts.clone();
    expected[2].name = "a #2".into();
    assert_eq!(after.parts, expected);
    assert_eq!(after.meshes[0].faces(), before.meshes[0].faces());
    let bits = |model: &Model| -> Vec<_> {
        model.meshes[0].positions().iter().map(|p| p.to_array().map(f64::to_bits)).collect()
    };
    assert_eq!(bits(&after), bits(&before));
}

#[test]
fn written_parts_are_placed_and_stay_separate() {
    let mut model = model(&format!("{VERTICES}f 1 2 3\n"));
    let mut copy = model.parts[0].clone();
    copy.transform = DAffine3::from_translation(DVec3::Z);
    model.parts.extend([copy.clone(), ModelPart { name: "\n".into(), ..copy }]);
    let mut out = Vec::new();
    write(&model, &mut out).unwrap();
    let read = read(&out, "other").unwrap();
    let names: Vec<_> = read.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["stem", "stem #1", "part 2"]);
    assert_eq!(read.meshes[0].faces(), [[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
    assert_eq!(read.meshes[0].positions()[3], DVec3::Z);
}

#[test]
fn objects_of_one_name_are_several_parts() {
    let model = model(&format!("{VERTICES}o bolt\nf 1 2 3\no bolt\nf 2 3 4\no other\nf 1 2 4\n"));
    let names: Vec<_> = model.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["bolt", "bolt", "other"]);
}

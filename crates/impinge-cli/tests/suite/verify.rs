//! Tests of `impinge verify`: right, wrong and unreadable answers.

use crate::common::{Folder, Run, impinge};
use serde_json::{Value, json};

const HEADER: &str = "case,a0x,a0y,a0z,a1x,a1y,a1z,a2x,a2y,a2z,b0x,b0y,b0z,b1x,b1y,b1z,b2x,b2y,b2z,exact_intersects\n";
/// Two triangles that share one corner and nothing else.
const TOUCHING: &str = "0,0,0,1,0,0,0,1,0,0,0,0,-1,0,0,0,-1,0";
/// The same triangles, moved apart by the smallest possible distance.
const APART: &str = "0,0,5e-324,1,0,5e-324,0,1,5e-324,0,0,0,-1,0,0,0,-1,0";

/// Returns a file of cases, each with name, triangles and answer.
fn cases(rows: &[(&str, &str, u8)]) -> String {
    let rows = rows.iter().map(|(name, corners, answer)| format!("{name},{corners},{answer}\n"));
    HEADER.to_owned() + &rows.collect::<String>()
}

fn tally(cases: u64, right: u64, missed: u64, false_alarms: u64) -> Value {
    json!({"cases": cases, "right": right, "missed": missed, "false": false_alarms})
}

#[test]
fn right_answers_pass() {
    let folder = Folder::new();
    let one = folder.write("one.csv", cases(&[("tip", TOUCHING, 1), ("gap", APART, 0)]));
    let run = impinge(["verify", "triangles", &one]).succeeds();
    assert_eq!(run.json_keys(), ["cases", "right", "missed", "false"]);
    assert_eq!(run.json(), tally(2, 2, 0, 0));
    let two = folder.write("two.csv", cases(&[("gap", APART, 0)]));
    let run = impinge(["verify", "triangles", &one, &two, &one]).succeeds();
    assert_eq!(run.json(), tally(5, 5, 0, 0));
}

#[test]
fn wrong_answers_are_told_apart_and_named() {
    let folder = Folder::new();
    for (rows, expected, pieces) in [
        (vec![("gap", APART, 1)], tally(1, 0, 1, 0), vec!["gap: missed"]),
        (vec![("tip", TOUCHING, 0)], tally(1, 0, 0, 1), vec!["tip: false alarm"]),
        (
            vec![("a", TOUCHING, 0), ("b", TOUCHING, 1), ("c", APART, 1), ("d", APART, 1)],
            tally(4, 1, 2, 1),
            vec!["a: false alarm", "c: missed", "d: missed"],
        ),
    ] {
        let file = folder.write("cases.csv", cases(&rows));
        let run = impinge(["verify", "triangles", &file]);
        assert_eq!((run.code, run.json()), (Some(1), expected), "{rows:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{rows:?}: {}", run.stderr);
        for piece in pieces {
            assert!(run.stderr.contains(&format!("{file}: {piece}")), "{piece}: {}", run.stderr);
        }
    }
}

#[test]
fn many_wrong_answers_and_odd_names_stay_readable() {
    let folder = Folder::new();
    let rows: Vec<_> = (0..50).map(|_| ("\u{1b}[31mred", TOUCHING, 0)).collect();
    let run = impinge(["verify", "triangles", &folder.write("cases.csv", cases(&rows))]);
    assert_eq!((run.code, run.json()), (Some(1), tally(50, 0, 0, 50)), "{}", run.stderr);
    assert!(run.stderr.trim_end().ends_with("; and 30 more"), "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
}

#[test]
fn the_answer_may_come_from_expected_by_source() {
    let folder = Folder::new();
    let by_source =
        cases(&[("tip", TOUCHING, 1)]).replace("exact_intersects", "expected_by_source");
    let file = folder.write("cases.csv", by_source);
    assert_eq!(impinge(["verify", "triangles", &file]).succeeds().json(), tally(1, 1, 0, 0));
}

#[test]
fn bad_files_are_named_by_line() {
    let folder = Folder::new();
    let good = cases(&[("tip", TOUCHING, 1)]);
    let row = good.lines().nth(1).unwrap();
    for (what, text, place) in [
        ("empty", String::new(), ":"),
        ("only a header", HEADER.to_owned(), ":"),
        ("no header", format!("{row}\n"), ":1:"),
        ("no answers", good.replace("exact_intersects", "maybe"), ":1:"),
        ("no b1y", good.replace("b1y", "b1w"), ":1:"),
        ("a field too few", format!("{good}tip,{}\n", &TOUCHING[2..]), ":3:"),
        ("a field too many", format!("{good}{row},1\n"), ":3:"),
        ("a word", format!("{good}{}\n", row.replace("tip,0", "tip,zero")), ":3:"),
        ("NaN", format!("{good}{}\n", row.replace("tip,0", "tip,NaN")), ":3:"),
        ("an answer of 2", cases(&[("tip", TOUCHING, 2)]), ":2:"),
    ] {
        let file = folder.write("cases.csv", text);
        let run = impinge(["verify", "triangles", &file]);
        if let Some(fault) = run.refusal_fault(&[&format!("{file}{place}")]) {
            panic!("{what}: {fault}");
        }
    }
    let good = folder.write("good.csv", good);
    impinge(["verify", "triangles", &good, &folder.at("none.csv")]).refuses(&["none.csv"]);
    impinge(["verify", "triangles", folder.path().to_str().unwrap()]).refuses(&["folder"]);
    Run::new(["verify", "triangles", &folder.write("binary.csv", [0xFF; 1000])])
        .finish()
        .refuses(&["binary.csv"]);
}

/// A vertex that falls from a height of 1 to another height, onto a face with the answer. As two edges, the same points
/// never touch.
fn falling(height: &str, answer: u8) -> String {
    let points = |z: &str| {
        format!(
            "1,4,1,4,{z},{answer}\n0,1,0,1,0,1,{answer}\n1,1,0,1,0,1,{answer}\n0,1,1,1,0,1,{answer}\n"
        )
    };
    points("1,1") + &points(height)
}

#[test]
fn motions_are_compared_by_kind() {
    let folder = Folder::new();
    let cases = falling("-1,1", 1) + &falling("0,1", 1) + &falling("1,1024", 0);
    let file = folder.write("cases.csv", cases);
    let run = impinge(["verify", "ccd", "--kind", "vertex-face", &file]).succeeds();
    assert_eq!(
        (run.json_keys(), run.json()),
        (
            vec!["cases".to_owned(), "right".into(), "missed".into(), "false".into()],
            tally(3, 3, 0, 0)
        )
    );
    let run = impinge(["verify", "ccd", "--kind", "edge-edge", &file]);
    assert_eq!((run.code, run.json()), (Some(1), tally(3, 1, 2, 0)), "{}", run.stderr);
    assert!(run.stderr.contains(&format!("{file}: line 9: missed")), "{}", run.stderr);
    // A false alarm is reported, but is not an error.
    let file = folder.write("vertex-face.csv", falling("-1,1", 0));
    let run = impinge(["verify", "ccd", &file]);
    assert_eq!((run.code, run.json()), (Some(0), tally(1, 0, 0, 1)), "{}", run.stderr);
    assert!(run.stderr.contains("line 1: false alarm"), "{}", run.stderr);
}

#[test]
fn bad_motions_are_refused() {
    let folder = Folder::new();
    let good = falling("-1,1", 1);
    let unknown = folder.write("cases.csv", &good);
    impinge(["verify", "ccd", &unknown]).refuses(&["cases.csv", "--kind"]);
    let both = folder.write("vertex-face-or-edge-edge.csv", &good);
    impinge(["verify", "ccd", &both]).refuses(&["--kind"]);
    for (text, pieces) in [
        (good.replace("1,4,1,4,-1,1", "1,3,1,4,-1,1"), [":5:", "not a double"]),
        (good.replace("1,1,0,1,0,1,1", "1,0,0,1,0,1,1"), [":3:", "denominator"]),
        (good.lines().take(7).collect::<Vec<_>>().join("\n"), [":1:", "eight rows"]),
        (String::new(), ["vertex-face.csv", "no cases"]),
    ] {
        let file = folder.write("vertex-face.csv", text);
        impinge(["verify", "ccd", &file]).refuses(&pieces);
    }
    impinge(["verify", "ccd", &folder.at("vertex-face-none.csv")]).refuses(&["none.csv"]);
}

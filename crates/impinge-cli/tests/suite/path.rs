//! Tests of `clash --path` (parts that move along a path) and `clash --joints --continuous` (robots between two rows).

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{
    self, Folder, Soup, impinge,
    soup::{moved_by, pose_file},
};
use std::fmt::Write;

/// A wall of half a millimetre between two cubes, one of which moves through it from row to row.
fn wall_and_cube(folder: &Folder) -> [String; 3] {
    let mut wall = String::new();
    for [x, y, z] in [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]] {
        for side in [0, 1] {
            let (x, y) = (f64::from(x) * 0.5, f64::from(y) * 20.0 - 5.0);
            let _ = writeln!(wall, "v {x} {y} {}", f64::from(z + side) * 20.0 - 5.0);
        }
    }
    for [a, b, c, d] in
        [[1, 2, 4, 3], [3, 4, 6, 5], [5, 6, 8, 7], [7, 8, 2, 1], [1, 3, 5, 7], [2, 8, 6, 4]]
    {
        let _ = writeln!(wall, "f {a} {c} {b}\nf {a} {d} {c}");
    }
    let path =
        pose_file(&[moved_by(0.0, 0.0, 0.0), moved_by(10.0, 0.0, 0.0), moved_by(12.0, 0.0, 0.0)]);
    [
        folder.write("wall.obj", wall),
        folder.write("cube.obj", Soup::cube([-6.0, 0.0, 0.0], 1.0).obj()),
        folder.write("path.csv", path),
    ]
}

#[test]
fn a_part_that_is_beyond_a_wall_in_the_next_row_is_found() {
    let folder = Folder::new();
    let [wall, cube, path] = wall_and_cube(&folder);
    let base = ["clash", &wall, &cube, "--units", "mm", "--path", &path, "--moving", "cube"];
    let with = |more: &[&str]| impinge(base.iter().copied().chain(more.iter().copied()));

    let run = with(&["--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let found = run.json();
    assert_eq!(found["moving"], serde_json::json!(["cube"]));
    assert_eq!([&found["rows"], &found["failures"], &found["uncertified"]], [3, 1, 0]);
    let clash = &found["clashes"][0];
    assert_eq!([&clash["a"], &clash["b"], &clash["verdict"]], ["cube", "wall", "penetrating"]);
    // The cube's front is at −5, its back at −6, and the wall from 0 to 0.5.
    let near = |place: &serde_json::Value, right: f64| {
        let fraction = place["fraction"].as_f64().unwrap();
        assert!((fraction - right).abs() < 1e-5, "{fraction} {right}");
    };
    near(&clash["from"], 0.5);
    near(&clash["until"], 0.65);
    assert_eq!([&clash["from"]["row"], &clash["from"]["line"]], [1, 1]);
    assert!(clash["from"]["time"].is_null());

    assert_eq!(with(&[]).code, Some(1));
    assert!(with(&[]).stdout.contains("row 1.5"), "{}", with(&[]).stdout);
    with(&["--allow", "penetrating"]).succeeds();
    with(&["--ignore", "cube :: wall"]).succeeds();
    with(&["--only", "touching,clearance"]).succeeds();
    assert_eq!(with(&["--json", "--threads", "2"]).stdout, run.stdout);

    let csv = folder.at("out.csv");
    let json = folder.at("out.json");
    assert_eq!(with(&["--csv", &csv, "-o", &json]).code, Some(1));
    assert_eq!(folder.text("out.json"), run.stdout);
    let rows = common::csv(&folder.text("out.csv"));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].len(), rows[1].len());
    assert_eq!(rows[1][..4], ["cube", "wall", "penetrating", "true"]);

    let page = folder.at("out.html");
    assert_eq!(with(&["--report", &page, "--csv", &csv]).code, Some(1));
    assert!(folder.text("out.html").contains("Moment of the path"));

    // The other way round: the wall moves, and the times are those of the file.
    let rows = std::fs::read_to_string(&path).unwrap().replace("10", "-10").replace("12", "-12");
    let timed: Vec<String> =
        rows.lines().zip(["0", "4", "5"]).map(|(row, time)| format!("{time},{row}")).collect();
    let timed = folder.write("timed.csv", format!("time,r\n{}\n", timed.join("\n")));
    let run = impinge(["clash", &wall, &cube, "--path", &timed, "--moving", "wall", "--json"]);
    let clash = &run.json()["clashes"][0];
    assert!((clash["from"]["time"].as_f64().unwrap() - 2.0).abs() < 1e-4, "{clash}");
    assert_eq!(clash["from"]["line"], 2);
}

#[test]
fn mistakes_in_paths_are_named() {
    let folder = Folder::new();
    let [wall, cube, path] = wall_and_cube(&folder);
    let run = |path: &str, moving: &str, more: &[&str]| {
        let base = ["clash", &wall, &cube, "--path", path, "--moving", moving];
        impinge(base.into_iter().chain(more.iter().copied()))
    };
    run(&path, "sphere", &[]).refuses(&["--moving", "`sphere`", "nothing would move"]);
    run(&path, "*", &[]).refuses(&["--moving", "every part moves"]);
    run(&folder.at("none.csv"), "cube", &[]).refuses(&["none.csv"]);
    let half_turn =
        folder.write("half.csv", "1,0,0,0,0,1,0,0,0,0,1,0\n# out\n-1,0,0,0,0,-1,0,0,0,0,1,0\n");
    run(&half_turn, "cube", &[]).refuses(&["half.csv:3", "half a turn", "add a row between rows"]);
    let short = folder.write("short.csv", "1,0,0,0,0,1,0,0,0,0,1,0\n1,0,0\n");
    run(&short, "cube", &[]).refuses(&["short.csv:2", "12 numbers"]);
    run(&path, "cube", &["--glb", "a.glb"]).misused(&["--glb", "--path"]);
    run(&path, "cube", &["--report", "a.html", "--quick"]).refuses(&["--report", "--quick"]);
    run(&path, "cube", &["--csv", &path]).refuses(&["--csv", "overwrite"]);
    impinge(["clash", &wall, &cube, "--path", &path]).misused(&["--moving"]);
    impinge(["clash", &wall, &cube, "--moving", "cube"]).misused(&["--path"]);
    run(&path, "cube", &["--pivot", "1,2"]).misused(&["X,Y,Z"]);
}

/// An arm of two links that turn about z, with a tip that slides outward.
const ARM: &str = r#"<robot name="r">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.8 0.05 0.05"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.04 0.04"/></geometry></collision></link>
  <link name="tip"><collision><geometry><box size="0.1 0.02 0.02"/></geometry></collision></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="reach" type="prismatic"><parent link="lower"/><child link="tip"/><origin xyz="0.5 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>"#;

#[test]
fn what_an_arm_passes_between_two_rows_is_found() {
    let folder = Folder::new();
    let robot = folder.write("arm.urdf", ARM);
    // A thin post, in the way of the tip between the rows.
    let post = folder.write("post.obj", Soup::cube([0.88, 0.62, -0.005], 0.01).obj());
    let rows = [[0.0, 0.0, 0.0], [1.2, -0.5, 0.1], [1.3, -0.5, 0.1]];
    let file = |name: &str, rows: &[[f64; 3]]| {
        let mut text = String::from("shoulder,elbow,reach\n");
        rows.iter().for_each(|[a, b, c]| writeln!(text, "{a},{b},{c}").unwrap());
        folder.write(name, text)
    };
    let sparse = file("sparse.csv", &rows);
    let run = |file: &str, more: &[&str]| {
        let base = ["clash", &robot, &post, "--joints", file, "--json"];
        impinge(base.into_iter().chain(more.iter().copied()))
    };
    run(&sparse, &[]).succeeds();
    let found = run(&sparse, &["--continuous"]);
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    let lines = found.json_lines();
    let between = lines.iter().find(|line| line["kind"] == "between").unwrap();
    assert_eq!(between["configurations"], serde_json::json!([1, 2]));

    // The truth: a sampled check so dense that it misses nothing.
    let steps = 4000;
    let dense: Vec<[f64; 3]> = (0..=steps)
        .map(|k| {
            let share = f64::from(k) / f64::from(steps);
            [0, 1, 2].map(|joint| rows[0][joint] * (1.0 - share) + rows[1][joint] * share)
        })
        .collect();
    let sampled = run(&file("dense.csv", &dense), &[]);
    let mut first = std::collections::BTreeMap::new();
    for line in sampled.json_lines().iter().filter(|line| line["kind"] == "configuration") {
        for clash in line["clashes"].as_array().unwrap() {
            let pair = [&clash["a"], &clash["b"]].map(|name| name.as_str().unwrap().to_owned());
            first.entry(pair).or_insert(line["configuration"].as_u64().unwrap() - 1);
        }
    }
    let contacts = between["contacts"].as_array().unwrap();
    assert!(!first.is_empty());
    assert_eq!(contacts.len(), first.len(), "{contacts:?} {first:?}");
    for contact in contacts {
        let pair = [&contact["a"], &contact["b"]].map(|name| name.as_str().unwrap().to_owned());
        let (fraction, sample) = (contact["fraction"].as_f64().unwrap(), first[&pair]);
        let sample = sample as f64 / f64::from(steps);
        // Never later than the truth, which lies between two samples.
        assert!(
            fraction <= sample && fraction > sample - 2.0 / f64::from(steps),
            "{contact} {sample}"
        );
        // The link is thicker than the post.
        assert_eq!(contact["verdict"], "inside");
    }
    let summary = &lines[lines.len() - 1]["between"];
    assert_eq!([&summary["steps"], &summary["colliding"], &summary["failures"]], [2, 1, 1]);
    assert_eq!(run(&sparse, &["--continuous", "--threads", "2"]).stdout, found.stdout);
    run(&sparse, &["--continuous", "--ignore", "post"]).succeeds();
    // Without the post the way is clear, and that is proven.
    impinge(["clash", &robot, "--joints", &sparse, "--continuous"]).succeeds();
    impinge(["clash", &robot, "--continuous"]).misused(&["--joints"]);

    // A part may get inside a box with a hole without a contact.
    let mut text = Soup::cube([0.0, 0.0, 5.0], 1.0).obj();
    text.truncate(text.trim_end().rfind('\n').unwrap() + 1);
    let open = folder.write("open.obj", text);
    let run = impinge(["clash", &robot, &open, "--joints", &sparse, "--continuous", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("open has holes in the surface"), "{}", run.stderr);
    let lines = run.json_lines();
    let summary = &lines[lines.len() - 1]["between"];
    assert_eq!(summary["open_parts"], serde_json::json!(["open"]));
}

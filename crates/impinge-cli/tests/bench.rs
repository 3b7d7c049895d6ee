//! `impinge bench`: the papers' experiments, small.

mod common;

use common::{Folder, impinge};
use serde_json::Value;

#[test]
fn a_tumble_compares_methods_over_distance() {
    let folder = Folder::new();
    let plot = folder.at("tumble.svg");
    let arguments = ["bench", "tumble", "gen:sphere,faces=960", "--method", "brute,obb,dop18"];
    let more = ["--distances", "0,1,1.99,2.5", "--steps", "20", "--all", "--plot", &plot];
    let line = impinge([&arguments[..], &more].concat()).succeeds().json();
    assert_eq!((&line["faces"], &line["mode"]), (&960.into(), &"all".into()), "{line}");
    let rows = line["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4 * 3);
    for row in rows {
        let touching = row["colliding_steps"].as_u64().expect("a number");
        match row["distance"].as_f64().expect("a number") {
            0.0 | 1.0 => assert_eq!(touching, 20, "{row}"),
            2.5 => assert_eq!((touching, &row["pairs"]), (0, &0.into()), "{row}"),
            _ => {}
        }
        assert!(row["mean_us"].as_f64() <= row["max_us"].as_f64(), "{row}");
    }
    let names: Vec<&Value> =
        line["methods"].as_array().expect("methods").iter().map(|it| &it["method"]).collect();
    assert_eq!(names, ["brute", "obb", "dop18"]);

    let svg = folder.text("tumble.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for piece in ["obb", "dop18", "distance of the centres"] {
        assert!(svg.contains(piece), "no `{piece}` in the plot");
    }
}

#[test]
fn building_over_size() {
    let folder = Folder::new();
    let plot = folder.at("build.svg");
    let sizes = ["bench", "build", "--sizes", "100,1001", "--method", "all", "--plot", &plot];
    let line = impinge(sizes).succeeds().json();
    let methods = impinge(["methods", "--json"]).succeeds().json_lines().len() - 1;
    let rows = line["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2 * methods);
    assert!(rows.iter().all(|row| row["bytes_per_face"].as_f64() > Some(0.0)), "{line}");
    assert_eq!((&rows[0]["faces"], &rows[methods]["faces"]), (&100.into(), &1002.into()));
    assert!(folder.text("build.svg").contains("dop26"));

    let line = impinge(["bench", "build", "gen:chair", "gen:gear"]).succeeds().json();
    assert_eq!(line["rows"][0]["mesh"], "gen:chair", "{line}");
}

#[test]
fn overlap_tests_of_the_boxtree() {
    let names = "boxtree:aligned,boxtree:lookup,boxtree:full,boxtree:lite,boxtree:paper,brute";
    let scene = ["bench", "tumble", "gen:deformed-torus,around=40,tube=12", "--method", names];
    let more = ["--distances", "1,1.9,2.5", "--steps", "15", "--all"];
    let line = impinge([&scene[..], &more].concat()).succeeds().json();
    let methods = line["methods"].as_array().expect("methods");
    assert_eq!(
        methods.iter().map(|it| it["method"].as_str().unwrap()).collect::<Vec<_>>().join(","),
        names
    );
    assert!(line["rows"][0]["pairs"].as_u64() > Some(100), "hardly a contact: {line}");
    let bytes = |i: usize| methods[i]["bytes_per_face"].as_f64().expect("a number");
    assert!(bytes(0) <= 16.0 && bytes(4) <= 16.0, "{line}");
    impinge(["bench", "tumble", "--method", "boxtree:magic"]).refuses(&["boxtree:lite"]);
}

#[test]
fn bytes_of_nodes_beside_the_papers() {
    let line = impinge(["bench", "nodes", "gen:sphere,faces=960"]).succeeds().json();
    for row in line["rows"].as_array().expect("rows") {
        let bytes = row["bytes_per_node"].as_f64().expect("a number");
        if row["hierarchy"].as_str().expect("a name").starts_with("boxtree") {
            assert!(bytes <= 8.0, "{row}");
        }
        assert!(bytes > 0.0 && row["operations"].as_u64() > Some(0), "{row}");
    }
}

#[test]
fn usage_errors() {
    let folder = Folder::new();
    let plot = folder.at("none/plot.svg");
    impinge(["bench"]).misused(&["tumble", "build"]);
    impinge(["bench", "tumble", "none.obj"]).refuses(&["none.obj"]);
    impinge(["bench", "tumble", "--method", "obb,magic"]).refuses(&["`magic`"]);
    impinge(["bench", "tumble", "--steps", "0"]).misused(&["--steps"]);
    impinge(["bench", "tumble", "--distances", "near"]).misused(&["near"]);
    impinge(["bench", "tumble", "gen:chair", "--distances", "nan"]).refuses(&["distance"]);
    impinge(["bench", "tumble", "gen:chair", "--steps", "2", "--plot", &plot])
        .refuses(&["none/plot.svg"]);
}

//! Tests of `impinge query` beyond plain contact: tolerance, distance, cache, budgets, counts.

use crate::common::{Folder, Soup, csv, impinge, soup};
use serde_json::Value;

const SCENE: [&str; 5] = [
    "query",
    "gen:sphere,faces=960",
    "gen:deformed-torus,around=40,tube=12",
    "--poses",
    "gen:tumble,steps=40,distance=2",
];

fn scene<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SCENE[..], more].concat()
}

/// Returns the rows of a run that compares all methods.
fn rows(option: &str, more: &[&str]) -> Vec<Vec<String>> {
    let folder = Folder::new();
    let out = folder.at("rows.csv");
    impinge(scene(&[&[option, &out, "--method", "all"], more].concat())).succeeds();
    csv(&folder.text("rows.csv"))
}

#[test]
fn faces_within_a_distance() {
    let touching = rows("--pairs", &[]);
    assert!(touching.len() > 2, "hardly anything touches");
    assert_eq!(rows("--pairs", &["--within", "0"]), touching);
    let near = rows("--pairs", &["--within", "0.05"]);
    assert!(touching.iter().all(|row| near.contains(row)), "what touches is near");
    assert!(near.len() > 2 * touching.len(), "{} and {}", near.len(), touching.len());

    // Two cubes with a gap of 1/2 between them.
    let folder = Folder::new();
    let a = folder.write("a.obj", Soup::cube([0., 0., 0.], 1.).obj());
    let b = folder.write("b.obj", Soup::cube([1.5, 0., 0.], 1.).obj());
    for (within, colliding) in [("0.5", 1), ("0.4999999", 0), ("0", 0), ("1e300", 1)] {
        let line = impinge(["query", &a, &b, "--within", within]).succeeds().json();
        assert_eq!(line["colliding_steps"], colliding, "{within}: {line}");
    }
    for wrong in ["-1", "nan", "inf", "-1mm"] {
        impinge(["query", &a, &b, "--within", wrong]).misused(&["--within", "not negative"]);
    }
    impinge(["query", &a, &b, "--within", "near"]).misused(&["near", "--within"]);
}

/// Cubes of 1 mm, 0.5 mm apart.
#[test]
fn lengths_have_units() {
    let folder = Folder::new();
    let a = folder.write("a.obj", Soup::cube([0., 0., 0.], 1.).obj());
    let b = folder.write("b.obj", Soup::cube([1.5, 0., 0.], 1.).obj());
    let touches = |more: &[&str]| {
        let line = impinge([&["query", &a, &b][..], more].concat()).succeeds().json();
        line["colliding_steps"] == 1
    };
    for (within, is_enough) in [("0.5mm", true), ("0.49mm", false), ("0.05cm", true), ("0.5", true)]
    {
        assert_eq!(touches(&["--within", within, "--file-units", "mm"]), is_enough, "{within}");
    }
    assert!(touches(&["--within", "0.02in", "--file-units", "mm"]));
    // Files that do not state their unit, and two with different units.
    let unknown = ["--within 0.5mm", "unit of the files is unknown", "--file-units"];
    impinge(["query", &a, &b, "--within", "0.5mm"]).refuses(&unknown);
    impinge(["query", "gen:gearbox", &b, "--within", "0.5mm"]).refuses(&unknown);
    // Generated meshes in millimetres and GLB files have a known unit.
    let glb = folder.at("gearbox.glb");
    impinge(["generate", "gearbox", "-o", &glb]).succeeds();
    for mesh in [&glb, "gen:gearbox"] {
        impinge(["query", mesh, mesh, "--within", "0.5mm"]).succeeds();
    }
    impinge(["query", &glb, "gen:gearbox", "--within", "0.5mm"]).refuses(&unknown);
}

#[test]
fn the_minimum_distance() {
    let header = ["step", "distance", "ax", "ay", "az", "bx", "by", "bz", "face_a", "face_b"];
    let rows = rows("--write-distances", &[]);
    assert_eq!(rows[0], header);
    assert_eq!(rows.len(), 41);
    let number = |row: &[String], i: usize| row[i].parse::<f64>().expect("a number");
    let distances: Vec<f64> = rows[1..].iter().map(|row| number(row, 1)).collect();
    for row in &rows[1..] {
        let length_sq: f64 = (2..5).map(|i| (number(row, i) - number(row, i + 3)).powi(2)).sum();
        assert!((length_sq.sqrt() - number(row, 1)).abs() < 1e-12, "{row:?}");
    }
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let line = impinge(scene(&["--distance"])).succeeds().json();
    assert_eq!((&line["mode"], &line["pairs"]), (&"distance".into(), &Value::Null), "{line}");
    assert_eq!(line["least_distance"], least, "{line}");
    let step = line["least_step"].as_u64().expect("a step") as usize;
    assert_eq!(distances[step], least);
    let touching = distances.iter().filter(|distance| **distance == 0.0).count();
    assert!(0 < touching && touching < 40, "{distances:?}");
    assert_eq!(line["colliding_steps"], touching, "{line}");
    assert_eq!(impinge(scene(&[])).json()["colliding_steps"], touching);

    impinge(scene(&["--distance", "--all"])).misused(&["--all"]);
    impinge(scene(&["--distance", "--within", "1"])).misused(&["--within"]);
}

/// These options work on one thread: to ask for one is fine, to ask for more is not.
#[test]
fn some_options_use_one_thread() {
    for options in [&["--distance"][..], &["--cache"], &["--budget", "1000000"]] {
        let expected = impinge(scene(options)).succeeds().json()["colliding_steps"].clone();
        for threads in ["0", "1"] {
            let more = [options, &["--threads", threads]].concat();
            assert_eq!(impinge(scene(&more)).succeeds().json()["colliding_steps"], expected);
        }
        let more = [options, &["--threads", "2"]].concat();
        impinge(scene(&more)).refuses(&["--threads 2", options[0], "one thread"]);
    }
    let folder = Folder::new();
    let out = folder.at("out.csv");
    impinge(scene(&["--write-distances", &out, "--threads", "1"])).succeeds();
    impinge(scene(&["--write-distances", &out, "--threads", "2"]))
        .refuses(&["--threads 2", "--write-distances"]);
}

#[test]
fn a_cache_saves_tests_and_changes_nothing() {
    // Small steps, for which the cache pays off.
    let scene = |more: &[&str]| {
        let scene = ["query", "gen:torus,faces=2000", "gen:torus,faces=2000", "--all", "--stats"];
        let poses = ["--poses", "gen:tumble,steps=400,distance=1.5"];
        impinge([&scene[..], &poses, more].concat()).succeeds().json()
    };
    for method in ["aabb", "dop18"] {
        let plain = scene(&["--method", method]);
        let cached = scene(&["--method", method, "--cache"]);
        assert_eq!(cached["pairs"], plain["pairs"], "{method}");
        let tests = |line: &Value| line["volume_tests"].as_f64().expect("a number");
        assert!(tests(&cached) < 0.8 * tests(&plain), "{} of {}", tests(&cached), tests(&plain));
        for field in ["face_tests", "placed"] {
            assert!(plain[field].as_f64() > Some(0.0), "{plain}");
        }
    }
    let folder = Folder::new();
    let [with, without] = ["with.csv", "without.csv"].map(|name| folder.at(name));
    impinge(self::scene(&["--pairs", &without])).succeeds();
    impinge(self::scene(&["--method", "all", "--cache", "--pairs", &with])).succeeds();
    assert_eq!(folder.text("with.csv"), folder.text("without.csv"));
}

#[test]
fn a_budget_reports_undecided_steps_and_their_overlap() {
    let plain = impinge(scene(&[])).json()["colliding_steps"].as_u64().expect("a number");
    let mut undecided = Vec::new();
    for tests in [1, 10, 100, 1000, 100_000] {
        let line = impinge(scene(&["--budget", &tests.to_string()])).succeeds().json();
        let count = line["undecided_steps"].as_u64().expect("a number");
        let overlap = line["largest_overlap"].as_f64().expect("a number");
        let colliding = line["colliding_steps"].as_u64().expect("a number");
        assert!(colliding <= plain && plain <= colliding + count, "{line}");
        assert_eq!(count == 0, overlap == 0.0, "{line}");
        undecided.push((count, overlap));
    }
    assert!(undecided.is_sorted_by(|p, q| p.0 >= q.0 && p.1 >= q.1), "{undecided:?}");
    assert!(undecided[0].0 > 20 && undecided[4] == (0, 0.0), "{undecided:?}");
    let all = impinge(scene(&["--all", "--budget", "1000000"])).succeeds().json();
    assert_eq!(all["pairs"], impinge(scene(&["--all"])).json()["pairs"]);

    impinge(scene(&["--budget", "9", "--method", "all"])).refuses(&["--method all"]);
    impinge(scene(&["--budget", "0"])).misused(&["--budget"]);
}

/// One pose and two triangles, so that the counts are known.
#[test]
fn counts_of_the_smallest_scene() {
    let folder = Folder::new();
    let mesh = folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let poses = folder.write("poses.csv", soup::pose_file(&[soup::IDENTITY]));
    let query = ["query", &mesh, &mesh, "--poses", &poses, "--stats", "--method", "obb"];
    let line = impinge(query).succeeds().json();
    for field in ["volume_tests", "face_tests", "placed"] {
        assert_eq!(line[field], 1.0, "{field}: {line}");
    }
    let line = impinge(["query", &mesh, &mesh, "--method", "brute", "--stats"]).succeeds().json();
    assert_eq!(line["volume_tests"], 0.0, "{line}");
}

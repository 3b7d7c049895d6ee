//! Tests of `impinge clash` from run to run: which parts and findings are recognised, what became worse, and what
//! people decided about findings.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Soup, impinge};
use serde_json::{Value, json};

/// Writes a glTF file whose nodes are cubes of side 1 at the given corners. Equal names are allowed.
fn scene(folder: &Folder, name: &str, nodes: &[(&str, [f64; 3])]) -> String {
    let cube = Soup::cube([0.0; 3], 1.0);
    let mut bytes = Vec::new();
    for position in cube.positions.iter().flatten() {
        bytes.extend((*position as f32).to_le_bytes());
    }
    let middle = bytes.len();
    for corner in cube.faces.iter().flatten() {
        bytes.extend((*corner as u32).to_le_bytes());
    }
    folder.write("cube.bin", &bytes);
    let (vertices, corners) = (cube.positions.len(), 3 * cube.faces.len());
    let list: Vec<Value> = nodes
        .iter()
        .map(|(name, at)| json!({"name": name, "mesh": 0, "translation": at}))
        .collect();
    let document = json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": (0..nodes.len()).collect::<Vec<_>>()}],
        "nodes": list,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"uri": "cube.bin", "byteLength": bytes.len()}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": middle},
            {"buffer": 0, "byteOffset": middle, "byteLength": bytes.len() - middle},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": vertices, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5125, "count": corners, "type": "SCALAR"},
        ],
    });
    folder.write(name, document.to_string())
}

/// A row of plates with a bolt in each. Each bolt reaches `deep` into the plate at its place.
fn bolts(places: &[f64], deep: f64) -> Vec<(&'static str, [f64; 3])> {
    let plate = |x: &f64| ("plate", [*x, 0.0, 0.0]);
    let bolt = |x: &f64| ("bolt", [*x, 0.25, 1.0 - deep]);
    places.iter().map(plate).chain(places.iter().map(bolt)).collect()
}

fn check(arguments: &[&str]) -> Value {
    let run = impinge(["clash"].iter().chain(arguments).chain(&["--json"]));
    assert!(matches!(run.code, Some(0 | 1)), "{}: {}", run.what, run.stderr);
    run.json()
}

/// Returns the place along x and the field of each listed clash, sorted.
fn by_place(report: &Value, field: &str) -> Vec<(i64, String)> {
    let clashes = report["clashes"].as_array().unwrap();
    let mut all: Vec<(i64, String)> = clashes
        .iter()
        .map(|clash| {
            let x = clash["parts"][0]["center"][0].as_f64().unwrap();
            (x.floor() as i64, clash[field].to_string().replace('"', ""))
        })
        .collect();
    all.sort();
    all
}

/// Deleting, reordering or moving one of several equal bolts does not confuse the others.
#[test]
fn equal_parts_are_recognised_by_their_places() {
    let folder = Folder::new();
    let old = folder.at("old.json");
    let all = scene(&folder, "all.gltf", &bolts(&[0.0, 5.0, 10.0, 15.0], 0.25));
    let before = check(&[&all, "-o", &old]);
    assert_eq!(before["total"], 4, "{before}");
    assert_eq!(before["clashes"][3]["parts"][1]["path"], "bolt");
    assert_eq!(before["clashes"][3]["parts"][1]["copies"], 4);
    let keys = by_place(&before, "key");

    let mut mixed = bolts(&[0.0, 5.0, 10.0, 15.0], 0.25);
    mixed.reverse();
    let mixed = check(&[&scene(&folder, "mixed.gltf", &mixed), "--baseline", &old]);
    assert_eq!(by_place(&mixed, "key"), keys);
    assert!(by_place(&mixed, "status").iter().all(|(_, status)| status == "known"));

    // The first pair is gone, so all names move up by one, and there is a new pair at the end.
    let fewer = bolts(&[5.0, 10.0, 15.0, 20.0], 0.25);
    let fewer = check(&[&scene(&folder, "fewer.gltf", &fewer), "--baseline", &old]);
    let expected = [(5, "known"), (10, "known"), (15, "known"), (20, "new")];
    assert_eq!(by_place(&fewer, "status"), expected.map(|(x, status)| (x, status.to_owned())));
    assert_eq!(by_place(&fewer, "key")[..3], keys[1..]);
    assert_eq!(fewer["resolved"].as_array().unwrap().len(), 1);
    assert_eq!(fewer["resolved"][0]["key"], keys[0].1);

    // One pair moved away: it cannot be told from another one.
    let moved = bolts(&[0.0, 5.0, 10.0, 17.0], 0.25);
    let moved = check(&[&scene(&folder, "moved.gltf", &moved), "--baseline", &old]);
    let expected = [(0, "known"), (5, "known"), (10, "known"), (17, "new")];
    assert_eq!(by_place(&moved, "status"), expected.map(|(x, status)| (x, status.to_owned())));
}

/// A part with a name of its own may move.
#[test]
fn unique_parts_may_move() {
    let folder = Folder::new();
    let old = folder.at("old.json");
    let here = scene(&folder, "here.gltf", &bolts(&[0.0], 0.25));
    let before = check(&[&here, "-o", &old]);
    let there = scene(&folder, "there.gltf", &bolts(&[7.0], 0.25));
    let after = check(&[&there, "--baseline", &old, "--allow", "known"]);
    assert_eq!((&after["clashes"][0]["status"], &after["failures"]), (&"known".into(), &0.into()));
    assert_eq!(after["clashes"][0]["key"], before["clashes"][0]["key"]);
}

#[test]
fn a_known_clash_that_grew_fails() {
    let folder = Folder::new();
    let old = folder.at("old.json");
    let scene = |name: &str, deep| scene(&folder, name, &bolts(&[0.0, 5.0], deep));
    check(&[&scene("old.gltf", 0.25), "--touch", "0.05", "-o", &old]);
    let run =
        |file: &str| check(&[file, "--touch", "0.05", "--baseline", &old, "--allow", "known"]);
    let same = run(&scene("same.gltf", 0.28));
    assert_eq!((&same["failures"], &same["clashes"][0]["status"]), (&0.into(), &"known".into()));
    let better = run(&scene("better.gltf", 0.1));
    assert_eq!(
        (&better["failures"], &better["clashes"][0]["status"]),
        (&0.into(), &"known".into())
    );
    let worse = scene("worse.gltf", 0.45);
    let grown = run(&worse);
    assert_eq!((&grown["failures"], &grown["clashes"][0]["status"]), (&2.into(), &"worse".into()));
    let table = impinge(["clash", &worse, "--touch", "0.05", "--baseline", &old]).stdout;
    assert!(table.contains("0 new, 2 worse, 0 known, 0 resolved"), "{table}");
    // From penetrating to touching: known, with the earlier verdict.
    let touching = run(&scene("touching.gltf", 0.0));
    let clash = &touching["clashes"][0];
    assert_eq!((&clash["status"], &clash["was"]), (&"known".into(), &"penetrating".into()));
    // Lengths are compared in the same unit.
    let other =
        check(&[&scene("again.gltf", 0.28), "--units", "mm", "--touch", "50", "--baseline", &old]);
    assert_eq!(other["clashes"][0]["status"], "known");
    assert!(other["clashes"][0]["parts"][0]["center"][2].as_f64().unwrap() > 100.0);
}

/// Baselines of older versions have names only.
#[test]
fn old_baselines_count_where_names_are_clear() {
    let folder = Folder::new();
    let file = scene(&folder, "two.gltf", &bolts(&[0.0, 5.0], 0.25));
    let clash = |a: &str, b: &str| json!({"a": a, "b": b, "verdict": "penetrating"});
    let old = json!({"clashes": [clash("plate", "bolt"), clash("plate#2", "bolt#2")]});
    let old = folder.write("old.json", old.to_string());
    let run = impinge(["clash", &file, "--baseline", &old, "--json"]);
    let report = run.json();
    assert!(by_place(&report, "status").iter().all(|(_, status)| status == "new"), "{report}");
    assert_eq!(report["resolved"], json!([]), "nobody knows");
    assert!(run.stderr.contains("2 of its pairs cannot be recognised"), "{}", run.stderr);
    let one = scene(&folder, "one.gltf", &bolts(&[0.0], 0.25));
    let old = folder.write("old.json", json!({"clashes": [clash("plate", "bolt")]}).to_string());
    let run = impinge(["clash", &one, "--baseline", &old, "--json"]);
    assert_eq!(run.json()["clashes"][0]["status"], "known");
    assert!(!run.stderr.contains("recognised"), "{}", run.stderr);
}

/// Returns the entries of a review file.
fn entries(folder: &Folder, name: &str) -> Vec<Value> {
    let file: Value = serde_json::from_slice(&folder.read(name)).unwrap();
    assert_eq!((&file["format"], &file["version"]), (&"impinge review".into(), &1.into()));
    file["findings"].as_array().unwrap().clone()
}

/// Changes a field of all entries of a review file.
fn set(folder: &Folder, name: &str, field: &str, value: &str) {
    let mut file: Value = serde_json::from_slice(&folder.read(name)).unwrap();
    for entry in file["findings"].as_array_mut().unwrap() {
        entry[field] = value.into();
    }
    folder.write(name, file.to_string());
}

#[test]
fn reviews_survive_the_next_run() {
    let folder = Folder::new();
    let review = folder.at("review.json");
    let run = |name: &str, places: &[f64], deep: f64, more: &[&str]| {
        let file = scene(&folder, name, &bolts(places, deep));
        check(&[&[&*file, "--touch", "0.05", "--review", &review], more].concat())
    };
    let statuses = || -> Vec<String> {
        let all = entries(&folder, "review.json");
        all.iter().map(|entry| entry["status"].as_str().unwrap().to_owned()).collect()
    };
    let first = run("a.gltf", &[0.0, 5.0], 0.25, &[]);
    assert_eq!(first["clashes"][0]["review"]["status"], "new");
    assert_eq!(statuses(), ["new", "new"]);
    let second = run("b.gltf", &[0.0, 5.0], 0.25, &[]);
    assert_eq!(second["clashes"][0]["review"]["status"], "active", "it was there before");
    assert_eq!(by_place(&first, "key"), by_place(&second, "key"));
    // What people write is kept, whatever happens to the parts.
    set(&folder, "review.json", "status", "reviewed");
    set(&folder, "review.json", "comment", "a \"comment\"\nof two lines");
    set(&folder, "review.json", "assignee", "kim");
    set(&folder, "review.json", "group", "bolts");
    let third = run("c.gltf", &[5.0, 10.0], 0.25, &[]);
    let mut expected = json!({
        "status": "reviewed", "comment": "a \"comment\"\nof two lines", "assignee": "kim", "group": "bolts",
    });
    let of = |report: &Value, x: f64| {
        let clashes = report["clashes"].as_array().unwrap();
        let is_at = |clash: &&Value| clash["parts"][0]["center"][0].as_f64().unwrap() == x + 0.5;
        clashes.iter().find(is_at).unwrap()["review"].clone()
    };
    assert_eq!(of(&third, 5.0), expected);
    assert_eq!(of(&third, 10.0)["status"], "new");
    // The clash at 0 is gone. It comes back as active, with its comment.
    let gone = entries(&folder, "review.json").pop().unwrap();
    assert_eq!((&gone["status"], &gone["assignee"]), (&"resolved".into(), &"kim".into()));
    let fourth = run("d.gltf", &[0.0, 5.0], 0.25, &[]);
    expected["status"] = "active".into();
    assert_eq!(of(&fourth, 0.0), expected);
    // Pairs that are not checked or not listed are left alone.
    set(&folder, "review.json", "status", "reviewed");
    let all = [0.0, 5.0, 10.0];
    run("e.gltf", &all, 0.25, &["--ignore", "*"]);
    run("e.gltf", &all, 0.25, &["--only", "inside"]);
    run("e.gltf", &all, 0.25, &["--limit", "1"]);
    assert_eq!(statuses(), ["reviewed"; 3]);
}

#[test]
fn an_approval_ends_when_the_clash_grows() {
    let folder = Folder::new();
    let review = folder.at("review.json");
    let run = |deep: f64| {
        let file = scene(&folder, "x.gltf", &bolts(&[0.0], deep));
        check(&[&file, "--touch", "0.05", "--review", &review, "--allow", "approved"])
    };
    assert_eq!(run(0.25)["failures"], 1);
    set(&folder, "review.json", "status", "approved");
    assert_eq!(run(0.25)["failures"], 0);
    // Many small changes count from the approval on.
    assert_eq!(run(0.28)["failures"], 0);
    let grown = run(0.31);
    assert_eq!(
        (&grown["failures"], &grown["clashes"][0]["review"]["status"]),
        (&1.into(), &"active".into())
    );
    impinge(["clash", "--allow", "approved"]).refuses(&["--allow approved", "--review"]);
}

#[test]
fn bad_review_files_are_refused_and_left_alone() {
    let folder = Folder::new();
    for (content, piece) in [
        ("", "x.json:1:"),
        ("{}", "format"),
        (r#"{"format": "other", "version": 1, "findings": []}"#, "not a review file"),
        (r#"{"format": "impinge review", "version": 2, "findings": []}"#, "version 2"),
        (r#"{"format": "impinge review", "version": 1, "findings": [{"key": "k"}]}"#, "parts"),
    ] {
        let file = folder.write("x.json", content);
        impinge(["clash", "--review", &file]).refuses(&["x.json", piece]);
        assert_eq!(folder.text("x.json"), content);
    }
    let review = folder.at("r.json");
    impinge(["clash", "--review", &review, "-o", &review]).refuses(&["same file"]);
}

/// A manhole through eight road layers is one row.
#[test]
fn clusters_are_rows() {
    let folder = Folder::new();
    let names: Vec<String> = (1..=8).map(|layer| format!("layer {layer}")).collect();
    let mut nodes = vec![("manhole", [0.0, 0.0, 0.0])];
    for (name, x) in names.iter().zip([0.5, -0.5]).chain(names[2..].iter().zip([0.25; 6])) {
        nodes.push((name, [x, 0.9, 0.9]));
    }
    let file = scene(&folder, "road.gltf", &nodes);
    let only_manhole = ["--between", "manhole", "layer*"];
    let report = check(&[&[&*file], &only_manhole[..]].concat());
    assert_eq!(
        (&report["total"], &report["clusters"]["part"]),
        (&8.into(), &json!([{"name": "manhole", "count": 8}]))
    );
    assert!(
        report["clashes"].as_array().unwrap().iter().all(|clash| clash["cluster"]["part"] == 0)
    );
    let table =
        impinge([&["clash", &*file, "--group-by", "part"], &only_manhole[..]].concat()).stdout;
    let rows: Vec<&str> = table.lines().filter(|line| line.contains("manhole × 8")).collect();
    assert_eq!(rows.len(), 1, "{table}");
    assert!(rows[0].contains("8 penetrating") && rows[0].contains("and 5 more"), "{table}");
    let table =
        impinge([&["clash", &*file, "--group-by", "place"], &only_manhole[..]].concat()).stdout;
    assert!(table.contains("manhole ×"), "{table}");
    assert!(table.contains("clashes need attention (exit code 1)"), "{table}");
}

/// Whatever is not in the list is counted.
#[test]
fn the_list_says_what_it_hides() {
    let folder = Folder::new();
    let mut nodes = bolts(&[0.0, 5.0], 0.25);
    nodes.extend(bolts(&[10.0], 0.0));
    let file = scene(&folder, "x.gltf", &nodes);
    let hidden = |more: &[&str]| check(&[&[&*file], more].concat())["hidden"].clone();
    let nothing = json!({"rules": 0, "only": 0, "limit": 0, "pairs_ignored": 0, "pairs_between": 0,
        "pairs_same_group": 0, "pairs_adjacent": 0});
    assert_eq!(hidden(&[]), nothing);
    let with = |field: &str, count: u64| {
        let mut all = nothing.clone();
        all[field] = count.into();
        all
    };
    assert_eq!(hidden(&["--only", "touching"]), with("only", 2));
    assert_eq!(hidden(&["--ignore", "touching: *"]), with("rules", 1));
    assert_eq!(hidden(&["--ignore", "bolt"]), with("pairs_ignored", 1));
    assert_eq!(hidden(&["--between", "bolt#2", "*"]), with("pairs_between", 2));
    assert_eq!(hidden(&["--limit", "1"]), with("limit", 2));
    let table = |more: &[&str]| impinge([&["clash", &*file], more].concat()).stdout;
    assert!(table(&["--only", "touching"]).contains("clashes that are not listed: 2 by --only"));
    let between = table(&["--between", "bolt#2", "*"]);
    assert!(between.contains("near pairs that were not checked: 2 by --between"), "{between}");
}

#[test]
fn a_quick_check_decides_verdicts_only() {
    let folder = Folder::new();
    let file = scene(&folder, "x.gltf", &bolts(&[0.0, 5.0], 0.25));
    let report = check(&[&file, "--quick"]);
    assert_eq!((&report["total"], &report["quick"]), (&2.into(), &true.into()));
    assert_eq!(report["clashes"][0]["verdict"], "penetrating");
    let table = impinge(["clash", &file, "--quick"]).stdout;
    let header = table.lines().find(|line| line.starts_with("verdict")).unwrap();
    assert_eq!(header.split_whitespace().collect::<Vec<_>>(), ["verdict", "a", "b"]);
    for option in ["--report", "--bcf", "--glb", "--picture", "--pictures"] {
        impinge(["clash", &file, "--quick", option, &folder.at("out")])
            .refuses(&["--quick", option]);
    }
    impinge(["clash", &file, "--quick", "--group-by", "place"])
        .refuses(&["--quick", "--group-by place"]);
    // Whatever it is compared with, a missing depth is not a smaller one.
    let old = folder.at("old.json");
    check(&[&file, "-o", &old]);
    let again = check(&[&file, "--quick", "--baseline", &old]);
    assert_eq!(again["clashes"][0]["status"], "known");
}

#[test]
fn the_time_for_outputs_is_part_of_the_summary() {
    let folder = Folder::new();
    let table = impinge(["clash", "--csv", &folder.at("x.csv")]).stdout;
    assert!(table.contains(", outputs written in "), "{table}");
    assert!(!impinge(["clash"]).stdout.contains("outputs written"));
}

/// Lengths are shown in the unit of the assembly, whichever it is.
#[test]
fn every_unit_is_shown() {
    for (given, shown) in [("um", "µm"), ("in", "in"), ("mm", "mm"), ("ft", "ft")] {
        let run = impinge(["clash", "gen:gearbox", "--units", given]);
        let head = run.stdout.lines().next().unwrap();
        assert!(head.contains(&format!(" {shown}, clearance ")), "{head}");
        assert!(head.ends_with(&format!(" {shown}")), "{head}");
        assert_eq!(check(&["gen:gearbox", "--units", given])["units"], shown);
    }
}

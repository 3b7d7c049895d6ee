//! Tests of `impinge index`, and of queries with its files.

use crate::common::{Folder, impinge};
use serde_json::Value;

const A: &str = "gen:sphere,faces=960";
const B: &str = "gen:deformed-torus,around=40,tube=12";

/// Methods without index files: building them takes no longer than checking a file would.
const NOT_SAVED: [&str; 6] = ["brute", "naive", "boxtree", "octree", "face-octree", "hull"];

fn pairs(folder: &Folder, more: &[&str]) -> (String, Value) {
    let out = folder.at("pairs.csv");
    let scene = ["query", A, B, "--poses", "gen:tumble,steps=10,distance=1", "--pairs", &out];
    let line = impinge([&scene[..], more].concat()).succeeds().json();
    (folder.text("pairs.csv"), line)
}

#[test]
fn a_saved_index_answers_the_same() {
    let folder = Folder::new();
    let expected = pairs(&folder, &["--method", "brute"]).0;
    assert!(expected.lines().count() > 100, "hardly a contact");
    let methods = impinge(["methods", "--json"]).succeeds().json_lines();
    for method in methods.iter().map(|method| method["name"].as_str().expect("a name")) {
        if NOT_SAVED.contains(&method) {
            continue;
        }
        let [a, b] = [(A, "a.index"), (B, "b.index")].map(|(mesh, name)| {
            let file = folder.at(name);
            let made = ["index", mesh, "--method", method, "-o", &file, "--json"];
            let line = impinge(made).succeeds().json();
            assert_eq!(line["method"], method, "{line}");
            let is_binary = method != "wide";
            assert_eq!(line["nodes"].as_u64().is_some_and(|n| n > 400), is_binary, "{line}");
            assert_eq!(line["height"].as_u64().is_some_and(|n| n >= 8), is_binary, "{line}");
            assert_eq!(line["total_volume"].as_f64().is_some_and(|v| v > 1.0), is_binary, "{line}");
            file
        });
        let (rows, line) = pairs(&folder, &["--index-a", &a, "--index-b", &b]);
        assert_eq!(line["method"], method);
        assert!(rows == expected, "{method}: a loaded index finds other pairs");
        assert_eq!(line["bytes"], pairs(&folder, &["--method", method]).1["bytes"], "{method}");
    }
}

#[test]
fn every_build_option_gives_the_same_answers() {
    let folder = Folder::new();
    let expected = pairs(&folder, &["--method", "brute"]).0;
    let [a, b] = ["a.index", "b.index"].map(|name| folder.at(name));
    let mut sizes = Vec::new();
    for options in [
        &["--rule", "longest-side", "--point", "median"][..],
        &["--rule", "min-sum", "--leaf", "1", "--threads", "2"],
        &["--rule", "min-max", "--directions", "edges"],
        &["--rule", "surface-area", "--directions", "all"],
        &["--rule", "least-growth", "--leaf", "8"],
        &["--regroup", "least-volume", "--leaf", "auto"],
        &["--regroup", "least-volume-each", "--directions", "corners"],
        &["--split-skinny", "0.5"],
        &["--rule", "box-axes"],
        &["--regroup", "min-max", "--regroup-levels", "3"],
    ] {
        for (mesh, file) in [(A, &a), (B, &b)] {
            let made = ["index", mesh, "-o", file, "--method", "obb"];
            impinge([&made[..], options].concat()).succeeds();
        }
        let (rows, line) = pairs(&folder, &["--index-a", &a, "--index-b", &b]);
        assert!(rows == expected, "{options:?} finds other pairs");
        for more in [&["--cache"][..], &["--threads", "2"], &["--budget", "1000000"]] {
            let (rows, _) = pairs(&folder, &[&["--index-a", &a, "--index-b", &b], more].concat());
            assert!(rows == expected, "{options:?}, {more:?} finds other pairs");
        }
        sizes.push(line["bytes"].as_u64().expect("a number"));
    }
    for options in [&["--quality", "fast"][..], &["--quality", "quality", "--threads", "1"]] {
        for (mesh, file) in [(A, &a), (B, &b)] {
            let made = ["index", mesh, "-o", file, "--method", "wide"];
            impinge([&made[..], options].concat()).succeeds();
        }
        let (rows, _) = pairs(&folder, &["--index-a", &a, "--index-b", &b]);
        assert!(rows == expected, "{options:?} finds other pairs");
    }
    let whole = pairs(&folder, &["--method", "obb"]).1["bytes"].as_u64().expect("a number");
    assert!(sizes[4] < whole && whole < sizes[7], "{sizes:?} beside {whole}");
}

#[test]
fn an_index_of_another_mesh_is_rejected() {
    let folder = Folder::new();
    let [a, b, dop] = ["a.index", "b.index", "dop.index"].map(|name| folder.at(name));
    impinge(["index", A, "-o", &a]).succeeds();
    impinge(["index", B, "-o", &b]).succeeds();
    impinge(["index", B, "-o", &dop, "--method", "dop18"]).succeeds();
    let query = |index_a: &str, index_b: &str| {
        impinge(["query", A, B, "--index-a", index_a, "--index-b", index_b])
    };
    query(&a, &b).succeeds();
    query(&b, &a).refuses(&[&b, "another mesh"]);
    query(&a, &dop).refuses(&["wide", "dop18"]);
    query(&a, &folder.at("none.index")).refuses(&["none.index"]);

    let whole = folder.read("b.index");
    let damaged = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        folder.write(name, bytes)
    };
    for (name, change) in [
        ("empty", &(|bytes: &mut Vec<u8>| bytes.clear()) as &dyn Fn(&mut Vec<u8>)),
        ("short", &|bytes| bytes.truncate(bytes.len() - 1)),
        ("long", &|bytes| bytes.push(0)),
        ("magic", &|bytes| bytes[0] ^= 1),
        ("version", &|bytes| bytes[8] = 77),
        ("kind", &|bytes| bytes[12] = 99),
        ("hash", &|bytes| bytes[16] ^= 1),
        ("face", &|bytes| bytes[40] ^= 1),
        ("volume", &|bytes| {
            let place = bytes.len() - 100;
            bytes[place] ^= 0x40;
        }),
    ] {
        query(&a, &damaged(name, change)).refuses(&[name]);
    }
}

#[test]
fn usage_errors() {
    let folder = Folder::new();
    let out = folder.at("a.index");
    impinge(["index", A]).misused(&["--output"]);
    impinge(["index", "-o", &out]).misused(&["<MESH>"]);
    impinge(["index", A, "-o", &out, "--method", "magic"]).refuses(&["`magic`"]);
    for method in NOT_SAVED {
        impinge(["index", A, "-o", &out, "--method", method]).refuses(&[method, &out]);
    }
    impinge(["index", "none.obj", "-o", &out]).refuses(&["none.obj"]);
    impinge(["index", A, "-o", &out, "--rule", "magic"]).misused(&["magic", "splatter"]);
    impinge(["index", A, "-o", &out, "--rule", "min-sum"]).refuses(&["--rule", "`wide`", "obb"]);
    impinge(["index", A, "-o", &out, "--leaf", "2"]).refuses(&["--leaf", "`wide`", "dop26"]);
    impinge(["index", A, "-o", &out, "--method", "obb", "--quality", "fast"])
        .refuses(&["--quality", "`obb`"]);
    impinge(["index", A, "-o", &out, "--quality", "magic"]).misused(&["magic", "fast"]);
    for leaf in ["0", "-1", "1.5", "many"] {
        let leaf = format!("--leaf={leaf}");
        impinge(["index", A, "-o", &out, "--method", "obb", &leaf]).misused(&["--leaf", "auto"]);
    }
    impinge(["index", A, "-o", &out, "--method", "obb", "--regroup-levels", "2"])
        .misused(&["--regroup"]);
    impinge(["index", A, "-o", &out, "--regroup", "splatter", "--regroup-levels", "4"])
        .misused(&["--regroup-levels"]);
    impinge(["index", A, "-o", &out, "--method", "obb", "--split-skinny", "5"])
        .refuses(&["--split-skinny 5"]);
    impinge(["index", A, "-o", &folder.at("none/a.index")]).refuses(&["none/a.index"]);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
    impinge(["query", A, B, "--index-a", &out]).misused(&["--index-b"]);
    impinge(["query", A, B, "--index-a", &out, "--index-b", &out, "--method", "obb"])
        .misused(&["--method"]);
}

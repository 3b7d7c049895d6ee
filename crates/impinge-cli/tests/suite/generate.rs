//! Tests of `impinge generate`, and of the same generators as `gen:` sources.

use crate::common::{Folder, WRITABLE, impinge};
use serde_json::{Value, json};
use std::fs;

/// Every shape with options that keep it small, its number of faces, and whether it is closed.
const SHAPES: [(&str, &[&str], u64, bool); 23] = [
    ("sphere", &["--faces", "120"], 120, true),
    ("icosphere", &["--subdivisions", "1"], 80, true),
    ("cuboid", &["--x", "1", "--y", "2", "--z", "3"], 12, true),
    ("bar", &["--x", "3", "--y", "1", "--z", "2", "--cells", "6", "--across", "2"], 112, true),
    ("sheet", &["--x", "3", "--y", "1", "--columns", "6", "--rows", "2"], 24, false),
    ("cylinder", &["--radius", "2", "--height", "3", "--sides", "9"], 36, true),
    ("torus", &["--major", "2", "--minor", "0.5", "--faces", "200"], 200, true),
    ("deformed-torus", &["--seed", "3", "--around", "20", "--tube", "8"], 320, true),
    ("pipes", &["--seed", "3", "--count", "12", "--cells", "4", "--sides", "6"], 144, false),
    ("terrain", &["--seed", "3", "--columns", "10", "--rows", "7"], 140, false),
    ("tetrahedra", &["--seed", "3", "--count", "50"], 200, true),
    ("bsp", &["--seed", "3", "--of", "gen:chair", "--count", "10"], 1460, true),
    ("shuttle", &[], 528, true),
    ("chair", &[], 146, true),
    ("gear", &["--teeth", "12", "--module", "2", "--width", "3", "--bore", "5"], 576, true),
    ("gearbox", &[], 8692, true),
    ("convex", &["--seed", "3", "--points", "20"], 36, true),
    ("torpedo", &[], 4780, true),
    ("roller-bed", &[], 44_920, true),
    ("bolt", &["--diameter", "2", "--length", "5"], 164, true),
    ("nut", &["--diameter", "2"], 120, true),
    ("bracket", &["--size", "3"], 220, true),
    ("bowl", &["--radius", "9", "--height", "3", "--thickness", "1", "--sides", "12"], 240, true),
];

const PATHS: [(&str, &[&str]); 6] = [
    ("tumble", &["--distance", "1.25", "--steps", "30"]),
    ("billiard", &["--seed", "3", "--size", "4", "--stride", "0.5", "--steps", "30"]),
    (
        "bounce",
        &[
            "--seed",
            "3",
            "--environment",
            "gen:tetrahedra",
            "--body",
            "gen:cuboid",
            "--margin",
            "1",
            "--steps",
            "30",
        ],
    ),
    ("hand", &["--seed", "3", "--size", "4", "--tremor", "0.1", "--changes", "1", "--steps", "30"]),
    ("rotations", &["--seed", "3", "--steps", "30"]),
    ("terrain-flight", &["--seed", "3", "--clearance", "-0.1", "--steps", "30"]),
];

fn generate(what: &str, options: &[&str], output: &str) {
    let run = impinge([&["generate", what][..], options, &["-o", output]].concat()).succeeds();
    assert!(run.stdout.starts_with(output) && run.stdout.lines().count() == 1, "{}", run.stdout);
}

/// Returns the same generator as a source: `gen:NAME,OPTION=VALUE`.
fn source(what: &str, options: &[&str]) -> String {
    let options = options.chunks(2).map(|option| format!(",{}={}", &option[0][2..], option[1]));
    format!("gen:{what}{}", options.collect::<String>())
}

fn inspect(mesh: &str) -> Value {
    impinge(["inspect", "--json", mesh]).succeeds().json()
}

#[test]
fn every_shape_survives_every_format() {
    let folder = Folder::new();
    for (shape, options, faces, closed) in SHAPES {
        let direct = inspect(&source(shape, options));
        assert_eq!(
            (&direct["faces"], &direct["closed"]),
            (&json!(faces), &json!(closed)),
            "{shape}"
        );
        for format in WRITABLE {
            let file = folder.at(&format!("{shape}.{format}"));
            generate(shape, options, &file);
            let back = inspect(&file);
            for field in ["faces", "closed", "degenerate_faces", "duplicate_faces"] {
                assert_eq!(back[field], direct[field], "{field} of {file}");
            }
            // GLB stores instances as one mesh; other formats store each. Single precision merges some
            // positions, but a file with double precision has the same mesh.
            if direct["meshes"] == 1 && ["obj", "ply"].contains(&format) {
                for field in
                    ["vertices", "distinct_positions", "min", "max", "volume", "open_edges"]
                {
                    assert_eq!(back[field], direct[field], "{field} of {file}");
                }
            }
            // The gearbox is in millimetres, and glTF in metres.
            let is_converted = shape == "gearbox" && format == "glb";
            assert_eq!(back["units"], if format == "glb" { json!("m") } else { json!(null) });
            let factor = if is_converted { 1e-3 } else { 1.0 };
            for field in ["min", "max"] {
                for axis in 0..3 {
                    let [there, here] = [&back, &direct].map(|r| r[field][axis].as_f64().unwrap());
                    let here = here * factor;
                    let error = (there - here).abs();
                    assert!(error <= here.abs() * 1e-7, "{field} of {file}: {there}, not {here}");
                }
            }
        }
    }
}

#[test]
fn two_runs_give_the_same_bytes() {
    let folder = Folder::new();
    let twice = |what: &str, options: &[&str], extension: &str| {
        let names = ["first", "second"].map(|name| format!("{name}.{extension}"));
        let [first, second] = names.map(|name| {
            generate(what, options, &folder.at(&name));
            folder.read(&name)
        });
        assert!(first == second, "{what} {options:?} as .{extension} differs from run to run");
        assert!(!first.is_empty(), "{what} {options:?} as .{extension} is empty");
        first
    };
    for (shape, options, ..) in SHAPES {
        for format in WRITABLE {
            twice(shape, options, format);
        }
    }
    for (path, options) in PATHS {
        twice(path, options, "csv");
    }
    for (what, extension) in [
        ("deformed-torus", "obj"),
        ("pipes", "obj"),
        ("terrain", "obj"),
        ("tetrahedra", "obj"),
        ("bsp", "obj"),
        ("billiard", "csv"),
        ("hand", "csv"),
        ("rotations", "csv"),
    ] {
        let [one, two] = ["1", "2"].map(|seed| twice(what, &["--seed", seed], extension));
        assert!(one != two, "the seed of {what} changes nothing");
    }
}

/// The numbers of faces that the experiments of the papers need.
#[test]
fn papers_counts() {
    for faces in [8, 10, 24, 48, 54, 80, 120, 168, 224, 360, 528, 728, 960, 3968, 100_000] {
        let report = inspect(&format!("gen:sphere,faces={faces}"));
        assert_eq!((&report["faces"], &report["closed"]), (&json!(faces), &json!(true)), "{faces}");
    }
    let pipes = inspect("gen:pipes")["faces"].as_u64().unwrap();
    assert!((135_000..=145_000).contains(&pipes), "{pipes} faces");
}

#[test]
fn paths_are_files_of_poses() {
    let folder = Folder::new();
    let pairs = ["by-name.csv", "by-file.csv"].map(|name| folder.at(name));
    for (path, options) in PATHS {
        let file = folder.at("poses.csv");
        generate(path, options, &file);
        let text = folder.text("poses.csv");
        assert_eq!(text.lines().count(), 30, "{path}");
        for line in text.lines() {
            let numbers: Vec<f64> = line.split(',').map(|number| number.parse().unwrap()).collect();
            assert_eq!(numbers.len(), 12, "{path}: {line}");
        }
        // Identical to the last bit: the generator name and the file have the same contacts.
        let by_name = source(path, options);
        for (poses, out) in [&by_name, &file].into_iter().zip(&pairs) {
            let line = impinge([
                "query",
                "gen:terrain,columns=9,rows=9,seed=3",
                "gen:cuboid,x=2",
                "--poses",
                poses,
                "--pairs",
                out,
            ]);
            assert!(line.succeeds().json()["pairs"].as_u64() > Some(0), "{poses} touches nothing");
        }
        assert_eq!(folder.text("by-name.csv"), folder.text("by-file.csv"), "{path}");
    }
}

#[test]
fn a_scenario_is_a_folder_of_three_files() {
    let folder = Folder::new();
    let scenario = folder.at("new/scenario");
    let [a, b, poses] =
        ["gen:gearbox", "gen:torus,major=30,minor=5,faces=300", "gen:tumble,distance=20,steps=5"];
    let run = impinge(["generate", "scenario", a, b, "--poses", poses, "-o", &scenario]).succeeds();
    assert!(run.stdout.starts_with(&scenario), "{}", run.stdout);
    let mut names: Vec<_> =
        fs::read_dir(&scenario).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.obj", "b.obj", "poses.csv"]);

    let files = ["a.obj", "b.obj", "poses.csv"].map(|name| format!("{scenario}/{name}"));
    let pairs = ["by-name.csv", "by-file.csv"].map(|name| folder.at(name));
    let query = |a: &str, b: &str, poses: &str, out: &str| {
        impinge(["query", a, b, "--poses", poses, "--pairs", out]).succeeds().json()["pairs"]
            .as_u64()
    };
    let found = query(a, b, poses, &pairs[0]);
    assert_eq!(query(&files[0], &files[1], &files[2], &pairs[1]), found);
    assert!(found > Some(50), "hardly a contact: {found:?}");
    assert_eq!(folder.text("by-name.csv"), folder.text("by-file.csv"));

    // Sources may be files, too. An old scenario is replaced, but never its own input.
    let again = |b: &str, poses: &str| {
        impinge(["generate", "scenario", "gen:chair", b, "--poses", poses, "-o", &scenario])
    };
    again(&files[1], "gen:tumble").refuses(&["b.obj", "overwrite"]);
    let other = folder.at("other.obj");
    fs::copy(&files[1], &other).unwrap();
    again(&other, "gen:tumble").succeeds();
    assert_eq!(
        (&inspect(&files[0])["faces"], &inspect(&files[1])["faces"]),
        (&json!(146), &json!(300))
    );
}

/// The obstacles that are touched are as many as asked for, and the others are near.
#[test]
fn a_swept_volume_has_obstacles_in_the_way_and_beside_it() {
    let folder = Folder::new();
    let scene = folder.at("swept");
    let options = ["--size", "2", "--steps", "80", "--obstacles", "60", "--cutting", "7"];
    let run =
        impinge([&["generate", "swept", "gen:shuttle"][..], &options, &["-o", &scene]].concat());
    let text = run.succeeds().stdout;
    assert!(
        text.ends_with(": 240 and 528 faces, 80 poses, 7 of 60 obstacles are touched\n"),
        "{text}"
    );
    let [a, b, poses] = ["a.obj", "b.obj", "poses.csv"].map(|name| format!("{scene}/{name}"));
    let pairs = folder.at("pairs.csv");
    impinge(["query", &a, &b, "--poses", &poses, "--pairs", &pairs]).succeeds();
    let obstacle = |line: &str| line.split(',').nth(1).unwrap().parse::<u32>().unwrap() / 4;
    let mut touched: Vec<u32> = folder.text("pairs.csv").lines().skip(1).map(obstacle).collect();
    touched.sort_unstable();
    touched.dedup();
    assert_eq!(touched.len(), 7);
    let near = impinge(["query", &a, &b, "--poses", &poses, "--within", "0.1", "--pairs", &pairs]);
    near.succeeds();
    let mut near: Vec<u32> = folder.text("pairs.csv").lines().skip(1).map(obstacle).collect();
    near.sort_unstable();
    near.dedup();
    assert_eq!(near.len(), 60, "an obstacle is further away than the clearance");

    let refuses = |option: &str, value: &str, name: &str| {
        impinge(["generate", "swept", "gen:chair", option, value, "-o", &folder.at("no")])
            .refuses(&[name]);
    };
    refuses("--cutting", "1001", "cutting is 1001");
    refuses("--clearance", "0", "clearance is 0");
    refuses("--size", "-1", "--size -1");
    refuses("--obstacle-size", "1e9", "obstacle_size");
    assert_eq!(folder.names(), ["pairs.csv", "swept"]);
}

/// A flight uses the meshes of its query or scenario.
#[test]
fn a_flight_bounces_off_the_obstacles_of_its_scenario() {
    let folder = Folder::new();
    let scene = folder.at("flight");
    let scenario = |poses: &str, to: &str| {
        let [a, b] = ["gen:tetrahedra,count=300", "gen:chair"];
        impinge(["generate", "scenario", a, b, "--size-b", "0.1", "--poses", poses, "-o", to])
    };
    scenario("gen:bounce,steps=500,stride=0.02", &scene).succeeds();
    let [a, b, poses] = ["a.obj", "b.obj", "poses.csv"].map(|name| format!("{scene}/{name}"));
    let colliding = |poses: &str| {
        let report = impinge(["query", &a, &b, "--poses", poses]).succeeds().json();
        assert_eq!(report["steps"], 500);
        report["colliding_steps"].as_u64().unwrap()
    };
    let found = colliding(&poses);
    assert!((5..250).contains(&found), "{found} of 500 steps touch");
    // The same meshes from files, and without contacts.
    assert_eq!(colliding("gen:bounce,steps=500,stride=0.02"), found);
    assert_eq!(colliding("gen:bounce,steps=500,stride=0.02,free"), 0);
    // The body is as large as the room.
    impinge(["query", "gen:bsp", "gen:icosphere", "--poses", "gen:bounce,tries=20"])
        .refuses(&["no free start was found in 20 random tries"]);
    impinge(["generate", "bounce", "--body", "gen:chair", "-o", &folder.at("a.csv")])
        .refuses(&["--environment"]);
    impinge(["generate", "bsp", "--of", "none.obj", "-o", &folder.at("a.obj")])
        .refuses(&["none.obj"]);
}

#[test]
fn impossible_scenarios_are_rejected() {
    let folder = Folder::new();
    let scenario = folder.at("scenario");
    let with = |a: &str, b: &str, poses: &str| {
        impinge(["generate", "scenario", a, b, "--poses", poses, "-o", &scenario])
    };
    with("none.obj", "gen:chair", "gen:tumble").refuses(&["none.obj"]);
    with("gen:chair", "gen:table", "gen:tumble").refuses(&["gen:table"]);
    with("gen:chair", "gen:chair", "none.csv").refuses(&["none.csv"]);
    assert_eq!(folder.names(), [] as [&str; 0], "nothing is begun that cannot be finished");
    let file = folder.write("file", "");
    impinge([
        "generate",
        "scenario",
        "gen:chair",
        "gen:chair",
        "--poses",
        "gen:tumble",
        "-o",
        &file,
    ])
    .refuses(&[&file]);
    impinge(["generate", "scenario", "gen:chair", "gen:chair", "-o", &file]).misused(&["--poses"]);
    impinge(["generate", "scenario", "gen:chair", "gen:chair", "--poses", "gen:tumble"])
        .refuses(&["--output"]);
}

#[test]
fn unwritable_outputs_are_rejected() {
    let folder = Folder::new();
    impinge(["generate", "chair"]).refuses(&["--output"]);
    impinge(["generate", "tumble"]).refuses(&["--output"]);
    for name in ["chair.off", "chair.gltf", "chair.step", "chair.txt", "chair", "none/chair.obj"] {
        let file = folder.at(name);
        impinge(["generate", "chair", "-o", &file]).refuses(&[&file]);
    }
    let none = folder.at("none/poses.csv");
    impinge(["generate", "tumble", "-o", &none]).refuses(&[&none]);
    fs::create_dir(folder.path().join("folder.obj")).unwrap();
    impinge(["generate", "chair", "-o", &folder.at("folder.obj")]).refuses(&["folder.obj"]);
    // Single precision has a smaller range than our coordinates.
    for name in ["large.stl", "large.glb"] {
        let file = folder.at(name);
        impinge(["generate", "cuboid", "--x", "1e50", "-o", &file]).refuses(&[&file]);
    }
    assert_eq!(folder.names(), ["folder.obj"]);
}

#[test]
fn wrong_parameters_are_named() {
    let folder = Folder::new();
    let refused = [
        ("sphere", "faces", "7"),
        ("sphere", "faces", "2"),
        ("sphere", "faces", "4294967294"),
        ("icosphere", "subdivisions", "30"),
        ("cuboid", "x", "0"),
        ("cuboid", "y", "-1"),
        ("cuboid", "z", "nan"),
        ("cuboid", "x", "inf"),
        ("bar", "x", "0"),
        ("sheet", "rows", "0"),
        ("cylinder", "sides", "2"),
        ("cylinder", "radius", "-2"),
        ("torus", "minor", "2"),
        ("torus", "faces", "3"),
        ("pipes", "cells", "0"),
        ("terrain", "columns", "0"),
        ("tetrahedra", "count", "0"),
        ("bsp", "count", "0"),
        ("gear", "teeth", "3"),
        ("gear", "bore", "1000"),
    ];
    let file = folder.at("a.obj");
    for (shape, option, value) in refused {
        let run = impinge(["generate", shape, &format!("--{option}"), value, "-o", &file]);
        run.refuses(&[option]);
        let source = format!("gen:{shape},{option}={value}");
        impinge(["query", "gen:chair", &source]).refuses(&[&source, &format!("{option} is ")]);
    }
    let file = folder.at("a.csv");
    for (path, option, value) in [
        ("tumble", "distance", "nan"),
        ("billiard", "stride", "-1"),
        ("billiard", "size", "0"),
        ("hand", "changes", "2"),
        ("hand", "tremor", "-1"),
    ] {
        let run = impinge(["generate", path, &format!("--{option}"), value, "-o", &file]);
        run.refuses(&[match option {
            "size" => "room",
            other => other,
        }]);
    }
    // Readers would reject a file without poses.
    for (path, _) in PATHS {
        impinge(["generate", path, "--steps", "0", "-o", &file]).misused(&["--steps"]);
        let poses = format!("gen:{path},steps=0");
        impinge(["query", "gen:chair", "gen:chair", "--poses", &poses])
            .refuses(&[&poses, "--steps"]);
    }
    impinge(["generate", "deformed-torus", "--tube", "2", "-o", &file]).misused(&["--tube"]);
    impinge(["generate", "sphere", "--faces", "many", "-o", &file]).misused(&["many", "--faces"]);
    impinge(["generate", "sphere", "--edges", "9", "-o", &file]).misused(&["--edges"]);
    impinge(["generate", "chair", "extra", "-o", &file]).misused(&["extra"]);
    assert_eq!(folder.names(), [] as [&str; 0]);
}

#[test]
fn wrong_sources_are_named() {
    for source in [
        "gen:",
        "gen:table",
        "gen:tumble",
        "gen:sphere,edges=9",
        "gen:sphere,faces",
        "gen:sphere,faces=many",
        "gen:sphere,faces=8,faces=10",
        "gen:sphere faces=8",
        "gen:help",
        "gen:--help",
    ] {
        impinge(["inspect", source]).refuses(&[source, "impinge generate --help"]);
    }
    impinge(["query", "gen:chair", "gen:chair", "--poses", "gen:chair"])
        .refuses(&["gen:chair", "impinge generate --help"]);
}

/// The copies of a partition are the parts of an assembly, and none of them touch.
#[test]
fn copies_in_a_partition_do_not_clash() {
    let report = impinge(["clash", "gen:bsp,count=80,turned", "--json"]).succeeds().json();
    assert_eq!((&report["parts"], &report["total"]), (&json!(80), &json!(0)), "{report}");
}

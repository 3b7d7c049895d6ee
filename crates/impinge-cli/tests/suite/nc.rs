//! Tests of `impinge nc`: does a tool path gouge the part?

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Run, Soup, csv, impinge, run::Finished};
use serde_json::Value;
use std::{fmt::Write as _, fs, time::Duration};

/// A part: a cube with a side of 20 mm, whose corner is the origin.
fn cube() -> Soup {
    Soup::cube([0.0; 3], 20.0)
}

/// Line 4 is 0.5 mm too deep, and lines 7 and 8 are rapid moves into the part and out of it, 2 mm deep.
const PROGRAM: &str =
    "G21 G90\nG0 X-10 Y10 Z25\nG1 Z19.5 F100\nG1 X30\nG0 Z25\nG0 X10\nG0 Z18\nG0 Z25\nM2\n";

const TOOL: &str = "flat:d=6,length=30";

/// Runs the command with `--json`. The exit code and the message must agree with the result.
fn check(arguments: &[&str]) -> Value {
    let run = Run::new(["nc"].iter().chain(arguments).chain(&["--json"]));
    let run = run.within(Duration::from_secs(120)).finish();
    assert!(matches!(run.code, Some(0 | 1)), "{}: {}", run.what, run.stderr);
    let report = run.json();
    let has_gouges = report["gouging_moves"].as_u64().unwrap() > 0;
    assert_eq!(run.code == Some(1), has_gouges, "{}", run.what);
    assert_eq!(run.stderr.contains("(exit code 1)"), has_gouges, "{}", run.stderr);
    report
}

/// The gouges as text: line, part of the tool, kind of body, depth and lift in hundredths of a millimetre.
fn listed(report: &Value) -> Vec<String> {
    let gouges = report["gouges"].as_array().unwrap();
    let text = |gouge: &Value| {
        let [depth, lift] = ["depth", "lift"].map(|field| gouge[field].as_f64().unwrap());
        let [with, role] = ["with", "role"].map(|field| gouge[field].as_str().unwrap());
        let rapid = if gouge["rapid"] == true { " rapid" } else { "" };
        format!("{} {with} {role}{rapid} {depth:.2} {lift:.2}", gouge["line"])
    };
    gouges.iter().map(text).collect()
}

/// The gouges of [`PROGRAM`].
const EXPECTED: [&str; 3] =
    ["4 cutter part 0.50 0.50", "7 cutter part rapid 2.00 2.00", "8 cutter part rapid 2.00 2.00"];

#[test]
fn the_example_has_three_known_faults() {
    let run = impinge(["nc"]);
    assert_eq!((run.code, &*run.stderr), (Some(1), ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("No PART is given, so this is the built-in example."));
    assert!(run.stdout.contains("3 gouges: 2 by the cutter, 1 by the holder"), "{}", run.stdout);
    assert!(run.stdout.contains(" lines a second\n3 moves gouge (exit code 1)\n"));
    let expected =
        ["16 cutter part 0.50 12.00", "28 holder part 2.00 2.00", "39 cutter part rapid 2.00 2.00"];
    assert_eq!(listed(&check(&["--tolerance", "0.001mm"])), expected);
    // A longer tool keeps its holder away from the boss.
    let long = ["--tool", "1=flat:d=6,length=30,holder=20:20", "--tool", "2=ball:d=6"];
    let long = [&long[..], &["--tolerance", "0.001mm"]].concat();
    assert_eq!(listed(&check(&long)), [expected[0], expected[2]]);
}

#[test]
fn the_json_object_has_the_documented_fields() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM);
    let run = impinge(["nc", &part, &program, "--tool", TOOL, "--json"]);
    let fields = [
        "engine",
        "version",
        "part",
        "program",
        "unit",
        "program_unit",
        "tolerance",
        "stock_to_leave",
        "clearance",
        "lines",
        "moves",
        "gouging_moves",
        "worst_depth",
        "seconds",
        "tools",
        "bodies",
        "notes",
        "gouges",
    ];
    assert_eq!(run.json_keys(), fields);
    let report = run.json();
    assert_eq!(listed(&report), EXPECTED);
    assert_eq!((&report["lines"], &report["gouging_moves"]), (&9.into(), &3.into()));
    assert_eq!(report["worst_depth"], report["gouges"][1]["depth"].as_f64().unwrap());
    let gouge = &report["gouges"][0];
    let mut names: Vec<&str> = gouge.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    let expected = [
        "at",
        "axis",
        "body",
        "depth",
        "depth_at_most",
        "face_count",
        "faces",
        "lift",
        "line",
        "move",
        "rapid",
        "role",
        "tip",
        "tool",
        "with",
    ];
    assert_eq!(names, expected);
    // The deepest point is at the lower side of the cutter, and the faces are those of the top.
    assert!((gouge["at"][2].as_f64().unwrap() - 19.5).abs() < 1e-3, "{gouge}");
    let faces: Vec<u64> =
        gouge["faces"].as_array().unwrap().iter().map(|face| face.as_u64().unwrap()).collect();
    assert!([2, 3].iter().all(|face| faces.contains(face)), "{faces:?}");
    assert_eq!(gouge["face_count"], faces.len());
}

#[test]
fn a_clear_program_succeeds() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM.replace("Z19.5", "Z20").replace("Z18", "Z20.5"));
    let run = impinge(["nc", &part, &program, "--tool", TOOL]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("no gouges; "), "{}", run.stdout);
    assert!(run.stdout.ends_with("no move gouges (exit code 0)\n"), "{}", run.stdout);
    // With an allowance, the cutter is too close to the top.
    let report = check(&[&part, &program, "--tool", TOOL, "--stock-to-leave", "0.2mm"]);
    assert_eq!(listed(&report)[0], "4 cutter part 0.20 0.20");
}

#[test]
fn rows_are_sorted_and_limited() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM);
    let lines = |options: &[&str]| -> Vec<String> {
        let all = ["nc", &part, &program, "--tool", TOOL];
        let run = impinge(all.iter().chain(options));
        let rows = run.stdout.lines().filter(|row| row.contains("  cutter  "));
        rows.map(|row| row.split_whitespace().next().unwrap().to_owned()).collect()
    };
    assert_eq!(lines(&[]), ["7", "8", "4"]);
    assert_eq!(lines(&["--sort", "line"]), ["4", "7", "8"]);
    assert_eq!(lines(&["--sort", "line", "--limit", "1"]), ["4"]);
}

/// The same part in other files, units and places.
#[test]
fn files_units_and_places_do_not_change_the_gouges() {
    let folder = Folder::new();
    let part = |name: &str, content: String| folder.write(name, content);
    let obj = part("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM);
    let soup = cube();
    let mut stl = "solid part\n".to_owned();
    let mut ply = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        soup.positions.len(),
        soup.faces.len()
    );
    for face in &soup.faces {
        stl.push_str("facet normal 0 0 0\nouter loop\n");
        for [x, y, z] in face.map(|corner| soup.positions[corner]) {
            writeln!(stl, "vertex {x} {y} {z}").unwrap();
        }
        stl.push_str("endloop\nendfacet\n");
    }
    stl.push_str("endsolid part\n");
    for [x, y, z] in &soup.positions {
        writeln!(ply, "{x} {y} {z}").unwrap();
    }
    for [a, b, c] in &soup.faces {
        writeln!(ply, "3 {a} {b} {c}").unwrap();
    }
    let (stl, ply) = (part("part.stl", stl), part("part.ply", ply));
    let mut inverted = cube();
    inverted.faces.iter_mut().for_each(|face| face.swap(1, 2));
    let inverted = part("inverted.obj", inverted.obj());
    let inches = part("inches.obj", cube().scaled(1.0 / 25.4).obj());
    let mut shifted = cube();
    shifted.positions.iter_mut().for_each(|p| *p = [p[0] + 100.0, p[1] - 7.0, p[2] + 3.0]);
    let shifted = part("shifted.obj", shifted.obj());
    // The same program in inches: the specification of the tool, too.
    let in_inches = folder.write(
        "inches.nc",
        "G20 G90\nG0 X-0.3937007874 Y0.3937007874 Z0.9842519685\nG1 Z0.7677165354 F100\n\
         G1 X1.1811023622\nG0 Z0.9842519685\nG0 X0.3937007874\nG0 Z0.7086614173\nG0 Z0.9842519685\nM2\n",
    );
    let inch_tool = "flat:d=0.2362204724,length=1.1811023622";

    let cases: &[&[&str]] = &[
        &[&obj, &program, "--tool", TOOL],
        &[&stl, &program, "--tool", TOOL],
        &[&ply, &program, "--tool", TOOL],
        &[&inverted, &program, "--tool", TOOL],
        &[&inches, &program, "--tool", TOOL, "--part-unit", "in"],
        &[&shifted, &program, "--tool", TOOL, "--origin", "100,-7,3"],
        &[&obj, &in_inches, "--tool", inch_tool],
        &[&inches, &in_inches, "--tool", inch_tool, "--part-unit", "in"],
        &[&obj, &program, "--tool", TOOL, "--threads", "1"],
        &[&obj, &program, "--tool", TOOL, "--no-coherence"],
        &[&obj, &program, "--tool", TOOL, "--rapids", "dogleg"],
    ];
    for case in cases {
        assert_eq!(listed(&check(case)), EXPECTED, "{case:?}");
    }
    let notes = |case: &[&str]| check(case)["notes"].to_string();
    assert!(notes(cases[6]).contains("obj names no unit: its coordinates count as millimetres"));
    assert!(!notes(cases[7]).contains("names no unit"));
    let at = |case: &[&str]| check(case)["gouges"][1]["at"][2].as_f64().unwrap();
    assert!((at(cases[5]) - at(cases[0]) - 3.0).abs() < 1e-6, "positions are those of the part");
}

#[test]
fn paths_in_csv_files_are_feed_moves() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let path = folder.write("path.csv", "x,y,z\n-10,10,19.5\n30,10,19.5\n30,10,25\n");
    assert_eq!(listed(&check(&[&part, &path, "--tool", TOOL])), ["3 cutter part 0.50 0.50"]);
    // In the coordinates of a program whose zero is 1 mm below that of the part.
    let shifted = check(&[&part, &path, "--tool", TOOL, "--origin", "0,0,-1"]);
    assert_eq!(listed(&shifted), ["3 cutter part 1.50 1.50"]);
    let axes = folder.write("axes.csv", "x,y,z,i,j,k\n-10,10,19.5,0,0,1\n30,10,19.5,0,0,1\n");
    assert_eq!(listed(&check(&[&part, &axes, "--tool", TOOL])), ["3 cutter part 0.50 0.50"]);
}

#[test]
fn stock_may_be_cut_by_feed_moves_and_fixtures_by_nothing() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let clamp = folder.write("clamp.obj", Soup::cube([30.0, 5.0, 0.0], 20.0).obj());
    let program =
        folder.write("part.nc", "G0 X-10 Y10 Z25\nG1 Z21 F100\nG1 X20\nG0 X-10\nG0 Z19\nG0 X-4\n");
    let tool = ["--tool", TOOL];
    let all = |more: &[&str]| {
        let arguments: Vec<&str> = [&part, &program]
            .into_iter()
            .map(String::as_str)
            .chain(tool)
            .chain(more.iter().copied())
            .collect();
        listed(&check(&arguments))
    };
    assert!(all(&[]).is_empty());
    // The stock is 2 mm higher than the part. Line 3 cuts it, line 4 travels through it.
    let stock = all(&["--stock", "box:-2,-2,0:22,22,22"]);
    assert_eq!(stock, ["4 cutter stock rapid 1.00 1.00", "6 cutter stock rapid 1.00 3.00"]);
    let program = folder.write("long.nc", "G0 X-10 Y10 Z25\nG1 Z21 F100\nG1 X40\nG1 Z19\n");
    let fixed = check(&[&part, &program, "--tool", TOOL, "--fixture", &clamp]);
    assert_eq!(listed(&fixed), ["4 cutter fixture 1.00 1.00"]);
    assert_eq!(fixed["gouges"][0]["body"], "clamp.obj");
}

#[test]
fn an_open_terrain_counts_as_solid_below() {
    let folder = Folder::new();
    let grid = "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n\
                5 5 5 5\n5 5 5 5\n5 5 5 5\n5 5 5 5\n";
    let part = folder.write("terrain.asc", grid);
    let path = folder.write("path.csv", "x,y,z\n10,10,8\n20,10,8\n20,10,4\n");
    let report = check(&[&part, &path, "--tool", "ball:d=4"]);
    assert_eq!(report["bodies"][0]["closed"], false);
    assert!(report["notes"].to_string().contains("counts as the top of a solid below it"));
    assert_eq!(listed(&report), ["4 cutter part 1.00 1.00"]);
}

fn outputs(folder: &Folder) -> [String; 4] {
    ["out.json", "out.csv", "out.html", "out.glb"].map(|name| folder.at(name))
}

fn with_outputs(inputs: &[&str], [json, table, html, glb]: &[String; 4]) -> Finished {
    let outputs = ["-o", json, "--csv", table, "--report", html, "--glb", glb];
    impinge(["nc"].iter().chain(inputs).chain(&outputs))
}

#[test]
fn all_files_are_written_or_none() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM);
    let inputs = [&*part, &*program, "--tool", TOOL];
    let mut files = outputs(&folder);
    let run = with_outputs(&inputs, &files);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value = serde_json::from_slice(&fs::read(&files[0]).unwrap()).unwrap();
    assert_eq!(listed(&report), EXPECTED);
    let rows = csv(&folder.text("out.csv"));
    assert_eq!(rows.len(), 4);
    assert_eq!((&*rows[0][0], &*rows[1][0], &*rows[2][2]), ("line", "4", "true"));
    let page = folder.text("out.html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    let inspected = impinge(["inspect", &files[3], "--parts", "--json"]);
    assert!(inspected.stdout.contains("path gouging"), "{}{}", inspected.stdout, inspected.stderr);

    let before = folder.names();
    files.iter().for_each(|file| fs::remove_file(file).unwrap());
    files[3] = folder.at("missing/out.glb");
    with_outputs(&inputs, &files).refuses(&["--glb", "no such folder"]);
    files[3] = folder.at("out.csv");
    with_outputs(&inputs, &files).refuses(&["--glb", "same file as --csv"]);
    files[3].clone_from(&part);
    with_outputs(&inputs, &files).refuses(&["--glb", "would overwrite the input", "part.obj"]);
    files[3].clone_from(&program);
    with_outputs(&inputs, &files).refuses(&["would overwrite the input", "part.nc"]);
    let left: Vec<String> = before.into_iter().filter(|name| !name.starts_with("out.")).collect();
    assert_eq!(folder.names(), left);
}

#[test]
fn a_hyphen_is_standard_output() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM);
    let (table, object) = (folder.at("gouges.csv"), folder.at("gouges.json"));
    let inputs = ["nc", &part, &program, "--tool", TOOL];
    let with = |options: &[&str]| {
        let run = Run::new(inputs.iter().chain(options)).within(Duration::from_secs(120));
        run.at(&folder.at(".")).finish()
    };
    // The CSV replaces the table, and equals the file. The summary goes to standard error.
    let run = with(&["--csv", "-", "-o", &object]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("3 moves gouge (exit code 1)"), "{}", run.stderr);
    assert!(fs::exists(&object).unwrap());
    with(&["--csv", &table]);
    assert_eq!(run.stdout, fs::read_to_string(&table).unwrap());
    // The JSON object as with --json, but for the time that the check took.
    let run = with(&["-o", "-", "--csv", &table]);
    assert_eq!(listed(&run.json()), EXPECTED);
    assert!(!fs::exists(folder.at("-")).unwrap(), "a file is called -");

    with(&["--csv", "-", "--json"]).refuses(&["--json and --csv - both write to standard output"]);
    with(&["--csv", "-", "-o", "-"]).refuses(&["--output - and --csv - both write to"]);
    with(&["--csv", "./-"]);
    assert!(fs::exists(folder.at("-")).unwrap(), "./- is a file");
}

#[test]
fn messages_say_what_to_do() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM);
    let refuses = |arguments: &[&str], pieces: &[&str]| {
        impinge(["nc"].iter().chain(arguments)).refuses(pieces);
    };
    let path = folder.write("flat.csv", "x,y\n1,2\n");
    let header = "flat.csv:1: the first line is `x,y`, but it must be the header x,y,z";
    refuses(&[&part, &path, "--tool", TOOL], &[header, "x,y,z,i,j,k"]);
    let example = "--tool ball: ball needs the key `d`, for example ball:d=6";
    refuses(&[&part, &program, "--tool", "ball"], &[example]);
    let missing =
        "--tool nowhere: there is no such file; a tool is a specification, such as ball:d=6";
    refuses(&[&part, &program, "--tool", "nowhere"], &[missing]);
    let arc = folder.write("arc.nc", "G21\nG0 X0 Y0 Z30\nG2 I1 P1000001 F100\n");
    let turns = "arc.nc:3:7: P must be the number of turns, from 1 to 1000000";
    refuses(&[&part, &arc, "--tool", TOOL], &[turns]);
    let text = folder.write("part.txt", "");
    let extensions = ".obj, .stl, .ply, .off, .gltf, .glb, .asc, .dem, .dt0, .dt1, .dt2, .3mf, .step, .stp, .p21, .ifc, \
                      .ifczip, .urdf";
    let message = format!("`.txt` files cannot be read; supported extensions: {extensions}");
    refuses(&[&text, &program, "--tool", TOOL], &["part.txt", &message]);
    for option in ["--stock", "--fixture"] {
        refuses(&[&part, &program, "--tool", TOOL, option, &text], &["part.txt", &message]);
    }
}

#[test]
fn bad_input_is_refused_with_file_and_line() {
    let folder = Folder::new();
    let part = folder.write("part.obj", cube().obj());
    let program = folder.write("part.nc", PROGRAM);
    let refuses = |arguments: &[&str], pieces: &[&str]| {
        impinge(["nc"].iter().chain(arguments)).refuses(pieces);
    };
    let missing = folder.at("missing.stl");
    refuses(&[&missing, &program, "--tool", TOOL], &["missing.stl"]);
    refuses(&[&part, &missing, "--tool", TOOL], &["missing.stl", "cannot be read"]);
    refuses(&[&part, &folder.at("."), "--tool", TOOL], &["cannot be read"]);
    refuses(&[&part, &program], &["there is no tool", "--tool"]);
    refuses(&[&part, &program, "--tool", "ball:d=x"], &["--tool", "d=x"]);
    refuses(
        &[&part, &program, "--tool", "2=ball:d=6"],
        &["line 2", "without having selected a tool"],
    );
    refuses(&[&part, &program, "--tool", TOOL, "--tool", TOOL], &["--tool N=SPEC"]);
    refuses(&[&part, &program, "--tool-table", &part], &["--tool-table", "part.obj"]);
    refuses(&[&part, &program, "--tool", TOOL, "--fixture", &missing], &["missing.stl"]);
    refuses(&[&part, &program, "--tool", TOOL, "--machine", "none"], &["none"]);
    refuses(&[&part, &program, "--tool", TOOL, "--tolerance", "0"], &["--tolerance 0"]);

    let numbered = folder.write("numbered.nc", "T7 M6\nG0 X0 Y0 Z50\nG1 Z40 F100\n");
    refuses(&[&part, &numbered, "--tool", "1=ball:d=6"], &["numbered.nc", "there is no tool 7"]);
    assert!(listed(&check(&[&part, &numbered, "--tool", "7=ball:d=6"])).is_empty());
    let unknown = folder.write("unknown.nc", "G0 X0 Y0 Z50\nG1 Z40 U3 F100\n");
    refuses(&[&part, &unknown, "--tool", TOOL], &["unknown.nc:2", "--allow-unknown"]);
    check(&[&part, &unknown, "--tool", TOOL, "--allow-unknown"]);
    let empty = folder.write("empty.nc", "(nothing)\n");
    refuses(&[&part, &empty, "--tool", TOOL], &["empty.nc", "no moves"]);
    let path = folder.write("bad.csv", "x,y,z\n0,0,0\n1,2\n");
    refuses(&[&part, &path, "--tool", TOOL], &["bad.csv", "3"]);

    let misused = |arguments: &[&str], pieces: &[&str]| {
        impinge(["nc"].iter().chain(arguments)).misused(pieces);
    };
    misused(&[&part], &["PROGRAM"]);
    misused(&[&part, &program, "--tool", TOOL, "--stock", "box:0,0,0:1,1,0"], &["no volume"]);
    misused(&[&part, &program, "--tool", TOOL, "--origin", "1,2"], &["--origin", "X,Y,Z"]);
    misused(&[&part, &program, "--tool", TOOL, "--sort", "size"], &["depth", "line"]);
}

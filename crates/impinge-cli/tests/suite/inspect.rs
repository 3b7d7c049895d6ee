//! Tests of `impinge inspect` on handmade files: its counts and its output.

use crate::common::{self, Folder, Soup, has_program, impinge};
use serde_json::{Value, json};

const FIELDS: [&str; 19] = [
    "file",
    "units",
    "faces",
    "meshes",
    "vertices",
    "distinct_positions",
    "unused_vertices",
    "degenerate_faces",
    "duplicate_faces",
    "open_edges",
    "non_manifold_edges",
    "misoriented_edges",
    "closed",
    "volume",
    "min",
    "max",
    "index_bytes",
    "parts",
    "skipped",
];

fn inspect(file: &str) -> Value {
    impinge(["inspect", "--json", file]).succeeds().json()
}

/// Asserts that a report has these values; messages name the file.
#[track_caller]
fn assert_report(file: &str, expected: &Value) {
    let report = inspect(file);
    for (field, value) in expected.as_object().expect("values by field") {
        assert_eq!(&report[field], value, "{field} of {file}");
    }
}

#[test]
fn every_field_of_a_cube() {
    let folder = Folder::new();
    let file = folder.write("cube.obj", Soup::cube([1., 2., 3.], 2.).obj());
    let run = impinge(["inspect", "--json", &file]).succeeds();
    assert_eq!(run.json_keys(), FIELDS);
    assert_report(
        &file,
        &json!({
            "file": file, "faces": 12, "meshes": 1, "vertices": 8, "distinct_positions": 8,
            "unused_vertices": 0, "degenerate_faces": 0, "duplicate_faces": 0, "open_edges": 0,
            "non_manifold_edges": 0, "misoriented_edges": 0, "closed": true, "volume": 8.0,
            "min": [1.0, 2.0, 3.0], "max": [3.0, 4.0, 5.0],
            "units": null, "skipped": [],
            "parts": [{"name": "cube", "path": "cube", "mesh": 0, "faces": 12, "min": [1.0, 2.0, 3.0],
                "max": [3.0, 4.0, 5.0], "closed": true, "open_edges": 0, "gap": null}],
        }),
    );
    let methods = impinge(["methods", "--json"]).succeeds().json_lines();
    let bytes = run.json()["index_bytes"].as_object().unwrap().clone();
    assert_eq!(bytes.len(), methods.len());
    for method in methods {
        let name = method["name"].as_str().unwrap();
        assert!(bytes[name].is_u64(), "{name} in {bytes:?}");
    }
}

#[test]
fn faults_are_counted() {
    let cube = Soup::cube([0.; 3], 1.);
    let with = |change: &dyn Fn(&mut Soup)| {
        let mut soup = cube.clone();
        change(&mut soup);
        soup.obj()
    };
    let folder = Folder::new();
    for (name, text, expected) in [
        ("whole", cube.obj(), json!({"closed": true, "volume": 1.0})),
        (
            "without a face",
            with(&|soup| soup.faces.truncate(11)),
            json!({"closed": false, "volume": null, "open_edges": 3, "faces": 11}),
        ),
        (
            "with a face turned round",
            with(&|soup| soup.faces[0].reverse()),
            json!({"closed": false, "misoriented_edges": 3, "open_edges": 0}),
        ),
        (
            "inside out",
            with(&|soup| soup.faces.iter_mut().for_each(|face| face.reverse())),
            json!({"closed": true, "volume": -1.0}),
        ),
        (
            "with a face twice, once the other way",
            with(&|soup| soup.faces.extend([soup.faces[3], [3, 0, 2]])),
            json!({"closed": false, "duplicate_faces": 2, "faces": 14, "degenerate_faces": 0}),
        ),
        (
            "with a repeated corner, a segment and a point",
            with(&|soup| {
                soup.positions.push([0.5, 0., 0.]);
                soup.faces.extend([[0, 1, 1], [0, 1, 8], [5, 5, 5]]);
            }),
            json!({"degenerate_faces": 3, "faces": 15, "duplicate_faces": 0, "closed": false}),
        ),
        (
            // Only the repeated corner is ignored, so the solid stays closed.
            "with a repeated corner alone",
            with(&|soup| soup.faces.push([0, 1, 1])),
            json!({"degenerate_faces": 1, "closed": true}),
        ),
        (
            "with vertices that nobody uses",
            with(&|soup| soup.positions.extend([[9.; 3], [9.; 3]])),
            json!({"unused_vertices": 2, "vertices": 10, "distinct_positions": 8, "max": [1., 1., 1.]}),
        ),
        (
            "with its own corners for every face",
            with(&|soup| {
                soup.positions =
                    soup.faces.iter().flatten().map(|&corner| soup.positions[corner]).collect();
                soup.faces = (0..12).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
            }),
            json!({"closed": true, "vertices": 36, "distinct_positions": 8, "volume": 1.0}),
        ),
        (
            "of quadrangles",
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
             g bottom\nf 4 3 2 1\ng rest\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
                .to_owned(),
            // The whole is closed; its groups are separate parts for `clash`, and open.
            json!({"closed": true, "faces": 12, "volume": 1.0, "meshes": 1, "parts": [
                {"name": "bottom", "path": "bottom", "mesh": 0, "faces": 2, "min": [0., 0., 0.],
                    "max": [1., 1., 0.], "closed": false, "open_edges": 4, "gap": null},
                {"name": "rest", "path": "rest", "mesh": 1, "faces": 10, "min": [0., 0., 0.],
                    "max": [1., 1., 1.], "closed": false, "open_edges": 4, "gap": null}]}),
        ),
        (
            "with a fin",
            with(&|soup| {
                soup.positions.push([0., 0., 5.]);
                soup.faces.push([0, 1, 8]);
            }),
            json!({"closed": false, "non_manifold_edges": 1, "open_edges": 2}),
        ),
    ] {
        let file = folder.write(&format!("{name}.obj"), text);
        assert_report(&file, &expected);
    }
}

/// The same tetrahedron in every text format, and in binary STL.
#[test]
fn every_format_gives_the_same_solid() {
    let folder = Folder::new();
    let Soup { positions, faces } = Soup::tetrahedron();
    let points = positions.map_lines(|[x, y, z]| format!("{x} {y} {z}"));
    let indices = faces.map_lines(|[a, b, c]| format!("3 {a} {b} {c}"));
    let facets = faces.map_lines(|face| {
        let corners = face.map(|corner| {
            let [x, y, z] = positions[corner];
            format!("vertex {x} {y} {z}")
        });
        format!("facet normal 0 0 0\nouter loop\n{}\nendloop\nendfacet", corners.join("\n"))
    });
    let mut stl = vec![0; 80];
    stl.extend(4_u32.to_le_bytes());
    for face in &faces {
        stl.extend([0; 12]);
        face.iter().flat_map(|&c| positions[c]).for_each(|c| stl.extend((c as f32).to_le_bytes()));
        stl.extend([0; 2]);
    }
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
         property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n\
         {points}{indices}"
    );
    for file in [
        folder.write("a.obj", Soup::tetrahedron().obj()),
        folder.write("b.off", format!("OFF\n4 4 6\n{points}{indices}")),
        folder.write("c.ply", ply),
        folder.write("d.stl", format!("solid\n{facets}endsolid\n")),
        folder.write("e.STL", stl),
    ] {
        let expected = json!({
            "faces": 4, "distinct_positions": 4, "closed": true, "volume": 1.0 / 6.0,
            "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 1.0], "degenerate_faces": 0,
        });
        assert_report(&file, &expected);
    }
}

trait MapLines<T> {
    fn map_lines(&self, line: impl Fn(T) -> String) -> String;
}

impl<T: Copy> MapLines<T> for [T] {
    fn map_lines(&self, line: impl Fn(T) -> String) -> String {
        self.iter().map(|&item| line(item) + "\n").collect()
    }
}

#[test]
fn several_files_in_the_order_asked_for() {
    let folder = Folder::new();
    let cube = folder.write("cube.obj", Soup::cube([0.; 3], 1.).obj());
    let tetrahedron = folder.write("tetrahedron.obj", Soup::tetrahedron().obj());
    let run = impinge(["inspect", "--json", &tetrahedron, &cube, "gen:chair", &tetrahedron]);
    let lines = run.succeeds().json_lines();
    let faces: Vec<_> = lines.iter().map(|line| line["faces"].as_u64().unwrap()).collect();
    assert_eq!(faces, [4, 12, 146, 4]);
    let files: Vec<_> = lines.iter().map(|line| line["file"].as_str().unwrap()).collect();
    assert_eq!(files, [&*tetrahedron, &*cube, "gen:chair", &*tetrahedron]);

    // Files before the bad one are reported.
    let none = folder.at("none.obj");
    let run = impinge(["inspect", "--json", &cube, &none, &tetrahedron]);
    assert_eq!((run.code, run.json_lines().len()), (Some(2), 1), "{}", run.what);
    assert!(run.stderr.contains(&none) && run.stderr.lines().count() == 1, "{}", run.stderr);
}

#[test]
fn the_table_for_people() {
    let text = impinge(["inspect", "gen:gearbox", "--parts"]).succeeds().stdout;
    let parts = inspect("gen:gearbox")["parts"].as_array().unwrap().clone();
    assert!(parts.len() > 5, "{parts:?}");
    for part in parts {
        let line = format!("{} {} yes", part["path"].as_str().unwrap(), part["faces"]);
        let squeezed: Vec<_> =
            text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>()).collect();
        let found = squeezed.iter().any(|words| words.join(" ").starts_with(&line));
        assert!(found, "`{line}` is not in\n{text}");
    }
    let without = impinge(["inspect", "gen:gearbox"]).succeeds().stdout;
    assert!(without.starts_with("gen:gearbox\n") && without.len() < text.len(), "{without}");
}

/// The name of a part comes from a file; it must not move the cursor or fake a line.
#[test]
fn names_of_parts_are_shown_escaped() {
    let folder = Folder::new();
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\u{1b}[2Jb\nf 1 2 3\ng other\nf 1 3 2\n";
    let file = folder.write("escape.obj", text);
    let shown = impinge(["inspect", "--parts", &file]).succeeds().stdout;
    assert!(shown.contains("a\\u{1b}[2Jb") && !shown.contains('\u{1b}'), "{shown:?}");
}

/// Robots, folders and units are read as by `clash`.
#[test]
fn files_are_read_as_clash_reads_them() {
    let folder = Folder::new();
    folder.write("link.obj", Soup::cube([0.; 3], 1.).obj());
    let robot = folder.write(
        "robot.urdf",
        r#"<robot name="r"><link name="base"><collision><geometry><mesh filename="link.obj"/></geometry>
        </collision></link><link name="arm"><collision><geometry><box size="1 2 3"/></geometry>
        </collision></link><joint name="lift" type="prismatic"><parent link="base"/><child link="arm"/>
        <axis xyz="0 0 1"/><limit lower="0" upper="9"/></joint></robot>"#,
    );
    let report = inspect(&robot);
    assert_eq!(
        (&report["units"], &report["faces"], &report["volume"]),
        (&json!("m"), &json!(24), &json!(7.0))
    );
    let run =
        impinge(["inspect", &robot, "--json", "--joint", "lift=5", "--units", "cm"]).succeeds();
    let arm = &run.json()["parts"][1];
    assert_eq!((&arm["name"], &arm["closed"]), (&json!("arm"), &json!(true)));
    assert_eq!(
        (&arm["min"], &arm["max"]),
        (&json!([-50.0, -100.0, 350.0]), &json!([50.0, 100.0, 650.0]))
    );

    let parts = folder.at("parts");
    std::fs::create_dir(&parts).unwrap();
    for (name, at) in [("a", 0.), ("b", 5.)] {
        folder.write(&format!("parts/{name}.obj"), Soup::cube([at; 3], 1.).obj());
    }
    let run = impinge(["inspect", &parts, "--json", "--units", "mm", "--scale", "2"]).succeeds();
    let report = run.json();
    assert_eq!((&report["units"], &report["volume"]), (&json!("mm"), &json!(16.0)));
    assert_eq!(
        (&report["min"], &report["max"]),
        (&json!([0.0, 0.0, 0.0]), &json!([12.0, 12.0, 12.0]))
    );
    // A single file is scaled like many.
    let one = folder.at("parts/b.obj");
    let report = impinge(["inspect", &one, "--json", "--scale", "2"]).succeeds().json();
    assert_eq!((&report["volume"], &report["min"]), (&json!(8.0), &json!([10.0, 10.0, 10.0])));
    assert_eq!(report["parts"][0]["min"], report["min"]);
}

/// A cube with a lid 0.01 above it, one without a lid, and a closed one.
#[test]
fn open_parts_have_a_widest_gap() {
    let folder = Folder::new();
    let lid_at = |height: f64| {
        let mut cube = Soup::cube([0.; 3], 1.);
        let corners = cube.positions.len();
        // The two faces of the side z = 1 get separate corners.
        cube.positions.extend([
            [0., 0., height],
            [1., 0., height],
            [0., 1., height],
            [1., 1., height],
        ]);
        for face in &mut cube.faces[2..4] {
            face.iter_mut().for_each(|corner| *corner = *corner - 4 + corners);
        }
        cube
    };
    let mut without = Soup::cube([0.; 3], 1.);
    without.faces.drain(2..4);
    for (name, soup, expected) in [
        ("whole", Soup::cube([0.; 3], 1.), json!([true, 0, null])),
        ("ajar", lid_at(1.01), json!([false, 8, 0.010_000_000_000_000_009])),
        ("without", without, json!([false, 4, null])),
    ] {
        let file = folder.write(&format!("{name}.obj"), soup.obj());
        let part = inspect(&file)["parts"][0].clone();
        assert_eq!(json!([part["closed"], part["open_edges"], part["gap"]]), expected, "{name}");
        let table = impinge(["inspect", "--parts", &file]).succeeds().stdout;
        let row = table.lines().last().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        let cells = match name {
            "whole" => "whole 12 yes 0 - (0, 0, 0) (1, 1, 1)",
            "ajar" => "ajar 12 no 8 0.01 (0, 0, 0) (1, 1, 1.01)",
            _ => "without 10 no 4 - (0, 0, 0) (1, 1, 1)",
        };
        assert_eq!(row, cells);
    }
}

/// `inspect` lists the same parts as open that `clash` counts as open.
#[test]
fn clash_and_inspect_agree_on_what_is_open() {
    let Some(data) = common::corpus() else { return };
    for file in ["robots/panda/panda.urdf", "assemblies/chronograph-watch/ChronographWatch.gltf"] {
        let file = data.join(file).into_os_string().into_string().unwrap();
        let report = inspect(&file);
        let parts = report["parts"].as_array().unwrap();
        let clash = impinge(["clash", &file, "--json", "--adjacent"]).json();
        assert_eq!(clash["parts"], parts.len(), "{file}");
        assert_eq!(clash["units"], report["units"]);
        let open = parts.iter().filter(|part| part["closed"] == false).count() as u64;
        // `clash` counts only parts that are near another one.
        assert!(clash["open_parts"].as_u64().unwrap() <= open, "{file}: {open}");
        for clash in clash["clashes"].as_array().unwrap() {
            for (name, closed) in [("a", 0), ("b", 1)] {
                let part = parts.iter().find(|part| part["name"] == clash[name]).unwrap();
                assert_eq!(part["closed"], clash["closed"][closed], "{file}: {}", part["name"]);
            }
        }
    }
}

#[test]
fn usage_errors() {
    impinge(["inspect"]).misused(&["<FILE>"]);
    impinge(["inspect", "--json"]).misused(&["<FILE>"]);
    impinge(["inspect", "gen:chair", "--poses", "x"]).misused(&["--poses"]);
}

/// On a terminal, the output is a table, without a progress bar for fast work.
#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal() {
    if !has_program("script") {
        return;
    }
    let folder = Folder::new();
    let cube = folder.write("cube.obj", Soup::cube([0.; 3], 1.).obj());
    let on_terminal = |arguments: &str| {
        let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_impinge"));
        let mut script = std::process::Command::new("script");
        let script =
            script.args(["-qec", &command, "/dev/null"]).stdin(std::process::Stdio::null());
        let output = script.output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let report = on_terminal(&format!("query {cube} {cube}"));
    assert!(report.contains("1 of 1 steps touch") && !report.contains('{'), "{report:?}");
    let line = on_terminal(&format!("query {cube} {cube} --json"));
    assert!(line.trim().starts_with("{\"engine\""), "{line:?}");
    for shown in [report, line, on_terminal(&format!("inspect {cube}"))] {
        assert!(!shown.contains('\u{1b}'), "something was drawn: {shown:?}");
    }
}

/// A mesh that two nodes use counts twice, even if neither node moves it.
#[test]
fn instances_each_have_their_volume() {
    let folder = Folder::new();
    let mut volumes = Vec::new();
    for translation in ["", ",\"translation\":[5,0,0]"] {
        // A tetrahedron of volume 1/6: four corners as floats, then twelve indices as bytes.
        let mut data = Vec::new();
        for coordinate in [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.] {
            data.extend(f32::to_le_bytes(coordinate));
        }
        data.extend([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]);
        folder.write("tetra.bin", &data);
        let gltf = format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0,1]}}],
            "nodes":[{{"mesh":0}},{{"mesh":0{translation}}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
            "accessors":[
              {{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
              {{"bufferView":1,"componentType":5121,"count":12,"type":"SCALAR"}}],
            "bufferViews":[{{"buffer":0,"byteLength":48}},
              {{"buffer":0,"byteOffset":48,"byteLength":12}}],
            "buffers":[{{"uri":"tetra.bin","byteLength":60}}]}}"#
        );
        let file = folder.write("two.gltf", gltf.as_bytes());
        let report = inspect(&file);
        assert_eq!(report["faces"], 8, "{translation}");
        volumes.push(report["volume"].as_f64().expect("closed"));
    }
    assert!(volumes.iter().all(|volume| (volume - 1.0 / 3.0).abs() < 1e-12), "{volumes:?}");
}

/// The smallest hierarchy: at most 18 bytes per face, including the list of faces.
#[test]
fn a_boxtree_is_small() {
    for mesh in ["gen:sphere,faces=960", "gen:chair", "gen:gearbox", "gen:pipes"] {
        let report = impinge(["inspect", mesh, "--json"]).succeeds().json();
        let faces = report["faces"].as_f64().expect("a number");
        let bytes = report["index_bytes"]["boxtree"].as_f64().expect("a number");
        assert!(0.0 < bytes && bytes <= 18.0 * faces, "{mesh}: {bytes} bytes, {faces} faces");
    }
}

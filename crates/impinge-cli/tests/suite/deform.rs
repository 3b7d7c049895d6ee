//! Tests of bodies that deform: `impinge query --self`, and scenes with `deform`, `sequence` and `self`.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Run, corpus, csv, impinge};
use std::time::Duration;

/// Two triangles that share the edge from vertex 1 to 2, folded by an angle: flat for a negative `y`, onto each other for
/// a positive one with `z` = 0; and a third triangle that crosses the first.
fn folded(y: f64, z: f64) -> String {
    format!(
        "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 1 {y} {z}\nv 0.3 0.3 -1\nv 0.3 0.3 1\nv 0.9 0.3 1\n\
         f 1 2 3\nf 1 2 4\nf 5 6 7\n"
    )
}

#[test]
fn contacts_of_a_mesh_with_itself_are_found() {
    let folder = Folder::new();
    let flat = folder.write("flat.obj", folded(-1.0, 0.0));
    let onto = folder.write("onto.obj", folded(1.0, 0.0));
    let pairs = folder.at("pairs.csv");
    for (mesh, expected) in
        [(&flat, vec![["0", "2"]]), (&onto, vec![["0", "1"], ["0", "2"], ["1", "2"]])]
    {
        let run = impinge([
            "query", mesh, "--self", "--all", "--method", "all", "--pairs", &pairs, "--json",
        ]);
        let lines = run.succeeds().json_lines();
        assert!(lines.len() > 10, "every method answers");
        for line in lines {
            assert_eq!(line["pairs"], expected.len(), "{line}");
            assert_eq!((&line["mode"], &line["tris"]), (&"self-all".into(), &3.into()), "{line}");
            assert_eq!((&line["touching"], &line["shared_by"]), (&true.into(), &"index".into()));
        }
        let rows = csv(&folder.text("pairs.csv"));
        assert_eq!(rows[0], ["step", "face_a", "face_b"]);
        let rows: Vec<[&str; 2]> = rows[1..].iter().map(|row| [&*row[1], &*row[2]]).collect();
        assert_eq!(rows, expected, "{mesh}");
    }
    let line =
        impinge(["query", "gen:sphere", "--self", "--json"]).succeeds().json_lines().remove(0);
    assert_eq!((&line["touching"], &line["pairs"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!(line["mode"], "self-detect");
}

/// An STL file has no common indices, so that neighbours touch unless vertices are common by their positions.
#[test]
fn vertices_are_shared_by_index_or_position() {
    let folder = Folder::new();
    let file = folder.at("ball.stl");
    impinge(["generate", "sphere", "--faces", "80", "-o", &file]).succeeds();
    for (shared_by, touching) in [("index", true), ("position", false)] {
        let run = impinge(["query", &file, "--self", "--shared-by", shared_by, "--all", "--json"]);
        let line = run.succeeds().json_lines().remove(0);
        assert_eq!(line["touching"], touching, "{shared_by}");
    }
    // Each face has three neighbours across its edges, and others at its corners.
    impinge(["query", &file, "--self"]).succeeds();
}

const TORI: &str = r#"
cycles = 12
[[body]]
name = "torus"
mesh = "gen:torus,major=1,minor=0.3,faces=2000"
deform = { kind = "twist", degrees = 200.0, period = 20.0, along = "x" }
[[body]]
name = "ball"
mesh = "gen:sphere,faces=960"
at = [1.2, 0.9, 0.0]
deform = { kind = "bend", degrees = 100.0, period = 9.0 }
"#;

/// Whether bodies that deform are refitted or searched by a face octree, contacts are those of `brute`.
#[test]
fn every_search_of_deformed_bodies_finds_the_same_contacts() {
    let folder = Folder::new();
    let run = |head: &str, more: &[&str]| {
        let scene = folder.write("tori.toml", format!("{head}{TORI}"));
        let out = folder.at("contacts.csv");
        let arguments = ["run", &scene, "--stats", "--json", "--contacts", &out];
        let lines = impinge([&arguments[..], more].concat()).succeeds().json_lines();
        let summary = lines.last().unwrap();
        let number = |key: &str| summary[key].as_u64().unwrap();
        let counts = (number("refitted") + number("rebuilt"), number("in_cells"));
        (folder.text("contacts.csv"), counts)
    };
    let (expected, _) = run("", &["--method", "brute"]);
    assert!(expected.lines().count() > 100, "hardly a contact");
    let (found, (renewed, in_cells)) = run("", &["--deformed", "refit"]);
    assert!(found == expected && renewed > 0 && in_cells == 0, "{renewed}, {in_cells}");
    let (found, (renewed, in_cells)) = run("deformed = \"face-octree\"\n", &[]);
    assert!(found == expected && renewed == 0 && in_cells > 0, "{renewed}, {in_cells}");
    let (found, (renewed, in_cells)) = run("deformed = \"refit\"\n", &["--deformed", "auto"]);
    assert!(found == expected && renewed + in_cells > 0, "{renewed}, {in_cells}");
    let scene = folder.write("wrong.toml", format!("deformed = \"never\"\n{TORI}"));
    impinge(["run", &scene]).refuses(&["wrong.toml:1", "never", "face-octree"]);
    impinge(["run", &scene, "--deformed", "never"]).misused(&["never", "face-octree"]);
}

#[test]
fn options_that_need_two_meshes_are_refused_with_self() {
    impinge(["query", "gen:chair", "gen:chair", "--self"]).misused(&["--self"]);
    impinge(["query", "gen:chair"]).misused(&["<B>"]);
    impinge(["query", "gen:chair", "--self", "--poses", "gen:tumble"]).misused(&["--poses"]);
    impinge(["query", "gen:chair", "--self", "--within", "0.1"]).misused(&["--within"]);
    impinge(["query", "gen:chair", "gen:chair", "--shared-by", "position"])
        .misused(&["--shared-by", "[B]"]);
    impinge(["query", "gen:chair", "--self", "--method", "none"]).refuses(&["none"]);
}

/// A square of two faces whose far corner comes down onto a floor, frame by frame.
fn frame(z: f64) -> String {
    format!("v 0 0 1\nv 1 0 1\nv 1 1 {z}\nv 0 1 1\nf 1 2 3\nf 1 3 4\n")
}

const SEQUENCE: &str = r#"
cycles = 7

[[body]]
name = "cloth"
sequence = { files = "frame_*.obj", every = 2, interpolate = true, end = "back" }
self = true

[[body]]
name = "floor"
mesh = "gen:cuboid,x=9,y=9,z=2"
at = [0.0, 0.0, -1.0]
fixed = true
"#;

#[test]
fn a_sequence_is_played_frame_by_frame() {
    let folder = Folder::new();
    // Sorted by number, not by letter.
    for (name, z) in [("frame_9.obj", 1.0), ("frame_10.obj", 0.5), ("frame_11.obj", -0.5)] {
        folder.write(name, frame(z));
    }
    let scene = folder.write("scene.toml", SEQUENCE);
    let contacts = folder.at("contacts.csv");
    for method in ["wide", "brute", "boxtree", "aabb", "obb", "dop18"] {
        let run = impinge(["run", &scene, "--method", method, "--contacts", &contacts, "--json"]);
        let lines = run.succeeds().json_lines();
        let touching: Vec<bool> =
            lines[..7].iter().map(|line| line["contacts"].as_u64().unwrap() > 0).collect();
        // The corner is at 1, 0.75, 0.5, 0, −0.5, 0, 0.5.
        assert_eq!(touching, [false, false, false, true, true, true, false], "{method}");
        let rows = csv(&folder.text("contacts.csv"));
        assert!(
            rows.len() > 5 && rows[1..].iter().all(|row| row[2..4] == ["cloth", "floor"]),
            "{rows:?}"
        );
    }
    // A folder is a sequence of all meshes in it.
    let nested = Folder::new();
    let all = SEQUENCE.replace("frame_*.obj", folder.path().to_str().unwrap());
    impinge(["run", &nested.write("scene.toml", all)]).succeeds();
}

#[test]
fn wrong_sequences_are_refused_by_file() {
    let folder = Folder::new();
    folder.write("frame_1.obj", frame(1.0));
    folder.write("frame_2.obj", frame(0.5));
    let scene = folder.write("scene.toml", SEQUENCE);
    let rows = folder.at("rows.csv");
    let refuses = |words: &[&str]| {
        impinge(["run", &scene, "-o", &rows]).refuses(words);
        assert!(!folder.names().contains(&"rows.csv".to_owned()), "nothing is written");
    };
    folder.write("frame_3.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refuses(&["scene.toml:6:", "frame_3.obj", "has 3 vertices", "frame_1.obj has 4"]);
    folder.write("frame_3.obj", frame(0.0) + "f 2 3 4\n");
    refuses(&["frame_3.obj", "has 3 faces", "frame_1.obj has 2"]);
    folder.write("frame_3.obj", frame(0.0).replace("f 1 3 4", "f 4 1 3"));
    refuses(&["frame_3.obj", "other vertices at face 1"]);
    folder.write("frame_3.obj", frame(f64::NAN));
    refuses(&["frame_3.obj"]);
    folder.write("frame_3.obj", frame(0.0));
    let with = |from: &str, to: &str| folder.write("other.toml", SEQUENCE.replace(from, to));
    for (from, to, words) in [
        (
            "frame_*.obj",
            "nothing_*.obj",
            &["other.toml:6:", "no file of the folder", "matches nothing_*.obj"][..],
        ),
        ("frame_*.obj", "f*_*.obj", &["other.toml:6:", "f*_*.obj", "only one `*`"]),
        ("frame_*.obj", "f*/a_*.obj", &["other.toml:6:", "only one `*`", "last part"]),
        ("frame_*.obj", "no-folder", &["other.toml:6:", "no-folder", "cannot be read"]),
        ("every = 2", "every = 0", &["`every`"]),
        ("self = true", "self = true\nmesh = \"gen:chair\"", &["cloth", "`mesh` and `sequence`"]),
        ("self = true", "size = 2.0", &["`size`", "`scale`"]),
        ("self = true", "flight = {}", &["cloth", "rigid"]),
        ("self = true", "deform = { kind = \"bend\" }", &["`sequence` and `deform`"]),
        ("mesh = \"gen:cuboid,x=9,y=9,z=2\"", "", &["floor", "`mesh` is missing"]),
        (
            "at = [0.0, 0.0, -1.0]",
            "deform = { kind = \"flag\", degrees = 3.0 }",
            &["other.toml:12:", "`degrees`", "flag takes"],
        ),
        ("at = [0.0, 0.0, -1.0]", "deform = { kind = \"melt\" }", &["other.toml:12:", "melt"]),
        (
            "at = [0.0, 0.0, -1.0]",
            "deform = { kind = \"twist\", period = 0.0 }",
            &["other.toml:12:", "`period`", "greater than 0"],
        ),
        (
            "at = [0.0, 0.0, -1.0]",
            "deform = { kind = \"bend\", along = \"x\", toward = \"x\" }",
            &["other.toml:12:", "different axes"],
        ),
    ] {
        impinge(["run", &with(from, to)]).refuses(words);
    }
    // Coordinates that leave the range of a mesh at some cycle: nothing is written either.
    let huge = with("at = [0.0, 0.0, -1.0]", "deform = { kind = \"flag\", amplitude = 1e101 }");
    let run = impinge(["run", &huge, "-o", &rows]);
    run.refuses(&["cycle", "body floor: ", "beyond"]);
    assert_eq!(run.stderr.matches("body").count(), 1, "{}", run.stderr);
    assert!(!folder.names().contains(&"rows.csv".to_owned()), "nothing is written");
}

/// The scenes of the repository with built-in deformations: contacts do not depend on method, broad phase, coherence
/// and threads.
#[test]
fn built_in_deformations_give_the_same_contacts_every_way() {
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    for (name, cycles, own) in [("bar", "60", true), ("flag", "30", false), ("torus", "60", false)]
    {
        let scene = format!("{scenes}/deforming-{name}.toml");
        let folder = Folder::new();
        let file = folder.at("contacts.csv");
        let mut expected: Option<String> = None;
        for options in [
            &["--method", "brute"][..],
            &["--coherence", "all", "--threads", "1"],
            &["--method", "dop18", "--coherence", "all", "--broad", "tree"],
            &["--method", "boxtree", "--broad", "directions18", "--coherence", "skips"],
            &["--method", "aabb", "--broad", "sweep"],
        ] {
            let mut arguments = vec!["run", &scene, "--cycles", cycles, "--contacts", &file];
            arguments.extend(options);
            Run::new(arguments).within(Duration::from_secs(120)).finish().succeeds();
            let contacts = folder.text("contacts.csv");
            let expected = expected.get_or_insert_with(|| contacts.clone());
            assert!(*expected == contacts, "{name}: {options:?} finds other contacts than brute");
        }
        let rows = csv(&expected.unwrap());
        assert!(rows.len() > 100, "{name}: {} contacts", rows.len());
        let has_own = rows[1..].iter().any(|row| row[2] == row[3]);
        assert_eq!(has_own, own, "{name}: contacts of a body with itself");
    }
}

/// Real sequences: a fox that runs, a cactus that bends, and two frames of a cloth on a ball. The default method finds
/// the contacts that `brute` does.
#[test]
fn real_sequences_give_the_contacts_of_brute() {
    let Some(data) = corpus() else { return };
    for (files, cycles, own) in
        [("fox-run", 16, true), ("cactus", 40, false), ("cloth-ball", 2, false)]
    {
        let folder = Folder::new();
        let files = data.join("deforming").join(files);
        let scene = folder.write(
            "scene.toml",
            format!(
                "cycles = {cycles}\n[[body]]\nname = \"body\"\nself = true\nsequence = {{ files = {files:?} }}\n\
                 [[body]]\nname = \"copy\"\nat = [0.05, 0.02, 0.01]\nsequence = {{ files = {files:?}, end = \"back\" }}\n"
            ),
        );
        let contacts = ["brute", "wide", "boxtree", "dop18"].map(|method| {
            let (name, limit) = (format!("{method}.csv"), Duration::from_secs(300));
            let file = folder.at(&name);
            let run =
                ["run", &scene, "--method", method, "--coherence", "all", "--contacts", &file];
            Run::new(run).within(limit).finish().succeeds();
            folder.text(&name)
        });
        assert!(contacts.iter().all(|text| *text == contacts[0]), "{}", files.display());
        let rows = csv(&contacts[0]);
        assert!(rows.len() > 1_000, "{}: {} contacts", files.display(), rows.len());
        if own {
            assert!(rows[1..].iter().any(|row| row[2] == row[3]), "{}", files.display());
        }
    }
}

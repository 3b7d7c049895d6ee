//! Tests of the methods `face-octree` and `octree` in `impinge query` and `impinge run`.

use crate::common::{Folder, csv, impinge};

const A: &str = "gen:sphere,faces=168";
const B: &str = "gen:deformed-torus,around=40,tube=12";

const CHOICES: [&[&str]; 11] = [
    &["--method", "face-octree"],
    &["--method", "face-octree", "--level", "5", "--cell-test", "exact"],
    &["--method", "face-octree", "--level", "auto", "--division", "bintree"],
    &["--method", "octree"],
    // A level more takes three times as long: seconds of processor time for a scene.
    &["--method", "octree", "--level", "4", "--without", "all"],
    &["--method", "octree", "--without", "surface-only,regions"],
    &["--method", "octree", "--without", "progressive"],
    &["--method", "octree", "--without", "linked-faces", "--level", "3"],
    &["--method", "octree", "--bounding", "spheres"],
    &["--method", "octree", "--without", "all", "--bounding", "boxes", "--level", "3"],
    &["--method", "all", "--level", "4", "--without", "regions"],
];

#[test]
fn every_option_gives_the_same_answers() {
    let folder = Folder::new();
    let pairs = |more: &[&str]| {
        let out = folder.at("pairs.csv");
        let scene = ["query", A, B, "--poses", "gen:tumble,steps=5,distance=1", "--pairs", &out];
        impinge([&scene[..], more].concat()).succeeds();
        folder.text("pairs.csv")
    };
    let expected = pairs(&["--method", "brute"]);
    assert!(expected.lines().count() > 100, "hardly a contact");
    for choice in CHOICES {
        assert!(pairs(choice) == expected, "{choice:?} finds other pairs");
    }
}

const SCENE: &str = r#"
cycles = 40
[[body]]
mesh = "gen:shuttle"
size = 3.0
steady = { by = [0.1, 0.0, 0.0], turn = [0.0, 3.0, 1.0] }
[[body]]
mesh = "gen:sphere,faces=168"
at = [4.0, 0.3, 0.2]
fixed = true
[[body]]
mesh = "gen:sphere,faces=48"
grid = { count = [3, 2, 1], step = [1.8, 1.9, 0.0] }
at = [0.0, -1.0, 0.5]
"#;

/// The rows of a scene's contacts, without the name of the run.
fn contacts(folder: &Folder, head: &str, more: &[&str]) -> Vec<Vec<String>> {
    let scene = folder.write("scene.toml", format!("{head}{SCENE}"));
    let out = folder.at("contacts.csv");
    impinge([&["run", &scene, "--contacts", &out][..], more].concat()).succeeds();
    csv(&folder.text("contacts.csv")).into_iter().map(|row| row[1..].to_vec()).collect()
}

#[test]
fn a_scene_has_the_same_contacts_with_every_option() {
    let folder = Folder::new();
    let expected = contacts(&folder, "", &["--method", "brute"]);
    assert!(expected.len() > 500, "only {} contacts", expected.len());
    for choice in &CHOICES[..10] {
        for broad in ["packed", "none"] {
            let found = contacts(&folder, "", &[choice, &["--broad", broad][..]].concat());
            assert!(found == expected, "{choice:?}, {broad}: {} contacts", found.len());
        }
    }
    for head in [
        "method = \"face-octree\"\nface_octree = { level = 4, division = \"bintree\" }\n",
        "method = \"face-octree\"\nface_octree = { cell_test = \"exact\" }\nbroad = \"none\"\n",
        "method = \"octree\"\noctree = { level = 4, without = [\"regions\", \"linked-faces\"] }\n",
        "method = \"octree\"\noctree = { without = [\"all\"] }\nbroad = \"spheres\"\n",
        "method = \"octree\"\noctree = { bounding = \"spheres\", without = [\"regions\"] }\n",
    ] {
        assert!(contacts(&folder, head, &[]) == expected, "{head} has other contacts");
        // The options of the command apply to the method of the scene.
        assert!(contacts(&folder, head, &["--level", "2"]) == expected, "{head} at level 2");
    }
}

/// The papers' scenes reach the papers' contact cycles with the papers' methods.
#[test]
fn scenes_touch_when_the_papers_do() {
    let scene = |name: &str| format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    for (name, cycle) in [("003-table-1", 197), ("003-figure-13", 184), ("000-figure-3.6", 72)] {
        for method in ["face-octree", "octree"] {
            let arguments = ["run", &scene(name), "--method", method, "--broad", "boxes", "--json"];
            let lines = impinge(arguments).succeeds().json_lines();
            let mut summaries = lines.iter().filter(|line| line["kind"] == "summary").peekable();
            assert!(summaries.peek().is_some(), "{name}, {method}");
            for summary in summaries {
                assert_eq!(summary["first_contact"], cycle, "{name}, {method}: {summary}");
            }
        }
    }
}

#[test]
fn options_of_other_methods_and_wrong_values_are_refused() {
    let query = |more: &[&str]| impinge([&["query", A, B][..], more].concat());
    query(&["--level", "5"]).refuses(&["--level", "wide", "face-octree, octree"]);
    query(&["--method", "octree", "--cell-test", "exact"]).refuses(&[
        "--cell-test",
        "`octree`",
        "face-octree",
    ]);
    query(&["--method", "face-octree", "--without", "regions"]).refuses(&[
        "--without",
        "`face-octree`",
        "--method: octree",
    ]);
    query(&["--method", "face-octree", "--bounding", "boxes"]).refuses(&["--bounding", "octree"]);
    query(&["--method", "octree", "--bounding", "cubes"]).misused(&["cubes", "spheres"]);
    query(&["--method", "octree", "--level", "9"]).refuses(&["--level 9", "at most 8"]);
    query(&["--method", "all", "--level", "9"]).refuses(&["at most 8 for octree", "face-octree"]);
    query(&["--method", "face-octree", "--level", "13"]).misused(&["13", "0 to 12", "auto"]);
    query(&["--method", "octree", "--without", "edges"]).misused(&["edges"]);

    let folder = Folder::new();
    let run = |head: &str| impinge(["run", &folder.write("scene.toml", format!("{head}{SCENE}"))]);
    run("face_octree = { level = 13 }\n").refuses(&["scene.toml:1:25", "`level`: 13", "0 to 12"]);
    run("octree = { level = 9 }\n").refuses(&["scene.toml:1:20", "`level`: 9", "0 to 8"]);
    run("octree = { without = [\"edges\"] }\n").refuses(&["scene.toml:1", "edges", "linked-faces"]);
    run("octree = { bounding = \"cubes\" }\n").refuses(&["scene.toml:1", "cubes", "spheres"]);
    run("face_octree = { depth = 3 }\n").refuses(&["scene.toml:1", "depth"]);
    run("octree = { level = 4 }\n").refuses(&[
        "scene.toml:1:10",
        "`octree`",
        "is `wide`",
        "method =",
    ]);
    run("method = \"octree\"\nface_octree = { level = 4 }\n")
        .refuses(&["scene.toml:2", "is `octree`"]);
    // Each table is for the method of one run; a run cannot have a table of another method.
    let runs = "cycles = 1\noctree = { level = 3 }\nbody = [{ mesh = \"gen:chair\" }]\n[[run]]\nmethod = \"octree\"\n[[run]]\nmethod = \"brute\"\n";
    impinge(["run", &folder.write("runs.toml", runs)]).succeeds();
    let wrong = folder.write("wrong.toml", format!("{runs}octree = {{ level = 2 }}\n"));
    impinge(["run", &wrong]).refuses(&["wrong.toml:8", "`octree`", "is `brute`"]);
    // A method that is chosen for the moment makes no table wrong.
    impinge(["run", &wrong, "--method", "wide"]).succeeds();
}

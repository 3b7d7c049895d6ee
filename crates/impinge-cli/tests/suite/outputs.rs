//! Tests of output files: they never replace an input, and either all of them are written or none.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Soup, impinge};
use std::fs;

/// Asserts that a command fails and that the folder is unchanged.
#[track_caller]
fn keeps(folder: &Folder, arguments: &[&str], pieces: &[&str]) {
    let before: Vec<_> =
        folder.names().into_iter().map(|name| (folder.read(&name), name)).collect();
    impinge(arguments).refuses(pieces);
    let after: Vec<_> = folder.names().into_iter().map(|name| (folder.read(&name), name)).collect();
    assert!(before == after, "{arguments:?} has changed a file");
}

/// A tetrahedron as glTF, with its buffer in a separate file.
fn gltf(folder: &Folder) -> [String; 2] {
    let mut data = Vec::new();
    for coordinate in [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.] {
        data.extend(f32::to_le_bytes(coordinate));
    }
    data.extend([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]);
    let document = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
          {"bufferView":1,"componentType":5121,"count":12,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":48},
          {"buffer":0,"byteOffset":48,"byteLength":12}],
        "buffers":[{"uri":"k.bin","byteLength":60}]}"#;
    [folder.write("k.gltf", document), folder.write("k.bin", data)]
}

#[test]
fn meshes_are_not_overwritten() {
    let folder = Folder::new();
    let mesh = folder.write("s.obj", Soup::cube([0.; 3], 1.).obj());
    let [document, buffer] = gltf(&folder);
    let poses = folder.write("poses.csv", "1,0,0,0,0,1,0,0,0,0,1,0\n");
    let dotted = folder.at("./s.obj");
    let over = "would overwrite the input";
    for out in [&mesh, &dotted] {
        keeps(&folder, &["query", &mesh, &mesh, "--pairs", out], &["--pairs", "s.obj", over]);
        keeps(
            &folder,
            &["query", "gen:chair", &mesh, "--write-distances", out],
            &["--write-distances", over],
        );
        keeps(&folder, &["index", &mesh, "-o", out], &["--output", "s.obj", over]);
        keeps(&folder, &["clash", &mesh, "--csv", out], &["--csv", "s.obj", over]);
        keeps(&folder, &["bench", "build", &mesh, "--plot", out], &["--plot", over]);
        keeps(&folder, &["bench", "tumble", &mesh, "--plot", out], &["--plot", over]);
    }
    keeps(&folder, &["query", &mesh, &mesh, "--poses", &poses, "--pairs", &poses], &[over]);
    // Files that an input refers to are inputs, too.
    for command in [
        &["query", &document, &mesh, "--pairs"][..],
        &["index", &document, "-o"],
        &["clash", &document, "--csv"],
        &["clash", folder.path().to_str().unwrap(), "--glb"],
    ] {
        keeps(&folder, &[command, &[&buffer]].concat(), &["k.bin", over]);
    }
    // A file in an input folder.
    keeps(&folder, &["clash", folder.path().to_str().unwrap(), "--csv", &mesh], &["s.obj", over]);
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_same_file() {
    let folder = Folder::new();
    let mesh = folder.write("s.obj", Soup::cube([0.; 3], 1.).obj());
    let [symbolic, hard] = ["symbolic.csv", "hard.csv"].map(|name| folder.at(name));
    std::os::unix::fs::symlink(&mesh, &symbolic).unwrap();
    fs::hard_link(&mesh, &hard).unwrap();
    for out in [&symbolic, &hard] {
        for command in [
            &["query", &mesh, &mesh, "--pairs"][..],
            &["index", &mesh, "-o"],
            &["clash", &mesh, "--csv"],
        ] {
            keeps(&folder, &[command, &[out]].concat(), &["s.obj", ".csv", "overwrite"]);
        }
    }
    // One file as two outputs, by two names.
    let link = folder.at("link");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    let [first, second] = [folder.at("out.csv"), format!("{link}/out.csv")];
    keeps_two(&mesh, &first, &second);
}

#[cfg(unix)]
#[track_caller]
fn keeps_two(mesh: &str, first: &str, second: &str) {
    let run = impinge(["clash", mesh, "--csv", first, "-o", second]);
    run.refuses(&["--csv", "--output", "same file"]);
}

#[test]
fn scenes_and_their_files_are_not_overwritten() {
    let folder = Folder::new();
    let mesh = folder.write("s.obj", Soup::cube([0.; 3], 1.).obj());
    let poses = folder.write("poses.csv", "1,0,0,0,0,1,0,0,0,0,1,0\n");
    let text = "cycles = 2\n[[body]]\nmesh = \"s.obj\"\npath = { poses = \"poses.csv\" }\n";
    let scene = folder.write("scene.toml", text);
    for input in [&scene, &mesh, &poses] {
        for option in ["--contacts", "--write-poses", "--plot"] {
            keeps(&folder, &["run", &scene, option, input], &[option, "overwrite the input"]);
        }
    }
    keeps(&folder, &["run", &scene, "-o", &poses], &["--output", "poses.csv"]);
}

#[test]
fn robots_rules_and_baselines_are_not_overwritten() {
    let folder = Folder::new();
    let mesh = folder.write("link.obj", Soup::cube([0.; 3], 1.).obj());
    let robot = folder.write(
        "robot.urdf",
        r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="link.obj"/></geometry>
        </collision></link></robot>"#,
    );
    let rules = folder.write("rules.txt", "bolt*\n");
    let json = folder.at("old.json");
    assert_eq!(impinge(["clash", &mesh, "-o", &json]).code, Some(0));
    keeps(&folder, &["clash", &robot, "--csv", &mesh], &["--csv", "link.obj", "overwrite"]);
    keeps(&folder, &["clash", &robot, "--csv", &robot], &["robot.urdf", "overwrite"]);
    keeps(&folder, &["clash", &mesh, "--ignore-file", &rules, "--csv", &rules], &["rules.txt"]);
    keeps(&folder, &["clash", &mesh, "--baseline", &json, "-o", &json], &["old.json"]);
}

#[test]
fn a_scenario_does_not_replace_its_own_sources() {
    let folder = Folder::new();
    let a = folder.write("a.obj", Soup::cube([0.; 3], 1.).obj());
    let out = folder.path().to_str().unwrap();
    keeps(
        &folder,
        &["generate", "scenario", "gen:chair", &a, "--poses", "gen:tumble", "-o", out],
        &["a.obj", "overwrite"],
    );
}

/// Whether the folder of the pictures exists or not, and by whatever name it is given.
#[test]
fn no_other_file_goes_to_the_folder_of_the_pictures() {
    let folder = Folder::new();
    let pictures = folder.at("pictures");
    let refused = |option: &str, file: &str| {
        let run = impinge(["clash", "gen:gearbox", "--pictures", &pictures, option, file]);
        run.refuses(&[option, "--pictures", "choose a file outside"]);
    };
    let inside = format!("{pictures}/0001-pinion--wheel.png");
    refused("--picture", &inside);
    assert_eq!(folder.names(), [] as [&str; 0]);
    fs::create_dir(&pictures).unwrap();
    for option in ["--picture", "--csv", "--output", "--report", "--glb", "--bcf"] {
        refused(option, &inside);
        refused(option, &folder.at("./pictures/../pictures/out"));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&pictures, folder.at("link")).unwrap();
        refused("--csv", &folder.at("link/out.csv"));
    }
    assert_eq!(fs::read_dir(&pictures).unwrap().count(), 0);
    // Beside the folder is fine.
    let beside = folder.at("all.png");
    let run = impinge(["clash", "gen:gearbox", "--pictures", &pictures, "--picture", &beside]);
    assert_eq!(run.code, Some(1));
}

#[cfg(unix)]
mod interrupted {
    use super::*;
    use std::{
        path::Path,
        process::{Child, Command, Stdio},
        thread,
        time::Duration,
    };

    fn start(arguments: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_impinge"))
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Waits until a file is there, sends the signal, and returns the exit code.
    #[track_caller]
    fn stop(mut child: Child, signal: &str, is_there: impl Fn() -> bool) -> Option<i32> {
        while !is_there() {
            assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
            thread::sleep(Duration::from_millis(1));
        }
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        child.wait().unwrap().code()
    }

    #[test]
    fn an_interrupted_query_leaves_no_file() {
        for signal in ["INT", "TERM"] {
            let folder = Folder::new();
            let out = folder.at("pairs.csv");
            let (torus, poses) = ("gen:torus,faces=100000", "gen:tumble,steps=100000");
            let child = start(&["query", torus, torus, "--poses", poses, "--pairs", &out]);
            assert_eq!(stop(child, signal, || !folder.names().is_empty()), Some(130), "{signal}");
            assert_eq!(folder.names(), [] as [&str; 0]);
        }
    }

    #[test]
    fn an_interrupted_generate_leaves_no_file() {
        let folder = Folder::new();
        let out = folder.at("terrain.obj");
        let size = ["--columns", "1500", "--rows", "1500"];
        let child = start(&[&["generate", "terrain"][..], &size, &["-o", &out]].concat());
        assert_eq!(stop(child, "TERM", || !folder.names().is_empty()), Some(130));
        assert_eq!(folder.names(), [] as [&str; 0]);
    }

    /// The signal comes while the first pictures are drawn; the folder does not appear.
    #[test]
    fn interrupted_pictures_leave_no_folder() {
        for name in ["pictures", "deep/pictures"] {
            let folder = Folder::new();
            let (pictures, csv) = (folder.at(name), folder.at("rows.csv"));
            let plant = ["clash", "gen:plant,parts=300", "--clearance", "50mm"];
            let child = start(&[&plant[..], &["--pictures", &pictures, "--csv", &csv]].concat());
            let drawn = || has_picture(folder.path());
            assert_eq!(stop(child, "INT", drawn), Some(130));
            assert_eq!(folder.names(), [] as [&str; 0], "{name}");
        }
    }

    fn has_picture(folder: &Path) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        entries.flatten().any(|entry| {
            let path = entry.path();
            path.extension().is_some_and(|kind| kind == "png") || has_picture(&path)
        })
    }
}

/// If another file cannot be written, there are no pictures, and an existing folder is unchanged.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_pictures() {
    let folder = Folder::new();
    let pictures = folder.at("pictures");
    let run = || impinge(["clash", "gen:gearbox", "--pictures", &pictures, "--csv", "/dev/full"]);
    run().refuses(&["/dev/full"]);
    assert_eq!(folder.names(), [] as [&str; 0]);
    fs::create_dir(&pictures).unwrap();
    fs::write(format!("{pictures}/mine.txt"), "mine").unwrap();
    run().refuses(&["/dev/full"]);
    let inside = || -> Vec<String> {
        let entries = fs::read_dir(&pictures).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(inside(), ["mine.txt"]);
    assert_eq!(impinge(["clash", "gen:gearbox", "--pictures", &pictures]).code, Some(1));
    assert_eq!(inside().len(), 4, "{:?}", inside());
}

//! Elevation grids as terrains, in every command that reads meshes.

use crate::common::{Folder, corpus, impinge};
use serde_json::json;

/// Five columns and four rows of cells of size 10; one sample in the middle is missing.
const GRID: &str = "ncols 5\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -1\n\
    0 0 0 0 0\n0 0 -1 0 0\n0 0 0 0 0\n0 0 0 0 0\n";

/// A block that floats above the missing sample, and its poses: as it is, and 5 lower, where it touches what is there.
fn block(folder: &Folder) -> (String, String) {
    let block = folder.at("block.obj");
    impinge(["generate", "cuboid", "--x", "4", "--y", "4", "--z", "4", "-o", &block]).succeeds();
    let pose = |z: f64| format!("1,0,0,25,0,1,0,25,0,0,1,{z}\n");
    (block, folder.write("poses.csv", pose(6.0) + &pose(1.0)))
}

#[test]
fn options_reach_the_reader() {
    let folder = Folder::new();
    let grid = folder.write("hill.asc", GRID);
    let inspect = |options: &[&str]| {
        let report =
            impinge([&["inspect", "--json", &grid][..], options].concat()).succeeds().json();
        (report["vertices"].clone(), report["faces"].clone(), report["min"].clone())
    };
    // 12 cells, of which four have only three samples.
    assert_eq!(inspect(&[]), (json!(19), json!(20), json!([5.0, 5.0, 0.0])));
    let filled = inspect(&["--grid-missing", "-9.5"]);
    assert_eq!(filled, (json!(20), json!(24), json!([5.0, 5.0, -9.5])));
    assert_eq!(inspect(&["--grid-every", "2"]), (json!(5), json!(2), json!([5.0, 5.0, 0.0])));
    let degrees = inspect(&["--grid-coordinates", "geographic"]);
    assert_eq!((degrees.0, degrees.1), (json!(19), json!(20)));
    assert!(degrees.2[0].as_f64().unwrap() < -2e6, "{}", degrees.2);
    for (option, value) in
        [("--grid-every", "0"), ("--grid-missing", "nan"), ("--grid-coordinates", "utm")]
    {
        impinge(["inspect", &grid, option, value]).misused(&[option]);
    }
}

#[test]
fn terrains_are_queried_checked_and_run() {
    let folder = Folder::new();
    let grid = folder.write("hill.asc", GRID);
    let (block, poses) = block(&folder);
    let query = |options: &[&str]| {
        let arguments = [&["query", &grid, &block, "--poses", &poses][..], options].concat();
        impinge(arguments).succeeds().json()["colliding_steps"].clone()
    };
    // The block falls through the hole, unless it is filled.
    assert_eq!(query(&["--method", "brute"]), 0);
    assert_eq!(query(&["--method", "brute", "--grid-missing", "0"]), 1);

    let index = [folder.at("a.index"), folder.at("b.index")];
    for (mesh, index) in [&grid, &block].into_iter().zip(&index) {
        impinge(["index", mesh, "--grid-missing", "0", "-o", index]).succeeds();
    }
    let indexed = ["--index-a", &index[0], "--index-b", &index[1], "--grid-missing", "0"];
    assert_eq!(query(&indexed), 1);

    let scene = "cycles = 2\n[[body]]\nmesh = \"hill.asc\"\nfixed = true\n[[body]]\nmesh = \"block.obj\"\n\
                 at = [25.0, 25.0, 1.0]\n";
    let scene = folder.write("scene.toml", scene);
    let run = |options: &[&str]| {
        let out = folder.at("rows.csv");
        impinge([&["run", &scene, "--contacts", &out][..], options].concat()).succeeds();
        folder.text("rows.csv").lines().count() > 1
    };
    assert!(!run(&[]));
    assert!(run(&["--grid-missing", "0"]));

    // The block stands in a floor of holes: one part touches nothing, with a floor it clashes.
    let placed = folder.at("placed");
    let [to, at] = [&placed, &format!("{placed}/a.obj")];
    let options = ["--grid-missing", "0", "--poses", "gen:tumble,steps=1", "-o", to];
    impinge([&["generate", "scenario", &grid, &block][..], &options].concat()).succeeds();
    let faces = impinge(["inspect", "--json", at]).succeeds().json()["faces"].clone();
    assert_eq!(faces, 24);
    let clash =
        |options: &[&str]| impinge([&["clash", "--json", &grid, at][..], options].concat()).code;
    assert_eq!(clash(&[]), Some(1), "two copies of a terrain");
}

#[test]
fn bad_grids_name_the_place() {
    let folder = Folder::new();
    let refuses = |name: &str, text: &str, pieces: &[&str]| {
        let file = folder.write(name, text);
        impinge(["inspect", &file]).refuses(&[&[&*file][..], pieces].concat());
    };
    refuses("short.asc", &GRID.replace("0 0 0 0 0\n", ""), &[":7:", "ends after 5 of 20"]);
    refuses("lie.asc", &GRID.replace("ncols 5", "ncols 1000000000"), &[":6:", "too short"]);
    refuses("word.asc", &GRID.replace("-1 0 0", "low 0 0"), &[":8:", "`low`"]);
    refuses("obj.dem", "v 0 0 0\nv 1 0 0\n", &["looks like OBJ"]);
    refuses("text.dt1", "hello", &["not a DTED file"]);
    refuses("text.dem", "hello", &["expected the pattern code"]);
    refuses("grid.obj", GRID, &["looks like ESRI ASCII grid"]);
}

#[test]
fn real_terrains_are_read() {
    let Some(data) = corpus() else { return };
    for (file, vertices, faces) in [
        ("SainteHelens.dem", 148_885, 296_203),
        ("n43.dt0", 121 * 121, 2 * 120 * 120),
        ("SRTMGL3_colorado_front_range.asc", 240 * 144, 2 * 239 * 143),
    ] {
        let path = data.join("terrain").join(file).into_os_string().into_string().unwrap();
        let report = impinge(["inspect", "--json", &path]).succeeds().json();
        assert_eq!(
            (&report["vertices"], &report["faces"]),
            (&json!(vertices), &json!(faces)),
            "{file}"
        );
        // A shuttle that stands on the ground touches it.
        impinge(["query", &path, "gen:shuttle", "--method", "wide"]).succeeds();
    }
}

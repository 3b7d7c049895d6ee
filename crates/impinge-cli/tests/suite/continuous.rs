//! Tests of `impinge run --continuous`: impacts between cycles.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, csv, impinge};
use serde_json::Value;

fn scene(name: &str) -> String {
    format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// The lines of a kind.
fn lines(arguments: &[&str], kind: &str) -> Vec<Value> {
    let mut lines = impinge(arguments).succeeds().json_lines();
    lines.retain(|line| line["kind"] == kind);
    lines
}

#[test]
fn a_bullet_is_missed_at_the_cycles_and_found_between_them() {
    let bullet = scene("bullet");
    let missed = lines(&["run", &bullet], "summary").remove(0);
    assert_eq!((&missed["contacts"], &missed["first_contact"]), (&0.into(), &Value::Null));
    assert!(missed.get("impacts").is_none() && missed.get("first_impact").is_none(), "{missed}");
    assert!(lines(&["run", &bullet], "impact").is_empty());

    let found = lines(&["run", &bullet, "--continuous"], "summary").remove(0);
    assert_eq!((&found["contacts"], &found["impacts"]), (&0.into(), &1.into()), "{found}");
    assert_eq!(found["impact_cycles"], 1);
    // The tip starts 18.5 units before the plate, and flies 8 a cycle.
    let time = found["first_impact"].as_f64().unwrap();
    assert!((time - 18.5 / 8.0).abs() < 1e-9, "{time}");
    let impacts = lines(&["run", &bullet, "--continuous"], "impact");
    let [impact] = &impacts[..] else { panic!("{impacts:?}") };
    assert_eq!((&impact["body_a"], &impact["body_b"]), (&"plate".into(), &"bullet".into()));
    assert_eq!(impact["cycle"], 3);
    assert!((impact["time"].as_f64().unwrap() - 0.3125).abs() < 1e-9, "{impact}");
    assert!((impact["normal"][0].as_f64().unwrap() + 1.0).abs() < 1e-9, "{impact}");
    assert!((impact["point_a"][0].as_f64().unwrap() + 0.05).abs() < 1e-9, "{impact}");
    assert!(impact["distance"].as_f64().unwrap() < 1e-8, "{impact}");
}

#[test]
fn a_spinning_blade_hits_the_post_and_never_the_ring() {
    let blade = scene("spinning-blade");
    let instants = lines(&["run", &blade], "summary").remove(0);
    assert_eq!(instants["contacts"], 0, "{instants}");
    let impacts = lines(&["run", &blade, "--continuous"], "impact");
    assert_eq!(impacts.len(), 9, "{impacts:?}");
    assert!(impacts.iter().all(|impact| impact["body_b"] == "post"), "{impacts:?}");
    // The leading face of the blade is 0.05 from its axis. It first meets the corner (0.1, 1.9) of the post.
    let (x, y) = (0.1_f64, 1.9_f64);
    let corner = y.atan2(x) - (0.05 / x.hypot(y)).asin();
    for impact in impacts {
        let cycle = impact["cycle"].as_f64().unwrap();
        // The blade looks the same after half a turn.
        let start = ((cycle - 1.0) * 200.0).rem_euclid(180.0);
        let way = (corner.to_degrees() - start).rem_euclid(180.0);
        let time = impact["time"].as_f64().unwrap();
        assert!((time - way / 200.0).abs() < 1e-9, "cycle {cycle}: {time}, not {}", way / 200.0);
    }
}

/// All kinds of motion, with several impacts in a cycle.
const MEDLEY: &str = r#"
continuous = true
cycles = 12
seed = 3
[room]
min = [-9.0, -9.0, -9.0]
max = [9.0, 9.0, 9.0]
[[body]]
name = "wall"
mesh = "gen:cuboid,x=0.1,y=8,z=8"
fixed = true
[[body]]
name = "fast"
mesh = "gen:sphere,faces=48"
scatter = { count = 8, min = [-7.0, -5.0, -5.0], max = [7.0, 5.0, 5.0], apart = true }
billiard = { speed = 4.0, turn = [0.0, 200.0, 90.0] }
[[body]]
name = "tumbler"
mesh = "gen:cuboid,x=2"
at = [-5.0, 0.0, 0.0]
path = { poses = "gen:tumble,steps=12", end = "again" }
[[body]]
name = "flier"
mesh = "gen:sphere,faces=168"
at = [5.0, 5.0, 5.0]
ignore = ["fast"]
flight = { by = [-1.0, -0.9, -0.7], turn = [9.0, 40.0, 0.0] }
"#;

/// Impacts come in order, do not depend on broad phase, method and threads, and are in every file.
#[test]
fn impacts_are_the_same_for_every_choice_and_in_every_file() {
    let folder = Folder::new();
    let medley = folder.write("medley.toml", MEDLEY);
    let without_times = |mut lines: Vec<Value>| {
        for line in &mut lines {
            let keep = |key: &str| {
                let depends = ["near", "candidates", "skipped"].contains(&key);
                !key.ends_with("_us") && !key.ends_with("_ms") && !depends
            };
            line.as_object_mut().unwrap().retain(|key, _| keep(key));
        }
        lines.retain(|line| line["kind"] != "summary");
        lines
    };
    let expected = without_times(impinge(["run", &medley]).succeeds().json_lines());
    let choices = [
        vec!["--broad", "sweep", "--threads", "1"],
        vec!["--broad", "tree", "--method", "obb"],
        vec!["--broad", "spheres", "--method", "dop18", "--threads", "3"],
        vec!["--broad", "hull-directions14", "--coherence", "all"],
        vec!["--broad", "none", "--method", "brute"],
        vec!["--broad", "directions26", "--method", "face-octree"],
    ];
    for choice in choices {
        let mut arguments = vec!["run", &*medley];
        arguments.extend(&choice);
        let found = without_times(impinge(arguments).succeeds().json_lines());
        assert_eq!(found, expected, "{choice:?}");
    }
    let impacts: Vec<&Value> = expected.iter().filter(|line| line["kind"] == "impact").collect();
    assert!(impacts.len() > 10, "{} impacts", impacts.len());
    let when = |line: &&Value| line["cycle"].as_f64().unwrap() + line["time"].as_f64().unwrap();
    assert!(impacts.is_sorted_by_key(when));

    let [rows, list, plot] = ["rows.csv", "impacts.csv", "plot.svg"].map(|name| folder.at(name));
    let arguments = ["run", &medley, "-o", &rows, "--impacts", &list, "--plot", &plot, "--stats"];
    let summary = impinge(arguments).succeeds().json_lines().remove(0);
    assert_eq!(summary["impacts"], impacts.len());
    let list = csv(&folder.text("impacts.csv"));
    assert_eq!(list.len(), impacts.len() + 1);
    for (row, impact) in list[1..].iter().zip(&impacts) {
        assert_eq!(row.len(), list[0].len());
        assert_eq!(row[2].parse::<f64>().unwrap(), impact["time"].as_f64().unwrap());
        let names = [&impact["body_a"], &impact["body_b"]].map(|name| name.as_str().unwrap());
        assert_eq!([&*row[3], &*row[4]], names);
    }
    let rows = csv(&folder.text("rows.csv"));
    let column = rows[0].iter().position(|name| name == "impacts").unwrap();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let sum: usize = rows[1..].iter().map(|row| row[column].parse::<usize>().unwrap()).sum();
    assert_eq!(sum, impacts.len());
    assert!(folder.text("plot.svg").contains("first contacts"));
}

#[test]
fn a_run_stops_at_an_impact_between_cycles() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(scene("bullet")).unwrap();
    let stopping = folder.write("stop.toml", format!("stop_at_contact = true\n{text}"));
    let summary = lines(&["run", &stopping], "summary").remove(0);
    assert_eq!((&summary["stopped"], &summary["cycles"]), (&"cycles".into(), &6.into()));
    let summary = lines(&["run", &stopping, "--continuous"], "summary").remove(0);
    assert_eq!((&summary["stopped"], &summary["cycles"]), (&"contact".into(), &4.into()));
}

/// A triangle whose vertices jump from above a plate to below it: nothing touches at the cycles.
#[test]
fn bodies_that_deform_are_followed_between_cycles() {
    let folder = Folder::new();
    for (frame, z) in [(0, 4.0), (1, -4.0)] {
        let text = format!("v 0 0 {z}\nv 1 0 {z}\nv 0 1 {z}\nf 1 2 3\n");
        folder.write(&format!("frame_{frame}.obj"), text);
    }
    let text = "cycles = 3\n[[body]]\nmesh = \"gen:cuboid,x=9,y=9,z=0.01\"\n[[body]]\nname = \"jumper\"\n\
                sequence = { files = \"frame_*.obj\", end = \"stay\" }\n";
    let jump = folder.write("jump.toml", text);
    let summary = lines(&["run", &jump], "summary").remove(0);
    assert_eq!(summary["contacts"], 0, "{summary}");
    let cycles = lines(&["run", &jump, "--continuous"], "cycle");
    let impacts: Vec<_> = cycles.iter().map(|cycle| cycle["impacts"].as_u64().unwrap()).collect();
    assert_eq!(impacts, [0, 1, 0]);
    let time = cycles[1]["impact_time"].as_f64().unwrap();
    assert!((time - 3.995 / 8.0).abs() < 1e-9, "{time}");
    let cycles = lines(&["run", &jump, "--swept"], "cycle");
    let pairs: Vec<_> = cycles.iter().map(|cycle| cycle["swept_pairs"].as_u64().unwrap()).collect();
    assert!(pairs[0] == 0 && pairs[1] > 0 && pairs[2] == 0, "{pairs:?}");
}

#[test]
fn impacts_that_cannot_be_found_are_refused() {
    let folder = Folder::new();
    let list = folder.at("impacts.csv");
    let run = impinge(["run", &scene("bullet"), "--impacts", &list]);
    run.refuses(&["--impacts: impacts between cycles need --continuous"]);
    let half = "cycles = 3\n[[body]]\nmesh = \"gen:cuboid\"\npath = { poses = \"half.csv\" }\n";
    folder.write("half.csv", "1,0,0,0,0,1,0,0,0,0,1,0\n-1,0,0,0,0,-1,0,0,0,0,1,0\n");
    let half = folder.write("half.toml", half);
    impinge(["run", &half]).succeeds();
    let run = impinge(["run", &half, "--continuous", "-o", &folder.at("rows.csv")]);
    run.refuses(&["cycle 1: body body1: the poses differ by a rotation of 180 degrees"]);
    assert_eq!(folder.names(), ["half.csv", "half.toml"]);
}

/// The first impact is on the way to the first cycle with a contact, and the run stops there.
#[test]
fn impacts_of_the_papers_come_before_their_contacts() {
    // From cycle 196 to 197, according to the paper.
    for (name, cycle) in [("003-table-1", 197), ("003-figure-13", 184)] {
        let arguments = ["run", &*scene(name), "--method", "wide", "--continuous"];
        for summary in lines(&arguments, "summary") {
            assert_eq!(summary["first_contact"], cycle, "{summary}");
            let first = summary["first_impact"].as_f64().unwrap();
            let cycle = f64::from(cycle);
            assert!((cycle - 1.0..cycle).contains(&first), "{summary}");
        }
    }
}

//! Tests of `impinge run`: scenes of moving bodies.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Run, Soup, csv, impinge, soup::placed};
use impinge_oracle::triangles_touch;
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::PathBuf, time::Duration};

/// The scene files of the repository.
fn scenes() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut scenes: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    scenes.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    scenes.sort();
    scenes
}

fn scene(name: &str) -> String {
    let found = scenes().into_iter().find(|path| path.file_stem().unwrap() == name);
    found.unwrap_or_else(|| panic!("no scene {name}")).into_os_string().into_string().unwrap()
}

/// Returns the lines of cycles without times, which differ from run to run.
fn counts(lines: &[Value]) -> Vec<Value> {
    let mut lines: Vec<Value> =
        lines.iter().filter(|line| line["kind"] == "cycle").cloned().collect();
    for line in &mut lines {
        line.as_object_mut().unwrap().retain(|key, _| !key.ends_with("_us"));
    }
    lines
}

/// Returns the pose of each body at each cycle.
fn poses(text: &str) -> Vec<(u64, String, [f64; 12])> {
    let rows = csv(text).into_iter().skip(1).map(|row| {
        let numbers: Vec<f64> = row[3..].iter().map(|number| number.parse().unwrap()).collect();
        (row[1].parse().unwrap(), row[2].clone(), numbers.try_into().unwrap())
    });
    rows.collect()
}

#[test]
fn every_scene_of_the_papers_runs() {
    let scenes = scenes();
    assert!(scenes.len() >= 12, "{scenes:?}");
    for path in scenes {
        let (folder, path) = (Folder::new(), path.to_str().unwrap());
        let text = fs::read_to_string(path).unwrap();
        let stops = text.contains("stop_at_contact = true");
        let [rows, plot] = ["rows.csv", "plot.svg"].map(|name| folder.at(name));
        let mut arguments = vec!["run", path, "-o", &rows, "--plot", &plot];
        if !stops {
            arguments.extend(["--cycles", "40"]);
        }
        // The method `naive` is too slow to run until bodies touch.
        if text.contains("naive") {
            impinge(["run", path, "--cycles", "2"]).succeeds();
            arguments.extend(["--method", "wide", "--broad", "packed"]);
        }
        let summaries = impinge(arguments).succeeds().json_lines();
        assert_eq!(summaries.len(), text.matches("[[run]]").count().max(1), "{path}");
        let mut cycles = 0;
        for summary in &summaries {
            assert_eq!(summary["kind"], "summary");
            let reason = if stops { "contact" } else { "cycles" };
            assert_eq!(summary["stopped"], reason, "{path}: {summary}");
            cycles += summary["cycles"].as_u64().unwrap();
        }
        let rows = csv(&folder.text("rows.csv"));
        assert_eq!(rows.len() as u64, cycles + 1, "{path}");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{path}");
        assert!(folder.text("plot.svg").ends_with("</svg>\n"), "{path}");
        assert_eq!(folder.names(), ["plot.svg", "rows.csv"]);
    }
}

/// The cycles at which the bodies of the papers touch.
#[test]
fn scenes_touch_when_the_papers_do() {
    // From cycle 196 to 197, according to the paper.
    for (name, cycle) in [("003-table-1", 197), ("003-figure-13", 184), ("000-figure-3.6", 72)] {
        let folder = Folder::new();
        let rows = folder.at("rows.csv");
        let run = impinge(["run", &scene(name), "--method", "wide", "-o", &rows]).succeeds();
        for summary in run.json_lines() {
            assert_eq!(summary["first_contact"], cycle, "{summary}");
            assert_eq!(summary["cycles"], cycle + 1, "{summary}");
        }
    }
}

/// The path of a body is the pose file that `query` reads: it finds the contacts of the run.
#[test]
fn the_path_of_a_body_gives_the_contacts_of_the_run() {
    let folder = Folder::new();
    let text = "cycles = 40\n[[body]]\nname = \"still\"\nmesh = \"gen:cuboid\"\nfixed = true\n[[body]]\nname = \"bowl\"\n\
                mesh = \"gen:torus,faces=400\"\nat = [0.4, 0.0, 0.0]\n\
                vibrate = { by = [0.0, 0.5, 1.0], turn = [10.0, 0.0, 0.0], period = 16.0, phase = 30.0 }\n\
                [[run]]\nname = \"one\"\n[[run]]\nname = \"two\"\nmethod = \"obb\"\n";
    fs::write(folder.at("scene.toml"), text).unwrap();
    let (scene, path) = (folder.at("scene.toml"), folder.at("path.csv"));
    let run =
        impinge(["run", &scene, "--write-path", &format!("bowl={path}"), "--json"]).succeeds();
    let lines = run.json_lines();
    let of_run = |name: &str| -> Vec<u64> {
        let rows = lines.iter().filter(|line| line["kind"] == "cycle" && line["run"] == name);
        rows.map(|line| line["contacts"].as_u64().unwrap()).collect()
    };
    let contacts = of_run("one");
    assert_eq!(contacts, of_run("two"));
    assert_eq!(folder.text("path.csv").lines().count(), 40);
    let mesh = "gen:torus,faces=400";
    let query = ["query", "gen:cuboid", mesh, "--poses", &path, "--all", "--json"];
    let found = impinge(query).succeeds().json_lines();
    assert_eq!(found[0]["pairs"], contacts.iter().sum::<u64>());
    let touching = contacts.iter().filter(|&&count| count > 0).count();
    assert_eq!(found[0]["colliding_steps"], touching);
    assert!((5..40).contains(&touching), "{contacts:?}");
    // A period later all is as before, up to the rounding of the sine.
    assert_eq!(contacts[3..20], contacts[19..36]);
    impinge(["run", &scene, "--write-path", "cup=x.csv"]).refuses(&["no body cup"]);
    impinge(["run", &scene, "--write-path", "bowl"]).misused(&["BODY=OUT.csv"]);
}

#[test]
fn only_two_spheres_of_the_table_touch() {
    let folder = Folder::new();
    impinge(["run", &scene("003-table-1"), "--contacts", &folder.at("c.csv")]).succeeds();
    let rows = csv(&folder.text("c.csv"));
    assert_eq!(rows[0], ["run", "cycle", "body_a", "body_b", "face_a", "face_b"]);
    assert!(rows.len() > 5);
    assert!(rows[1..].iter().all(|row| row[1..4] == ["197", "A", "B"]), "{rows:?}");
}

/// A block sinks into a floor: one region that keeps its id, and gets deeper by as much as the block moves.
#[test]
fn regions_are_written_for_each_cycle() {
    let folder = Folder::new();
    let scene = folder.write(
        "sinking.toml",
        r#"
            cycles = 11
            [[body]]
            name = "floor"
            mesh = "gen:cuboid,x=9,y=9,z=1"
            fixed = true
            [[body]]
            name = "block"
            mesh = "gen:cuboid,x=1,y=2,z=1"
            at = [0.25, 0.5, 1.0625]
            steady = { by = [0.0, 0.0, -0.0125] }
        "#,
    );
    let path = folder.at("regions.csv");
    impinge(["run", &scene, "--regions", &path]).succeeds();
    let rows = csv(&folder.text("regions.csv"));
    let header =
        "run,cycle,body_a,body_b,region,contacts,px,py,pz,nx,ny,nz,depth,area,radius,length";
    assert_eq!(rows[0].join(","), header);
    // The block touches at cycle 5.
    assert_eq!(rows.len(), 7, "{rows:?}");
    for (row, cycle) in rows[1..].iter().zip(5..) {
        assert_eq!(row[..5], ["sinking", &format!("{cycle}"), "floor", "block", "1"]);
        let number = |column: usize| row[column].parse::<f64>().expect("a number");
        let depth = 0.0125 * f64::from(cycle - 5);
        let expected =
            [0.25, 0.5, 0.5 - depth / 2.0, 0.0, 0.0, -1.0, depth, 2.0, 1.25f64.sqrt(), 6.0];
        for (column, expected) in (6..).zip(expected) {
            assert!(
                (number(column) - expected).abs() < 1e-9,
                "cycle {cycle}, column {column}: {row:?}"
            );
        }
    }
    impinge(["run", &scene, "--regions", &scene]).refuses(&["sinking.toml", "overwrite"]);
}

/// All kinds of motion in one room.
const MEDLEY: &str = r#"
cycles = 60
seed = 5

[room]
min = [-5.0, -5.0, -5.0]
max = [5.0, 5.0, 5.0]

[dynamics]
gravity = [0.0, 0.0, -0.002]
restitution = 0.8

[[body]]
name = "floor"
mesh = "gen:cuboid,x=9,y=9,z=0.5"
at = [0.0, 0.0, -4.0]
fixed = true

[[body]]
name = "flying"
mesh = "gen:shuttle"
size = 1.5
scatter = { count = 80, min = [-3.5, -3.5, -3.0], max = [3.5, 3.5, 3.5], turned = true }
flight = { speed = 0.1, turn = [2.0, 0.0, 1.0] }

[[body]]
name = "flitting"
mesh = "gen:chair"
scatter = { count = 20, min = [-3.5, -3.5, -3.0], max = [3.5, 3.5, 3.5] }
billiard = { speed = 0.1, turn = [0.0, 3.0, 0.0], wander = 0.2 }

[[body]]
name = "steady"
mesh = "gen:sphere,faces=168"
turn_about = { axis = [1.0, 1.0, 0.0], degrees = 30.0 }
grid = { count = [3, 1, 2], step = [1.5, 0.0, 3.0] }
at = [-1.5, 0.0, -1.0]
steady = { by = [0.0, 0.03, 0.0], turn = [0.0, 0.0, 5.0] }

[[body]]
name = "round"
mesh = "gen:torus,faces=400"
path = { poses = "gen:tumble,steps=25", end = "again" }
"#;

#[test]
fn runs_do_not_depend_on_method_broad_phase_or_threads() {
    let folder = Folder::new();
    let medley = folder.write("medley.toml", MEDLEY);
    let run = |name: &str, more: &[&str]| {
        let [contacts, poses] =
            [".contacts", ".poses"].map(|end| folder.at(&format!("{name}{end}")));
        let arguments = ["run", &medley, "--contacts", &contacts, "--write-poses", &poses];
        let lines = impinge([&arguments[..], more].concat()).succeeds().json_lines();
        (counts(&lines), fs::read(contacts).unwrap(), fs::read(poses).unwrap())
    };
    let (rows, contacts, poses) = run("first", &[]);
    let sum: u64 = rows.iter().map(|row| row["contacts"].as_u64().unwrap()).sum();
    let ended: u64 = rows.iter().map(|row| row["ended"].as_u64().unwrap()).sum();
    assert!(rows.len() == 60 && sum > 1000 && ended > 20, "hardly a contact: {sum}, {ended}");
    for threads in ["1", "2", "5", "0"] {
        assert!(run("other", &["--threads", threads]).0 == rows, "{threads} threads");
    }
    for broad in [
        "all-pairs",
        "boxes",
        "spheres",
        "none",
        "sweep",
        "directions8",
        "directions14",
        "directions26",
        "hull-directions18",
        "tree",
        "packed",
    ] {
        let (_, other_contacts, other_poses) = run(broad, &["--broad", broad, "--threads", "2"]);
        assert!(other_contacts == contacts && other_poses == poses, "{broad}");
    }
    for method in ["obb", "boxtree"] {
        for coherence in ["none", "skips", "fronts", "all"] {
            let options = ["--method", method, "--coherence", coherence, "--threads", "2"];
            let (rows, other_contacts, other_poses) = run(coherence, &options);
            assert!(other_contacts == contacts && other_poses == poses, "{method}, {coherence}");
            let skipped: u64 = rows.iter().map(|row| row["skipped"].as_u64().unwrap()).sum();
            let skips = ["skips", "all"].contains(&coherence);
            assert_eq!(skipped > 10, skips, "{method}, {coherence}: {skipped}");
        }
    }
}

#[test]
fn tests_are_distributed_among_threads() {
    let folder = Folder::new();
    let medley = folder.write("medley.toml", MEDLEY);
    let run = |name: &str, more: &[&str]| {
        let contacts = folder.at(&format!("{name}.contacts"));
        let arguments = ["run", &medley, "--method", "face-octree", "--contacts", &contacts];
        let lines = impinge([&arguments[..], more].concat()).succeeds().json_lines();
        (lines, fs::read(contacts).unwrap())
    };
    let (_, expected) = run("first", &[]);
    for distribution in ["static", "grab", "producer", "steal"] {
        for threads in ["1", "3"] {
            let options = ["--distribution", distribution, "--threads", threads];
            let (lines, contacts) = run(distribution, &options);
            let mut all_tested = 0;
            assert!(contacts == expected, "{distribution}, {threads} threads");
            for line in lines.iter().filter(|line| line["kind"] == "cycle") {
                let sum: f64 = ["regions_us", "faces_us", "cells_us", "tests_us"]
                    .iter()
                    .map(|step| line[step].as_f64().unwrap())
                    .sum();
                assert!(sum <= line["narrow_us"].as_f64().unwrap() + 0.01, "{line}");
                let [tested, busiest] = ["tested", "busiest"].map(|it| line[it].as_u64().unwrap());
                assert_eq!(line["workers"].to_string(), threads, "{line}");
                assert!(busiest <= tested && tested <= busiest * 3, "{line}");
                all_tested += tested;
            }
            assert!(all_tested > 10_000, "hardly a test: {all_tested}");
            let summary = lines.last().unwrap();
            assert_eq!(summary["distribution"], distribution);
            assert!(summary["last_steps"]["tested"].is_u64(), "{summary}");
        }
    }
    let rows = folder.at("rows.csv");
    let more = ["--distribution", "static", "-o", &rows];
    run("rows", &more);
    let text = fs::read_to_string(rows).unwrap();
    let table = csv(&text);
    assert!(table[0].ends_with(&["busiest".to_owned(), "workers".to_owned()]), "{:?}", table[0]);
    assert!(table.iter().all(|row| row.len() == table[0].len()), "{text}");
    let refused = impinge(["run", &medley, "--method", "wide", "--distribution", "grab"]);
    refused.refuses(&["medley.toml", "--distribution", "wide", "--method face-octree"]);
}

/// Threads are bound to cores, or the message says why they are not.
#[test]
fn threads_can_be_pinned() {
    let scene = scene("000-figure-4.2");
    for threads in ["1", "2", "5"] {
        let pinned = impinge(["run", &scene, "--pin", "--threads", threads, "--cycles", "3"]);
        match pinned.code {
            Some(0) => _ = pinned.succeeds(),
            _ => pinned.refuses(&["--pin", "leave out --pin"]),
        }
    }
}

/// The reference: a loop over all faces of all bodies, at the poses that the run reports.
#[test]
fn contacts_agree_with_a_loop_over_all_faces() {
    let folder = Folder::new();
    let soups = [
        ("cube", Soup::cube([0.0; 3], 1.0)),
        ("tetra", Soup::tetrahedron()),
        ("grid", Soup::grid(11, 12, 3, 0.5)),
    ];
    let mut text = String::from("cycles = 12\n[dynamics]\ngravity = [0.0, 0.0, -0.02]\n");
    for (i, (name, soup)) in soups.iter().enumerate() {
        folder.write(&format!("{name}.obj"), soup.obj());
        let motion = [
            "steady = { by = [0.25, 0.0, 0.0] }",
            "flight = { turn = [9.0, 0.0, 7.0] }",
            "billiard = { by = [0.0, 0.1, 0.1], turn = [0.0, 11.0, 0.0] }",
        ][i];
        text += &format!(
            "[[body]]\nname = \"{name}\"\nmesh = \"{name}.obj\"\nat = [{}.0, 0.25, 0.0]\n{motion}\n\
             grid = {{ count = [2, 1, 1], step = [0.5, 0.0, 0.75] }}\n",
            i as i32 - 1
        );
    }
    let scene = folder.write("scene.toml", text);
    let [contacts, places] = ["c.csv", "p.csv"].map(|name| folder.at(name));
    impinge(["run", &scene, "--contacts", &contacts, "--write-poses", &places]).succeeds();
    let places = poses(&folder.text("p.csv"));
    assert_eq!(places.len(), 12 * 6);
    let mut expected = String::from("run,cycle,body_a,body_b,face_a,face_b\n");
    for bodies in places.chunks(6) {
        let triangles = bodies.iter().map(|(_, name, pose)| {
            let soup = &soups.iter().find(|(soup, _)| name.starts_with(soup)).unwrap().1;
            let place = |corner: usize| placed(soup.positions[corner], pose);
            soup.faces.iter().map(|face| face.map(place)).collect::<Vec<_>>()
        });
        let triangles: Vec<_> = triangles.collect();
        for a in 0..6 {
            for b in a + 1..6 {
                for (i, p) in triangles[a].iter().enumerate() {
                    for (j, q) in triangles[b].iter().enumerate() {
                        if triangles_touch(p, q) {
                            let (cycle, [a, b]) = (bodies[0].0, [&bodies[a].1, &bodies[b].1]);
                            expected += &format!("scene,{cycle},{a},{b},{i},{j}\n");
                        }
                    }
                }
            }
        }
    }
    assert!(expected.lines().count() > 200, "hardly a contact");
    assert!(folder.text("c.csv") == expected, "{}\n{expected}", folder.text("c.csv"));
}

#[test]
fn a_billiard_path_turns_back_at_a_hit() {
    let folder = Folder::new();
    let scene = folder.write(
        "scene.toml",
        r#"
        cycles = 60
        [[body]]
        name = "block"
        mesh = "gen:cuboid"
        at = [3.0, 0.0, 0.0]
        fixed = true
        [[body]]
        name = "ball"
        mesh = "gen:sphere,faces=168"
        billiard = { by = [0.125, 0.0, 0.0], turn = [0.0, 0.0, 2.0] }
        "#,
    );
    let [rows, places] = ["rows.jsonl", "poses.csv"].map(|name| folder.at(name));
    impinge(["run", &scene, "-o", &rows, "--write-poses", &places]).succeeds();
    let rows: Vec<Value> =
        folder.text("rows.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let hit = rows.iter().position(|row| row["began"] == 1).expect("it never hits the block");
    let ball: Vec<[f64; 12]> = poses(&folder.text("poses.csv"))
        .iter()
        .filter(|row| row.1 == "ball")
        .map(|row| row.2)
        .collect();
    assert_eq!(rows[hit + 1]["ended"], 1);
    assert_eq!(ball[hit][3], hit as f64 * 0.125);
    for step in 1..=hit {
        for (here, there) in ball[hit - step].iter().zip(&ball[hit + step]) {
            assert!((here - there).abs() < 1e-12, "{step} cycles from the hit at {hit}");
        }
    }
    // On the other side there is nothing to bounce off.
    assert!(ball[59][3] < ball[58][3]);
}

#[test]
fn elastic_flight_keeps_its_energy_and_gravity_adds_to_it() {
    let folder = Folder::new();
    let flight = |gravity: &str, restitution: &str| {
        let scene = folder.write(
            "scene.toml",
            format!(
                "cycles = 100\nroom = {{ min = [-4, -4, -4], max = [4, 4, 4] }}\n\
                 [dynamics]\ngravity = [0, 0, {gravity}]\nrestitution = {restitution}\n\
                 [[body]]\nmesh = \"gen:shuttle\"\nsize = 1\n\
                 scatter = {{ count = 40, min = [-3, -3, -3], max = [3, 3, 3], turned = true }}\n\
                 flight = {{ speed = 0.1, turn = [1, 2, 3], mass = 2 }}\n"
            ),
        );
        let run = impinge(["run", &scene, "-o", &folder.at("rows.csv")]).succeeds().json();
        assert!(run["contacts"].as_u64() > Some(100), "hardly a contact: {run}");
        [&run["energy_before"], &run["energy_after"]].map(|energy| energy.as_f64().unwrap())
    };
    let [before, after] = flight("0", "1");
    assert!(before > 0.1 && (before - after).abs() < 1e-9 * before, "{before} became {after}");
    let [before, after] = flight("0", "0.5");
    assert!(after < 0.9 * before, "{before} became {after}");
    let [before, after] = flight("-0.01", "1");
    assert!(after > 1.1 * before, "{before} became {after}");
}

/// A small block of pipes that falls into a large one, with figures as if from a paper.
const FALL: &str = r#"
title = "A <small> fall"
cycles = 120
threads = 1
[dynamics]
toward = { point = [0.0, 0.0, 0.0], pull = 0.001 }
restitution = 0.9
[paper]
source = "Somebody & others, Table 7"
contacts = 4321
box_tests = 765
seconds = 16.5
[[body]]
mesh = "gen:pipes,cells=5,count=40,sides=12"
size = 10.0
fixed = true
[[body]]
name = "small"
mesh = "gen:pipes,cells=5,count=40,sides=12"
at = [6.0, 1.0, 2.0]
size = 1.0
flight = { by = [-0.05, 0.0, 0.0], turn = [0.0, 1.0, 0.5] }
"#;

#[test]
fn stats_add_tests_hits_and_energies() {
    let folder = Folder::new();
    let scene = folder.write("fall.toml", FALL);
    let run = |method: &str, more: &[&str]| {
        let arguments = ["run", &scene, "--json", "--method", method];
        impinge([&arguments[..], more].concat()).succeeds().json_lines()
    };
    let lines = run("obb", &["--stats"]);
    let (summary, cycles) = lines.split_last().unwrap();
    let sum = |key: &str| cycles.iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
    for key in ["box_tests", "face_tests", "impulses", "reversals", "contacts"] {
        assert_eq!(summary[key].as_u64(), Some(sum(key)), "{key}");
    }
    assert!(sum("impulses") > 0 && sum("face_tests") >= sum("contacts"), "{summary}");
    assert!(sum("box_tests") > sum("face_tests"), "{summary}");
    let energy =
        |row: &Value| row["kinetic"].as_f64().unwrap() + row["potential"].as_f64().unwrap();
    for two in cycles.windows(2) {
        let [before, after] = [&two[0], &two[1]].map(energy);
        assert!(after <= before * (1.0 + 1e-9), "{before} became {after} at {}", two[1]);
    }
    // The same motion without counting, and with a method that does not count.
    for (lines, has_tests) in [(run("obb", &[]), false), (run("brute", &["--stats"]), true)] {
        let (last, rows) = lines.split_last().unwrap();
        assert_eq!(last["contacts"], summary["contacts"]);
        assert_eq!(rows[50].get("box_tests").is_some(), has_tests, "{}", rows[50]);
        assert!(!has_tests || last["box_tests"] == 0, "{last}");
    }
    let rows = folder.at("rows.csv");
    impinge(["run", &scene, "--stats", "-o", &rows]).succeeds();
    let rows = csv(&folder.text("rows.csv"));
    assert_eq!(rows[0].last().unwrap(), "potential");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
}

#[test]
fn a_page_has_the_figures_of_the_paper_and_loads_nothing() {
    let folder = Folder::new();
    let scene = folder.write("fall.toml", FALL);
    impinge(["run", &scene, "--method", "obb", "--page", &folder.at("page.html")]).succeeds();
    let page = folder.text("page.html");
    assert!(page.ends_with("</html>\n"));
    assert_eq!(page.matches("<svg").count(), 4, "contacts, time, distance and energy");
    for text in ["A &lt;small&gt; fall", "Somebody &amp; others, Table 7", "4321", "765", "16.5"] {
        assert!(page.contains(text), "no {text} in the page");
    }
    assert!(!page.contains("not counted"));
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for text in ["http", "<script", "src=", "@import", "url("] {
        assert!(!without_names.contains(text), "{text} in the page");
    }
}

#[test]
fn scattered_bodies_are_apart_or_refused() {
    let folder = Folder::new();
    let run = |count: u32| {
        let text = format!(
            "cycles = 1\n[[body]]\nmesh = \"gen:sphere,faces=48\"\n\
             scatter = {{ count = {count}, min = [-4, -4, -4], max = [4, 4, 4], apart = true }}\n"
        );
        impinge(["run", &folder.write("scene.toml", text), "--json"])
    };
    let lines = run(12).succeeds().json_lines();
    assert_eq!((&lines[0]["near"], &lines[0]["contacts"]), (&Value::from(0), &Value::from(0)));
    run(400).refuses(&["scene.toml:2:1", "scatter", "1000 tries", "fewer copies"]);
}

#[test]
fn no_two_bodies_have_one_name() {
    let folder = Folder::new();
    let run = |bodies: &[(&str, u32)]| {
        let mut text = String::from("cycles = 1\n");
        for (name, count) in bodies {
            text += &format!("[[body]]\nname = \"{name}\"\nmesh = \"gen:cuboid\"\n");
            if *count > 1 {
                text += &format!("count = {count}\n");
            }
        }
        impinge(["run", &folder.write("scene.toml", text)])
    };
    run(&[("a", 2), ("a.1", 1)]).refuses(&["scene.toml:7:8", "copy of body a", "a.1"]);
    run(&[("a.0", 1), ("a", 2)]).refuses(&["scene.toml:3:8", "copy of body a", "a.0"]);
    for bodies in [&[("a", 2), ("a.2", 1)][..], &[("a", 2), ("a.01", 1)], &[("a", 1), ("a.0", 1)]] {
        run(bodies).succeeds();
    }
    run(&[("a", 2), ("a.1", 3)]).succeeds();
}

/// Names that a spreadsheet would take for a formula are escaped in every CSV file.
#[test]
fn names_are_not_formulas() {
    let folder = Folder::new();
    let text = "cycles = 1\n[[body]]\nname = \"=1+2\"\nmesh = \"gen:cuboid\"\n\
                [[body]]\nname = \"@b\"\nmesh = \"gen:cuboid\"\n[[run]]\nname = \"-run\"\n";
    let scene = folder.write("scene.toml", text);
    let [rows, contacts, poses] = ["r.csv", "c.csv", "p.csv"].map(|name| folder.at(name));
    impinge(["run", &scene, "-o", &rows, "--contacts", &contacts, "--write-poses", &poses])
        .succeeds();
    assert_eq!(csv(&folder.text("r.csv"))[1][0], "'-run");
    assert_eq!(csv(&folder.text("c.csv"))[1][..4], ["'-run", "0", "'=1+2", "'@b"]);
    assert_eq!(csv(&folder.text("p.csv"))[2][..3], ["'-run", "0", "'@b"]);
}

/// A scene can name any file as poses, but its text must not appear in messages.
#[test]
fn files_that_hold_no_poses_are_not_echoed() {
    let folder = Folder::new();
    folder.write("secrets", "user:s3cret:0:0\n");
    let text = "cycles = 1\n[[body]]\nmesh = \"gen:cuboid\"\npath = { poses = \"secrets\" }\n";
    let run = impinge(["run", &folder.write("scene.toml", text)]);
    run.refuses(&["scene.toml:4:", "secrets:1: value 1 is not a finite number"]);
    assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
    // The same holds for a file that is named as a scene.
    let run = impinge(["run", &folder.write("other.toml", "s3cret".repeat(1000))]);
    run.refuses(&["other.toml:1:"]);
    assert!(run.stderr.matches("s3cret").count() < 50, "{}", run.stderr);
}

#[test]
fn the_bodies_of_a_run_are_counted() {
    let folder = Folder::new();
    for (bodies, count, said) in
        [(0, 5, "1 to 5"), (6, 5, "1 to 5"), (2, 1, "has 1 body"), (0, 1, "1 body")]
    {
        let text = format!(
            "cycles = 1\n[[body]]\nmesh = \"gen:cuboid\"\ncount = {count}\n[[run]]\nbodies = {bodies}\n"
        );
        impinge(["run", &folder.write("scene.toml", text)]).refuses(&["scene.toml:6:10", said]);
    }
}

#[test]
fn groups_masks_and_ignored_bodies_are_left_out() {
    let folder = Folder::new();
    let contacts = |more: [&str; 3]| {
        let mut text = String::from("cycles = 1\n");
        for (name, more) in ["a", "b", "c"].iter().zip(more) {
            text += &format!("[[body]]\nname = \"{name}\"\nmesh = \"gen:cuboid\"\n{more}\n");
        }
        let scene = folder.write("scene.toml", text);
        impinge(["run", &scene, "--contacts", &folder.at("c.csv")]).succeeds();
        let rows = csv(&folder.text("c.csv"));
        rows[1..].iter().map(|row| row[2].clone() + &row[3]).collect::<BTreeSet<String>>()
    };
    let all = |pairs: &[&str]| pairs.iter().map(|&pair| pair.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(contacts([""; 3]), all(&["ab", "ac", "bc"]));
    assert_eq!(contacts(["ignore = [\"b\"]", "", ""]), all(&["ac", "bc"]));
    assert_eq!(contacts(["fixed = true", "fixed = true", ""]), all(&["ac", "bc"]));
    let masks = ["groups = [0]\nmask = [1]", "groups = [1]", "groups = [2]"];
    assert_eq!(contacts(masks), all(&["ab", "bc"]));
}

#[test]
fn bad_scenes_are_refused_with_their_place() {
    const BODY: &str = "[[body]]\nmesh = \"gen:cuboid\"\n";
    let with = |more: &str| format!("cycles = 3\n{BODY}{more}\n");
    let cases: Vec<(String, &[&str])> = vec![
        (String::new(), &[":1:1", "cycles"]),
        ("cycles = ".into(), &[":1:"]),
        (format!("cycles = 0\n{BODY}"), &[":1:10", "cycles"]),
        (format!("cycles = -3\n{BODY}"), &[":1:10", "cycles"]),
        (format!("cycles = \"many\"\n{BODY}"), &[":1:10", "cycles", "many"]),
        ("cycles = 3\n".into(), &[":1:1", "no bodies", "[[body]]"]),
        ("cycles = 3\nbody = []\n".into(), &["no bodies"]),
        (format!("cycles = 3\ncylces = 4\n{BODY}"), &[":2:1", "cylces"]),
        (with("sped = 3"), &[":4:1", "sped"]),
        (with("steady = { by = [1, 2, 3], speed = 1 }"), &[":4:", "speed"]),
        (with("steady = { by = [1, 2] }"), &[":4:", "by"]),
        (with("at = [nan, 0, 0]"), &[":4:6", "at", "finite"]),
        (with("scale = 0"), &[":4:9", "scale"]),
        (with("scale = 1e300"), &[":3:8", "mesh"]),
        (with("scale = 2\nsize = 2"), &[":4:9", "only one"]),
        (with("count = 0"), &[":4:9", "count"]),
        (with("count = 1000000000000"), &["bodies", "at most"]),
        (
            with("grid = { count = [4000000000, 4000000000, 4000000000], step = [1, 1, 1] }"),
            &["bodies", "at most"],
        ),
        (with("count = 20000\nignore = [\"body1\"]"), &[":5:11", "ignore", "groups"]),
        (with("ignore = [\"nobody\"]"), &[":4:11", "nobody"]),
        (with("groups = [32]"), &[":4:10", "groups", "31"]),
        (with("fixed = true\nflight = {}"), &[":2:1", "only one"]),
        (with("turn_about = { axis = [0, 0, 0], degrees = 3 }"), &[":4:", "axis"]),
        (with("path = { poses = \"none.csv\" }"), &[":4:18", "none.csv"]),
        (with("flight = { mass = 0 }"), &[":4:19", "mass"]),
        (with("name = \"a\"\n[[body]]\nname = \"a\"\nmesh = \"gen:cuboid\""), &[":5:1", "name"]),
        ("cycles = 3\n[[body]]\n".into(), &[":2:1", "mesh"]),
        ("cycles = 3\n[[body]]\nmesh = \"none.obj\"".into(), &[":3:8", "none.obj"]),
        ("cycles = 3\n[[body]]\nmesh = \"gen:nothing\"".into(), &[":3:8", "gen:nothing"]),
        (format!("cycles = 3\nbroad = \"narrow\"\n{BODY}"), &[":2:9", "narrow", "packed"]),
        (format!("cycles = 3\nbroad = \"directions16\"\n{BODY}"), &[":2:9", "directions16", "18"]),
        (format!("cycles = 3\ncoherence = \"some\"\n{BODY}"), &[":2:13", "some", "skips"]),
        (format!("cycles = 3\nmethod = \"guess\"\n{BODY}"), &[":2:10", "guess", "wide"]),
        (format!("cycles = 3\nthreads = 9999\n{BODY}"), &[":2:11", "threads"]),
        (format!("cycles = 3\n{BODY}[[run]]\nbodies = 2"), &[":5:10", "bodies"]),
        (format!("cycles = 3\n{BODY}[dynamics]\nrestitution = 1.5"), &[":5:15", "restitution"]),
        (format!("cycles = 3\n{BODY}[paper]\ncontacts = 3"), &["source"]),
        (format!("cycles = 3\n{BODY}[paper]\nsource = \"a\"\nfoo = 3"), &[":6:1", "foo"]),
        (format!("cycles = 3\n{BODY}[room]\nmin = [1, 1, 1]\nmax = [0, 2, 2]"), &["room", "min"]),
        (
            format!("cycles = 3\n{BODY}flight = {{}}\n[room]\nmin = [1, 1, 1]\nmax = [2, 2, 2]"),
            &[":2:1", "within the room"],
        ),
    ];
    let folder = Folder::new();
    let mut faults = Vec::new();
    for (text, pieces) in cases {
        let file = folder.write("bad.toml", &text);
        let run = Run::new(["run", &file, "-o", &folder.at("rows.csv")]);
        let run = run.within(Duration::from_secs(5)).finish();
        let pieces = [&["bad.toml:"], pieces].concat();
        faults.extend(run.refusal_fault(&pieces).map(|fault| format!("{text}\n{fault}\n")));
        assert_eq!(folder.names(), ["bad.toml"], "{text}");
    }
    assert!(faults.is_empty(), "{} wrong:\n{}", faults.len(), faults.join("\n"));
    let good = folder.write("good.toml", with(""));
    impinge(["run", &good, "--plot", &folder.at("no/plot.svg")]).refuses(&["plot.svg"]);
    impinge(["run", &good, "-o", &folder.at("rows.txt")]).refuses(&["rows.txt", ".csv"]);
    impinge(["run", &good, "--contacts", &folder.at("no/c.csv")]).refuses(&["c.csv"]);
    let same = folder.at("same.csv");
    impinge(["run", &good, "-o", &same, "--write-poses", &same])
        .refuses(&["same.csv", "same file"]);
    impinge(["run", &good, "--contacts", &good]).refuses(&["good.toml", "overwrite"]);
    impinge(["run", &folder.at("none.toml")]).refuses(&["none.toml", "cannot be read"]);
    let file = folder.write("binary.toml", [b'c', b'\n', 0xff, 0xfe]);
    impinge(["run", &file]).refuses(&["binary.toml:2:1", "UTF-8"]);
}

/// A body that moves beyond all finite numbers is an error that names it; files written so far are removed.
#[test]
fn bodies_that_overflow_are_named() {
    let folder = Folder::new();
    let scene = folder.write(
        "scene.toml",
        "cycles = 9\n[[body]]\nname = \"rocket\"\nmesh = \"gen:cuboid\"\nsteady = { by = [1e308, 0, 0] }\n",
    );
    let run = Run::new(["run", &scene, "-o", &folder.at("rows.csv")]).finish();
    run.refuses(&["cycle 2", "rocket"]);
    assert_eq!(folder.names(), ["scene.toml"]);
}

#[test]
fn a_million_bodies_in_one_place_do_not_hang() {
    let folder = Folder::new();
    let text = |broad: &str| {
        format!(
            "cycles = 3\nbroad = \"{broad}\"\ncontact_limit = 100000\n\
             [[body]]\nmesh = \"gen:sphere,faces=4\"\ncount = 1000000\n"
        )
    };
    let packed = folder.write("packed.toml", text("packed"));
    let run = impinge(["run", &packed, "-o", &folder.at("rows.csv")]);
    run.refuses(&["packed.toml:3:17", "contact_limit", "further apart"]);
    let sweep = folder.write("sweep.toml", text("sweep"));
    impinge(["run", &sweep]).refuses(&["sweep.toml:", "broad", "packed"]);
    assert_eq!(folder.names(), ["packed.toml", "sweep.toml"]);
}

/// Runs a scene until it writes its files, then interrupts it `times` times.
#[cfg(unix)]
fn interrupted(text: &str, times: usize) -> (Option<i32>, String) {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let scene = folder.write("scene.toml", text);
    let mut child = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args([
            "run",
            &scene,
            "-o",
            &folder.at("rows.csv"),
            "--write-poses",
            &folder.at("poses.csv"),
        ])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // During the run, the files have temporary names.
    while folder.names().len() < 3 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    let signal = format!("kill -INT {}", child.id());
    for _ in 0..times {
        std::thread::sleep(Duration::from_millis(100));
        assert!(Command::new("sh").args(["-c", &signal]).status().unwrap().success());
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(folder.names(), ["scene.toml"]);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file_behind() {
    let text = MEDLEY.replace("cycles = 60", "cycles = 1000000000");
    let (code, message) = interrupted(&text, 1);
    assert_eq!(code, Some(130), "{message}");
    assert!(message.contains("interrupted after"), "{message}");
}

/// A broad phase over all pairs does not check for interrupts for minutes; a second interrupt ends it at once.
#[cfg(unix)]
#[test]
fn two_interrupts_end_what_one_does_not() {
    let text = "cycles = 1000\nbroad = \"boxes\"\n[[body]]\nmesh = \"gen:cuboid\"\n\
                grid = { count = [300000, 1, 1], step = [2, 0, 0] }\n\
                steady = { by = [0, 0, 1] }\n";
    let (code, message) = interrupted(text, 2);
    assert_eq!((code, &*message), (Some(130), ""));
}

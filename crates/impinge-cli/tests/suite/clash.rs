//! Tests of `impinge clash`: parts that collide, touch or come too close.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{self, Folder, Run, Soup, csv, impinge, run::Finished};
use serde_json::Value;
use std::{collections::BTreeSet, fmt::Write as _, fs};

/// Returns parts as the groups of one OBJ file.
fn obj(parts: &[(&str, Soup)]) -> String {
    let (mut text, mut first) = (String::new(), 1);
    for (name, soup) in parts {
        writeln!(text, "g {name}").unwrap();
        for [x, y, z] in &soup.positions {
            writeln!(text, "v {x:?} {y:?} {z:?}").unwrap();
        }
        for face in &soup.faces {
            let [a, b, c] = face.map(|corner| corner + first);
            writeln!(text, "f {a} {b} {c}").unwrap();
        }
        first += soup.positions.len();
    }
    text
}

/// Unit cubes along x: `b` reaches into `a`, `c` is 0.25 from `b`, `d` reaches into `c`, `e` is far away.
fn cubes() -> Vec<(&'static str, Soup)> {
    [("a", 0.0), ("b", 0.5), ("c", 1.75), ("d", 2.5), ("e", 20.0)]
        .map(|(name, x)| (name, Soup::cube([x, 0.125 * x, 0.0625 * x], 1.0)))
        .to_vec()
}

/// The same cubes as separate files: `left` (a, b), `right` (c, d), and e.
fn folders(folder: &Folder) -> String {
    for side in ["left", "right"] {
        fs::create_dir_all(folder.path().join("parts").join(side)).unwrap();
    }
    for ((name, soup), side) in cubes().into_iter().zip(["left/", "left/", "right/", "right/", ""])
    {
        folder.write(&format!("parts/{side}{name}.obj"), soup.obj());
    }
    folder.at("parts")
}

/// Returns the clashing pairs with their verdicts: `a b penetrating`.
fn listed(report: &Value) -> Vec<String> {
    let text = |clash: &Value, field: &str| clash[field].as_str().unwrap().to_owned();
    let clashes = report["clashes"].as_array().unwrap();
    clashes
        .iter()
        .map(|clash| ["a", "b", "verdict"].map(|field| text(clash, field)).join(" "))
        .collect()
}

impl Clashes {
    fn of(arguments: &[&str]) -> Self {
        let run = impinge(["clash"].iter().chain(arguments).chain(&["--json"]));
        assert!(matches!(run.code, Some(0 | 1)), "{}: {}", run.what, run.stderr);
        let report = run.json();
        // The exit code and the message must agree with the JSON object.
        let failures = report["failures"].as_u64().unwrap();
        assert_eq!(run.code == Some(1), failures > 0, "{}", run.what);
        assert_eq!(run.stderr.contains("attention (exit code 1)"), failures > 0, "{}", run.stderr);
        Self { report, run }
    }

    fn listed(&self) -> Vec<String> {
        listed(&self.report)
    }
}

/// A finished run.
struct Clashes {
    report: Value,
    run: Finished,
}

/// Returns only the pairs and their verdicts.
fn pairs(arguments: &[&str]) -> Vec<String> {
    Clashes::of(arguments).listed()
}

const AB: &str = "a b penetrating";
const CD: &str = "c d penetrating";
const BC: &str = "b c clearance";

/// An assembly that was saved as one mesh is not "one part without clashes".
#[test]
fn one_mesh_of_several_pieces_is_refused_or_split() {
    let folder = Folder::new();
    let path = folder.at("gb.stl");
    assert_eq!(impinge(["generate", "gearbox", "-o", &path]).code, Some(0));
    let whole = impinge(["clash", &path]);
    assert_eq!(whole.code, Some(2), "{}", whole.stdout);
    assert!(whole.stdout.is_empty() && whole.stderr.contains("gb.stl is one part with"));
    assert!(whole.stderr.contains("--split checks them against each other"), "{}", whole.stderr);
    let pieces = Clashes::of(&[&path, "--split"]);
    let parts = pieces.report["parts"].as_u64().unwrap();
    assert!(whole.stderr.contains(&format!("one part with {parts} connected pieces")));
    let expected = Clashes::of(&["gen:gearbox", "--clearance", "0"]);
    assert_eq!(parts, expected.report["parts"].as_u64().unwrap(), "{}", whole.stderr);
    // A single piece has nothing to collide with.
    let cube = folder.write("cube.obj", Soup::cube([0.0; 3], 1.0).obj());
    let single = impinge(["clash", &cube]);
    assert_eq!(single.code, Some(0), "{}", single.stderr);
    assert!(single.stderr.contains("cube.obj is one part; there is nothing to compare"));
}

#[test]
fn parts_that_collide_or_come_too_close() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    assert_eq!(pairs(&[&file]), [AB, CD]);
    assert_eq!(pairs(&[&file, "--clearance", "0.25"]), [AB, CD], "closer than that, not as close");
    let Clashes { report, run } = Clashes::of(&[&file, "--clearance", "0.5"]);
    assert_eq!(listed(&report), [AB, CD, BC]);
    assert_eq!(run.code, Some(1));
    let close = &report["clashes"][2];
    // Exactly the gap along x, because the cubes overlap along y and z.
    assert_eq!(close["distance"], 0.25);
    assert_eq!(close["depth"], Value::Null);
    let [near, far] = [0, 1].map(|point| close["points"][point][0].as_f64().unwrap());
    assert_eq!((near, far), (1.5, 1.75));
    assert_eq!(close["point"], close["points"][0]);
    assert_eq!(report["clashes"][0]["distance"], 0.0);
}

/// Programs rely on field names and their order.
#[test]
fn every_field_is_there() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    let run = impinge(["clash", &file, "--clearance", "0.5", "--json"]);
    let fields = [
        "version",
        "files",
        "units",
        "touch",
        "touch_given",
        "clearance",
        "quick",
        "parts",
        "pairs_checked",
        "open_parts",
        "gaps",
        "total",
        "failures",
        "summary",
        "clusters",
        "clashes",
        "resolved",
        "hidden",
        "skipped",
        "left_out",
    ];
    assert_eq!(run.json_keys(), fields);
    let report = run.json();
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["files"], Value::from(vec![file]));
    assert_eq!((&report["units"], &report["parts"]), (&Value::Null, &5.into()));
    assert_eq!((&report["total"], &report["failures"]), (&3.into(), &3.into()));
    assert!(report["pairs_checked"].as_u64().unwrap() >= 3);
    assert_eq!(report["open_parts"], 0);
    assert!(report["touch"].as_f64().unwrap() > 0.0);
    assert_eq!(report["clearance"], 0.5);
    let summary = report["summary"].as_object().unwrap();
    let verdicts = ["duplicate", "inside", "penetrating", "clearance", "touching"];
    assert_eq!(summary.keys().collect::<BTreeSet<_>>().len(), 7);
    assert_eq!(verdicts.map(|verdict| summary[verdict].as_u64().unwrap()), [0, 0, 2, 1, 0]);
    for clash in report["clashes"].as_array().unwrap() {
        let fields: BTreeSet<&str> =
            clash.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = [
            "a",
            "b",
            "verdict",
            "depth",
            "distance",
            "point",
            "faces",
            "a_path",
            "b_path",
            "points",
            "length",
            "extent",
            "places",
            "closed",
            "status",
            "was",
            "allowed",
            "key",
            "inside",
            "band",
            "depth_at_most",
            "separation",
            "volume",
            "fit",
            "parts",
            "review",
            "cluster",
        ];
        assert_eq!(fields, BTreeSet::from(expected));
        assert!(clash["status"].is_null() && clash["was"].is_null() && clash["allowed"] == false);
        let faces = clash["faces"].as_array().unwrap();
        assert!(
            faces
                .iter()
                .all(|pair| pair.as_array().unwrap().len() == 2 && pair[0].as_u64().unwrap() < 12)
        );
    }
}

#[test]
fn the_gearbox_is_there_without_a_file() {
    let Clashes { report, .. } = Clashes::of(&[]);
    assert_eq!(report, Clashes::of(&["gen:gearbox"]).report);
    assert_eq!((&report["files"][0], &report["units"]), (&"gen:gearbox".into(), &"mm".into()));
    let found: BTreeSet<String> = report["clashes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|clash| format!("{}, {}", clash["a"], clash["b"]))
        .collect();
    let expected = [
        r#""housing", "bearing input front""#,
        r#""housing", "bolt front right""#,
        r#""pinion", "wheel""#,
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
    assert_eq!(listed(&report)[2..].len(), 1);
    assert!(listed(&report).contains(&"pinion wheel clearance".to_owned()));
    let table = impinge(["clash"]);
    assert_eq!(table.code, Some(1));
    for piece in ["gen:gearbox", "No FILE", "pinion", "clearance 0.1 mm", "1 clearance"] {
        assert!(table.stdout.contains(piece), "{piece}: {}", table.stdout);
    }
    assert!(!table.stdout.contains('\x1b'), "colours are for terminals");
    // Sub-assemblies and other units.
    assert_eq!(pairs(&["gen:gearbox", "--between", "input", "output"]), ["pinion wheel clearance"]);
    let metres = Clashes::of(&["--units", "m"]).report;
    assert_eq!(metres["clearance"], 0.1 * 0.001);
    assert_eq!(metres["total"], 3);
    assert_eq!(Clashes::of(&["--clearance", "0.03mm"]).report["summary"]["clearance"], 0);
    impinge(["clash", "gen:gearbox", "a.obj"]).refuses(&["gen:gearbox", "not both"]);
    impinge(["clash", "gen:torus"]).refuses(&["gen:torus", "gen:gearbox"]);
    impinge(["clash", "gen:teapot"]).refuses(&["teapot"]);
}

#[test]
fn rules_exclude_pairs() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    let with = |rules: &[&str]| {
        let rules = rules.iter().flat_map(|rule| ["--ignore", rule]);
        pairs(&[&*file, "--clearance", "0.5"].into_iter().chain(rules).collect::<Vec<_>>())
    };
    assert_eq!(with(&["a"]), [CD, BC]);
    assert_eq!(with(&["b :: a"]), [CD, BC]);
    assert_eq!(with(&["b :: c", "c :: d"]), [AB]);
    assert_eq!(with(&["clearance: b"]), [AB, CD]);
    assert_eq!(with(&["touching, inside: b"]), [AB, CD, BC]);
    assert_eq!(with(&["? :: ?"]), [""; 0]);
    let ignored = impinge(["clash", &file, "--ignore", "*"]).succeeds();
    assert!(
        ignored.stdout.contains("no clashes") && ignored.stdout.contains("0 pairs checked"),
        "{}",
        ignored.stdout
    );
    // A rule that matches nothing is reported, because its author expects it to match.
    let idle = Clashes::of(&[&file, "--ignore", "bolt*", "--ignore", "a :: bolt"]);
    assert_eq!(idle.listed(), [AB, CD]);
    for piece in
        ["note: --ignore `bolt*` matches no part", "note: --ignore `a :: bolt` matches no part"]
    {
        assert!(idle.run.stderr.contains(piece), "{}", idle.run.stderr);
    }
    impinge(["clash", &file, "--ignore", "a :: b :: c"])
        .misused(&["--ignore", "more than two names"]);

    let rules = folder.write("rules.txt", "# accepted in May\n\n  a :: b\r\nclearance: *\n");
    assert_eq!(pairs(&[&file, "--clearance", "0.5", "--ignore-file", &rules]), [CD]);
    // A file that is no list of rules does not fill the screen.
    let long = format!("{}\x1b[31m{}\n", "x".repeat(50), "y".repeat(1000)).repeat(12);
    let rules = folder.write("rules.txt", long);
    let idle = Clashes::of(&[&file, "--ignore-file", &rules]);
    let notes: Vec<&str> =
        idle.run.stderr.lines().filter(|line| line.starts_with("note")).collect();
    assert_eq!(notes.len(), 6, "{notes:?}");
    let first = format!("rules.txt:1: `{}\\u{{1b}}[31myyyyy…` matches no part", "x".repeat(50));
    assert!(notes[0].ends_with(&first), "{}", notes[0]);
    assert_eq!(notes[5], "note: and 7 more");
    let rules = folder.write("rules.txt", "a :: b\n\n :: c\n");
    impinge(["clash", &file, "--ignore-file", &rules])
        .refuses(&["rules.txt:3:", "a name is missing"]);
    let rules = folder.write("rules.txt", b"a :: b\n\xff\n");
    impinge(["clash", &file, "--ignore-file", &rules]).refuses(&["rules.txt:2:", "UTF-8"]);
    impinge(["clash", &file, "--ignore-file", &folder.at("none")])
        .refuses(&["none", "cannot be read"]);
    impinge(["clash", &file, "--ignore-file", &folder.at("")]).refuses(&["not a regular file"]);
}

#[test]
fn pairs_of_groups() {
    let folder = Folder::new();
    let parts = folders(&folder);
    let with = |more: &[&str]| pairs(&[&[&*parts, "--clearance", "0.5"], more].concat());
    assert_eq!(with(&[]), [AB, CD, BC]);
    assert_eq!(with(&["--between", "left", "right"]), [BC]);
    assert_eq!(with(&["--between", "right/", "l*"]), [BC]);
    assert_eq!(with(&["--between", "a.obj", "left"]), [AB], "files are groups");
    assert_eq!(with(&["--between", "left/b", "*", "--between", "d", "c"]), [AB, CD, BC]);
    assert_eq!(with(&["--between", "e", "*"]), [""; 0]);
    assert_eq!(with(&["--same-group", "skip"]), [BC]);
    assert_eq!(with(&["--same-group", "only"]), [AB, CD]);
    assert_eq!(with(&["--ignore", "left/*"]), [CD]);
    assert_eq!(with(&["--ignore", "left/* :: right/*"]), [AB, CD]);
    impinge(["clash", &parts, "--between", "left", "rigth"]).refuses(&["rigth"]);
    let report = Clashes::of(&[&parts, "--clearance", "0.5", "--group-by", "group"]).report;
    assert_eq!(report["clashes"][0]["a_path"], "left/a");
    let groups: Vec<String> = report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| {
            let Value::Object(summary) = &group["summary"] else { panic!("{group}") };
            format!(
                "{} {} {} {}",
                group["a"], group["b"], summary["penetrating"], summary["clearance"]
            )
        })
        .collect();
    assert_eq!(groups, [r#""left" "left" 1 0"#, r#""right" "right" 1 0"#, r#""left" "right" 0 1"#]);
    let table = impinge(["clash", &parts, "--clearance", "0.5", "--group-by", "group"]).stdout;
    let row =
        table.lines().find(|line| line.starts_with("left") && line.contains("right")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["left", "right", "0", "1"]);
}

#[test]
fn some_verdicts_only_and_some_allowed() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    let of = |more: &[&str]| Clashes::of(&[&[&*file, "--clearance", "0.5"], more].concat());
    assert_eq!(of(&["--only", "clearance"]).listed(), [BC]);
    assert_eq!(of(&["--only", "clearance,penetrating"]).listed(), [AB, CD, BC]);
    assert_eq!(of(&["--only", "inside", "--only", "touching"]).listed(), [""; 0]);
    let some = of(&["--allow", "clearance"]);
    assert_eq!(some.listed(), [AB, CD, BC]);
    assert_eq!(some.report["failures"], 2);
    assert_eq!(
        [0, 1, 2].map(|row| some.report["clashes"][row]["allowed"] == true),
        [false, false, true]
    );
    let all = of(&["--allow", "clearance,penetrating"]);
    assert_eq!(
        (all.run.code, &all.report["failures"], &all.report["total"]),
        (Some(0), &0.into(), &3.into())
    );
    impinge(["clash", &file, "--only", "bad"]).misused(&["bad", "penetrating"]);
    impinge(["clash", &file, "--allow", "bad"]).misused(&["bad", "penetrating", "known"]);
    impinge(["clash", &file, "--allow", "known"]).refuses(&["--baseline"]);
    impinge(["clash", &file, "--only", "clearance"]).refuses(&["--clearance"]);
}

#[test]
fn an_earlier_run_to_compare_with() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    let old = folder.at("old.json");
    Clashes::of(&[&file, "--clearance", "0.5", "-o", &old]);
    let against = |file: &str, more: &[&str]| {
        Clashes::of(&[&[file, "--clearance", "0.5", "--baseline", &old], more].concat())
    };
    let statuses = |run: &Clashes| {
        let clashes = run.report["clashes"].as_array().unwrap().clone();
        clashes
            .iter()
            .map(|clash| {
                format!("{} {} {} {}", clash["a"], clash["b"], clash["status"], clash["was"])
                    .replace('"', "")
            })
            .collect::<Vec<_>>()
    };
    let same = against(&file, &["--allow", "known"]);
    assert_eq!(statuses(&same), ["a b known null", "c d known null", "b c known null"]);
    assert_eq!(
        (same.run.code, &same.report["resolved"]),
        (Some(0), &Value::from(Vec::<Value>::new()))
    );
    // The order of parts in the file and in the pair does not matter. Here c comes first, has moved into b
    // and away from d, and there is a new clash near e.
    let mut moved = cubes();
    moved[2].1 = Soup::cube([1.25, 0.125, 0.125], 1.0);
    moved[3].1 = Soup::cube([5.0, 0.0, 0.0], 1.0);
    moved.swap(1, 2);
    moved.push(("f", Soup::cube([20.5, 2.625, 1.375], 1.0)));
    let moved = folder.write("moved.obj", obj(&moved));
    let after = against(&moved, &["--allow", "known", "--sort", "name"]);
    assert_eq!(
        statuses(&after),
        ["a b known null", "a c new null", "c b worse clearance", "e f new null"]
    );
    assert_eq!(after.report["failures"], 3);
    let gone = after.report["resolved"].as_array().unwrap();
    assert_eq!(gone.len(), 1);
    let before: Value = serde_json::from_slice(&folder.read("old.json")).unwrap();
    let before =
        before["clashes"].as_array().unwrap().iter().find(|clash| clash["b"] == "d").unwrap();
    for field in ["a", "b", "verdict", "key"] {
        assert_eq!(gone[0][field], before[field], "{field}");
    }
    let table = impinge(["clash", &moved, "--clearance", "0.5", "--baseline", &old]).stdout;
    for piece in [
        "worse (was clearance)",
        "known",
        "resolved: c and d (penetrating)",
        "2 new, 1 worse, 1 known, 1 resolved",
        "4 clashes need attention (exit code 1)",
    ] {
        assert!(table.contains(piece), "{piece}: {table}");
    }
    // Pairs that were not checked are not resolved; parts that are gone are.
    let silent = against(&moved, &["--ignore", "d"]);
    assert_eq!(silent.report["resolved"], Value::from(Vec::<Value>::new()));
    let only = against(&moved, &["--only", "clearance"]);
    assert_eq!(only.report["resolved"], Value::from(Vec::<Value>::new()));
    let fewer = folder.write("fewer.obj", obj(&cubes()[..2]));
    assert_eq!(against(&fewer, &[]).report["resolved"].as_array().unwrap().len(), 2);
}

#[test]
fn an_invalid_baseline_is_rejected() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    for (content, place) in [
        ("", "old.json:1:"),
        ("[]", "old.json:1:"),
        ("{}", "clashes"),
        ("{\"clashes\":[\n{\"a\":\"a\",\"b\":\"b\"}]}", "old.json:2:"),
        ("{\"clashes\":[\n{\"a\":\"a\",\"b\":\"b\",\n\"verdict\":\"bad\"}]}", "old.json:3:"),
        ("{\"clashes\":[{\"a\":1}]}", "old.json:1:"),
        ("{\"clashes\":[], \"total\": 3}", "--limit"),
        (&"[".repeat(100_000), "old.json:1:"),
    ] {
        let old = folder.write("old.json", content);
        impinge(["clash", &file, "--baseline", &old]).refuses(&["old.json", place]);
    }
    impinge(["clash", &file, "--baseline", &folder.at("none.json")])
        .refuses(&["none.json", "cannot be read"]);
    let limited = Clashes::of(&[&file, "--limit", "1"]);
    assert_eq!((limited.listed(), &limited.report["total"]), (vec![AB.to_owned()], &2.into()));
    let old = folder.write("old.json", limited.run.stdout);
    impinge(["clash", &file, "--baseline", &old]).refuses(&["1 of 2", "--limit"]);
}

#[test]
fn the_order_is_total_and_does_not_depend_on_threads() {
    let folder = Folder::new();
    // Parts whose names are not in the order of the file, with many equal clashes.
    let parts: Vec<(String, Soup)> = (0..40_u32)
        .map(|part| {
            let x = f64::from(part % 8) * 0.75;
            let y = f64::from(part / 8) * 1.125;
            (format!("p{}", (part * 17) % 40), Soup::cube([x, y, 0.0625 * x], 1.0))
        })
        .collect();
    let parts: Vec<(&str, Soup)> =
        parts.iter().map(|(name, soup)| (&**name, soup.clone())).collect();
    let file = folder.write("grid.obj", obj(&parts));
    let number = |name: &Value| parts.iter().position(|(part, _)| name == part).unwrap();
    for sort in ["severity", "depth", "distance", "name"] {
        let run = |threads: &str| {
            impinge([
                "clash",
                &file,
                "--clearance",
                "0.3",
                "--sort",
                sort,
                "--threads",
                threads,
                "--json",
            ])
        };
        let first = run("1");
        for threads in ["1", "2", "0"] {
            assert_eq!(first.stdout, run(threads).stdout, "{sort} on {threads}");
        }
        let report = first.json();
        let clashes = report["clashes"].as_array().unwrap();
        assert!(clashes.len() > 60, "{}", clashes.len());
        let mut keys = Vec::new();
        for clash in clashes {
            let (a, b) = (number(&clash["a"]), number(&clash["b"]));
            assert!(a < b, "{clash}");
            let depth = clash["depth"].as_f64().unwrap_or(-1.0);
            let [distance, length] =
                ["distance", "length"].map(|field| clash[field].as_f64().unwrap());
            let verdicts = ["duplicate", "inside", "penetrating", "clearance", "touching"];
            let severity =
                verdicts.iter().position(|verdict| clash["verdict"] == *verdict).unwrap() as f64;
            let names = [&clash["a"], &clash["b"]].map(|name| name.as_str().unwrap().to_owned());
            let key = match sort {
                "severity" => ([severity, -depth, distance, -length], Default::default()),
                "depth" => ([-depth, 0.0, 0.0, 0.0], Default::default()),
                "distance" => ([distance, 0.0, 0.0, 0.0], Default::default()),
                _ => ([0.0; 4], names),
            };
            keys.push((key, a, b));
        }
        assert!(keys.is_sorted_by(|a, b| a.partial_cmp(b).unwrap().is_lt()), "{sort}: {keys:?}");
        let limited = impinge([
            "clash",
            &file,
            "--clearance",
            "0.3",
            "--sort",
            sort,
            "--limit",
            "7",
            "--json",
        ])
        .json();
        // Only listed clashes are clustered.
        let without_clusters = |clashes: &[Value]| -> Vec<Value> {
            let mut clashes = clashes.to_vec();
            clashes.iter_mut().for_each(|clash| clash["cluster"] = Value::Null);
            clashes
        };
        let shown = without_clusters(limited["clashes"].as_array().unwrap());
        assert!(shown == without_clusters(&clashes[..7]), "{sort}");
        assert_eq!(
            (&limited["summary"], &limited["total"]),
            (&report["summary"], &report["total"])
        );
    }
}

#[test]
fn rows_for_spreadsheets() {
    let folder = Folder::new();
    let mut parts = cubes();
    (parts[0].0, parts[1].0) = ("=a, \"quoted\"", "-b");
    let file = folder.write("cubes.obj", obj(&parts));
    let report = Clashes::of(&[&file, "--clearance", "0.5", "--csv", &folder.at("out.csv")]).report;
    let text = folder.text("out.csv");
    assert!(text.contains("\"'=a, \"\"quoted\"\"\",'-b,penetrating"), "{text}");
    let rows = csv(&text);
    assert_eq!(rows[0][..3], ["a", "b", "verdict"]);
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    let column = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    for (row, clash) in rows[1..].iter().zip(report["clashes"].as_array().unwrap()) {
        assert_eq!(row[column("verdict")], clash["verdict"].as_str().unwrap());
        assert_eq!(
            row[column("distance")].parse::<f64>().unwrap(),
            clash["distance"].as_f64().unwrap()
        );
        assert_eq!(row[column("faces")], clash["faces"].as_array().unwrap().len().to_string());
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let point = clash["point"][axis].as_f64().unwrap();
            assert_eq!(row[column(name)].parse::<f64>().unwrap(), point, "{name}");
        }
        assert_eq!(row[column("depth")].is_empty(), clash["depth"].is_null());
    }
}

#[test]
fn files_are_complete_or_absent() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    let [json, rows] = ["out.json", "out.csv"].map(|name| folder.at(name));
    let run = Clashes::of(&[&file, "-o", &json, "--csv", &rows]);
    assert_eq!(folder.text("out.json"), run.run.stdout, "what is written is what is printed");
    for (arguments, piece) in [
        (vec!["-o", &json, "--csv", &json], "same file"),
        (vec!["--csv", &file], "overwrite"),
        (vec!["--csv", "no/such/folder.csv"], "no such folder"),
        (vec!["--baseline", &json, "-o", &json], "overwrite"),
    ] {
        impinge([&["clash", &file][..], &arguments].concat()).refuses(&[piece]);
    }
    impinge(["clash", &file, "--csv", folder.path().to_str().unwrap()]).refuses(&["folder"]);
    // If one file cannot be written, none is.
    #[cfg(target_os = "linux")]
    {
        let other = folder.at("other.json");
        impinge(["clash", &file, "-o", &other, "--csv", "/dev/full"]).refuses(&["/dev/full"]);
    }
    assert_eq!(folder.names(), ["cubes.obj", "out.csv", "out.json"]);
}

/// Waits until the run writes to a pipe, which is after the JSON file is complete, and then interrupts it.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file_behind() {
    use std::{
        process::{Command, Stdio},
        thread,
        time::Duration,
    };
    for times in [1, 2] {
        let folder = Folder::new();
        let pipe = folder.at("pipe.csv");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut child = Command::new(env!("CARGO_BIN_EXE_impinge"))
            .args(["clash", "-o", &folder.at("out.json"), "--csv", &pipe])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while folder.names().len() < 2 {
            assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
            thread::sleep(Duration::from_millis(5));
        }
        for _ in 0..times {
            thread::sleep(Duration::from_millis(100));
            let signal = format!("kill -INT {}", child.id());
            assert!(Command::new("sh").args(["-c", &signal]).status().unwrap().success());
        }
        if times == 1 {
            thread::sleep(Duration::from_millis(100));
            assert_eq!(child.try_wait().unwrap(), None, "it ends in order");
            fs::read(&pipe).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{message}");
        assert_eq!(message.contains("interrupted; no file was written"), times == 1, "{message}");
        assert_eq!(folder.names(), ["pipe.csv"]);
    }
}

#[test]
fn lengths_have_units() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    let of = |more: &[&str]| Clashes::of(&[&[&*file], more].concat()).report;
    impinge(["clash", &file, "--clearance", "0.5mm"]).refuses(&["--clearance 0.5mm", "--units"]);
    impinge(["clash", &file, "--touch", "1in"]).refuses(&["--touch 1in", "--units"]);
    for wrong in ["-1", "x", "1 yd", "nan", "inf"] {
        impinge(["clash", &file, "--clearance", wrong]).misused(&["--clearance"]);
        impinge(["clash", &file, "--touch", wrong]).misused(&["--touch"]);
    }
    let report = of(&["--units", "mm", "--clearance", "0.05cm", "--touch", "1e-3mm"]);
    assert_eq!((&report["units"], &report["touch"]), (&"mm".into(), &1e-3.into()));
    assert!(listed(&report).contains(&BC.to_owned()));
    // A gap of 0.25 in is 6.35 mm.
    let report = of(&["--file-units", "in", "--units", "mm", "--clearance", "6.4"]);
    let gap = report["clashes"][2]["distance"].as_f64().unwrap();
    assert!((gap - 6.35).abs() < 1e-12, "{gap}");
    assert_eq!(of(&["--file-units", "in", "--clearance", "6.4mm"])["total"], 3);
    assert_eq!(of(&["--file-units", "in", "--clearance", "6.3mm"])["total"], 2);
    assert_eq!(of(&["--scale", "4", "--clearance", "1.01"])["clashes"][2]["distance"], 1.0);
    impinge(["clash", &file, "--scale", "0"]).misused(&["--scale"]);
    impinge(["clash", &file, "--units", "yd"]).misused(&["yd", "mm"]);
}

#[test]
fn broken_parts_are_skipped_only_with_keep_going() {
    let folder = Folder::new();
    let parts = folders(&folder);
    folder.write("parts/left/broken.obj", "v 0 0 0\nf 1 2 3\n");
    impinge(["clash", &parts]).refuses(&["broken.obj:2"]);
    let run = Clashes::of(&[&parts, "--keep-going"]);
    assert_eq!(run.listed(), [AB, CD]);
    assert!(run.run.stderr.contains("note: skipped: broken: "), "{}", run.run.stderr);
    assert!(run.run.stderr.contains("broken.obj:2"), "{}", run.run.stderr);
    let skipped = run.report["skipped"].as_array().unwrap();
    assert_eq!((skipped.len(), &skipped[0]["name"]), (1, &"broken".into()));
    assert!(skipped[0]["error"].as_str().unwrap().contains("broken.obj:2"), "{skipped:?}");
    let alone = folder.at("parts/left/broken.obj");
    impinge(["clash", &alone, "--keep-going"]).refuses(&["broken.obj"]);
}

#[test]
fn bad_input_is_refused() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    impinge(["clash", &folder.at("none.obj")]).refuses(&["none.obj", "cannot be read"]);
    impinge(["clash", &file, &folder.write("a.txt", "x")]).refuses(&["a.txt"]);
    impinge(["clash", &folder.write("a.glb", "x")]).refuses(&["a.glb"]);
    impinge(["clash", &file, "--threads", "5000"]).misused(&["--threads"]);
    impinge(["clash", &file, "--sort", "colour"]).misused(&["colour", "severity"]);
    impinge(["clash", &file, "--between", "a"]).misused(&["--between"]);
    impinge(["clash", &file, "--joint", "elbow"]).misused(&["--joint", "NAME=VALUE"]);
    impinge(["clash", &file, "--joint", "elbow=1"]).refuses(&["elbow"]);
    impinge(["clash", &file, "--tolerance", "0"]).misused(&["--tolerance"]);
}

/// A base, an arm that turns about z at x = 2, and a tip at the end of the arm, which is above the base after
/// half a turn.
const ROBOT: &str = r#"<robot name="r">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="1.8 0 0"/><geometry><box size="0.5 0.5 0.5"/></geometry></collision></link>
  <link name="tip"><collision><geometry><box size="0.5 0.25 2"/></geometry></collision></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="2 0 0"/><axis xyz="0 0 1"/><limit lower="-3.2" upper="3.2" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="2.25 0 0"/></joint>
</robot>"#;

#[test]
fn robots_stand_where_their_joints_say() {
    let folder = Folder::new();
    let robot = folder.write("robot.urdf", ROBOT);
    assert_eq!(pairs(&[&robot]), [""; 0]);
    assert_eq!(pairs(&[&robot, "--joint", "elbow=180deg"]), ["base tip penetrating"]);
    assert_eq!(pairs(&[&robot, "--joint", "elbow=3.14159"]), ["base tip penetrating"]);
    assert_eq!(pairs(&[&robot, "--joint", "elbow=90deg"]), [""; 0]);
    // Links that a joint connects touch by design.
    assert_eq!(pairs(&[&robot, "--adjacent"]), ["arm tip penetrating"]);
    let report = Clashes::of(&[&robot, "--joint", "elbow=180deg", "--units", "mm"]).report;
    assert_eq!(report["units"], "mm");
    let point = report["clashes"][0]["point"].as_array().unwrap();
    assert!(point.iter().any(|at| at.as_f64().unwrap().abs() > 100.0), "in mm: {point:?}");
    impinge(["clash", &robot, "--joint", "elbow=300deg"]).refuses(&["elbow"]);
    impinge(["clash", &robot, "--joint", "knee=1"]).refuses(&["knee"]);
    impinge(["clash", &robot, "--joint", "elbow=1yd"]).misused(&["NAME=VALUE"]);
}

#[test]
fn names_may_hold_anything() {
    let folder = Folder::new();
    let mut parts = cubes();
    (parts[0].0, parts[1].0) = ("\x1b[31m六角螺栓", "touching: a");
    let file = folder.write("cubes.obj", obj(&parts));
    let table = impinge(["clash", &file]).stdout;
    assert!(table.contains("\\u{1b}[31m六角螺栓") && !table.contains('\x1b'), "{table:?}");
    // Columns are aligned, with double-width characters counted twice.
    let line = |name: &str| table.lines().find(|line| line.contains(name)).unwrap();
    let columns =
        |line: &str| line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    let before = |line: &str, name: &str| columns(line.split(name).next().unwrap());
    assert_eq!(before(line("六角"), "touching: a"), before(line("c  "), "d  "), "{table}");
    assert_eq!(pairs(&[&file, "--ignore", "?[31m六*"]), [CD]);
}

/// Marks that change the writing direction would make a terminal show a wrong name.
#[test]
fn names_cannot_reverse_the_writing_direction() {
    let folder = Folder::new();
    let mut parts = cubes();
    parts[0].0 = "bolt\u{202E}gpj.exe\u{2066}";
    let file = folder.write("cubes.obj", obj(&parts));
    let out = folder.at("out.json");
    for arguments in [vec!["clash", &file, "-o", &out], vec!["inspect", &file, "--parts"]] {
        let shown = impinge(arguments).stdout;
        assert!(shown.contains("bolt\\u{202e}gpj.exe\\u{2066}"), "{shown}");
        assert!(!shown.contains(['\u{202E}', '\u{2066}']), "{shown:?}");
    }
    // JSON has its own escapes, and the same content.
    let run = impinge(["clash", &file, "--json"]);
    assert!(
        run.stdout.contains("bolt\\u202egpj.exe\\u2066") && run.stdout.is_ascii(),
        "{}",
        run.stdout
    );
    assert_eq!(run.json()["clashes"][0]["a"], parts[0].0);
    assert_eq!(folder.text("out.json"), run.stdout);
}

/// Any file can be named as a baseline, but its text must not appear in messages.
#[test]
fn a_baseline_is_not_echoed() {
    let folder = Folder::new();
    let secret = "s3cret ".repeat(1000);
    for text in [
        format!("\"{secret}\""),
        format!(r#"{{"clashes": [{{"a": "a", "b": "b", "verdict": "{secret}"}}]}}"#),
    ] {
        let file = folder.write("old.json", text);
        let run = impinge(["clash", "gen:gearbox", "--baseline", &file]);
        run.refuses(&["old.json:1:"]);
        assert!(run.stderr.matches("s3cret").count() < 20, "{}", run.stderr);
    }
}

/// One row for each piece of an intersection, and one for pairs without a piece.
#[test]
fn a_table_of_pieces() {
    let folder = Folder::new();
    let file = folder.write("cubes.obj", obj(&cubes()));
    let report = Clashes::of(&[&file, "--clearance", "0.5"]).report;
    let clashes = report["clashes"].as_array().unwrap();
    let places = |clash: &Value| clash["places"].as_array().unwrap().len().max(1);
    let expected: usize = clashes.iter().map(places).sum();
    let table = impinge(["clash", &file, "--clearance", "0.5", "--group-by", "piece"]).stdout;
    let is_row = |line: &&str| ["penetrating ", "clearance "].iter().any(|it| line.starts_with(it));
    assert_eq!(table.lines().filter(is_row).count(), expected, "{table}");
    assert!(table.contains("  piece  "), "{table}");
}

/// Real assemblies: read and checked, with the same result on any number of threads.
#[test]
fn real_assemblies_give_one_answer() {
    let Some(data) = common::corpus() else { return };
    let mut found = 0;
    for name in [
        "assemblies/car-concept",
        "assemblies/chronograph-watch/ChronographWatch.gltf",
        "assemblies/gears",
        "assemblies/piston",
        "assemblies/punching-press",
        "robots/panda/panda.urdf",
        "robots/laikago/laikago_toes_zup_lores.urdf",
    ] {
        let path = data.join(name);
        if !path.exists() {
            continue;
        }
        let path = path.to_str().unwrap();
        let [one, two] =
            ["1", "2"].map(|threads| impinge(["clash", path, "--threads", threads, "--json"]));
        assert_eq!(one.stdout, two.stdout, "{name}");
        let report = one.json();
        let summary = report["summary"].as_object().unwrap();
        let total: u64 = summary.values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(report["total"], total, "{name}");
        assert_eq!(one.code, Some(i32::from(total > 0)), "{name}: {}", one.stderr);
        found += total;
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_closed_output_does_not_change_the_exit_code() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    // A closed output does not change the exit code.
    let run = Run::new(["clash", "--json"]).stdout(writer).finish();
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn every_verdict_is_reported_with_its_fields() {
    let cube = |x: f64, side: f64| Soup::cube([x, 0.0, 0.0], side);
    // From left to right: one cube in another, two that touch, two that are too close, two in the same place.
    let parts = [
        ("shell", cube(0.0, 4.0)),
        ("kernel", Soup::cube([1.0, 1.0, 1.0], 1.0)),
        ("left", cube(10.0, 1.0)),
        ("right", cube(11.0, 1.0)),
        ("near", cube(20.0, 1.0)),
        ("nearer", cube(21.25, 1.0)),
        ("once", cube(30.0, 1.0)),
        ("twice", cube(30.0, 1.0)),
        ("deep", cube(40.0, 1.0)),
        ("deeper", Soup::cube([40.75, 0.25, 0.125], 1.0)),
    ];
    let folder = Folder::new();
    let file = folder.write("parts.obj", obj(&parts));
    let found = Clashes::of(&[&file, "--clearance", "0.5"]);
    let mut listed = found.listed();
    listed.sort();
    assert_eq!(
        listed,
        [
            "deep deeper penetrating",
            "left right touching",
            "near nearer clearance",
            "once twice duplicate",
            "shell kernel inside",
        ]
    );
    let clashes = found.report["clashes"].as_array().unwrap();
    let of = |verdict: &str| clashes.iter().find(|clash| clash["verdict"] == verdict).unwrap();
    assert_eq!(
        (&of("penetrating")["depth"], &of("penetrating")["distance"]),
        (&0.25.into(), &0.0.into())
    );
    assert_eq!((&of("touching")["depth"], &of("touching")["length"]), (&0.0.into(), &4.0.into()));
    assert_eq!(
        (&of("clearance")["depth"], &of("clearance")["distance"]),
        (&Value::Null, &0.25.into())
    );
    assert_eq!((&of("inside")["depth"], &of("inside")["distance"]), (&2.0.into(), &1.0.into()));
    assert_eq!(
        (&of("duplicate")["depth"], &of("duplicate")["distance"]),
        (&1.0.into(), &0.0.into())
    );
    // The cube of side 1 is inside the other; the table says which, too.
    assert_eq!((&of("inside")["inside"], &of("duplicate")["inside"]), (&"b".into(), &Value::Null));
    let table = impinge(["clash", &file, "--clearance", "0.5"]).stdout;
    assert!(table.contains("inside (b in a)"), "{table}");
    let rows = folder.at("rows.csv");
    impinge(["clash", &file, "--csv", &rows]);
    assert!(folder.text("rows.csv").contains(",kernel is inside shell,"));
    // A translation by `separation` frees the parts, and its length is the upper bound of the depth.
    let deep = of("penetrating");
    let length = deep["separation"].as_array().unwrap().iter();
    let length = length.map(|x| x.as_f64().unwrap().powi(2)).sum::<f64>().sqrt();
    assert!((deep["depth_at_most"].as_f64().unwrap() - length).abs() < 1e-12, "{deep}");
    assert!(deep["volume"].as_f64().unwrap() > 0.0 && deep["band"].as_f64().unwrap() > 0.0);
    for verdict in ["penetrating", "touching", "clearance", "inside", "duplicate"] {
        assert_eq!(found.report["summary"][verdict], 1);
    }
    assert_eq!(found.report["clashes"][0]["verdict"], "duplicate", "the worst first");
}

#[test]
fn all_kinds_of_files_are_written() {
    let folder = Folder::new();
    let at = |name: &str| folder.at(name);
    let options = ["--report", "--glb", "--bcf", "--picture", "--pictures", "--csv", "--output"];
    let names =
        ["page.html", "faces.glb", "issues.bcf", "all.png", "pictures", "rows.csv", "all.json"];
    let arguments: Vec<String> = ["clash".to_owned()]
        .into_iter()
        .chain(
            options.iter().zip(names).flat_map(|(option, name)| [(*option).to_owned(), at(name)]),
        )
        .collect();
    assert_eq!(impinge(&arguments).code, Some(1));
    let mut expected: Vec<&str> = names.to_vec();
    expected.sort_unstable();
    assert_eq!(folder.names(), expected);
    assert!(folder.text("page.html").to_lowercase().starts_with("<!doctype html>"));
    assert!(folder.read("faces.glb").starts_with(b"glTF"));
    assert!(folder.read("issues.bcf").starts_with(b"PK\x03\x04"));
    assert!(folder.read("all.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    let mut pictures: Vec<String> = fs::read_dir(at("pictures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pictures.sort();
    let report: Value = serde_json::from_slice(&folder.read("all.json")).unwrap();
    assert_eq!(pictures.len(), listed(&report).len());
    assert_eq!(pictures[0], "0001-housing--bolt-front-right.png");
    // The coloured file loads again as an assembly with the same number of parts and faces.
    let again = Clashes::of(&[&at("faces.glb"), "--units", "mm", "--clearance", "0.1mm"]);
    assert_eq!(again.report["parts"], report["parts"]);
    assert_eq!(again.report["summary"], report["summary"]);

    // If one file cannot be written, none is there.
    let empty = Folder::new();
    let (page, csv) = (empty.at("page.html"), empty.at("rows.csv"));
    empty.write("taken", "");
    let refused =
        impinge(["clash", "--report", &page, "--csv", &csv, "--pictures", &empty.at("taken")]);
    refused.refuses(&["taken", "is a file"]);
    assert_eq!(empty.names(), ["taken"]);
}

#[test]
fn unchecked_pairs_are_not_resolved() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path().join("parts")).unwrap();
    let [left, right, near] = [("a", 0.0), ("b", 0.5), ("c", 1.75)]
        .map(|(name, x)| (name, Soup::cube([x, 0.0, 0.0], 1.0)));
    for (name, soup) in [&left, &right, &near] {
        folder.write(&format!("parts/{name}.obj"), soup.obj());
    }
    let (parts, old) = (folder.at("parts"), folder.at("old.json"));
    Clashes::of(&[&parts, "--clearance", "0.5", "-o", &old]);
    let resolved = |arguments: &[&str]| {
        let found = Clashes::of(&[&[&*parts, "--baseline", &old], arguments].concat());
        found.report["resolved"].as_array().unwrap().len()
    };
    assert_eq!(resolved(&["--clearance", "0.1"]), 0, "nobody asked for as much clearance");
    folder.write("parts/c.obj", Soup::cube([9.0, 0.0, 0.0], 1.0).obj());
    assert_eq!(resolved(&["--clearance", "0.5"]), 1);
    folder.write("parts/b.obj", "v 0 0 0\nf 1 2 3\n");
    assert_eq!(resolved(&["--clearance", "0.5", "--keep-going"]), 0, "b was left out");
}

#[test]
fn open_parts_are_counted() {
    let open = |x: f64| {
        let mut cube = Soup::cube([x, 0.0, 0.0], 1.0);
        cube.faces.pop();
        cube
    };
    // Parts far from all others are not checked.
    let parts =
        [("shell", open(0.0)), ("kernel", Soup::cube([0.25, 0.25, 0.25], 0.5)), ("far", open(9.0))];
    let folder = Folder::new();
    let file = folder.write("parts.obj", obj(&parts));
    let found = Clashes::of(&[&file]);
    assert_eq!(found.report["open_parts"], 1);
    let gaps = found.report["gaps"].as_array().unwrap();
    assert_eq!(
        (gaps.len(), &gaps[0]["part"], &gaps[0]["closed"]),
        (1, &"shell".into(), &false.into())
    );
    assert!(gaps[0]["width"].as_f64().unwrap() > 0.5);
    let table = impinge(["clash", &file]).stdout;
    assert!(table.contains("1 checked part is open"), "{table}");
    assert!(table.contains("shell has gaps, the largest 0.59"), "{table}");
}

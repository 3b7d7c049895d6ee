//! Tests of `impinge bench`: small comparisons with other engines, and small experiments of the papers.

use crate::common::{Folder, impinge};
use serde_json::Value;

/// A small comparison: two spheres that tumble.
const SMALL: [&str; 10] = [
    "bench",
    "--quick",
    "--meshes",
    "gen:sphere,faces=320",
    "--distances",
    "1,1.9",
    "--steps",
    "20",
    // A generous cap, so that a busy machine does not change the number of poses.
    "--cap",
    "5",
];

/// Returns the rows of an engine.
fn rows<'r>(line: &'r Value, engine: &str) -> Vec<&'r Value> {
    let rows = line["rows"].as_array().expect("rows").iter();
    rows.filter(|row| row["engine"] == engine).collect()
}

#[test]
fn a_comparison_has_every_engine_on_every_scenario() {
    let folder = Folder::new();
    let plots = folder.at("plots");
    let more = ["--method", "wide,obb,brute", "--plots", &plots];
    let line = impinge([&SMALL[..], &more].concat()).succeeds().json();
    assert_eq!(line["method"], "wide");
    let scenarios = line["scenarios"].as_array().expect("scenarios");
    assert_eq!(scenarios.len(), 2);
    assert_eq!(scenarios[0]["name"], "tumble-gen-sphere,faces=320-d1");
    assert_eq!((&scenarios[0]["tris_a"], &scenarios[0]["steps"]), (&320.into(), &20.into()));
    assert!(scenarios[0]["pairs"].as_u64() > Some(100), "hardly a contact: {line}");
    for engine in ["wide", "obb", "brute"] {
        let rows = rows(&line, engine);
        assert_eq!(rows.len(), 2 * 2, "{engine}");
        for row in rows {
            assert!(row["mean_us"].as_f64() > Some(0.0) && row["build_ms"].is_number(), "{row}");
            assert!(row["p50_us"].as_f64() <= row["p99_us"].as_f64(), "{row}");
            assert_eq!((&row["steps"], &row["checked_steps"]), (&row["checked_steps"], &20.into()));
            assert_eq!(row["is_impinge"], true, "{row}");
            assert_eq!((&row["right"], &row["wrong_symmetric_steps"]), (&true.into(), &0.into()));
        }
    }
    // Ratios need peers, and there is none.
    assert_eq!((&line["ratios"], &line["means"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    assert_eq!((&line["defects"], &line["failed"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    let names = ["bytes.svg", "distance-gen-sphere,faces=320-all.svg"];
    for name in names {
        let name = format!("plots/{name}");
        // Both scenarios have the same size, so there is no line to plot.
        if name.contains("bytes") {
            assert!(!folder.path().join(name).exists());
        } else {
            assert!(folder.text(&name).contains("obb"), "{name}");
        }
    }
}

#[test]
fn tables_go_into_their_place_in_a_page() {
    let folder = Folder::new();
    let text =
        "# Page\n<!-- bench compare -->\nold\n<!-- end compare -->\nafter <!-- bench x -->\n";
    let page = folder.write("page.md", text);
    let mut run = impinge([&SMALL[..], &["--scenario", "d1.9", "--write", &page]].concat());
    for _ in 0..2 {
        run.succeeds();
        let page_text = folder.text("page.md");
        assert!(page_text.starts_with("# Page\n<!-- bench compare -->\n"), "{page_text}");
        assert!(page_text.ends_with("\n<!-- end compare -->\nafter <!-- bench x -->\n"));
        assert!(!page_text.contains("old"), "{page_text}");
        for piece in
            ["impinge bench --quick", "| scenario |", "boxtree |\n", "cargo xtask compare", "core"]
        {
            assert!(page_text.contains(piece), "no `{piece}` in {page_text}");
        }
        assert!(!page_text.contains("-d1 |"), "another scenario: {page_text}");
        run = impinge([&SMALL[..], &["--scenario", "d1.9", "--write", &page]].concat());
    }
    assert_eq!(folder.names(), ["page.md"]);
}

/// Peers: programs that follow the format, or do not.
#[cfg(unix)]
mod peers {
    use super::*;
    use crate::common::{Run, run::Finished};
    use std::time::Duration;

    /// A folder with a scenario of known answers, and a temporary folder.
    fn scene() -> Folder {
        let folder = Folder::new();
        let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        std::fs::create_dir(folder.path().join("scene")).expect("a folder");
        std::fs::create_dir(folder.path().join("temporary")).expect("a folder");
        for name in ["scene/a.obj", "scene/b.obj"] {
            folder.write(name, triangle);
        }
        // Rotated slightly, so that no pose is symmetric; the last pose is far away.
        let pose = |z: f64| format!("1,0,0,0.1,0,0.8,-0.6,0.1,0,0.6,0.8,{z}\n");
        folder.write("scene/poses.csv", [-0.1, -0.2, 5.0].map(pose).concat());
        folder
    }

    /// Runs the comparison on this scenario, with peers of these names and scripts.
    fn run(folder: &Folder, peers: &[(&str, &str)], more: &[&str]) -> Finished {
        let mut arguments = vec!["bench".to_owned(), "--dir".to_owned(), folder.at("scene")];
        arguments.extend(["--method", "wide,brute", "--cap", "0.05"].map(str::to_owned));
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        for (name, script) in peers {
            let file = folder.write(&format!("{name}.sh"), script);
            arguments.extend(["--peer".to_owned(), format!("{name}=sh {file} {{dir}}")]);
        }
        let before = format!("TMPDIR={}; export TMPDIR", folder.at("temporary"));
        let finished = Run::after(&before, arguments).within(Duration::from_secs(20)).finish();
        let left: Vec<_> =
            std::fs::read_dir(folder.path().join("temporary")).expect("a folder").collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        finished
    }

    /// A peer script that reports these answers for the three steps.
    fn says(engine: &str, counts: [u64; 3]) -> String {
        let [a, b, c] = counts;
        let hits = counts.iter().filter(|count| **count > 0).count();
        format!(
            r#"test -f $1/a.obj && test -f $1/b.obj && test "$(wc -l < $1/poses.csv)" = 3 || exit 3
test "$2" = --cap && test "$4" = --counts || exit 4
printf '0,{a}\n1,{b}\n2,{c}\n' > $5/{engine}-all.csv
echo some chatter
echo '{{"engine":"{engine}","version":"7","mode":"all","tris_a":1,"tris_b":1,"steps":3,"stride":1,"rounds":1,"build_ms":0.5,"bytes":80,"mean_us":4,"p50_us":4,"p99_us":5,"max_us":5,"colliding_steps":{hits},"pairs":{}}}'
"#,
            a + b + c
        )
    }

    #[test]
    fn engines_with_wrong_answers_are_named() {
        let folder = scene();
        let scripts = [("good", says("good-one", [1, 1, 0])), ("bad", says("bad-one", [1, 0, 2]))];
        let scripts = [(scripts[0].0, &*scripts[0].1), (scripts[1].0, &*scripts[1].1)];
        let page = folder.write("page.md", "<!-- bench compare -->\n<!-- end compare -->\n");
        // A peer with wrong answers does not fail the run.
        let line = run(&folder, &scripts, &["--json", "--write", &page]).succeeds().json();
        assert_eq!(line["scenarios"][0]["pairs"], 2, "{line}");
        let good = rows(&line, "good-one")[0];
        assert_eq!((&good["right"], &good["wrong_steps"]), (&true.into(), &0.into()), "{good}");
        assert_eq!((&good["version"], &good["bytes"]), (&"7".into(), &80.into()), "{good}");
        let bad = rows(&line, "bad-one")[0];
        assert_eq!((&bad["right"], &bad["wrong_steps"]), (&false.into(), &2.into()), "{bad}");
        assert_eq!((&bad["missed"], &bad["invented"]), (&1.into(), &2.into()), "{bad}");
        let ratios = line["ratios"].as_array().expect("ratios");
        assert!(ratios.iter().all(|ratio| ratio["peer"] != "bad-one"), "{line}");
        assert!(line["means"][0]["geometric_mean"].as_f64() > Some(0.0), "{line}");
        let text = folder.text("page.md");
        for piece in ["wide, all: ", " times as fast", "| good-one | bad-one | ratio | to |"] {
            assert!(text.contains(piece), "no `{piece}` in {text}");
        }
        assert!(!text.contains("cargo xtask compare"), "{text}");
        let total = line["engines"].as_array().expect("engines").iter();
        let total = total.clone().find(|it| it["engine"] == "bad-one").expect("it");
        assert_eq!((&total["wrong_all"], &total["bytes_per_triangle"]), (&1.into(), &40.0.into()));
    }

    #[test]
    fn engines_of_the_same_name_are_told_apart() {
        let folder = scene();
        let (first, second) = (says("wide", [1, 1, 0]), says("same", [1, 1, 0]));
        let peers = [("p", &*first), ("q", &*second), ("r", &*second)];
        let line = run(&folder, &peers, &[]).succeeds().json();
        assert_eq!(rows(&line, "p:wide").len(), 1, "{line}");
        assert_eq!(rows(&line, "wide").len(), 2, "{line}");
        assert_eq!((rows(&line, "same").len(), rows(&line, "r:same").len()), (1, 1), "{line}");
    }

    /// The report is still printed, without the failed peer.
    fn fails(script: &str, more: &[&str], pieces: &[&str]) {
        let folder = scene();
        let good = says("good-one", [1, 1, 0]);
        let run = run(&folder, &[("broken", script), ("good", &good)], more);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        for piece in pieces.iter().chain(&["`broken`"]) {
            assert!(run.stderr.contains(piece), "no `{piece}` in {}", run.stderr);
        }
        let line = run.json();
        assert_eq!(line["failed"][0]["peer"], "broken", "{line}");
        assert_eq!(rows(&line, "good-one").len(), 1, "{line}");
    }

    #[test]
    fn peers_that_fail_are_named() {
        fails("echo no such option >&2; exit 7", &[], &["7", "no such option"]);
        fails("exit 0", &[], &["nothing"]);
        fails("echo hello", &[], &["hello"]);
        fails("echo '{\"engine\":\"x\"'", &[], &["engine"]);
        fails("echo '{\"engine\":\"x\"}'", &[], &["mode"]);
        let good = says("x", [1, 1, 0]);
        fails(&good.replace("\"tris_a\":1", "\"tris_a\":2"), &[], &["2 triangles"]);
        fails(&good.replace("\"steps\":3", "\"steps\":4"), &[], &["steps"]);
        fails(&good.replace("2,0", "9,0"), &[], &["step 9"]);
        fails(&good.replace("2,0", "2,many"), &[], &["2,many"]);
        fails(&good.replace(":\"x\"", ":\"../x\""), &[], &["name"]);
        fails(&good.replace("\"mean_us\":4", "\"mean_us\":-4"), &[], &["time"]);
    }

    #[test]
    fn a_peer_that_hangs_is_stopped() {
        fails("exec sleep 100", &["--peer-timeout", "0.2"], &["0.2 s", "--peer-timeout"]);
        fails("exec yes", &["--peer-timeout", "10"], &["16 MB"]);
    }

    #[test]
    fn a_missing_peer_is_named() {
        let folder = scene();
        let arguments = ["bench", "--dir", &folder.at("scene"), "--peer", "gone=/none/such {dir}"];
        let run = impinge(arguments);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("`gone`") && run.stderr.contains("started"), "{}", run.stderr);
    }
}

#[test]
fn a_tumble_compares_methods_over_distance() {
    let folder = Folder::new();
    let plot = folder.at("tumble.svg");
    let arguments = ["bench", "tumble", "gen:sphere,faces=960", "--method", "brute,obb,dop18"];
    let more = ["--distances", "0,1,1.99,2.5", "--steps", "20", "--all", "--plot", &plot];
    let line = impinge([&arguments[..], &more].concat()).succeeds().json();
    assert_eq!((&line["faces"], &line["mode"]), (&960.into(), &"all".into()), "{line}");
    let rows = line["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4 * 3);
    for row in rows {
        let touching = row["colliding_steps"].as_u64().expect("a number");
        match row["distance"].as_f64().expect("a number") {
            0.0 | 1.0 => assert_eq!(touching, 20, "{row}"),
            2.5 => assert_eq!((touching, &row["pairs"]), (0, &0.into()), "{row}"),
            _ => {}
        }
        assert!(row["mean_us"].as_f64() <= row["max_us"].as_f64(), "{row}");
    }
    let names: Vec<&Value> =
        line["methods"].as_array().expect("methods").iter().map(|it| &it["method"]).collect();
    assert_eq!(names, ["brute", "obb", "dop18"]);

    let svg = folder.text("tumble.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for piece in ["obb", "dop18", "distance between the centres"] {
        assert!(svg.contains(piece), "no `{piece}` in the plot");
    }
}

#[test]
fn build_compares_methods_over_size() {
    let folder = Folder::new();
    let plot = folder.at("build.svg");
    let sizes = ["bench", "build", "--sizes", "100,1001", "--method", "all", "--plot", &plot];
    let line = impinge(sizes).succeeds().json();
    // All but `brute`, `naive` and `face-octree`, which have no index.
    let methods = impinge(["methods", "--json"]).succeeds().json_lines().len() - 3;
    let rows = line["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2 * methods);
    assert!(rows.iter().all(|row| row["bytes_per_face"].as_f64() > Some(0.0)), "{line}");
    assert_eq!((&rows[0]["faces"], &rows[methods]["faces"]), (&100.into(), &1002.into()));
    assert!(folder.text("build.svg").contains("dop26"));

    let line = impinge(["bench", "build", "gen:chair", "gen:gear"]).succeeds().json();
    assert_eq!(line["rows"][0]["mesh"], "gen:chair", "{line}");
}

#[test]
fn overlap_tests_of_the_boxtree() {
    let names = "boxtree:aligned,boxtree:lookup,boxtree:full,boxtree:lite,boxtree:paper,brute";
    let scene = ["bench", "tumble", "gen:deformed-torus,around=40,tube=12", "--method", names];
    let more = ["--distances", "1,1.9,2.5", "--steps", "15", "--all"];
    let line = impinge([&scene[..], &more].concat()).succeeds().json();
    let methods = line["methods"].as_array().expect("methods");
    assert_eq!(
        methods.iter().map(|it| it["method"].as_str().unwrap()).collect::<Vec<_>>().join(","),
        names
    );
    assert!(line["rows"][0]["pairs"].as_u64() > Some(100), "hardly a contact: {line}");
    let bytes = |i: usize| methods[i]["bytes_per_face"].as_f64().expect("a number");
    assert!(bytes(0) <= 16.0 && bytes(4) <= 16.0, "{line}");
    impinge(["bench", "tumble", "--method", "boxtree:magic"]).refuses(&["boxtree:lite"]);
}

#[test]
fn bytes_per_node_next_to_the_papers() {
    let line = impinge(["bench", "nodes", "gen:sphere,faces=960"]).succeeds().json();
    for row in line["rows"].as_array().expect("rows") {
        let bytes = row["bytes_per_node"].as_f64().expect("a number");
        if row["hierarchy"].as_str().expect("a name").starts_with("boxtree") {
            assert!(bytes <= 8.0, "{row}");
        }
        assert!(bytes > 0.0 && row["operations"].as_f64() > Some(0.0), "{row}");
    }
    // The counted operations of the paper's tree are about those that the paper counts by hand.
    let of = |name: &str| {
        let row =
            line["rows"].as_array().expect("rows").iter().find(|row| row["hierarchy"] == name);
        row.expect(name)["operations"].as_f64().expect("a number")
    };
    let [aligned, lite] = ["axis alignment", "SAT lite"].map(|test| {
        [of(&format!("boxtree of the paper, {test}")), of(&format!("boxtree, {test}"))]
    });
    assert!((8.0..13.0).contains(&aligned[0]) && (16.0..26.0).contains(&lite[0]), "{line}");
    assert!(aligned[1] > aligned[0] && lite[1] > lite[0], "two planes take more: {line}");
}

#[test]
fn empty_space_between_boxes() {
    let line = impinge(["bench", "space", "gen:sphere,faces=960", "gen:gear"]).succeeds().json();
    let rows = line["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2, "{line}");
    for row in rows {
        let number = |field: &str| row[field].as_f64().expect(field);
        let fractions = ["within_1", "within_10", "within_25", "within_50"].map(number);
        assert!(fractions.is_sorted() && fractions[3] > 0.4 && fractions[3] <= 1.0, "{row}");
        assert!((3.0..6.0).contains(&number("sides_on_parent")), "{row}");
    }
    impinge(["bench", "space", "none.obj"]).refuses(&["none.obj"]);
}

#[test]
fn objects_of_different_complexity() {
    let folder = Folder::new();
    let plot = folder.at("objects.svg");
    let scene = ["bench", "objects", "gen:gear", "--sizes", "200,400", "--steps", "4", "--all"];
    let more = ["--method", "brute,boxtree,dop18", "--distances", "1,1.9", "--plot", &plot];
    let line = impinge([&scene[..], &more].concat()).succeeds().json();
    let rows = line["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), (5 * 2 + 1) * 3, "{line}");
    let pairs: u64 = rows.iter().filter_map(|row| row["pairs"].as_u64()).sum();
    assert!(pairs > 1_000, "hardly a contact: {line}");
    for row in rows.iter().filter(|row| row["object"] != "gen:gear") {
        let faces = row["faces"].as_u64().expect("a number");
        assert!((100..700).contains(&faces), "{row}");
    }
    assert!(folder.text("objects.svg").contains("deformed torus, boxtree"));
    impinge(["bench", "objects", "--sizes", "3"]).misused(&["--sizes"]);
}

#[test]
fn usage_errors() {
    let folder = Folder::new();
    let plot = folder.at("none/plot.svg");
    impinge(["bench", "magic"]).misused(&["magic"]);
    impinge(["bench", "--scenario", "magic"]).refuses(&["`magic`", "shells-5k-a0.1"]);
    impinge(["bench", "--method", "magic"]).refuses(&["`magic`"]);
    impinge(["bench", "--cap", "0"]).misused(&["--cap"]);
    impinge(["bench", "--peer", "x="]).misused(&["--peer"]);
    impinge(["bench", "--peer", "x=a", "--peer", "x=b"]).refuses(&["`x`"]);
    impinge(["bench", "--dir", "none"]).refuses(&["none"]);
    impinge(["bench", "--meshes", "none.obj"]).refuses(&["none.obj"]);
    impinge(["bench", "--write", "none.md"]).refuses(&["none.md"]);
    let page = folder.write("page.md", "# No place\n");
    impinge(["bench", "--write", &page]).refuses(&["page.md", "bench compare"]);
    assert_eq!(folder.text("page.md"), "# No place\n");
    impinge(["bench", "tumble", "none.obj"]).refuses(&["none.obj"]);
    impinge(["bench", "tumble", "--method", "obb,magic"]).refuses(&["`magic`"]);
    impinge(["bench", "tumble", "--steps", "0"]).misused(&["--steps"]);
    impinge(["bench", "tumble", "--distances", "near"]).misused(&["near"]);
    impinge(["bench", "tumble", "gen:chair", "--distances", "nan"]).refuses(&["distance"]);
    impinge(["bench", "tumble", "gen:chair", "--steps", "2", "--plot", &plot])
        .refuses(&["none/plot.svg"]);
}

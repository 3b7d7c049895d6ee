//! Tests of `impinge query`: its output line, its options, and its errors.

use crate::common::{Folder, Run, Soup, impinge, soup};
use serde_json::Value;

const FIELDS: [&str; 15] = [
    "engine",
    "version",
    "method",
    "mode",
    "tris_a",
    "tris_b",
    "steps",
    "build_ms",
    "bytes",
    "mean_us",
    "p50_us",
    "p99_us",
    "max_us",
    "colliding_steps",
    "pairs",
];

/// A sphere, and a torus that tumbles beside it and touches it at some steps.
const TUMBLE: [&str; 5] = [
    "query",
    "gen:sphere,faces=80",
    "gen:torus,faces=600",
    "--poses",
    "gen:tumble,steps=12,distance=1.9",
];

fn tumble<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&TUMBLE[..], more].concat()
}

#[test]
fn one_line_with_the_fields_of_the_contract_in_order() {
    for (options, mode) in
        [(&["--json"][..], "detect"), (&["--all", "--json"], "all"), (&[], "detect")]
    {
        let run = impinge(tumble(options)).succeeds();
        assert_eq!(run.json_keys(), FIELDS, "{}", run.what);
        assert!(run.stdout.ends_with("}\n"), "{}: {}", run.what, run.stdout);
        let line = run.json();
        let integer = |name: &str| {
            line[name].as_u64().unwrap_or_else(|| panic!("{}: {name} in {line}", run.what))
        };
        assert_eq!(line["engine"], "impinge");
        assert_eq!(line["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(line["method"], default_method());
        assert_eq!(line["mode"], mode, "{}", run.what);
        assert_eq!(integer("tris_a"), 80);
        assert!((400..=600).contains(&integer("tris_b")), "{line}");
        assert_eq!(integer("steps"), 12);
        integer("bytes");
        let time = |name: &str| {
            let time =
                line[name].as_f64().unwrap_or_else(|| panic!("{}: {name} in {line}", run.what));
            assert!(time >= 0.0, "{}: {name} in {line}", run.what);
            time
        };
        time("build_ms");
        assert!(time("p50_us") <= time("p99_us") && time("p99_us") <= time("max_us"), "{line}");
        assert!(0.0 < time("mean_us") && time("mean_us") <= time("max_us"), "{line}");
        let colliding = integer("colliding_steps");
        assert!((1..12).contains(&colliding), "the scene should touch at some steps: {line}");
        match mode {
            "all" => assert!(integer("pairs") >= colliding, "{line}"),
            _ => assert_eq!(line["pairs"], Value::Null, "{line}"),
        }
    }
}

/// `--batch`: the same answers and rows, a throughput, and no times of single steps.
#[test]
fn a_batch_gives_the_same_answers_and_a_throughput() {
    let folder = Folder::new();
    let [single, batch] = ["single.csv", "batch.csv"].map(|name| folder.at(name));
    let expected = impinge(tumble(&["--pairs", &single])).succeeds().json();
    for threads in ["1", "2", "0", "7"] {
        for method in ["wide", "obb", "all"] {
            let options = ["--batch", "--threads", threads, "--method", method];
            let run = impinge(tumble(&[&options[..], &["--pairs", &batch]].concat())).succeeds();
            for line in run.json_lines() {
                assert_eq!(line["pairs"], expected["pairs"], "{}", run.what);
                assert_eq!(line["colliding_steps"], expected["colliding_steps"], "{}", run.what);
            }
            assert_eq!(folder.text("batch.csv"), folder.text("single.csv"), "{}", run.what);
        }
    }
    let run = impinge(tumble(&["--batch", "--threads", "2", "--within", "0.1"])).succeeds();
    assert_eq!(run.json_keys(), [&FIELDS[..], &["threads", "poses_per_s"]].concat());
    let line = run.json();
    let near = impinge(tumble(&["--within", "0.1"])).succeeds().json();
    assert_eq!(line["colliding_steps"], near["colliding_steps"], "{line}");
    assert_eq!((&line["threads"], &line["mode"]), (&2.into(), &"detect".into()), "{line}");
    for field in ["p50_us", "p99_us", "max_us"] {
        assert_eq!(line[field], Value::Null, "{line}");
    }
    let number = |field: &str| line[field].as_f64().expect("a number");
    let (rate, mean) = (number("poses_per_s"), number("mean_us"));
    assert!((rate * mean / 1e6 - 1.0).abs() < 0.01, "{line}");

    for option in ["--cache", "--distance", "--stats"] {
        impinge(tumble(&["--batch", option])).misused(&["--batch"]);
    }
}

fn methods() -> Vec<Value> {
    impinge(["methods", "--json"]).succeeds().json_lines()
}

fn default_method() -> String {
    let methods = methods();
    let default = methods.iter().find(|method| method["default"] == true);
    default.expect("a method is the default")["name"].as_str().expect("a name").to_owned()
}

#[test]
fn detect_and_all_agree() {
    for poses in [
        "gen:tumble,steps=40,distance=1.2",
        "gen:rotations,steps=15",
        "gen:billiard,steps=25,stride=0.2",
    ] {
        let arguments = ["query", "gen:torus,faces=400", "gen:chair", "--poses", poses];
        let detect = impinge(arguments).succeeds().json();
        let all = impinge(arguments.into_iter().chain(["--all"])).succeeds().json();
        for field in ["colliding_steps", "steps", "tris_a", "tris_b", "method"] {
            assert_eq!(detect[field], all[field], "{poses}: {field}");
        }
    }
}

#[test]
fn without_poses_b_is_not_moved() {
    let folder = Folder::new();
    let a = folder.write("a.obj", Soup::cube([0., 0., 0.], 1.).obj());
    let b = folder.write("b.obj", Soup::cube([1., 0., 0.], 1.).obj());
    let poses = folder.write("poses.csv", soup::pose_file(&[soup::IDENTITY]));
    let [default, explicit] = ["default.csv", "explicit.csv"].map(|name| folder.at(name));
    let line = impinge(["query", &a, &b, "--pairs", &default]).succeeds().json();
    assert_eq!((&line["steps"], &line["colliding_steps"]), (&1.into(), &1.into()), "{line}");
    impinge(["query", &a, &b, "--pairs", &explicit, "--poses", &poses]).succeeds();
    assert_eq!(folder.text("default.csv"), folder.text("explicit.csv"));
    assert!(folder.text("default.csv").lines().count() > 1, "cubes with a common side touch");
}

#[test]
fn pairs_implies_all() {
    let folder = Folder::new();
    let out = folder.at("pairs.csv");
    let line = impinge(tumble(&["--pairs", &out])).succeeds().json();
    assert_eq!(line["mode"], "all");
    assert_eq!(line["pairs"], folder.text("pairs.csv").lines().count() as u64 - 1, "{line}");
    assert_eq!(folder.names(), ["pairs.csv"]);
}

const GEAR: &str = "gen:gear,module=0.1,width=0.6,bore=0.4";

/// Enough faces that the work is split among threads.
#[test]
fn threads_do_not_change_a_byte() {
    let folder = Folder::new();
    let scene = ["query", "gen:deformed-torus,around=60,tube=16", GEAR];
    let poses = ["--poses", "gen:rotations,steps=3", "--pairs"];
    let rows = |options: &[&str]| {
        let out = folder.at("pairs.csv");
        let line = impinge([&scene[..], &poses, &[&out], options].concat()).succeeds().json();
        (folder.read("pairs.csv"), line["pairs"].clone(), line["colliding_steps"].clone())
    };
    let expected = rows(&["--threads", "1"]);
    assert!(expected.1.as_u64() > Some(100), "hardly a contact: {}", expected.1);
    for options in [&["--threads", "2"][..], &["--threads", "0"], &["--threads", "7"], &[]] {
        assert!(rows(options) == expected, "{options:?} gives other pairs than --threads 1");
    }
    for threads in ["1", "2", "0"] {
        let line = impinge(tumble(&["--threads", threads])).succeeds().json();
        assert_eq!(line["colliding_steps"], impinge(tumble(&[])).json()["colliding_steps"]);
    }
}

#[test]
fn method_all_runs_each() {
    let folder = Folder::new();
    let out = folder.at("pairs.csv");
    let names = |lines: &[Value], field: &str| -> Vec<Value> {
        lines.iter().map(|line| line[field].clone()).collect()
    };
    let run = impinge(tumble(&["--method", "all", "--pairs", &out])).succeeds();
    let lines = run.json_lines();
    assert_eq!(names(&lines, "method"), names(&methods(), "name"));
    let all = folder.read("pairs.csv");
    for line in &lines {
        assert_eq!(line["pairs"], lines[0]["pairs"], "{}", run.stdout);
        let method = line["method"].as_str().unwrap();
        let alone = impinge(tumble(&["--method", method, "--pairs", &out])).succeeds().json();
        assert_eq!(alone["pairs"], line["pairs"], "{method}");
        assert!(folder.read("pairs.csv") == all, "{method} writes other pairs");
    }
    let detect = impinge(tumble(&["--method", "all"])).succeeds().json_lines();
    assert_eq!(names(&detect, "method"), names(&lines, "method"));
}

/// Runs a tumble. Returns the pairs of faces that touch, and the JSON line.
fn pairs_and_stats(folder: &Folder, more: &[&str]) -> (String, Value) {
    let out = folder.at("pairs.csv");
    let line = impinge([&tumble(&["--pairs", &out, "--stats"]), more].concat()).succeeds();
    (folder.text("pairs.csv"), line.json())
}

/// Returns the pairs of faces that touch in a tumble, found by `brute`.
fn expected_pairs(folder: &Folder) -> String {
    let (expected, _) = pairs_and_stats(folder, &["--method", "brute"]);
    assert!(expected.lines().count() > 20, "hardly a contact: {expected}");
    expected
}

/// Every build option gives the same pairs, and is refused by methods that do not have it.
#[test]
fn options_of_binary_trees() {
    let folder = Folder::new();
    let run = |more: &[&str]| pairs_and_stats(&folder, more);
    let expected = expected_pairs(&folder);
    let (_, default) = run(&["--method", "dop18"]);
    for options in [
        &["--rule", "min-sum", "--point", "median"][..],
        &["--rule", "surface-area", "--directions", "edges"],
        &["--rule", "box-axes", "--point", "median"],
        &["--regroup", "least-volume"],
        &["--regroup", "min-max", "--regroup-levels", "3"],
        &["--leaf", "5"],
        &["--leaf-a", "1"],
        &["--leaf-b", "7"],
        &["--split-skinny", "1.5"],
    ] {
        let (rows, line) = run(&[&["--method", "dop18"], options].concat());
        assert!(rows == expected, "{options:?} finds other pairs");
        let tests = |line: &Value| line["volume_tests"].as_f64().expect("a number");
        // These meshes have no long thin faces.
        let has_effect = options[0] != "--split-skinny";
        assert_eq!(tests(&line) != tests(&default), has_effect, "{options:?}");
        impinge(tumble(&[&["--method", "boxtree"], options].concat())).refuses(&[
            options[0],
            "`boxtree`",
            "dop18",
        ]);
    }
    let size = |more: &[&str]| {
        let (rows, line) = run(&[&["--method", "dop18"], more].concat());
        assert!(rows == expected, "{more:?} finds other pairs");
        line["bytes"].as_u64().expect("a number")
    };
    assert_eq!(size(&["--leaf", "6"]), size(&["--leaf-a", "6", "--leaf-b", "6"]));
    assert_eq!(size(&["--leaf", "6", "--leaf-b", "1"]), size(&["--leaf-b", "1", "--leaf-a", "6"]));
    assert_eq!(size(&["--leaf", "auto"]), size(&["--leaf-a", "1", "--leaf-b", "auto"]));
    assert_ne!(size(&["--leaf", "auto"]), size(&["--leaf", "2"]));
    impinge(tumble(&["--leaf", "2"])).refuses(&["--leaf", "`wide`"]);
    impinge(tumble(&["--leaf-b", "auto"])).refuses(&["--leaf-b", "`wide`"]);
    let some = ["--index-a", "a.index", "--index-b", "b.index", "--leaf-a", "3"];
    impinge(tumble(&some)).misused(&["--index-a", "--leaf-a"]);
    impinge(tumble(&["--method", "obb", "--split-skinny", "-1"])).refuses(&["--split-skinny -1"]);
    let some = ["--index-a", "a.index", "--index-b", "b.index", "--rule", "min-sum"];
    impinge(tumble(&some)).misused(&["--index-a", "--rule"]);
    // Methods without these options use their defaults.
    let all = impinge(tumble(&["--method", "all", "--leaf", "7"])).succeeds().json_lines();
    assert_eq!(all.len(), methods().len());
}

/// However the nodes of B are placed, and in whichever order the trees are descended, the pairs are the same.
#[test]
fn tumbling_and_orders_of_binary_trees() {
    let folder = Folder::new();
    let out = folder.at("pairs.csv");
    let run = |more: &[&str]| pairs_and_stats(&folder, more);
    let expected = expected_pairs(&folder);
    let (_, default) = run(&["--method", "dop14"]);
    let number = |line: &Value, key: &str| line[key].as_f64().expect("a number");
    for options in [
        &["--tumbling", "vertices"][..],
        &["--hill-climbing", "3"],
        &["--tumbling", "vertices", "--hill-climbing", "all"],
        &["--order", "first"],
        &["--order", "restart"],
    ] {
        for more in [&["--threads", "1"][..], &["--threads", "2"], &["--cache"], &["--batch"]] {
            // A batch has no numbers of tests.
            let stats = if more[0] == "--batch" { &[][..] } else { &["--stats"] };
            let arguments = [&["--pairs", &out, "--method", "dop14"], options, more, stats];
            impinge(tumble(&arguments.concat())).succeeds();
            let rows = folder.text("pairs.csv");
            assert!(rows == expected, "{options:?} {more:?} finds other pairs");
        }
        let (_, line) = run(&[&["--method", "dop14"], options].concat());
        let differs = |key: &str| number(&line, key) != number(&default, key);
        let is_order = options[0] == "--order";
        // The first levels overlap at every step, however tight they are.
        assert_eq!(differs("volume_tests"), options[1] != "3", "{options:?}");
        assert_eq!(differs("bytes"), !is_order, "{options:?}");
        let unfit = if is_order { "wide" } else { "obb" };
        impinge(tumble(&[&["--method", unfit], options].concat())).refuses(&[
            options[0],
            &format!("`{unfit}`"),
            "dop18",
        ]);
    }
    impinge(tumble(&["--method", "dop18", "--hill-climbing", "0"])).misused(&["--hill-climbing"]);
    impinge(tumble(&["--method", "all", "--order", "first", "--tumbling", "vertices"])).succeeds();

    // An index file stores no vertices and no hulls; the order is the query's.
    let index = |method: &str, mesh: &str, name: &str| {
        let file = folder.at(name);
        impinge(["index", mesh, "--method", method, "-o", &file]).succeeds();
        file
    };
    let files = |method: &str| {
        let arguments = tumble(&[]);
        [index(method, arguments[1], "a.index"), index(method, arguments[2], "b.index")]
    };
    let [a, b] = files("dop14");
    let loaded = ["--index-a", &a, "--index-b", &b, "--pairs", &out];
    impinge(tumble(&[&loaded[..], &["--order", "restart"]].concat())).succeeds();
    assert!(folder.text("pairs.csv") == expected, "with index files");
    impinge(tumble(&[&loaded[..], &["--tumbling", "vertices"]].concat()))
        .misused(&["--index-a", "--tumbling"]);
    let [a, b] = files("wide");
    let loaded = ["--index-a", &a, "--index-b", &b, "--order", "first"];
    impinge(tumble(&loaded)).refuses(&["--order", "`wide`"]);
}

#[test]
fn unreadable_files_are_named() {
    let folder = Folder::new();
    let good = folder.write("good.obj", Soup::tetrahedron().obj());
    let none = folder.at("none.obj");
    let bad = folder.write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    impinge(["query", &none, &good]).refuses(&[&none]);
    impinge(["query", &good, &none]).refuses(&[&none]);
    impinge(["query", &good, &bad]).refuses(&["bad.obj:2:"]);
    impinge(["query", &good, folder.path().to_str().unwrap()]).refuses(&["folder"]);
    impinge(["query", &good, &good, "--poses", &folder.at("none.csv")]).refuses(&["none.csv"]);
    impinge(["query", &good, &good, "--method", "magic"]).refuses(&["`magic`", &default_method()]);
}

#[test]
fn bad_poses_are_named_by_line() {
    let folder = Folder::new();
    let mesh = folder.write("mesh.obj", Soup::tetrahedron().obj());
    let good = soup::pose_file(&[soup::IDENTITY]);
    let third = |line: &str| format!("# poses\n{good}{line}\n{good}");
    for (what, text, piece) in [
        ("eleven numbers", third("1,0,0,0,0,1,0,0,0,0,1"), ":3:"),
        ("thirteen numbers", third("1,0,0,0,0,1,0,0,0,0,1,0,0"), ":3:"),
        ("a word", third("1,0,0,0,0,1,0,0,0,0,1,x"), ":3:"),
        ("NaN", third("1,0,0,nan,0,1,0,0,0,0,1,0"), ":3:"),
        ("infinity", third("1,0,0,0,0,1,0,inf,0,0,1,0"), ":3:"),
        ("a scale", third("2,0,0,0,0,2,0,0,0,0,2,0"), ":3:"),
        ("off by more than 1e-6", third("1.000001,0,0,0,0,1,0,0,0,0,1,0"), ":3:"),
        ("a header", format!("r00,r01,r02,tx\n{good}"), ":1:"),
        ("nothing", String::new(), "poses.csv"),
        ("only a comment", "# nothing\n".to_owned(), "poses.csv"),
    ] {
        let poses = folder.write("poses.csv", text);
        let run = impinge(["query", &mesh, &mesh, "--poses", &poses]);
        if let Some(fault) = run.refusal_fault(&[&poses, piece]) {
            panic!("{what}: {fault}");
        }
    }
    let poses = folder.write("poses.csv", b"1,0,0,0,0,1,0,0,0,0,1,\xFF\n");
    impinge(["query", &mesh, &mesh, "--poses", &poses]).refuses(&[&poses]);
}

#[test]
fn translations_give_the_same_answers_as_poses() {
    let folder = Folder::new();
    // The body is turned by 3-4-5 triangles, and slides along x, y and z.
    let row = |step: u32, turn: &str| {
        let [x, y, z] = [0.17, -0.05, 0.031].map(|speed| f64::from(step) * speed);
        let [a, b, c] = <[&str; 3]>::try_from(turn.split(';').collect::<Vec<_>>()).unwrap();
        format!("{a},{x},{b},{y},{c},{z}\n")
    };
    let turn = "0.6,-0.8,0;0.48,0.36,-0.8;0.64,0.48,0.6";
    let rows: String = (0..12).map(|step| row(step, turn)).collect();
    let poses = folder.write("slide.csv", &rows);
    let query = ["query", "gen:chair", "gen:torus,faces=600", "--poses", &poses];
    let run = |more: &[&str]| impinge(query.iter().chain(more)).succeeds();
    for (option, file) in [("--pairs", "pairs.csv"), ("--write-distances", "distances.csv")] {
        for method in ["wide", "dop18", "octree", "hull", "brute"] {
            let out = [folder.at(file), folder.at("stated.csv")];
            if option == "--write-distances" && matches!(method, "octree" | "brute") {
                continue;
            }
            run(&["--method", method, option, &out[0]]);
            run(&["--method", method, option, &out[1], "--translation-only"]);
            let [expected, stated] = out.map(|file| std::fs::read_to_string(file).unwrap());
            assert_eq!(stated, expected, "{method} {option}");
            assert!(expected.lines().count() > 5, "{method} {option}: {expected}");
        }
    }
    for mode in ["--first-impact", "--swept"] {
        let of = |more: &[&str]| run(&[&[mode], more].concat()).json()["colliding_steps"].clone();
        assert_eq!(of(&["--translation-only"]), of(&[]), "{mode}");
    }
    // Volumes that are turned once are tighter than those that are turned at each step.
    let tests = |more: &[&str]| {
        let line = run(&[&["--method", "dop18", "--stats", "--all"], more].concat()).json();
        line["volume_tests"].as_f64().unwrap_or_else(|| panic!("{line}"))
    };
    assert!(tests(&["--translation-only"]) < tests(&[]));

    let other = "1,0,0;0,1,0;0,0,1";
    let turned = folder.write("turned.csv", format!("# a turn\n{rows}{}", row(12, other)));
    let refused = ["turned.csv:14:", "row 13 has another rotation than row 1"];
    for more in [&[][..], &["--first-impact"], &["--batch"], &["--distance"]] {
        let query = ["query", "gen:chair", "gen:torus", "--poses", &turned, "--translation-only"];
        impinge(query.iter().chain(more)).refuses(&refused);
    }
    impinge(tumble(&["--translation-only"]))
        .refuses(&["gen:tumble", "step 1 has another rotation"]);
    let without = ["query", "gen:chair", "gen:torus", "--translation-only"];
    impinge(without).misused(&["--poses"]);
}

#[test]
fn usage_errors() {
    impinge(["query"]).misused(&["<A>", "<B>"]);
    impinge(["query", "gen:chair"]).misused(&["<B>"]);
    impinge(["query", "gen:chair", "gen:chair", "gen:chair"]).misused(&["gen:chair"]);
    impinge(tumble(&["--threads", "two"])).misused(&["two", "--threads"]);
    impinge(tumble(&["--threads=-1"])).misused(&["-1", "--threads"]);
    // So many threads would keep the machine busy.
    impinge(tumble(&["--threads", "20000"])).misused(&["20000", "--threads"]);
    impinge(tumble(&["--fast"])).misused(&["--fast"]);
}

#[test]
fn pairs_that_cannot_be_written_leave_nothing_behind() {
    let folder = Folder::new();
    let file = folder.write("file", "");
    std::fs::create_dir(folder.path().join("folder.csv")).unwrap();
    for (name, piece) in [
        ("none/pairs.csv", "none/pairs.csv"),
        ("file/pairs.csv", &*file),
        ("folder.csv", "folder.csv"),
    ] {
        impinge(tumble(&["--pairs", &folder.at(name)])).refuses(&[piece]);
        assert_eq!(folder.names(), ["file", "folder.csv"], "after --pairs {name}");
    }
    assert_eq!(std::fs::read_dir(folder.path().join("folder.csv")).unwrap().count(), 0);
}

#[test]
fn a_failing_run_leaves_the_old_file_alone() {
    let folder = Folder::new();
    let out = folder.write("pairs.csv", "old");
    impinge(["query", "gen:chair", "none.obj", "--pairs", &out]).refuses(&["none.obj"]);
    impinge(["query", "gen:chair", "gen:chair", "--poses", "none.csv", "--pairs", &out])
        .refuses(&["none.csv"]);
    impinge(tumble(&["--method", "magic", "--pairs", &out])).refuses(&["magic"]);
    impinge(tumble(&["--pairs", &out, "--threads", "x"])).misused(&["--threads"]);
    assert_eq!(
        (folder.text("pairs.csv"), folder.names()),
        ("old".into(), vec!["pairs.csv".into()])
    );
}

/// A limit on file size stands for a full disk.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_incomplete_file() {
    let folder = Folder::new();
    let [old, new] = ["old.csv", "new.csv"];
    folder.write(old, "old");
    let scene = ["query", "gen:gear", "gen:gear", "--poses", "gen:rotations,steps=4", "--pairs"];
    for name in [old, new] {
        let out = folder.at(name);
        let arguments = [&scene[..], &[&out]].concat();
        Run::after("trap '' XFSZ; ulimit -f 8", &arguments).finish().refuses(&[&out]);
        assert_eq!((folder.text(old), folder.names()), ("old".into(), vec![old.into()]), "{name}");
    }
    // Without the limit, the same run writes more than the limit.
    impinge([&scene[..], &[&folder.at(new)]].concat()).succeeds();
    assert!(folder.read(new).len() > 8 * 1024, "{} bytes", folder.read(new).len());
}

/// If the reader closes the output, the command ends without a panic or a message.
#[test]
#[cfg(unix)]
fn a_closed_pipe_does_not_panic() {
    let folder = Folder::new();
    let out = folder.at("pairs.csv");
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    for arguments in [
        tumble(&[]),
        tumble(&["--method", "all", "--pairs", &out]),
        vec!["inspect", "gen:chair", "gen:gearbox", "--parts"],
        vec!["methods"],
        vec!["completions", "bash"],
        vec!["--help"],
    ] {
        Run::new(arguments).stdout(closed()).finish().succeeds();
    }
    assert_eq!(folder.names(), ["pairs.csv"], "the pairs were written before the line was");
    for arguments in [&["inspect", "none.obj"][..], &["query", "none.obj", "none.obj"], &["none"]] {
        let run = Run::new(arguments).stderr(closed()).finish();
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{}, nobody listening", run.what);
    }
}

/// A message is one line, whatever the name of a file.
#[test]
#[cfg(unix)]
fn a_name_with_a_line_end_is_shown_escaped() {
    impinge(["query", "no\nsuch\x1b[31m.obj", "gen:chair"]).refuses(&["no\\nsuch\\u{1b}[31m.obj"]);
}

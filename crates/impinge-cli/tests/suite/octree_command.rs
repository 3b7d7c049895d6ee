//! Tests of `impinge octree`.

use crate::common::{Folder, Run, impinge};

const FIGURES: [&str; 11] = [
    "level",
    "min",
    "side",
    "voxel",
    "nodes",
    "black",
    "white",
    "gray",
    "bytes",
    "black_voxels",
    "volume",
];

/// The text of figure 2.1 of Smith and Kitamura, 1994.
const PAPER: &str = "(B(BWBBBWWWBWBWB(B(BWBBBWBWBBBWBW";

/// Makes the octree of a shuttle, and returns its file.
fn shuttle(folder: &Folder, name: &str, more: &[&str]) -> String {
    let file = folder.at(name);
    impinge([&["octree", "make", "gen:shuttle", "--level", "4", "-o", &file], more].concat())
        .succeeds();
    file
}

#[test]
fn an_octree_is_made_written_and_read() {
    let folder = Folder::new();
    let (file, picture) = (folder.at("a.octree"), folder.at("a.png"));
    let make =
        ["octree", "make", "gen:shuttle", "--level", "5", "-o", &file, "--picture", &picture];
    let made = impinge([&make[..], &["--json"]].concat()).succeeds();
    assert_eq!(made.json_keys(), [&["faces", "build_ms"], &FIGURES[..]].concat());
    let made = made.json();
    assert_eq!((&made["faces"], &made["level"]), (&528.into(), &5.into()));
    let count = |key: &str| made[key].as_u64().unwrap();
    assert_eq!(count("black") + count("white") + count("gray"), count("nodes"));
    assert!(count("black_voxels") > 1_000, "{made}");
    let volume = count("black_voxels") as f64 * made["voxel"].as_f64().unwrap().powi(3);
    assert!((made["volume"].as_f64().unwrap() / volume - 1.0).abs() < 1e-12, "{made}");
    assert!(folder.read("a.png").starts_with(b"\x89PNG\r\n\x1a\n"));

    let inspected = impinge(["octree", "inspect", &file, "--compact", "--json"]).succeeds().json();
    for key in FIGURES {
        assert_eq!(inspected[key], made[key], "{key}");
    }
    assert!(inspected["compacted_cubes"].as_u64().unwrap() < count("black"), "{inspected}");
    let text = impinge(["octree", "inspect", &file, "--text"]).succeeds().stdout;
    let body: String = folder.text("a.octree").lines().skip(1).collect();
    assert_eq!(text.trim_end(), body);
    assert!(impinge(["octree", "inspect", &file]).succeeds().stdout.contains("black voxels"));

    let center = ["octree", "make", "gen:shuttle", "--level", "5", "--rule", "center", "--json"];
    let center = impinge(center).succeeds().json();
    let faces = ["octree", "make", "gen:shuttle", "--level", "5", "--faces", "--json"];
    let faces = impinge(faces).succeeds().json();
    for fewer in [center, faces] {
        assert!(fewer["black_voxels"].as_u64().unwrap() < count("black_voxels"), "{fewer}");
    }
}

#[test]
fn the_text_of_the_paper_is_a_file() {
    let folder = Folder::new();
    let file = folder.write("paper.octree", PAPER);
    let line = impinge(["octree", "inspect", &file, "--json"]).succeeds().json();
    assert_eq!((&line["nodes"], &line["level"]), (&33.into(), &3.into()));
    assert_eq!(
        (&line["black"], &line["white"], &line["gray"]),
        (&18.into(), &11.into(), &4.into())
    );
    let text = impinge(["octree", "inspect", &file, "--text"]).succeeds().stdout;
    assert_eq!(text.trim_end(), PAPER);
}

#[test]
fn every_algorithm_writes_the_same_octree() {
    let folder = Folder::new();
    let source = shuttle(&folder, "a.octree", &["--cube", "-40,-40,-40,80"]);
    let moved = |name: &str, more: &[&str]| {
        let to = folder.at(name);
        let arguments = ["octree", "move", &source, "--rule", "center", "-o", &to, "--json"];
        let line = impinge([&arguments[..], more].concat()).succeeds();
        let keys = ["algorithm", "steps", "cubes", "compact_ms", "mean_us", "max_us"];
        let keys = [&keys[..], &["cell_tests", "voxel_tests"], &FIGURES].concat();
        assert_eq!(line.json_keys(), keys);
        (folder.text(name), line.json())
    };
    let motion = ["--rotate", "1,2,3,40", "--translate", "3.3,-2,1"];
    let (expected, line) = moved("first.octree", &motion);
    assert!(line["black_voxels"].as_u64().unwrap() > 40, "{line}");
    for more in [
        &["--algorithm", "weng-ahuja"][..],
        &["--algorithm", "weng-ahuja-exact", "--compact"],
        &[
            "--algorithm",
            "efficient",
            "--compact",
            "--scans",
            "3",
            "--restarts",
            "2",
            "--seed",
            "5",
        ],
        &["--threads", "2"],
    ] {
        let (text, line) = moved("again.octree", &[&motion[..], more].concat());
        assert!(text == expected, "{more:?}");
        assert_eq!(line["compact_ms"].is_number(), more.contains(&"--compact"), "{line}");
    }
    let (unmoved, _) = moved("unmoved.octree", &["--translate", "0,0,0"]);
    assert!(unmoved == folder.text("a.octree"), "an object that is not moved is the same");
    let translate = ["--translate", "5,-5,0.7"];
    let (expected, _) = moved("first.octree", &translate);
    for algorithm in ["translation-by-cells", "translation-by-axes"] {
        let (text, _) =
            moved("again.octree", &[&translate[..], &["--algorithm", algorithm]].concat());
        assert!(text == expected, "{algorithm}");
    }
}

#[test]
fn a_path_of_poses_gives_a_row_each() {
    let folder = Folder::new();
    let source = shuttle(&folder, "a.octree", &[]);
    let (csv, picture) = (folder.at("steps.csv"), folder.at("last.png"));
    let path = ["octree", "move", &source, "--poses", "gen:tumble,steps=7", "--csv", &csv];
    let line = impinge([&path[..], &["--picture", &picture, "--level", "3", "--json"]].concat());
    // The last pose is farther away than the root cube is wide.
    assert!(line.stderr.contains("outside of the root cube"), "{}", line.stderr);
    assert_eq!(line.code, Some(0), "{}", line.stderr);
    let line = line.json();
    assert_eq!((&line["steps"], &line["level"]), (&7.into(), &3.into()));
    let rows: Vec<String> = folder.text("steps.csv").lines().map(str::to_owned).collect();
    assert_eq!(rows[0], "step,us,nodes,black_voxels,cell_tests,voxel_tests");
    assert_eq!(rows.len(), 8);
    let sum: u64 =
        rows[1..].iter().map(|row| row.split(',').nth(4).unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(line["cell_tests"], sum);
    assert!(folder.read("last.png").starts_with(b"\x89PNG"));
}

#[test]
fn octrees_are_combined() {
    let folder = Folder::new();
    let [a, b] = [("a.octree", "gen:shuttle"), ("b.octree", "gen:cuboid,x=20,y=20,z=20")].map(
        |(name, mesh)| {
            let file = folder.at(name);
            let cube = ["--level", "5", "--cube", "-25,-25,-25,50"];
            impinge([&["octree", "make", mesh, "-o", &file], &cube[..]].concat()).succeeds();
            file
        },
    );
    let voxels = |operation: &str, files: &[&str]| {
        let command = ["octree", "unite", "--operation", operation, "--json"];
        let line = impinge([&command[..], files].concat()).succeeds();
        assert_eq!(line.json_keys(), FIGURES);
        line.json()["black_voxels"].as_u64().unwrap()
    };
    let own = |file: &str| {
        impinge(["octree", "inspect", file, "--json"]).succeeds().json()["black_voxels"]
            .as_u64()
            .unwrap()
    };
    let (union, common) = (voxels("union", &[&a, &b]), voxels("intersection", &[&a, &b]));
    assert_eq!(union + common, own(&a) + own(&b));
    assert_eq!(voxels("difference", &[&a, &b]), own(&a) - common);
    assert_eq!(voxels("complement", &[&a]), 32 * 32 * 32 - own(&a));
    let whole = folder.at("whole.octree");
    impinge(["octree", "unite", &a, &b, &a, "-o", &whole]).succeeds();
    assert_eq!(own(&whole), union);

    impinge(["octree", "unite", &a]).refuses(&["name another one"]);
    impinge(["octree", "unite", "--operation", "complement", &a, &b]).refuses(&["one octree"]);
    let other = shuttle(&folder, "other.octree", &[]);
    impinge(["octree", "unite", &a, &other]).refuses(&["a.octree", "other.octree", "root cube"]);
    impinge(["octree", "unite", &a, &b, "-o", &b]).refuses(&["--output", "would overwrite"]);
}

#[test]
fn the_surface_is_a_closed_mesh() {
    let folder = Folder::new();
    let source = shuttle(&folder, "a.octree", &[]);
    for format in ["obj", "stl", "ply", "glb"] {
        let mesh = folder.at(&format!("surface.{format}"));
        let printed = impinge(["octree", "mesh", &source, "-o", &mesh]).succeeds().stdout;
        assert!(printed.contains(" faces"), "{printed}");
    }
    // The octree of the surface has the same voxels, at the same places.
    let again = folder.at("again.octree");
    let header = folder.text("a.octree").lines().next().unwrap().to_owned();
    let words: Vec<&str> = header.split(' ').collect();
    let cube = [words[5], words[6], words[7], words[9]].join(",");
    let mesh = folder.at("surface.obj");
    let make = ["octree", "make", &mesh, "--level", "4", "--rule", "center", "--cube", &cube];
    impinge([&make[..], &["-o", &again]].concat()).succeeds();
    assert_eq!(folder.text("again.octree"), folder.text("a.octree"));
    impinge(["octree", "mesh", &source, "-o", &folder.at("a.xyz")]).refuses(&["a.xyz", ".obj"]);
}

#[test]
fn bad_input_is_refused_in_little_memory() {
    let folder = Folder::new();
    let head = "octree 1 level 16 min 0 0 0 side 1\n";
    for (name, text, pieces) in [
        ("cut.octree", PAPER[..30].to_owned(), &["cut.octree", "cut off"][..]),
        ("empty.octree", String::new(), &["empty.octree:1", "header"]),
        ("deep.octree", "(".repeat(1 << 22), &["deep.octree:1:17", "level 16"]),
        (
            "wide.octree",
            format!("{head}{}", "(WWWWWWWW".repeat(1 << 20)),
            &["wide.octree:2:10", "goes on"],
        ),
        ("odd.octree", format!("{head}(BBX"), &["odd.octree:2:4", "`X` is not a node"]),
        ("level.octree", "octree 1 level 99 min 0 0 0 side 1\nB".into(), &["level.octree:1", "99"]),
        (
            "cube.octree",
            "octree 1 level 3 min 0 0 0 side -1\nB".into(),
            &["cube.octree:1", "positive"],
        ),
        ("binary.octree", "\0\u{1}\u{2}".into(), &["binary.octree"]),
    ] {
        let file = folder.write(name, text);
        for command in ["inspect", "unite", "mesh", "move"] {
            let mut arguments = vec!["octree", command, &file];
            let out = folder.at("out.obj");
            match command {
                "unite" => arguments.extend(["--operation", "complement"]),
                "mesh" => arguments.extend(["-o", &out]),
                "move" => arguments.extend(["--translate", "1,0,0"]),
                _ => {}
            }
            Run::in_little_memory(arguments).finish().refuses(pieces);
        }
    }
    // A whole cube at the finest level has 2^32 squares on each side.
    let all = folder.write("all.octree", format!("{head}B"));
    let out = folder.at("out.obj");
    Run::in_little_memory(["octree", "mesh", &all, "-o", &out]).finish().refuses(&["squares"]);
    Run::in_little_memory(["octree", "inspect", &all, "--compact"])
        .finish()
        .refuses(&["compacted"]);
    assert!(!folder.names().iter().any(|name| name.contains("out")), "{:?}", folder.names());
}

#[test]
fn options_are_checked() {
    let folder = Folder::new();
    let source = shuttle(&folder, "a.octree", &[]);
    impinge(["octree", "make", "gen:shuttle", "--level", "17"]).misused(&["--level", "17"]);
    impinge(["octree", "make", "gen:shuttle", "--cube", "1,2,3"]).misused(&["X,Y,Z,SIDE"]);
    impinge(["octree", "make", "gen:shuttle", "--cube", "0,0,0,-2"])
        .refuses(&["--cube", "positive"]);
    impinge(["octree", "make", "gen:terrain"]).refuses(&["gen:terrain", "not closed", "--faces"]);
    impinge(["octree", "make", "gen:terrain", "--faces"]).succeeds();
    impinge(["octree", "make", &folder.at("none.obj")]).refuses(&["none.obj"]);
    impinge(["octree", "move", &source]).refuses(&["--poses", "--translate"]);
    impinge(["octree", "move", &source, "--rotate", "0,0,0,30"]).misused(&["axis"]);
    let turned = ["octree", "move", &source, "--rotate", "0,0,1,30"];
    impinge([&turned[..], &["--algorithm", "translation-by-axes"]].concat())
        .refuses(&["pose 0", "turns"]);
    impinge([&turned[..], &["-o", &source]].concat()).refuses(&["--output", "would overwrite"]);
    impinge(["octree", "inspect", &source, &source, "--picture", &folder.at("a.png")])
        .refuses(&["--picture", "several"]);
    let picture = folder.at("a.jpg");
    impinge(["octree", "inspect", &source, "--picture", &picture]).refuses(&["a.jpg", ".png"]);
    impinge(["octree", "make", "gen:chair", "--faces", "--picture", &picture])
        .refuses(&["a.jpg", ".png"]);
    impinge([&turned[..], &["--compact", "--restarts", "10001"]].concat())
        .misused(&["--restarts", "10000"]);
}

/// The examples of the help, in their order: each uses files of those before it.
#[test]
fn examples_of_the_help_run() {
    let folder = Folder::new();
    impinge(["generate", "cuboid", "--x", "30", "-o", &folder.at("part.stl")]).succeeds();
    let help = impinge(["octree", "--help"]).succeeds().stdout;
    let mut ran = 0;
    for example in help.lines().filter_map(|line| line.strip_prefix("  impinge ")) {
        let is_file = |word: &str| {
            [".stl", ".octree", ".png"].iter().any(|extension| word.ends_with(extension))
        };
        let words = example.split(' ');
        let words = words.map(|word| if is_file(word) { folder.at(word) } else { word.to_owned() });
        impinge(words).succeeds();
        ran += 1;
    }
    assert_eq!(ran, 6, "{help}");
    for command in ["make", "move", "unite", "inspect", "mesh"] {
        let help = impinge(["octree", command, "--help"]).succeeds().stdout;
        assert!(help.contains(&format!("Examples:\n  impinge octree {command} ")), "{help}");
    }
}

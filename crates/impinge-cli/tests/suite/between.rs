//! Tests of what happens between poses and between cycles: `impinge query --swept`, `--first-impact` and
//! `impinge run --swept`.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{
    Folder, Soup, csv, impinge,
    soup::{Random, moved_by, placed, pose_file},
};
use impinge_oracle::hulls_touch;

const PLATE: &str = "gen:cuboid,x=10,y=10,z=0.1";
const BULLET: &str = "gen:cuboid,x=1,y=1,z=1";

/// A bullet that passes a plate in the first of two steps.
fn flight(folder: &Folder) -> String {
    let poses = [50.0, -50.0, -60.0].map(|z| moved_by(0.0, 0.0, z));
    folder.write("flight.csv", pose_file(&poses))
}

#[test]
fn a_fast_bullet_hits_a_thin_plate() {
    let folder = Folder::new();
    let (poses, impacts) = (flight(&folder), folder.at("impacts.csv"));
    let query = |options: &[&str]| {
        impinge([&["query", PLATE, BULLET, "--poses", &poses, "--json"], options].concat())
            .succeeds()
    };
    // At the poses nothing touches.
    assert_eq!(query(&[]).json()["colliding_steps"], 0);

    let run = query(&["--write-impacts", &impacts]);
    let line = run.json();
    assert_eq!((&line["mode"], &line["steps"]), (&"first-impact".into(), &2.into()), "{line}");
    assert_eq!((&line["colliding_steps"], &line["impact_step"]), (&1.into(), &0.into()), "{line}");
    assert!(line["pairs"].is_null() && line["impact_faces"][1].is_u64(), "{line}");
    let number = |name: &str| line[name].as_f64().unwrap_or_else(|| panic!("{name} in {line}"));
    assert!((number("impact_time") - 0.4945).abs() < 1e-6, "{line}");
    assert!(number("impact_distance") < 1e-6, "{line}");
    assert!((line["impact_normal"][2].as_f64().unwrap() - 1.0).abs() < 1e-6, "{line}");
    assert!((line["impact_points"][0][2].as_f64().unwrap() - 0.05).abs() < 1e-6, "{line}");
    let rows = csv(&folder.text("impacts.csv"));
    let header = "step,time,distance,ax,ay,az,bx,by,bz,nx,ny,nz,face_a,face_b";
    assert_eq!(rows[0].join(","), header);
    assert_eq!((rows.len(), rows[1].len(), rows[1][0].as_str()), (2, 14, "0"), "{rows:?}");
    assert_eq!(rows[1][1].parse::<f64>().unwrap(), number("impact_time"));

    let line = query(&["--swept"]).json();
    assert_eq!((&line["mode"], &line["colliding_steps"]), (&"swept".into(), &1.into()), "{line}");
    let [pairs, compared] = ["pairs", "compared"].map(|name| line[name].as_u64().unwrap());
    assert!(0 < pairs && pairs <= compared, "{line}");
}

#[test]
fn a_clear_path_has_no_impact() {
    let folder = Folder::new();
    let poses = [50.0, 0.6, 50.0].map(|z| moved_by(0.0, 0.0, z));
    let poses = folder.write("clear.csv", pose_file(&poses));
    let arguments = ["query", PLATE, BULLET, "--poses", &poses, "--first-impact", "--json"];
    let line = impinge(arguments).succeeds().json();
    assert_eq!(line["colliding_steps"], 0, "{line}");
    for name in ["step", "time", "faces", "points", "normal", "distance"] {
        assert!(line[format!("impact_{name}")].is_null(), "{line}");
    }
}

/// Faces on a lattice, without rotation and with A at rest: a linear program decides each pair.
#[test]
fn swept_pairs_are_those_of_the_linear_program() {
    let folder = Folder::new();
    let mut found = 0;
    for seed in 0..6 {
        let [a, b] = [0, 1].map(|i| Soup::grid(2 * seed + i, 12, 3, 1.0));
        let mut random = Random(seed);
        let poses = [0; 5].map(|_| {
            let [x, y, z] = [0; 3].map(|_| random.below(9) as f64 - 4.0);
            moved_by(x, y, z)
        });
        let [file_a, file_b] =
            [("a.obj", &a), ("b.obj", &b)].map(|(f, soup)| folder.write(f, soup.obj()));
        let file = folder.write("poses.csv", pose_file(&poses));
        let pairs = folder.at("pairs.csv");
        let query = ["query", &file_a, &file_b, "--poses", &file, "--swept", "--pairs", &pairs];
        impinge([&query[..], &["--method", "all", "--json"]].concat()).succeeds();
        let mut expected = String::from("step,face_a,face_b\n");
        for (step, ends) in poses.windows(2).enumerate() {
            for (i, face_a) in a.faces.iter().enumerate() {
                let [p, q, r] = face_a.map(|corner| a.positions[corner]);
                for (j, face_b) in b.faces.iter().enumerate() {
                    let corner = |c: usize| placed(b.positions[face_b[c % 3]], &ends[c / 3]);
                    if hulls_touch(&[p, q, r, p, q, r], &[0, 1, 2, 3, 4, 5].map(corner)) {
                        expected += &format!("{step},{i},{j}\n");
                    }
                }
            }
        }
        found += expected.lines().count() - 1;
        assert_eq!(folder.text("pairs.csv"), expected, "seed {seed}");
    }
    assert!(found > 100, "only {found} pairs");
}

#[test]
fn every_method_gives_the_same_answers_between_poses() {
    let tumble = ["query", "gen:torus,faces=200", "gen:sphere,faces=80", "--poses"];
    for option in ["--swept", "--first-impact"] {
        let more = ["gen:tumble,steps=5,distance=1.9", "--method", "all", option, "--json"];
        let lines = impinge([&tumble[..], &more].concat()).succeeds().json_lines();
        assert!(lines.len() > 10, "{option}: {} methods", lines.len());
        assert_eq!(lines[0]["steps"], 4, "{option}");
        assert!(lines[0]["colliding_steps"].as_u64() > Some(0), "{option}: {}", lines[0]);
    }
}

#[test]
fn half_turns_and_single_poses_are_refused() {
    let folder = Folder::new();
    let good = "1,0,0,0,0,1,0,0,0,0,1,5\n";
    let turned = "-1,0,0,0,0,-1,0,0,0,0,1,5\n";
    let half = folder.write("half.csv", format!("# poses\n{good}{good}\n{turned}"));
    let single = folder.write("single.csv", good);
    for option in ["--swept", "--first-impact"] {
        let query = |poses: &str| impinge(["query", PLATE, BULLET, "--poses", poses, option]);
        query(&half).refuses(&["half.csv:5:", "180 degrees", "add a row between rows 2 and 3"]);
        query(&single).refuses(&["single.csv", "one pose"]);
        query("gen:tumble,steps=1").refuses(&["gen:tumble", "at least two poses"]);
        impinge(["query", PLATE, BULLET, option]).misused(&["--poses"]);
        let poses = flight(&folder);
        let threads = ["query", PLATE, BULLET, "--poses", &poses, option, "--threads", "2"];
        impinge(threads).refuses(&["one thread"]);
        impinge([&threads[..6], &["--all"]].concat()).misused(&["--all"]);
    }
    // At the poses alone, half a turn is nothing special.
    impinge(["query", PLATE, BULLET, "--poses", &half]).succeeds();
}

fn scene(name: &str) -> String {
    format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// The paper reports a collision after cycle 196, from the space that is swept until cycle 197.
#[test]
fn spheres_collide_between_the_cycles_of_the_paper() {
    let folder = Folder::new();
    let [rows, swept] = ["rows.csv", "swept.csv"].map(|name| folder.at(name));
    let run =
        impinge(["run", &scene("003-table-1"), "-o", &rows, "--write-swept", &swept]).succeeds();
    let summary = run.json();
    assert_eq!(summary["first_swept"], 196, "{summary}");
    assert_eq!(
        (&summary["stopped"], &summary["cycles"]),
        (&"contact".into(), &198.into()),
        "{summary}"
    );
    let pairs = summary["swept_pairs"].as_u64().unwrap();
    assert!(pairs > 0 && pairs <= summary["swept_compared"].as_u64().unwrap(), "{summary}");
    let rows = csv(&folder.text("rows.csv"));
    let columns = ["swept_near", "swept_compared", "swept_pairs", "swept_us"];
    assert!(rows[0].ends_with(&columns.map(String::from)), "{:?}", rows[0]);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let contacts = csv(&folder.text("swept.csv"));
    assert_eq!(contacts.len() as u64, pairs + 1);
    assert!(contacts[1..].iter().all(|row| row[1..4] == ["197", "A", "B"]), "{contacts:?}");
}

/// A bullet passes a plate between two cycles, by every kind of motion that can.
#[test]
fn nothing_passes_through_a_plate_between_cycles() {
    let folder = Folder::new();
    let poses = [4.0, -4.0].map(|z| moved_by(0.0, 0.0, z));
    folder.write("path.csv", pose_file(&poses));
    let motions = [
        "at = [0.0, 0.0, 4.0]\nsteady = { by = [0.0, 0.0, -8.0], turn = [0.0, 0.0, 300.0] }",
        "at = [0.0, 0.0, 4.0]\nbilliard = { by = [0.0, 0.0, -8.0] }",
        "at = [0.0, 0.0, 4.0]\nflight = { by = [0.0, 0.0, -8.0], turn = [0.0, 0.0, 10.0] }",
        "path = { poses = \"path.csv\" }",
    ];
    for motion in motions {
        let text = format!(
            "cycles = 2\nswept = true\n[[body]]\nmesh = \"{PLATE}\"\nfixed = true\n\
             [[body]]\nname = \"bullet\"\nmesh = \"{BULLET}\"\n{motion}\n"
        );
        let scene = folder.write("scene.toml", text);
        let lines = impinge(["run", &scene, "--json"]).succeeds().json_lines();
        let summary = lines.last().unwrap();
        assert_eq!(summary["contacts"], 0, "{motion}: {summary}");
        assert_eq!(summary["first_swept"], 0, "{motion}: {summary}");
        assert_eq!(lines[0]["swept_pairs"], 0, "{motion}: nothing moves before cycle 0");
    }
}

#[test]
fn turns_that_cannot_be_followed_are_refused() {
    let folder = Folder::new();
    let poses = folder.write("half.csv", "1,0,0,0,0,1,0,0,0,0,1,5\n-1,0,0,0,0,-1,0,0,0,0,1,5\n");
    let body =
        |key: &str| format!("cycles = 3\n[[body]]\nname = \"x\"\nmesh = \"{BULLET}\"\n{key}\n");
    let path = folder.write("path.toml", body(&format!("path = {{ poses = \"{poses}\" }}")));
    impinge(["run", &path]).succeeds();
    // Rows of the cycles before go to a file, of which nothing is left.
    let rows = folder.at("rows.csv");
    impinge(["run", &path, "--swept", "-o", &rows]).refuses(&["cycle 1", "body x", "180 degrees"]);
}

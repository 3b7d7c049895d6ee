//! Tests of robots on the command line: joints, packages, SRDF files, many configurations.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{self, Folder, Run, Soup, impinge};
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

/// A base, an arm that turns about z at x = 2 and slides along x, a tip at the end of the arm, and a thumb that
/// follows the arm. After half a turn the tip is in the base.
const ROBOT: &str = r#"<robot name="r">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="1.8 0 0"/><geometry><box size="0.5 0.5 0.5"/></geometry></collision></link>
  <link name="tip"><collision><geometry><box size="0.5 0.25 2"/></geometry></collision></link>
  <link name="thumb"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="2 0 0"/><axis xyz="0 0 1"/><limit lower="-3.2" upper="3.2" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="2.25 0 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="tip"/><child link="thumb"/><origin xyz="0.5 0 0"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="4"/></joint>
  <joint name="mirror" type="continuous"><parent link="thumb"/><child link="nail"/><mimic joint="elbow"/></joint>
  <link name="nail"/>
</robot>"#;

#[test]
fn joint_values_are_checked() {
    let folder = Folder::new();
    let robot = folder.write("r.urdf", ROBOT);
    let cube = folder.write("cube.obj", Soup::cube([9.0; 3], 1.0).obj());
    let refused = |joints: &[&str], parts: &[&str]| {
        let joints = joints.iter().flat_map(|joint| ["--joint", joint]);
        // A mistake in the options must not make the check pass without the robot.
        for more in [&[][..], &["--keep-going"]] {
            let run = ["clash", &robot, &cube].into_iter().chain(joints.clone());
            impinge(run.chain(more.iter().copied())).refuses(parts);
        }
    };
    refused(&["elbow=10mm"], &["r.urdf:6", "`elbow` is revolute", "10mm", "radians"]);
    refused(&["slide=10deg"], &["r.urdf:9", "`slide` is prismatic", "10deg", "metres"]);
    refused(&["mirror=1"], &["`mirror` mimics `elbow`", "set `elbow` instead"]);
    refused(&["wrist=1"], &["`wrist` is fixed"]);
    refused(&["elbow=200deg"], &["limits -3.2 and 3.2 rad", "200deg"]);
    refused(&["knee=1"], &["no joint `knee`; joints that can be set: elbow, slide"]);
    refused(&["elbow=1", "elbow=2"], &["--joint elbow=2", "twice", "the first value is 1"]);
    for files in [&[][..], &["gen:gearbox"], &[&cube]] {
        let run = ["clash"].into_iter().chain(files.iter().copied());
        impinge(run.chain(["--joint", "elbow=1"])).refuses(&["elbow", "no robot (.urdf)"]);
    }
    impinge(["inspect", &cube, "--joint", "elbow=1"]).refuses(&["elbow", "no robot (.urdf)"]);
    impinge(["inspect", &cube, &robot, "--joint", "elbow=1rad"]).succeeds();
    impinge(["clash", &robot, "--joint", "elbow=90"]).refuses(&["limits"]);
    impinge(["clash", &robot, "--joint", "elbow=1e999"]).misused(&["NAME=VALUE", "deg, rad,"]);
}

#[cfg(unix)]
#[test]
fn packages_of_an_installed_ros_are_found() {
    let folder = Folder::new();
    for path in ["a/b/c/d/robot", "ros/share/meshes", "src/elsewhere"] {
        fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    let cube = Soup::cube([0.0; 3], 1.0).obj();
    folder.write("ros/share/meshes/a.obj", &cube);
    folder.write("src/elsewhere/package.xml", "<package><name>other</name></package>");
    folder.write("src/elsewhere/b.obj", &cube);
    let robot = folder.write(
        "a/b/c/d/robot/r.urdf",
        r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="package://meshes/a.obj"/>
        </geometry></collision><collision><geometry><mesh filename="package://other/b.obj"/></geometry>
        </collision></link></robot>"#,
    );
    // The robot is so deep that the folder of packages is not among those that are searched.
    let (ros, src) = (folder.at("ros"), folder.at("src"));
    let with = |variables: &str| Run::after(variables, ["inspect", &robot]).finish();
    with("true").refuses(&["package://meshes", "ROS_PACKAGE_PATH is not set", "AMENT_PREFIX_PATH"]);
    with(&format!("export AMENT_PREFIX_PATH=/none:{ros}"))
        .refuses(&["package://other", "r.urdf:2"]);
    with(&format!("export AMENT_PREFIX_PATH=/none:{ros} ROS_PACKAGE_PATH={src}")).succeeds();
}

/// Returns the clashing pairs of a check, and its notes.
fn clashes(arguments: &[&str]) -> (Vec<String>, String) {
    let run = impinge(["clash"].iter().chain(arguments).chain(&["--json"]));
    assert!(matches!(run.code, Some(0 | 1)), "{}: {}", run.what, run.stderr);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let report = run.json();
    let clashes = report["clashes"].as_array().unwrap();
    let pairs = clashes.iter().map(|clash| format!("{} {}", text(&clash["a"]), text(&clash["b"])));
    (pairs.collect(), run.stderr)
}

#[test]
fn srdf_files_say_which_pairs_are_not_checked() {
    let folder = Folder::new();
    let robot = folder.write("r.urdf", ROBOT);
    let bent = "elbow=180deg";
    let (found, notes) = clashes(&[&robot, "--joint", bent]);
    assert_eq!((found.as_slice(), notes.contains("note")), (&["base tip".to_owned()][..], false));
    let list = folder.write(
        "list.srdf",
        r#"<robot name="r"><group name="g"/><disable_collisions link1="tip" link2="base" reason="User"/>
        <disable_collisions link1="tip" link2="arm" reason="Adjacent"/></robot>"#,
    );
    let (found, notes) = clashes(&[&robot, "--joint", bent, "--srdf", &list]);
    assert_eq!(found, [""; 0]);
    assert!(
        notes.contains("list.srdf: 2 pairs of links are not checked; 1 of these would be"),
        "{notes}"
    );
    // The file decides about adjacent links, too.
    assert_eq!(clashes(&[&robot, "--adjacent"]).0, ["arm tip"]);
    assert_eq!(clashes(&[&robot, "--adjacent", "--srdf", &list]).0, [""; 0]);
    let on = folder.write(
        "on.srdf",
        r#"<robot name="r"><disable_default_collisions link="tip"/><enable_collisions link1="arm" link2="tip"/>
        </robot>"#,
    );
    let (found, notes) = clashes(&[&robot, "--joint", bent, "--srdf", &on]);
    assert_eq!(found, ["arm tip"]);
    assert!(notes.contains("1 pair of adjacent links checked"), "{notes}");

    // Beside the robot.
    folder.write("r.srdf", fs::read(&list).unwrap());
    let (found, notes) = clashes(&[&robot, "--joint", bent]);
    assert_eq!(found, [""; 0]);
    assert!(notes.contains("r.srdf, found beside the robot (--no-srdf ignores it)"), "{notes}");
    assert_eq!(clashes(&[&robot, "--joint", bent, "--no-srdf"]).0, ["base tip"]);
    assert_eq!(clashes(&[&robot, "--joint", bent, "--srdf", &on]).0, ["arm tip"]);

    let bad =
        folder.write("bad.srdf", "<robot>\n<disable_collisions link1='arm' link2='leg'/></robot>");
    impinge(["clash", &robot, "--srdf", &bad]).refuses(&["bad.srdf:2", "no link `leg`"]);
    let (_, notes) = clashes(&[&robot, "--srdf", &bad, "--keep-going"]);
    assert!(notes.contains("skipped") && notes.contains("`leg`"), "{notes}");
    let broken = folder.write("broken.srdf", "<robot>\n<group>\n</robot>");
    impinge(["clash", &robot, "--srdf", &broken])
        .refuses(&["broken.srdf:3", "expected `</group>`"]);
    impinge(["clash", &robot, "--srdf", &robot]).refuses(&["r.urdf", "URDF"]);
    impinge(["clash", "--srdf", &list]).refuses(&["list.srdf", "no robot"]);
    impinge(["clash", &robot, "--srdf", &list, "-o", &list]).refuses(&["would overwrite"]);
    folder.write("r.srdf", "<robot>");
    impinge(["clash", &robot]).refuses(&["r.srdf:1", "never closed", "--no-srdf"]);
}

#[test]
fn the_matrix_is_written_and_read_back() {
    let folder = Folder::new();
    let robot = folder.write("r.urdf", ROBOT);
    let out = folder.at("out.srdf");
    let table =
        impinge(["robot", "acm", &robot, "-o", &out, "--samples", "2000"]).succeeds().stdout;
    assert!(table.contains("Never is statistical") && table.contains("0.15 %"), "{table}");
    assert!(table.contains("Adjacent  base"), "{table}");
    // What is never in collision or adjacent is hidden; what collides is still found.
    let (found, notes) =
        clashes(&[&robot, "--srdf", &out, "--joint", "elbow=180deg", "--adjacent"]);
    assert_eq!(found, ["base tip"]);
    assert!(notes.contains("pairs of links are not checked"), "{notes}");
    // The same seed gives the same file, on any number of threads; another list is kept except for its matrix.
    let again = folder.at("again.srdf");
    impinge(["robot", "acm", &robot, "-o", &again, "--samples", "2000", "--threads", "1"])
        .succeeds();
    assert_eq!(folder.text("out.srdf"), folder.text("again.srdf"));
    let old = folder.write(
        "old.srdf",
        "<robot name='r'>\n<group name='g'/>\n<disable_collisions link1='tip' link2='base' reason='Never'/>\n\
         <disable_collisions link1='thumb' link2='base' reason='my own'/>\n</robot>",
    );
    // The list may replace itself.
    impinge(["robot", "acm", &robot, "--srdf", &old, "-o", &old]).succeeds();
    let new = folder.text("old.srdf");
    assert!(new.contains("<group name='g'/>") && new.contains("my own"), "{new}");
    assert!(!new.contains("link1='tip'"), "the old pair is gone: {new}");
    assert!(new.contains(r#"link1="base" link2="arm" reason="Adjacent""#), "{new}");
    let report = impinge(["robot", "acm", &robot, "--samples", "0", "--json"]).succeeds().json();
    assert_eq!((&report["never_below"], &report["samples"]), (&Value::Null, &0.into()));
    let reasons =
        report["pairs"].as_array().unwrap().iter().map(|pair| pair["reason"].as_str().unwrap());
    assert!(reasons.clone().all(|reason| reason == "Adjacent"), "{report}");

    impinge(["robot", "acm", &robot, "-o", &robot]).refuses(&["would overwrite"]);
    impinge(["robot", "acm", &folder.write("a.obj", "")]).refuses(&["a.obj", "robot (.urdf)"]);
    let bad =
        folder.write("bad.srdf", "<robot>\n<disable_collisions link1='arm' link2='leg'/></robot>");
    impinge(["robot", "acm", &robot, "--srdf", &bad]).refuses(&["bad.srdf:2", "no link `leg`"]);
}

#[test]
fn many_configurations_are_checked_in_one_run() {
    let folder = Folder::new();
    let robot = folder.write("r.urdf", ROBOT);
    let path = folder.write(
        "path.csv",
        "# half a turn\nname,slide[cm],elbow[deg]\nstart,0,0\n\"bent, fully\",0,180\nout,400,180\nback,0,-180\n",
    );
    let run = impinge(["clash", &robot, "--joints", &path]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("3 of 4 configurations collide; checked in"), "{}", run.stdout);
    assert!(run.stdout.contains("4 configurations of 2 joints from"), "{}", run.stdout);
    let row = run.stdout.lines().find(|line| line.contains("bent, fully")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["2", "4", "bent,", "fully", "penetrating", "base", "::", "tip"]
    );
    assert!(run.stderr.contains("3 of 4 configurations have clashes"), "{}", run.stderr);

    let (json, csv) = (folder.at("out.json"), folder.at("out.csv"));
    let run = impinge(["clash", &robot, "--joints", &path, "--json", "-o", &json, "--csv", &csv]);
    assert_eq!(run.stdout, folder.text("out.json"));
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["clashes"].as_array().unwrap().len(), 0);
    assert_eq!((&lines[1]["configuration"], &lines[1]["line"]), (&2.into(), &4.into()));
    assert_eq!(
        (&lines[1]["label"], &lines[1]["verdict"]),
        (&"bent, fully".into(), &"penetrating".into())
    );
    assert_eq!(lines[1]["joints"]["elbow"], std::f64::consts::PI);
    assert_eq!(lines[2]["joints"]["slide"], 4.0);
    let clash = &lines[1]["clashes"][0];
    assert_eq!((&clash["a"], &clash["b_link"]), (&"base".into(), &"tip".into()));
    assert_eq!((&lines[4]["kind"], &lines[4]["colliding"]), (&"summary".into(), &3.into()));
    assert_eq!((&lines[4]["failures"], &lines[4]["configurations"]), (&3.into(), &4.into()));
    let rows = common::csv(&folder.text("out.csv"));
    assert_eq!(rows[0].join(","), "configuration,line,label,a,b,verdict,a_link,b_link");
    assert_eq!(rows[1].join("|"), "2|4|bent, fully|base|tip|penetrating|base|tip");
    assert_eq!(rows.len(), 4);

    // Each row has the same result as a run of its own, on any number of threads and with other options.
    let threads = impinge(["clash", &robot, "--joints", &path, "--json", "--threads", "3"]);
    assert_eq!(threads.stdout, run.stdout);
    let one = clashes(&[&robot, "--joint", "elbow=180deg", "--joint", "slide=0"]).0;
    assert_eq!(one, ["base tip"]);
    impinge(["clash", &robot, "--joints", &path, "--ignore", "base :: tip"]).succeeds();
    impinge(["clash", &robot, "--joints", &path, "--allow", "penetrating"]).succeeds();
    impinge(["clash", &robot, "--joints", &path, "--only", "duplicate"]).succeeds();
    // Joints without a column keep the value of --joint.
    let slide = folder.write("slide.csv", "slide\n0\n");
    impinge(["clash", &robot, "--joints", &slide]).succeeds();
    assert_eq!(
        impinge(["clash", &robot, "--joints", &slide, "--joint", "elbow=180deg"]).code,
        Some(1)
    );

    let refused = |text: &str, parts: &[&str]| {
        let file = folder.write("bad.csv", text);
        impinge(["clash", &robot, "--joints", &file]).refuses(parts);
    };
    refused("elbow\n1\n2,3\n", &["bad.csv:3", "2 fields, but the first line has 1"]);
    refused("slide,elbow\n1, x\n", &["bad.csv:2:4", "`x` is not a number"]);
    refused("elbow[mm]\n1\n", &["bad.csv:1:1", "`elbow` is revolute"]);
    refused("elbow\n9\n", &["bad.csv:2:1", "limits -3.2 and 3.2 rad"]);
    impinge(["clash", &robot, "--joints", &folder.at("none.csv")]).refuses(&["none.csv"]);
    impinge(["clash", "--joints", &path]).refuses(&["path.csv", "no robot (.urdf)"]);
    impinge(["clash", &robot, "--joints", &path, "--report", "a.html"]).misused(&["--report"]);
    impinge(["clash", &robot, "--joints", &path, "--csv", &path]).refuses(&["would overwrite"]);
}

/// The six-axis arm UR5e as ROS describes it, with the collision meshes of the corpus.
fn ur5e(meshes: &Path) -> String {
    let link = |name: &str, mesh: &str, z: f64, rpy: &str| {
        let file = meshes.join(mesh).display().to_string();
        format!(
            r#"<link name="{name}"><collision><origin xyz="0 0 {z}" rpy="{rpy}"/><geometry>
            <mesh filename="{file}"/></geometry></collision></link>"#
        )
    };
    let joint = |name: &str, parent: &str, child: &str, xyz: &str, rpy: &str| {
        format!(
            r#"<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
            <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/><limit lower="-6.3" upper="6.3"/></joint>"#
        )
    };
    let (turn, half) = ("0 0 3.141592653589793", "1.5707963267948966 0 0");
    let bent = "1.5707963267948966 0 -1.5707963267948966";
    [
        r#"<robot name="ur5e">"#.to_owned(),
        link("base", "base.stl", 0.0, turn),
        link("shoulder", "shoulder.stl", 0.0, turn),
        link("upper_arm", "upperarm.stl", 0.138, bent),
        link("forearm", "forearm.stl", 0.007, bent),
        link("wrist_1", "wrist1.stl", -0.127, half),
        link("wrist_2", "wrist2.stl", -0.0997, "0 0 0"),
        link("wrist_3", "wrist3.stl", -0.0989, half),
        joint("pan", "base", "shoulder", "0 0 0.1625", "0 0 0"),
        joint("lift", "shoulder", "upper_arm", "0 0 0", half),
        joint("elbow", "upper_arm", "forearm", "-0.425 0 0", "0 0 0"),
        joint("w1", "forearm", "wrist_1", "-0.3922 0 0.1333", "0 0 0"),
        joint("w2", "wrist_1", "wrist_2", "0 -0.0997 0", half),
        joint(
            "w3",
            "wrist_2",
            "wrist_3",
            "0 0.0996 0",
            "1.5707963267948966 3.141592653589793 3.141592653589793",
        ),
        "</robot>".to_owned(),
    ]
    .join("\n")
}

#[test]
fn a_real_arm_in_many_configurations() {
    let Some(data) = common::corpus() else { return };
    let folder = Folder::new();
    let robot = folder.write("ur5e.urdf", ur5e(&data.join("robots/ur5e/collision")));
    let names = ["pan", "lift", "elbow", "w1", "w2", "w3"];
    let angle = |row: u32, column: u32| (row * 37 + column * 101 + row * row * (column + 3)) % 360;
    let row =
        |row: u32| (0..6).map(|column| f64::from(angle(row, column)) - 180.0).collect::<Vec<_>>();
    let rows: Vec<Vec<f64>> = (0..300).map(row).collect();
    let mut text = names.map(|name| format!("{name}[deg]")).join(",");
    for row in &rows {
        text.push('\n');
        text.push_str(&row.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    }
    let path = folder.write("path.csv", text);
    let found =
        impinge(["clash", &robot, "--joints", &path, "--json", "--threads", "1"]).json_lines();
    let listed = |clashes: &Value| -> Vec<String> {
        let name = |clash: &Value, end: &str| clash[end].as_str().unwrap().to_owned();
        let pairs = clashes.as_array().unwrap().iter();
        let mut pairs: Vec<_> =
            pairs.map(|clash| ["a", "b"].map(|end| name(clash, end)).join(" ")).collect();
        pairs.sort();
        pairs
    };
    let colliding = found[300]["colliding"].as_u64().unwrap();
    assert!((30..200).contains(&colliding), "{colliding}");
    // Each row has the pairs of a run of its own.
    for number in (0..300).step_by(29) {
        let values =
            names.iter().zip(&rows[number]).map(|(name, value)| format!("{name}={value}deg"));
        let joints: Vec<String> = values.flat_map(|value| ["--joint".to_owned(), value]).collect();
        let joints: Vec<&str> = joints.iter().map(String::as_str).collect();
        let mut alone = clashes(&[&[robot.as_str()], &joints[..]].concat()).0;
        alone.sort();
        assert_eq!(listed(&found[number]["clashes"]), alone, "{:?}", rows[number]);
    }
    // Ten times what a quiet machine needs; a check that prepares its meshes for each row takes much longer.
    let table = impinge(["clash", &robot, "--joints", &path, "--threads", "1"]).stdout;
    let summary = table.lines().last().unwrap();
    let each = summary.split(", ").last().unwrap().strip_suffix(" ms each").unwrap();
    assert!(each.parse::<f64>().unwrap() < 5.0, "{summary}");
}

#[test]
fn the_matrix_of_a_real_robot_is_the_one_that_its_makers_publish() {
    let Some(data) = common::corpus() else { return };
    let robot = data.join("robots/panda/panda.urdf").display().to_string();
    let report = impinge(["robot", "acm", &robot, "--json"]).succeeds().json();
    let of_reason = |reason: &str| -> BTreeSet<[String; 2]> {
        let pairs = report["pairs"].as_array().unwrap().iter();
        let pairs = pairs.filter(|pair| pair["reason"] == reason);
        pairs
            .map(|pair| {
                let mut names = ["a", "b"].map(|end| pair[end].as_str().unwrap().to_owned());
                names.sort();
                names
            })
            .collect()
    };
    let text = fs::read_to_string(data.join("robots/panda/panda.srdf")).unwrap();
    let published = |reason: &str| -> BTreeSet<[String; 2]> {
        let quoted = |line: &str, name: &str| {
            let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().to_owned()
        };
        let lines = text.lines().filter(|line| line.contains(&format!("reason=\"{reason}\"")));
        let pair = |line: &str| {
            let mut names = ["link1", "link2"].map(|name| quoted(line, name));
            names.sort();
            names
        };
        lines.map(pair).collect()
    };
    assert_eq!(of_reason("Adjacent"), published("Adjacent"));
    // These two do collide, if rarely.
    let mut never = published("Never");
    assert!(never.remove(&["panda_link2", "panda_link6"].map(str::to_owned)));
    assert_eq!(of_reason("Never"), never);
}

//! Tests of robots on the command line: joints, packages, SRDF files, many configurations.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, Run, impinge};
use std::fs;

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
    let cube = folder.write("cube.obj", crate::common::Soup::cube([9.0; 3], 1.0).obj());
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
    impinge(["clash", &robot, "--joint", "elbow=1e999"]).misused(&["NAME=VALUE", "deg, rad, mm"]);
}

#[cfg(unix)]
#[test]
fn packages_of_an_installed_ros_are_found() {
    let folder = Folder::new();
    for path in ["a/b/c/d/robot", "ros/share/meshes", "src/elsewhere"] {
        fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    let cube = crate::common::Soup::cube([0.0; 3], 1.0).obj();
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

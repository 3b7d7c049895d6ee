//! Assemblies: which elements become parts, and their names and poses.

// Helpers unwrap like tests, and tests on real files print how long they took.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::{
    self,
    folder::Folder,
    samples::{self, ROBOT},
};
use impinge::{Pose, glam::DVec3};
use impinge_io::{
    Assembly, Location,
    assembly::{JointValue, LoadOptions, Unit, Up, load, read},
};
use std::{fs, path::Path};

fn names(assembly: &Assembly) -> Vec<&str> {
    assembly.parts.iter().map(|part| &*part.name).collect()
}

fn full_names(assembly: &Assembly) -> Vec<String> {
    (0..assembly.parts.len()).map(|part| assembly.full_name(part)).collect()
}

/// Checks the documented promises of an assembly.
fn check(assembly: &Assembly) {
    let mut taken: Vec<_> = names(assembly);
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), assembly.parts.len(), "part names are not unique");
    let mut shown = vec![false; assembly.meshes.len()];
    for part in &assembly.parts {
        shown[part.mesh] = true;
        assert!((part.file as usize) < assembly.files.len());
        assert!(part.group.is_none_or(|group| (group as usize) < assembly.groups.len()));
        assert!(part.link.is_none_or(|link| (link as usize) < assembly.links.len()));
        let pose = part.placement;
        assert!(Pose::new(pose.rotation(), pose.translation()).is_ok());
    }
    assert!(shown.iter().all(|&shown| shown), "a mesh is used by no part");
    for (number, group) in assembly.groups.iter().enumerate() {
        assert!(group.parent.is_none_or(|parent| (parent as usize) < number));
    }
}

/// Reads a glTF file with these nodes; all may use its only mesh, a triangle.
fn gltf(nodes: &str) -> String {
    let sample = samples::gltf();
    let (before, rest) = sample.split_once("\"nodes\": [{").unwrap();
    let (_, after) = rest.split_once("}],\n \"meshes\"").unwrap();
    let before = before.replace("\"scene\": 0, \"scenes\": [{\"nodes\": [0]}],", "");
    format!("{before}\"nodes\": [{nodes}],\n \"meshes\"{after}")
}

fn read_gltf(nodes: &str, options: &LoadOptions) -> Assembly {
    let assembly = read(gltf(nodes).as_bytes(), Path::new("a.gltf"), options).unwrap();
    check(&assembly);
    assembly
}

#[test]
fn nodes_are_parts_and_the_nodes_above_are_sub_assemblies() {
    let assembly = read_gltf(
        r#"{"name": "gearbox", "children": [1, 2, 5], "translation": [10, 0, 0]},
           {"name": "bolt", "mesh": 0, "translation": [1, 2, 3]},
           {"name": "shaft", "children": [3, 4], "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]},
           {"name": "bolt", "mesh": 0, "translation": [1, 0, 0]},
           {"mesh": 0}, {"children": [6]}, {"name": "empty"}, {"mesh": 0}"#,
        &LoadOptions::default(),
    );
    // The mesh of the sample has a name; a node without one takes it.
    assert_eq!(
        full_names(&assembly),
        ["gearbox/bolt", "gearbox/shaft/bolt#2", "gearbox/shaft/m", "m#2"]
    );
    assert_eq!(assembly.path(1), ["gearbox", "shaft"]);
    assert_eq!(assembly.groups.len(), 2, "{:?}", assembly.groups);
    assert_eq!(assembly.meshes.len(), 1);
    let at = |part: usize| assembly.parts[part].placement.place(DVec3::X);
    assert_eq!(at(0), DVec3::new(12.0, 2.0, 3.0));
    assert!(at(1).abs_diff_eq(DVec3::new(10.0, 2.0, 0.0), 1e-15), "{}", at(1));
    assert_eq!(assembly.parts[3].placement, Pose::IDENTITY);
    assert_eq!(assembly.units, Some(Unit::Metre));
}

#[test]
fn nodes_keep_their_identity() {
    let guid = "2O2Fr$t4X7Zf8NOew3FLOH";
    let nodes = r#"{"name": "a", "mesh": 0, "extras": {"guid": "7-8"}}, {"name": "b", "mesh": 0, "extras": "b"},
        {"name": "GUID", "mesh": 0}, {"name": "GUID", "mesh": 0, "extras": {"id": 5}}"#;
    let nodes = nodes.replace("GUID", guid);
    let assembly = read_gltf(&nodes, &LoadOptions::default());
    let ids: Vec<_> = assembly.parts.iter().map(|part| part.id.as_deref()).collect();
    assert_eq!(ids, [Some("7-8"), None, Some(guid), Some("5")]);
    // Several primitives, or several pieces, are not one element.
    let several = read_gltf(&nodes, &LoadOptions::default().primitives(true));
    assert_eq!(several.parts.len(), 8);
    assert!(several.parts.iter().all(|part| part.id.is_none()));
}

#[test]
fn the_upward_axis_is_that_of_all_files() {
    let folder = Folder::new("up");
    let gltf = folder.write("a.gltf", gltf(r#"{"name": "n", "mesh": 0}"#));
    let obj = folder.write("b.obj", samples::OBJ);
    let urdf = folder.write(
        "c.urdf",
        "<robot><link name='a'><collision><geometry><box size='1 1 1'/></geometry></collision></link></robot>",
    );
    let up = |files: &[&std::path::PathBuf]| load(files, &LoadOptions::default()).unwrap().up;
    assert_eq!(up(&[&gltf]), Some(Up::Y));
    assert_eq!(up(&[&urdf]), Some(Up::Z));
    assert_eq!(up(&[&urdf, &urdf]), Some(Up::Z));
    assert_eq!(up(&[&obj]), None);
    assert_eq!(up(&[&gltf, &urdf]), None);
    assert_eq!(up(&[&gltf, &obj, &gltf]), None);
}

#[test]
fn unnamed_nodes_are_named_after_their_parents() {
    let nodes = r#"{"name": "crate", "children": [1]}, {"mesh": 0}, {"mesh": 0}"#;
    let text = gltf(nodes).replace("\"name\": \"m\", ", "");
    let assembly = read(text.as_bytes(), Path::new("a.gltf"), &LoadOptions::default()).unwrap();
    assert_eq!(names(&assembly), ["crate/node 1", "node 2"]);
}

#[test]
fn instances_with_equal_scale_share_a_copy() {
    let turn = |angle: f64| {
        let (sin, cos) = (angle / 2.0).sin_cos();
        format!("[{}, 0, {}, {cos}]", sin * 0.6, sin * 0.8)
    };
    let mut nodes = Vec::new();
    for number in 0..60 {
        let scale = ["[1, 1, 1]", "[0.001, 0.001, 0.001]", "[1, 2, 3]", "[-1, 1, 1]"][number % 4];
        let rotation = turn(number as f64 * 0.37);
        nodes.push(format!(r#"{{"mesh": 0, "scale": {scale}, "rotation": {rotation}}}"#));
    }
    let assembly = read_gltf(&nodes.join(","), &LoadOptions::default());
    assert_eq!((assembly.parts.len(), assembly.meshes.len()), (60, 4));
    // After placing, each instance is where the model has it.
    let model = impinge_io::read(
        gltf(&nodes.join(",")).as_bytes(),
        impinge_io::Format::Gltf,
        Path::new("a.gltf"),
    )
    .unwrap();
    for part in 0..60 {
        let expected = model.part_mesh(part).unwrap();
        let mesh = assembly.mesh(part);
        // Both reverse the faces of a mirrored mesh.
        assert_eq!(mesh.faces(), expected.faces());
        for (&position, &expected) in mesh.positions().iter().zip(expected.positions()) {
            let placed = assembly.parts[part].placement.place(position);
            assert!(placed.abs_diff_eq(expected, 1e-14), "part {part}: {placed}, not {expected}");
        }
    }
}

#[test]
fn exact_transforms_stay_exact() {
    let assembly = read_gltf(
        r#"{"mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0.1,0.2,0.3,1]},
           {"mesh": 0, "scale": [0.1, 0.1, 0.1]}"#,
        &LoadOptions::default(),
    );
    let pose = assembly.parts[0].placement;
    assert_eq!(pose, Pose::from_translation(DVec3::new(0.1, 0.2, 0.3)).unwrap());
    assert_eq!(assembly.parts[1].placement, Pose::IDENTITY);
    assert_eq!(assembly.mesh(1).positions()[1], DVec3::new(0.1, 0.0, 0.0));
}

#[test]
fn units_and_scale() {
    let nodes = r#"{"mesh": 0, "translation": [0, 0, 2]}"#;
    let placed = |options: &LoadOptions| {
        let assembly = read_gltf(nodes, options);
        let vertex = assembly.mesh(0).positions()[1];
        (assembly.parts[0].placement.place(vertex), assembly.units)
    };
    let plain = LoadOptions::default();
    assert_eq!(placed(&plain), (DVec3::new(1.0, 0.0, 2.0), Some(Unit::Metre)));
    let mm = placed(&plain.clone().units(Unit::Millimetre));
    assert_eq!(mm, (DVec3::new(1000.0, 0.0, 2000.0), Some(Unit::Millimetre)));
    assert_eq!(placed(&plain.clone().scale(0.5)).0, DVec3::new(0.5, 0.0, 1.0));
    let obj = |options: &LoadOptions| {
        let assembly = read(samples::OBJ.as_bytes(), Path::new("a.obj"), options).unwrap();
        (assembly.mesh(0).positions()[1].x, assembly.units)
    };
    assert_eq!(obj(&plain), (1.0, None));
    assert_eq!(obj(&plain.clone().units(Unit::Inch)), (1.0, Some(Unit::Inch)));
    assert_eq!(obj(&plain.clone().file_units(Unit::Inch).units(Unit::Millimetre)).0, 25.4);
    // glTF files are in metres by convention, unless the caller says otherwise.
    let size = |options: &LoadOptions| {
        let assembly = read_gltf(nodes, options);
        (assembly.mesh(0).bounds().max.x, assembly.units)
    };
    let (metre, mm) = (size(&plain).0, Unit::Millimetre);
    assert_eq!(size(&plain.clone().file_units(mm)), (metre, Some(mm)));
    assert_eq!(size(&plain.clone().file_units(mm).units(mm)), (metre, Some(mm)));
    assert_eq!(size(&plain.clone().units(mm)), (metre * 1000.0, Some(mm)));
    // For files of different or unknown units, the unit is `None`.
    let folder = Folder::new("units");
    let files = [folder.write("a.obj", samples::OBJ), folder.write("b.gltf", gltf(nodes))];
    assert_eq!(load(&files, &plain).unwrap().units, None);
    assert_eq!(load(&files, &plain.clone().units(Unit::Foot)).unwrap().units, Some(Unit::Foot));
    assert!(load(&files, &plain.scale(-1.0)).unwrap_err().message.contains("positive"));
}

/// Instances by `EXT_mesh_gpu_instancing`: the corners of the triangle serve as translations.
#[test]
fn gpu_instances_are_parts() {
    let nodes = r#"{"name": "tree", "mesh": 0, "translation": [0, 0, 5],
        "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}"#;
    let assembly = read_gltf(nodes, &LoadOptions::default());
    assert_eq!(names(&assembly), ["tree", "tree#2", "tree#3"]);
    let places: Vec<_> = assembly.parts.iter().map(|part| part.placement.translation()).collect();
    assert_eq!(places, [DVec3::ZERO, DVec3::X, DVec3::Y].map(|place| place + DVec3::Z * 5.0));
    for (attributes, expected) in [
        (r#"{}"#, "neither TRANSLATION"),
        (r#"{"TRANSLATION": 1}"#, "VEC3"),
        (r#"{"ROTATION": 0}"#, "VEC4"),
        (r#"{"TRANSLATION": 9}"#, "there is none"),
    ] {
        let text = gltf(&format!(
            "{}, {{\"name\": \"rock\", \"mesh\": 0}}",
            nodes.replace(r#"{"TRANSLATION": 0}"#, attributes)
        ));
        let path = Path::new("a.gltf");
        let error = read(text.as_bytes(), path, &LoadOptions::default()).unwrap_err();
        assert!(error.message.contains(expected), "{attributes}: {error}");
        let kept = read(text.as_bytes(), path, &LoadOptions::default().keep_going(true)).unwrap();
        assert_eq!((names(&kept), &*kept.skipped[0].name), (vec!["rock"], "tree"));
    }
    // An accessor of implicit zeros may declare any count.
    let text = gltf(nodes).replace(
        "\"bufferView\": 0, \"componentType\": 5126, \"count\": 3",
        "\"componentType\": 5126, \"count\": 4000000000",
    );
    let (result, peak) = common::memory::peak(|| {
        read(text.as_bytes(), Path::new("a.gltf"), &LoadOptions::default())
    });
    let message = result.unwrap_err().message;
    assert!(message.contains("too often") || message.contains("times the size"), "{message}");
    assert!(peak < 1 << 20, "{peak} bytes");
}

#[test]
fn primitives_are_parts_if_asked_for() {
    let nodes =
        r#"{"name": "wheel", "mesh": 0, "translation": [1, 0, 0]}, {"name": "a", "mesh": 0}"#;
    let assembly = read_gltf(nodes, &LoadOptions::default().primitives(true));
    assert_eq!(names(&assembly), ["wheel/1", "wheel/2", "a/1", "a/2"]);
    assert_eq!(assembly.face_count(), read_gltf(nodes, &LoadOptions::default()).face_count());
    // Both primitives of the sample are the same triangle.
    assert_eq!(assembly.meshes.len(), 1);
    assert_eq!(assembly.parts[1].placement.translation(), DVec3::X);
}

#[test]
fn identical_meshes_of_files_are_shared() {
    let folder = Folder::new("repeated");
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    folder.write("a.obj", triangle);
    folder.write("b.obj", triangle);
    folder.write("c.obj", triangle.replacen("v 0", "v -0", 1));
    folder.write("d.obj", triangle.replacen("1 2 3", "2 3 1", 1));
    let assembly = load([&folder.0], &LoadOptions::default()).unwrap();
    check(&assembly);
    let meshes: Vec<_> = assembly.parts.iter().map(|part| part.mesh).collect();
    assert_eq!(meshes, [0, 0, 1, 2]);
}

#[test]
fn objects_and_groups_of_obj_files() {
    let obj = |text: &str| read(text.as_bytes(), Path::new("robot.obj"), &LoadOptions::default());
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let assembly = obj(&format!(
        "{vertices}f 1 2 3\no arm\ng upper\nf 1 2 4\ng lower\nf 2 3 4\no hand\ng all\nf 1 3 4\ng\nf 1 2 3\n"
    ))
    .unwrap();
    check(&assembly);
    assert_eq!(
        full_names(&assembly),
        ["robot", "arm/upper", "arm/lower", "hand/all", "hand/default"]
    );
    // Each part has only the vertices that it uses.
    assert!(assembly.meshes.iter().all(|mesh| mesh.positions().len() == 3));
    assert_eq!(assembly.mesh(1).triangle(0), [DVec3::ZERO, DVec3::X, DVec3::Z]);
    // A file with one group is one part and keeps all vertices.
    let assembly = obj(&format!("{vertices}o Cube.001\nf 1 2 3\n")).unwrap();
    assert_eq!((names(&assembly), assembly.meshes[0].positions().len()), (vec!["robot"], 4));
    let error = obj("v 0 0 0\n").unwrap_err();
    assert_eq!(error.to_string(), "robot.obj: the file holds no faces");
}

#[test]
fn folders_are_sub_assemblies_in_the_order_of_names() {
    let folder = Folder::new("folders");
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    folder.write("b.obj", triangle);
    folder.write("a/z.stl", samples::STL);
    folder.write("a/c/y.off", samples::OFF);
    folder.write("a/two.obj", samples::OBJ);
    folder.write("scene.gltf", gltf(r#"{"name": "n", "mesh": 0}"#));
    folder.write("README.md", "no shapes");
    folder.write(".hidden.obj", "broken");
    folder.write("empty/notes.txt", "none");
    let assembly = load([&folder.0], &LoadOptions::default()).unwrap();
    check(&assembly);
    let expected = ["a/c/y", "a/two/body/lid", "a/two/body/base", "a/z", "b", "scene/n"];
    assert_eq!(full_names(&assembly), expected);
    assert_eq!(assembly.files.len(), 5);

    // With several arguments, each file is a sub-assembly, except a file that is a single part.
    let files = [folder.0.join("a/c"), folder.0.join("b.obj"), folder.0.join("scene.gltf")];
    let assembly = load(&files, &LoadOptions::default()).unwrap();
    assert_eq!(full_names(&assembly), ["c/y", "b", "scene/n"]);
    let assembly = load(&files[2..], &LoadOptions::default()).unwrap();
    assert_eq!(full_names(&assembly), ["n"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&folder.0, folder.0.join("a/loop")).unwrap();
        let assembly = load([&folder.0], &LoadOptions::default()).unwrap();
        assert_eq!(full_names(&assembly), expected);
    }
}

#[test]
fn broken_parts_are_an_error_or_listed_as_skipped() {
    let folder = Folder::new("broken");
    let good = folder.write("good.stl", samples::STL);
    let bad = folder.write("bad.stl", samples::STL.replace("1e0", "oops"));
    folder.write("part.step", "ISO-10303-21;");
    let error = load([&folder.0], &LoadOptions::default()).unwrap_err();
    assert_eq!((error.path, error.location), (bad.clone(), Location::Line(6)));
    let keep = LoadOptions::default().keep_going(true);
    let assembly = load([&folder.0], &keep).unwrap();
    assert_eq!(names(&assembly), ["good"]);
    let skipped: Vec<_> = assembly.skipped.iter().map(|skipped| &*skipped.name).collect();
    assert_eq!(skipped, ["bad", "part"]);
    assert!(assembly.skipped[1].error.message.contains("the file ends early"));
    let error = load([&bad], &keep).unwrap_err();
    assert!(error.message.contains("no other part is left"), "{error}");

    // One mesh of a scene may be broken while others are valid.
    let nodes = r#"{"name": "a", "mesh": 0}, {"name": "b", "mesh": 1}, {"name": "c", "mesh": 1},
        {"name": "far", "mesh": 0, "translation": [1e200, 0, 0]}"#;
    let text = gltf(nodes).replace(
        "\"meshes\": [",
        r#""meshes": [{"primitives": [{"attributes": {"POSITION": 7}}]}, "#,
    );
    let text = text.replace("\"mesh\": 0", "\"mesh\": 2").replace("\"mesh\": 1", "\"mesh\": 0");
    let text = text.replace("\"mesh\": 2", "\"mesh\": 1");
    let error = read(text.as_bytes(), Path::new("a.gltf"), &LoadOptions::default()).unwrap_err();
    assert_eq!(error.location, Location::Json("accessors[7]".into()));
    let assembly = read(text.as_bytes(), Path::new("a.gltf"), &keep).unwrap();
    assert_eq!(names(&assembly), ["a"]);
    let skipped: Vec<_> = assembly.skipped.iter().map(|skipped| &*skipped.name).collect();
    assert_eq!(skipped, ["b", "c", "far"]);
    drop(good);
}

#[test]
fn unsupported_files_are_refused_with_the_reason() {
    let folder = Folder::new("refused");
    let refused = |name: &str| {
        let path = folder.0.join(name);
        let error = load([&path], &LoadOptions::default()).unwrap_err();
        assert_eq!(error.path, path);
        error.message
    };
    assert!(refused("none.obj").contains("cannot be read"));
    assert!(refused("none.step").contains("cannot be read"));
    assert!(refused("none").contains("cannot be read"));
    folder.write("a.xyz", "1 2 3");
    assert!(refused("a.xyz").contains("`.xyz` files cannot be read"));
    folder.write("a.STP", "ISO-10303-21;");
    assert!(refused("a.STP").contains("the file ends early"));
    folder.write("a.ifc", "ISO-10303-21;");
    assert!(refused("a.ifc").contains("the file ends early"));
    folder.write("a.ifcxml", "<ifc/>");
    assert!(refused("a.ifcxml").contains("only the text form of IFC"));
    let ifc = "ISO-10303-21;FILE_SCHEMA(('IFC4'));ENDSEC;DATA;ENDSEC;END-ISO-10303-21;";
    folder.write("a.step", ifc);
    assert!(refused("a.step").contains("rename it to .ifc"));
    folder.write("a.dae", "<COLLADA/>");
    assert!(refused("a.dae").contains("Collada files cannot be read"));
    folder.write("a.3dxml", "PK");
    assert!(refused("a.3dxml").contains("3DXML files cannot be read"));
    folder.write("empty/a.txt", "");
    assert!(refused("empty").contains("holds no file"));
    folder.write("robot/a.urdf", "<robot/>");
    let error = load([folder.0.join("robot")], &LoadOptions::default()).unwrap_err();
    assert!(error.message.contains("give the .urdf file itself"), "{error}");
    let nothing: [&Path; 0] = [];
    assert!(load(nothing, &LoadOptions::default()).is_err());
}

#[test]
fn expensive_files_are_bounded() {
    // A chain of nodes deeper than the limit for sub-assemblies.
    let depth = 5000;
    let chain: String = (1..depth).map(|node| format!(r#"{{"children": [{node}]}}, "#)).collect();
    let text = gltf(&format!(r#"{chain}{{"mesh": 0}}"#));
    let error = read(text.as_bytes(), Path::new("a.gltf"), &LoadOptions::default()).unwrap_err();
    assert!(error.message.contains("nested more than 1000 levels deep"), "{error}");
    // Ten thousand instances, each with another scale.
    let nodes: Vec<_> =
        (1..10_000).map(|i| format!(r#"{{"mesh": 0, "scale": [{i}, 1, 1]}}"#)).collect();
    let start = std::time::Instant::now();
    let assembly = read_gltf(&nodes.join(","), &LoadOptions::default());
    assert_eq!(assembly.parts.len(), 9999);
    assert!(assembly.meshes.len() > 9000);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

fn robot(text: &str, options: &LoadOptions) -> Result<Assembly, impinge_io::Error> {
    read(text.as_bytes(), Path::new("arm.urdf"), options)
}

#[test]
fn joint_values_place_the_links() {
    let options =
        LoadOptions::default().joint("shoulder", std::f64::consts::FRAC_PI_2).joint("grip", 0.25);
    let assembly = robot(ROBOT, &options).unwrap();
    check(&assembly);
    assert_eq!(
        full_names(&assembly),
        ["base", "upper/upper/1", "upper/upper/knob", "left", "right"]
    );
    assert_eq!(assembly.units, Some(Unit::Metre));
    let middle = |part: usize| assembly.parts[part].placement.translation();
    let close = |a: DVec3, b: [f64; 3]| assert!(a.abs_diff_eq(b.into(), 1e-12), "{a}, not {b:?}");
    // The arm points along x; the flange is rotated, so the fingers move along y.
    close(middle(1), [1.0, 0.0, 0.5]);
    close(middle(2), [0.0, 0.0, 0.5]);
    close(middle(3), [2.0, 0.25, 0.5]);
    close(middle(4), [2.0, 0.0, 0.5]);
    let values: Vec<_> = assembly.joints.iter().map(|joint| joint.value).collect();
    assert_eq!(values, [std::f64::consts::FRAC_PI_2, 0.0, 0.25, 0.0]);
    // By default each joint is as near to 0 as its limits allow.
    let rest = robot(ROBOT, &LoadOptions::default()).unwrap();
    assert_eq!(rest.joints[0].value, 0.25);
    assert_eq!(rest.parts[0].placement, Pose::IDENTITY);
    for (name, value, expected) in [
        (
            "shoulder",
            0.0,
            ":11: the joint `shoulder` has the limits 0.25 and 2 rad; the value 0 is outside",
        ),
        ("wrist", 1.0, ":13: the joint `wrist` is fixed, so it cannot be set"),
        ("mirror", 1.0, ":15: the joint `mirror` mimics `grip`, so it cannot be set; set `grip`"),
        ("elbow", 1.0, "no joint `elbow`; joints that can be set: shoulder, grip"),
    ] {
        // A mistake in the options: `keep_going` must not leave out the robot instead.
        for keep_going in [false, true] {
            let options = LoadOptions::default().joint(name, value).keep_going(keep_going);
            let error = robot(ROBOT, &options).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
    let options = LoadOptions::default().joint("x", 1.0);
    let error = read(samples::STL.as_bytes(), Path::new("a.stl"), &options).unwrap_err();
    assert!(error.message.contains("no robot (.urdf) among the files"), "{error}");
}

#[test]
fn joint_values_have_the_unit_of_their_joint() {
    let with = |name: &str, text: &str| {
        robot(ROBOT, &LoadOptions::default().joint(name, text.parse::<JointValue>().unwrap()))
    };
    assert_eq!(with("shoulder", "90deg").unwrap().joints[0].value, std::f64::consts::FRAC_PI_2);
    assert_eq!(with("grip", "50cm").unwrap().joints[2].value, 0.5);
    let error = with("shoulder", "10mm").unwrap_err();
    assert_eq!(error.location, Location::Line(11));
    assert!(error.message.contains("is revolute"), "{error}");
    let error = with("grip", "1deg").unwrap_err();
    assert!(error.message.contains("is prismatic"), "{error}");
}

#[test]
fn motion_gives_the_same_poses_as_reading_again() {
    for units in [None, Some(Unit::Millimetre), Some(Unit::Inch)] {
        let mut options = LoadOptions::default();
        options.units = units;
        let scaled =
            ROBOT.replace("<box size=\"1 1 1\"/>", "<capsule radius=\"0.5\" length=\"1\"/>");
        let still = robot(&scaled, &options).unwrap();
        let mut motion = still.motion();
        for step in 0..20 {
            let [turn, grip] = [0.25 + 0.08 * f64::from(step), -0.9 + 0.09 * f64::from(step)];
            let moved = options.clone().joint("shoulder", turn).joint("grip", grip);
            let moved = robot(&scaled, &moved).unwrap();
            // The values of fixed and mimic joints are not used.
            let poses = motion.poses(&[turn, 7.0, grip, 7.0]).unwrap();
            for (pose, part) in poses.iter().zip(&moved.parts) {
                assert_eq!(*pose, part.placement, "{}", part.name);
            }
        }
        let error = motion.poses(&[0.0, 0.0, f64::MAX, 0.0]).unwrap_err();
        assert!(error.to_string().contains("beyond the range"), "{error}");
    }
}

#[test]
fn links_that_a_joint_connects_are_adjacent() {
    let assembly = robot(ROBOT, &LoadOptions::default()).unwrap();
    let [base, first, knob, left, right] = [0, 1, 2, 3, 4];
    // Adjacent: within one link, through one joint, and through the flange without geometry.
    let adjacent = [
        [(base, first), (base, knob), (first, knob), (left, right)],
        [(first, left), (first, right), (knob, left), (knob, right)],
    ]
    .concat();
    for a in 0..5 {
        for b in 0..5 {
            let expected = a == b || adjacent.contains(&(a.min(b), a.max(b)));
            assert_eq!(assembly.are_adjacent(a, b), expected, "{a}, {b}");
        }
    }
    let pairs = assembly.adjacent_links();
    assert_eq!(pairs, [[0, 1], [1, 3], [1, 4], [3, 4]]);
}

#[test]
fn meshes_of_robots_are_found_in_their_packages() {
    let folder = Folder::new("packages");
    let robot = |mesh: &str| {
        format!(
            r#"<robot name="r"><link name="a"><collision><geometry>
            <mesh filename="{mesh}" scale="2 2 2"/></geometry></collision>
            <collision><geometry><mesh filename="{mesh}"/></geometry></collision></link></robot>"#
        )
    };
    folder.write("ws/arm_description/meshes/a.stl", samples::STL);
    folder.write("elsewhere/arm_description/b.stl", samples::STL);
    folder.write("ws/arm_description/urdf/beside.stl", samples::STL);
    let load_mesh = |mesh: &str, options: &LoadOptions| {
        let path = folder.write("ws/arm_description/urdf/r.urdf", robot(mesh));
        load([path], options)
    };
    let plain = LoadOptions::default();
    for mesh in [
        "package://arm_description/meshes/a.stl",
        "package://meshes/a.stl",
        "model://arm_description/meshes/a.stl",
        "../meshes/a.stl",
        "beside.stl",
        &format!("file://{}", folder.0.join("ws/arm_description/meshes/a.stl").display()),
    ] {
        let assembly = load_mesh(mesh, &plain).unwrap_or_else(|error| panic!("{mesh}: {error}"));
        check(&assembly);
        // One file, used at its own size and at twice that size.
        assert_eq!(assembly.meshes.len(), 2, "{mesh}");
        assert_eq!(assembly.mesh(0).positions()[1], DVec3::new(2.0, 0.0, 0.0));
        assert_eq!(assembly.mesh(1).positions()[1], DVec3::X);
    }
    let other = "package://arm_description/b.stl";
    let error = load_mesh(other, &plain).unwrap_err();
    assert!(error.message.contains("but has no file `b.stl`"), "{error}");
    assert_eq!(error.location, Location::Line(1));
    let elsewhere = plain.clone().package(folder.0.join("elsewhere"));
    assert_eq!(load_mesh(other, &elsewhere).unwrap().parts.len(), 2);
    let error = load_mesh("https://example.org/a.stl", &plain).unwrap_err();
    assert!(error.message.contains("not a file on this machine"), "{error}");
    folder.write("ws/arm_description/meshes/a.dae", "<COLLADA/>");
    let error = load_mesh("package://arm_description/meshes/a.dae", &plain).unwrap_err();
    assert!(error.path.ends_with("a.dae"), "{error}");
    assert!(error.message.contains("Collada files cannot be read"), "{error}");
}

#[test]
fn the_pieces_of_a_link_move_together() {
    let folder = Folder::new("split-robot");
    let triangles = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\nf 4 5 6\n";
    folder.write("two.obj", triangles);
    let link = |name: &str| {
        format!(
            "<link name='{name}'><collision><geometry><mesh filename='two.obj' scale='2 2 2'/></geometry>\
             </collision></link>"
        )
    };
    let text = format!(
        "<robot name='r'>{}{}<joint name='up' type='prismatic'><parent link='a'/><child link='b'/>\
         <axis xyz='0 0 1'/></joint></robot>",
        link("a"),
        link("b")
    );
    let path = folder.write("r.urdf", text);
    let assembly = load([path], &LoadOptions::default().split(true)).unwrap();
    assert_eq!(assembly.parts.len(), 4);
    let mut motion = assembly.motion();
    let heights = motion.poses(&[3.0]).unwrap().iter().map(|pose| pose.translation().z);
    assert_eq!(heights.collect::<Vec<_>>(), [0.0, 0.0, 3.0, 3.0]);
}

#[test]
fn packages_are_found_by_their_manifest() {
    let folder = Folder::new("manifests");
    let manifest =
        |name: &str| format!("<?xml version='1.0'?><package><name>{name}</name></package>");
    // The names of the folders say nothing.
    folder.write("ws/src/repo/desc-1.2/package.xml", manifest("arm_description"));
    folder.write("ws/src/repo/desc-1.2/meshes/a.stl", samples::STL);
    folder.write("ws/src/repo/meshes-2/package.xml", manifest("arm_meshes"));
    folder.write("ws/src/repo/meshes-2/b.stl", samples::STL);
    folder.write("ws/src/other/hand/package.xml", manifest("hand_description"));
    folder.write("ws/src/other/hand/c.stl", samples::STL);
    folder.write("ws/src/other/x/y/z/too/deep/package.xml", manifest("deep"));
    folder.write("ws/src/other/x/y/z/too/deep/d.stl", samples::STL);
    folder.write("ws/src/other/.hidden/package.xml", manifest("hidden"));
    folder.write("ws/src/other/.hidden/e.stl", samples::STL);
    let load_mesh = |mesh: &str| {
        let text = format!(
            r#"<robot name="r"><link name="a"><collision><geometry>
            <mesh filename="package://{mesh}"/></geometry></collision></link></robot>"#
        );
        let path = folder.write("ws/src/repo/desc-1.2/urdf/r.urdf", text);
        load([path], &LoadOptions::default())
    };
    for mesh in ["arm_description/meshes/a.stl", "arm_meshes/b.stl", "hand_description/c.stl"] {
        assert_eq!(load_mesh(mesh).unwrap_or_else(|error| panic!("{error}")).parts.len(), 1);
    }
    let message = load_mesh("arm_meshes/none.stl").unwrap_err().message;
    assert!(message.contains("meshes-2, but has no file `none.stl`"), "{message}");
    for mesh in ["none/a.stl", "deep/d.stl", "hidden/e.stl", "../meshes-2/a.stl", ".././a.stl"] {
        let message = load_mesh(mesh).unwrap_err().message;
        assert!(message.contains("there is no package"), "{message}");
        assert!(message.contains("desc-1.2/urdf and the folders above it"), "{message}");
        assert!(message.contains("ROS_PACKAGE_PATH"), "{message}");
    }
}

#[test]
fn invalid_robots_are_refused_with_the_line() {
    for (from, to, line, expected) in [
        ("<robot name=\"arm\">", "<sdf>", 16, "expected `</sdf>`"),
        ("name=\"flange\"", "name=\"left\"", 9, "a second link `left`"),
        ("name=\"wrist\"", "name=\"grip\"", 14, "a second joint `grip`"),
        ("<child link=\"flange\"/>", "<child link=\"none\"/>", 13, "no link `none`"),
        (
            "<child link=\"flange\"/>",
            "<child link=\"base\"/>",
            3,
            "the joints of the link `base` form a cycle",
        ),
        (
            "<link name=\"flange\"/>",
            "<link name=\"flange\"/><link name=\"lost\"/>",
            8,
            "no joint connects the link `lost` to `base`",
        ),
        ("<child link=\"right\"/>", "<child link=\"left\"/>", 15, "as `grip` does"),
        ("joint=\"grip\"", "joint=\"none\"", 15, "no joint `none` to mimic"),
        ("joint=\"grip\"", "joint=\"mirror\"", 15, "mimics itself"),
        ("multiplier=\"-2\"", "multiplier=\"1e400\"", 15, "not a finite number"),
        ("xyz=\"0 2 0\"", "xyz=\"0 0 0\"", 12, "no direction"),
        ("xyz=\"0 2 0\"", "xyz=\"0 2\"", 12, "has 2 numbers, not 3"),
        ("xyz=\"0 2 0\"", "xyz=\"0 2 0 0\"", 12, "more than 3"),
        ("xyz=\"0 2 0\"", "xyz=\"${x} 2 0\"", 12, "not a number"),
        ("lower=\"0.25\"", "lower=\"3\"", 12, "above the upper one"),
        ("type=\"fixed\"", "type=\"screw\"", 13, "is not a joint type"),
        ("<box size=\"1 1 1\"/>", "<cone/>", 3, "`cone` is not known"),
        ("<box size=\"1 1 1\"/>", "", 3, "geometry is empty"),
        ("size=\"1 1 1\"", "size=\"1 -1 1\"", 3, "less than 0"),
        ("radius=\"0.2\"", "radius=\"nan\"", 6, "not a finite number"),
        ("radius=\"0.2\"", "", 6, "without `radius`"),
        ("<box size=\"1 1 1\"/>", "<mesh filename=\"a.stl\"/>", 3, "cannot be opened from here"),
        ("radius=\"0.2\"", "radius=\"1e101\"", 6, "beyond"),
    ] {
        assert!(ROBOT.contains(from), "{from}");
        let error = robot(&ROBOT.replacen(from, to, 1), &LoadOptions::default()).unwrap_err();
        assert_eq!(error.location, Location::Line(line), "{to}: {error}");
        assert!(error.message.contains(expected), "{to}: {error}");
    }
    for (text, expected) in [
        ("<robot name='a'><link name='a'/></robot>", "no link of the robot has collision geometry"),
        ("<robot name='a'/>", "no link"),
        (
            "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>\
             <child link='b'/></joint><joint name='k' type='fixed'><parent link='b'/>\
             <child link='a'/></joint></robot>",
            "form a cycle",
        ),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", "document types"),
        ("", "no element"),
    ] {
        let error = robot(text, &LoadOptions::default()).unwrap_err();
        assert!(error.message.contains(expected), "{text}: {error}");
    }
    // Many spheres, each of another radius, all at the finest resolution.
    let spheres: String = (0..200)
        .map(|i| {
            let radius = 1000 + i;
            format!("<collision><geometry><sphere radius='{radius}'/></geometry></collision>")
        })
        .collect();
    let text = format!("<robot><link name='a'>{spheres}</link></robot>");
    let error = robot(&text, &LoadOptions::default()).unwrap_err();
    assert!(error.message.contains("more than 16777216 vertices and faces"), "{error}");
    // Time and memory are linear for a long chain and for many links around a hub.
    let mut text = String::from("<robot><link name='l0'/>");
    for i in 1..20_000 {
        let shape = if i % 2 == 0 {
            "<collision><geometry><box size='1 1 1'/></geometry></collision>"
        } else {
            ""
        };
        text += &format!(
            "<link name='l{i}'>{shape}</link><joint name='j{i}' type='fixed'><parent link='l{}'/><child link='l{i}'/></joint>",
            if i % 3 == 0 { 0 } else { i - 1 }
        );
    }
    text += "</robot>";
    let start = std::time::Instant::now();
    let assembly = robot(&text, &LoadOptions::default()).unwrap();
    assert_eq!(assembly.parts.len(), 9999);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

/// With `keep_going`, a broken collision element is left out and the robot is kept.
#[test]
fn robots_keep_going() {
    let text = ROBOT.replacen("<box size=\"1 1 1\"/>", "<mesh filename=\"none.stl\"/>", 1);
    let assembly = robot(&text, &LoadOptions::default().keep_going(true)).unwrap();
    assert_eq!((assembly.parts.len(), &*assembly.skipped[0].name), (4, "base"));
    check(&assembly);
}

fn data() -> Option<std::path::PathBuf> {
    let data = std::env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty());
    if data.is_none() {
        println!("IMPINGE_DATA is not set: the tests on real files were left out");
    }
    data.map(Into::into)
}

#[test]
fn real_assemblies() {
    let Some(data) = data() else { return };
    for (path, parts, faces) in [
        // The file has 109 primitives; some parts have several materials.
        ("assemblies/car-concept/CarConcept.geometry.glb", 97, 213_347),
        ("assemblies/chronograph-watch/ChronographWatch.gltf", 13, 100_002),
        ("assemblies/gears", 4, 608 + 384 + 3824 + 1094),
        ("assemblies/piston", 4, 524 + 716 + 368 + 532),
        ("assemblies/punching-press", 6, 336 + 736 + 972 + 1128 + 972 + 502),
        ("step/as1-oc-214.tess.glb", 18, 7512),
        ("step/io1-cm-214.tess.glb", 1, 3368),
        ("robots/shadow_hand/assets", 14, 0),
        ("robots/ur5e/collision", 7, 420 + 1064 + 1400 + 1992 + 1190 + 1350 + 142),
    ] {
        let start = std::time::Instant::now();
        let assembly = load([data.join(path)], &LoadOptions::default()).unwrap();
        let (time, meshes) = (start.elapsed(), assembly.meshes.len());
        println!("{path}: {} parts, {meshes} meshes, {time:?}", assembly.parts.len());
        check(&assembly);
        assert_eq!(assembly.parts.len(), parts, "{path}: {:?}", names(&assembly));
        assert!(faces == 0 || assembly.face_count() == faces, "{path}: {}", assembly.face_count());
    }
    let car = data.join("assemblies/car-concept/CarConcept.geometry.glb");
    let car = load([car], &LoadOptions::default().primitives(true)).unwrap();
    check(&car);
    assert_eq!((car.parts.len(), car.face_count()), (109, 213_347));
}

fn left_out(assembly: &Assembly) -> Vec<(&str, usize, Vec<&str>)> {
    assembly
        .left_out
        .iter()
        .map(|of| (&*of.kind, of.count, of.names.iter().map(String::as_str).collect()))
        .collect()
}

#[test]
fn files_of_a_folder_that_are_not_read_are_counted() {
    let folder = Folder::new("left-out");
    let mesh = "mtllib Paint.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    folder.write("a.obj", mesh);
    // Referred to by the OBJ file, and by its material library.
    folder.write("Paint.mtl", "newmtl a\nmap_Kd wood.png\n");
    folder.write("wood.png", "");
    folder.write("other.mtl", "");
    for name in ["x.pdf", "sub/y.PDF", "z.pdf", "w.pdf", "Makefile", ".DS_Store"] {
        folder.write(name, "");
    }
    let assembly = load([&folder.0], &LoadOptions::default()).unwrap();
    assert_eq!(
        left_out(&assembly),
        [
            (".mtl files", 1, vec!["other.mtl"]),
            (".pdf files", 4, vec!["y.PDF", "w.pdf", "x.pdf"]),
            ("files without an extension", 1, vec!["Makefile"]),
            ("hidden files", 1, vec![".DS_Store"]),
        ]
    );
    // Formats that hold shapes are never left out silently.
    for name in ["b.dae", "c.3DXML"] {
        let path = folder.write(name, "");
        let error = load([&folder.0], &LoadOptions::default()).unwrap_err();
        assert_eq!(error.path, path);
        let keep = load([&folder.0], &LoadOptions::default().keep_going(true)).unwrap();
        assert_eq!((keep.parts.len(), keep.skipped.len()), (1, 1));
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn every_solid_of_an_stl_file_is_a_part() {
    let solid = |name: &str, x: i32| {
        let facet = format!(
            "facet normal 0 0 1 outer loop vertex {x} 0 0 vertex {x} 1 0 vertex {x} 0 1 endloop endfacet"
        );
        format!("solid {name}\n{facet}\nendsolid\n")
    };
    let text = [solid("shaft", 1), solid("", 2), solid("shaft", 3)].concat();
    let one = read(text.as_bytes(), Path::new("gear.stl"), &LoadOptions::default()).unwrap();
    check(&one);
    assert_eq!(full_names(&one), ["shaft", "gear 2", "shaft#2"]);
    assert_eq!(one.mesh(2).bounds().min, DVec3::new(3.0, 0.0, 0.0));
    let folder = Folder::new("solids");
    let files = [folder.write("gear.stl", text), folder.write("one.stl", solid("other", 7))];
    let two = load(files, &LoadOptions::default()).unwrap();
    assert_eq!(full_names(&two), ["gear/shaft", "gear/gear 2", "gear/shaft#2", "one"]);
}

#[test]
fn meshes_are_split_into_connected_pieces() {
    let split = LoadOptions::default().split(true);
    // Two triangles apart, in each format that has them as one mesh.
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\nf 4 5 6\n";
    for format in impinge_io::Format::ALL.into_iter().filter(|format| format.is_writable()) {
        let model =
            impinge_io::read(obj.as_bytes(), impinge_io::Format::Obj, Path::new("a.obj")).unwrap();
        let mut bytes = Vec::new();
        impinge_io::write(&model, format, &mut bytes).unwrap();
        let path = common::file_name(format);
        let whole = read(&bytes, &path, &LoadOptions::default()).unwrap();
        assert_eq!((whole.parts.len(), whole.piece_count(0)), (1, 2), "{format}");
        let pieces = read(&bytes, &path, &split).unwrap();
        check(&pieces);
        let name = &whole.parts[0].name;
        let expected = [1, 2].map(|number| format!("{name}/{name} piece {number}"));
        assert_eq!(full_names(&pieces), expected, "{format}");
        assert_eq!((pieces.piece_count(0), pieces.mesh(1).bounds().min.x), (1, 5.0), "{format}");
    }
    // A part of one piece stays as it is, and the instances of a mesh share its pieces.
    let nodes = r#"{"name": "n", "mesh": 0}, {"name": "m", "mesh": 0, "translation": [9, 0, 0]}"#;
    let assembly = read_gltf(nodes, &split);
    assert_eq!((names(&assembly), assembly.meshes.len()), (vec!["n", "m"], 1));
    // Faces without common corners are no assembly.
    let soup: String = (0..70_000).map(|x| format!("v {x} 0 0\nv {x} 1 0\nv {x} 0 1\n")).collect();
    let faces: String =
        (0..70_000).map(|f| format!("f {} {} {}\n", 3 * f + 1, 3 * f + 2, 3 * f + 3)).collect();
    let error = read(format!("{soup}{faces}").as_bytes(), Path::new("a.obj"), &split).unwrap_err();
    assert!(error.message.contains("70000 connected pieces"), "{error}");
}

#[test]
fn real_robots() {
    let Some(data) = data() else { return };
    let options = LoadOptions::default().joint("panda_finger_joint1", 0.02);
    let panda = load([data.join("robots/panda/panda.urdf")], &options).unwrap();
    check(&panda);
    assert_eq!(panda.parts.len(), 11, "{:?}", names(&panda));
    let follower = panda.joints.iter().find(|joint| joint.name == "panda_finger_joint2").unwrap();
    assert_eq!(follower.value, 0.02);
    // Both fingers use one file; all other links have their own.
    assert_eq!(panda.meshes.len(), 10);
    // Exactly the pairs that the robot's own list of ignored collisions calls adjacent.
    let listed = fs::read_to_string(data.join("robots/panda/panda.srdf")).unwrap();
    let quoted = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let mut expected: Vec<[String; 2]> = listed
        .lines()
        .filter(|line| line.contains("reason=\"Adjacent\""))
        .map(|line| ["link1", "link2"].map(|name| quoted(line, name)))
        .collect();
    let name = |link: u32| panda.links[link as usize].name.clone();
    let mut found: Vec<_> = panda.adjacent_links().into_iter().map(|pair| pair.map(name)).collect();
    [&mut expected, &mut found].into_iter().for_each(|list| {
        list.iter_mut().for_each(|pair| pair.sort());
        list.sort();
    });
    assert_eq!(found, expected);

    let laikago =
        load([data.join("robots/laikago/laikago_toes_zup_lores.urdf")], &LoadOptions::default());
    let laikago = laikago.unwrap();
    check(&laikago);
    assert!(laikago.parts.len() >= 17, "{:?}", names(&laikago));
    let error = load([data.join("robots/panda")], &LoadOptions::default()).unwrap_err();
    assert!(error.message.contains("give the .urdf file itself"), "{error}");
}

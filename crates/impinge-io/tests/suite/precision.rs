//! How exact the parts of an assembly are: rounding and tessellation, in the unit of the assembly.

#![allow(clippy::unwrap_used)]

use crate::common::folder::Folder;
use impinge::{Mesh, clash::Tessellation, generate::icosphere, glam::DVec3};
use impinge_io::{
    Assembly, Format, Model,
    assembly::{AssemblyPart, LoadOptions, Unit, load, read},
    write,
};
use std::path::Path;

/// 8 half units in the last place of single precision.
const SINGLE: f64 = 8.0 / (1 << 24) as f64;

/// A ball of radius 1 whose coordinates have all digits.
fn ball(centre: DVec3) -> Mesh {
    let ball = icosphere(2).unwrap();
    let positions = ball.positions().iter().map(|&position| position + centre).collect();
    Mesh::new(positions, ball.faces().to_vec()).unwrap()
}

fn read_as(mesh: &Mesh, format: Format, options: &LoadOptions) -> Assembly {
    let mut bytes = Vec::new();
    write(&Model::from_mesh("ball", mesh.clone()), format, &mut bytes).unwrap();
    read(&bytes, &Path::new("ball").with_extension(format.extension()), options).unwrap()
}

fn rounding(assembly: &Assembly) -> f64 {
    assembly.parts[0].rounding.unwrap()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.01, "{found:e} instead of {expected:e}");
}

#[test]
fn a_part_far_away_is_rounded_only_if_its_file_is() {
    let plain = LoadOptions::default();
    let size = 12_f64.sqrt();
    for format in [Format::Stl, Format::Ply, Format::Obj] {
        assert_near(rounding(&read_as(&ball(DVec3::ZERO), format, &plain)), SINGLE * size);
    }
    // In text and in double precision, 100 km away: the reader itself computes with 53 bits.
    let far = ball(DVec3::X * 1e5);
    let exact = SINGLE * size + 4.0 * f64::EPSILON * 1e5;
    for format in [Format::Ply, Format::Obj] {
        assert_near(rounding(&read_as(&far, format, &plain)), exact);
    }
    // In single precision.
    let near = ball(DVec3::X * 1e3);
    assert_near(rounding(&read_as(&near, Format::Stl, &plain)), SINGLE * 1001.0);
    // A text file that holds the numbers of such a file, in full or with nine digits.
    let rounded = near.positions().iter().map(|p| p.as_vec3().as_dvec3()).collect();
    let rounded = Mesh::new(rounded, near.faces().to_vec()).unwrap();
    assert_near(rounding(&read_as(&rounded, Format::Obj, &plain)), SINGLE * 1001.0);
    let nine = rounded.positions().iter().map(|p| {
        DVec3::from_array(p.to_array().map(|value| format!("{value:.8e}").parse().unwrap()))
    });
    let nine = Mesh::new(nine.collect(), near.faces().to_vec()).unwrap();
    assert_near(rounding(&read_as(&nine, Format::Obj, &plain)), SINGLE * 1001.0);
}

#[test]
fn rounding_is_in_the_unit_of_the_assembly() {
    let size = 12_f64.sqrt();
    let scaled = LoadOptions::default().scale(5.0).units(Unit::Millimetre);
    let of =
        |format, options: &LoadOptions| rounding(&read_as(&ball(DVec3::ZERO), format, options));
    assert_near(of(Format::Glb, &scaled), 5000.0 * SINGLE * size);
    assert_near(of(Format::Stl, &scaled), 5.0 * SINGLE * size);
    assert_near(of(Format::Stl, &scaled.file_units(Unit::Inch)), 5.0 * 25.4 * SINGLE * size);
}

const GLTF: &str = r#"{"asset": {"version": "2.0"}, "nodes": [NODES], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri":
 "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;

#[test]
fn nodes_scale_and_move_the_rounding() {
    // The third node is moved by 100 · 0.1, rounded to single precision, within a node that is scaled by 10.
    let nodes = r#"{"mesh": 0}, {"mesh": 0, "scale": [3, 3, 3], "translation": [123.456, 0.5, 0]},
        {"scale": [10, 10, 10], "children": [3]}, {"mesh": 0, "translation": [10.100000381469727, 0, 0]}"#;
    let text = GLTF.replace("NODES", nodes);
    let assembly =
        read(text.as_bytes(), Path::new("a.gltf"), &LoadOptions::default().scale(2.0)).unwrap();
    let own = 2.0 * SINGLE * 2_f64.sqrt();
    let found: Vec<f64> = assembly.parts.iter().map(|part| part.rounding.unwrap()).collect();
    assert_near(found[0], own);
    assert_near(found[1], 3.0 * own);
    assert_near(found[2], 10.0 * own + 2.0 * 10.0 * 10.1 / (1 << 24) as f64);
}

#[test]
fn shapes_of_robots_are_approximate_where_they_are_round() {
    let folder = Folder::new("tessellation");
    let shape = |name: &str, geometry: &str| {
        format!("<link name='{name}'><collision><geometry>{geometry}</geometry></collision></link>")
    };
    let robot = [
        "<robot name='r'>",
        &shape("box", "<box size='1 2 3'/>"),
        &shape("rod", "<cylinder radius='0.1' length='1'/>"),
        &shape("ball", "<sphere radius='0.1'/>"),
        "<joint name='a' type='fixed'><parent link='box'/><child link='rod'/></joint>",
        "<joint name='b' type='fixed'><parent link='box'/><child link='ball'/></joint></robot>",
    ];
    let path = folder.write("r.urdf", robot.concat());
    let options = LoadOptions::default().tolerance(2e-4).units(Unit::Millimetre).scale(10.0);
    let assembly = load([path], &options).unwrap();
    let [cuboid, rod, ball] = &assembly.parts[..] else { panic!("{:?}", assembly.parts) };
    assert_eq!(cuboid.tessellation, Tessellation::Uniform(0.0));
    let faces_of = |part: &AssemblyPart, number: usize| {
        let Tessellation::Faces(faces) = &part.tessellation else { panic!("one distance for all") };
        assert_eq!(faces.len(), assembly.mesh(number).faces().len());
        faces.clone()
    };
    // As far off as the chords really are: 2 mm at most.
    let is_round = |&distance: &f32| distance > 0.5 && distance <= 2.0;
    assert!(faces_of(ball, 2).iter().all(is_round));
    let faces = faces_of(rod, 1);
    assert!(faces.iter().all(|distance| *distance == 0.0 || is_round(distance)));
    assert!(faces.contains(&0.0) && faces.iter().any(is_round));
}

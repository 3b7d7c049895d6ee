//! What every writer writes, its reader reads back: the same faces at the same places.

use crate::common::{self, samples::ring};
use impinge::{
    Mesh,
    glam::{DAffine3, DMat3, DVec3},
};
use impinge_io::{Format, Model, ModelPart, load, read, save, write};
use std::path::Path;

fn again(model: &Model, format: Format) -> Model {
    let mut bytes = Vec::new();
    write(model, format, &mut bytes).expect("the model can be written");
    let again = read(&bytes, format, &common::file_name(format)).expect("it can be read");
    common::check_model(&again).expect("it is a model");
    again
}

/// The corners of all faces, as bits, so that −0 and 0 differ.
fn corners(mesh: &Mesh, narrow: bool) -> Vec<[[u64; 3]; 3]> {
    let value = |value: f64| if narrow { f64::from(value as f32) } else { value };
    mesh.triangles().map(|face| face.map(|p| p.to_array().map(|x| value(x).to_bits()))).collect()
}

/// Awkward numbers within the range of `f32`, every vertex used.
fn awkward() -> Mesh {
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let exponent = (state >> 58) as i32 - 32;
        ((state >> 11) as f64 - (1_u64 << 52) as f64) * (f64::from(exponent) - 40.0).exp2()
    };
    let mut positions: Vec<_> =
        (0..300).map(|_| DVec3::new(random(), random(), random())).collect();
    positions[0] = DVec3::new(-0.0, 0.0, f64::from(f32::MAX));
    positions[1] = DVec3::new(1e-45, 0.1, -1e-40);
    let faces = (0..300).map(|i| [i, (i * 7 + 1) % 300, (i * 31 + 5) % 300]).collect();
    Mesh::new(positions, faces).expect("it is a mesh")
}

const WRITTEN: [Format; 4] = [Format::Obj, Format::Stl, Format::Ply, Format::Glb];

/// STL and GLB have no `f64`.
fn narrows(format: Format) -> bool {
    matches!(format, Format::Stl | Format::Glb)
}

#[test]
fn a_mesh_comes_back_to_the_bit() {
    for format in WRITTEN {
        for mesh in [awkward(), ring(100)] {
            let model = Model::from_mesh("part", mesh.clone());
            let read = again(&model, format).to_mesh().unwrap();
            assert!(corners(&read, false) == corners(&mesh, narrows(format)), "{format}");
            if matches!(format, Format::Obj | Format::Ply) {
                assert!(read.faces() == mesh.faces(), "{format} renumbers vertices");
                assert_eq!(read.positions().len(), mesh.positions().len());
            }
        }
    }
    for format in [Format::Obj, Format::Ply] {
        let wide = vec![DVec3::splat(1e100), DVec3::splat(-5e-324), DVec3::new(1e-300, 0.3, 1e22)];
        let mesh = Mesh::new(wide, vec![[0, 1, 2]]).unwrap();
        let read = again(&Model::from_mesh("wide", mesh.clone()), format).to_mesh().unwrap();
        assert_eq!(corners(&read, false), corners(&mesh, false), "{format}");
    }
}

#[test]
fn placed_parts_come_back_where_they_stand() {
    let turn = DMat3::from_rotation_x(0.7);
    let transforms = [
        DAffine3::IDENTITY,
        DAffine3::from_mat3_translation(turn, DVec3::new(10.0, 0.0, 0.5)),
        DAffine3::from_mat3_translation(
            turn * DMat3::from_diagonal(DVec3::new(-1.0, 2.0, 0.5)),
            DVec3::Y,
        ),
    ];
    let mesh = ring(8);
    let part = |(number, transform): (usize, DAffine3)| ModelPart {
        name: format!("part {number}"),
        mesh: 0,
        faces: std::iter::once(0..mesh.faces().len() as u32).collect(),
        transform,
    };
    let parts: Vec<_> = transforms.into_iter().enumerate().map(part).collect();
    let model = Model { meshes: vec![mesh.into()], parts };
    let placed = model.to_mesh().unwrap();
    for format in WRITTEN {
        let read = again(&model, format);
        let mesh = read.to_mesh().unwrap();
        assert_eq!(mesh.faces().len(), placed.faces().len(), "{format}");
        if format == Format::Glb {
            // Keeps meshes and transforms apart, so the rounding differs in the last places.
            for (ours, theirs) in placed.triangles().zip(mesh.triangles()) {
                for (ours, theirs) in ours.into_iter().zip(theirs) {
                    assert!(ours.distance(theirs) < 1e-5, "{ours} became {theirs}");
                }
            }
        } else {
            assert!(corners(&mesh, false) == corners(&placed, narrows(format)), "{format}");
        }
        if matches!(format, Format::Obj | Format::Glb) {
            let names: Vec<_> = read.parts.iter().map(|part| part.name.as_str()).collect();
            assert_eq!(names, ["part 0", "part 1", "part 2"], "{format}");
        }
    }
}

#[test]
fn files_come_back_too() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("roundtrip");
    std::fs::create_dir_all(&folder).unwrap();
    for format in WRITTEN {
        let path = folder.join("ring").with_extension(format.extension());
        save(&path, &Model::from_mesh("ring", ring(20))).unwrap();
        assert_eq!(load(&path).unwrap().face_count(), 40, "{format}");
    }
}

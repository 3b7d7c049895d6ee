//! Writes the assembly as GLB, with the clashing faces in the colour of their verdict.

use crate::{findings::Findings, pictures::color_of};
use impinge::clash::{Clash, Verdict};
use impinge_io::{Paint, write_painted};
use std::{
    collections::BTreeMap,
    io::{Result, Write},
};

/// The colour of faces without a clash.
const BASE: [u8; 4] = [176, 180, 186, 255];

/// Writes the assembly in grey, with the clashing faces in the colour of their verdict. A face with several
/// clashes has the colour of the worst verdict.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(findings: &Findings, out: &mut dyn Write) -> Result<()> {
    write_painted(&findings.assembly, &paint(findings), out)
}

fn paint(findings: &Findings) -> Paint {
    let mut worst: BTreeMap<(usize, u32), Verdict> = BTreeMap::new();
    for Clash { a, b, verdict, faces, .. } in findings.rows.iter().map(|row| &row.clash) {
        for face in faces.iter().flat_map(|pair| [(*a, pair.a), (*b, pair.b)]) {
            let entry = worst.entry(face).or_insert(*verdict);
            *entry = (*entry).min(*verdict);
        }
    }
    let color = |verdict: Verdict| {
        let [red, green, blue] = color_of(verdict);
        [red, green, blue, 255]
    };
    let mut paint = Paint::default();
    paint.base = BASE;
    paint.faces = worst.into_iter().map(|(face, verdict)| (face, color(verdict))).collect();
    paint
}

#[cfg(test)]
mod tests {
    use super::{
        super::{findings::Row, pictures::samples},
        *,
    };
    use impinge::{
        FacePair, Mesh, Pose,
        glam::{DMat3, DVec3},
    };
    use impinge_io::{
        Assembly,
        assembly::{AssemblyPart, LoadOptions},
    };
    use serde_json::Value;
    use std::{path::Path, sync::Arc};

    fn written(findings: &Findings) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(findings, &mut bytes).unwrap();
        bytes
    }

    fn json(bytes: &[u8]) -> Value {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice(&bytes[20..20 + length]).unwrap()
    }

    /// Converts sRGB to linear RGB, as in glTF.
    fn linear(color: [u8; 3]) -> [f64; 3] {
        color.map(|value| match f64::from(value) / 255.0 {
            dark if dark <= 0.04045 => dark / 12.92,
            value => ((value + 0.055) / 1.055).powf(2.4),
        })
    }

    type Seen = (String, u64, Vec<([f64; 3], u64)>);

    /// For each node with a mesh: its name, the number of the mesh, and the number of faces of each colour.
    fn seen(json: &Value) -> Vec<Seen> {
        let nodes = json["nodes"].as_array().unwrap().iter().filter(|node| !node["mesh"].is_null());
        let node = |node: &Value| {
            let mesh = node["mesh"].as_u64().unwrap();
            let primitives = json["meshes"][mesh as usize]["primitives"].as_array().unwrap().iter();
            let primitive = |it: &Value| {
                let at = |what: &str| it[what].as_u64().unwrap() as usize;
                let factor =
                    &json["materials"][at("material")]["pbrMetallicRoughness"]["baseColorFactor"];
                let color = [0, 1, 2].map(|channel| factor[channel].as_f64().unwrap());
                (color, json["accessors"][at("indices")]["count"].as_u64().unwrap() / 3)
            };
            (node["name"].as_str().unwrap().to_owned(), mesh, primitives.map(primitive).collect())
        };
        nodes.map(node).collect()
    }

    fn close(a: [f64; 3], b: [f64; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
    }

    fn clash(a: usize, b: usize, verdict: Verdict, faces: &[(u32, u32)]) -> Row {
        let mut clash = Clash::new(a, b, verdict);
        clash.faces = faces.iter().map(|&(a, b)| FacePair { a, b }).collect();
        Row::new(clash)
    }

    /// Four bolts with the same mesh. Two of them clash, with different faces.
    fn bolts() -> Findings {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
        let mut assembly = Assembly::default();
        assembly.meshes = vec![Arc::new(mesh)];
        for number in 0..4 {
            let turn = DMat3::from_rotation_z(f64::from(number) * 0.3);
            let pose = Pose::new(turn, DVec3::X * 5.0 * f64::from(number)).unwrap();
            assembly.parts.push(AssemblyPart::new(format!("bolt {number}"), 0, pose));
        }
        let rows = vec![
            clash(0, 2, Verdict::Touching, &[(1, 0), (3, 0), (1, 2)]),
            clash(0, 2, Verdict::Penetrating, &[(3, 0)]),
        ];
        Findings::new(assembly, rows)
    }

    #[test]
    fn instances_of_one_mesh_have_colours_of_their_own() {
        let bytes = written(&bolts());
        let seen = seen(&json(&bytes));
        let count = |part: usize, color: [u8; 3]| -> u64 {
            let primitives = seen[part].2.iter();
            primitives.filter(|it| close(it.0, linear(color))).map(|it| it.1).sum()
        };
        let grey = [BASE[0], BASE[1], BASE[2]];
        let (touching, penetrating) = (color_of(Verdict::Touching), color_of(Verdict::Penetrating));
        // In bolt 0, face 1 touches and face 3 penetrates (which is worse than touching); in bolt 2, faces 2
        // and 0.
        let counts = |part| [grey, touching, penetrating].map(|color| count(part, color));
        assert_eq!([0, 1, 2, 3].map(counts), [[2, 1, 1], [4, 0, 0], [2, 1, 1], [4, 0, 0]]);
        // Parts without a clash share their mesh.
        assert_eq!(seen[1].1, seen[3].1);
        assert!(seen[0].1 != seen[2].1 && seen[0].1 != seen[1].1);
        assert_eq!(bytes, written(&bolts()));
    }

    /// Checks the faces themselves, not only their number.
    #[test]
    fn the_right_faces_are_in_colour() {
        let findings = bolts();
        let bytes = written(&findings);
        let json = json(&bytes);
        let bin = 20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize + 8;
        let faces = |part: usize, color: [u8; 3]| -> Vec<[u32; 3]> {
            let mesh = json["nodes"][part]["mesh"].as_u64().unwrap() as usize;
            let primitives = json["meshes"][mesh]["primitives"].as_array().unwrap().iter();
            let mut faces = Vec::new();
            for it in primitives {
                let at = |what: &str| it[what].as_u64().unwrap() as usize;
                let factor =
                    &json["materials"][at("material")]["pbrMetallicRoughness"]["baseColorFactor"];
                if !close([0, 1, 2].map(|it| factor[it].as_f64().unwrap()), linear(color)) {
                    continue;
                }
                let accessor = &json["accessors"][at("indices")];
                let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
                let offset = |of: &Value| of["byteOffset"].as_u64().unwrap_or(0) as usize;
                let start = bin + offset(view) + offset(accessor);
                let count = accessor["count"].as_u64().unwrap() as usize;
                let words = bytes[start..start + count * 4].chunks(4);
                let words: Vec<u32> =
                    words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
                faces.extend(words.chunks(3).map(|face| [face[0], face[1], face[2]]));
            }
            faces
        };
        let mesh = findings.assembly.mesh(0);
        assert_eq!(faces(0, color_of(Verdict::Touching)), [mesh.faces()[1]]);
        assert_eq!(faces(0, color_of(Verdict::Penetrating)), [mesh.faces()[3]]);
        assert_eq!(faces(2, color_of(Verdict::Touching)), [mesh.faces()[2]]);
        assert_eq!(faces(2, color_of(Verdict::Penetrating)), [mesh.faces()[0]]);
    }

    #[test]
    fn the_gearbox_comes_back_as_it_was() {
        let findings = samples::gearbox();
        let bytes = written(&findings);
        let back =
            impinge_io::assembly::read(&bytes, Path::new("out.glb"), &LoadOptions::default())
                .unwrap();
        let names = |assembly: &Assembly| -> Vec<String> {
            assembly.parts.iter().map(|part| part.name.clone()).collect()
        };
        assert_eq!(names(&back), names(&findings.assembly));
        assert_eq!(back.face_count(), findings.assembly.face_count());
        let colored: u64 = seen(&json(&bytes))
            .iter()
            .flat_map(|node| &node.2)
            .filter(|it| !close(it.0, linear([BASE[0], BASE[1], BASE[2]])))
            .map(|it| it.1)
            .sum();
        assert_eq!(colored as usize, paint(&findings).faces.len());
        assert!(colored > 10);
    }
}

//! Writes a model as a GLB file.

mod document;
mod painted;

pub use painted::{Color, Paint, save_painted, write_painted};

use crate::model::{Model, ModelPart};
use document::{Accessor, Attributes, Document, MeshFields, Node, Primitive};
use glam::{DAffine3, DVec3};
use impinge::Mesh;
use std::{
    collections::HashMap,
    io::{BufWriter, Error, ErrorKind, Result, Write},
    ops::Range,
};

const F32: u32 = 5126;
const U32: u32 = 5125;
/// The number of bytes of a position, and of a face.
const TRIPLE: u64 = 12;

/// Writes a model as GLB: one node per part, one mesh per distinct set of faces.
///
/// Positions are rounded to single precision, the only one that glTF has. A coordinate beyond its range, or a transform that
/// is not finite, is an error of the kind `InvalidData`. Parts that use different faces of one mesh share its positions. A
/// part without faces becomes a node without a mesh.
pub(crate) fn write(model: &Model, out: &mut dyn Write) -> Result<()> {
    let layout = Layout::new(model)?;
    write_container(&layout.document, out, |out| {
        layout.pools.iter().try_for_each(|mesh| write_positions(out, mesh))?;
        for (mesh, faces) in &layout.runs {
            for run in *faces {
                for face in &mesh.faces()[run.start as usize..run.end as usize] {
                    words(out, face)?;
                }
            }
        }
        Ok(())
    })
}

/// Writes a document, and its binary chunk if it has one.
fn write_container(
    document: &Document<'_>,
    out: &mut dyn Write,
    content: impl FnOnce(&mut BufWriter<&mut dyn Write>) -> Result<()>,
) -> Result<()> {
    let mut json = serde_json::to_vec(document)?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let bin = document.bin_length();
    let bin_chunk = if bin == 0 { 0 } else { 8 + bin };
    let length = 12 + 8 + json.len() as u64 + bin_chunk;
    let Ok(length) = u32::try_from(length) else {
        return Err(invalid(format!("the model takes {length} bytes; a GLB ends at 4 GiB")));
    };

    let mut out = BufWriter::new(out);
    out.write_all(b"glTF")?;
    words(&mut out, &[2, length, json.len() as u32])?;
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    if bin > 0 {
        words(&mut out, &[bin as u32])?;
        out.write_all(b"BIN\0")?;
        content(&mut out)?;
    }
    out.flush()
}

fn write_positions(out: &mut impl Write, mesh: &Mesh) -> Result<()> {
    let positions = mesh.positions().iter();
    positions.copied().try_for_each(|position| words(out, &single(position).map(f32::to_bits)))
}

fn words(out: &mut impl Write, words: &[u32]) -> Result<()> {
    words.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))
}

fn single(position: DVec3) -> [f32; 3] {
    position.to_array().map(|coordinate| coordinate as f32)
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidData, message)
}

/// The layout of the binary chunk: all positions, mesh by mesh, then all faces, range by range.
struct Layout<'a> {
    document: Document<'a>,
    /// The meshes whose positions are written.
    pools: Vec<&'a Mesh>,
    /// The faces that are written.
    runs: Vec<(&'a Mesh, &'a [Range<u32>])>,
}

impl<'a> Layout<'a> {
    fn new(model: &'a Model) -> Result<Self> {
        let count = model.parts.len();
        let document = Document::new((0..count).collect(), Vec::with_capacity(count));
        let mut layout = Self { document, pools: Vec::new(), runs: Vec::new() };
        layout.add_parts(model)?;
        Ok(layout)
    }

    fn add_parts(&mut self, model: &'a Model) -> Result<()> {
        let (mut pools, mut runs) = (HashMap::new(), HashMap::new());
        let (mut position_bytes, mut face_bytes) = (0, 0);
        for part in &model.parts {
            let shown = shown_mesh(model, part)?;
            let mut mesh = None;
            if part.face_count() > 0 {
                let key = (part.mesh, &*part.faces);
                mesh = runs.get(&key).copied();
                if mesh.is_none() {
                    let position = match pools.get(&part.mesh) {
                        Some(&accessor) => accessor,
                        None => {
                            let accessor = positions(part.mesh, shown, position_bytes)?;
                            let accessor = self.document.add(accessor);
                            position_bytes += shown.positions().len() as u64 * TRIPLE;
                            self.pools.push(shown);
                            pools.insert(part.mesh, accessor);
                            accessor
                        }
                    };
                    let indices = self.document.add(faces(part.face_count(), face_bytes));
                    face_bytes += part.face_count() * TRIPLE;
                    self.runs.push((shown, &part.faces));
                    let attributes = Attributes { position };
                    let primitive = Primitive { attributes, indices, mode: 4, material: None };
                    self.document.meshes.push(MeshFields { primitives: vec![primitive] });
                    let number = self.document.meshes.len() - 1;
                    runs.insert(key, number);
                    mesh = Some(number);
                }
            }
            let matrix = matrix(&part.name, &part.transform)?;
            let children = Vec::new();
            self.document.nodes.push(Node { name: &part.name, mesh, matrix, children });
        }
        self.document.add_views(position_bytes, face_bytes);
        Ok(())
    }
}

/// Returns the mesh of a part, after checking that it has the faces of the part.
fn shown_mesh<'a>(model: &'a Model, part: &ModelPart) -> Result<&'a Mesh> {
    let has = |mesh: &Mesh, run: &Range<u32>| {
        run.start <= run.end && run.end as usize <= mesh.faces().len()
    };
    match model.meshes.get(part.mesh) {
        Some(mesh) if part.faces.iter().all(|run| has(mesh, run)) => Ok(mesh),
        _ => {
            let name = &part.name;
            Err(invalid(format!("part `{name}` shows faces that the model does not have")))
        }
    }
}

/// Returns the accessor for the positions of a mesh, with the bounds that glTF requires.
fn positions(number: usize, mesh: &Mesh, byte_offset: u64) -> Result<Accessor> {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for (vertex, &position) in mesh.positions().iter().enumerate() {
        for (axis, coordinate) in single(position).into_iter().enumerate() {
            if !coordinate.is_finite() {
                return Err(invalid(format!(
                    "vertex {vertex} of mesh {number} has the coordinate {:e}, beyond the \
                     single-precision numbers of glTF (±3.4e38)",
                    position[axis]
                )));
            }
            min[axis] = min[axis].min(coordinate);
            max[axis] = max[axis].max(coordinate);
        }
    }
    Ok(Accessor {
        buffer_view: 0,
        byte_offset,
        component_type: F32,
        count: mesh.positions().len() as u64,
        shape: "VEC3",
        min: Some(min.map(f64::from)),
        max: Some(max.map(f64::from)),
    })
}

fn faces(count: u64, byte_offset: u64) -> Accessor {
    Accessor {
        buffer_view: 1,
        byte_offset,
        component_type: U32,
        count: count * 3,
        shape: "SCALAR",
        min: None,
        max: None,
    }
}

/// Returns the transform of a part, column by column; `None` for the identity.
fn matrix(name: &str, transform: &DAffine3) -> Result<Option<[f64; 16]>> {
    if !transform.is_finite() {
        return Err(invalid(format!("the transform of part `{name}` is not finite")));
    }
    if *transform == DAffine3::IDENTITY {
        return Ok(None);
    }
    let [x, y, z] = transform.matrix3.to_cols_array_2d();
    let w = transform.translation;
    Ok(Some([
        x[0], x[1], x[2], 0.0, y[0], y[1], y[2], 0.0, z[0], z[1], z[2], 0.0, w.x, w.y, w.z, 1.0,
    ]))
}

#[cfg(test)]
mod tests {
    use super::{
        document::{ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER},
        *,
    };
    use std::sync::Arc;

    fn part(name: &str, mesh: usize, faces: &[(u32, u32)], transform: DAffine3) -> ModelPart {
        let faces = faces.iter().map(|&(start, end)| start..end).collect();
        ModelPart { name: name.into(), mesh, faces, transform }
    }

    fn sample() -> Model {
        let corners = |count: u32| {
            let at = |i: u32| DVec3::new(f64::from(i) * 0.1, f64::from(i % 2), -f64::from(i) / 3.0);
            (0..count).map(at).collect::<Vec<_>>()
        };
        let strip = |count: u32| (0..count).map(|i| [i, i + 1, i + 2]).collect::<Vec<_>>();
        let meshes = [(9, 7), (4, 2), (3, 1)]
            .map(|(vertices, faces)| Arc::new(Mesh::new(corners(vertices), strip(faces)).unwrap()));
        let turned = DAffine3::from_axis_angle(DVec3::ONE.normalize(), 1.0);
        let skewed = DAffine3::from_cols_array(&[1., 2., 3., 0., -1., 0.5, 0., 0., 2., 7., 8., 9.]);
        let parts = vec![
            part("all \"quoted\" é", 0, &[(0, 7)], DAffine3::IDENTITY),
            part("some", 0, &[(0, 2), (5, 7)], turned),
            part("again", 0, &[(0, 7)], skewed),
            part("", 1, &[(0, 2)], DAffine3::from_translation(DVec3::X)),
            part("nothing", 1, &[], DAffine3::IDENTITY),
        ];
        Model { meshes: meshes.into(), parts }
    }

    fn written(model: &Model) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(model, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn written_models_are_read_back() {
        let model = sample();
        let back = crate::gltf::read(&written(&model), None).unwrap();
        let names: Vec<_> = back.parts.iter().map(|part| &*part.name).collect();
        assert_eq!(names, ["all \"quoted\" é", "some", "again", "node 3"]);
        let meshes: Vec<_> = back.parts.iter().map(|part| part.mesh).collect();
        assert_eq!(meshes, [0, 1, 0, 2]);
        for (part, was) in back.parts.iter().zip(&model.parts) {
            let mesh = &model.meshes[was.mesh];
            let faces = was.faces.iter().cloned().flatten();
            let expected: Vec<_> = faces.map(|face| mesh.triangle(face)).collect();
            let found: Vec<_> = back.meshes[part.mesh].triangles().collect();
            let rounded = |corner: DVec3| DVec3::from_array(single(corner).map(f64::from));
            assert_eq!(found, expected.iter().map(|t| t.map(rounded)).collect::<Vec<_>>());
            // Equal up to rounding: the JSON parser may be off by one in the last place.
            assert!(part.transform.abs_diff_eq(was.transform, 1e-14), "{}", part.name);
        }
    }

    #[test]
    fn the_container_conforms_to_gltf() {
        let bytes = written(&sample());
        let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        assert_eq!((word(4), word(8) as usize), (2, bytes.len()));
        let json_length = word(12) as usize;
        assert_eq!((json_length % 4, &bytes[16..20]), (0, &b"JSON"[..]));
        let bin = 20 + json_length;
        assert_eq!(
            (bin + 8 + word(bin) as usize, &bytes[bin + 4..bin + 8]),
            (bytes.len(), &b"BIN\0"[..])
        );

        let json: serde_json::Value = serde_json::from_slice(&bytes[20..bin]).unwrap();
        // No part uses the third mesh; the first becomes two glTF meshes that share its positions.
        assert_eq!(json["meshes"].as_array().unwrap().len(), 3);
        assert_eq!(json["accessors"].as_array().unwrap().len(), 5);
        let position =
            |mesh: usize| &json["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"];
        assert_eq!(position(0), position(1));
        assert_eq!(json["accessors"][0]["count"], 9);
        assert_eq!(json["accessors"][0]["min"][2], f64::from(-(8.0f64 / 3.0) as f32));
        assert_eq!(json["accessors"][0]["max"][1], 1.0);
        assert_eq!(json["bufferViews"][0]["target"], ARRAY_BUFFER);
        assert_eq!(json["bufferViews"][1]["target"], ELEMENT_ARRAY_BUFFER);
        assert_eq!(json["buffers"][0]["byteLength"], word(bin));
        assert!(json["nodes"][0].get("matrix").is_none());
        assert!(json["nodes"][4].get("mesh").is_none());
        assert_eq!(json["nodes"][3]["matrix"][12], 1.0);
    }

    #[test]
    fn invalid_models_are_refused_before_anything_is_written() {
        let fails = |model: &Model| {
            let mut bytes = Vec::new();
            let error = write(model, &mut bytes).unwrap_err();
            assert_eq!((error.kind(), bytes.len()), (ErrorKind::InvalidData, 0));
            error.to_string()
        };
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, -1e39, 0.0)];
        let large = Model::from_mesh("large", Mesh::new(corners, vec![[0, 1, 2]]).unwrap());
        let message = fails(&large);
        assert!(message.starts_with("vertex 2 of mesh 0 has the coordinate -1e39"), "{message}");
        let mut lost = sample();
        lost.parts[1].transform.translation.y = f64::NAN;
        assert!(fails(&lost).contains("`some`"));
        for (mesh, faces) in [(3, (0, 1)), (0, (0, 8)), (0, (2, 1))] {
            let mut wrong = sample();
            wrong.parts[2] = part("wrong", mesh, &[faces], DAffine3::IDENTITY);
            assert!(fails(&wrong).contains("`wrong` shows faces"));
        }
    }

    #[test]
    fn an_empty_model_is_a_file_without_data() {
        let bytes = written(&Model::default());
        assert_eq!(bytes.len() % 4, 0);
        let json: serde_json::Value = serde_json::from_slice(&bytes[20..]).unwrap();
        assert_eq!(json["scenes"], serde_json::json!([{}]));
        assert!(json.get("buffers").is_none());
    }
}

//! Tests of `impinge inspect` on broken files of every format: exit code 2 and one message that names the
//! file, quickly and with little memory.

use crate::common::{Folder, Run, impinge};
use serde_json::{Value, json};
use std::time::Duration;

/// A file name, whose extension is the format, and its contents.
type Case = (&'static str, Vec<u8>);

const AT_ONCE: Duration = Duration::from_secs(2);

fn all_refused(cases: impl IntoIterator<Item = Case>) {
    let folder = Folder::new();
    let mut faults = Vec::new();
    for (name, bytes) in cases {
        let file = folder.write(name, bytes);
        let run = Run::in_little_memory(["inspect", &file]).within(AT_ONCE).finish();
        faults.extend(run.refusal_fault(&[&file]).map(|fault| format!("{name}: {fault}")));
        std::fs::remove_file(file).expect("the file was just written");
    }
    assert!(faults.is_empty(), "{} wrong:\n{}", faults.len(), faults.join("\n"));
}

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const OFF: &str = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                   vertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                   property float z\nelement face 1\nproperty list uchar int vertex_indices\n\
                   end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

/// A binary STL file with one facet whose header says `count`.
fn stl(count: u32) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(count.to_le_bytes());
    for number in [0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0_f32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0; 2]);
    bytes
}

/// A binary PLY file with one face whose header has other counts; list lengths are `uint`.
fn ply(vertices: &str, faces: &str, corners: u32) -> Vec<u8> {
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\n\
         property float y\nproperty float z\nelement face {faces}\n\
         property list uint uint vertex_indices\nend_header\n"
    );
    let mut bytes = header.into_bytes();
    for number in [0., 0., 0., 1., 0., 0., 0., 1., 0_f32] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [corners, 0, 1, 2] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

/// The JSON of a GLB file with one triangle, for modification.
fn document() -> Value {
    json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12},
        ],
        "buffers": [{"byteLength": 48}],
    })
}

fn glb(document: &Value) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = Vec::new();
    for number in [0., 0., 0., 1., 0., 0., 0., 1., 0_f32] {
        binary.extend(number.to_le_bytes());
    }
    for index in [0, 1, 2_u32] {
        binary.extend(index.to_le_bytes());
    }
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + text.len() as u32 + 48).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend(48_u32.to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

/// A GLB file whose JSON has another value at one place.
fn bent(place: &str, value: Value) -> Vec<u8> {
    let mut document = document();
    *document.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
    glb(&document)
}

fn edited(text: &str, from: &str, to: &str) -> Vec<u8> {
    assert!(text.contains(from), "{from:?} is not in {text:?}");
    text.replacen(from, to, 1).into_bytes()
}

/// The files before modification are valid; otherwise the broken ones would prove nothing.
#[test]
fn the_unbroken_files_are_read() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.obj", format!("{OBJ}f 1 2 3\n").into_bytes()),
        ("a.off", OFF.into()),
        ("text.stl", STL.into()),
        ("binary.stl", stl(1)),
        ("text.ply", PLY.into()),
        ("binary.ply", ply("3", "1", 3)),
        ("a.glb", glb(&document())),
    ] {
        let file = folder.write(name, bytes);
        let report = impinge(["inspect", "--json", &file]).succeeds().json();
        assert_eq!(
            (&report["faces"], &report["distinct_positions"]),
            (&json!(1), &json!(3)),
            "{name}"
        );
    }
}

#[test]
fn broken_obj_stl_ply_off() {
    let obj = |face: &str| format!("{OBJ}{face}\n").into_bytes();
    all_refused([
        ("empty.obj", vec![]),
        ("no faces.obj", OBJ.into()),
        ("out of range.obj", obj("f 1 2 4")),
        ("index 0.obj", obj("f 0 1 2")),
        ("before the first.obj", obj("f -4 1 2")),
        ("huge index.obj", obj("f 1 2 99999999999999999999")),
        ("two corners.obj", obj("f 1 2")),
        ("a word.obj", obj("f one two three")),
        ("truncated.obj", b"v 0 0 0\nv 1 0\nf 1 2".to_vec()),
        ("NaN.obj", edited(OBJ, "v 1", "v nan")),
        ("infinity.obj", edited(OBJ, "v 1", "v inf")),
        ("too far.obj", edited(OBJ, "v 1", "v 1e101")),
        ("UTF-16.obj", OBJ.bytes().flat_map(|byte| [byte, 0]).collect()),
        ("Latin-1.obj", [obj("f 1 2 3"), b"# caf\xE9".to_vec()].concat()),
        ("noise.obj", (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()),
        ("empty.off", vec![]),
        ("only a header.off", b"OFF\n".to_vec()),
        ("truncated.off", OFF.as_bytes()[..OFF.len() - 5].into()),
        ("out of range.off", edited(OFF, "3 0 1 2", "3 0 1 3")),
        ("negative.off", edited(OFF, "3 0 1 2", "3 0 1 -2")),
        ("infinity.off", edited(OFF, "1 0 0", "inf 0 0")),
        ("too many faces.off", edited(OFF, "3 1 0", "3 2 0")),
        ("really an OBJ.off", obj("f 1 2 3")),
        ("empty.stl", vec![]),
        ("no facets.stl", b"solid a\nendsolid a\n".to_vec()),
        ("truncated text.stl", STL.as_bytes()[..70].into()),
        ("a word.stl", edited(STL, "vertex 1 0 0", "vertex one 0 0")),
        ("NaN.stl", edited(STL, "vertex 1 0 0", "vertex NaN 0 0")),
        ("truncated.stl", stl(1)[..120].into()),
        ("count of 0.stl", stl(0)),
        ("count of 2.stl", stl(2)),
        ("binary NaN.stl", {
            let mut bytes = stl(1);
            bytes[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
            bytes
        }),
        ("empty.ply", vec![]),
        ("only a header.ply", b"ply\nformat ascii 1.0\n".to_vec()),
        ("truncated text.ply", PLY.as_bytes()[..PLY.len() - 4].into()),
        ("truncated.ply", ply("3", "1", 3)[..200].into()),
        ("unknown order.ply", edited(PLY, "ascii", "binary_middle_endian")),
        ("unknown type.ply", edited(PLY, "float x", "quaternion x")),
        ("no x.ply", edited(PLY, "float x", "float u")),
        ("out of range.ply", edited(PLY, "3 0 1 2", "3 0 1 3")),
        ("negative.ply", edited(PLY, "3 0 1 2", "3 0 1 -1")),
        ("negative count.ply", edited(PLY, "element vertex 3", "element vertex -3")),
    ]);
}

#[test]
fn broken_gltf() {
    let text = |document: &Value| document.to_string().into_bytes();
    let with_uri = |uri: &str| {
        let mut document = document();
        document["buffers"][0]["uri"] = uri.into();
        text(&document)
    };
    let cut = |bytes: usize| glb(&document())[..bytes].to_vec();
    all_refused([
        ("empty.glb", vec![]),
        ("only the magic.glb", cut(4)),
        ("only a header.glb", cut(12)),
        ("truncated.glb", cut(400)),
        ("an older version.glb", edited_bytes(glb(&document()), 4, 1)),
        ("noise for JSON.glb", edited_bytes(glb(&document()), 20, 0xFF)),
        ("out of range index.glb", {
            let mut bytes = glb(&document());
            let end = bytes.len();
            bytes[end - 4] = 3;
            bytes
        }),
        ("NaN.glb", {
            let mut bytes = glb(&document());
            let end = bytes.len();
            bytes[end - 48..end - 44].copy_from_slice(&f32::NAN.to_le_bytes());
            bytes
        }),
        ("no such accessor.glb", bent("/meshes/0/primitives/0/indices", json!(9))),
        ("positions that are scalars.glb", bent("/accessors/0/type", json!("SCALAR"))),
        ("positions that are nothing.glb", bent("/accessors/0/componentType", json!(9999))),
        ("indices that are floats.glb", bent("/accessors/1/componentType", json!(5126))),
        ("a view out of the buffer.glb", bent("/bufferViews/1/byteOffset", json!(40))),
        ("its own child.glb", bent("/nodes/0", json!({"mesh": 0, "children": [0]}))),
        (
            "a ring of nodes.glb",
            bent("/nodes", json!([{"mesh": 0, "children": [1]}, {"children": [0]}])),
        ),
        ("infinite scale.glb", bent("/nodes/0", json!({"mesh": 0, "scale": [1e300, 1, 1]}))),
        ("no such scene.glb", bent("/scene", json!(7))),
        ("empty.gltf", vec![]),
        ("half.gltf", text(&document())[..300].into()),
        ("a list.gltf", b"[]".to_vec()),
        ("no asset.gltf", b"{}".to_vec()),
        ("outside.gltf", with_uri("../../etc/passwd")),
        ("absolute.gltf", with_uri("/etc/passwd")),
        ("file scheme.gltf", with_uri("file:///etc/passwd")),
        ("network.gltf", with_uri("https://example.org/a.bin")),
        ("missing buffer.gltf", with_uri("missing.bin")),
        ("bad base64.gltf", with_uri("data:application/octet-stream;base64,!!!!")),
        ("short data.gltf", with_uri("data:application/octet-stream;base64,AAAA")),
        ("draco.gltf", {
            let mut document = document();
            document["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
            text(&document)
        }),
    ]);
}

fn edited_bytes(mut bytes: Vec<u8>, at: usize, value: u8) -> Vec<u8> {
    bytes[at] = value;
    bytes
}

/// Counts that would need too much memory are rejected.
#[test]
fn false_counts_take_no_memory() {
    let huge = 4_000_000_000_u32;
    let no_properties = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n\
        property float y\nproperty float z\nelement nothing 4000000000\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n";
    let sparse = json!({"count": 3, "componentType": 5126, "type": "VEC3", "sparse": {
        "count": huge,
        "indices": {"bufferView": 1, "componentType": 5125},
        "values": {"bufferView": 0}}});
    all_refused([
        ("4e9 facets.stl", stl(huge)),
        ("every bit set.stl", stl(u32::MAX)),
        ("4e9 vertices.ply", ply("4000000000", "1", 3)),
        ("4e9 faces.ply", ply("3", "4000000000", 3)),
        ("4e9 corners.ply", ply("3", "1", huge)),
        ("1e19 vertices.ply", ply("10000000000000000000", "1", 3)),
        ("1e30 faces.ply", ply("3", "1000000000000000000000000000000", 3)),
        ("4e9 vertices in text.ply", edited(PLY, "vertex 3", "vertex 4000000000")),
        ("4e9 faces in text.ply", edited(PLY, "face 1", "face 4000000000")),
        ("4e9 of nothing.ply", no_properties.into()),
        ("4e9 vertices.off", edited(OFF, "3 1 0", "4000000000 1 0")),
        ("4e9 faces.off", edited(OFF, "3 1 0", "3 4000000000 0")),
        ("4e9 corners.off", edited(OFF, "3 0 1 2", "4000000000 0 1 2")),
        ("1e19 vertices.off", edited(OFF, "3 1 0", "10000000000000000000 1 0")),
        ("4e9 positions.glb", bent("/accessors/0/count", json!(huge))),
        ("4e9 indices.glb", bent("/accessors/1/count", json!(huge))),
        ("1e19 indices.glb", bent("/accessors/1/count", json!(10_000_000_000_000_000_000_u64))),
        ("4e9 bytes of buffer.glb", bent("/buffers/0/byteLength", json!(huge))),
        ("4e9 bytes of view.glb", bent("/bufferViews/0/byteLength", json!(huge))),
        ("4e9 sparse values.glb", bent("/accessors/0", sparse)),
        ("4e9 zeros without indices.glb", {
            let mut document = document();
            document["accessors"][0] = zeros();
            document["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": 0}});
            glb(&document)
        }),
        ("a header's length.glb", {
            let mut bytes = glb(&document());
            bytes[8..12].copy_from_slice(&huge.to_le_bytes());
            bytes
        }),
        ("a chunk's length.glb", {
            let mut bytes = glb(&document());
            bytes[12..16].copy_from_slice(&huge.to_le_bytes());
            bytes
        }),
    ]);
}

/// Positions that need no bytes of the file: without a buffer, all are zero.
fn zeros() -> Value {
    json!({"count": 4_000_000_000_u32, "componentType": 5126, "type": "VEC3"})
}

/// This is allowed, and three indices use only three positions.
#[test]
fn only_used_vertices_of_four_billion_are_read() {
    let folder = Folder::new();
    let file = folder.write("zeros.glb", bent("/accessors/0", zeros()));
    let run = Run::in_little_memory(["inspect", "--json", &file]).within(AT_ONCE).finish();
    let report = run.succeeds().json();
    assert_eq!((&report["vertices"], &report["degenerate_faces"]), (&json!(3), &json!(1)));
}

/// Large files of simple content: long lines, deep nesting, only line ends.
#[test]
fn large_nonsense_is_refused_at_once() {
    let size = 4_000_000;
    let extensions: [[&str; 6]; 4] = [
        [
            "brackets.obj",
            "brackets.stl",
            "brackets.ply",
            "brackets.off",
            "brackets.gltf",
            "brackets.glb",
        ],
        ["lines.obj", "lines.stl", "lines.ply", "lines.off", "lines.gltf", "lines.glb"],
        ["zeros.obj", "zeros.stl", "zeros.ply", "zeros.off", "zeros.gltf", "zeros.glb"],
        ["word.obj", "word.stl", "word.ply", "word.off", "word.gltf", "word.glb"],
    ];
    let mut cases: Vec<Case> = Vec::new();
    for (names, byte) in extensions.into_iter().zip([b'[', b'\n', 0, b'a']) {
        cases.extend(names.map(|name| (name, vec![byte; size])));
    }
    let nested = b"{\"asset\":".repeat(size / 10);
    let chain = (0..100_000).map(|i| json!({"children": [i + 1]})).chain([json!({})]);
    cases.extend([
        ("nested objects.gltf", nested),
        ("a face of many corners.obj", [b"f".to_vec(), b" 1".repeat(size / 2)].concat()),
        ("a line continued.obj", b"f 1 \\\n".repeat(size / 6)),
        ("solid.stl", b"solid\n".repeat(size / 6)),
        ("a chain of nodes.glb", bent("/nodes", chain.collect())),
    ]);
    all_refused(cases);
}

/// A sparse file of 8 GB.
#[test]
#[cfg(target_os = "linux")]
fn a_file_larger_than_the_memory_is_refused() {
    let folder = Folder::new();
    for name in ["large.stl", "large.obj", "large.glb"] {
        let file = folder.at(name);
        std::fs::File::create(&file).unwrap().set_len(8 << 30).unwrap();
        let run = Run::in_little_memory(["inspect", &file]).within(AT_ONCE).finish();
        run.refuses(&[&file]);
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn missing_and_special_files_are_rejected() {
    let folder = Folder::new();
    impinge(["inspect", &folder.at("none.stl")]).refuses(&["none.stl"]);
    impinge(["inspect", folder.path().to_str().unwrap()]).refuses(&["folder"]);
    impinge(["inspect", &folder.write("a.step", "ISO-10303-21;")])
        .refuses(&["a.step", "ends early"]);
    impinge(["inspect", &folder.write("mesh", OBJ)]).refuses(&["mesh", ".obj"]);
    #[cfg(unix)]
    {
        let link = folder.at("endless.obj");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        impinge(["inspect", &link]).refuses(&["endless.obj"]);
    }
}

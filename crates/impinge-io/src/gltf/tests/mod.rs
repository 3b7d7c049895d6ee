//! Tests of whole files; `refused` holds the invalid ones.

mod refused;

use super::*;
use crate::error::Location;
use glam::DVec3;
use std::{fs, path::PathBuf};

/// The byte offset of the positions in the test data; before it are four indices of each size.
const POSITIONS: usize = 28;

/// A square in z = 0 as the strip 0 1 2 3, with indices of 1, 2 and 4 bytes, then a triangle above it.
fn data() -> Vec<u8> {
    let mut bytes = vec![0, 1, 2, 3];
    bytes.extend([0u16, 1, 2, 3].iter().flat_map(|index| index.to_le_bytes()));
    bytes.extend([0u32, 1, 2, 3].iter().flat_map(|index| index.to_le_bytes()));
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 5], [1, 0, 5], [0, 1, 5]];
    bytes.extend(corners.iter().flatten().flat_map(|&value| (value as f32).to_le_bytes()));
    bytes
}

/// A document over the data. Views: 0 all bytes, 1 the positions. Accessors: 0 the corners of the square, 1 the corners
/// of the triangle, 2, 3 and 4 the indices of the square.
fn document(rest: &str) -> String {
    let length = data().len();
    let positions = length - POSITIONS;
    format!(
        r#"{{"asset": {{"version": "2.0"}},
"buffers": [{{"byteLength": {length}}}],
"bufferViews": [{{"buffer": 0, "byteLength": {length}}},
  {{"buffer": 0, "byteOffset": {POSITIONS}, "byteLength": {positions}, "byteStride": 12}}],
"accessors": [
  {{"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC3"}},
  {{"bufferView": 1, "byteOffset": 48, "componentType": 5126, "count": 3, "type": "VEC3"}},
  {{"bufferView": 0, "componentType": 5121, "count": 4, "type": "SCALAR"}},
  {{"bufferView": 0, "byteOffset": 4, "componentType": 5123, "count": 4, "type": "SCALAR"}},
  {{"bufferView": 0, "byteOffset": 12, "componentType": 5125, "count": 4, "type": "SCALAR"}}],
{rest}}}"#
    )
}

/// A document whose scene shows one mesh with these primitives.
fn showing(primitives: &str) -> String {
    document(&format!(r#""nodes": [{{"mesh": 0}}], "meshes": [{{"primitives": [{primitives}]}}]"#))
}

fn glb(json: &str, data: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + data.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

fn model(json: &str) -> Model {
    read(&glb(json, &data()), None).unwrap_or_else(|fault| panic!("{fault:?}: {json}"))
}

fn shown(fault: &Fault) -> String {
    match &fault.location {
        Location::Json(pointer) => format!("{pointer}: {}", fault.message),
        Location::Byte(byte) => format!("byte {byte}: {}", fault.message),
        Location::Line(line) => format!("line {line}: {}", fault.message),
        Location::File | Location::Character { .. } => fault.message.clone(),
    }
}

fn error(json: &str) -> String {
    shown(&read(&glb(json, &data()), None).expect_err(json))
}

#[track_caller]
fn assert_error(json: &str, expected: &str) {
    let message = error(json);
    assert!(message.contains(expected), "`{message}` for {json}");
}

const SQUARE: &str = r#"{"attributes": {"POSITION": 0}, "indices": 3, "mode": 5}"#;
const TRIANGLE: &str = r#"{"attributes": {"POSITION": 1, "NORMAL": 77}, "material": 3}"#;

#[test]
fn instances_share_a_mesh_and_are_named_after_node_mesh_or_number() {
    let model = model(&document(&format!(
        r#""scene": 0, "scenes": [{{"nodes": [1, 3]}}],
        "materials": [{{}}], "images": [{{"uri": "lost.png"}}],
        "nodes": [{{"mesh": 1}},
            {{"name": "arm", "mesh": 0, "scale": [2, 2, 2], "children": [0, 2]}},
            {{"mesh": 0, "translation": [0, 0, 1], "skin": 0, "camera": 3}}, {{"mesh": 2}}],
        "meshes": [{{"primitives": [{SQUARE}, {TRIANGLE}], "weights": [0.5]}},
            {{"primitives": [{TRIANGLE}], "name": "tip"}},
            {{"primitives": [{SQUARE}, {{"attributes": {{}}, "mode": 0}}, {TRIANGLE}]}}]"#
    )));
    let names: Vec<_> = model.parts.iter().map(|part| (&*part.name, part.mesh)).collect();
    // meshes[2] uses the same accessors as meshes[0], so both become one mesh.
    assert_eq!(names, [("arm", 0), ("tip", 1), ("node 2", 0), ("node 3", 0)]);
    assert_eq!(model.meshes.len(), 2);
    assert_eq!(model.meshes[0].faces(), [[0, 1, 2], [1, 3, 2], [4, 5, 6]]);
    assert_eq!(model.meshes[0].positions()[6], DVec3::new(0.0, 1.0, 5.0));
    assert_eq!(model.parts[2].faces, iter::once(0..3).collect::<Vec<_>>());
    let placed = model.parts[2].transform.transform_point3(DVec3::ONE);
    assert_eq!(placed, DVec3::new(2.0, 2.0, 4.0));
}

#[test]
fn indices_of_every_size_and_none_give_the_same_faces() {
    for mode in [5, 6] {
        let of = |indices: &str| {
            let primitive =
                format!(r#"{{"attributes": {{"POSITION": 0}}, "mode": {mode}{indices}}}"#);
            model(&showing(&primitive)).meshes[0].clone()
        };
        let plain = of("");
        assert_eq!(plain.faces().len(), 2);
        for accessor in 2..5 {
            assert_eq!(of(&format!(r#", "indices": {accessor}"#)), plain, "accessor {accessor}");
        }
    }
}

#[test]
fn points_and_lines_are_ignored_beside_triangles() {
    let line = r#"{"attributes": {"POSITION": 0}, "mode": 1}"#;
    assert_eq!(model(&showing(&format!("{line}, {TRIANGLE}"))).face_count(), 1);
    assert_error(&showing(line), "no triangles");
    assert_error(&document(r#""extras": 0"#), "no triangles");
    assert_error(&showing(""), "no triangles");
    assert_error(&showing(r#"{"attributes": {}}"#), "meshes[0].primitives[0]: it has no POSITION");
    assert_error(&showing(r#"{"attributes": {}, "mode": 9}"#), "meshes[0].primitives[0]: there is");
}

/// The test document with one accessor replaced, used as a triangle list or, for the indices, as a strip.
fn with_accessor(index: usize, fields: &str) -> String {
    let json = showing(if index < 2 { TRIANGLE } else { SQUARE });
    let mut lines: Vec<_> = json.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("\"accessors\"")).unwrap() + 1;
    let line = format!("{{{fields}}},");
    lines[first + index] = &line;
    lines.join("\n")
}

#[test]
fn sparse_accessors_replace_elements_of_a_view_or_of_zeros() {
    // The indices of the patch are the bytes 1 and 2, its values the triangle above the square.
    let sparse = r#""sparse": {"count": 2, "indices": {"bufferView": 0, "byteOffset": 1,
        "componentType": 5121}, "values": {"bufferView": 1, "byteOffset": 48}}"#;
    let fields = r#""componentType": 5126, "count": 3, "type": "VEC3""#;
    let positions = |fields: &str| model(&with_accessor(1, fields)).meshes[0].positions().to_vec();
    let patch = [DVec3::new(0.0, 0.0, 5.0), DVec3::new(1.0, 0.0, 5.0)];
    assert_eq!(positions(&format!("{fields}, {sparse}")), [DVec3::ZERO, patch[0], patch[1]]);
    let over_view = format!(r#"{fields}, {sparse}, "bufferView": 1, "byteOffset": 12"#);
    assert_eq!(positions(&over_view), [DVec3::X, patch[0], patch[1]]);

    for (from, to, expected) in [
        ("\"count\": 2", "\"count\": 4", "accessors[1]: it sets 4 sparse elements, but has 3"),
        ("5121", "5126", "accessors[1]: its sparse indices must be unsigned"),
        ("\"byteOffset\": 1,", "\"byteOffset\": 2,", "accessors[1]: sparse index 1 is 3;"),
        ("\"byteOffset\": 1,", "\"byteOffset\": 3,", "accessors[1]: sparse index 0 is 3;"),
        ("\"byteOffset\": 1,", "\"byteOffset\": 6,", "accessors[1]: sparse index 1 is 0;"),
        ("\"byteOffset\": 48", "\"byteOffset\": 72", "accessors[1]: its 2 elements from byte 72"),
        ("\"bufferView\": 0", "\"bufferView\": 9", "accessors[1]: it uses bufferViews[9]"),
    ] {
        let fields = format!("{fields}, {}", sparse.replace(from, to));
        assert_error(&with_accessor(1, &fields), expected);
    }
    let late = sparse.replace("\"byteOffset\": 1,", "\"byteOffset\": 2,");
    let message = error(&with_accessor(1, &format!("{fields}, {late}")));
    assert!(message.ends_with("below 3, at byte 3 of buffers[0]"), "{message}");
    let mut nan = data();
    nan[POSITIONS + 64..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let bytes = glb(&with_accessor(1, &format!("{fields}, {sparse}")), &nan);
    let message = shown(&read(&bytes, None).unwrap_err());
    assert!(message.starts_with("accessors[1]: vertex 2 has the y coordinate NaN"), "{message}");
    assert!(message.ends_with(", at byte 92 of buffers[0]"), "{message}");
}

#[test]
fn quantised_positions_are_unpacked() {
    let of = |kind: u32, normalized: bool, at: usize| {
        let fields = format!(
            r#""bufferView": 0, "byteOffset": {at}, "componentType": {kind}, "count": 3,
               "type": "VEC3", "normalized": {normalized}"#
        );
        // Elements of a view without a stride are adjacent.
        model(&with_accessor(1, &fields)).meshes[0].positions()[0]
    };
    assert_eq!(of(5121, false, 0), DVec3::new(0.0, 1.0, 2.0));
    assert_eq!(of(5121, true, 0), DVec3::new(0.0, 1.0, 2.0) / 255.0);
    assert_eq!(of(5120, true, 0), DVec3::new(0.0, 1.0, 2.0) / 127.0);
    assert_eq!(of(5123, true, 6), DVec3::new(1.0, 2.0, 3.0) / 65535.0);
    assert_eq!(of(5122, false, 6), DVec3::new(1.0, 2.0, 3.0));
    // 1.0 as bytes is 00 00 80 3F, and 0x80 is −128, which stands for −1.
    assert_eq!(of(5120, true, 41), DVec3::new(0.0, -1.0, 63.0 / 127.0));
    // The data is not aligned, which is allowed here.
    assert_eq!(of(5122, false, 5), DVec3::new(256.0, 512.0, 768.0));
}

#[test]
fn primitives_take_only_the_vertices_they_use_of_a_shared_accessor() {
    // There are seven positions; the strip uses four of them.
    let all = r#""bufferView": 1, "componentType": 5126, "count": 7, "type": "VEC3""#;
    let json = with_accessor(0, all).replace(TRIANGLE, SQUARE);
    let mesh =
        &model(&json.replace(SQUARE, &SQUARE.replace("\"mode\": 5", "\"mode\": 6"))).meshes[0];
    assert_eq!((mesh.positions().len(), mesh.faces()), (4, &[[1, 2, 0], [2, 3, 0]][..]));

    let one = r#"{"attributes": {"POSITION": 0}, "indices": 3}"#;
    let three = json.replace(SQUARE, one).replacen(
        r#""byteOffset": 4, "componentType": 5123, "count": 4"#,
        r#""byteOffset": 6, "componentType": 5123, "count": 3"#,
        1,
    );
    let mesh = &model(&three).meshes[0];
    assert_eq!(mesh.positions(), [DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)]);
    assert_eq!(mesh.faces(), [[0, 1, 2]]);
}

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-gltf-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("inner/sub folder")).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn buffers_lie_in_data_uris_and_in_files_below_the_folder() {
    let folder = Folder::new("buffers");
    let inner = folder.0.join("inner");
    fs::write(inner.join("sub folder/data.bin"), data()).unwrap();
    fs::write(folder.0.join("outside.bin"), data()).unwrap();
    let with = |uri: &str| {
        let uri = format!("[{{\"uri\": \"{uri}\", \"byteLength\": 112");
        showing(SQUARE).replacen("[{\"byteLength\": 112", &uri, 1)
    };
    let read_with = |uri: &str, folder: Option<&Path>| {
        read(with(uri).as_bytes(), folder).map_err(|fault| shown(&fault))
    };
    let expected = model(&showing(SQUARE)).meshes[0].clone();

    let outside = read_with("sub%20folder/data.bin", None).unwrap_err();
    assert!(outside.contains("buffers[0]: its data is in another file"), "{outside}");
    let found = read_with("sub%20folder/data.bin", Some(&inner)).unwrap();
    assert_eq!(found.meshes[0], expected);
    for uri in ["lost.bin", "../outside.bin", "sub%20folder", "http://example.com/data.bin"] {
        let message = read_with(uri, Some(&inner)).unwrap_err();
        assert!(message.starts_with("buffers[0]: "), "{message}");
    }
    let message = read_with("sub%20folder", Some(&inner)).unwrap_err();
    assert_eq!(message, "buffers[0]: `sub%20folder` is a folder, not a file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside.bin", inner.join("link.bin")).unwrap();
        let message = read_with("link.bin", Some(&inner)).unwrap_err();
        assert!(message.contains("outside the folder"), "{message}");
    }

    let base64 = "AAECAwAAAQACAAMAAAAAAAEAAAACAAAAAwAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/\
        AAAAAAAAgD8AAIA/AAAAAAAAAAAAAAAAAACgQAAAgD8AAAAAAACgQAAAAAAAAIA/AACgQA==";
    let embedded = read_with(&format!("data:application/gltf-buffer;base64,{base64}"), None);
    assert_eq!(embedded.unwrap().meshes[0], expected);
    let message = read_with("data:application/octet-stream;base64,AAEC", None).unwrap_err();
    assert!(message.contains("buffers[0]: its byteLength is 112, but it has 3"), "{message}");
    let message = shown(&read(showing(SQUARE).as_bytes(), None).unwrap_err());
    assert!(message.contains("buffers[0]: it has no uri"), "{message}");
}

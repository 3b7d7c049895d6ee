//! Small valid files of every format and variant, for tests that read, damage and mutate them.

use super::file_name;
use impinge::{Mesh, glam::DVec3};
use impinge_io::{Format, Model};

pub(crate) const OBJ: &str = "# a comment\nmtllib a.mtl\no body\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\n\
    v 0 1 0\nv 0.5 0.5 1e0\nvt 0 0\nvn 0 0 1\ng lid\nusemtl red\ns 1\nf 1 2 5\nf 2/1 3/1 5/1\n\
    f -3//1 -2//1 -1//1\nf 1/1/1 \\\n 4/1/1 5/1/1\ng base\nf 4 3 2 1\ng lid\nf 1 5 2\nl 1 2\n";

pub(crate) const OFF: &str = "OFF # header\n5 5 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1e0\n\
    3 0 1 4 255 0 0\n3 1 2 4\n3 2 3 4\n3 3 0 4\n4 3 2 1 0\n";

pub(crate) const COFF: &str = "COFF 4 1\n0 0 0 1 0 0 1\n2 0 0 1 0 0 1\n1 1 0 1 0 0 1\n2 2 0 1 0 0 1\n\
    4 0 1 2 3 0.1 0.2 0.3\n";

/// Numbers spread over lines, as the format allows, with normals.
pub(crate) const NOFF: &str = "NOFF\n4\n2 0 0 0 0\n0 0 1 1 0 0 0 0 1\n1 1 # corner\n0 0 0 1\n\n\
    0 1 0 0 0 1 3 0\n1 2 255 0 0\n3\n0 2 3\n";

pub(crate) const STL: &str = "solid a part\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   \
    vertex 1 0 0\n   vertex 0 1e0 0\n  endloop\n endfacet\n facet normal 0 0 0\n  outer loop\n   \
    vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 0 1\n  endloop\n endfacet\nendsolid a part\n";

pub(crate) const PLY: &str = "ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty float x\n\
    property double y\nproperty float z\nproperty uchar red\nelement face 2\n\
    property list uchar int vertex_indices\nproperty list int float other\nelement edge 1\n\
    property int a\nend_header\n0 0 0 255\n1 0 0 255\n1 1 0 255\n0 1 0 0\n3 0 1 2 0\n\
    4 0 1 2 3 2 0.5 0.5\n7\n";

/// An ESRI ASCII grid with two missing heights.
pub(crate) const ESRI: &str = "ncols 4\nnrows 3\nxllcorner 100\nyllcorner 200.5\ncellsize 10\n\
    NODATA_value -9999\n\n1 2 3 4\n5 -9999\n7.5 8\n9 10 11 12\n";

/// A USGS DEM of three profiles with 3, 150 and 4 samples.
pub(crate) fn usgs_dem() -> Vec<u8> {
    let padded = |text: String| format!("{text:<1024}").into_bytes();
    let start = format!("{:<144}{:6}{:6}{:6}{:6}{:<360}", "a quadrangle", 1, 1, 1, 10, "");
    let units = format!("{:6}{:6}{:6}{:<192}{:<48}{:>24}", 2, 2, 4, "", "", "0.0D+00");
    let steps = format!(
        "{:6}{:>12}{:>12}{:>12}{:6}{:6}",
        1, "0.300000E+02", "0.300000E+02", "0.1E+01", 1, 3
    );
    let mut bytes = padded(format!("{start}{units}{steps}"));
    for (profile, (y, samples)) in [(90, 3), (60, 150), (30, 4)].into_iter().enumerate() {
        let head = format!("{:6}{:6}{samples:6}{:6}", 1, profile + 1, 1);
        let x = format!("0.{}D+03", 100 + 30 * profile);
        let places = format!("{x:>24}{y:>24}{:>24}{:>24}{:>24}", "0.0D0", "0.1D+02", "0.1D+03");
        let heights: Vec<String> = (0..samples)
            .map(|sample| if sample == 2 { "-32767".into() } else { format!("{:6}", 10 + sample) })
            .collect();
        let (here, further) = heights.split_at(samples.min(146));
        bytes.extend(padded(format!("{head}{places}{}", here.concat())));
        if !further.is_empty() {
            bytes.extend(padded(further.concat()));
        }
    }
    bytes.extend(padded(format!("{:6}", 0)));
    bytes
}

/// A DTED file of four columns and three rows; one height is missing.
pub(crate) fn dted() -> Vec<u8> {
    let mut bytes = b"UHL10800000W0430000N030003000200U              000400030".to_vec();
    bytes.resize(3428, b' ');
    for column in 0..4_u8 {
        let mut record = vec![0xAA, 0, 0, column, 0, column, 0, 0, 0, 100, 0x80, column, 0, 102];
        if column == 3 {
            record[8..10].fill(0xFF);
        }
        let sum: u32 = record.iter().map(|&byte| u32::from(byte)).sum();
        record.extend(sum.to_be_bytes());
        bytes.extend(record);
    }
    bytes
}

/// One triangle's 3 × 3 floats and its indices 0, 1, 2 as shorts.
const TRIANGLE: [u8; 44] = {
    let mut bytes = [0; 44];
    let one = 1_f32.to_le_bytes();
    let mut byte = 0;
    while byte < 4 {
        bytes[12 + byte] = one[byte];
        bytes[28 + byte] = one[byte];
        byte += 1;
    }
    (bytes[38], bytes[40]) = (1, 2);
    bytes
};

/// A glTF file with an embedded buffer, a translated node and a mirroring child.
pub(crate) fn gltf() -> String {
    let buffer = base64(&TRIANGLE);
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
 "nodes": [{{"name": "a", "mesh": 0, "translation": [1, 2, 3], "children": [1]}},
  {{"mesh": 0, "scale": [-1, 1, 1], "rotation": [0, 0, 0, 1]}}],
 "meshes": [{{"name": "m", "primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}},
  {{"attributes": {{"POSITION": 0}}, "mode": 5}}]}}],
 "accessors": [
  {{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}},
  {{"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}}],
 "bufferViews": [{{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 6}}],
 "buffers": [{{"byteLength": 44, "uri": "data:application/octet-stream;base64,{buffer}"}}]}}"#
    )
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut block = [0; 4];
        block[1..=chunk.len()].copy_from_slice(chunk);
        let block = u32::from_be_bytes(block);
        for digit in 0..4 {
            let value = (block >> (18 - 6 * digit)) & 63;
            text.push(if digit > chunk.len() { '=' } else { char::from(DIGITS[value as usize]) });
        }
    }
    text
}

/// A robot with every kind of shape and joint that needs no other file.
pub(crate) const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="upper">
    <collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
    <collision name="knob"><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="flange"/>
  <link name="left"><collision><geometry><capsule radius="0.1" length="1"/></geometry></collision></link>
  <link name="right"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 2 0"/><limit lower="0.25" upper="2"/></joint>
  <joint name="wrist" type="fixed"><parent link="upper"/><child link="flange"/><origin xyz="0 0 2" rpy="0 0 1.5707963267948966"/></joint>
  <joint name="grip" type="prismatic"><parent link="flange"/><child link="left"/><axis xyz="1 0 0"/><limit lower="-1" upper="1"/></joint>
  <joint name="mirror" type="prismatic"><parent link="flange"/><child link="right"/><axis xyz="1 0 0"/><mimic joint="grip" multiplier="-2" offset="0.5"/></joint>
</robot>"#;

/// A binary STL file of two facets.
pub(crate) fn binary_stl() -> Vec<u8> {
    let mut bytes = b"binary, but begins with anything".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2_u32.to_le_bytes());
    for facet in 0..2_u8 {
        let values = [0., 0., 1., 0., 0., f32::from(facet), 1., 0., 0., 0., 1., 0.];
        bytes.extend(values.map(f32::to_le_bytes).as_flattened());
        bytes.extend([0; 2]);
    }
    bytes
}

/// A binary PLY file of either byte order.
pub(crate) fn binary_ply(big_endian: bool) -> Vec<u8> {
    let order = if big_endian { "big" } else { "little" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 4\nproperty float x\n\
         property float y\nproperty float z\nelement face 2\n\
         property list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    let number = |mut little: [u8; 4]| {
        if big_endian {
            little.reverse();
        }
        little
    };
    for value in [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0_f32] {
        bytes.extend(number(value.to_le_bytes()));
    }
    for polygon in [&[0, 1, 2][..], &[0, 1, 2, 3]] {
        bytes.push(polygon.len() as u8);
        polygon.iter().for_each(|corner: &i32| bytes.extend(number(corner.to_le_bytes())));
    }
    bytes
}

/// A ring of `n` quads, each split into two triangles.
pub(crate) fn ring(n: u32) -> Mesh {
    let point = |i: u32| {
        let angle = f64::from(i / 2) / f64::from(n) * std::f64::consts::TAU;
        DVec3::new(angle.cos(), angle.sin(), f64::from(i % 2) / 3.0)
    };
    let faces = (0..2 * n).map(|i| [i, (i + 1 + i % 2) % (2 * n), (i + 2 - i % 2) % (2 * n)]);
    Mesh::new((0..2 * n).map(point).collect(), faces.collect()).expect("a ring is a mesh")
}

/// Returns every sample of a format.
pub(crate) fn all(format: Format) -> Vec<Vec<u8>> {
    let by_hand: Vec<Vec<u8>> = match format {
        Format::Obj => vec![OBJ.into(), OBJ.replace('\n', "\r\n").into()],
        Format::Off => vec![OFF.into(), COFF.into(), NOFF.into()],
        Format::Stl => vec![STL.into(), STL.to_uppercase().into(), binary_stl()],
        Format::Ply => vec![PLY.into(), binary_ply(false), binary_ply(true)],
        Format::Gltf => vec![gltf().into()],
        Format::EsriGrid => {
            let degrees = ESRI.replace("xllcorner 100", "xllcenter -80").replace("200.5", "43");
            vec![ESRI.into(), degrees.replace('\n', "\r\n").into()]
        }
        Format::UsgsDem => vec![usgs_dem()],
        Format::Dted => vec![dted()],
        _ => vec![],
    };
    let mut samples = by_hand;
    if format.is_writable() {
        let mut model = Model::from_mesh("ring", ring(12));
        let mut copy = model.parts[0].clone();
        copy.name = "copy".into();
        copy.transform.translation = DVec3::new(0.0, 0.0, 2.0);
        model.parts.push(copy);
        let mut bytes = Vec::new();
        impinge_io::write(&model, format, &mut bytes).expect("a ring can be written");
        samples.push(bytes);
    }
    samples
}

/// Every sample must be valid, or a test of damaged ones proves nothing.
pub(crate) fn assert_good(format: Format) {
    for (number, sample) in all(format).iter().enumerate() {
        if let Err(error) = impinge_io::read(sample, format, &file_name(format)) {
            panic!("sample {number} of {format}: {error}");
        }
    }
}

//! Tests of invalid files: each is refused with the location of the error.

use super::*;

#[test]
fn invalid_accessors_are_refused_by_name() {
    let positions = r#""bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3""#;
    for (from, to, expected) in [
        ("5126", "5125", "accessors[1]: positions must be"),
        ("5126", "5130", "accessors[1]: positions must be"),
        ("VEC3", "VEC2", "accessors[1]: positions must be"),
        ("VEC3", "SCALAR", "accessors[1]: positions must be"),
        ("\"bufferView\": 1", "\"bufferView\": 2", "accessors[1]: it uses bufferViews[2]"),
        ("3", "8", "accessors[1]: its 8 elements from byte 0 on go beyond the 84 bytes"),
        ("3", "4294967295", "accessors[1]: its 4294967295 elements"),
        ("3", "18446744073709551615", "accessors[1]: its count is 18446744073709551615"),
        ("3", "4", "meshes[0].primitives[0]: its 4 corners are no whole number"),
        ("3", "18446744073709551616", "accessors[1]: invalid type"),
        ("3", "-3", "accessors[1]: invalid value"),
        (", \"count\": 3", "", "accessors[1]: missing field `count`"),
        (
            "\"type\"",
            "\"byteOffset\": 18446744073709551615, \"type\"",
            "accessors[1]: its 3 elements",
        ),
    ] {
        let fields = positions.replacen(&format!(": {from}"), &format!(": {to}"), 1);
        let fields = if fields == positions { positions.replacen(from, to, 1) } else { fields };
        assert_error(&with_accessor(1, &fields), expected);
    }
    let indices =
        r#""bufferView": 0, "byteOffset": 4, "componentType": 5123, "count": 4, "type": "SCALAR""#;
    for (from, to, expected) in [
        ("5123", "5122", "accessors[3]: indices must be"),
        ("5123", "5126", "accessors[3]: indices must be"),
        ("SCALAR", "VEC3", "accessors[3]: indices must be"),
        ("SCALAR", "MAT4", "accessors[3]: indices must be"),
        (
            "\"byteOffset\": 4",
            "\"byteOffset\": 5",
            "primitives[0]: index 0 is 256, but its accessors[0] has 4",
        ),
    ] {
        assert_error(&with_accessor(3, &indices.replacen(from, to, 1)), expected);
    }
    for (from, to, expected) in [
        ("\"byteLength\": 84", "\"byteLength\": 85", "bufferViews[1]: its 85 bytes from 28"),
        ("\"byteLength\": 84", "\"byteLength\": 18446744073709551615", "bufferViews[1]: its 1844"),
        ("\"byteStride\": 12", "\"byteStride\": 4", "bufferViews[1]: its byteStride is 4"),
        ("\"byteStride\": 12", "\"byteStride\": 4294967295", "accessors[0]: its 4 elements"),
        ("[{\"byteLength\": 112", "[{\"byteLength\": 113", "buffers[0]: its byteLength is 113"),
        ("[{\"byteLength\": 112}]", "[]", "buffers[0]: there is none"),
        ("\"POSITION\": 0", "\"POSITION\": 5", "accessors[5]: there is none"),
        ("\"indices\": 3", "\"indices\": 5", "accessors[5]: there is none"),
        ("\"mesh\": 0", "\"mesh\": 1", "nodes[0]: it shows meshes[1]"),
        ("\"mesh\": 0", "\"mesh\": 0, \"scale\": [1e101, 1, 1]", "nodes[0]: its mesh, as placed"),
        ("\"mesh\": 0", "\"mesh\": 0, \"translation\": [1, -2e100, 1]", "nodes[0]: its mesh, as"),
    ] {
        let json = showing(SQUARE);
        assert!(json.contains(from), "{from}");
        assert_error(&json.replacen(from, to, 1), expected);
    }
}

#[test]
fn invalid_positions_and_restart_indices_are_refused() {
    let bad = |at: usize, bytes: &[u8], primitive: &str| {
        let mut data = data();
        data[at..at + bytes.len()].copy_from_slice(bytes);
        shown(&read(&glb(&showing(primitive), &data), None).unwrap_err())
    };
    let message = bad(POSITIONS + 52, &f32::NAN.to_le_bytes(), TRIANGLE);
    assert!(message.starts_with("accessors[1]: vertex 0 has the y coordinate NaN"), "{message}");
    assert!(message.ends_with(", at byte 80 of buffers[0]"), "{message}");
    let message = bad(POSITIONS + 12, &f32::NEG_INFINITY.to_le_bytes(), SQUARE);
    assert!(message.starts_with("accessors[0]: vertex 1 has the x coordinate -inf"), "{message}");
    assert!(message.ends_with(", at byte 40 of buffers[0]"), "{message}");
    let message = bad(6, &[255, 255], SQUARE);
    assert!(message.contains("primitives[0]: index 1 is 65535, which restarts"), "{message}");
    assert!(message.ends_with(", at byte 6 of buffers[0]"), "{message}");
    let message = bad(6, &[4, 0], SQUARE);
    assert!(message.contains("primitives[0]: index 1 is 4, but its accessors[0]"), "{message}");
    assert!(message.ends_with(", at byte 6 of buffers[0]"), "{message}");
    // Zeros that no buffer holds have no byte offset.
    let zeros = with_accessor(0, r#""componentType": 5126, "count": 0, "type": "VEC3""#);
    let json = zeros.replace(TRIANGLE, SQUARE).replacen(
        r#""bufferView": 0, "byteOffset": 4, "componentType": 5123"#,
        r#""componentType": 5123"#,
        1,
    );
    assert!(error(&json).ends_with("index 0 is 0, but its accessors[0] has 0 positions"));
}

/// Files that unpack to far more than their size.
#[test]
fn files_that_unpack_to_too_much_are_refused() {
    let zeros = r#""componentType": 5126, "count": 4294967295, "type": "VEC3""#;
    assert_error(&with_accessor(1, zeros), "meshes[0].primitives[0]: unpacked up to here");
    // If only a few of the zeros are used, only those are read.
    let json = with_accessor(0, zeros).replace(TRIANGLE, SQUARE);
    assert_eq!(model(&json).meshes[0].faces().len(), 2);
    assert_eq!(model(&json).meshes[0].positions(), [DVec3::ZERO; 4]);

    let square = format!("{SQUARE},").repeat(50_000) + SQUARE;
    let data_many = [data(), vec![0; 100_000]].concat();
    let many = r#""bufferView": 0, "byteOffset": 112, "componentType": 5121, "count": 99999,
        "type": "SCALAR""#;
    let json = with_accessor(3, many)
        .replace("\"byteLength\": 112", "\"byteLength\": 100112")
        .replace(SQUARE, &square);
    let fault = read(&glb(&json, &data_many), None).unwrap_err();
    assert!(shown(&fault).contains("unpacked up to here"), "{}", shown(&fault));

    let name = "x".repeat(100_000);
    let nodes = vec![r#"{"mesh": 0}"#; 1000].join(",");
    let json = document(&format!(
        r#""nodes": [{nodes}], "meshes": [{{"primitives": [{SQUARE}], "name": "{name}"}}]"#
    ));
    assert_error(&json, "]: unpacked up to here");
}

#[test]
fn versions_and_extensions_that_are_not_understood_are_refused_by_name() {
    let json = showing(SQUARE);
    let version = |text: &str| json.replacen("\"version\": \"2.0\"", text, 1);
    assert_error(&version(r#""version": "1.0""#), "asset.version: glTF version `1.0`");
    assert_error(&version(r#""version": "2.1", "minVersion": "2.1""#), "asset.minVersion: ");
    assert_error(&version(""), "missing field `version`");
    model(&version(r#""version": "2.1", "minVersion": "2.0""#));

    let required = |names: &str| {
        showing(&format!("{SQUARE}]}}], \"extensionsRequired\": [{names}], \"x\": [{{\"y\": ["))
    };
    model(&required(r#""KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization""#));
    for name in [
        "KHR_draco_mesh_compression",
        "EXT_meshopt_compression",
        "KHR_meshopt_compression",
        "ACME_wobble",
    ] {
        let json = required(&format!(r#""KHR_lights_punctual", "{name}""#));
        assert_error(&json, &format!("extensionsRequired: the file needs {name}, which is not"));
    }

    let instanced = r#""mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {}}}"#;
    let instanced = json.replace("\"mesh\": 0", instanced);
    assert_error(&instanced, "nodes[0]: it has EXT_mesh_gpu_instancing, but neither TRANSLATION");

    // Draco beside uncompressed data is accepted, but not Draco alone.
    let draco = r#""extensions": {"KHR_draco_mesh_compression": {"bufferView": 0}}"#;
    let with_draco = SQUARE.replacen('{', &format!("{{{draco}, "), 1);
    model(&showing(&with_draco));
    let bare = with_accessor(0, r#""componentType": 5126, "count": 4, "type": "VEC3""#)
        .replace(TRIANGLE, &with_draco);
    assert_error(&bare, "meshes[0].primitives[0]: the file needs KHR_draco_mesh_compression");
}

#[test]
fn errors_in_the_json_are_given_with_line_and_column() {
    let json = "{\"asset\": {\"version\": \"2.0\"},\n \"nodes\": [{}, {\"mesh\": true}]}";
    let message = shown(&read(json.as_bytes(), None).unwrap_err());
    assert!(message.starts_with("line 2: column 28: nodes[1]: invalid type: boolean"), "{message}");
    let bytes = glb(json, &[]);
    let message = shown(&read(&bytes, None).unwrap_err());
    let at = bytes.windows(5).position(|window| window == b"true}").unwrap() + 3;
    assert!(message.starts_with(&format!("byte {at}: JSON, line 2, column 28: ")), "{message}");

    for bad in
        ["", "{", "[]", "nonsense", "{\"asset\": {\"version\": \"2.0\"}} x", "{\"asset\": 7}"]
    {
        let message = shown(&read(bad.as_bytes(), None).unwrap_err());
        assert!(message.starts_with("line "), "{bad}: {message}");
    }
    for (bad, line) in [("[]", 1), ("\n[7]", 2), ("nonsense", 1), ("\n\n\"x\"", 3)] {
        let message = shown(&read(bad.as_bytes(), None).unwrap_err());
        assert_eq!(message, format!("line {line}: the JSON is not an object"), "{bad}");
    }
    let message = shown(&read(&glb(" []", &[]), None).unwrap_err());
    assert_eq!(message, "byte 21: the JSON is not an object");
    for bad in [
        "{\"asset\": 7}",
        "{\"asset\": []}",
        "{\"asset\": {\"version\": \"2.0\"}, \"meshes\": [[]]}",
    ] {
        let message = shown(&read(bad.as_bytes(), None).unwrap_err());
        assert!(message.ends_with(", expected an object"), "{bad}: {message}");
    }
    let deep = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"x\": {}", "[".repeat(1_000_000));
    assert!(read(deep.as_bytes(), None).is_err());
    let long = format!("{{\"asset\": \"{}\"}}", "x".repeat(10_000));
    assert!(read(long.as_bytes(), None).unwrap_err().message.len() < 1000);
}

/// A truncated or overwritten file gives a model or an error, never a panic.
#[test]
fn damaged_files_are_read_or_refused() {
    let json = document(&format!(
        r#""scenes": [{{"nodes": [0]}}],
        "nodes": [{{"children": [1]}}, {{"mesh": 0, "scale": [1, 2, 3]}}],
        "meshes": [{{"primitives": [{SQUARE}, {TRIANGLE}]}}]"#
    ));
    let good = glb(&json, &data());
    for length in 0..good.len() {
        assert!(read(&good[..length], None).is_err(), "{length} bytes");
    }
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let mut read_well = 0;
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            bytes[at] = match random(3) {
                0 => random(256) as u8,
                1 => b"0123456789-,:{}[]\""[random(18)],
                _ => bytes[random(bytes.len())],
            };
        }
        read_well += usize::from(read(&bytes, None).is_ok());
    }
    assert!(read_well > 1000, "too few damaged files pass the first checks: {read_well}");
}

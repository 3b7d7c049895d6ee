//! Reads PLY: from the header and the values to a mesh.

use super::{
    faces::Faces,
    header::{self, Element, Encoding, Header, Kind, Scalar, shown},
    source::{Ascii, Binary, Boxed, Source},
};
use crate::{error::Fault, model::Model, text};
use glam::DVec3;
use impinge::{Mesh, MeshError, mesh::MAX_COORDINATE};

/// Reads a PLY file as one part called `name`.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Model, Fault> {
    text::check_encoding(bytes)?;
    let header = header::parse(bytes)?;
    let body = header.body;
    // The header and its comments are text in every encoding.
    text::decode(if header.encoding == Encoding::Ascii { bytes } else { &bytes[..body] })?;
    let mesh = match header.encoding {
        Encoding::Ascii => mesh(&header, Ascii::new(bytes, body, header.line)),
        Encoding::LittleEndian => mesh(&header, Binary::<false>::new(bytes, body)),
        Encoding::BigEndian => mesh(&header, Binary::<true>::new(bytes, body)),
    };
    Ok(Model::from_mesh(name, mesh.map_err(|fault| *fault)?))
}

fn mesh<S: Source>(header: &Header<'_>, mut source: S) -> Result<Mesh, Boxed> {
    let vertex_count = match header.elements.iter().find(|element| element.name == b"vertex") {
        None => 0,
        Some(element) => u32::try_from(element.count).map_err(|_| {
            element
                .fault(&format!("is promised {} times; 4294967295 can be numbered", element.count))
        })?,
    };
    let mut positions = None;
    let mut faces = Faces::new(vertex_count);
    // Splitting polygons needs positions, but faces may come before vertices; then they are split at the end.
    let mut waiting = Vec::new();
    for element in &header.elements {
        check_room(element, &source)?;
        match element.name {
            b"vertex" => positions = Some(vertices(element, &mut source)?),
            b"face" | b"tristrips" => match &positions {
                Some(positions) => faces.read(element, &mut source, positions)?,
                None => {
                    waiting.push((element, source.clone()));
                    skip(element, &mut source)?;
                }
            },
            _ => skip(element, &mut source)?,
        }
    }
    source.finish()?;
    let positions = positions.unwrap_or_default();
    for (element, mut source) in waiting {
        faces.read(element, &mut source, &positions)?;
    }
    Mesh::new(positions, faces.into_triangles()).map_err(|error| Fault::from(error).into())
}

/// Compares the counts of the header with the size of the file, before any memory is allocated.
///
/// Every element has at least one property, so after this check the time for an element is bounded by its bytes.
fn check_room<S: Source>(element: &Element<'_>, source: &S) -> Result<(), Boxed> {
    let least: usize =
        element.properties.iter().map(|property| least_width::<S>(property.kind)).sum();
    let needed = element.count.saturating_mul(least as u64);
    let room = source.room();
    if needed <= room as u64 {
        return Ok(());
    }
    let (name, count) = (shown(element.name), element.count);
    let message = format!(
        "the header promises {count} of the element {name}, which take {needed} bytes at least, \
         but there are {room} left"
    );
    Err(S::fault(source.place(), message))
}

pub(super) fn least_width<S: Source>(kind: Kind) -> usize {
    match kind {
        Kind::One(kind) => S::width(kind),
        Kind::List { count, .. } => S::width(count),
    }
}

fn vertices<S: Source>(element: &Element<'_>, source: &mut S) -> Result<Vec<DVec3>, Boxed> {
    if element.count == 0 {
        return Ok(Vec::new());
    }
    let axes = element.coordinates()?;
    let axis_of = |index| axes.iter().position(|&axis| axis == index);
    let properties = element.properties.iter().enumerate();
    let plan: Vec<_> =
        properties.map(|(index, property)| (property.kind, axis_of(index))).collect();
    let mut positions = Vec::with_capacity(element.count as usize);
    for vertex in 0..element.count as usize {
        source.begin()?;
        let mut position = [0.0; 3];
        for &(kind, axis) in &plan {
            let (Kind::One(kind), Some(axis)) = (kind, axis) else {
                skip_value(kind, source)?;
                continue;
            };
            let place = source.place();
            let value = source.number(kind)?;
            position[axis] = value;
            if value.is_nan() || value.abs() > MAX_COORDINATE {
                MeshError::check_position(vertex, position.into())
                    .map_err(|error| S::fault(place, error.to_string()))?;
            }
        }
        positions.push(position.into());
    }
    Ok(positions)
}

/// Skips all instances of an element.
fn skip<S: Source>(element: &Element<'_>, source: &mut S) -> Result<(), Boxed> {
    for _ in 0..element.count {
        source.begin()?;
        element.properties.iter().try_for_each(|property| skip_value(property.kind, source))?;
    }
    Ok(())
}

pub(super) fn skip_value<S: Source>(kind: Kind, source: &mut S) -> Result<(), Boxed> {
    match kind {
        Kind::One(kind) => source.skip(kind, 1),
        Kind::List { count, item } => {
            let length = list_length(count, item, source)?;
            source.skip(item, length)
        }
    }
}

/// Returns the length of the next list, after checking that the rest of the file can hold it.
#[inline]
pub(super) fn list_length<S: Source>(
    count: Scalar,
    item: Scalar,
    source: &mut S,
) -> Result<usize, Boxed> {
    let place = source.place();
    let length = source.integer(count)?;
    let room = source.room();
    match usize::try_from(length) {
        Ok(length) if length.saturating_mul(S::width(item)) <= room => Ok(length),
        Ok(_) => {
            let message = format!("a list of {length} values, but there are {room} bytes left");
            Err(S::fault(place, message))
        }
        Err(_) => Err(S::fault(place, format!("{length} is not the length of a list"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Location;

    const CUBE_CORNER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                               element face 2\nproperty list uchar int vertex_indices\nend_header\n\
                               0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 2 1 3\n";

    fn ascii(rest: &str) -> String {
        format!("ply\nformat ascii 1.0\n{rest}")
    }

    fn triangles(bytes: &[u8]) -> Vec<[u32; 3]> {
        let model = read(bytes, "x").unwrap_or_else(|fault| panic!("{fault:?}"));
        model.meshes[0].faces().to_vec()
    }

    fn fault(bytes: &[u8]) -> (Location, String) {
        let fault = read(bytes, "x").unwrap_err();
        (fault.location, fault.message)
    }

    fn line_fault(rest: &str) -> (usize, String) {
        match fault(ascii(rest).as_bytes()) {
            (Location::Line(line), message) => (line, message),
            other => panic!("no line: {other:?}"),
        }
    }

    /// Properties of every type in an unusual order, with lists and an unknown element.
    fn motley(big_endian: bool) -> Vec<u8> {
        let order = if big_endian { "big" } else { "little" };
        let mut bytes = format!(
            "ply\nformat binary_{order}_endian 1.0\nelement face 1\nproperty list ushort float uv\n\
             property list uint ushort vertex_index\nproperty uchar flag\nelement nothing 0\n\
             element rest 2\nproperty list char double list\nproperty short s\nelement vertex 3\n\
             property double z\nproperty list uchar uchar l\nproperty short x\nproperty uchar q\n\
             property float y\nend_header\n"
        )
        .into_bytes();
        let mut put = |little: &[u8]| {
            let mut value = little.to_vec();
            if big_endian {
                value.reverse();
            }
            bytes.extend(value);
        };
        put(&1u16.to_le_bytes());
        put(&0.5f32.to_le_bytes());
        put(&3u32.to_le_bytes());
        for index in [2u16, 0, 1] {
            put(&index.to_le_bytes());
        }
        put(&[9]);
        for length in [0u8, 2] {
            put(&[length]);
            for _ in 0..length {
                put(&7f64.to_le_bytes());
            }
            put(&(-1i16).to_le_bytes());
        }
        for (x, y, z) in [(-1i16, 0.5f32, 0.1f64), (2, -0.25, 1e-300), (300, 0.1, 1e90)] {
            put(&z.to_le_bytes());
            put(&[1]);
            put(&[10]);
            put(&x.to_le_bytes());
            put(&[200]);
            put(&y.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn any_order_of_any_properties_in_both_byte_orders() {
        let positions = [
            DVec3::new(-1.0, 0.5, 0.1),
            DVec3::new(2.0, -0.25, 1e-300),
            DVec3::new(300.0, f64::from(0.1f32), 1e90),
        ];
        for big_endian in [false, true] {
            let bytes = motley(big_endian);
            let model = read(&bytes, "x").unwrap();
            assert_eq!(model.meshes[0].positions(), positions);
            assert_eq!(model.meshes[0].faces(), [[2, 0, 1]]);
            assert_eq!(model.parts[0].name, "x");
            for end in 0..bytes.len() {
                assert!(read(&bytes[..end], "x").is_err(), "cut at {end} of {}", bytes.len());
            }
            assert!(read(&[&bytes[..], b"\r\n\0"].concat(), "x").is_ok());
            let (location, message) = fault(&[&bytes[..], b"more"].concat());
            assert_eq!(location, Location::Byte(bytes.len() as u64));
            assert_eq!(message, "4 bytes more than the header promises");
        }
    }

    #[test]
    fn text_is_read_with_any_line_ends() {
        let plain = ascii(CUBE_CORNER);
        for end in ["\n", "\r\n", "\r", "\n\n", " \t\n"] {
            assert_eq!(triangles(plain.replace('\n', end).as_bytes()), [[0, 1, 2], [2, 1, 3]]);
        }
        assert_eq!(triangles(plain.trim_end().as_bytes()).len(), 2);
        assert_eq!(triangles(plain.replace("3 2 1 3", "4 2.0 1 3 0").as_bytes()).len(), 3);
        assert!(
            triangles(ascii("element vertex 0\nelement face 0\nend_header\n").as_bytes())
                .is_empty()
        );
        let cloud = plain.replace("face", "segment");
        assert!(triangles(cloud.as_bytes()).is_empty(), "other elements are ignored");
    }

    #[test]
    fn errors_in_text_name_the_line() {
        let with = |from: &str, to: &str| line_fault(&CUBE_CORNER.replacen(from, to, 1));
        let (line, message) = with("1 0 0\n", "1 NaN 0\n");
        assert_eq!(line, 11);
        assert_eq!(message, "vertex 1 has the y coordinate NaN, which is not a finite number");
        assert_eq!(with("1 0 0\n", "1 0 -1e400\n").0, 11);
        assert_eq!(with("1 0 0\n", "1 0 O\n"), (11, "`O` is not a number".into()));
        assert_eq!(
            with("1 0 0\n", "1 0\n").1,
            "the line has fewer values than the header promises"
        );
        assert_eq!(
            with("1 0 0\n", "1 0 0 0\n").1,
            "the line has more values than the header promises"
        );
        assert_eq!(
            with("3 2 1 3", "3 2 1 4"),
            (15, "there is no vertex 4; the file has 4, from 0".into())
        );
        assert_eq!(with("3 2 1 3", "3 2 1 -1").0, 15);
        assert_eq!(with("3 2 1 3", "3 2 1 2.5"), (15, "`2.5` is not a whole number".into()));
        assert_eq!(
            with("3 2 1 3", "2 2 1"),
            (15, "face 1 needs at least 3 corners, it has 2".into())
        );
        assert_eq!(with("3 2 1 3", "-3 2 1 3"), (15, "-3 is not the length of a list".into()));
        assert!(with("3 2 1 3", "4294967295 2 1 3").1.starts_with("a list of 4294967295 values"));
        assert_eq!(with("3 2 1 3\n", "3 2 1 3\n3 0 1 2\n").0, 16);
        assert_eq!(
            with("3 0 1 2\n3 2 1 3\n", "3 0 1 2           \n").1,
            "the file ends, but the header promises more"
        );
        assert_eq!(
            with("float y", "float w"),
            (3, "the element `vertex` has no property `y`".into())
        );
        assert_eq!(
            with("float y", "list char int y").1,
            "the element `vertex` has a list as its `y`"
        );
        assert_eq!(with("list uchar int", "int").0, 7);
        assert_eq!(with("vertex_indices", "corners").0, 7);
    }

    #[test]
    fn counts_are_checked_against_the_file_size() {
        for count in ["4000000000", "4294967296", "18446744073709551615"] {
            for element in ["vertex 4", "face 2"] {
                let name = element.split(' ').next().unwrap();
                let rest = CUBE_CORNER.replace(element, &format!("{name} {count}"));
                assert!(line_fault(&rest).1.contains(count));
                if name == "vertex" {
                    let binary = format!("ply\nformat binary_big_endian 1.0\n{rest}");
                    assert!(fault(binary.as_bytes()).1.contains(count));
                }
            }
            let rest = format!("element nothing {count}\n{CUBE_CORNER}");
            let expected =
                format!("the element `nothing` is promised {count} times, but has no properties");
            assert_eq!(line_fault(&rest), (3, expected));
        }
    }

    #[test]
    fn utf16_text_is_refused_by_name() {
        let utf16: Vec<u8> = ascii(CUBE_CORNER).bytes().flat_map(|byte| [byte, 0]).collect();
        for bytes in [utf16.clone(), [b"\xFF\xFE", &utf16[..]].concat()] {
            let message = "the text is in UTF-16; save it as UTF-8".to_owned();
            assert_eq!(fault(&bytes), (Location::Line(1), message));
        }
    }

    #[test]
    fn errors_in_binary_files_name_the_byte() {
        let bytes = motley(false);
        let vertex = bytes.len() - 17;
        let mut nan = bytes.clone();
        nan[vertex + 13..].copy_from_slice(&f32::INFINITY.to_le_bytes());
        let (location, message) = fault(&nan);
        assert_eq!(location, Location::Byte(vertex as u64 + 13));
        assert_eq!(message, "vertex 2 has the y coordinate inf, which is not a finite number");
        let index = header::parse(&bytes).unwrap().body + 10;
        let mut far = bytes.clone();
        far[index] = 3;
        assert_eq!(
            fault(&far),
            (Location::Byte(index as u64), "there is no vertex 3; the file has 3, from 0".into())
        );
    }
}

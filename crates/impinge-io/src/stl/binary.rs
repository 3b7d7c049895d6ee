//! Reads and writes binary STL: 80 arbitrary bytes, a count, and 50 bytes per facet.

use super::is_space;
use crate::{error::Fault, model::Model};
use glam::{DVec3, Vec3};
use impinge::Mesh;
use std::io::{self, BufWriter, Write};

const HEADER: usize = 84;
const FACET: usize = 50;
/// Faces and vertices have 32-bit indices, and every facet has three vertices.
const MAX_FACETS: usize = u32::MAX as usize / 3;

/// Returns the number of facets that the header declares; `None` if the file is too short for a header.
fn promised(bytes: &[u8]) -> Option<u32> {
    let (_, rest) = bytes.split_at_checked(HEADER - 4)?;
    rest.first_chunk().map(|&count| u32::from_le_bytes(count))
}

fn length(facets: u32) -> u64 {
    HEADER as u64 + FACET as u64 * u64::from(facets)
}

pub(super) fn has_exact_length(bytes: &[u8]) -> bool {
    promised(bytes).is_some_and(|facets| length(facets) == bytes.len() as u64)
}

/// Reads a file that is not text.
///
/// Bytes after the last facet are ignored, because some programs write colours or padding there. If they are a whole
/// number of facets, the file is refused: then the count is wrong, and faces would be lost silently.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Model, Fault> {
    let count = check_length(bytes)?;
    let (facets, _) = bytes[HEADER..][..FACET * count].as_chunks::<FACET>();
    let mut positions = Vec::with_capacity(3 * count);
    for (number, facet) in facets.iter().enumerate() {
        // The normal comes first and is not used.
        let corners = [12, 24, 36].map(|at| vector(facet, at));
        if !corners.iter().all(|corner| corner.is_finite()) {
            return Err(not_finite(number, facet));
        }
        positions.extend(corners.map(Vec3::as_dvec3));
    }
    let faces = (0..count as u32).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    Ok(Model::from_mesh(name, Mesh::new(positions, faces)?))
}

fn check_length(bytes: &[u8]) -> Result<usize, Fault> {
    let size = bytes.len();
    let Some(count) = promised(bytes) else {
        return Err(Fault::file(match size {
            0 => "the file is empty".to_owned(),
            _ => format!(
                "not an STL file: text would begin with `solid`, and {size} bytes are less than the \
                 84 of a binary header"
            ),
        }));
    };
    let Some(extra) = (size as u64).checked_sub(length(count)) else {
        let text = bytes[..HEADER].iter().all(|&byte| byte.is_ascii_graphic() || is_space(byte));
        let needs = length(count);
        return Err(if text {
            Fault::file("not an STL file: it is text that does not begin with `solid`")
        } else {
            let message = format!(
                "the file is cut short: its header promises {count} facets, {needs} bytes in all, \
                 but there are {size} bytes"
            );
            Fault::byte(size, message)
        });
    };
    let end = length(count) as usize;
    if extra > 0 && extra % FACET as u64 == 0 && bytes[end..].iter().any(|&byte| byte != 0) {
        let message = format!(
            "the header promises {count} facets, but the {extra} bytes after them could be {} more",
            extra / FACET as u64
        );
        return Err(Fault::byte(end, message));
    }
    if count as usize > MAX_FACETS {
        let message = format!("{count} facets are too many; at most {MAX_FACETS} can be numbered");
        return Err(Fault::byte(HEADER - 4, message));
    }
    Ok(count as usize)
}

fn number(facet: &[u8; FACET], at: usize) -> f32 {
    f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]])
}

fn vector(facet: &[u8; FACET], at: usize) -> Vec3 {
    Vec3::new(number(facet, at), number(facet, at + 4), number(facet, at + 8))
}

#[cold]
fn not_finite(facet_number: usize, facet: &[u8; FACET]) -> Fault {
    let at = (12..48).step_by(4).find(|&at| !number(facet, at).is_finite()).unwrap_or(12);
    let message = format!(
        "facet {facet_number} has the {} coordinate {}, which is not a finite number",
        ['x', 'y', 'z'][at / 4 % 3],
        number(facet, at)
    );
    Fault::byte(HEADER + FACET * facet_number + at, message)
}

/// Writes all placed parts as one binary file. Positions are rounded to `f32`, the precision of the format. Values that do
/// not fit are found before the first byte is written.
pub(crate) fn write(model: &Model, out: &mut dyn Write) -> io::Result<()> {
    let mesh = model.to_mesh().map_err(|error| invalid(error.to_string()))?;
    for (face, triangle) in mesh.triangles().enumerate() {
        let mut coordinates = triangle.iter().flat_map(DVec3::to_array);
        if let Some(value) = coordinates.find(|&value| !(value as f32).is_finite()) {
            return Err(invalid(format!(
                "face {face} has the coordinate {value:e}, beyond the ±3.4e38 that STL can hold; \
                 write another format, or scale the model down"
            )));
        }
    }
    let mut out = BufWriter::with_capacity(1 << 16, out);
    // The header must not start with `solid`: simple readers would take the file for text.
    out.write_all(format!("{:<80}", "binary STL, written by impinge").as_bytes())?;
    out.write_all(&(mesh.faces().len() as u32).to_le_bytes())?;
    for triangle in mesh.triangles() {
        let corners = triangle.map(DVec3::as_vec3);
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        // The normal of the corners as written; zero for a degenerate face, as usual.
        let normal = (b - a).cross(c - a).normalize_or_zero().as_vec3();
        let mut facet = [0; FACET];
        for (vector, bytes) in [normal].iter().chain(&corners).zip(facet.as_chunks_mut::<12>().0) {
            for (value, bytes) in vector.to_array().iter().zip(bytes.as_chunks_mut::<4>().0) {
                *bytes = value.to_le_bytes();
            }
        }
        out.write_all(&facet)?;
    }
    out.flush()
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::super::tests::one_facet;
    use super::*;
    use crate::error::Location;
    use glam::DAffine3;

    fn fault(bytes: &[u8]) -> (Location, String) {
        let fault = read(bytes, "x").unwrap_err();
        (fault.location, fault.message)
    }

    #[test]
    fn facets_are_widened_in_order() {
        let model = read(&one_facet(b"whatever"), "x").unwrap();
        assert_eq!(model.parts[0].name, "x");
        assert_eq!(model.meshes[0].faces(), [[0, 1, 2]]);
        assert_eq!(model.meshes[0].positions(), [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.5, 0.0)]);
    }

    #[test]
    fn a_wrong_length_is_reported_in_numbers() {
        let whole = one_facet(b"cut");
        let (location, message) = fault(&whole[..whole.len() - 1]);
        assert_eq!(location, Location::Byte(133));
        assert!(
            message.contains("1 facets, 134 bytes") && message.contains("133 bytes"),
            "{message}"
        );
        let (_, message) = fault(&whole[..50]);
        assert!(message.contains("50 bytes are less than"), "{message}");
        assert_eq!(fault(b"").1, "the file is empty");
        assert!(fault(&[b'a'; 500]).1.contains("does not begin with `solid`"));
        // A count of four billion must not be trusted.
        let mut huge = whole.clone();
        huge[80..84].fill(0xFF);
        assert!(fault(&huge).1.contains("4294967295 facets, 214748364834 bytes"));
    }

    #[test]
    fn bytes_after_the_facets_are_ignored_unless_they_are_facets() {
        let mut bytes = one_facet(b"junk");
        bytes.extend([9; 49]);
        assert_eq!(read(&bytes, "x").unwrap().face_count(), 1);
        bytes.push(9);
        let (location, message) = fault(&bytes);
        assert_eq!(location, Location::Byte(134));
        assert!(message.contains("could be 1 more"), "{message}");
        bytes[134..].fill(0);
        assert_eq!(read(&bytes, "x").unwrap().face_count(), 1, "padding");
    }

    #[test]
    fn only_corners_must_be_finite() {
        let mut bytes = one_facet(b"nan");
        bytes[84..88].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(read(&bytes, "x").is_ok());
        bytes[112..116].copy_from_slice(&f32::NEG_INFINITY.to_le_bytes());
        let (location, message) = fault(&bytes);
        assert_eq!(location, Location::Byte(112));
        assert_eq!(message, "facet 0 has the y coordinate -inf, which is not a finite number");
    }

    #[test]
    fn written_models_are_read_back() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(-0.0, 0.1, 0.0), DVec3::splat(9e99)];
        let mesh = Mesh::new(positions, vec![[0, 1, 2], [1, 1, 1]]).unwrap();
        let mut model = Model::from_mesh("x", mesh);
        let mut bytes = Vec::new();
        write(&model, &mut bytes).unwrap();
        assert!(has_exact_length(&bytes) && !bytes.starts_with(b"solid"));
        assert_eq!(bytes[92..96], 1.0f32.to_le_bytes(), "the normal's z");
        assert_eq!(bytes[134..146], [0; 12], "no normal for a point");
        let again = read(&bytes, "x").unwrap();
        assert_eq!(again.meshes[0].triangle(0)[2], DVec3::new(-0.0, f64::from(0.1f32), 0.0));

        model.parts[0].transform = DAffine3::from_translation(DVec3::Z);
        bytes.clear();
        write(&model, &mut bytes).unwrap();
        assert_eq!(read(&bytes, "x").unwrap().meshes[0].triangle(0)[1], DVec3::new(1.0, 0.0, 1.0));

        model.parts[0].transform = DAffine3::from_scale(DVec3::splat(1e39));
        bytes.clear();
        let error = write(&model, &mut bytes).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("beyond the ±3.4e38"), "{error}");
        assert!(bytes.is_empty(), "nothing is written before the check");
    }
}

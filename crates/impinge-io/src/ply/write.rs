//! Writes PLY: binary, in `f64`, so that reading gives the same bits.

use crate::model::Model;
use std::io::{self, BufWriter, Write};

/// Writes all placed parts as one mesh. The format cannot hold part names.
pub(crate) fn write(model: &Model, out: &mut dyn Write) -> io::Result<()> {
    let mesh = model.to_mesh().map_err(|error| invalid(error.to_string()))?;
    let (vertices, faces) = (mesh.positions().len(), mesh.faces().len());
    // `uint` would hold twice as many, but many programs read only `int`.
    if vertices > i32::MAX as usize {
        return Err(invalid(format!("{vertices} vertices are more than PLY's `int` can number")));
    }
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment written by impinge\n\
         element vertex {vertices}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )?;
    for position in mesh.positions() {
        out.write_all(position.to_array().map(f64::to_le_bytes).as_flattened())?;
    }
    for face in mesh.faces() {
        let mut bytes = [3; 13];
        bytes[1..].copy_from_slice(face.map(u32::to_le_bytes).as_flattened());
        out.write_all(&bytes)?;
    }
    out.flush()
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ply::read;
    use glam::{DAffine3, DVec3};
    use impinge::Mesh;

    #[test]
    fn written_meshes_are_read_back_bit_for_bit() {
        let values = [0.1, -0.0, f64::MIN_POSITIVE / 8.0, -1e100, 1.0 / 3.0, 5e-324];
        let positions = values.map(|value| DVec3::new(value, 1.0, -value)).to_vec();
        let mesh = Mesh::new(positions, vec![[0, 1, 2], [3, 3, 3], [4, 2, 0]]).unwrap();
        let mut model = Model::from_mesh("x", mesh.clone());
        let mut bytes = Vec::new();
        write(&model, &mut bytes).unwrap();
        let again = read(&bytes, "x").unwrap();
        let bits = |mesh: &Mesh| -> Vec<_> {
            mesh.positions().iter().map(|position| position.to_array().map(f64::to_bits)).collect()
        };
        assert_eq!(bits(&again.meshes[0]), bits(&mesh));
        assert_eq!(again.meshes[0].faces(), mesh.faces());

        model.parts[0].transform = DAffine3::from_translation(DVec3::Y);
        bytes.clear();
        write(&model, &mut bytes).unwrap();
        assert_eq!(read(&bytes, "x").unwrap().meshes[0].triangle(0)[0], DVec3::new(0.1, 2.0, -0.1));

        model.parts[0].transform = DAffine3::from_scale(DVec3::splat(10.0));
        bytes.clear();
        assert_eq!(write(&model, &mut bytes).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(bytes.is_empty());
    }
}

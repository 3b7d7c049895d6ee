//! Builds an assembly from a stream of parts that another package has read, exactly as the readers of files do. The
//! Python package calls it for the scenes of trimesh, the files of IfcOpenShell and the shapes of OpenCASCADE.

use super::{
    Assembly, LoadOptions, Unit, Up,
    build::{Builder, Frame, file_error},
    external,
    files::{self, Within},
    ifc,
};
use crate::Error;
use std::path::Path;

/// What a stream of parts was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The elements of a building model, in metres: treated as an IFC file.
    Ifc,
    /// The nodes of a scene, or the products of a CAD document, in their own unit.
    Scene {
        /// The unit, if it is known.
        units: Option<Unit>,
        /// The axis that points up, if it is known.
        up: Option<Up>,
    },
}

/// Reads a stream of parts; `tools/step/stream.hpp` describes it. `name` stands for the file in reports and messages.
///
/// # Errors
/// If the bytes are not such a stream, or if a part cannot be built, unless [`LoadOptions::keep_going`] is set.
pub fn read_stream(
    bytes: &[u8],
    name: &Path,
    origin: Origin,
    options: &LoadOptions,
) -> Result<Assembly, Error> {
    let failed = |message: String| file_error(name, message);
    options.check().map_err(failed)?;
    let parts = external::read(bytes, "the package", "it was made by another version");
    let parts = parts.map_err(failed)?;
    let mut builder = Builder::new(options);
    let within = Within::alone();
    match origin {
        Origin::Ifc => ifc::add(parts, name, &within, &mut builder)?,
        Origin::Scene { units, up } => {
            let units = options.file_units.or(units);
            external::add(parts, name, &within, Frame { units, up }, &mut builder)?;
        }
    }
    files::finish(builder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a stream with a triangle for each name.
    fn stream(names: &[&str]) -> Vec<u8> {
        let mut bytes = b"IMPSTEP2M".to_vec();
        // The number of vertices and faces, the vertices, the face, and a run of one face.
        bytes.extend([3_u32, 1].map(u32::to_le_bytes).concat());
        for position in [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0_f64] {
            bytes.extend(position.to_le_bytes());
        }
        bytes.extend([0_u32, 1, 2, 1, 1].map(u32::to_le_bytes).concat());
        bytes.extend(0.0_f64.to_le_bytes());
        for name in names {
            bytes.push(b'P');
            bytes.extend([u32::MAX, 0].map(u32::to_le_bytes).concat());
            for entry in [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0_f64] {
                bytes.extend(entry.to_le_bytes());
            }
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        bytes.push(b'E');
        bytes
    }

    #[test]
    fn parts_without_a_name_are_named_after_the_file() {
        let origin = Origin::Scene { units: Some(Unit::Millimetre), up: None };
        let named = |names: &[&str]| {
            let options = LoadOptions::default();
            let read = read_stream(&stream(names), Path::new("a/case.step"), origin, &options);
            let parts = read.unwrap().parts;
            parts.into_iter().map(|part| part.name).collect::<Vec<_>>()
        };
        assert_eq!(named(&[""]), ["case"]);
        assert_eq!(named(&["", "lid", ""]), ["case", "lid", "case#2"]);
        // The bodies of a product without a name.
        assert_eq!(named(&["/1", "/2", "lid/1"]), ["case/1", "case/2", "lid/1"]);
    }
}

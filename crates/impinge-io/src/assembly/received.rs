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

//! Index files: what a method prepared of a mesh, kept for the next run.

use crate::{Error, draft::write_atomically, error::Fault, format};
use impinge::{Mesh, Shape};
use std::{path::Path, sync::Arc};

/// Reads the index of a mesh, and returns the shape of the two. A file of whatever origin is refused
/// unless it is a sound index of this very mesh.
pub fn load_index(path: impl AsRef<Path>, mesh: impl Into<Arc<Mesh>>) -> Result<Shape, Error> {
    let path = path.as_ref();
    let bytes = format::read_file(path).map_err(|fault| fault.in_file(path))?;
    let shape = Shape::from_bytes(&bytes, mesh);
    shape.map_err(|error| Fault::file(error.to_string()).in_file(path))
}

/// Writes the index of a shape, all of it or nothing. Refused for methods that cannot be saved.
pub fn save_index(path: impl AsRef<Path>, shape: &Shape) -> Result<(), Error> {
    let path = path.as_ref();
    let Some(bytes) = shape.to_bytes() else {
        let method = shape.method();
        let message =
            format!("what `{method}` prepares is not saved: choose a tree of volumes, such as obb");
        return Err(Fault::file(message).in_file(path));
    };
    write_atomically(path, |out| out.write_all(&bytes))
}

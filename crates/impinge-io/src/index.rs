//! Index files: the search structure that a method has built for a mesh, saved for later runs.

use crate::{Error, draft::write_atomically, error::Fault, format};
use impinge::{Mesh, Shape};
use std::{path::Path, sync::Arc};

/// Reads an index file of `mesh` and returns the mesh together with its index. The file is not trusted: it is refused
/// unless it is a valid index of exactly this mesh.
pub fn load_index(path: impl AsRef<Path>, mesh: impl Into<Arc<Mesh>>) -> Result<Shape, Error> {
    let path = path.as_ref();
    let bytes = format::read_file(path).map_err(|fault| fault.in_file(path))?;
    let shape = Shape::from_bytes(&bytes, mesh);
    shape.map_err(|error| Fault::file(error.to_string()).in_file(path))
}

/// Writes the index of a shape, completely or not at all. Methods whose index cannot be saved are refused.
pub fn save_index(path: impl AsRef<Path>, shape: &Shape) -> Result<(), Error> {
    let path = path.as_ref();
    let Some(bytes) = shape.to_bytes() else {
        let method = shape.method();
        let message = format!(
            "the index of the method `{method}` cannot be saved; choose `wide`, the default, or a binary \
             tree such as `obb`"
        );
        return Err(Fault::file(message).in_file(path));
    };
    write_atomically(path, |out| out.write_all(&bytes))
}

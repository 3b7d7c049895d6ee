//! Index files: what a method has prepared of a mesh, kept for the next run.

use crate::{Error, draft::write_atomically, error::Fault, format};
use impinge::{Index, Mesh};
use std::path::Path;

/// Reads the index of a mesh. A file of whatever origin is refused unless it is a sound index of
/// this very mesh.
pub fn load_index(path: impl AsRef<Path>, mesh: &Mesh) -> Result<Index<'_>, Error> {
    let path = path.as_ref();
    let bytes = format::read_file(path).map_err(|fault| fault.in_file(path))?;
    let index = Index::from_bytes(&bytes, mesh);
    index.map_err(|error| Fault::file(error.to_string()).in_file(path))
}

/// Writes an index, all of it or nothing. Refused for methods whose index is not worth a file.
pub fn save_index(path: impl AsRef<Path>, index: &Index<'_>) -> Result<(), Error> {
    let path = path.as_ref();
    let Some(bytes) = index.to_bytes() else {
        let method = index.method();
        let message =
            format!("what `{method}` prepares is not saved: choose a tree of volumes, such as obb");
        return Err(Fault::file(message).in_file(path));
    };
    write_atomically(path, |out| out.write_all(&bytes))
}

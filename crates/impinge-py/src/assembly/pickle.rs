//! Assemblies as they are pickled: for reports and robots as well.

use crate::{error::value_error, shares};
use impinge_io::assembly::Blob;
use numpy::PyArray1;
use pyo3::{prelude::*, types::PyBytes};

/// An assembly as it is pickled: everything but the meshes, and the meshes.
pub(crate) type Pickled<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<u8>>);

pub(crate) fn pickled<'py>(
    py: Python<'py>,
    assembly: &impinge_io::Assembly,
) -> PyResult<Pickled<'py>> {
    let state = assembly.to_bytes().map_err(value_error)?;
    let blobs = if assembly.is_outline() { Vec::new() } else { assembly.blobs() };
    let (blobs, _) = shares::pack(py, &blobs, &(0..blobs.len()).collect::<Vec<_>>())?;
    Ok((PyBytes::new(py, &state), blobs))
}

pub(crate) fn unpickled(
    py: Python<'_>,
    state: &[u8],
    blobs: &numpy::PyReadonlyArray1<'_, u8>,
) -> PyResult<impinge_io::Assembly> {
    let mut bytes = blobs.as_slice().map_err(value_error)?;
    let assembly = py.detach(|| {
        let outline = impinge_io::Assembly::from_bytes(state).map_err(|why| why.to_string())?;
        if bytes.is_empty() {
            return Ok(outline);
        }
        let mut blobs = Vec::new();
        while !bytes.is_empty() {
            let blob = Blob::read(bytes)?;
            bytes = &bytes[blob.len()..];
            blobs.push(blob);
        }
        outline.with_blobs(&blobs)
    });
    assembly.map_err(value_error)
}

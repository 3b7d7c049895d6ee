//! Assemblies that other packages have read: `impinge.sources` passes them on as a stream of parts.

use crate::{
    assembly::{Assembly, unit},
    error::value_error,
};
use impinge_io::assembly::{
    IFC_SCRIPT, LoadOptions, Origin, Up, ifc_left_out, read_stream as read_parts,
};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Makes an assembly of a stream of parts.
#[pyfunction]
#[pyo3(signature = (
    stream, name, origin, *, own_units=None, up=None, units=None, file_units=None, scale=1.0, split=false,
    keep_going=false,
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn read_stream(
    py: Python<'_>,
    stream: &[u8],
    name: PathBuf,
    origin: &str,
    own_units: Option<&str>,
    up: Option<&str>,
    units: Option<&str>,
    file_units: Option<&str>,
    scale: f64,
    split: bool,
    keep_going: bool,
) -> PyResult<Assembly> {
    let up = match up {
        None => None,
        Some("y") => Some(Up::Y),
        Some("z") => Some(Up::Z),
        Some(other) => return Err(value_error(format!("up is 'y' or 'z', not '{other}'"))),
    };
    let origin = match origin {
        "ifc" => Origin::Ifc,
        "scene" => Origin::Scene { units: unit(own_units)?, up },
        other => return Err(value_error(format!("there is no origin '{other}'"))),
    };
    let mut options = LoadOptions::default().scale(scale).split(split).keep_going(keep_going);
    options.units = unit(units)?;
    options.file_units = unit(file_units)?;
    let read = py.detach(|| read_parts(stream, &name, origin, &options));
    Ok(Assembly::of(read.map_err(value_error)?))
}

/// The script that makes a stream of parts of an IFC file, and the classes that it is to leave out.
#[pyfunction]
pub(crate) fn ifc_reader(include: Vec<String>) -> PyResult<(&'static str, Vec<&'static str>)> {
    Ok((IFC_SCRIPT, ifc_left_out(&include).map_err(value_error)?))
}

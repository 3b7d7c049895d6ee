//! The options of loading, from keyword arguments.

use crate::error::value_error;
use impinge_io::assembly::{LoadOptions, Unit};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};
use std::collections::BTreeMap;

/// Reads the name of a unit.
pub(crate) fn unit(name: Option<&str>) -> PyResult<Option<Unit>> {
    name.map(|name| name.parse().map_err(value_error)).transpose()
}

/// The options of loading, from keyword arguments.
pub(crate) fn load_options(given: Option<&Bound<'_, PyDict>>) -> PyResult<LoadOptions> {
    let mut options = LoadOptions::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        match &*name {
            "units" => options.units = unit(value.extract()?)?,
            "file_units" => options.file_units = unit(value.extract()?)?,
            "scale" => options.scale = value.extract()?,
            "split" => options.split = value.extract()?,
            "primitives" => options.primitives = value.extract()?,
            "keep_going" => options.keep_going = value.extract()?,
            "tolerance" => options.tolerance = value.extract()?,
            "packages" => options.packages = value.extract()?,
            "ifc_include" => options.ifc_include = value.extract()?,
            "joints" => {
                let joints: Option<BTreeMap<String, f64>> = value.extract()?;
                for (joint, value) in joints.unwrap_or_default() {
                    options = options.joint(joint, value);
                }
            }
            other => {
                return Err(PyTypeError::new_err(format!("Assembly.load has no option '{other}'")));
            }
        }
    }
    Ok(options)
}

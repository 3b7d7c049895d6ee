//! Clash checks of assemblies.

mod options;
mod report;
mod watch;

pub(crate) use options::options_of;
pub(crate) use report::{Clash, ClashReport};
pub(crate) use watch::watched;

use crate::{
    arguments,
    assembly::Assembly,
    error::{io_error, value_error},
    pool::Workers,
};
use impinge_clash::{Error, check};
use pyo3::{prelude::*, types::PyDict};
use std::sync::Arc;

pub(crate) fn clash_error(error: Error) -> PyErr {
    match error {
        Error::File(error) => io_error(error),
        error => value_error(error),
    }
}

/// Checks an assembly. `impinge.clash` documents the options, and calls this function.
#[pyfunction]
#[pyo3(signature = (assembly, options=None, *, threads=None, progress=None))]
pub(crate) fn check_assembly(
    py: Python<'_>,
    assembly: &Bound<'_, Assembly>,
    options: Option<&Bound<'_, PyDict>>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<ClashReport> {
    let assembly = assembly.get().get(py)?;
    let mut options = options_of(options, assembly.units)?;
    let workers = Workers::new(threads)?;
    let found = watched(py, &workers, progress.as_ref(), |threads, watcher| {
        options.threads = threads;
        check(impinge_io::Assembly::clone(&assembly), &options, watcher)
    })?;
    Ok(ClashReport { outcome: Arc::new(found.map_err(clash_error)?) })
}

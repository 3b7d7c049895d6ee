//! The command `impinge`, for the script that comes with the package.

use crate::{
    assembly::Assembly,
    shares::{Listing, Plan},
};
use impinge_clash::Outcome;
use impinge_cli::{Cluster, ClusterError};
use impinge_io::assembly::LoadOptions;
use pyo3::{exceptions::PyKeyboardInterrupt, prelude::*, types::PyCFunction};
use std::{ffi::OsString, path::PathBuf, sync::Arc};

/// Runs the command `impinge` with these arguments, the first of which is the name of the program. Returns the exit code.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| impinge_cli::run_on(arguments, Some(&Ray)))
}

/// The cluster of `impinge.ray`, which is imported when the option `--ray` is used.
struct Ray;

fn cluster_error(py: Python<'_>, error: PyErr) -> ClusterError {
    match error.is_instance_of::<PyKeyboardInterrupt>(py) {
        true => ClusterError::Stopped,
        false => ClusterError::Failed(format!("--ray: {}", error.value(py))),
    }
}

impl Cluster for Ray {
    fn load(
        &self,
        address: &str,
        files: &[PathBuf],
        options: &LoadOptions,
        proceed: Arc<dyn Fn() -> bool + Send + Sync>,
    ) -> Result<Option<impinge_io::Assembly>, ClusterError> {
        let listing = Listing::of(files.to_vec(), options.clone());
        let listing = listing.map_err(|error| ClusterError::Failed(error.to_string()))?;
        Python::attach(|py| {
            let module = py.import("impinge.ray._command")?;
            let proceed = PyCFunction::new_closure(py, None, None, move |_, _| proceed())?;
            let loaded = module.call_method1("load", (address, Py::new(py, listing)?, proceed))?;
            let loaded: Option<Bound<'_, Assembly>> = loaded.extract()?;
            loaded
                .map(|assembly| Ok(impinge_io::Assembly::clone(&*assembly.get().get(py)?)))
                .transpose()
        })
        .map_err(|error: PyErr| {
            Python::attach(|py| match cluster_error(py, error) {
                // Messages about files are those of the command without a cluster.
                ClusterError::Failed(text) => {
                    ClusterError::Failed(text.strip_prefix("--ray: ").unwrap_or(&text).to_owned())
                }
                other => other,
            })
        })
    }

    fn find(
        &self,
        address: &str,
        plan: impinge_clash::Plan,
        proceed: &(dyn Fn(u64, u64) -> bool + Sync),
    ) -> Result<Outcome, ClusterError> {
        Python::attach(|py| {
            let module = py.import("impinge.ray._command")?;
            let plan = Py::new(py, Plan::of(plan))?;
            let search = module.call_method1("Search", (address, plan.clone_ref(py)))?;
            // Steps of a few tenths of a second, after each of which the command may end the check.
            loop {
                let (done, total, has_ended): (u64, u64, bool) =
                    search.call_method0("step")?.extract()?;
                if !py.detach(|| proceed(done, total)) {
                    search.call_method0("cancel")?;
                    return Err(PyKeyboardInterrupt::new_err("interrupted"));
                }
                if has_ended {
                    break;
                }
            }
            plan.get().merge(&search.call_method0("shares")?)?.map_err(crate::clash::clash_error)
        })
        .map_err(|error: PyErr| Python::attach(|py| cluster_error(py, error)))
    }
}

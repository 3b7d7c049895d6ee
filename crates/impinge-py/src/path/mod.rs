//! Clash checks along a path: parts of an assembly move through the others.

mod report;

pub(crate) use report::{PathClash, PathReport};

use crate::{
    arguments,
    arrays::{Points, Poses},
    assembly::Assembly,
    clash::{clash_error, options_of, watched},
    error::{pose_error, value_error},
    pool::Workers,
};
use impinge::Motion;
use impinge_clash::{PathOptions, Pattern, check_path};
use impinge_io::PathRows;
use pyo3::{prelude::*, types::PyDict};
use report::Checked;

/// Checks parts of an assembly that move along a path. `impinge.clash_path` documents the arguments.
#[pyfunction]
#[pyo3(signature = (assembly, moving, poses, options=None, *, times=None, pivot=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn check_assembly_path(
    py: Python<'_>,
    assembly: &Bound<'_, Assembly>,
    moving: Vec<String>,
    poses: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
    times: Option<Vec<f64>>,
    pivot: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PathReport> {
    let assembly = assembly.get().get(py)?;
    let mut options = options_of(options, assembly.units)?;
    let rows = rows(poses, times)?;
    let patterns = moving.iter().map(|name| Pattern::new(name.trim_end_matches('/')));
    let mut path = PathOptions::new(patterns.collect());
    if let Some(pivot) = pivot {
        let point = Points::read("pivot", pivot)?.one().filter(|point| point.is_finite());
        let point =
            point.ok_or_else(|| value_error("pivot is one point of three finite coordinates"));
        path.pivot = Some(point?);
    }
    let workers = Workers::new(threads)?;
    let found = watched(py, &workers, progress.as_ref(), |threads, watcher| {
        options.threads = threads;
        check_path(&assembly, &rows, &path, &options, watcher)
    })?;
    let outcome = found.map_err(clash_error)?;
    Ok(PathReport::of(Checked::new(assembly, rows, options, outcome)))
}

/// The rows of a path, with messages that name the poses as Python numbers them.
fn rows(poses: &Bound<'_, PyAny>, times: Option<Vec<f64>>) -> PyResult<PathRows> {
    let poses = Poses::read("poses", poses)?.all()?;
    if poses.len() < 2 {
        return Err(pose_error(format!("a path needs at least two poses, not {}", poses.len())));
    }
    for (number, ends) in poses.windows(2).enumerate() {
        if let Err(error) = Motion::between(ends[0], ends[1]) {
            let next = number + 1;
            return Err(pose_error(format!("from poses[{number}] to poses[{next}]: {error}")));
        }
    }
    PathRows::new(poses, times).map_err(value_error)
}

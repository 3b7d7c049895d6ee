//! NC verification: does a tool path gouge the part?

mod bodies;
mod options;
mod report;

pub(crate) use report::{NcGouge, NcReport};

use crate::{
    arguments,
    error::{io_error, value_error},
    interrupt::interruptible,
    pool::Workers,
};
use bodies::bodies;
use impinge_nc::{Job, JobError, Role, Setup, Watch, tool::is_spec};
use options::Arguments;
use pyo3::{
    prelude::*,
    types::{PyDict, PyString},
};
use report::Checked;
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Instant,
};

/// What stands for the file of a program that is given as a text.
const PROGRAM: &str = "program";

fn job_error(error: JobError, is_text: bool) -> PyErr {
    match error {
        JobError::File(error) if is_text && error.path == Path::new(PROGRAM) => value_error(error),
        JobError::Tool(error) if is_spec(&error.path.to_string_lossy()) => value_error(error),
        JobError::File(error) | JobError::Tool(error) | JobError::Table(error) => io_error(error),
        error => value_error(error),
    }
}

/// Counts the moves that are checked, and ends the check.
#[derive(Default)]
struct Watcher {
    should_end: AtomicBool,
    done: AtomicUsize,
}

impl Watch for Watcher {
    fn moves_checked(&self, moves: usize) -> bool {
        self.done.fetch_max(moves, Ordering::Relaxed);
        !self.should_end.load(Ordering::Relaxed)
    }
}

/// Checks a program against a part. `impinge.nc` documents the options, and calls this function.
#[pyfunction]
#[pyo3(signature = (part, program, options, *, threads=None, progress=None))]
pub(crate) fn check_program(
    py: Python<'_>,
    part: &Bound<'_, PyAny>,
    program: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<NcReport> {
    let Arguments { job, mut check, part_unit, around } = Arguments::read(options)?;
    let workers = Workers::new(threads)?;
    // A text with several lines is a program, not the name of its file.
    let text = match program.cast::<PyString>() {
        Ok(text) => Some(text.to_cow()?.into_owned()).filter(|text| text.contains('\n')),
        Err(_) => None,
    };
    let is_text = text.is_some();
    let job = match text {
        Some(text) => py.detach(|| Job::read(text, PROGRAM, &job)),
        None => {
            let path: PathBuf = program.extract()?;
            py.detach(|| Job::load(path, &job))
        }
    };
    let job = job.map_err(|error| job_error(error, is_text))?;
    let (part_name, mut all) = bodies(part, Role::Part, part_unit)?;
    all.extend(around);
    let setup = Setup { bodies: all };
    let watcher = Watcher::default();
    let total = job.program.moves.len();
    let start = Instant::now();
    let outcome = interruptible(
        py,
        &watcher.should_end,
        |py| match &progress {
            None => Ok(()),
            Some(function) => {
                let done = watcher.done.load(Ordering::Relaxed);
                function.call1(py, (done, total)).map(|_| ())
            }
        },
        || {
            workers.run(|threads| {
                check.threads = threads;
                impinge_nc::check(&job.program, &job.tools, &setup, &check, &watcher)
            })
        },
    )?;
    let outcome = outcome.map_err(value_error)?;
    let seconds = start.elapsed().as_secs_f64();
    let checked = Checked { part_name, job, setup, options: check, outcome, seconds };
    Ok(NcReport::of(checked))
}

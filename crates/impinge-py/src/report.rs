//! What the reports of all checks share: items by index, texts, files, pickling.

use crate::{
    error::{file_error, value_error},
    pool::detached,
};
use pyo3::{PyClass, exceptions::PyIndexError, prelude::*};
use std::{
    io::{self, Write},
    path::Path,
};

/// The position of an item in a sequence of `count` things; negative indices count from the end.
pub(crate) fn position(index: isize, count: usize, things: &str) -> PyResult<usize> {
    let from_start = if index < 0 { index + count as isize } else { index };
    match usize::try_from(from_start) {
        Ok(position) if position < count => Ok(position),
        _ => Err(PyIndexError::new_err(format!("there are {count} {things}"))),
    }
}

/// What `write` writes, as a text. Runs without the interpreter.
pub(crate) fn text(
    py: Python<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send,
) -> PyResult<String> {
    let mut text = Vec::new();
    detached(py, || write(&mut text))??;
    String::from_utf8(text).map_err(value_error)
}

/// Writes a file without the interpreter.
pub(crate) fn save(
    py: Python<'_>,
    path: &Path,
    write: impl Fn(&mut dyn Write) -> io::Result<()> + Sync,
) -> PyResult<()> {
    detached(py, || impinge_io::write_atomically(path, |out| write(out)))?.map_err(file_error)
}

/// A function, and the arguments with which it makes an object again: the result of `__reduce__`.
pub(crate) type Reduced<'py, S> = (Bound<'py, PyAny>, S);

/// How an item of a report is pickled: as the report and the number of the item, so that many items share their report.
pub(crate) fn reduced_item<'py, R: PyClass>(
    py: Python<'py>,
    report: &Py<R>,
    number: usize,
) -> PyResult<Reduced<'py, (Py<R>, usize)>> {
    Ok((py.import("operator")?.getattr("getitem")?, (report.clone_ref(py), number)))
}

/// How a report is pickled: `_restore` makes it from a state.
pub(crate) fn reduced<'py, R: PyClass, S>(py: Python<'py>, state: S) -> PyResult<Reduced<'py, S>> {
    Ok((py.get_type::<R>().getattr("_restore")?, state))
}

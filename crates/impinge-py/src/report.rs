//! What the reports of all checks share, and in part other sequences of results: items by index, counts, texts, files, pickling.

use crate::{
    error::{file_error, value_error},
    pool::detached,
};
use impinge::clash::Verdict;
use pyo3::{
    IntoPyObjectExt, PyClass,
    exceptions::{PyIndexError, PyOverflowError},
    prelude::*,
    types::{PyDict, PyList, PySlice},
};
use std::{
    io::{self, Write},
    path::Path,
};

/// The item of a sequence at an index, which counts from the end if it is negative, or a list of the items of a slice. `item`
/// makes an item by its number; there are `count` of them, and `things` names them in messages.
pub(crate) fn items<'py, T: IntoPyObject<'py, Error: Into<PyErr>>>(
    index: &Bound<'py, PyAny>,
    count: usize,
    things: &str,
    item: impl Fn(usize) -> T,
) -> PyResult<Bound<'py, PyAny>> {
    let py = index.py();
    if let Ok(slice) = index.cast::<PySlice>() {
        let range = slice.indices(count as isize)?;
        let numbers = (0..range.slicelength).map(|at| range.start + at as isize * range.step);
        let list = PyList::empty(py);
        for number in numbers {
            list.append(item(number as usize).into_bound_py_any(py)?)?;
        }
        return Ok(list.into_any());
    }
    let missing = || PyIndexError::new_err(format!("there are {count} {things}"));
    let index: isize = index.extract().map_err(|error: PyErr| {
        // Larger than any index.
        if error.is_instance_of::<PyOverflowError>(py) { missing() } else { error }
    })?;
    let from_start = if index < 0 { index + count as isize } else { index };
    let number = usize::try_from(from_start).ok().filter(|&number| number < count);
    item(number.ok_or_else(missing)?).into_bound_py_any(py)
}

/// The number of items of each verdict, as a dictionary, worst verdict first.
pub(crate) fn counts(
    py: Python<'_>,
    count: impl Fn(Verdict) -> usize,
) -> PyResult<Bound<'_, PyDict>> {
    let counts = PyDict::new(py);
    for verdict in Verdict::ALL {
        counts.set_item(verdict.name(), count(verdict))?;
    }
    Ok(counts)
}

/// The verdicts that were found, with their numbers: texts such as '2 penetrating'.
pub(crate) fn found(count: impl Fn(Verdict) -> usize) -> Vec<String> {
    let some = Verdict::ALL.into_iter().filter(|&verdict| count(verdict) > 0);
    some.map(|verdict| format!("{} {verdict}", count(verdict))).collect()
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

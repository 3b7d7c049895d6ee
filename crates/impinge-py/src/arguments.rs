//! Arguments of Python calls that are not arrays: integers, lengths, texts.

use crate::error::value_error;
use impinge::Tolerance;
use impinge_io::assembly::Length;
use pyo3::{
    conversion::FromPyObjectOwned, exceptions::PyOverflowError, prelude::*, types::PyString,
};

/// Reads an integer. One that the type cannot hold is an `ArgumentError`, whose message says what is `expected` of the
/// argument.
pub(crate) fn integer<'py, T: FromPyObjectOwned<'py>>(
    name: &str,
    expected: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<T> {
    object.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        match error.is_instance_of::<PyOverflowError>(object.py()) {
            true => value_error(format!("{name} is {expected}, not {object}")),
            false => error,
        }
    })
}

/// Reads the argument `threads`: `None` stands for all cores.
pub(crate) fn threads(object: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    integer("threads", "a positive number", object)
}

/// Reads a length: a number, or a text such as '0.5mm', of which `convert` makes a number.
pub(crate) fn length(
    name: &str,
    object: &Bound<'_, PyAny>,
    convert: impl FnOnce(Length) -> PyResult<f64>,
) -> PyResult<f64> {
    let Ok(text) = object.cast::<PyString>() else { return object.extract() };
    let length = text.to_cow()?.parse();
    convert(length.map_err(|why| value_error(format!("{name}: {why}")))?)
}

/// A distance that an argument gives: not negative, and a number.
pub(crate) fn distance(name: &str, value: f64) -> PyResult<Tolerance> {
    Tolerance::new(value).map_err(|why| value_error(format!("{name}: {why}")))
}

/// Reads one text, or several.
pub(crate) fn texts(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(vec![text.extract()?]),
        Err(_) => value.extract(),
    }
}

//! Python exceptions for the errors of the libraries, with the same text.
//!
//! The classes are defined in `impinge/_errors.py`, because they have two base classes each.

use pyo3::{prelude::*, sync::PyOnceLock, types::PyType};
use std::fmt::Display;

/// Defines a function that makes an exception of a class in `_errors.py`.
macro_rules! exception {
    ($($(#[$doc:meta])* $function:ident: $class:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $function(error: impl Display) -> PyErr {
            static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            let text = error.to_string();
            Python::attach(|py| match CLASS.import(py, "impinge._errors", $class) {
                Ok(class) => PyErr::from_type(class.clone(), text),
                Err(error) => error,
            })
        }
    )*};
}

exception! {
    /// Vertices and faces that are not a mesh.
    mesh_error: "MeshError";
    /// A matrix that is not a rigid pose, or poses that are not a motion.
    pose_error: "PoseError";
    /// A value that an argument cannot have.
    value_error: "ArgumentError";
    /// A file that cannot be read or written.
    file_error: "FileError";
    /// A file that does not exist.
    missing_file_error: "MissingFileError";
    /// A body that is not in the world.
    world_error: "WorldError";
}

/// A file that cannot be read.
pub(crate) fn io_error(error: impinge_io::Error) -> PyErr {
    match error.path.try_exists() {
        Ok(false) => missing_file_error(error),
        _ => file_error(error),
    }
}

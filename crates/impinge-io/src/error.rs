//! The error type of the crate: which file, where in it, and what is wrong.

use impinge::MeshError;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The location in a file where a problem was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Location {
    /// The whole file.
    File,
    /// A line of a text file, counted from 1.
    Line(usize),
    /// A character of a text file.
    Character {
        /// Line number, counted from 1.
        line: usize,
        /// Position of the character in its line, counted from 1.
        column: usize,
    },
    /// A byte offset in a binary file, counted from 0.
    Byte(u64),
    /// An object of a glTF file, such as `accessors[3]`.
    Json(String),
}

/// A file could not be read or written.
///
/// Displays as one line: `gear.obj:12: a face needs at least 3 corners, this one has 2`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Error {
    /// The file, as the caller spelled it.
    pub path: PathBuf,
    /// The location of the problem in that file.
    pub location: Location,
    /// What is wrong and, where it helps, what to do about it.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.location {
            Location::File => write!(f, "{path}: {}", self.message),
            Location::Line(line) => write!(f, "{path}:{line}: {}", self.message),
            Location::Character { line, column } => {
                write!(f, "{path}:{line}:{column}: {}", self.message)
            }
            Location::Byte(byte) => write!(f, "{path}: at byte {byte}: {}", self.message),
            Location::Json(pointer) => write!(f, "{path}: {pointer}: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}

/// An [`Error`] without the file name. Readers return it; [`Fault::in_file`] adds the name.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) location: Location,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn file(message: impl Into<String>) -> Self {
        Self { location: Location::File, message: message.into() }
    }

    pub(crate) fn line(line: usize, message: impl Into<String>) -> Self {
        Self { location: Location::Line(line), message: message.into() }
    }

    pub(crate) fn byte(byte: usize, message: impl Into<String>) -> Self {
        Self { location: Location::Byte(byte as u64), message: message.into() }
    }

    pub(crate) fn json(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { location: Location::Json(pointer.into()), message: message.into() }
    }

    pub(crate) fn in_file(self, path: &Path) -> Error {
        Error { path: path.into(), location: self.location, message: self.message }
    }
}

/// A mesh error for which no reader has found the location.
impl From<MeshError> for Fault {
    fn from(error: MeshError) -> Self {
        Self::file(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_that_names_the_place() {
        let shown = |fault: Fault| fault.in_file(Path::new("a/gear.obj")).to_string();
        assert_eq!(shown(Fault::file("is empty")), "a/gear.obj: is empty");
        assert_eq!(shown(Fault::line(12, "no")), "a/gear.obj:12: no");
        assert_eq!(shown(Fault::byte(84, "no")), "a/gear.obj: at byte 84: no");
        assert_eq!(shown(Fault::json("nodes[1]", "no")), "a/gear.obj: nodes[1]: no");
    }
}

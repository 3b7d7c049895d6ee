//! The error type inside the reader. [`super::Program::read_gcode`] adds the name of the file.

use impinge_io::{Error, Location};
use std::path::Path;

/// A problem in a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct Fault {
    /// The line, from 1; 0 until the interpreter fills in the line that it executes.
    line: u32,
    /// The character in the line, from 1; 0 if the problem is the whole line.
    column: u32,
    /// What is wrong and, where it helps, what to do about it.
    message: String,
}

pub(super) type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// A problem of the line that is executed.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { line: 0, column: 0, message: message.into() }
    }

    /// A problem at a character of the line that is executed.
    pub(super) fn at(column: u32, message: impl Into<String>) -> Self {
        Self { line: 0, column, message: message.into() }
    }

    /// Names the line, unless the fault names one already.
    pub(super) fn on_line(mut self, line: u32) -> Self {
        if self.line == 0 {
            self.line = line;
        }
        self
    }

    /// Names the file.
    pub(super) fn in_file(self, path: &Path) -> Error {
        let location = match (self.line as usize, self.column as usize) {
            (0, _) => Location::File,
            (line, 0) => Location::Line(line),
            (line, column) => Location::Character { line, column },
        };
        Error { path: path.into(), location, message: self.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_keeps_the_line_that_was_named_first() {
        let shown = |fault: Fault| fault.in_file(Path::new("a.nc")).to_string();
        assert_eq!(shown(Fault::new("no").on_line(3).on_line(9)), "a.nc:3: no");
        assert_eq!(shown(Fault::at(7, "no").on_line(3)), "a.nc:3:7: no");
        assert_eq!(shown(Fault::new("no")), "a.nc: no");
    }
}

//! The ways a command can fail, each with its message and exit code.

use impinge_io::one_line;
use std::{
    fmt,
    io::{self, Write},
};

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command ran, and the check failed: exit code 1. The output has the details. An empty message is not
    /// printed.
    Check(String),
    /// Bad input or usage: exit code 2.
    Input(String),
    /// The user interrupted the command: exit code 130, as shells report it.
    Interrupted(String),
    /// The reader closed standard output (as `head` does). This is not an error: exit code 0.
    OutputClosed,
}

impl Failure {
    pub(crate) fn input(message: impl fmt::Display) -> Self {
        Self::Input(message.to_string())
    }

    /// Puts `what` in front of the message of an input error.
    pub(crate) fn about(self, what: &str) -> Self {
        match self {
            Self::Input(message) => Self::Input(format!("{what}: {message}")),
            other => other,
        }
    }

    /// Returns the message alone.
    pub(crate) fn into_message(self) -> String {
        match self {
            Self::Check(message) | Self::Input(message) | Self::Interrupted(message) => message,
            Self::OutputClosed => "the output was closed".to_owned(),
        }
    }

    /// Prints the message on standard error, and returns the exit code.
    pub(crate) fn report(self) -> u8 {
        let (text, code) = match self {
            Self::Check(message) if message.is_empty() => return 1,
            Self::Check(message) => (format!("impinge: {}", one_line(&message)), 1),
            // Names of files and parts may hold any character.
            Self::Input(message) => (format!("error: {}", one_line(&message)), 2),
            Self::Interrupted(message) => (format!("impinge: {}", one_line(&message)), 130),
            Self::OutputClosed => return 0,
        };
        // A closed stderr is not an error; `eprintln!` would panic.
        let _ = writeln!(io::stderr(), "{text}");
        code
    }
}

impl From<impinge_io::Error> for Failure {
    fn from(error: impinge_io::Error) -> Self {
        Self::input(error)
    }
}

impl From<impinge_clash::Error> for Failure {
    fn from(error: impinge_clash::Error) -> Self {
        match error {
            impinge_clash::Error::Stopped => Self::Interrupted(error.to_string()),
            error => Self::input(error),
        }
    }
}

impl From<impinge_scene::Error> for Failure {
    fn from(error: impinge_scene::Error) -> Self {
        match error {
            impinge_scene::Error::Stopped => Self::Interrupted(error.to_string()),
            error => Self::input(error),
        }
    }
}

/// Errors of standard output, the only stream that commands write to directly.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Input(format!("cannot write the output: {error}")),
        }
    }
}

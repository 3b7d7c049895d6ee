//! How a command ends when it does not end well: one message, and the exit code.

use impinge_io::one_line;
use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The work was done, and the check failed: exit code 1. The output says the rest.
    Check(String),
    /// Bad input or usage: exit code 2.
    Input(String),
    /// Someone had enough of it before it was done: exit code 130, as shells have it.
    Interrupted(String),
    /// Whoever read our output has enough of it, which is no failure at all.
    OutputClosed,
}

impl Failure {
    pub(crate) fn input(message: impl fmt::Display) -> Self {
        Self::Input(message.to_string())
    }

    /// The same, with what it is about named first.
    pub(crate) fn about(self, what: &str) -> Self {
        match self {
            Self::Input(message) => Self::Input(format!("{what}: {message}")),
            other => other,
        }
    }

    /// What is wrong, without saying how the command ends.
    pub(crate) fn into_message(self) -> String {
        match self {
            Self::Check(message) | Self::Input(message) | Self::Interrupted(message) => message,
            Self::OutputClosed => "the output was closed".to_owned(),
        }
    }

    /// Says what is wrong in one message on standard error.
    pub(crate) fn report(self) -> ExitCode {
        let (text, code) = match self {
            Self::Check(message) => (format!("impinge: {}", one_line(&message)), 1),
            // Names of files and parts may hold any character.
            Self::Input(message) => (format!("error: {}", one_line(&message)), 2),
            Self::Interrupted(message) => (format!("impinge: {}", one_line(&message)), 130),
            Self::OutputClosed => return ExitCode::SUCCESS,
        };
        // Where nobody listens the exit code has to do; `eprintln!` would panic.
        let _ = writeln!(io::stderr(), "{text}");
        ExitCode::from(code)
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

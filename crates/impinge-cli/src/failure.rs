//! How a command ends when it does not end well: one message, and the exit code.

use std::{fmt, io, process::ExitCode};

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The work was done, and the check failed: exit code 1. The output says the rest.
    Check(String),
    /// Bad input or usage: exit code 2.
    Input(String),
    /// Whoever read our output has enough of it, which is no failure at all.
    OutputClosed,
}

impl Failure {
    pub(crate) fn input(message: impl fmt::Display) -> Self {
        Self::Input(message.to_string())
    }

    /// Says what is wrong in one message on standard error.
    #[expect(clippy::print_stderr, reason = "the one place where the command reports errors")]
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Check(message) => {
                eprintln!("impinge: {message}");
                ExitCode::from(1)
            }
            Self::Input(message) => {
                eprintln!("error: {message}");
                ExitCode::from(2)
            }
            Self::OutputClosed => ExitCode::SUCCESS,
        }
    }
}

impl From<impinge_io::Error> for Failure {
    fn from(error: impinge_io::Error) -> Self {
        Self::input(error)
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

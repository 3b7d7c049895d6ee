//! The program `impinge`.
#![forbid(unsafe_code)]

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    ExitCode::from(impinge_cli::run(env::args_os()))
}

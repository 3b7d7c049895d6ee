//! The folder of real files.

// Says that tests were left out.
#![allow(clippy::print_stdout)]

use std::{env, path::PathBuf};

/// The folder that the environment variable `IMPINGE_DATA` names; `None`, and a message, if it is not set.
pub(crate) fn data() -> Option<PathBuf> {
    let data = env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()).map(PathBuf::from);
    if data.is_none() {
        println!("IMPINGE_DATA is not set: the tests on real files were left out");
    }
    data
}

//! Helpers of the command's tests: run the command, make a temporary folder, build small meshes with known
//! answers.

// Clippy allows these in test functions, but not in functions that tests call.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

pub(crate) mod folder;
pub(crate) mod run;
pub(crate) mod soup;

pub(crate) use folder::Folder;
pub(crate) use run::{Run, impinge};
pub(crate) use soup::{Pose, Soup};

use std::{env, path::PathBuf};

/// Mesh formats that `generate` writes.
pub(crate) const WRITABLE: [&str; 4] = ["obj", "stl", "ply", "glb"];

/// Returns the folder of real files; without one, prints a line and returns `None`.
pub(crate) fn corpus() -> Option<PathBuf> {
    let data = env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()).map(PathBuf::from);
    if data.is_none() {
        println!("IMPINGE_DATA is not set: the tests on real files were left out");
    }
    data
}

/// Returns whether a program that a test needs is installed. On CI it must be.
pub(crate) fn has_program(name: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    if !found {
        assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "this test needs `{name}`");
        println!("`{name}` is not installed: a test that needs it was left out");
    }
    found
}

/// Splits the lines of a CSV text into fields; quoted fields may contain commas.
pub(crate) fn csv(text: &str) -> Vec<Vec<String>> {
    let fields = |line: &str| {
        let mut fields = vec![String::new()];
        let mut is_quoted = false;
        for c in line.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => fields.push(String::new()),
                _ => fields.last_mut().unwrap().push(c),
            }
        }
        fields
    };
    text.lines().map(fields).collect()
}

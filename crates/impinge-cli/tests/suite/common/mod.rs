//! What the tests of the command share: a way to run it, a folder to run it in, and small meshes
//! with answers of their own.

// Clippy allows these in tests, but does not take what tests call for one.
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

/// The folder of real files, or nothing and a line that says so.
pub(crate) fn corpus() -> Option<PathBuf> {
    let data = env::var_os("IMPINGE_DATA").filter(|data| !data.is_empty()).map(PathBuf::from);
    if data.is_none() {
        println!("IMPINGE_DATA is not set: the tests on real files were left out");
    }
    data
}

/// Whether a program that a test needs is there. Where nothing may be left out it has to be.
pub(crate) fn has_program(name: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    if !found {
        assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "this test needs `{name}`");
        println!("`{name}` is not installed: a test that needs it was left out");
    }
    found
}

/// The lines of a CSV text as fields; quotes may hold commas.
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

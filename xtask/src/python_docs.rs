//! `cargo xtask python-docs`: the documentation site of the Python package. Builds and installs the package in a fresh
//! virtual environment, makes the pages in the target folder, and checks their links.

use crate::{command, python::Environment};
use std::path::Path;

/// Builds the site. Its first page is `python-docs/index.html` in the target folder.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let site = command::target()?.join("python-docs");
    let site = site.to_str().ok_or("the target folder has no name that Python can be told")?;
    let environment = Environment::fresh(root, "python-docs-environment")?;
    environment.install("docs/requirements.txt")?;
    environment.python(&["crates/impinge-py/docs/build.py", site])
}

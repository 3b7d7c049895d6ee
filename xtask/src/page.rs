//! `cargo xtask page`: the pages of `impinge clash --report` and `impinge nc --report`. Their sources and the built files
//! are both in the repository.
//!
//! Checks the types in the sources, builds the pages, compares them with those in the repository, and runs the
//! tests in a browser.

use crate::{
    command, provide,
    step::{Outcome, cargo},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the sources.
const FOLDER: &str = "crates/impinge-page/page";

/// The pages: how `vite.config.ts` names each, and its built file in the folder `dist`.
const PAGES: [(&str, &str); 2] = [("clash", "report.html"), ("nc", "nc.html")];

/// What to do with the pages.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Fail if a built file is not up to date, or if a test fails.
    Check,
    /// Replace the built files.
    Keep,
}

pub(crate) fn run(root: &Path, then: Then) -> Outcome {
    let folder = root.join(FOLDER);
    if let Err(why) = provide::node().and_then(|()| packages(&folder)) {
        return Outcome::LeftOut(why);
    }
    let result = npm(&folder, &["run", "check"], &[]).and_then(|()| match then {
        Then::Check => compare(&folder),
        Then::Keep => build(&folder, &folder.join("dist")),
    });
    match (result, then) {
        (Err(why), _) => Outcome::Failed(why),
        (Ok(()), Then::Keep) => Outcome::Passed,
        (Ok(()), Then::Check) => browse(root, &folder),
    }
}

/// Installs the packages of the lock file.
fn packages(folder: &Path) -> Result<(), String> {
    npm(folder, &["ci", "--ignore-scripts", "--prefer-offline"], &[])
}

fn build(folder: &Path, to: &Path) -> Result<(), String> {
    let to = to.to_str().ok_or("the folder to build in has no name that npm can be told")?;
    for (page, _) in PAGES {
        npm(folder, &["run", "build", "--", "--mode", page, "--outDir", to], &[])?;
    }
    Ok(())
}

fn compare(folder: &Path) -> Result<(), String> {
    let built = work()?.join("built");
    build(folder, &built)?;
    let read =
        |path: PathBuf| fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    for (_, file) in PAGES {
        if read(built.join(file))? != read(folder.join("dist").join(file))? {
            return Err(format!(
                "{FOLDER}/dist/{file} is not up to date; `cargo xtask page --keep` builds it again"
            ));
        }
    }
    Ok(())
}

/// Runs the tests in a browser, with pages that the tests of the writer make.
fn browse(root: &Path, folder: &Path) -> Outcome {
    if let Err(why) = provide::program("chromium", "chromium") {
        return Outcome::LeftOut(why);
    }
    let pages = match work() {
        Ok(work) => work.join("reports"),
        Err(why) => return Outcome::Failed(why),
    };
    let Some(pages) = pages.to_str() else {
        return Outcome::Failed(format!("{} has no name that tests can be told", pages.display()));
    };
    let environment = [("IMPINGE_PAGES", pages)];
    let make = ["checked", "--workspace", "--lib", "page"];
    match cargo(root, &make, &environment) {
        Outcome::Passed => {}
        other => return other,
    }
    let tested = gearbox(root, pages)
        .and_then(|()| program(root, pages))
        .and_then(|()| npm(folder, &["test"], &environment));
    tested.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// Replaces the sample page of the gearbox by one that the command makes.
fn gearbox(root: &Path, pages: &str) -> Result<(), String> {
    let [json, html] = ["json", "html"].map(|kind| format!("{pages}/gearbox/report.{kind}"));
    let clash = ["clash", "gen:gearbox", "--clearance", "0.1", "-o", &json, "--report", &html];
    impinge(root, &clash)
}

/// Replaces the sample page of the example program by one that the command makes.
fn program(root: &Path, pages: &str) -> Result<(), String> {
    let [json, html] = ["json", "html"].map(|kind| format!("{pages}/nc-demo/nc.{kind}"));
    impinge(root, &["nc", "-o", &json, "--report", &html])
}

/// Runs the command. There are findings, so the exit code is 1.
fn impinge(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let run = ["run", "--release", "-p", "impinge-cli", "--"];
    let status = command::cargo(root, &[&run[..], arguments].concat()).status();
    match status.map(|status| status.code()) {
        Ok(Some(1)) => Ok(()),
        other => Err(format!("`impinge {}` ended with {other:?}", arguments.join(" "))),
    }
}

/// Returns a folder for temporary files.
fn work() -> Result<PathBuf, String> {
    Ok(command::target()?.join("page"))
}

fn npm(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let shown = format!("npm {}", arguments.join(" "));
    println!("$ {shown}");
    let status = Command::new("npm")
        .args(arguments)
        .current_dir(folder)
        .env("npm_config_update_notifier", "false")
        .envs(environment.iter().copied())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}

//! `cargo xtask page`: the page of `impinge clash --report`, whose sources and built file are both kept.
//!
//! Checks the sources' types, builds the page anew and compares it with the one that is kept, and tries it
//! in a real browser.

use crate::{
    command, provide,
    step::{Outcome, cargo},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where the sources are.
const FOLDER: &str = "crates/impinge-clash/page";

/// What is built of them.
const FILE: &str = "dist/report.html";

/// What to do with the page.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Fail where the page that is kept is not what its sources make, or does not work.
    Check,
    /// Keep what the sources make.
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

/// Fetches what the lock file names, and nothing else.
fn packages(folder: &Path) -> Result<(), String> {
    npm(folder, &["ci", "--ignore-scripts", "--prefer-offline"], &[])
}

fn build(folder: &Path, to: &Path) -> Result<(), String> {
    let to = to.to_str().ok_or("the folder to build in has no name that npm can be told")?;
    npm(folder, &["run", "build", "--", "--outDir", to, "--emptyOutDir"], &[])
}

fn compare(folder: &Path) -> Result<(), String> {
    let built = work()?.join("built");
    build(folder, &built)?;
    let read =
        |path: PathBuf| fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    if read(built.join("report.html"))? == read(folder.join(FILE))? {
        return Ok(());
    }
    Err(format!(
        "{FOLDER}/{FILE} is not what its sources make; `cargo xtask page --keep` puts it right"
    ))
}

/// The tests in a browser, on pages that the tests of the writer make.
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
    let tested = gearbox(root, pages).and_then(|()| npm(folder, &["test"], &environment));
    tested.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// In the place of the gearbox that the writer's tests make up, what the command itself says of it.
fn gearbox(root: &Path, pages: &str) -> Result<(), String> {
    let [json, html] = ["json", "html"].map(|kind| format!("{pages}/gearbox/report.{kind}"));
    let run = ["run", "--release", "-p", "impinge-cli", "--"];
    let clash = ["clash", "gen:gearbox", "--clearance", "0.1", "-o", &json, "--report", &html];
    let status = command::cargo(root, &[&run[..], &clash].concat()).status();
    // It finds something, so it ends with 1.
    match status.map(|status| status.code()) {
        Ok(Some(1)) => Ok(()),
        other => Err(format!("`impinge clash gen:gearbox` ended with {other:?}")),
    }
}

/// A folder for what is made on the way.
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

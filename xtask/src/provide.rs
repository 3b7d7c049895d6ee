//! Making sure that what a step needs is there, and fetching it where we may.

use crate::command;
use std::{path::Path, process::Command};

/// A component of the Rust toolchain: from rustup, or where Rust came from Debian, from there.
pub(crate) fn component(component: &str) -> Result<(), String> {
    let (program, package) = match component {
        "clippy" => ("cargo-clippy", "rust-clippy"),
        other => (other, other),
    };
    if runs(program, "--version") {
        return Ok(());
    }
    if runs("rustup", "--version") {
        println!("$ rustup component add {component}");
        let _ = Command::new("rustup").args(["component", "add", component]).status();
    } else {
        apt_install(package);
    }
    if runs(program, "--version") {
        return Ok(());
    }
    Err(format!("{component} is missing; `rustup component add {component}` installs it"))
}

/// A program that tests run, from the system's packages.
pub(crate) fn program(program: &str, package: &str) -> Result<(), String> {
    if runs(program, "--version") {
        return Ok(());
    }
    apt_install(package);
    if runs(program, "--version") {
        return Ok(());
    }
    Err(format!("`{program}` is missing; on Debian `apt-get install {package}` installs it"))
}

/// Node.js, of a version that builds the page, and npm.
pub(crate) fn node() -> Result<(), String> {
    const LEAST: u32 = 20;
    program("npm", "npm")?;
    program("node", "nodejs")?;
    let version = command::output_of(Command::new("node").arg("--version"))?;
    let major = version.trim().trim_start_matches('v').split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major >= LEAST => Ok(()),
        _ => Err(format!("Node.js {} is too old; {LEAST} or later is needed", version.trim())),
    }
}

fn runs(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
}

/// Installs a package on Debian, as root. Anywhere else the caller says what is missing.
pub(crate) fn apt_install(package: &str) {
    let is_debian = Path::new("/etc/debian_version").exists();
    let user = Command::new("id").arg("-u").output();
    let is_root = user.is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    if !is_debian || !is_root {
        return;
    }
    let install = ["install", "-y", "--no-install-recommends", "-o", "Acquire::Retries=3", package];
    for arguments in [&["update", "-o", "Acquire::Retries=3"][..], &install] {
        println!("$ apt-get {}", arguments.join(" "));
        let _ = Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status();
    }
}

//! Making sure that what a step needs is there, and fetching it where we may.

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

fn runs(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
}

/// Installs a package on Debian, as root. Anywhere else the caller says what is missing.
fn apt_install(package: &str) {
    let is_debian = Path::new("/etc/debian_version").exists();
    let user = Command::new("id").arg("-u").output();
    let is_root = user.is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    if !is_debian || !is_root {
        return;
    }
    for arguments in [&["update"][..], &["install", "-y", "--no-install-recommends", package]] {
        println!("$ apt-get {}", arguments.join(" "));
        let _ = Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status();
    }
}

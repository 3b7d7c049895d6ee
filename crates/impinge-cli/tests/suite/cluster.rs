//! `impinge clash --ray`: the program without Python hands the command over to Python.

use crate::common::{
    folder::Folder,
    run::{Finished, Run},
};

/// Runs the command with this shell script as Python.
fn clash(folder: &Folder, script: &str, arguments: &[&str]) -> Finished {
    // The shell writes the script: a file that this process has open for writing could not be run by another.
    let (python, body) = (folder.at("python"), folder.write("body", script));
    let write = format!("{{ echo '#!/bin/sh'; cat '{body}'; }} > '{python}'; chmod 755 '{python}'");
    let all = ["clash", "--ray", "local"].into_iter().chain(arguments.iter().copied());
    Run::after(&format!("{write}; export IMPINGE_PYTHON='{python}'"), all).finish()
}

/// A Python with the packages: its first call tells whether they are there.
const PYTHON: &str = "test \"$1\" = -c && exit 0";

#[test]
fn python_gets_the_command() {
    let folder = Folder::new();
    for code in [0, 1, 2, 130] {
        let script = format!("{PYTHON}; echo \"$@\"; echo note >&2; exit {code}");
        let run = clash(&folder, &script, &["a b.obj", "--json"]);
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert_eq!(run.stdout, "-m impinge.ray clash --ray local a b.obj --json\n");
        assert_eq!(run.stderr, "note\n");
    }
}

/// Signals reach Python, because it has taken the place of the program.
#[cfg(unix)]
#[test]
fn python_takes_the_place_of_the_program() {
    let folder = Folder::new();
    let run = clash(&folder, &format!("{PYTHON}; kill -TERM $$; sleep 60"), &[]);
    assert_eq!(run.code, None, "ended by the signal: {}", run.stderr);
}

#[test]
fn failures_are_one_line() {
    let folder = Folder::new();
    clash(&folder, "exit 10", &[]).refuses(&["--ray", "no package impinge", "pip install"]);
    clash(&folder, "exit 11", &[]).refuses(&["--ray", "no package ray", "pip install ray"]);
    // A Python that ends in another way is not of use, either.
    clash(&folder, "echo hello; exit 1", &[]).refuses(&["--ray", "no package impinge"]);
    let missing = "export IMPINGE_PYTHON=/no/such/python";
    Run::after(missing, ["clash", "--ray", "local"]).finish().refuses(&[
        "--ray",
        "/no/such/python",
        "IMPINGE_PYTHON",
    ]);
}

/// The real Python of this machine, without the packages.
#[test]
fn a_python_without_packages_is_refused() {
    let found = std::process::Command::new("python3").arg("--version").output();
    if !found.is_ok_and(|run| run.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    }
    let folder = Folder::new();
    // -I and -S leave out the packages that may be installed.
    clash(&folder, "exec python3 -I -S \"$@\"", &[]).refuses(&["--ray", "no package impinge"]);
}

//! Running other programs for what they print.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Cargo, the same that runs us, in the workspace.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    println!("$ cargo {}", arguments.join(" "));
    let mut cargo = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.args(arguments).current_dir(root);
    cargo
}

/// Runs a command and returns what it prints; what it complains of goes to the terminal.
pub(crate) fn output_of(command: &mut Command) -> Result<String, String> {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let shown = words.collect::<Vec<_>>().join(OsStr::new(" ")).display().to_string();
    let run = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("`{shown}` did not start: {error}"))?;
    if !run.status.success() {
        return Err(format!("`{shown}` ended with {}", run.status));
    }
    String::from_utf8(run.stdout).map_err(|error| format!("`{shown}`: {error}"))
}

/// The version of the compiler.
pub(crate) fn rust_version() -> String {
    let text = output_of(Command::new("rustc").arg("--version")).unwrap_or_default();
    text.split_whitespace().nth(1).unwrap_or("of unknown version").to_owned()
}

/// Where cargo puts what it builds: we were put there ourselves, in a folder of a profile.
pub(crate) fn target() -> Result<PathBuf, String> {
    let program = env::current_exe().map_err(|error| format!("where are we? {error}"))?;
    let target = program.ancestors().nth(2).ok_or("we are nowhere")?;
    Ok(target.to_owned())
}

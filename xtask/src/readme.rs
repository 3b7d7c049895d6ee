//! The README's promises: every `cargo run` line in it is run as it stands.

use crate::{command, step::Outcome};
use std::{fs, path::Path};

pub(crate) fn check(root: &Path) -> Outcome {
    let text = match fs::read_to_string(root.join("README.md")) {
        Ok(text) => text,
        Err(error) => return Outcome::Failed(format!("README.md: {error}")),
    };
    if !text.contains("cargo xtask test") {
        return Outcome::Failed("README.md does not name the test command".to_owned());
    }
    let lines = text.lines().map(str::trim);
    let commands: Vec<&str> = lines.filter_map(|line| line.strip_prefix("cargo run ")).collect();
    if commands.is_empty() {
        return Outcome::Failed("README.md has no line that begins with `cargo run`".to_owned());
    }
    for command in commands {
        let arguments: Vec<&str> = ["run"].into_iter().chain(command.split_whitespace()).collect();
        // A command that finds clashes ends with 1, as it should.
        let is_expected =
            |code| code == Some(0) || (code == Some(1) && arguments.contains(&"clash"));
        match command::cargo(root, &arguments).status() {
            Ok(status) if is_expected(status.code()) => {}
            Ok(status) => {
                return Outcome::Failed(format!("`cargo run {command}` ended with {status}"));
            }
            Err(error) => return Outcome::Failed(format!("`cargo run {command}`: {error}")),
        }
    }
    Outcome::Passed
}

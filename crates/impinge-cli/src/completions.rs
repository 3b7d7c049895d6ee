//! `impinge completions`: prints completion scripts for shells.

use crate::{failure::Failure, output};
use clap::Command;
use clap_complete::Shell;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge completions bash > ~/.local/share/bash-completion/completions/impinge
  impinge completions zsh > ~/.zfunc/_impinge
  impinge completions fish > ~/.config/fish/completions/impinge.fish")]
pub(crate) struct Arguments {
    /// Shell that will run the script
    shell: Shell,
}

/// Prints a script that completes the words of `command`.
pub(crate) fn run(arguments: &Arguments, command: &mut Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, command, "impinge", &mut script);
    output::text(&String::from_utf8_lossy(&script))
}

//! `impinge completions`: scripts with which shells complete commands and options.

use crate::{command, failure::Failure, output};
use clap_complete::Shell;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  impinge completions bash > ~/.local/share/bash-completion/completions/impinge
  impinge completions zsh > ~/.zfunc/_impinge
  impinge completions fish > ~/.config/fish/completions/impinge.fish")]
pub(crate) struct Arguments {
    /// The shell to print for
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "impinge", &mut script);
    output::text(&String::from_utf8_lossy(&script))
}

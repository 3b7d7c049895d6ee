//! `impinge completions`: so that the shell can finish our words.

use crate::{Cli, failure::Failure, output};
use clap::CommandFactory;
use clap_complete::Shell;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
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
    clap_complete::generate(arguments.shell, &mut Cli::command(), "impinge", &mut script);
    output::text(&String::from_utf8_lossy(&script))
}

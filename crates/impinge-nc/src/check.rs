//! The check of a whole program.

use crate::{Options, Outcome, Program, Setup, Tool};
use std::collections::BTreeMap;

/// Receives the progress of a check, and can end it.
pub trait Watch: Sync {
    /// Called from time to time, from any thread, with the number of moves that are checked so far. Returning `false` ends
    /// the check.
    fn moves_checked(&self, _moves: usize) -> bool {
        true
    }
}

impl Watch for () {}

/// Checks every move of a program against every body of a setup. Returns `None` if the watcher ended the check.
///
/// `tools` has the tool for each number that the program uses. A move whose tool is not in the list is an error of the
/// caller, and is not checked.
pub fn check(
    _program: &Program,
    _tools: &BTreeMap<u32, Tool>,
    _setup: &Setup,
    _options: &Options,
    _watch: &dyn Watch,
) -> Option<Outcome> {
    Some(Outcome::default())
}

//! Runs the check with a progress bar, and stops it on Ctrl-C.

use crate::{failure::Failure, interrupt::Interrupt, progress::Progress};
use impinge_nc::{CheckError, Options, Outcome, Program, Setup, Tool, Watch, check};
use std::{collections::BTreeMap, sync::Mutex};

/// Checks a program, with a progress bar that counts lines if the check takes long.
pub(super) fn find(
    program: &Program,
    tools: &BTreeMap<u32, Tool>,
    setup: &Setup,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<Outcome, Failure> {
    let watcher = Watcher {
        interrupt,
        progress: Progress::with_rate("checking lines", program.lines.into()),
        shown: Mutex::new(0),
        moves: program.moves.len().max(1) as u64,
        lines: program.lines.into(),
    };
    check(program, tools, setup, options, &watcher).map_err(|error| match error {
        CheckError::Ended => Failure::Interrupted("interrupted; no file was written".into()),
        other => Failure::input(other.to_string()),
    })
}

/// Shows the progress of a check, and stops it on Ctrl-C.
struct Watcher<'w> {
    interrupt: &'w Interrupt,
    progress: Progress,
    /// The number of lines that the bar shows.
    shown: Mutex<u64>,
    moves: u64,
    lines: u64,
}

impl Watch for Watcher<'_> {
    fn moves_checked(&self, moves: usize) -> bool {
        // If another thread is updating the bar, skip this update: the next one will be further on.
        if let Ok(mut shown) = self.shown.try_lock() {
            // Lines with many moves, cycles and loops, count as so many lines as others.
            let lines = (u128::from(self.lines) * moves as u128 / u128::from(self.moves)) as u64;
            if lines > *shown {
                *shown = lines;
                self.progress.at(lines, self.lines);
            }
        }
        !self.interrupt.is_requested()
    }
}

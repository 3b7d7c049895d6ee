//! The search, with a progress bar and an end when Ctrl-C asks for it.

use crate::{failure::Failure, interrupt::Interrupt, output, progress::Progress, threads};
use impinge::{
    Threads,
    clash::{self, Stage},
};
use impinge_clash::{Error, Options, Outcome, Rule, Watch, check};
use impinge_io::assembly::Assembly;
use std::sync::Mutex;

/// Finds what clashes, on so many threads, with a bar if it takes long.
pub(super) fn find(
    assembly: Assembly,
    mut options: Options,
    threads: u16,
    interrupt: &Interrupt,
) -> Result<Outcome, Failure> {
    let watcher = Watcher {
        interrupt,
        progress: Progress::new("preparing", assembly.meshes.len() as u64),
        shown: Mutex::new(None),
        parts: assembly.parts.len(),
    };
    let outcome = match threads::pool(threads)? {
        None => check(assembly, &options, &watcher),
        Some(pool) => {
            options.threads = Threads::Pool;
            pool.install(|| check(assembly, &options, &watcher))
        }
    };
    outcome.map_err(|error| match error {
        Error::NoSuchGroup(_) => Failure::input(format!("--between: {error}")),
        error => error.into(),
    })
}

struct Watcher<'w> {
    interrupt: &'w Interrupt,
    progress: Progress,
    /// What the bar shows.
    shown: Mutex<Option<(Stage, u64)>>,
    parts: usize,
}

impl Watch for Watcher<'_> {
    fn idle_rule(&self, rule: &Rule) {
        output::note(&format!("{rule} fits no part"));
    }

    fn proceed(&self, progress: clash::Progress) -> bool {
        // Whoever finds somebody else at it leaves it at that: the next will be further.
        if let Ok(mut shown) = self.shown.try_lock() {
            let clash::Progress { stage, done, total, .. } = progress;
            if shown.is_none_or(|(before, _)| before != stage) {
                let parts = self.parts;
                self.progress.begin(&match stage {
                    Stage::Meshes => format!("{parts} parts: meshes"),
                    Stage::Pairs => format!("{parts} parts: pairs"),
                });
                *shown = Some((stage, 0));
            }
            // Threads overtake each other, but the bar only goes forward.
            if shown.is_some_and(|(_, before)| done >= before) {
                *shown = Some((stage, done));
                self.progress.at(done, total);
            }
        }
        !self.interrupt.is_asked()
    }
}

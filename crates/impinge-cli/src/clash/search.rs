//! Runs the clash search with a progress bar, and stops it on Ctrl-C.

use crate::{
    cluster::Cluster, failure::Failure, interrupt::Interrupt, output, progress::Progress, threads,
};
use impinge::{
    Threads,
    clash::{self, Stage},
};
use impinge_clash::{CheckOptions, CheckWatch, Error, Outcome, Plan, Rule, check};
use impinge_io::assembly::Assembly;
use std::sync::Mutex;

/// Finds the clashes of `assembly` on `threads` threads, with a progress bar if the search takes long.
pub(super) fn find(
    assembly: Assembly,
    options: CheckOptions,
    threads: u16,
    interrupt: &Interrupt,
) -> Result<Outcome, Failure> {
    let watcher = Watcher::new(&assembly, interrupt);
    on_threads(options, threads, |options| check(assembly, options, &watcher))
}

/// Finds the clashes of `assembly` on a cluster. The outcome is the same.
pub(super) fn find_on(
    cluster: &dyn Cluster,
    address: &str,
    assembly: Assembly,
    options: CheckOptions,
    interrupt: &Interrupt,
) -> Result<Outcome, Failure> {
    let watcher = Watcher::new(&assembly, interrupt);
    let plan = Plan::new(assembly, options, &watcher).map_err(failure)?;
    let proceed = |done, total| watcher.proceed(clash::Progress::new(Stage::Pairs, done, total));
    Ok(cluster.find(address, plan, &proceed)?)
}

/// Does a check with options that say on how many threads.
pub(super) fn on_threads<T: Send>(
    mut options: CheckOptions,
    threads: u16,
    check: impl FnOnce(&CheckOptions) -> Result<T, Error> + Send,
) -> Result<T, Failure> {
    let outcome = match threads::pool(threads)? {
        None => check(&options),
        Some(pool) => {
            options.threads = Threads::Pool;
            pool.install(|| check(&options))
        }
    };
    outcome.map_err(failure)
}

/// Names the option that caused an error.
pub(super) fn failure(error: Error) -> Failure {
    match error {
        Error::NoSuchGroup(_) => Failure::input(format!("--between: {error}")),
        Error::NothingMoves(_) | Error::EverythingMoves => {
            Failure::input(format!("--moving: {error}"))
        }
        error => error.into(),
    }
}

/// Notes about rules that match no part; a file that is no list of rules would cause one for each line.
const MAX_NOTES: usize = 5;

/// Shows the progress of a check, and stops it on Ctrl-C.
pub(super) struct Watcher<'w> {
    interrupt: &'w Interrupt,
    progress: Progress,
    /// The stage and the count that the bar shows.
    shown: Mutex<Option<(Stage, u64)>>,
    parts: usize,
}

impl<'w> Watcher<'w> {
    pub(super) fn new(assembly: &Assembly, interrupt: &'w Interrupt) -> Self {
        Self {
            interrupt,
            progress: Progress::new("preparing", assembly.meshes.len() as u64),
            shown: Mutex::new(None),
            parts: assembly.parts.len(),
        }
    }
}

impl CheckWatch for Watcher<'_> {
    fn idle_rules(&self, rules: &[&Rule]) {
        let (shown, more) = rules.split_at(rules.len().min(MAX_NOTES));
        shown.iter().for_each(|rule| output::note(&format!("{rule} matches no part")));
        if !more.is_empty() {
            output::note(&format!("and {} more", more.len()));
        }
    }

    fn proceed(&self, progress: clash::Progress) -> bool {
        // If another thread is updating the bar, skip this update: the next one will be further on.
        if let Ok(mut shown) = self.shown.try_lock() {
            let clash::Progress { stage, done, total, .. } = progress;
            if shown.is_none_or(|(before, _)| before != stage) {
                let parts = output::count(self.parts, "part");
                self.progress.start_stage(&match stage {
                    Stage::Meshes => format!("{parts}: meshes"),
                    Stage::Pairs => format!("{parts}: pairs"),
                });
                *shown = Some((stage, 0));
            }
            // Threads report out of order; the bar only moves forward.
            if shown.is_some_and(|(_, before)| done >= before) {
                *shown = Some((stage, done));
                self.progress.at(done, total);
            }
        }
        !self.interrupt.is_requested()
    }
}

//! The search itself: what is looked at, how far it is, and how it is stopped.

use super::filter::Filter;
use crate::{failure::Failure, interrupt::Interrupt, progress::Progress, query};
use impinge::{
    Threads,
    clash::{self, Options, Part, Report, Stage, Watch},
};
use impinge_io::assembly::Assembly;
use std::sync::Mutex;

/// Finds what clashes, on so many threads, with a bar if it takes long.
pub(super) fn find(
    assembly: &Assembly,
    filter: &Filter<'_>,
    options: &Options,
    threads: u16,
    interrupt: &Interrupt,
) -> Result<Report, Failure> {
    let parts: Vec<Part> = assembly
        .parts
        .iter()
        .map(|part| Part { mesh: assembly.meshes[part.mesh].clone(), pose: part.placement })
        .collect();
    let watcher = Watcher {
        filter,
        interrupt,
        progress: Progress::new("preparing", assembly.meshes.len() as u64),
        shown: Mutex::new(None),
        parts: parts.len(),
    };
    let report = match query::pool(threads)? {
        None => clash::find(&parts, options, &watcher),
        Some(pool) => {
            pool.install(|| clash::find(&parts, &options.threads(Threads::Pool), &watcher))
        }
    };
    report.ok_or_else(|| Failure::Interrupted("interrupted".into()))
}

struct Watcher<'w> {
    filter: &'w Filter<'w>,
    interrupt: &'w Interrupt,
    progress: Progress,
    /// What the bar shows.
    shown: Mutex<Option<(Stage, u64)>>,
    parts: usize,
}

impl Watch for Watcher<'_> {
    fn heeds(&self, a: usize, b: usize) -> bool {
        self.filter.heeds(a, b)
    }

    fn proceed(&self, progress: clash::Progress) -> bool {
        // Whoever finds somebody else at it leaves it at that: the next will be further.
        if let Ok(mut shown) = self.shown.try_lock() {
            let clash::Progress { stage, done, total } = progress;
            if shown.is_none_or(|(before, _)| before != stage) {
                let parts = self.parts;
                self.progress.begin(match stage {
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

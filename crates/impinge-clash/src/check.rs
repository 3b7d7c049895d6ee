//! Runs a check: applies the filter, searches for clashes and lists them.

use crate::{
    error::Error,
    filter::Filter,
    options::CheckOptions,
    outcome::{Listed, Outcome, SearchStats},
    rules::Rule,
};
use impinge::clash::{self, Part, Progress, Report};
use impinge_io::assembly::Assembly;

/// Callbacks of a check, for progress and cancellation. `()` ignores all calls.
pub trait CheckWatch: Sync {
    /// Called before the search if there are rules that match no part: their names are probably misspelt.
    fn idle_rules(&self, rules: &[&Rule]) {
        let _ = rules;
    }

    /// Called from time to time during the search, from any thread. Returns whether to continue.
    fn proceed(&self, progress: Progress) -> bool {
        let _ = progress;
        true
    }
}

impl CheckWatch for () {}

/// Finds the clashes of an assembly, and lists them according to `options`.
///
/// The outcome does not depend on the number of threads.
///
/// # Errors
/// If a length is negative or not finite, if a group of [`Pairs::between`](crate::Pairs::between) does not
/// exist, or if `watch` stops the search.
pub fn check(
    assembly: Assembly,
    options: &CheckOptions,
    watch: &impl CheckWatch,
) -> Result<Outcome, Error> {
    let mut search_options =
        clash::Options::new().clearance(options.clearance)?.threads(options.threads);
    if let Some(touch) = options.touch {
        search_options = search_options.touch(touch)?;
    }
    let (filter, unmatched) = Filter::new(&assembly, &options.pairs)?;
    if !unmatched.is_empty() {
        watch.idle_rules(&unmatched);
    }
    let parts: Vec<Part> = assembly
        .parts
        .iter()
        .map(|part| {
            let mut checked = Part::new(assembly.meshes[part.mesh].clone(), part.placement);
            checked.rounding = part.rounding;
            checked.tessellation = part.tessellation.clone();
            checked
        })
        .collect();
    let watcher = Watcher { filter: &filter, watch };
    let report = clash::find_watched(&parts, &search_options, &watcher).ok_or(Error::Stopped)?;
    let open_parts = report.open_parts();
    let Report { clashes, pairs_checked, touch, .. } = report;
    let listed = Listed::new(&assembly, &filter, options, clashes);
    drop(filter);
    let found = SearchStats { pairs_checked, open_parts, touch, clearance: options.clearance };
    Ok(Outcome::new(assembly, listed, found))
}

struct Watcher<'w, W> {
    filter: &'w Filter<'w>,
    watch: &'w W,
}

impl<W: CheckWatch> clash::Watch for Watcher<'_, W> {
    fn includes(&self, a: usize, b: usize) -> bool {
        self.filter.includes(a, b)
    }

    fn proceed(&self, progress: Progress) -> bool {
        self.watch.proceed(progress)
    }
}

//! Runs a check: applies the filter, searches for clashes and lists them.

use crate::{
    error::Error,
    filter::{Exclusion, Filter},
    hidden::Hidden,
    identity::Identities,
    options::CheckOptions,
    outcome::{Listed, Outcome},
    rules::Rule,
};
use impinge::{
    ToleranceError,
    clash::{self, Effort, Progress, Report},
};
use impinge_io::assembly::Assembly;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
    let search = search_options(options)?;
    let (filter, unmatched) = Filter::new(&assembly, &options.pairs)?;
    if !unmatched.is_empty() {
        watch.idle_rules(&unmatched);
    }
    let parts = assembly.clash_parts();
    let watcher = Watcher::new(&filter, watch);
    let report = clash::find_watched(&parts, &search, &watcher).ok_or(Error::Stopped)?;
    let hidden = watcher.hidden();
    drop(filter);
    outcome(assembly, options, hidden, report)
}

/// The options of the search.
pub(crate) fn search_options(options: &CheckOptions) -> Result<clash::Options, ToleranceError> {
    let effort = if options.is_quick { Effort::Quick } else { Effort::Full };
    let search =
        clash::Options::new().clearance(options.clearance)?.effort(effort).threads(options.threads);
    match options.touch {
        None => Ok(search),
        Some(touch) => search.touch(touch),
    }
}

/// Lists what the search found. `hidden` has the near pairs that were not checked.
pub(crate) fn outcome(
    assembly: Assembly,
    options: &CheckOptions,
    hidden: Hidden,
    report: Report,
) -> Result<Outcome, Error> {
    let (filter, _) = Filter::new(&assembly, &options.pairs)?;
    let identities = Identities::new(&assembly);
    let listed = Listed::new(&assembly, &identities, &filter, options, report.clashes);
    drop(filter);
    let mut outcome = Outcome::new(assembly, listed);
    let findings = &mut outcome.findings;
    findings.identities = identities.into();
    findings.hidden = findings.hidden.plus(hidden);
    findings.pairs_checked = report.pairs_checked;
    findings.gaps = report.gaps;
    findings.touch = report.touch;
    findings.touch_given = options.touch;
    findings.clearance = options.clearance;
    findings.is_quick = options.is_quick;
    Ok(outcome)
}

/// Includes the pairs that a filter does not exclude, and counts the others.
pub(crate) struct Watcher<'w, W> {
    filter: &'w Filter<'w>,
    watch: &'w W,
    /// The number of near pairs that are not checked, by reason.
    excluded: [AtomicU64; 4],
}

impl<'w, W> Watcher<'w, W> {
    pub(crate) fn new(filter: &'w Filter<'w>, watch: &'w W) -> Self {
        Self { filter, watch, excluded: Default::default() }
    }

    /// Returns the number of near pairs that were not checked, by reason.
    pub(crate) fn hidden(&self) -> Hidden {
        let of = |why: Exclusion| self.excluded[why as usize].load(Relaxed);
        Hidden {
            pairs_ignored: of(Exclusion::Rule),
            pairs_between: of(Exclusion::Between),
            pairs_same_group: of(Exclusion::SameGroup),
            pairs_adjacent: of(Exclusion::Adjacent),
            ..Hidden::default()
        }
    }
}

impl<W: CheckWatch> clash::Watch for Watcher<'_, W> {
    fn includes(&self, a: usize, b: usize) -> bool {
        let why = self.filter.excludes(a, b);
        if let Some(why) = why {
            self.excluded[why as usize].fetch_add(1, Relaxed);
        }
        why.is_none()
    }

    fn proceed(&self, progress: Progress) -> bool {
        self.watch.proceed(progress)
    }
}

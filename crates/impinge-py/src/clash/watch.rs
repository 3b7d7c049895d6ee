//! Checks that are watched while they run: progress for Python, Ctrl-C, warnings about rules.

use crate::{interrupt::interruptible, pool::Workers};
use impinge::{
    Threads,
    clash::{Progress, Stage},
};
use impinge_clash::{CheckWatch, Rule};
use pyo3::prelude::*;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Receives the progress of a check, and tells it when to end.
#[derive(Default)]
pub(crate) struct Watcher {
    should_end: AtomicBool,
    latest: Mutex<Option<Progress>>,
    idle_rules: Mutex<Vec<String>>,
}

impl CheckWatch for Watcher {
    fn idle_rules(&self, rules: &[&Rule]) {
        let mut idle = self.idle_rules.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(rules.iter().map(ToString::to_string));
    }

    fn proceed(&self, progress: Progress) -> bool {
        if let Ok(mut latest) = self.latest.try_lock() {
            *latest = Some(progress);
        }
        !self.should_end.load(Ordering::Relaxed)
    }
}

impl Watcher {
    /// Calls the function of the user with the stage, the number of items that are done, and that of all items.
    fn tell(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        let Some(function) = progress else { return Ok(()) };
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(latest) = latest else { return Ok(()) };
        let stage = match latest.stage {
            Stage::Meshes => "meshes",
            Stage::Pairs => "pairs",
        };
        function.call1(py, (stage, latest.done, latest.total)).map(|_| ())
    }

    /// Warns about rules that match no part.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let idle = self.idle_rules.lock().unwrap_or_else(PoisonError::into_inner);
        for rule in &*idle {
            let text = format!("the rule {rule} matches no part");
            py.import("warnings")?.call_method1("warn", (text,))?;
        }
        Ok(())
    }
}

/// Runs a check on the threads of `workers`, without the interpreter. Calls `progress` now and then, and warns about rules
/// that match no part. Ctrl-C and an exception of `progress` end the check.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    workers: &Workers,
    progress: Option<&Py<PyAny>>,
    check: impl FnOnce(Threads, &Watcher) -> R + Send,
) -> PyResult<R> {
    let watcher = Watcher::default();
    let found = interruptible(
        py,
        &watcher.should_end,
        |py| watcher.tell(py, progress),
        || workers.run(|threads| check(threads, &watcher)),
    )?;
    watcher.warn(py)?;
    Ok(found)
}

//! Times of the stages of a computation, if they are asked for.

use std::time::{Duration, Instant};

/// Measures stages one after the other. Holds no clock if nothing is to be timed: some platforms have none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// A stopwatch that runs if `is_timed`.
    pub(crate) fn new(is_timed: bool) -> Self {
        Self(is_timed.then(Instant::now))
    }

    /// Whether there is a clock.
    pub(crate) fn is_running(&self) -> bool {
        self.0.is_some()
    }

    /// The time since the start or the last call; zero without a clock.
    pub(crate) fn stage_time(&mut self) -> Duration {
        let Some(since) = &mut self.0 else { return Duration::ZERO };
        let now = Instant::now();
        now - std::mem::replace(since, now)
    }
}

//! Shared by the comparisons: fair timing on a machine with other load, scenes, and the peer protocol.

pub mod peer;
pub mod scenes;
pub mod tree_query;

use std::time::{Duration, Instant};

/// A clock of the time that the current thread has run. It stands still while the machine runs other programs instead, so
/// it suits long measurements on a machine with other load. Its steps are a few milliseconds.
///
/// Where the system does not tell that time, it is a usual clock.
#[derive(Clone, Copy, Debug)]
pub struct ThreadClock {
    start: Instant,
    ran_before: Option<Duration>,
}

impl ThreadClock {
    /// Starts the clock.
    pub fn start() -> Self {
        Self { ran_before: Self::ran(), start: Instant::now() }
    }

    /// Returns the seconds since the start.
    pub fn seconds(&self) -> f64 {
        let ran = self.ran_before.and_then(|before| Some(Self::ran()?.saturating_sub(before)));
        ran.unwrap_or_else(|| self.start.elapsed()).as_secs_f64()
    }

    /// How long the thread has run, as Linux tells.
    fn ran() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
}

/// A workload to be timed: a name, and a closure that returns a checksum of its answers.
pub struct Contender<'c> {
    /// The name in the table.
    pub name: &'static str,
    /// Runs the whole workload once and returns the number of positive answers.
    pub run: Box<dyn FnMut() -> usize + 'c>,
}

impl std::fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The best time of a contender, and its answers.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The name in the table.
    pub name: &'static str,
    /// The shortest time of all rounds.
    pub best: Duration,
    /// The number of positive answers.
    pub count: usize,
}

/// Runs all contenders in turn for several rounds and keeps the shortest time of each.
///
/// Taking turns spreads the load of other processes evenly; the shortest time is the cost of the code without
/// disturbance.
pub fn race(rounds: usize, contenders: &mut [Contender<'_>]) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = contenders
        .iter()
        .map(|c| Outcome { name: c.name, best: Duration::MAX, count: 0 })
        .collect();
    for _ in 0..rounds {
        for (contender, outcome) in contenders.iter_mut().zip(&mut outcomes) {
            let start = Instant::now();
            outcome.count = (contender.run)();
            outcome.best = outcome.best.min(start.elapsed());
        }
    }
    outcomes
}

/// The time of each pose of a scene: the shortest of several rounds.
#[derive(Clone, Debug)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Returns a list for `poses` poses, none of them timed yet.
    pub fn new(poses: usize) -> Self {
        Self(vec![Duration::MAX; poses])
    }

    /// Records the time of a pose, from `start` until now.
    pub fn note(&mut self, pose: usize, since: Instant) {
        self.0[pose] = self.0[pose].min(since.elapsed());
    }

    /// Returns the mean in microseconds.
    pub fn mean(&self) -> f64 {
        Self::us(self.0.iter().sum::<Duration>()) / self.0.len() as f64
    }

    /// Returns the longest time, in microseconds, without the given share of the slowest poses.
    pub fn longest_but(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = ((1.0 - share) * sorted.len() as f64).ceil() as usize;
        Self::us(sorted[rank.max(1) - 1])
    }

    fn us(time: Duration) -> f64 {
        time.as_secs_f64() * 1e6
    }
}

//! What the comparisons share: fair timing on a machine that is never quiet.

pub mod scenes;

use std::time::{Duration, Instant};

/// Something to be timed: a name, and a run that returns a checksum of its answers.
pub struct Contender<'c> {
    /// What the table calls it.
    pub name: &'static str,
    /// Runs the whole workload once and counts the positive answers.
    pub run: Box<dyn FnMut() -> usize + 'c>,
}

impl std::fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What one contender needed and answered.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// What the table calls it.
    pub name: &'static str,
    /// The least time of all rounds.
    pub best: Duration,
    /// The positive answers it counted.
    pub count: usize,
}

/// Runs all contenders in turn, over and over, and keeps the best time of each.
///
/// Taking turns lets a noisy neighbour hit all alike; the least time is what the code costs when
/// left alone.
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

//! What the comparisons share: fair timing on a machine that is never quiet.

pub mod peer;
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

/// Times of each pose of a scene, the least of a few rounds.
#[derive(Clone, Debug)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Of so many poses, none of which has been timed yet.
    pub fn new(poses: usize) -> Self {
        Self(vec![Duration::MAX; poses])
    }

    /// Takes note of a pose that was begun at some moment and is over now.
    pub fn note(&mut self, pose: usize, since: Instant) {
        self.0[pose] = self.0[pose].min(since.elapsed());
    }

    /// The mean, in microseconds.
    pub fn mean(&self) -> f64 {
        Self::us(self.0.iter().sum::<Duration>()) / self.0.len() as f64
    }

    /// The longest but for a share of them, in microseconds.
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

//! Engines take turns on a scenario, so that a busy machine is unfair to none.

use super::{
    engine::{Engine, Facts, Mode},
    peer::{Peers, Visited},
    scenario::Scenario,
};
use crate::{output::to_thousandths, progress::Progress};
use impinge::{FacePair, Pose};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::{Duration, Instant},
};

/// The times of a step vary with the machine's mood; the least of a few rounds does not.
const ROUNDS: usize = 3;
/// However slow an engine is, this many poses are asked for if there are as many.
const LEAST_POSES: usize = 4;
/// As many it should be, before there is more than one round of them.
const ENOUGH_POSES: usize = 16;
/// What every engine does in each mode before it is timed: caches fill, and its speed shows.
const PROBES: usize = 4;

/// What an engine took and answered on a scenario, in a mode.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) facts: Facts,
    pub(super) mode: Mode,
    /// The poses that were asked for: all, or every n-th where all would have taken too long.
    pub(super) steps: Vec<usize>,
    pub(super) stride: usize,
    pub(super) rounds: usize,
    pub(super) times: Spread,
    /// Of each of the poses, for engines in this process.
    pub(super) each: Vec<Duration>,
    pub(super) answers: Answers,
}

/// What an engine says of its steps.
#[derive(Clone, Debug)]
pub(super) enum Answers {
    /// Of each step, how many pairs; and a fingerprint of them from engines that say which.
    Each { counts: Vec<u64>, prints: Vec<Option<u64>> },
    /// Only how many steps touch, and how many pairs there are in all.
    Sums { colliding_steps: u64, pairs: Option<u64> },
}

/// How the times of steps are spread, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

impl Spread {
    fn of(times: &[Duration]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let rank = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied().map_or(0.0, microseconds)
        };
        Self { mean: mean(times), p50: rank(0.5), p99: rank(0.99), max: rank(1.0) }
    }
}

fn microseconds(time: Duration) -> f64 {
    to_thousandths(time.as_secs_f64() * 1e6)
}

fn mean(times: &[Duration]) -> f64 {
    let total: Duration = times.iter().sum();
    to_thousandths(total.as_secs_f64() * 1e6 / times.len().max(1) as f64)
}

pub(super) fn fingerprint(pairs: &[FacePair]) -> u64 {
    let mut hasher = DefaultHasher::new();
    pairs.hash(&mut hasher);
    hasher.finish()
}

impl Run {
    /// The mean time over some steps; over all that were asked for if none of them was.
    pub(super) fn mean_over(&self, steps: &[usize]) -> f64 {
        let is_common = |step: &usize| steps.binary_search(step).is_ok();
        let times = self.steps.iter().zip(&self.each).filter(|(step, _)| is_common(step));
        let times: Vec<Duration> = times.map(|(_, time)| *time).collect();
        if times.is_empty() { self.times.mean } else { mean(&times) }
    }
}

/// An engine on its way through the poses, in a mode.
struct Lane {
    engine: usize,
    stride: usize,
    rounds: usize,
    spent: Duration,
    steps: Vec<usize>,
    each: Vec<Duration>,
    counts: Vec<u64>,
    prints: Vec<Option<u64>>,
}

impl Lane {
    /// Asks a few times, to see how many poses can be asked for.
    fn new(
        number: usize,
        engine: &mut dyn Engine,
        mode: Mode,
        poses: &[Pose],
        cap: Duration,
    ) -> Self {
        let count = poses.len();
        let mut probe = |k: usize| {
            let start = Instant::now();
            engine.ask(mode, &poses[(2 * k + 1) * count / (2 * PROBES)]);
            start.elapsed()
        };
        // The first one finds caches empty, which says little, unless it is slow anyway.
        let mut time = probe(0);
        if time < cap / 8 {
            time = (0..PROBES).map(&mut probe).sum::<Duration>() / PROBES as u32;
        }
        let probe = time.as_secs_f64();
        let cap = cap.as_secs_f64();
        // All have as many rounds, or the least times of the fast ones would flatter them; but the very
        // slow, which rather see more poses.
        let enough = count.min(ENOUGH_POSES) as f64;
        let rounds = if probe * enough * ROUNDS as f64 <= cap { ROUNDS } else { 1 };
        let most = (count / LEAST_POSES).max(1);
        let stride = ((rounds as f64 * probe * count as f64 / cap).ceil() as usize).clamp(1, most);
        let steps: Vec<usize> = (stride / 2..count).step_by(stride).collect();
        Self {
            engine: number,
            stride,
            rounds,
            spent: Duration::ZERO,
            each: vec![Duration::MAX; steps.len()],
            counts: Vec::with_capacity(steps.len()),
            prints: Vec::with_capacity(steps.len()),
            steps,
        }
    }

    fn round(&mut self, engine: &mut dyn Engine, mode: Mode, poses: &[Pose], cap: Duration) {
        let is_first = self.counts.is_empty();
        for k in 0..self.steps.len() {
            let start = Instant::now();
            let found = engine.ask(mode, &poses[self.steps[k]]);
            let time = start.elapsed();
            self.each[k] = self.each[k].min(time);
            self.spent += time;
            if is_first {
                self.counts.push(found.count);
                self.prints.push(found.pairs.map(fingerprint));
                if self.spent > 3 * cap && k + 1 >= LEAST_POSES {
                    // The probes were cheaper than most.
                    self.steps.truncate(k + 1);
                    self.each.truncate(k + 1);
                    return;
                }
            } else if self.spent > 3 * cap {
                return;
            }
        }
    }

    fn finish(self, engine: &dyn Engine, mode: Mode) -> Run {
        Run {
            facts: engine.facts().clone(),
            mode,
            stride: self.stride,
            rounds: self.rounds,
            times: Spread::of(&self.each),
            steps: self.steps,
            each: self.each,
            answers: Answers::Each { counts: self.counts, prints: self.prints },
        }
    }
}

/// What a race says to the progress bar: the rounds of both modes.
pub(super) const RACE_STEPS: u64 = (Mode::BOTH.len() * ROUNDS) as u64;

/// Lets all engines run.
///
/// Round by round: in each, every engine of this process goes through its poses, another one first each
/// time, and the other programs run between the rounds. Pose by pose they would empty each other's
/// caches, which programs of their own do not suffer.
pub(super) fn race(
    scenario: &Scenario,
    engines: &mut [Box<dyn Engine + '_>],
    peers: &mut Peers,
    visited: &Visited<'_>,
    cap: Duration,
    progress: &mut Progress,
) -> Vec<Run> {
    let poses = &scenario.poses;
    let mut runs = Vec::new();
    let mut slot = 0;
    for mode in Mode::BOTH {
        let mut lanes: Vec<Lane> = Vec::new();
        for (number, engine) in engines.iter_mut().enumerate() {
            if engine.can(mode) {
                lanes.push(Lane::new(number, engine.as_mut(), mode, poses, cap));
            }
        }
        for round in 0..ROUNDS {
            let first = slot % lanes.len().max(1);
            let (head, tail) = lanes.split_at_mut(first);
            for lane in tail.iter_mut().chain(head) {
                if round < lane.rounds {
                    lane.round(engines[lane.engine].as_mut(), mode, poses, cap);
                }
            }
            progress.advance();
            slot += 1;
            runs.extend(peers.run_some(slot, RACE_STEPS as usize, visited, progress));
        }
        let finished = lanes.into_iter().map(|it| {
            let engine = engines[it.engine].as_ref();
            it.finish(engine, mode)
        });
        runs.extend(finished);
    }
    // Those of this process first, in the order in which they were given.
    runs.sort_by_key(|run| run.each.is_empty());
    runs
}

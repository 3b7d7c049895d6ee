//! Runs all engines on a scenario in turns, so that background load affects them equally.

use super::{
    engine::{Engine, EngineInfo, Mode},
    peer::{PeerScenario, Peers},
    scenario::Scenario,
};
use crate::{output::to_thousandths, progress::Progress};
use impinge::{FacePair, Pose};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::{Duration, Instant},
};

/// The time of a step varies with the load of the machine. The minimum over a few rounds varies much less.
const ROUNDS: usize = 3;
/// Minimum number of poses for an engine, however slow it is, if the scenario has as many.
const MIN_POSES: usize = 4;
/// Number of poses that an engine should answer before it runs a second round.
const ENOUGH_POSES: usize = 16;
/// Untimed queries of every engine in each mode. They fill caches and show how fast the engine is.
const PROBES: usize = 4;

/// Times and answers of one engine on a scenario in one mode.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) info: EngineInfo,
    pub(super) mode: Mode,
    /// The poses that were queried: all, or every n-th if all of them would have taken too long.
    pub(super) steps: Vec<usize>,
    pub(super) stride: usize,
    pub(super) rounds: usize,
    pub(super) times: TimeStats,
    /// Time of each pose, for engines in this process.
    pub(super) each: Vec<Duration>,
    pub(super) answers: Answers,
}

/// The answers of an engine.
#[derive(Clone, Debug)]
pub(super) enum Answers {
    /// The number of pairs at each step, with a fingerprint of the pairs if the engine reports them.
    Each { counts: Vec<u64>, fingerprints: Vec<Option<u64>> },
    /// Only the number of touching steps and the total number of pairs.
    Sums { colliding_steps: u64, pairs: Option<u64> },
}

/// Statistics of the times per step, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeStats {
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

impl TimeStats {
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
    /// Returns the mean time over `steps`, or over all queried steps if none of `steps` was queried.
    pub(super) fn mean_over(&self, steps: &[usize]) -> f64 {
        let is_common = |step: &usize| steps.binary_search(step).is_ok();
        let times = self.steps.iter().zip(&self.each).filter(|(step, _)| is_common(step));
        let times: Vec<Duration> = times.map(|(_, time)| *time).collect();
        if times.is_empty() { self.times.mean } else { mean(&times) }
    }
}

/// The progress of one engine in one mode.
struct EngineProgress {
    engine: usize,
    stride: usize,
    rounds: usize,
    spent: Duration,
    steps: Vec<usize>,
    each: Vec<Duration>,
    counts: Vec<u64>,
    fingerprints: Vec<Option<u64>>,
}

impl EngineProgress {
    /// Runs a few queries to estimate how many poses fit into the cap.
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
        // The first query runs with cold caches, so it is repeated unless it is slow anyway.
        let mut time = probe(0);
        if time < cap / 8 {
            time = (0..PROBES).map(&mut probe).sum::<Duration>() / PROBES as u32;
        }
        let probe = time.as_secs_f64();
        let cap = cap.as_secs_f64();
        // All engines run equally many rounds: otherwise the minimum over more rounds would favour fast
        // engines. Very slow engines are the exception and rather query more poses.
        let enough = count.min(ENOUGH_POSES) as f64;
        let rounds = if probe * enough * ROUNDS as f64 <= cap { ROUNDS } else { 1 };
        let most = (count / MIN_POSES).max(1);
        let stride = ((rounds as f64 * probe * count as f64 / cap).ceil() as usize).clamp(1, most);
        let steps: Vec<usize> = (stride / 2..count).step_by(stride).collect();
        Self {
            engine: number,
            stride,
            rounds,
            spent: Duration::ZERO,
            each: vec![Duration::MAX; steps.len()],
            counts: Vec::with_capacity(steps.len()),
            fingerprints: Vec::with_capacity(steps.len()),
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
                self.fingerprints.push(found.pairs.map(fingerprint));
                if self.spent > 3 * cap && k + 1 >= MIN_POSES {
                    // The probes were cheaper than most poses.
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
            info: engine.info().clone(),
            mode,
            stride: self.stride,
            rounds: self.rounds,
            times: TimeStats::of(&self.each),
            steps: self.steps,
            each: self.each,
            answers: Answers::Each { counts: self.counts, fingerprints: self.fingerprints },
        }
    }
}

/// Steps of the progress bar per scenario: the rounds of both modes.
pub(super) const RACE_STEPS: u64 = (Mode::BOTH.len() * ROUNDS) as u64;

/// Runs all engines on a scenario.
///
/// In each round every engine of this process runs through its poses, starting with a different engine each
/// time. Peers run between the rounds. Engines do not alternate pose by pose: they would evict each other's
/// data from the caches, which does not happen to peers.
pub(super) fn race(
    scenario: &Scenario,
    engines: &mut [Box<dyn Engine + '_>],
    peers: &mut Peers,
    peer_scenario: &PeerScenario<'_>,
    cap: Duration,
    progress: &mut Progress,
) -> Vec<Run> {
    let poses = &scenario.poses;
    let mut runs = Vec::new();
    let mut slot = 0;
    for mode in Mode::BOTH {
        let mut running: Vec<EngineProgress> = Vec::new();
        for (number, engine) in engines.iter_mut().enumerate() {
            if engine.can(mode) {
                running.push(EngineProgress::new(number, engine.as_mut(), mode, poses, cap));
            }
        }
        for round in 0..ROUNDS {
            let first = slot % running.len().max(1);
            let (head, tail) = running.split_at_mut(first);
            for engine_progress in tail.iter_mut().chain(head) {
                if round < engine_progress.rounds {
                    engine_progress.round(
                        engines[engine_progress.engine].as_mut(),
                        mode,
                        poses,
                        cap,
                    );
                }
            }
            progress.advance();
            slot += 1;
            runs.extend(peers.run_some(slot, RACE_STEPS as usize, peer_scenario, progress));
        }
        let finished = running.into_iter().map(|it| {
            let engine = engines[it.engine].as_ref();
            it.finish(engine, mode)
        });
        runs.extend(finished);
    }
    // Engines of this process first, in the order in which they were given.
    runs.sort_by_key(|run| run.each.is_empty());
    runs
}

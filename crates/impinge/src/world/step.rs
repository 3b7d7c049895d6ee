//! One step: what touches now, and what has changed since the last one.

use super::{
    BodyId, World,
    pairs::{BATCH, Touching},
};
use crate::FacePair;
use std::{
    cmp::Ordering,
    collections::HashSet,
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// Two bodies, the one with the lower number first.
pub type BodyPair = [BodyId; 2];

/// Two faces that touch, and whose they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Contact {
    /// The body with the lower number.
    pub a: BodyId,
    /// The other one.
    pub b: BodyId,
    /// A face of each.
    pub faces: FacePair,
}

/// Two bodies that touch, and all of their faces that do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch<'w> {
    /// The body with the lower number.
    pub a: BodyId,
    /// The other one.
    pub b: BodyId,
    /// The faces that touch, sorted.
    pub faces: &'w [FacePair],
}

/// What a step did and, if it was [timed](World::step_timed), how long each stage took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepStats {
    /// Bodies in the world.
    pub bodies: usize,
    /// Bodies that had moved.
    pub moved: usize,
    /// Pairs of bodies that the broad phase found near each other.
    pub near: usize,
    /// Those of them whose faces were looked at: neither masked nor ignored.
    pub tested: usize,
    /// Pairs of bodies that touch.
    pub touching: usize,
    /// Pairs of faces that touch.
    pub contacts: usize,
    /// Time for the boxes of the bodies that had moved, and for the broad phase to take note of them.
    pub update: Duration,
    /// Time for the pairs of bodies near each other.
    pub broad: Duration,
    /// Time for their faces.
    pub narrow: Duration,
    /// Time for putting everything in order, and for what has changed.
    pub report: Duration,
}

impl StepStats {
    /// The time of all stages.
    pub fn total(&self) -> Duration {
        self.update + self.broad + self.narrow + self.report
    }
}

/// Which pairs touched in the last step, and what changed with it.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) touching: Vec<BodyPair>,
    previous: Vec<BodyPair>,
    pub(super) began: Vec<BodyPair>,
    pub(super) persisted: Vec<BodyPair>,
    pub(super) ended: Vec<BodyPair>,
    pub(super) stats: StepStats,
}

impl History {
    /// Takes the pairs that touch now, in order, and finds out what changed.
    fn advance(&mut self, now: impl Iterator<Item = BodyPair>, teleported: &HashSet<BodyId>) {
        std::mem::swap(&mut self.touching, &mut self.previous);
        self.touching.clear();
        self.touching.extend(now);
        let Self { touching, previous, began, persisted, ended, .. } = self;
        began.clear();
        persisted.clear();
        ended.clear();
        let (mut old, mut new) = (&previous[..], &touching[..]);
        loop {
            let order = match (old.first(), new.first()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.cmp(new),
            };
            match order {
                Ordering::Less => ended.push(old[0]),
                Ordering::Greater => began.push(new[0]),
                Ordering::Equal if new[0].iter().any(|body| teleported.contains(body)) => {
                    ended.push(old[0]);
                    began.push(new[0]);
                }
                Ordering::Equal => persisted.push(new[0]),
            }
            old = &old[usize::from(order != Ordering::Greater)..];
            new = &new[usize::from(order != Ordering::Less)..];
        }
    }
}

/// The outcome of a step. Everything in it is sorted, and the same for any broad phase, method and
/// number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Step<'w> {
    world: &'w World,
}

impl<'w> Step<'w> {
    /// The pairs of bodies that touch, with their faces.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = Touch<'w>> + use<'w> {
        let World { narrow, history, .. } = self.world;
        history.touching.iter().zip(&narrow.touching).map(|(&[a, b], touching)| Touch {
            a,
            b,
            faces: narrow.faces(touching),
        })
    }

    /// All faces that touch.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> + use<'w> {
        self.pairs().flat_map(|Touch { a, b, faces }| {
            faces.iter().map(move |&faces| Contact { a, b, faces })
        })
    }

    /// The pairs of bodies that touch, and did not in the step before.
    pub fn began(&self) -> &'w [BodyPair] {
        &self.world.history.began
    }

    /// The pairs of bodies that touch, and did so in the step before.
    pub fn persisted(&self) -> &'w [BodyPair] {
        &self.world.history.persisted
    }

    /// The pairs of bodies that touched in the step before, and do not any more. Bodies that were
    /// removed are among them.
    pub fn ended(&self) -> &'w [BodyPair] {
        &self.world.history.ended
    }

    /// What the step did and, if it was timed, how long each stage took.
    pub fn stats(&self) -> StepStats {
        self.world.history.stats
    }
}

impl World {
    /// Finds all faces of all bodies that touch now, and what changed since the last step.
    ///
    /// Allocates no memory once warm, and reads no clock: the times of its [`StepStats`] are zero.
    pub fn step(&mut self) -> Step<'_> {
        self.step_to_the_end(Stopwatch(None))
    }

    /// The same, and measures how long each stage takes.
    pub fn step_timed(&mut self) -> Step<'_> {
        self.step_to_the_end(Stopwatch::start())
    }

    fn step_to_the_end(&mut self, stopwatch: Stopwatch) -> Step<'_> {
        match self.run_step(stopwatch, |_| ControlFlow::<()>::Continue(())) {
            ControlFlow::Continue(step) => step,
            ControlFlow::Break(()) => unreachable!("the watcher never stops the step"),
        }
    }

    /// The same as [`step_timed`](Self::step_timed), and calls `watch` now and then with the progress so
    /// far: a step takes long where all bodies stand in one place. If `watch` says to stop, the step stops,
    /// and the world is as if there had been no step: the next one compares with the last finished one.
    pub fn step_watched<B>(
        &mut self,
        watch: impl FnMut(&StepStats) -> ControlFlow<B>,
    ) -> ControlFlow<B, Step<'_>> {
        self.run_step(Stopwatch::start(), watch)
    }

    fn run_step<B>(
        &mut self,
        mut stopwatch: Stopwatch,
        mut watch: impl FnMut(&StepStats) -> ControlFlow<B>,
    ) -> ControlFlow<B, Step<'_>> {
        let mut stats = StepStats { bodies: self.len(), ..StepStats::default() };
        stats.moved = self.refresh();
        stats.update = stopwatch.lap();

        let Self { bodies, threads, proxies, broad, filters, ignored, narrow, history, .. } = self;
        narrow.begin();
        let mut stopped = None;
        let _ = broad.pairs(proxies, *threads, &mut |pair| {
            stats.near += 1;
            let [a, b] = pair;
            let is_masked = !self.allows_all && !filters[a as usize].allows(filters[b as usize]);
            let is_left_out = is_masked
                || (!ignored.is_empty() && ignored.contains(&ids(bodies.id(a), bodies.id(b))));
            if !is_left_out {
                narrow.batch.push(pair);
                stats.tested += 1;
            }
            if narrow.batch.len() >= BATCH {
                stats.broad += stopwatch.lap();
                narrow.decide(bodies, *threads);
                stats.narrow += stopwatch.lap();
                stats.contacts = narrow.contacts();
            } else if !stats.near.is_multiple_of(BATCH) {
                // Also told of pairs that are left out: there may be nothing else.
                return ControlFlow::Continue(());
            }
            match watch(&stats) {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(why) => {
                    stopped = Some(why);
                    ControlFlow::Break(())
                }
            }
        });
        stats.broad += stopwatch.lap();
        if let Some(why) = stopped {
            narrow.begin();
            return ControlFlow::Break(why);
        }
        narrow.decide(bodies, *threads);
        stats.narrow += stopwatch.lap();

        narrow.end();
        let name = |touching: &Touching| touching.pair.map(|index| bodies.id(index));
        history.advance(narrow.touching.iter().map(name), &self.teleported);
        self.teleported.clear();
        stats.touching = narrow.touching.len();
        stats.contacts = narrow.contacts();
        stats.report = stopwatch.lap();
        history.stats = stats;
        ControlFlow::Continue(Step { world: self })
    }
}

fn ids(a: BodyId, b: BodyId) -> BodyPair {
    if a < b { [a, b] } else { [b, a] }
}

/// Measures the stages of a step, if asked to: some platforms have no clock.
struct Stopwatch(Option<Instant>);

impl Stopwatch {
    fn start() -> Self {
        Self(Some(Instant::now()))
    }

    /// The time since the start or the last call; zero without a clock.
    fn lap(&mut self) -> Duration {
        let Some(since) = &mut self.0 else { return Duration::ZERO };
        let now = Instant::now();
        now - std::mem::replace(since, now)
    }
}

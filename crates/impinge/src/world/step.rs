//! One step of a world: finds the contacts, and compares the touching pairs with those of the last step.

use super::{
    BodyId, World,
    coherence::{Outcome, Recall},
    deformed::DeformedCounts,
    pairs::{BATCH, Job, Touching},
};
use crate::{
    FacePair,
    broad::{Proxies, ProxyPair},
    method::{SearchSteps, WalkCounts},
    stopwatch::Stopwatch,
};
use std::{cmp::Ordering, collections::HashSet, ops::ControlFlow, time::Duration};

/// Two bodies, the one with the lower index first; or a body twice, for contacts with itself.
pub type BodyPair = [BodyId; 2];

/// Two faces that touch, and the bodies they belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Contact {
    /// The body with the lower index.
    pub a: BodyId,
    /// The body with the higher index.
    pub b: BodyId,
    /// The face of `a`, then the face of `b`.
    pub faces: FacePair,
}

/// Two bodies that touch, and all pairs of their faces that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch<'w> {
    /// The body with the lower index.
    pub a: BodyId,
    /// The body with the higher index.
    pub b: BodyId,
    /// The pairs of touching faces, sorted.
    pub faces: &'w [FacePair],
}

/// Counts of a step, and the time of each stage if the step was [timed](World::step_timed).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepStats {
    /// The number of bodies in the world.
    pub bodies: usize,
    /// The number of bodies whose pose was set since the last update.
    pub moved: usize,
    /// The number of pairs of bodies that the broad phase reported. Where all bodies are searched at once without a
    /// broad phase, all pairs of bodies that have faces, unless both are fixed; `tested` is the same number then.
    pub near: usize,
    /// The number of these pairs whose faces were searched: neither filtered out by groups, nor ignored, nor
    /// skipped.
    pub tested: usize,
    /// The number of these pairs that were skipped: proven to be apart by what is known of earlier steps. See
    /// [`Coherence`](super::Coherence).
    pub skipped: usize,
    /// The number of these pairs that were searched by a face octree because bodies had deformed: see
    /// [`DeformedSearch`](super::DeformedSearch).
    pub in_cells: usize,
    /// The number of bodies that had deformed, and of which what was prepared was refitted.
    pub refitted: usize,
    /// The number of bodies that had deformed, and of which the mesh was prepared anew.
    pub rebuilt: usize,
    /// The number of pairs of bodies that touch.
    pub touching: usize,
    /// The number of pairs of faces that touch.
    pub contacts: usize,
    /// The tests that the search of faces made; zeros for methods that do not count, such as `brute`.
    pub tests: WalkCounts,
    /// The steps of the search of faces, if a face octree [distributes](crate::Distribution) its tests. Their times are
    /// part of `narrow`.
    pub steps: Option<SearchSteps>,
    /// Time to update the boxes of the moved bodies, to pass them to the broad phase, and to renew what was prepared of
    /// bodies that have deformed.
    pub update: Duration,
    /// Time of the broad phase: to find the candidate pairs of bodies.
    pub broad: Duration,
    /// Time to search the faces of the candidate pairs for contacts. Despite its name it covers both the mid
    /// phase, the traversal of two meshes, and the narrow phase, the exact test of two triangles.
    pub narrow: Duration,
    /// Time to sort the contacts, and to compare them with those of the last step.
    pub report: Duration,
}

impl StepStats {
    /// The sum of the times of all stages.
    pub fn total(&self) -> Duration {
        self.update + self.broad + self.narrow + self.report
    }
}

/// The pairs that touched in the last step, and the changes since the step before.
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
    /// Takes the pairs that touch now, sorted, and compares them with those of the last step.
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

/// The outcome of a step. All lists are sorted, and do not depend on the broad phase, the method or the
/// number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Step<'w> {
    world: &'w World,
}

impl<'w> Step<'w> {
    /// The pairs of bodies that touch, with their touching faces.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = Touch<'w>> + use<'w> {
        let World { search, history, .. } = self.world;
        history.touching.iter().zip(&search.touching).map(|(&[a, b], touching)| Touch {
            a,
            b,
            faces: search.faces(touching),
        })
    }

    /// All pairs of faces that touch.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> + use<'w> {
        self.pairs().flat_map(|Touch { a, b, faces }| {
            faces.iter().map(move |&faces| Contact { a, b, faces })
        })
    }

    /// The pairs of bodies that touch, and did not touch in the step before.
    pub fn began(&self) -> &'w [BodyPair] {
        &self.world.history.began
    }

    /// The pairs of bodies that touch, and also touched in the step before.
    pub fn persisted(&self) -> &'w [BodyPair] {
        &self.world.history.persisted
    }

    /// The pairs of bodies that touched in the step before, and no longer do. Includes pairs with a body that
    /// was removed.
    pub fn ended(&self) -> &'w [BodyPair] {
        &self.world.history.ended
    }

    /// Counts of the step, and times if it was timed.
    pub fn stats(&self) -> StepStats {
        self.world.history.stats
    }
}

impl World {
    /// Finds all pairs of faces of different bodies that touch now, and compares with the last step. Bodies with
    /// [self-collision](super::Body::self_collision) whose own faces are in contact are reported as pairs with
    /// themselves.
    ///
    /// Allocates no memory once its buffers have grown, and reads no clock: the times in its [`StepStats`]
    /// are zero.
    pub fn step(&mut self) -> Step<'_> {
        self.step_to_the_end(Stopwatch::new(false))
    }

    /// Like [`step`](Self::step), but measures the time of each stage.
    pub fn step_timed(&mut self) -> Step<'_> {
        self.step_to_the_end(Stopwatch::new(true))
    }

    fn step_to_the_end(&mut self, stopwatch: Stopwatch) -> Step<'_> {
        match self.run_step(stopwatch, |_| ControlFlow::<()>::Continue(())) {
            ControlFlow::Continue(step) => step,
            ControlFlow::Break(()) => unreachable!("the watcher never stops the step"),
        }
    }

    /// Like [`step`](Self::step), but calls `watch` now and then with the counts so far. Use it
    /// if a step may take long, for example when all bodies overlap. If `watch` returns `Break`, the step
    /// stops and the world is unchanged: the next step compares with the last finished one.
    pub fn step_watched<B>(
        &mut self,
        watch: impl FnMut(&StepStats) -> ControlFlow<B>,
    ) -> ControlFlow<B, Step<'_>> {
        self.run_step(Stopwatch::new(false), watch)
    }

    /// The same as [`step_watched`](Self::step_watched), and measures how long each stage takes.
    pub fn step_timed_watched<B>(
        &mut self,
        watch: impl FnMut(&StepStats) -> ControlFlow<B>,
    ) -> ControlFlow<B, Step<'_>> {
        self.run_step(Stopwatch::new(true), watch)
    }

    /// The outcome of the last finished step; empty before the first one. Poses that were set since do not
    /// change it.
    pub fn last_step(&self) -> Step<'_> {
        Step { world: self }
    }

    fn run_step<B>(
        &mut self,
        mut stopwatch: Stopwatch,
        mut watch: impl FnMut(&StepStats) -> ControlFlow<B>,
    ) -> ControlFlow<B, Step<'_>> {
        let mut stats = StepStats { bodies: self.len(), ..StepStats::default() };
        stats.moved = self.refresh();

        let Self { bodies, threads, proxies, broad, filters, ignored, search, history, .. } = self;
        let (memory, has_fronts) = (&mut self.memory, self.has_fronts);
        let has_solids = self.solids > 0;
        search.begin();
        search.is_timed = stopwatch.is_running();
        memory.begin();
        search.renew_own(bodies, &self.self_colliding, *threads);
        stats.update = stopwatch.stage_time();
        for &index in &self.self_colliding {
            let Some(body) = bodies.at_mut(index) else { continue };
            search.search_own(index, body, *threads);
            stats.contacts = search.contacts();
            if let ControlFlow::Break(why) = watch(&stats) {
                search.begin();
                return ControlFlow::Break(why);
            }
        }
        stats.narrow += stopwatch.stage_time();
        let mut stopped = None;
        let is_excluded = |[a, b]: ProxyPair| {
            let is_masked = !self.allows_all && !filters[a as usize].allows(filters[b as usize]);
            is_masked || (!ignored.is_empty() && ignored.contains(&ids(bodies.id(a), bodies.id(b))))
        };
        let mut tell = |stats: &StepStats| match watch(stats) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(why) => {
                stopped = Some(why);
                ControlFlow::Break(())
            }
        };
        // What is remembered of pairs can only be used pair by pair.
        let searches_all = broad.reports_all_pairs() && search.has_group();
        let flow = if searches_all && !memory.is_on() && !has_solids {
            stats.near = candidate_count(proxies);
            stats.tested = stats.near;
            let is_moving = |index: u32| proxies.is_moving(index);
            search.deformed.renew_all(bodies, *threads);
            stats.update += stopwatch.stage_time();
            let compares = |pair: ProxyPair| pair.into_iter().any(is_moving) && !is_excluded(pair);
            search.search_all(bodies, &compares, *threads, &mut |contacts| {
                stats.contacts = contacts;
                tell(&stats)
            });
            stats.narrow += stopwatch.stage_time();
            ControlFlow::Continue(())
        } else {
            broad.pairs(proxies, *threads, &mut |pair| {
                stats.near += 1;
                let is_included = !is_excluded(pair);
                if is_included && has_solids && bodies.has_solid(pair) {
                    search.solid_pairs.push(pair);
                    stats.tested += 1;
                } else if is_included {
                    match memory.recall(pair, has_fronts) {
                        Recall::Apart => stats.skipped += 1,
                        Recall::Search { entry, front, reach } => {
                            let outcome = Outcome::default();
                            search.batch.push(Job { pair, entry, front, reach, outcome });
                            stats.tested += 1;
                        }
                    }
                }
                if search.batch.len() + search.solid_pairs.len() >= BATCH {
                    stats.broad += stopwatch.stage_time();
                    search.prepare_batch(bodies, *threads, memory);
                    stats.update += stopwatch.stage_time();
                    search.search_batch(bodies, *threads, memory, &mut |contacts| {
                        stats.contacts = contacts;
                        tell(&stats)
                    })?;
                    stats.narrow += stopwatch.stage_time();
                    stats.contacts = search.contacts();
                } else if !stats.near.is_multiple_of(BATCH) {
                    // Call `watch` also when all pairs are left out, so that it can always stop the step.
                    return ControlFlow::Continue(());
                }
                tell(&stats)
            })
        };
        stats.broad += stopwatch.stage_time();
        if flow.is_continue() {
            search.prepare_batch(bodies, *threads, memory);
            stats.update += stopwatch.stage_time();
            let _ = search.search_batch(bodies, *threads, memory, &mut |contacts| {
                stats.contacts = contacts;
                tell(&stats)
            });
            stats.narrow += stopwatch.stage_time();
        }
        if let Some(why) = stopped {
            search.begin();
            return ControlFlow::Break(why);
        }

        for index in self.deforming.drain(..) {
            if let Some(body) = bodies.at_mut(index) {
                body.is_deforming = false;
            }
        }
        memory.end();
        search.end();
        let ids_of = |touching: &Touching| touching.pair.map(|index| bodies.id(index));
        history.advance(search.touching.iter().map(ids_of), &self.teleported);
        self.teleported.clear();
        stats.touching = search.touching.len();
        stats.contacts = search.contacts();
        stats.tests = search.counts();
        stats.steps = search.steps;
        let DeformedCounts { refitted, rebuilt, in_cells } = search.deformed.counts;
        (stats.refitted, stats.rebuilt, stats.in_cells) = (refitted, rebuilt, in_cells);
        stats.report = stopwatch.stage_time();
        history.stats = stats;
        ControlFlow::Continue(Step { world: self })
    }
}

/// The number of pairs of bodies that have faces and of which at least one may move.
fn candidate_count(proxies: &Proxies) -> usize {
    let with_faces = || proxies.iter().filter(|&proxy| !proxies.bounds(proxy).is_empty());
    let pairs_of = |count: usize| count * count.saturating_sub(1) / 2;
    let fixed = with_faces().filter(|&proxy| !proxies.is_moving(proxy)).count();
    pairs_of(with_faces().count()) - pairs_of(fixed)
}

fn ids(a: BodyId, b: BodyId) -> BodyPair {
    if a < b { [a, b] } else { [b, a] }
}

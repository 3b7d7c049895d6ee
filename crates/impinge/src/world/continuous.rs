//! Steps between two instants: all impacts of bodies that move during a step.
//!
//! Each body has a [`Motion`] for the step, or rests. The broad phase gets volumes that enclose the whole motion of each
//! body (`Envelope` in [`motion`](crate::motion)), and [`first_impact`] searches the pairs it reports. `forecast.rs` does
//! the same with predicted motions.
//!
//! The volumes are grown by a share of the tolerance, so that pairs that the broad phase drops stay farther apart than
//! the tolerance: the impacts are those that `first_impact` finds for all pairs, whatever the broad phase.

use super::{BodyId, World, WorldError, body::Bodies};
use crate::{
    Pose, Threads,
    broad::{Detail, ProxyPair},
    motion::{Envelope, Impact, ImpactOptions, Motion, first_impact},
};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// The first impact of two bodies during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorldImpact {
    /// The body with the lower index.
    pub a: BodyId,
    /// The body with the higher index.
    pub b: BodyId,
    /// When and where, from `a` to `b`.
    pub impact: Impact,
}

/// Counts of a continuous step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContinuousStats {
    /// The number of bodies in the world.
    pub bodies: usize,
    /// The number of bodies that move.
    pub moving: usize,
    /// The number of pairs of bodies that the broad phase reported.
    pub near: usize,
    /// The number of these pairs that are searched for an impact: at least one body moves, and the pair is neither
    /// filtered out by groups nor ignored.
    pub tested: usize,
    /// The number of these pairs that have been searched.
    pub searched: usize,
    /// The number of impacts so far.
    pub impacts: usize,
}

/// The outcome of a continuous step. It does not depend on the broad phase, the method or the number of threads.
#[derive(Clone, Copy, Debug)]
pub struct ContinuousStep<'w> {
    state: &'w Continuous,
}

impl<'w> ContinuousStep<'w> {
    /// The first impact of each pair of bodies, sorted by time, then by bodies.
    pub fn impacts(&self) -> &'w [WorldImpact] {
        &self.state.impacts
    }

    /// The time at which the bodies stand now: 1 at the ends of their motions.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Counts of the step.
    pub fn stats(&self) -> ContinuousStats {
        self.state.stats
    }
}

/// The motions of bodies during the next continuous step, and the outcome of the last one.
#[derive(Debug, Default)]
pub(super) struct Continuous {
    motions: Motions,
    impacts: Vec<WorldImpact>,
    time: f64,
    stats: ContinuousStats,
    /// Scratch memory for candidate pairs, and their impacts.
    pairs: Vec<ProxyPair>,
    found: Vec<Option<WorldImpact>>,
}

/// Motions by the index of their body. Bodies without one rest.
#[derive(Debug, Default)]
pub(super) struct Motions {
    motions: Vec<(u32, Motion)>,
    /// The place of each body's motion in `motions`.
    places: Vec<Option<u32>>,
}

impl Motions {
    pub(super) fn set(&mut self, body: u32, motion: Motion) {
        let index = body as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, None);
        }
        match self.places[index] {
            Some(place) => self.motions[place as usize].1 = motion,
            None => {
                self.places[index] = Some(self.motions.len() as u32);
                self.motions.push((body, motion));
            }
        }
    }

    pub(super) fn get(&self, body: u32) -> Option<&Motion> {
        let place = self.places.get(body as usize).copied().flatten()?;
        Some(&self.motions[place as usize].1)
    }

    pub(super) fn remove(&mut self, body: u32) {
        let Some(place) = self.places.get_mut(body as usize).and_then(Option::take) else { return };
        self.motions.swap_remove(place as usize);
        if let Some(&(last, _)) = self.motions.get(place as usize) {
            self.places[last as usize] = Some(place);
        }
    }

    pub(super) fn clear(&mut self) {
        for (body, _) in self.motions.drain(..) {
            self.places[body as usize] = None;
        }
    }

    fn moves(&self, body: u32) -> bool {
        self.get(body).is_some_and(|motion| !motion.is_still())
    }
}

/// The number of pairs that are searched between two calls of a watcher.
const BATCH: usize = 1024;

impl World {
    /// Sets the motion of a body during the next continuous step. Bodies without a motion rest.
    ///
    /// Until then the body stays at its pose, and [`set_pose`](Self::set_pose) drops the motion. Fails if the motion does
    /// not start at the body's pose.
    pub fn set_motion(&mut self, body: BodyId, motion: Motion) -> Result<(), WorldError> {
        if *motion.start() != self.pose(body)? {
            return Err(WorldError::MotionStart { body });
        }
        self.continuous.motions.set(body.index, motion);
        Ok(())
    }

    /// Lets a body move to a pose during the next continuous step: with constant velocity, and by a rotation of less
    /// than half a turn at constant angular velocity. Fails if the rotation is half a turn, whose direction is not
    /// known; see [`Motion::with_turn`] and [`set_motion`](Self::set_motion).
    pub fn move_to(&mut self, body: BodyId, pose: Pose) -> Result<(), WorldError> {
        let motion = Motion::between(self.pose(body)?, pose);
        let motion = motion.map_err(|source| WorldError::Motion { body, source })?;
        self.set_motion(body, motion)
    }

    /// Moves all bodies along their motions, and finds the first impact of each pair of bodies on the way.
    ///
    /// The contract is that of [`first_impact`]: no contact occurs before the reported time, and a pair that is not
    /// reported stays apart during the whole step. Times are from 0, the start of the motions, to 1, their end. Pairs of
    /// which both bodies rest, fixed pairs and pairs that groups or [`ignore`](Self::ignore) leave out are not compared.
    /// Bodies that are within the tolerance at the start have an impact at the start. Impacts stop nobody: bodies pass
    /// through each other; see [`step_until_impact`](Self::step_until_impact).
    ///
    /// After the step the bodies stand at the ends of their motions, and rest until they get new ones. If `options`
    /// [name](ImpactOptions::between) a part of the motions, only that part is searched, and the bodies stand at its
    /// end. [`step`](Self::step) then finds the contacts there.
    ///
    /// Bodies are rigid during the step. Changes of their meshes take effect at once: what happens while vertices move
    /// from their last positions to those of [`set_vertices`](Self::set_vertices) is not searched, nor are contacts of
    /// a body with itself.
    ///
    /// ```
    /// use impinge::{Pose, Shape, World, generate, glam::DVec3, world::Body};
    ///
    /// let at = |z| Pose::from_translation(DVec3::new(0.0, 0.0, z));
    /// let plate = Shape::new(generate::cuboid(DVec3::new(10.0, 10.0, 0.1))?);
    /// let bullet = Shape::new(generate::cuboid(DVec3::ONE)?);
    /// let mut world = World::new();
    /// let plate = world.add(Body::new(&plate).fixed())?;
    /// let bullet = world.add(Body::new(&bullet).at(at(50.0)?))?;
    ///
    /// // Contacts at the ends of the flight tell nothing of what happens in between.
    /// world.move_to(bullet, at(-50.0)?)?;
    /// let step = world.step_continuous(&Default::default());
    /// let [hit] = step.impacts() else { return Err("no impact".into()) };
    /// assert_eq!((hit.a, hit.b), (plate, bullet));
    /// assert!((hit.impact.time - 0.4945).abs() < 1e-9);
    /// assert_eq!(world.step().pairs().len(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_continuous(&mut self, options: &ImpactOptions) -> ContinuousStep<'_> {
        match self.step_continuous_watched(options, |_| ControlFlow::<()>::Continue(())) {
            ControlFlow::Continue(step) => step,
            ControlFlow::Break(()) => unreachable!("the watcher never stops the step"),
        }
    }

    /// Like [`step_continuous`](Self::step_continuous), but calls `watch` now and then with the counts so far. If
    /// `watch` returns `Break`, the step stops: bodies and motions are as before, and there are no impacts.
    pub fn step_continuous_watched<B>(
        &mut self,
        options: &ImpactOptions,
        watch: impl FnMut(&ContinuousStats) -> ControlFlow<B>,
    ) -> ControlFlow<B, ContinuousStep<'_>> {
        self.find_own_impacts(options, watch)?;
        let [_, end] = options.times();
        self.finish_continuous(end);
        ControlFlow::Continue(self.last_continuous_step())
    }

    /// Moves all bodies along their motions until the first impact, so that the caller can respond to it. Only the
    /// impacts up to that time are reported; several pairs may have theirs at the same time.
    ///
    /// Pairs that are within the tolerance at the start are reported as well, with the time at which the step starts, but
    /// do not stop the step: otherwise bodies that have just hit each other could never separate. Their motions should
    /// take them apart, as nothing more is found out about such a pair in this step.
    ///
    /// After the step the bodies stand where they are at that [time](ContinuousStep::time), at most the tolerance apart,
    /// and rest until they get new motions. Without an impact, they stand at the ends of their motions.
    ///
    /// ```
    /// use impinge::{Pose, Shape, World, generate, glam::DVec3, world::Body};
    ///
    /// let at = |x| Pose::from_translation(DVec3::new(x, 0.2, 0.1));
    /// let cube = Shape::new(generate::cuboid(DVec3::ONE)?);
    /// let mut world = World::new();
    /// world.add(Body::new(&cube).at(Pose::from_translation(DVec3::X * 3.0)?).fixed())?;
    /// let ball = world.add(Body::new(&cube).at(at(0.0)?))?;
    ///
    /// // It flies 4 per step, and bounces off the fixed cube after half a step.
    /// world.move_to(ball, at(4.0)?)?;
    /// let step = world.step_until_impact(&Default::default());
    /// let (time, normal) = (step.time(), step.impacts()[0].impact.normal);
    /// assert!((time - 0.5).abs() < 1e-8 && (normal + DVec3::X).length() < 1e-9);
    /// let x = world.pose(ball)?.translation().x;
    /// world.move_to(ball, at(x - 4.0 * (1.0 - time))?)?;
    /// assert_eq!(world.step_until_impact(&Default::default()).time(), 1.0);
    /// assert!(world.pose(ball)?.translation().x.abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_until_impact(&mut self, options: &ImpactOptions) -> ContinuousStep<'_> {
        match self.find_own_impacts(options, |_| ControlFlow::<()>::Continue(())) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(()) => unreachable!("the watcher never stops the step"),
        }
        let [start, end] = options.times();
        let impacts = &mut self.continuous.impacts;
        // Impacts are sorted by time.
        let first = impacts.iter().map(|hit| hit.impact.time).find(|&time| time > start);
        let time = first.unwrap_or(end);
        impacts.retain(|hit| hit.impact.time <= time);
        self.continuous.stats.impacts = impacts.len();
        self.finish_continuous(time);
        self.last_continuous_step()
    }

    /// The outcome of the last continuous step; empty before the first one, and after one that was stopped.
    pub fn last_continuous_step(&self) -> ContinuousStep<'_> {
        ContinuousStep { state: &self.continuous }
    }

    /// Finds the impacts of the motions that are set.
    fn find_own_impacts<B>(
        &mut self,
        options: &ImpactOptions,
        watch: impl FnMut(&ContinuousStats) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let motions = std::mem::take(&mut self.continuous.motions);
        let mut impacts = std::mem::take(&mut self.continuous.impacts);
        let found = self.find_impacts(&motions, options, &mut impacts, watch);
        (self.continuous.motions, self.continuous.impacts) = (motions, impacts);
        self.continuous.stats = found?;
        ControlFlow::Continue(())
    }

    /// Puts all bodies where their motions have them at a time.
    fn finish_continuous(&mut self, time: f64) {
        let mut motions = std::mem::take(&mut self.continuous.motions);
        for (index, motion) in &motions.motions {
            if let Some(body) = self.bodies.at_mut(*index) {
                body.pose = motion.pose_at(time);
                self.mark_moved(*index);
            }
        }
        motions.clear();
        self.continuous.motions = motions;
        self.continuous.time = time;
    }

    /// Finds the first impact of each pair of bodies during motions, and puts the impacts into `impacts`, sorted. Bodies
    /// stay where they are. If `watch` stops the search, there are none.
    pub(super) fn find_impacts<B>(
        &mut self,
        motions: &Motions,
        options: &ImpactOptions,
        impacts: &mut Vec<WorldImpact>,
        mut watch: impl FnMut(&ContinuousStats) -> ControlFlow<B>,
    ) -> ControlFlow<B, ContinuousStats> {
        impacts.clear();
        self.enclose_motions(motions, options);
        let mut pairs = std::mem::take(&mut self.continuous.pairs);
        pairs.clear();
        let _ = self.broad.pairs(&self.proxies, self.threads, &mut |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        let near = pairs.len();
        pairs.retain(|&[a, b]| {
            let is_moving = motions.moves(a) || motions.moves(b);
            is_moving && self.compares(self.bodies.id(a), self.bodies.id(b))
        });
        let mut stats = ContinuousStats {
            bodies: self.len(),
            moving: motions.motions.iter().filter(|(_, motion)| !motion.is_still()).count(),
            near,
            tested: pairs.len(),
            ..ContinuousStats::default()
        };
        let mut found = std::mem::take(&mut self.continuous.found);
        let mut outcome = watch(&stats);
        for batch in pairs.chunks(BATCH) {
            if outcome.is_break() {
                break;
            }
            let bodies = &self.bodies;
            let search = |&pair: &ProxyPair| impact_of(bodies, pair, motions, options);
            match self.threads {
                Threads::Pool => batch.par_iter().map(search).collect_into_vec(&mut found),
                Threads::One => {
                    found.clear();
                    found.extend(batch.iter().map(search));
                }
            }
            impacts.extend(found.iter().flatten());
            (stats.searched, stats.impacts) = (stats.searched + batch.len(), impacts.len());
            outcome = watch(&stats);
        }
        (self.continuous.pairs, self.continuous.found) = (pairs, found);
        if let ControlFlow::Break(why) = outcome {
            impacts.clear();
            return ControlFlow::Break(why);
        }
        impacts.sort_unstable_by(|one, other| {
            let by_time = one.impact.time.total_cmp(&other.impact.time);
            by_time.then_with(|| (one.a, one.b).cmp(&(other.a, other.b)))
        });
        ControlFlow::Continue(stats)
    }

    /// Passes volumes that enclose the motions of all bodies to the broad phase. The next
    /// [`refresh`](Self::refresh) replaces them.
    fn enclose_motions(&mut self, motions: &Motions, options: &ImpactOptions) {
        self.has_motion_bounds = true;
        let Self { bodies, proxies, extents, found, broad, .. } = self;
        found.clear();
        found.extend(proxies.iter());
        for &index in &*found {
            let Some(body) = bodies.at(index) else { continue };
            let still = Motion::still(body.pose);
            let motion = motions.get(index).unwrap_or(&still);
            let shape = &body.shape;
            // A body without faces keeps its empty box.
            let Some(envelope) = Envelope::new(shape, motion, options) else { continue };
            proxies.set_bounds(index, envelope.bounds());
            extents.clear();
            match proxies.detail() {
                Detail::Boxes => {}
                Detail::Spheres => {
                    if let Some((center, radius)) = envelope.sphere() {
                        proxies.set_sphere(index, center, radius);
                    }
                }
                Detail::Extents(directions) => {
                    let at =
                        |pose: &Pose, into: &mut _| shape.placed_extents(pose, directions, into);
                    envelope.extents(at, extents);
                    proxies.set_extents(index, extents);
                }
                Detail::DopExtents { k } => {
                    let at = |pose: &Pose, into: &mut _| shape.placed_dop(pose, k, into);
                    envelope.extents(at, extents);
                    proxies.set_extents(index, extents);
                }
            }
        }
        broad.update(proxies, found);
    }

    /// Drops the motion that was set for a body.
    pub(super) fn drop_motion(&mut self, index: u32) {
        self.continuous.motions.remove(index);
    }
}

/// The first impact of two bodies of a world.
fn impact_of(
    bodies: &Bodies,
    pair: ProxyPair,
    motions: &Motions,
    options: &ImpactOptions,
) -> Option<WorldImpact> {
    let [a, b] = pair.map(|index| {
        let body = bodies.at(index)?;
        let motion = motions.get(index).copied();
        Some((&body.shape, motion.unwrap_or_else(|| Motion::still(body.pose))))
    });
    let (a, b) = (a?, b?);
    let impact = first_impact((a.0, &a.1), (b.0, &b.1), options);
    let impact = impact.expect("the shapes of a world have one method")?;
    let [a, b] = pair.map(|index| bodies.id(index));
    Some(WorldImpact { a, b, impact })
}

//! Steps between two instants: all impacts of bodies that move during a step.
//!
//! Each body has a [`Motion`] for the step, or a [`Deformation`], or rests. The broad phase gets volumes that enclose the whole motion of each
//! body (`Envelope` in [`motion`](crate::motion)), and [`first_impact`] searches the pairs it reports. `forecast.rs` does
//! the same with predicted motions.
//!
//! The volumes are grown by a share of the tolerance, so that pairs that the broad phase drops stay farther apart than
//! the tolerance: the impacts are those that `first_impact` finds for all pairs, whatever the broad phase.

use super::{BodyId, World, WorldError, body::Bodies};
use crate::{
    Bounds, Method, Pose, Shape, Threads,
    broad::{Detail, ProxyPair},
    generate,
    mesh::MAX_COORDINATE,
    motion::{
        Deformation, Envelope, Impact, ImpactOptions, Motion, Moving, deformation_bounds,
        first_impact,
    },
};
use glam::DVec3;
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

impl Continuous {
    /// Whether a body has a motion.
    pub(super) fn has_motions(&self) -> bool {
        !self.motions.motions.is_empty()
    }
}

/// How a body moves during a step.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all bodies are rigid")]
pub(super) enum Course {
    Rigid(Motion),
    Deforming(Box<Deforming>),
}

/// How a body deforms during a step.
#[derive(Debug)]
pub(super) struct Deforming {
    deformation: Deformation,
    /// The positions of the vertices at the end, in the body's own coordinates, and the pose there.
    positions: Vec<DVec3>,
    pose: Pose,
}

impl Deforming {
    /// The positions of the vertices at a time, in the body's own coordinates at the pose of the end; exact at the end.
    fn positions_at(mut self, time: f64) -> Vec<DVec3> {
        if time >= 1.0 {
            return self.positions;
        }
        if *self.deformation.start() == self.pose {
            let from = self.deformation.shape().mesh().positions();
            let between = self.positions.iter_mut().zip(from);
            between.for_each(|(to, from)| *to = *from * (1.0 - time) + *to * time);
            return self.positions;
        }
        let back = self.pose.inverse();
        self.deformation.positions_at(time).into_iter().map(|point| back.place(point)).collect()
    }
}

impl Course {
    fn is_still(&self) -> bool {
        matches!(self, Self::Rigid(motion) if motion.is_still())
    }
}

/// Motions by the index of their body. Bodies without one rest.
#[derive(Debug, Default)]
pub(super) struct Motions {
    motions: Vec<(u32, Course)>,
    /// The place of each body's motion in `motions`.
    places: Vec<Option<u32>>,
}

impl Motions {
    pub(super) fn set(&mut self, body: u32, motion: Motion) {
        self.set_course(body, Course::Rigid(motion));
    }

    fn set_course(&mut self, body: u32, motion: Course) {
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

    fn get(&self, body: u32) -> Option<&Course> {
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
        self.take().for_each(drop);
    }

    /// Takes all motions out.
    fn take(&mut self) -> impl Iterator<Item = (u32, Course)> {
        let Self { motions, places } = self;
        motions.drain(..).inspect(|&(body, _)| places[body as usize] = None)
    }

    fn moves(&self, body: u32) -> bool {
        self.get(body).is_some_and(|course| !course.is_still())
    }
}

/// The number of pairs that are searched between two calls of a watcher.
const BATCH: usize = 1024;

impl World {
    /// Sets the motion of a body during the next continuous step. Bodies without a motion rest.
    ///
    /// Until then the body stays at its pose, and [`set_pose`](Self::set_pose) drops the motion. Fails if the motion does
    /// not start at the body's pose, and in a world with true [solids](super::Body::solid).
    pub fn set_motion(&mut self, body: BodyId, motion: Motion) -> Result<(), WorldError> {
        self.check_no_solids()?;
        if *motion.start() != self.pose(body)? {
            return Err(WorldError::MotionStart { body });
        }
        self.continuous.motions.set(body.index, motion);
        Ok(())
    }

    /// Fails if the world has true solids.
    pub(super) fn check_no_solids(&self) -> Result<(), WorldError> {
        if self.solids == 0 { Ok(()) } else { Err(WorldError::MotionWithSolids) }
    }

    /// Lets a body move to a pose during the next continuous step: with constant velocity, and by a rotation of less
    /// than half a turn at constant angular velocity. Fails if the rotation is half a turn, whose direction is not
    /// known; see [`Motion::with_turn`] and [`set_motion`](Self::set_motion).
    pub fn move_to(&mut self, body: BodyId, pose: Pose) -> Result<(), WorldError> {
        let motion = Motion::between(self.pose(body)?, pose);
        let motion = motion.map_err(|source| WorldError::Motion { body, source })?;
        self.set_motion(body, motion)
    }

    /// Lets the vertices of a body move to other positions during the next continuous step, each on a straight line with
    /// constant velocity: one position for each vertex, in the body's own coordinates at a pose, which is the body's at the
    /// end of the step. Replaces the body's motion, if it has one. Whatever else changes the body's pose or mesh drops
    /// the deformation.
    ///
    /// Fails, and changes nothing, as [`set_vertices`](Self::set_vertices) does.
    ///
    /// ```
    /// use impinge::{Pose, Shape, World, generate, glam::DVec3, world::Body};
    ///
    /// // A ball is inflated until it reaches a wall, and beyond.
    /// let (ball, wall) = (generate::sphere(960)?, generate::cuboid(DVec3::new(0.1, 9.0, 9.0))?);
    /// let mut world = World::new();
    /// let at = Pose::from_translation(DVec3::X * 1.55)?;
    /// world.add(Body::new(&Shape::new(wall)).at(at).fixed())?;
    /// let body = world.add(Body::new(&Shape::new(ball.clone())))?;
    /// let larger: Vec<DVec3> = ball.positions().iter().map(|p| 2.0 * *p).collect();
    /// world.deform_to(body, &larger, Pose::IDENTITY)?;
    /// let step = world.step_until_impact(&Default::default());
    /// let reach = ball.bounds().max.x;
    /// assert!(((1.0 + step.time()) * reach - 1.5).abs() < 1e-9);
    /// assert!((world.shape(body)?.mesh().bounds().max.x - 1.5).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deform_to(
        &mut self,
        body: BodyId,
        positions: &[DVec3],
        pose: Pose,
    ) -> Result<(), WorldError> {
        self.check_no_solids()?;
        let found = self.bodies.get(body).ok_or(WorldError::NoSuchBody { body })?;
        let deformation = Deformation::new(&found.shape, found.pose, positions, pose);
        let deformation = deformation.map_err(|source| WorldError::Mesh { body, source })?;
        let deforming = Deforming { deformation, positions: positions.to_vec(), pose };
        self.continuous.motions.set_course(body.index, Course::Deforming(Box::new(deforming)));
        Ok(())
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
    /// Bodies are rigid during the step, but for those that [deform](Self::deform_to). Other changes of their meshes take
    /// effect at once: what happens while vertices move from their last positions to those of
    /// [`set_vertices`](Self::set_vertices) is not searched, nor are contacts of a body with itself.
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
        for (index, course) in motions.take() {
            let Some(body) = self.bodies.at_mut(index) else { continue };
            match course {
                Course::Rigid(motion) => {
                    body.pose = motion.pose_at(time);
                    self.mark_moved(index);
                }
                Course::Deforming(deforming) => {
                    body.pose = deforming.pose;
                    // Without a copy of the shape, which is dropped here, it is changed in place.
                    let positions = deforming.positions_at(time);
                    let id = self.bodies.id(index);
                    self.set_vertices(id, &positions).expect("the positions were checked");
                }
            }
        }
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
            let still;
            let boxed;
            let (shape, motion) = match motions.get(index) {
                Some(Course::Rigid(motion)) => (&body.shape, motion),
                None => {
                    still = Motion::still(body.pose);
                    (&body.shape, &still)
                }
                // As a box at rest that encloses the whole motion.
                Some(Course::Deforming(deforming)) => {
                    let Some(bounds) = deformation_bounds(&deforming.deformation, options) else {
                        continue;
                    };
                    (boxed, still) = box_at(&bounds);
                    (&boxed, &still)
                }
            };
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

    /// Drops the deformation that was set for a body, which now has another mesh. It keeps a rigid motion.
    pub(super) fn drop_deformation(&mut self, index: u32) {
        if matches!(self.continuous.motions.get(index), Some(Course::Deforming(_))) {
            self.drop_motion(index);
        }
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
    let [a, b] = pair.map(|index| bodies.at(index));
    let (a, b) = (a?, b?);
    let [still_a, still_b] = [a, b].map(|body| Motion::still(body.pose));
    let moving = |index: u32, shape, still| match motions.get(index) {
        Some(Course::Rigid(motion)) => Moving::from((shape, motion)),
        Some(Course::Deforming(deforming)) => Moving::from(&deforming.deformation),
        None => Moving::from((shape, still)),
    };
    let moving_a = moving(pair[0], &a.shape, &still_a);
    let impact = first_impact(moving_a, moving(pair[1], &b.shape, &still_b), options);
    let impact = impact.expect("the shapes of a world have one method")?;
    let [a, b] = pair.map(|index| bodies.id(index));
    Some(WorldImpact { a, b, impact })
}

/// A box as a body at rest.
fn box_at(bounds: &Bounds) -> (Shape, Motion) {
    // Vertices are no farther than that, but the margin may be.
    let limit = DVec3::splat(MAX_COORDINATE);
    let bounds = Bounds { min: bounds.min.max(-limit), max: bounds.max.min(limit) };
    // A box without extent along an axis gets a little.
    let size = bounds.size().max(DVec3::splat(f64::MIN_POSITIVE));
    let mesh = generate::cuboid(size).expect("positive sizes");
    let pose = Pose::from_translation(bounds.center()).expect("finite");
    (Shape::with_method(Method::BRUTE, mesh), Motion::still(pose))
}

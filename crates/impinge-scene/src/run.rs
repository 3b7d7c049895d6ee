//! One run of a scene, cycle by cycle: move, find contacts, respond.

use crate::{
    between::ImpactRow,
    choices::Broad,
    deform::Deforming,
    dynamics::Dynamics,
    error::Error,
    motion::Mover,
    response::{self, Response},
    rows::{Row, RowImpacts, RowStats, RowSwept, micros, nanos_per_test, to_thousandths},
    summary::{End, Summary},
    swept::Sweeper,
};
use impinge::{
    FacePair, Pose, Shape, World,
    glam::DVec3,
    motion::ImpactOptions,
    world::{BodyId, ContinuousStats, ContinuousStep, Step, StepStats},
};
use impinge_io::csv_field;
use std::{
    error::Error as _,
    fmt,
    io::{self, Write},
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// One run of a scene, between two cycles.
pub struct Run {
    pub(crate) world: World,
    pub(crate) bodies: Vec<BodyId>,
    /// Indexed by the number of the body.
    pub(crate) movers: Vec<Mover>,
    pub(crate) deforming: Vec<Deforming>,
    pub(crate) names: Names,
    pub(crate) dynamics: Dynamics,
    pub(crate) response: Response,
    /// The number of cycles to run.
    pub(crate) cycles: u64,
    pub(crate) stop_at_contact: bool,
    /// Whether impacts between cycles are found.
    pub(crate) is_continuous: bool,
    pub(crate) wants_stats: bool,
    /// Finds faces whose swept spaces meet between cycles, if they were asked for.
    pub(crate) sweeper: Option<Sweeper>,
    pub(crate) contact_limit: ContactLimit,
    pub(crate) summary: Summary,
}

/// The limit on contacts per cycle, and where the scene sets it.
pub(crate) struct ContactLimit {
    pub(crate) contacts: u64,
    /// Path and position for the error message.
    pub(crate) place: impinge_io::Location,
    pub(crate) path: std::path::PathBuf,
}

/// The names of bodies. Copies have a number after the name of their entry.
#[derive(Default)]
pub(crate) struct Names {
    /// The name of each entry, and whether it has exactly one body.
    pub(crate) entries: Vec<(String, bool)>,
    /// The entry and the copy number of each body.
    pub(crate) bodies: Vec<(u32, u32)>,
}

impl Names {
    pub(crate) fn of(&self, body: usize) -> String {
        let (entry, copy) = self.bodies[body];
        let (name, is_one) = &self.entries[entry as usize];
        if *is_one { name.clone() } else { format!("{name}.{copy}") }
    }
}

/// Why a step was cut short.
enum Stop {
    Asked,
    TooManyContacts {
        /// Pairs of bodies whose faces had been compared.
        tested: usize,
    },
}

impl Run {
    /// Returns the name of the run: its `name`, or the name of the scene file without the extension.
    pub fn name(&self) -> &str {
        &self.summary.run
    }

    /// Returns the number of bodies.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Returns the number of the body with a name, if there is one.
    pub fn body_named(&self, name: &str) -> Option<usize> {
        (0..self.bodies.len()).find(|&body| self.names.of(body) == name)
    }

    /// Returns the number of cycles, if nothing stops the run earlier.
    pub fn cycle_count(&self) -> u64 {
        self.cycles
    }

    /// Returns the broad phase.
    pub fn broad(&self) -> Broad {
        self.summary.broad
    }

    /// Returns the number of threads; 0 for one per core. Unless it is 1, [`next_cycle`](Self::next_cycle)
    /// uses the rayon pool in which it is called.
    pub fn threads(&self) -> u16 {
        self.summary.threads
    }

    /// Returns whether faces whose swept spaces meet between cycles are found, too.
    pub fn is_swept(&self) -> bool {
        self.sweeper.is_some()
    }

    /// Returns the point that attracts bodies in free flight; if there is none, the middle of the room or the origin.
    pub fn center(&self) -> DVec3 {
        let Dynamics { forces, room, .. } = &self.dynamics;
        let toward = forces.toward.map(|(point, _)| point);
        toward.or(room.map(|room| room.center())).unwrap_or_default()
    }

    /// Runs one cycle: moves the bodies (except in the first cycle) and deforms those that deform, finds the impacts on the
    /// way if the run is continuous, finds the faces that touch, and makes bodies respond to what they hit. Returns `None` after the last cycle.
    ///
    /// The run calls `watch` from time to time with the progress of the cycle; `watch` may stop it.
    ///
    /// # Errors
    /// If a body moves to an invalid pose or deforms to invalid positions, if there are more contacts than the scene's `contact_limit`, or if
    /// `watch` stops the cycle.
    pub fn next_cycle(
        &mut self,
        mut watch: impl FnMut(&StepStats) -> ControlFlow<()>,
    ) -> Result<Option<Cycle<'_>>, Error> {
        let cycle = self.summary.cycles;
        if cycle >= self.cycles || self.summary.stopped == End::Contact {
            return Ok(None);
        }
        if cycle > 0 {
            self.advance(cycle)?;
        }
        let deform_time = self.deform(cycle)?;
        let impacts = self.find_impacts(cycle, &mut watch)?;
        for body in &self.deforming {
            self.movers[body.body].shape = self.world.shape(self.bodies[body.body])?.clone();
        }
        let Self { world, bodies, movers, names, dynamics, contact_limit, summary, .. } = self;
        let limit = contact_limit.contacts;
        let watched = |stats: &StepStats| {
            if watch(stats).is_break() {
                ControlFlow::Break(Stop::Asked)
            } else if stats.contacts as u64 > limit {
                ControlFlow::Break(Stop::TooManyContacts { tested: stats.tested })
            } else {
                ControlFlow::Continue(())
            }
        };
        let step = match world.step_timed_watched(watched) {
            ControlFlow::Continue(step) => step,
            ControlFlow::Break(Stop::Asked) => return Err(Error::Stopped),
            ControlFlow::Break(Stop::TooManyContacts { tested }) => {
                return Err(contact_limit.exceeded(cycle, tested));
            }
        };
        let mut numbers = Row::new("", cycle, &step);
        if summary.steps.is_some() {
            // No steps are made where no bodies are near each other.
            numbers.steps.get_or_insert_default();
        }
        for time in [&mut numbers.place_us, &mut numbers.total_us] {
            *time = to_thousandths(*time + micros(deform_time));
        }
        if let Some(impacts) = &impacts {
            numbers.total_us = to_thousandths(numbers.total_us + impacts.impact_us);
        }
        numbers.impacts = impacts;
        let is_hit = impacts.is_some_and(|impacts| impacts.impacts > 0);
        let stats = step.stats();
        let tests = stats.tests;
        if let Some(sweeper) = &mut self.sweeper {
            // Before the first cycle nothing has moved.
            let swept = match cycle {
                0 => Ok(RowSwept::default()),
                _ => sweeper.sweep(world, bodies, movers),
            };
            numbers.swept = Some(swept.map_err(|(body, error)| Error::Motion {
                cycle,
                body: names.of(body),
                message: error.to_string(),
            })?);
        }
        let has_swept = numbers.swept.is_some_and(|swept| swept.swept_pairs > 0);
        if self.stop_at_contact && (numbers.contacts > 0 || is_hit || has_swept) {
            summary.stopped = End::Contact;
        }
        let start = Instant::now();
        let hits = self.response.respond(dynamics, world, bodies, movers, cycle == 0);
        if self.wants_stats {
            let respond_us = micros(start.elapsed());
            let energy = response::energy(movers, &dynamics.forces).unwrap_or_default();
            numbers.stats = Some(RowStats {
                box_tests: tests.volume_tests,
                face_tests: tests.face_tests,
                box_test_ns: nanos_per_test(numbers.narrow_us, tests.volume_tests),
                refitted: stats.refitted,
                rebuilt: stats.rebuilt,
                in_cells: stats.in_cells,
                respond_us,
                impulses: hits.impulses,
                reversals: hits.reversals,
                kinetic: energy.kinetic,
                potential: energy.potential,
            });
        }
        summary.add(&numbers);
        let row = Row { run: &summary.run, ..numbers };
        let sweeper = self.sweeper.as_ref();
        let (step, between) = (world.last_step(), world.last_continuous_step());
        Ok(Some(Cycle { row, step, between, movers, names, sweeper }))
    }

    /// Returns times and counts over all cycles so far.
    pub fn summary(&self) -> Summary {
        let mut summary = self.summary.clone();
        let energy = response::energy(&self.movers, &self.dynamics.forces);
        summary.finish(energy.map(|energy| energy.kinetic));
        summary
    }

    /// Moves all bodies to their poses at a cycle; in a continuous run, sets their motions to these poses.
    fn advance(&mut self, cycle: u64) -> Result<(), Error> {
        let Self { world, bodies, movers, names, dynamics, is_continuous, .. } = self;
        for (number, (mover, &id)) in movers.iter_mut().zip(bodies.iter()).enumerate() {
            if mover.is_moving() {
                let about = |error: &dyn fmt::Display| Error::Motion {
                    cycle,
                    body: names.of(number),
                    message: error.to_string(),
                };
                mover.advance(cycle, &dynamics.forces).map_err(|error| about(&error))?;
                if !*is_continuous {
                    world.set_pose(id, mover.pose).map_err(|error| about(&error))?;
                    continue;
                }
                let motion = mover.motion().map_err(|error| about(&error))?;
                world.set_pose(id, *mover.before()).map_err(|error| about(&error))?;
                world.set_motion(id, motion).map_err(|error| about(&error))?;
            }
        }
        Ok(())
    }

    /// Moves all bodies of a continuous run along their motions, and finds their impacts.
    fn find_impacts(
        &mut self,
        cycle: u64,
        watch: &mut impl FnMut(&StepStats) -> ControlFlow<()>,
    ) -> Result<Option<RowImpacts>, Error> {
        if !self.is_continuous {
            return Ok(None);
        }
        let mut found = RowImpacts::default();
        if cycle == 0 {
            return Ok(Some(found));
        }
        let watched = |stats: &ContinuousStats| {
            let mut progress = StepStats::default();
            (progress.bodies, progress.near) = (stats.bodies, stats.near);
            progress.tested = stats.searched;
            watch(&progress)
        };
        let start = Instant::now();
        let step = match self.world.step_continuous_watched(&ImpactOptions::default(), watched) {
            ControlFlow::Continue(step) => step,
            ControlFlow::Break(()) => return Err(Error::Stopped),
        };
        found.impact_us = micros(start.elapsed());
        found.impacts = step.impacts().len();
        found.impact_time = step.impacts().first().map(|first| first.impact.time);
        Ok(Some(found))
    }
}

impl Run {
    /// Moves the vertices of all bodies that deform to their positions at a cycle; in a continuous run, sets their
    /// motions to these positions. Returns the time to renew what was prepared of them.
    fn deform(&mut self, cycle: u64) -> Result<Duration, Error> {
        let Self { world, bodies, movers, deforming, names, is_continuous, sweeper, .. } = self;
        let mut time = Duration::ZERO;
        for body in deforming {
            body.advance(cycle);
            let (id, mover) = (bodies[body.body], &mut movers[body.body]);
            if let Some(sweeper) = sweeper
                && cycle > 0
            {
                sweeper.keep(body.body, &mover.shape);
            }
            // Without a copy of the shape, it is changed in place.
            mover.shape = body.rest.clone();
            let start = Instant::now();
            let renewed = match *is_continuous && cycle > 0 {
                true => world.deform_to(id, &body.positions, mover.pose),
                false => world.set_vertices(id, &body.positions),
            };
            time += start.elapsed();
            renewed.map_err(|error| Error::Motion {
                cycle,
                body: names.of(body.body),
                // The world's error begins with the number of the body; its source says what is wrong.
                message: error.source().map_or_else(|| error.to_string(), ToString::to_string),
            })?;
        }
        Ok(time)
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl ContactLimit {
    fn exceeded(&self, cycle: u64, pairs: usize) -> Error {
        let limit = self.contacts;
        let message = format!(
            "cycle {cycle}: more than {limit} contacts among the first {pairs} pairs of bodies; \
             place the bodies further apart, or raise `contact_limit` if there is memory \
             for them (8 bytes each)"
        );
        impinge_io::Error { path: self.path.clone(), location: self.place.clone(), message }.into()
    }
}

/// One cycle of a run: the poses of bodies, and their contacts.
pub struct Cycle<'r> {
    row: Row<'r>,
    step: Step<'r>,
    between: ContinuousStep<'r>,
    movers: &'r [Mover],
    names: &'r Names,
    sweeper: Option<&'r Sweeper>,
}

impl<'r> Cycle<'r> {
    /// The header of a CSV file of contacts: see [`write_contacts`](Self::write_contacts).
    pub const CONTACTS_HEADER: &'static str = "run,cycle,body_a,body_b,face_a,face_b";

    /// The header of a CSV file of poses: see [`write_poses`](Self::write_poses).
    pub const POSES_HEADER: &'static str =
        "run,cycle,body,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz";

    /// Returns times and counts of this cycle.
    pub fn row(&self) -> &Row<'r> {
        &self.row
    }

    /// Returns which bodies touch, began to touch and ceased to touch.
    pub fn step(&self) -> &Step<'r> {
        &self.step
    }

    /// Returns the impacts on the way from the previous cycle, in the order of their times; none unless the run is
    /// continuous.
    pub fn impacts(&self) -> impl Iterator<Item = ImpactRow<'r>> + '_ {
        let (run, cycle) = (self.row.run, self.row.cycle);
        let name = |body: BodyId| self.names.of(body.index() as usize);
        self.between
            .impacts()
            .iter()
            .map(move |hit| ImpactRow::new(run, cycle, [name(hit.a), name(hit.b)], &hit.impact))
    }

    /// Returns the name of a body, given its number in the world.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn body_name(&self, body: usize) -> String {
        self.names.of(body)
    }

    /// Returns the pose of each body, in the order of their numbers.
    pub fn poses(&self) -> impl Iterator<Item = &Pose> {
        self.movers.iter().map(|mover| &mover.pose)
    }

    /// Returns the poses from which the bodies start into the next cycle. They differ from [`poses`](Self::poses)
    /// for bodies in free flight that touched something: these were set back to where they touch nothing.
    pub fn kept_poses(&self) -> impl Iterator<Item = &Pose> {
        self.movers.iter().map(Mover::kept_pose)
    }

    /// Returns the shape of each body, in the order of their numbers.
    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.movers.iter().map(|mover| &mover.shape)
    }

    /// Returns the bodies in free flight: the number of each, and the position of its centre of mass at the pose
    /// from which it starts into the next cycle.
    pub fn flying(&self) -> impl Iterator<Item = (usize, DVec3)> {
        let place = |(body, mover): (usize, &Mover)| Some((body, mover.flight()?.state.center));
        self.movers.iter().enumerate().filter_map(place)
    }

    /// Writes one CSV row for each pair of faces that touch.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_contacts(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut touching = self.step.pairs();
        touching.try_for_each(|touch| {
            self.write_faces(out, [touch.a.index(), touch.b.index()], touch.faces)
        })
    }

    /// Writes one CSV row for each pair of faces whose swept spaces meet between the previous cycle and this one, with
    /// the columns of [`write_contacts`](Self::write_contacts).
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_swept(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut swept = self.sweeper.into_iter().flat_map(|sweeper| &sweeper.pairs);
        swept.try_for_each(|(bodies, faces)| self.write_faces(out, *bodies, faces))
    }

    /// Writes one CSV row for each pair of faces of two bodies.
    fn write_faces(
        &self,
        out: &mut dyn Write,
        bodies: [u32; 2],
        faces: &[FacePair],
    ) -> io::Result<()> {
        let (run, cycle) = (csv_field(self.row.run), self.row.cycle);
        let [a, b] = bodies.map(|body| self.names.of(body as usize));
        let [a, b] = [csv_field(&a), csv_field(&b)];
        faces
            .iter()
            .try_for_each(|faces| writeln!(out, "{run},{cycle},{a},{b},{},{}", faces.a, faces.b))
    }

    /// Writes one CSV row for each body: its name and the row-major 3×4 matrix of its pose.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_poses(&self, out: &mut dyn Write) -> io::Result<()> {
        let (run, cycle) = (csv_field(self.row.run), self.row.cycle);
        for (number, pose) in self.poses().enumerate() {
            let numbers = pose.to_rows().map(|number| number.to_string());
            let name = self.names.of(number);
            writeln!(out, "{run},{cycle},{},{}", csv_field(&name), numbers.join(","))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Cycle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cycle").field("row", &self.row).finish_non_exhaustive()
    }
}

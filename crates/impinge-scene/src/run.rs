//! One run of a scene, cycle by cycle: move, find contacts, respond.

use crate::{
    document::Broad,
    error::Error,
    motion::Mover,
    response::{self, Dynamics},
    rows::Row,
    summary::{End, Summary},
};
use impinge::{
    Pose, World,
    world::{BodyId, Step, StepStats},
};
use impinge_io::csv_field;
use std::{
    fmt,
    io::{self, Write},
    ops::ControlFlow,
};

/// One run of a scene, ready for its first cycle or somewhere between two.
pub struct Run {
    pub(crate) world: World,
    pub(crate) bodies: Vec<BodyId>,
    /// By number of the body.
    pub(crate) movers: Vec<Mover>,
    pub(crate) names: Names,
    pub(crate) dynamics: Dynamics,
    /// How many cycles there are to be.
    pub(crate) cycles: u64,
    pub(crate) stop_at_contact: bool,
    pub(crate) contact_limit: ContactLimit,
    pub(crate) summary: Summary,
}

/// How many contacts a cycle may have, and where the scene says so.
pub(crate) struct ContactLimit {
    pub(crate) contacts: u64,
    /// The error that tells there are more, but for its message.
    pub(crate) place: impinge_io::Location,
    pub(crate) path: std::path::PathBuf,
}

/// What bodies are called: copies have a number after their common name.
#[derive(Default)]
pub(crate) struct Names {
    /// The name of each entry, and whether it has one body alone.
    pub(crate) entries: Vec<(String, bool)>,
    /// The entry and the number of the copy for each body.
    pub(crate) bodies: Vec<(u32, u32)>,
}

impl Names {
    fn of(&self, body: usize) -> String {
        let (entry, copy) = self.bodies[body];
        let (name, is_one) = &self.entries[entry as usize];
        if *is_one { name.clone() } else { format!("{name}.{copy}") }
    }
}

/// Why a step did not come to its end.
enum Stop {
    Asked,
    TooManyContacts {
        /// Pairs of bodies whose faces had been compared.
        tested: usize,
    },
}

impl Run {
    /// What it is called: the run's `name`, or the name of the scene's file without the extension.
    pub fn name(&self) -> &str {
        &self.summary.run
    }

    /// How many bodies there are.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// How many cycles there are to be, if nothing stops it.
    pub fn cycle_count(&self) -> u64 {
        self.cycles
    }

    /// How near bodies are found.
    pub fn broad(&self) -> Broad {
        self.summary.broad
    }

    /// How many threads are asked for, 0 for one per core. If not 1, [`next_cycle`](Self::next_cycle)
    /// uses the rayon pool that it is called in.
    pub fn threads(&self) -> u16 {
        self.summary.threads
    }

    /// Does one cycle: moves the bodies, but for the first one; finds the faces that touch; and lets
    /// bodies respond to what they hit. Returns `None` when there are no more cycles.
    ///
    /// `watch` is told now and then how far a cycle is, and may stop it.
    ///
    /// # Errors
    /// If a body moves where no pose can be, there are more contacts than the scene's
    /// `contact_limit`, or `watch` stops it.
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
        let Self { world, movers, names, dynamics, contact_limit, summary, .. } = self;
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
        let step = match world.step_watched(watched) {
            ControlFlow::Continue(step) => step,
            ControlFlow::Break(Stop::Asked) => return Err(Error::Stopped),
            ControlFlow::Break(Stop::TooManyContacts { tested }) => {
                return Err(contact_limit.exceeded(cycle, tested));
            }
        };
        let numbers = Row::new("", cycle, &step);
        summary.add(&numbers);
        if self.stop_at_contact && numbers.contacts > 0 {
            summary.stopped = End::Contact;
        }
        dynamics.respond(movers, &step);
        let row = Row { run: &summary.run, ..numbers };
        Ok(Some(Cycle { row, step, movers, names }))
    }

    /// What the cycles done so far took and found.
    pub fn summary(&self) -> Summary {
        let mut summary = self.summary.clone();
        summary.finish(response::energy(&self.movers));
        summary
    }

    /// Moves all bodies to where they are at a cycle.
    fn advance(&mut self, cycle: u64) -> Result<(), Error> {
        let Self { world, bodies, movers, names, dynamics, .. } = self;
        for (number, (mover, &id)) in movers.iter_mut().zip(bodies.iter()).enumerate() {
            if mover.is_moving() {
                let about = |error: &dyn fmt::Display| Error::Motion {
                    cycle,
                    body: names.of(number),
                    message: error.to_string(),
                };
                mover.advance(cycle, &dynamics.forces).map_err(|error| about(&error))?;
                world.set_pose(id, mover.pose).map_err(|error| about(&error))?;
            }
        }
        Ok(())
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
            "cycle {cycle}: over {limit} contacts among the first {pairs} pairs of bodies; \
             place the bodies further apart, or raise `contact_limit` if there is memory \
             for them (8 bytes each)"
        );
        impinge_io::Error { path: self.path.clone(), location: self.place.clone(), message }.into()
    }
}

/// One cycle of a run: where bodies are, and what touches.
pub struct Cycle<'r> {
    row: Row<'r>,
    step: Step<'r>,
    movers: &'r [Mover],
    names: &'r Names,
}

impl<'r> Cycle<'r> {
    /// The header of a CSV file of contacts: see [`write_contacts`](Self::write_contacts).
    pub const CONTACTS_HEADER: &'static str = "run,cycle,body_a,body_b,face_a,face_b";

    /// The header of a CSV file of poses: see [`write_poses`](Self::write_poses).
    pub const POSES_HEADER: &'static str =
        "run,cycle,body,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz";

    /// Times and counts.
    pub fn row(&self) -> &Row<'r> {
        &self.row
    }

    /// What touches, began to touch and ceased to.
    pub fn step(&self) -> &Step<'r> {
        &self.step
    }

    /// The name of a body, by its number in the world.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn body_name(&self, body: usize) -> String {
        self.names.of(body)
    }

    /// Where each body is, in the order of their numbers.
    pub fn poses(&self) -> impl Iterator<Item = &Pose> {
        self.movers.iter().map(|mover| &mover.pose)
    }

    /// Writes a CSV row for each two faces that touch.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_contacts(&self, out: &mut dyn Write) -> io::Result<()> {
        let (run, cycle) = (csv_field(self.row.run), self.row.cycle);
        for touch in self.step.pairs() {
            let [a, b] = [touch.a, touch.b].map(|body| self.names.of(body.index() as usize));
            let [a, b] = [csv_field(&a), csv_field(&b)];
            for faces in touch.faces {
                writeln!(out, "{run},{cycle},{a},{b},{},{}", faces.a, faces.b)?;
            }
        }
        Ok(())
    }

    /// Writes a CSV row for each body: its name and the row-major 3×4 matrix of its pose.
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

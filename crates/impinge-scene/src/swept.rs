//! Between two cycles: the faces of bodies whose swept spaces meet, as Kitamura, Takemura and Kishino (1994) test them.
//! `run.rs` asks for them at each cycle, before bodies respond.

use crate::{
    motion::Mover,
    rows::{RowSwept, micros},
};
use impinge::{
    Distribution, FacePair, Motion, Shape, Threads, World,
    broad::{BroadPhase, Detail, Packed, Proxies},
    motion::{Deformation, MotionError, Moving, swept_bounds, swept_contacts_on},
    world::BodyId,
};
use std::{collections::HashMap, ops::ControlFlow, time::Instant};

/// Finds the pairs of faces, and keeps those of the last cycle.
#[derive(Debug)]
pub(super) struct Sweeper {
    distribution: Distribution,
    motions: Vec<Course>,
    /// Bodies that deform, by number, as they were at the previous cycle.
    before: HashMap<usize, Shape>,
    near: Vec<[u32; 2]>,
    /// Bodies by number, and the faces of them whose swept spaces meet; sorted.
    pub(super) pairs: Vec<([u32; 2], Vec<FacePair>)>,
}

/// How a body moved from the previous cycle to this one.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all bodies are rigid")]
enum Course {
    Rigid(Motion),
    Deforming(Box<Deformation>),
}

impl Sweeper {
    /// `distribution` is how comparisons are distributed, if the world uses several threads.
    pub(super) fn new(distribution: Distribution) -> Self {
        let (motions, near, pairs) = Default::default();
        Self { distribution, motions, before: HashMap::new(), near, pairs }
    }

    /// Keeps a body as it is, before it deforms.
    pub(super) fn keep(&mut self, body: usize, shape: &Shape) {
        self.before.insert(body, shape.clone());
    }

    /// Compares all bodies from the previous cycle to this one. An error comes with the number of the body.
    pub(super) fn sweep(
        &mut self,
        world: &World,
        bodies: &[BodyId],
        movers: &[Mover],
    ) -> Result<RowSwept, (usize, MotionError)> {
        self.motions.clear();
        for (number, mover) in movers.iter().enumerate() {
            let course = match self.before.remove(&number) {
                Some(shape) => {
                    let positions = mover.shape.mesh().positions();
                    let deformed = Deformation::new(&shape, *mover.before(), positions, mover.pose);
                    Course::Deforming(Box::new(deformed.expect("both shapes are meshes")))
                }
                None => Course::Rigid(mover.motion().map_err(|error| (number, error))?),
            };
            self.motions.push(course);
        }
        let start = Instant::now();
        self.find_near(world, bodies, movers);
        self.pairs.clear();
        let mut row = RowSwept { swept_near: self.near.len(), ..RowSwept::default() };
        for &pair in &self.near {
            let [a, b] = pair.map(|body| {
                let body = body as usize;
                match &self.motions[body] {
                    Course::Rigid(motion) => Moving::from((&movers[body].shape, motion)),
                    Course::Deforming(deformation) => Moving::from(&**deformation),
                }
            });
            let found = swept_contacts_on(a, b, world.threads(), self.distribution)
                .expect("a world has shapes of one method");
            row.swept_compared += found.compared;
            row.swept_pairs += found.pairs.len();
            if !found.pairs.is_empty() {
                self.pairs.push((pair, found.pairs));
            }
        }
        row.swept_us = micros(start.elapsed());
        Ok(row)
    }

    /// Finds the bodies whose boxes, around all their positions between the cycles, overlap.
    fn find_near(&mut self, world: &World, bodies: &[BodyId], movers: &[Mover]) {
        let mut proxies = Proxies::new(Detail::Boxes);
        let mut broad = Packed::new();
        for (body, (mover, motion)) in (0..).zip(movers.iter().zip(&self.motions)) {
            let bounds = match motion {
                Course::Rigid(motion) => swept_bounds(&mover.shape, motion),
                Course::Deforming(deformation) => deformation.bounds(),
            };
            proxies.set(body, bounds, true);
            broad.insert(&proxies, body);
        }
        self.near.clear();
        let _ = broad.pairs(&proxies, Threads::One, &mut |pair| {
            let [a, b] = pair.map(|body| bodies[body as usize]);
            if world.compares(a, b) {
                self.near.push(pair);
            }
            ControlFlow::Continue(())
        });
        self.near.sort_unstable();
    }
}

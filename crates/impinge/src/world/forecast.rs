//! Which bodies will collide soon, if they move on as they did.
//!
//! The paper of Kitamura, Takemura and Kishino (1994) extrapolates the motion of objects that users move by hand, to warn
//! of collisions before they happen. [`Forecast`] keeps the last poses of all bodies of a world, predicts a motion for
//! each ([`Track`]), and searches these motions as a continuous step does (`continuous.rs`).

use super::{
    BodyId, World, WorldError,
    continuous::{ContinuousStats, Motions},
};
use crate::{
    Impact,
    motion::{ImpactOptions, Track},
};
use std::ops::ControlFlow;

/// The last poses of the bodies of a world, and the collisions that will follow from them.
///
/// ```
/// use impinge::{Pose, Shape, World, generate, glam::DVec3, world::{Body, Forecast}};
///
/// let cube = Shape::new(generate::cuboid(DVec3::ONE)?);
/// let at = |x| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
/// let mut world = World::new();
/// let wall = world.add(Body::new(&cube).at(at(5.0)?).fixed())?;
/// let hand = world.add(Body::new(&cube))?;
///
/// let mut forecast = Forecast::constant_velocity();
/// for step in 0..4 {
///     world.set_pose(hand, at(0.5 * f64::from(step))?)?;
///     forecast.observe(&world);
/// }
/// // The gap is 2.5, and closes by 0.5 a step.
/// assert_eq!(forecast.collisions(&mut world, 4.0, &Default::default())?, []);
/// let warnings = forecast.collisions(&mut world, 10.0, &Default::default())?;
/// assert_eq!((warnings[0].a, warnings[0].b), (wall, hand));
/// assert!((warnings[0].steps - 5.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Forecast {
    /// How many steps are fitted.
    steps: usize,
    /// By the index of the body.
    tracks: Vec<Option<(BodyId, Track)>>,
    motions: Motions,
}

/// A collision of two bodies that is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The body with the lower index.
    pub a: BodyId,
    /// The body with the higher index.
    pub b: BodyId,
    /// In how many steps; 0 if the bodies touch already.
    pub steps: f64,
    /// Where, and when as a share of the horizon.
    pub impact: Impact,
}

impl Forecast {
    /// Bodies move on with the velocity and the angular velocity of their last step.
    pub fn constant_velocity() -> Self {
        Self::fitted(1)
    }

    /// Bodies move on with velocities fitted to their last `steps` steps by least squares; 0 counts as 1. A body with
    /// fewer known steps is fitted to those.
    pub fn fitted(steps: usize) -> Self {
        Self { steps, tracks: Vec::new(), motions: Motions::default() }
    }

    /// Takes the poses of all bodies. Call it once a step.
    pub fn observe(&mut self, world: &World) {
        for track in &mut self.tracks {
            track.take_if(|(body, _)| !world.contains(*body));
        }
        for (id, body) in world.bodies.iter() {
            let index = id.index as usize;
            if index >= self.tracks.len() {
                self.tracks.resize(index + 1, None);
            }
            let steps = self.steps;
            let (_, track) = self.tracks[index].get_or_insert_with(|| (id, Track::new(steps)));
            track.push(body.pose);
        }
    }

    /// Forgets the poses of a body, which counts as resting until it is observed twice. For bodies that were put
    /// elsewhere and have not moved there.
    pub fn forget(&mut self, body: BodyId) {
        if let Some(track) = self.tracks.get_mut(body.index as usize) {
            *track = None;
        }
    }

    /// The collisions that will happen within the next `horizon` steps if all bodies move on as predicted, the most
    /// urgent first.
    ///
    /// For each pair the first collision counts, found as by [`World::step_continuous`]: for the predicted motions
    /// nothing is missed. Each body turns about the center of its bounding box, and starts at the pose that was observed
    /// last. The bodies of the world stay where they are.
    ///
    /// Fails if the horizon is negative or not finite, or so long that a body would leave the range of coordinates, and in a
    /// world with true solids.
    pub fn collisions(
        &mut self,
        world: &mut World,
        horizon: f64,
        options: &ImpactOptions,
    ) -> Result<Vec<Prediction>, WorldError> {
        if !(horizon.is_finite() && horizon >= 0.0) {
            return Err(WorldError::Horizon { horizon });
        }
        world.check_no_solids()?;
        self.motions.clear();
        for (body, track) in self.tracks.iter().flatten() {
            // A body that was removed since.
            let Ok(shape) = world.shape(*body) else { continue };
            let bounds = shape.mesh().bounds();
            if bounds.is_empty() {
                continue;
            }
            let motion = track.predicted(horizon, bounds.center());
            let motion = motion.map_err(|source| WorldError::Motion { body: *body, source })?;
            if let Some(motion) = motion {
                self.motions.set(body.index, motion);
            }
        }
        let mut impacts = Vec::new();
        let watch = |_: &ContinuousStats| ControlFlow::<()>::Continue(());
        let _ = world.find_impacts(&self.motions, options, &mut impacts, watch);
        let found = impacts.iter().map(|hit| Prediction {
            a: hit.a,
            b: hit.b,
            steps: hit.impact.time * horizon,
            impact: hit.impact,
        });
        Ok(found.collect())
    }
}

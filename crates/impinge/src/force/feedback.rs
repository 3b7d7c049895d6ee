//! A body that is held against others, and the force with which they push it back.

use super::{
    FeedbackError, FeedbackOptions, ForceRegion,
    depth::{Probe, Solid},
    region::{Parts, Sum, joined},
    samples::Samples,
};
use crate::{Pose, Shape, method::PointScratch};
use glam::DVec3;
use std::sync::Arc;

/// Names an obstacle of a [`Feedback`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObstacleId(u32);

/// The force and torque on the held body, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reaction<'f> {
    /// The force on the held body.
    pub force: DVec3,
    /// The torque on the held body about its placed [reference point](FeedbackOptions::reference).
    pub torque: DVec3,
    /// The depth of the deepest sample of any body in another one; 0 if there is no contact.
    pub depth: f64,
    /// The area in contact: half the sum of the areas of all surfaces that lie in the other solid.
    pub area: f64,
    /// The sum of the magnitudes of all pressure forces, which is at least that of the force.
    pub load: f64,
    /// The contacts, each connected, obstacle by obstacle.
    pub regions: &'f [ForceRegion],
    /// How many samples of all bodies lie in another body.
    pub inside: usize,
    /// For how many points the depth was measured: samples, and centers of clusters of samples.
    pub evaluated: usize,
}

/// A body that is held, and obstacles: computes the force and torque with which they push it back.
///
/// See the [module](super) for what is computed, and how the result changes from call to call. What is found is kept for the
/// next call, which is the faster, the less has moved since. It does not depend on earlier calls. Calls allocate no memory
/// once as many regions were in contact as there ever are.
///
/// ```
/// use impinge::{Pose, Shape, force::{Feedback, FeedbackOptions}, generate, glam::DVec3};
///
/// let cube = Shape::new(generate::cuboid(DVec3::splat(2.0))?);
/// let floor = Shape::new(generate::cuboid(DVec3::new(6.0, 6.0, 2.0))?);
/// let mut feedback = Feedback::new(&cube, FeedbackOptions::new().stiffness(100.0))?;
/// feedback.add(&floor, Pose::IDENTITY)?;
///
/// // An area of 2 × 2, at a depth of 0.01: a force of 4, to within a strip around the contact as wide as the spacing.
/// let pose = Pose::from_translation(DVec3::new(0.0, 0.0, 1.99))?;
/// let reaction = feedback.reaction(&pose);
/// assert!(reaction.force.distance(DVec3::Z * 4.0) < 0.4);
/// assert_eq!(reaction.regions.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Feedback {
    shape: Shape,
    samples: Samples,
    parts: Parts,
    obstacles: Vec<Obstacle>,
    options: FeedbackOptions,
    spacing: f64,
    reference: DVec3,
    scratch: PointScratch,
    regions: Vec<ForceRegion>,
    sums: Vec<Sum>,
    owners: Vec<u32>,
}

#[derive(Debug)]
struct Obstacle {
    shape: Shape,
    samples: Arc<Samples>,
    pose: Pose,
    parts: Parts,
    /// The held body's samples in the obstacle.
    held_in_obstacle: Probe,
    /// The obstacle's samples in the held body.
    obstacle_in_held: Probe,
}

impl Feedback {
    /// Samples the surface of a body to be held. Takes time n log n.
    ///
    /// # Errors
    /// If its faces enclose no solid, or a number of the options cannot be used.
    pub fn new(held: &Shape, options: FeedbackOptions) -> Result<Self, FeedbackError> {
        options.check()?;
        held.check_solid().map_err(FeedbackError::HeldNotSolid)?;
        let bounds = held.mesh().bounds();
        let spacing = options.spacing.unwrap_or(bounds.size().length() / 32.0);
        let samples = Samples::new(held, spacing, options.most_samples);
        Ok(Self {
            shape: held.clone(),
            parts: Parts::new(&samples),
            samples,
            obstacles: Vec::new(),
            options,
            spacing,
            reference: options.reference.unwrap_or(bounds.center()),
            scratch: PointScratch::new(),
            regions: Vec::with_capacity(64),
            sums: Vec::with_capacity(64),
            owners: Vec::with_capacity(64),
        })
    }

    /// Adds an obstacle. Takes time n log n, unless a copy of the shape was added before.
    ///
    /// # Errors
    /// If its faces enclose no solid.
    pub fn add(&mut self, obstacle: &Shape, pose: Pose) -> Result<ObstacleId, FeedbackError> {
        obstacle.check_solid().map_err(FeedbackError::ObstacleNotSolid)?;
        let same = self.obstacles.iter().find(|o| Arc::ptr_eq(o.shape.mesh(), obstacle.mesh()));
        let samples = same.map_or_else(
            || Arc::new(Samples::new(obstacle, self.spacing, self.options.most_samples)),
            |same| Arc::clone(&same.samples),
        );
        self.obstacles.push(Obstacle {
            shape: obstacle.clone(),
            pose,
            parts: Parts::new(&samples),
            held_in_obstacle: Probe::new(&self.samples, obstacle),
            obstacle_in_held: Probe::new(&samples, &self.shape),
            samples,
        });
        Ok(ObstacleId(self.obstacles.len() as u32 - 1))
    }

    /// Moves an obstacle.
    ///
    /// # Errors
    /// If the obstacle was added to another `Feedback`, with more of them.
    pub fn set_pose(&mut self, obstacle: ObstacleId, pose: Pose) -> Result<(), FeedbackError> {
        let number = obstacle.0 as usize;
        let found = self.obstacles.get_mut(number);
        found.ok_or(FeedbackError::UnknownObstacle { number })?.pose = pose;
        Ok(())
    }

    /// Returns the number of samples of the held body, and of all obstacles.
    pub fn samples(&self) -> [usize; 2] {
        let others = self.obstacles.iter().map(|obstacle| obstacle.samples.points.len());
        [self.samples.points.len(), others.sum()]
    }

    /// Returns the force and torque on the held body at a pose.
    ///
    /// The first call, and one after a jump, measure the depth of all samples that are near, which takes many times as long
    /// as a call after a small motion.
    pub fn reaction(&mut self, pose: &Pose) -> Reaction<'_> {
        let reference = pose.place(self.reference);
        let center = pose.place(self.samples.center) - reference;
        self.regions.clear();
        let (mut total, mut inside, mut evaluated) = (Sum::ZERO, 0, 0);
        for (number, obstacle) in self.obstacles.iter_mut().enumerate() {
            let Obstacle { shape, samples, pose: placed, parts, .. } = obstacle;
            let (on_held, on_obstacle) =
                (&mut obstacle.held_in_obstacle, &mut obstacle.obstacle_in_held);

            let mut solid = Solid { shape, scratch: &mut self.scratch };
            on_held.update(&self.samples, placed.inverse() * *pose, &mut solid);
            let held = self.parts.add_up(&self.samples, on_held, &mut solid, false);
            inside += on_held.inside().len();
            evaluated += on_held.evaluated();

            let mut solid = Solid { shape: &self.shape, scratch: &mut self.scratch };
            on_obstacle.update(samples, pose.inverse() * *placed, &mut solid);
            let others = parts.add_up(samples, on_obstacle, &mut solid, true);
            inside += on_obstacle.inside().len();
            evaluated += on_obstacle.evaluated();

            // What acts on the obstacle's surface acts on the held body the other way round.
            let other_center = placed.place(samples.center) - reference;
            let of_held = |sum: &Sum| sum.placed(pose, center);
            let of_obstacle = |sum: &Sum| sum.placed(placed, other_center).opposite();
            total.add(&of_held(&held));
            total.add(&of_obstacle(&others));

            self.parts.sums.iter_mut().for_each(|sum| *sum = of_held(sum));
            parts.sums.iter_mut().for_each(|sum| *sum = of_obstacle(sum));
            self.sums.clear();
            joined(&self.parts.sums, &parts.sums, &mut self.owners, &mut self.sums);
            let obstacle = ObstacleId(number as u32);
            self.regions.extend(self.sums.iter().map(|sum| ForceRegion {
                obstacle,
                point: reference + sum.weighted / sum.load.max(f64::MIN_POSITIVE),
                normal: sum.force.normalize_or_zero(),
                force: sum.force,
                depth: sum.depth,
                area: sum.area,
            }));
        }
        self.finished(&total, inside, evaluated)
    }

    /// Multiplies by the stiffness, by one half for the two surfaces, and by what the largest force leaves.
    fn finished(&mut self, total: &Sum, inside: usize, evaluated: usize) -> Reaction<'_> {
        let mut factor = 0.5 * self.options.stiffness;
        let force = total.force.length() * factor;
        if force > self.options.most_force {
            factor *= self.options.most_force / force;
        }
        for region in &mut self.regions {
            region.force *= factor;
            region.area *= 0.5;
        }
        Reaction {
            force: total.force * factor,
            torque: total.torque * factor,
            depth: total.depth,
            area: 0.5 * total.area,
            load: factor * total.load,
            regions: &self.regions,
            inside,
            evaluated,
        }
    }
}

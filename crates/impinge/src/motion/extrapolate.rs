//! The last poses of a body, and the motion that continues them.

use super::{Motion, MotionError};
use crate::Pose;
use glam::DVec3;
use std::collections::VecDeque;

/// The poses of a body at the last steps, from which its next motion is predicted.
///
/// The prediction is a constant velocity and a constant angular velocity, from the last pose on. They are the slopes of
/// least-squares lines through the last poses. With two poses these are the velocities of the last step; more poses
/// average out measurement noise and tremor, but respond later when the body changes its direction.
///
/// ```
/// use impinge::{Pose, glam::DVec3, motion::Track};
///
/// let mut track = Track::new(1);
/// for x in [0.0, 1.0, 3.0] {
///     track.push(Pose::from_translation(DVec3::new(x, 0.0, 0.0))?);
/// }
/// let motion = track.predicted(2.5, DVec3::ZERO)?.ok_or("no pose")?;
/// assert_eq!(motion.start().translation().x, 3.0);
/// assert_eq!(motion.end().translation().x, 8.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Track {
    /// How many steps are fitted, at most.
    steps: usize,
    /// The last poses, the oldest first. Each with the rotation vector from the pose before; zero for the first.
    poses: VecDeque<(Pose, DVec3)>,
}

impl Track {
    /// An empty track that fits the last `steps` steps: `steps` + 1 poses. 0 counts as 1.
    pub fn new(steps: usize) -> Self {
        Self { steps: steps.max(1), poses: VecDeque::new() }
    }

    /// Adds the pose at the next step.
    ///
    /// If the body has turned by half a turn since the last pose, the direction is not known, and earlier poses are
    /// forgotten.
    pub fn push(&mut self, pose: Pose) {
        let turn = match self.poses.back() {
            None => DVec3::ZERO,
            Some((last, _)) => Motion::between(*last, pose).map_or_else(
                |_| {
                    self.poses.clear();
                    DVec3::ZERO
                },
                |motion| motion.turn(),
            ),
        };
        if self.poses.len() > self.steps {
            self.poses.pop_front();
        }
        self.poses.push_back((pose, turn));
    }

    /// The last pose.
    pub fn last(&self) -> Option<&Pose> {
        self.poses.back().map(|(pose, _)| pose)
    }

    /// Velocity of a point of the body, given in the body's frame, and angular velocity in radians; per step and in
    /// world axes. Zero with fewer than two poses.
    ///
    /// The slope of the least-squares line through n + 1 equidistant values is a weighted mean of their n differences:
    /// the i-th has the weight 6 i (n + 1 − i) / (n (n + 1) (n + 2)). For rotations the differences are rotation vectors.
    pub fn velocities(&self, point: DVec3) -> [DVec3; 2] {
        let count = self.poses.len().saturating_sub(1) as f64;
        let scale = 6.0 / (count * (count + 1.0) * (count + 2.0));
        let mut velocities = [DVec3::ZERO; 2];
        let mut number = 0.0;
        for ((before, _), (after, turn)) in self.poses.iter().zip(self.poses.iter().skip(1)) {
            number += 1.0;
            let weight = scale * number * (count + 1.0 - number);
            velocities[0] += (after.place(point) - before.place(point)) * weight;
            velocities[1] += *turn * weight;
        }
        velocities
    }

    /// The predicted motion from the last pose over a number of steps, with the pivot given in the body's frame. `None`
    /// without any pose. Fails if the body would turn too often or leave the range of coordinates, or if `steps` is not
    /// finite.
    pub fn predicted(&self, steps: f64, pivot: DVec3) -> Result<Option<Motion>, MotionError> {
        let Some(&last) = self.last() else { return Ok(None) };
        let [velocity, spin] = self.velocities(pivot);
        Motion::spinning(last, velocity * steps, spin * steps, pivot).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Random, about};

    /// The weights give the slope that the textbook formula gives: the covariance with time, divided by its variance.
    #[test]
    fn velocities_are_least_squares_slopes() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let steps = 1 + random.below(9) as usize;
            let mut track = Track::new(steps);
            let places: Vec<DVec3> =
                (0..steps + 4).map(|i| random.direction() + DVec3::X * i as f64).collect();
            for &place in &places {
                track.push(Pose::from_translation(place).expect("finite"));
            }
            let last = &places[places.len() - steps - 1..];
            let mean = last.iter().sum::<DVec3>() / last.len() as f64;
            let middle = steps as f64 * 0.5;
            let (mut with_time, mut of_time) = (DVec3::ZERO, 0.0);
            for (i, place) in last.iter().enumerate() {
                let time = i as f64 - middle;
                with_time += (place - mean) * time;
                of_time += time * time;
            }
            let [velocity, spin] = track.velocities(DVec3::ONE);
            assert!((velocity - with_time / of_time).length() < 1e-12, "seed {seed}: {velocity}");
            assert_eq!(spin, DVec3::ZERO, "seed {seed}");
        }
    }

    /// A body that turns and drifts steadily is predicted exactly, about any pivot and with any number of steps.
    #[test]
    fn steady_motions_are_predicted() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let (axis, angle) = (random.direction(), random.range(0.01, 0.6));
            let (pivot, by) = (random.direction() * 3.0, random.direction());
            let pose = |step: f64| {
                let rotation = about(axis, angle * step);
                Pose::new(rotation, by * step - rotation * pivot).expect("a rotation")
            };
            let mut track = Track::new(1 + random.below(6) as usize);
            for step in 0..8 {
                track.push(pose(f64::from(step)));
            }
            let motion = track.predicted(4.0, pivot).expect("in range").expect("poses");
            let difference = motion.end().place(DVec3::ONE) - pose(11.0).place(DVec3::ONE);
            assert!(difference.length() < 1e-12, "seed {seed}: {difference}");
        }
    }

    #[test]
    fn half_turns_and_bad_horizons() {
        let mut track = Track::new(3);
        assert_eq!(track.predicted(1.0, DVec3::ZERO), Ok(None));
        track.push(Pose::from_translation(DVec3::X).expect("finite"));
        let half = Pose::new(about(DVec3::Z, std::f64::consts::PI), DVec3::Y).expect("a rotation");
        track.push(half);
        let motion = track.predicted(9.0, DVec3::ZERO).expect("in range").expect("a pose");
        assert!(motion.is_still() && *motion.start() == half);
        track.push(Pose::new(half.rotation(), DVec3::Z).expect("a rotation"));
        assert!(track.predicted(f64::NAN, DVec3::ZERO).is_err());
        assert!(track.predicted(1e200, DVec3::ZERO).is_err());
    }
}

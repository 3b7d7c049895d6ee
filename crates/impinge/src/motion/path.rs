//! Motions in a row: a body that passes through several poses at given times.

use super::{Motion, MotionError};
use crate::Pose;

/// A body that passes through poses at given times, with a [`Motion`] between each two of them.
///
/// ```
/// use impinge::{Pose, glam::DVec3, motion::Path};
///
/// let at = |x| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
/// let path = Path::through(&[at(0.0)?, at(1.0)?, at(3.0)?], &[0.0, 1.0, 2.0])?;
/// assert_eq!(path.pose_at(1.5).translation().x, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// One more than there are motions.
    times: Vec<f64>,
    motions: Vec<Motion>,
}

impl Path {
    /// A path through poses at times. Fails if there are fewer than two, if the times do not increase, or if two poses
    /// in a row differ by half a turn.
    pub fn through(poses: &[Pose], times: &[f64]) -> Result<Self, MotionError> {
        if poses.len() < 2 || poses.len() != times.len() {
            return Err(MotionError::PathLength { poses: poses.len(), times: times.len() });
        }
        let motions = poses.windows(2).map(|pair| Motion::between(pair[0], pair[1]));
        Self::of(motions.collect::<Result<_, _>>()?, times.to_vec())
    }

    /// A path of motions, the first of which begins at the first time, and each of which ends at the next time.
    ///
    /// A motion need not start where the one before has ended: what happens in a jump is not checked.
    pub fn of(motions: Vec<Motion>, times: Vec<f64>) -> Result<Self, MotionError> {
        if motions.is_empty() || times.len() != motions.len() + 1 {
            return Err(MotionError::PathLength { poses: motions.len() + 1, times: times.len() });
        }
        for (index, &time) in times.iter().enumerate() {
            let is_later = index == 0 || time > times[index - 1];
            if !time.is_finite() || !is_later {
                return Err(MotionError::TimeOrder { index, time });
            }
        }
        Ok(Self { times, motions })
    }

    /// The motions, in order.
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// The times at which motions begin and end: one more than there are motions.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The time of the path at which a motion is as far as a fraction of it, from 0 to 1.
    ///
    /// Rounded towards the beginning of the motion, so that a time before a contact stays before it.
    pub fn time_of(&self, motion: usize, fraction: f64) -> f64 {
        let (from, to) = (self.times[motion], self.times[motion + 1]);
        match fraction {
            fraction if fraction <= 0.0 => from,
            fraction if fraction >= 1.0 => to,
            fraction => (from * (1.0 - fraction) + to * fraction).next_down().clamp(from, to),
        }
    }

    /// The pose at a time; that at the first or the last time for earlier and later times.
    pub fn pose_at(&self, time: f64) -> Pose {
        let after = self.times.partition_point(|&knot| knot <= time);
        let motion = after.saturating_sub(1).min(self.motions.len() - 1);
        let (from, to) = (self.times[motion], self.times[motion + 1]);
        // Halved, so that no difference overflows.
        let fraction = (time * 0.5 - from * 0.5) / (to * 0.5 - from * 0.5);
        self.motions[motion].pose_at(fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn at(x: f64) -> Pose {
        Pose::from_translation(DVec3::new(x, 0.0, 0.0)).expect("finite")
    }

    #[test]
    fn paths_pass_through_their_poses() {
        let poses = [at(0.0), at(5.0), at(-1.0)];
        let path = Path::through(&poses, &[2.0, 3.0, 7.0]).expect("valid");
        for (pose, time) in poses.iter().zip(path.times()) {
            assert_eq!(path.pose_at(*time), *pose);
        }
        assert_eq!(path.pose_at(0.0), poses[0]);
        assert_eq!(path.pose_at(9.0), poses[2]);
        assert_eq!(path.pose_at(5.0).translation().x, 2.0);
        assert_eq!([path.time_of(1, 0.0), path.time_of(1, 1.0)], [3.0, 7.0]);
        assert!((4.99..5.0).contains(&path.time_of(1, 0.5)));
    }

    #[test]
    fn paths_without_order_or_length_are_refused() {
        let poses = [at(0.0), at(5.0), at(-1.0)];
        for times in [[0.0, 1.0, 1.0], [0.0, f64::NAN, 1.0], [0.0, 1.0, f64::INFINITY]] {
            let error = Path::through(&poses, &times).expect_err("not increasing");
            assert!(matches!(error, MotionError::TimeOrder { .. }), "{error}");
        }
        assert!(matches!(Path::through(&poses[..1], &[0.0]), Err(MotionError::PathLength { .. })));
        assert!(matches!(Path::through(&poses, &[0.0]), Err(MotionError::PathLength { .. })));
        assert!(Path::of(Vec::new(), vec![0.0]).is_err());
    }
}

//! Random motion in small steps: the body flies and turns, and the direction and the axis change a little.

use crate::generate::{Random, about};
use crate::{Pose, PoseError};
use glam::{DMat3, DVec3};

/// The position of a body during its flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The centre of the body's bounding box.
    pub(super) centre: DVec3,
    pub(super) rotation: DMat3,
}

impl State {
    /// The pose of the body. `own` is the centre of its bounding box in its own coordinates.
    pub(super) fn pose(&self, own: DVec3) -> Result<Pose, PoseError> {
        Pose::new(self.rotation, self.centre - self.rotation * own)
    }
}

/// How a body moves from one step to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// The direction of flight, a unit vector.
    pub(super) direction: DVec3,
    axis: DVec3,
    stride: f64,
    /// The angle per step, in radians.
    angle: f64,
}

/// The share of the random part in a changed direction.
const CHANGE: f64 = 0.15;

impl Motion {
    /// A random direction and axis. The body moves by `stride` each step, and turns by `turn` degrees.
    pub(super) fn new(random: &mut Random, stride: f64, turn: f64) -> Self {
        let (direction, axis) = (random.direction(), random.direction());
        Self { direction, axis, stride, angle: turn.to_radians() }
    }

    /// Changes the direction and the axis a little.
    pub(super) fn perturb(&mut self, random: &mut Random) {
        self.direction = perturbed(self.direction, random);
        self.axis = perturbed(self.axis, random);
    }

    /// The motion backwards.
    pub(super) fn reversed(&self) -> Self {
        Self { direction: -self.direction, axis: -self.axis, ..*self }
    }

    /// The position one step later.
    pub(super) fn advance(&self, from: &State) -> State {
        State {
            centre: from.centre + self.direction * self.stride,
            rotation: about(self.axis, self.angle) * from.rotation,
        }
    }
}

/// A unit vector near another one.
fn perturbed(direction: DVec3, random: &mut Random) -> DVec3 {
    // The random part is shorter than the direction, so the sum is not zero.
    let sum = direction + random.direction() * CHANGE;
    sum / sum.length()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_changes_slowly_and_can_be_reversed() {
        let mut random = Random::new(1);
        let mut motion = Motion::new(&mut random, 0.1, 3.0);
        let mut state = State { centre: DVec3::ZERO, rotation: random.rotation() };
        for step in 0..10_000 {
            let before = motion.direction;
            motion.perturb(&mut random);
            assert!(before.dot(motion.direction) > 0.98, "step {step}");
            let next = motion.advance(&state);
            assert!(((next.centre - state.centre).length() - 0.1).abs() < 1e-9);
            let back = motion.reversed().advance(&next);
            assert!((back.centre - state.centre).length() < 1e-12);
            assert!((back.rotation * DVec3::ONE - state.rotation * DVec3::ONE).length() < 1e-12);
            state = next;
        }
        let pose = state.pose(DVec3::new(3.0, 4.0, 5.0)).unwrap();
        assert!((pose.place(DVec3::new(3.0, 4.0, 5.0)) - state.centre).length() < 1e-9);
    }
}

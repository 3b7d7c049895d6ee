//! Free flight of a rigid body between two hits: how it falls and tumbles, and its energy.
//!
//! The steps are exact where it matters for long runs. The field does exactly the work that the difference of
//! potential energy says, the angular momentum is constant, and the energy of the rotation is constant, all up
//! to rounding. So a body that only bounces elastically never gains or loses energy.

use crate::inertia::Inertia;
use impinge::{
    Pose, PoseError,
    glam::{DMat3, DQuat, DVec3},
};

/// The forces on bodies in free flight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forces {
    pub(super) gravity: DVec3,
    /// A point that attracts bodies, and the strength of its pull.
    pub(super) toward: Option<(DVec3, f64)>,
}

impl Forces {
    /// Returns the mean acceleration on the way from `from` to `to`. Its work along the straight way is the
    /// difference of the potentials: a discrete gradient, `(|b| - |a|) / (b - a)` written without division by
    /// zero.
    fn mean_acceleration(&self, from: DVec3, to: DVec3) -> DVec3 {
        let pull = self.toward.map_or(DVec3::ZERO, |(point, pull)| {
            let (a, b) = (point - from, point - to);
            match a.length() + b.length() {
                0.0 => DVec3::ZERO,
                lengths => (a + b) * (pull / lengths),
            }
        });
        self.gravity + pull
    }

    /// Returns the potential energy of a unit mass.
    fn potential(&self, at: DVec3) -> f64 {
        self.toward.map_or(0.0, |(point, pull)| (point - at).length() * pull) - self.gravity.dot(at)
    }
}

/// A rigid body: its mass and how the mass is distributed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rigid {
    pub(super) mass: f64,
    /// The distribution of a mass of 1.
    pub(super) inertia: Inertia,
}

/// Where a rigid body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    /// The position of the centre of mass.
    pub(super) center: DVec3,
    pub(super) orientation: DQuat,
    /// Movement per cycle.
    pub(super) velocity: DVec3,
    /// Angular momentum about the centre of mass. This is what is constant in flight, not the spin.
    pub(super) momentum: DVec3,
}

/// An acceleration and a torque that act on a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drive {
    pub(super) acceleration: DVec3,
    pub(super) torque: DVec3,
}

/// Longer turns are made in several steps, in radians.
const LONGEST_TURN: f64 = 0.1;
/// The most steps of a turn per cycle: 16 full turns. Beyond that, energy is constant only roughly.
const MOST_TURNS: f64 = 1024.0;
/// The most iterations of an implicit step. They usually end after five.
const ITERATIONS: usize = 24;

impl Rigid {
    /// Returns the state of a body with a velocity and a spin, both per cycle.
    pub(super) fn state(
        &self,
        center: DVec3,
        orientation: DQuat,
        velocity: DVec3,
        spin: DVec3,
    ) -> State {
        let turn = DMat3::from_quat(orientation);
        let momentum = turn * (self.inertia.tensor * (turn.transpose() * spin)) * self.mass;
        State { center, orientation, velocity, momentum }
    }

    /// Returns the inverse of the inertia tensor in the world.
    pub(super) fn inverse_inertia(&self, state: &State) -> DMat3 {
        let turn = DMat3::from_quat(state.orientation);
        turn * self.inertia.inverse * turn.transpose() * (1.0 / self.mass)
    }

    /// Returns the rotation vector per cycle.
    pub(super) fn spin(&self, state: &State) -> DVec3 {
        let turn = DMat3::from_quat(state.orientation);
        turn * (self.inertia.inverse * (turn.transpose() * state.momentum)) / self.mass
    }

    /// Returns the pose of the mesh.
    pub(super) fn pose(&self, state: &State) -> Result<Pose, PoseError> {
        let rotation = DMat3::from_quat(state.orientation);
        Pose::new(rotation, state.center - rotation * self.inertia.center)
    }

    /// Returns the kinetic energy.
    pub(super) fn kinetic(&self, state: &State) -> f64 {
        (self.mass * state.velocity.length_squared() + state.momentum.dot(self.spin(state))) / 2.0
    }

    /// Returns the potential energy.
    pub(super) fn potential(&self, state: &State, forces: &Forces) -> f64 {
        self.mass * forces.potential(state.center)
    }

    /// Returns the state after a free flight of `time` cycles.
    pub(super) fn after(&self, state: &State, time: f64, forces: &Forces) -> State {
        let mut next = *state;
        // Implicit, because the mean acceleration depends on where the way ends.
        for _ in 0..ITERATIONS {
            let acceleration = forces.mean_acceleration(state.center, next.center);
            next.velocity = state.velocity + acceleration * time;
            let center = state.center + (state.velocity + next.velocity) * (time / 2.0);
            if std::mem::replace(&mut next.center, center) == center {
                break;
            }
        }
        next.orientation = self.turned(state, time);
        next
    }

    /// Returns the state after `time` cycles of a constant acceleration and a constant torque, without other forces.
    pub(super) fn driven(&self, state: &State, time: f64, drive: &Drive) -> State {
        let velocity = state.velocity + drive.acceleration * time;
        let center = state.center + (state.velocity + velocity) * (time / 2.0);
        let mean = State { momentum: state.momentum + drive.torque * (time / 2.0), ..*state };
        let orientation = self.turned(&mean, time);
        State { center, orientation, velocity, momentum: state.momentum + drive.torque * time }
    }

    /// Returns the orientation after a free rotation.
    ///
    /// The angular momentum `m` in the body's own frame turns with the body: `m' = R(-w t) m`, for the spin `w`
    /// of the mean `(m + m') / 2`. Any rotation about `w` changes `m` by a multiple of `(m + m') × w`, which is
    /// at right angles to `w`, so the energy `m · I⁻¹ m / 2` keeps its value.
    fn turned(&self, state: &State, time: f64) -> DQuat {
        let angle = self.spin(state).length() * time;
        let steps = (angle / LONGEST_TURN).ceil().clamp(1.0, MOST_TURNS);
        let time = time / steps;
        let mut orientation = state.orientation;
        for _ in 0..steps as u32 {
            let before = orientation.conjugate() * (state.momentum / self.mass);
            let mut after = before;
            let mut turn = DQuat::IDENTITY;
            for _ in 0..ITERATIONS {
                let spin = self.inertia.inverse * ((before + after) / 2.0);
                turn = rotation(spin, time);
                let turned = turn.conjugate() * before;
                if std::mem::replace(&mut after, turned) == turned {
                    break;
                }
            }
            // Products of many rotations must be normalised to stay rotations.
            orientation = (orientation * turn).normalize();
        }
        orientation
    }
}

/// Returns the rotation of a spin over some cycles.
pub(super) fn rotation(spin: DVec3, cycles: f64) -> DQuat {
    let angle = spin.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    // The platform's sine may differ between machines; `libm` does not.
    let (sin, cos) = libm::sincos(angle * cycles / 2.0);
    let axis = spin / angle * sin;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate;

    fn block() -> Rigid {
        let mesh = generate::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        Rigid { mass: 2.0, inertia: Inertia::of(&mesh) }
    }

    /// The middle axis of a block is unstable: a block thrown about it turns over again and again. A body
    /// without the gyroscopic term would keep its spin.
    #[test]
    fn a_block_thrown_about_its_middle_axis_turns_over() {
        let block = block();
        let start =
            block.state(DVec3::ZERO, DQuat::IDENTITY, DVec3::ZERO, DVec3::new(1e-3, 0.1, 0.0));
        let (mut state, mut lowest) = (start, f64::INFINITY);
        for cycle in 0..5000 {
            state = block.after(&state, 1.0, &Forces::default());
            let own = state.orientation.conjugate() * block.spin(&state);
            lowest = lowest.min(own.y);
            let [before, now] = [&start, &state].map(|state| block.kinetic(state));
            assert!((now - before).abs() < 1e-12 * before, "cycle {cycle}: {before} became {now}");
        }
        assert_eq!(state.momentum, start.momentum);
        assert!(lowest < -0.09, "the spin about the middle axis was never below {lowest}");
    }

    #[test]
    fn a_spin_about_a_main_axis_lasts_and_is_exact() {
        let block = block();
        for spin in [DVec3::X * 0.7, DVec3::Z * 3.0] {
            let mut state = block.state(DVec3::ZERO, DQuat::IDENTITY, DVec3::X, spin);
            for _ in 0..100 {
                state = block.after(&state, 1.0, &Forces::default());
            }
            let expected = DMat3::from_axis_angle(spin.normalize(), spin.length() * 100.0);
            let found = DMat3::from_quat(state.orientation);
            assert!(found.abs_diff_eq(expected, 1e-9), "{found} instead of {expected}");
            assert_eq!(state.center, DVec3::X * 100.0);
        }
    }

    #[test]
    fn a_fall_has_the_height_of_the_textbook() {
        let (block, gravity) = (block(), DVec3::Z * -0.01);
        let forces = Forces { gravity, toward: None };
        let start = block.state(DVec3::ZERO, DQuat::IDENTITY, DVec3::X, DVec3::ZERO);
        let in_parts =
            [0.25, 3.5, 6.25].iter().fold(start, |state, &time| block.after(&state, time, &forces));
        let expected = DVec3::X * 10.0 + gravity * 50.0;
        for state in [block.after(&start, 10.0, &forces), in_parts] {
            assert!((state.center - expected).length() < 1e-12, "{}", state.center);
        }
    }

    /// Through the centre of attraction the acceleration jumps, and ordinary steps gain or lose energy there.
    #[test]
    fn attraction_to_a_point_conserves_energy() {
        let block = block();
        let forces = Forces { gravity: DVec3::ZERO, toward: Some((DVec3::ONE, 0.003)) };
        for velocity in [DVec3::ZERO, DVec3::X * 0.01, DVec3::new(0.1, -0.05, 0.0)] {
            let mut state =
                block.state(DVec3::new(4.0, 1.0, 1.0), DQuat::IDENTITY, velocity, DVec3::X);
            let energy = |state: &State| block.kinetic(state) + block.potential(state, &forces);
            let (before, mut nearest) = (energy(&state), f64::INFINITY);
            for cycle in 0..4000 {
                state = block.after(&state, 1.0, &forces);
                let now = energy(&state);
                assert!(
                    (now - before).abs() < 1e-9 * before,
                    "cycle {cycle}: {before} became {now}"
                );
                nearest = nearest.min((state.center - DVec3::ONE).length());
            }
            assert!(nearest < 2.0, "the body never came near: {nearest}");
        }
    }
}

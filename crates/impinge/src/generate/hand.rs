//! Paths of an object that a hand moves: what trackers of virtual workspaces measure.

use super::error::{check_measure, check_positive};
use super::paths::check_steps;
use super::turn::about;
use super::{GenerateError, Random};
use crate::{Bounds, Pose};
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// How a hand moves, for [`hand_path`]. Times are in steps.
///
/// ```
/// use impinge::generate::{HandOptions, hand_path};
///
/// let path = hand_path(1, &HandOptions::default().tremor(0.0), 300)?;
/// assert_eq!(path.len(), 300);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HandOptions {
    /// Where the targets of reaches lie.
    room: Bounds,
    /// The shortest and the longest time of a reach.
    reach: [f64; 2],
    /// The largest angle by which a reach turns the object, in radians.
    turn: f64,
    /// The amplitude of the tremor along each axis.
    tremor: f64,
    /// The share of reaches that are broken off on the way.
    changes: f64,
}

impl Default for HandOptions {
    /// A room from −1 to 1 along each axis, reaches of 15 to 45 steps (0.5 to 1.5 s at 30 steps a second) that turn the
    /// object by up to a radian, a tremor of 0.002, and 30 % of reaches broken off.
    fn default() -> Self {
        let room = Bounds { min: DVec3::NEG_ONE, max: DVec3::ONE };
        Self { room, reach: [15.0, 45.0], turn: 1.0, tremor: 0.002, changes: 0.3 }
    }
}

impl HandOptions {
    /// Sets where the targets of reaches lie.
    pub fn room(mut self, room: Bounds) -> Self {
        self.room = room;
        self
    }

    /// Sets the shortest and the longest time of a reach, in steps.
    pub fn reach(mut self, shortest: f64, longest: f64) -> Self {
        self.reach = [shortest, longest];
        self
    }

    /// Sets the largest angle by which a reach turns the object, in radians.
    pub fn turn(mut self, turn: f64) -> Self {
        self.turn = turn;
        self
    }

    /// Sets the amplitude of the tremor, a length.
    pub fn tremor(mut self, tremor: f64) -> Self {
        self.tremor = tremor;
        self
    }

    /// Sets the share of reaches that are broken off on the way, from 0 to 1.
    pub fn changes(mut self, changes: f64) -> Self {
        self.changes = changes;
        self
    }

    fn check(&self) -> Result<(), GenerateError> {
        let [shortest, longest] = self.reach;
        for (parameter, value) in
            ["room's x", "room's y", "room's z"].into_iter().zip(self.room.size().to_array())
        {
            check_positive(parameter, value)?;
        }
        let is_time = (1.0..=1e6).contains(&shortest);
        check_measure("shortest reach", shortest, is_time, "from 1 to 1000000 steps")?;
        let is_time = (shortest..=1e6).contains(&longest);
        check_measure("longest reach", longest, is_time, "from the shortest to 1000000 steps")?;
        check_measure("turn", self.turn, (0.0..=TAU).contains(&self.turn), "from 0 to a turn")?;
        let is_length = (0.0..=1e100).contains(&self.tremor);
        check_measure("tremor", self.tremor, is_length, "a length from 0 to 1e100")?;
        let is_share = (0.0..=1.0).contains(&self.changes);
        check_measure("changes", self.changes, is_share, "a share from 0 to 1")
    }
}

/// One reach of the hand, and the pause after it.
struct Reach {
    from: DVec3,
    by: DVec3,
    attitude: DMat3,
    axis: DVec3,
    angle: f64,
    /// In steps.
    start: f64,
    duration: f64,
    /// When the next reach starts.
    end: f64,
}

impl Reach {
    fn random(
        random: &mut Random,
        options: &HandOptions,
        (from, attitude): (DVec3, DMat3),
        start: f64,
    ) -> Self {
        let HandOptions { room, reach, turn, changes, .. } = options;
        let target = room.min + DVec3::from_array([(); 3].map(|()| random.unit())) * room.size();
        let duration = random.range(reach[0], reach[1]);
        let (axis, angle) = (random.direction(), random.range(0.0, *turn));
        let is_broken_off = random.unit() < *changes;
        let end = match is_broken_off {
            // In the middle of a reach the hand is fastest.
            true => start + duration * random.range(0.3, 0.8),
            // Every other reach is followed by a pause.
            false => start + duration * (1.0 + random.range(-0.5, 0.5).max(0.0)),
        };
        Self { from, by: target - from, attitude, axis, angle, start, duration, end }
    }

    /// Position and attitude at a time, in steps.
    fn at(&self, time: f64) -> (DVec3, DMat3) {
        let share = ((time - self.start) / self.duration).clamp(0.0, 1.0);
        // The polynomial of Flash and Hogan (1985).
        let way = share * share * share * (10.0 + share * (6.0 * share - 15.0));
        (self.from + self.by * way, about(self.axis, self.angle * way) * self.attitude)
    }
}

/// The path of an object that a hand moves by reaches to random targets, with tremor and sudden changes of direction.
///
/// Kitamura, Takemura and Kishino (1994) say of objects that users move in a virtual workspace that their trajectories
/// cannot be described analytically, and that their motion may suddenly change. Here a reach follows the minimum-jerk
/// profile of Flash and Hogan (1985), turns the object about a random axis, and may be followed by a pause. Some reaches
/// are broken off on the way: the next one starts there, from rest. Tremor is added along each axis and to the attitude:
/// two sines with random phases, with periods of 2.6 and 3.4 steps, or 8.8 and 11.5 Hz at 30 steps a second.
pub fn hand_path(seed: u64, options: &HandOptions, steps: u32) -> Result<Vec<Pose>, GenerateError> {
    check_steps(steps)?;
    options.check()?;
    let mut random = Random::new(seed);
    let phases = [(); 6].map(|()| [(); 2].map(|()| random.range(0.0, TAU)));
    let tremor = |axis: usize, time: f64| {
        let [slow, fast] = phases[axis];
        libm::sin(TAU / 3.4 * time + slow) * 0.5 + libm::sin(TAU / 2.6 * time + fast) * 0.5
    };
    // The object turns with the tremor as one would that is held a quarter of the room's size from the wrist.
    let arm = 0.25 * options.room.size().max_element();
    let start = (options.room.center(), random.rotation());
    let mut reach = Reach::random(&mut random, options, start, 0.0);
    (0..steps)
        .map(|step| {
            let time = f64::from(step);
            while time >= reach.end {
                let (at, end) = (reach.at(reach.end), reach.end);
                reach = Reach::random(&mut random, options, at, end);
            }
            let (place, attitude) = reach.at(time);
            let shake = DVec3::new(tremor(0, time), tremor(1, time), tremor(2, time));
            let sway = DVec3::new(tremor(3, time), tremor(4, time), tremor(5, time));
            let sway = sway * (options.tremor / arm);
            let swayed = match sway.length() {
                0.0 => attitude,
                angle => about(sway / angle, angle) * attitude,
            };
            Ok(Pose::new(swayed, place + shake * options.tremor)?)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::check::hash_poses;
    use super::*;

    /// Steps in a row without tremor: how far each goes.
    fn strides(poses: &[Pose]) -> Vec<DVec3> {
        poses.windows(2).map(|pair| pair[1].translation() - pair[0].translation()).collect()
    }

    #[test]
    fn a_calm_hand_moves_smoothly_and_stays_in_its_room() {
        let calm = HandOptions::default().tremor(0.0).changes(0.0);
        let poses = hand_path(1, &calm, 3000).unwrap();
        let all = Bounds::enclosing(poses.iter().map(Pose::translation));
        assert!(all.min.cmpge(DVec3::NEG_ONE).all() && all.max.cmple(DVec3::ONE).all(), "{all:?}");
        assert!(all.size().min_element() > 1.5, "{all:?}");
        // A reach of the longest way in the shortest time accelerates by at most 5.8 · 2√3 / 15².
        let moves = strides(&poses);
        let jerks = moves.windows(2).map(|pair| (pair[1] - pair[0]).length());
        assert!(jerks.fold(0.0, f64::max) < 0.09);
        let resting = moves.iter().filter(|stride| stride.length() == 0.0).count();
        assert!((100..1000).contains(&resting), "{resting}");
    }

    #[test]
    fn changes_are_sudden_and_tremor_is_as_large_as_asked() {
        let calm = HandOptions::default().tremor(0.0);
        let moves = strides(&hand_path(1, &calm, 3000).unwrap());
        let stops = moves
            .windows(2)
            .filter(|pair| pair[0].length() > 0.03 && pair[1].length() < 0.3 * pair[0].length());
        assert!(stops.count() > 10);
        let shaky = hand_path(1, &calm.tremor(0.01), 3000).unwrap();
        let calm = hand_path(1, &calm, 3000).unwrap();
        let differences = calm.iter().zip(&shaky).map(|(a, b)| b.translation() - a.translation());
        let largest = differences.map(|d| d.abs().max_element()).fold(0.0, f64::max);
        assert!((0.009..0.010_000_1).contains(&largest), "{largest}");
    }

    #[test]
    fn bad_options_are_refused() {
        let good = HandOptions::default();
        let bad = [
            good.room(Bounds::EMPTY),
            good.reach(0.0, 1.0),
            good.reach(5.0, 4.0),
            good.reach(5.0, f64::NAN),
            good.turn(-1.0),
            good.tremor(f64::INFINITY),
            good.changes(1.5),
        ];
        for options in bad {
            assert!(hand_path(1, &options, 10).is_err(), "{options:?}");
        }
        assert!(hand_path(1, &good, 0).unwrap().is_empty());
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        let path = hand_path(1, &HandOptions::default(), 500).unwrap();
        assert_eq!(hash_poses(&path), 0x4088_4F73_27D8_4C67);
    }
}

//! How a tool moves during one command of a program.

use crate::{Machine, state};
use impinge::glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a tool stands: the point of its tip, and the unit vector from the tip towards the spindle. In the coordinates of
/// the part, in millimetres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolPose {
    /// The lowest point on the axis of the tool.
    pub tip: DVec3,
    /// The direction of the axis, from the tip towards the spindle; of unit length.
    pub axis: DVec3,
}

/// The motion of a tool during one move of a program, from time 0 to time 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Motion {
    /// The tip moves along a segment, and the axis keeps its direction.
    Straight {
        /// Where the tip starts.
        from: DVec3,
        /// Where the tip ends.
        to: DVec3,
        /// The direction of the axis.
        axis: DVec3,
    },
    /// The tip moves along an arc, a helix or a spiral, and the axis keeps its direction.
    Arc(ArcMotion),
    /// The tip moves along a segment, while the axis turns along the great circle from one direction to the other, at a
    /// constant rate.
    Tilting {
        /// Where the tool starts.
        from: ToolPose,
        /// Where the tool ends.
        to: ToolPose,
    },
    /// All axes of a machine move linearly in time.
    Machine {
        /// The machine, which places the tool.
        #[serde(with = "state::machine")]
        machine: Arc<Machine>,
        /// The positions of the axes X, Y, Z (in millimetres) and A, B, C (in radians) at the start.
        from: [f64; 6],
        /// The positions of the axes at the end.
        to: [f64; 6],
    },
    /// The tip moves along a segment from the first three numbers to the first three, in the coordinates of the part, while
    /// the rotary axes move linearly.
    TipControlled {
        /// The machine, which turns the tool.
        #[serde(with = "state::machine")]
        machine: Arc<Machine>,
        /// The point of the tip (in millimetres) and the positions of the axes A, B, C (in radians) at the start.
        from: [f64; 6],
        /// The same at the end.
        to: [f64; 6],
    },
}

/// An arc, a helix or a spiral. At time t the tip is at
/// `center + t · rise + (1 + t · growth) · R(t · sweep) · radius`, where R turns around `normal`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArcMotion {
    /// The centre at the start.
    pub center: DVec3,
    /// From the centre to the tip at the start; at a right angle to the normal.
    pub radius: DVec3,
    /// The unit normal of the arc's plane.
    pub normal: DVec3,
    /// The angle that the arc turns around the normal, in radians; negative for the other sense.
    pub sweep: f64,
    /// How far a helix rises along the normal, as a vector.
    pub rise: DVec3,
    /// The change of the radius, relative to its length at the start: 0 for a true arc.
    pub growth: f64,
    /// The direction of the tool's axis.
    pub axis: DVec3,
}

/// A stretch of a motion, enclosed by a translation.
///
/// The tool is translated along `travel` with its axis along `axis`. At any time of the stretch, the true tip is within
/// `tip_error` of the translated one, and the true axis within the angle `turn_error` of `axis`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) from: DVec3,
    pub(crate) travel: DVec3,
    pub(crate) axis: DVec3,
    pub(crate) tip_error: f64,
    /// In radians.
    pub(crate) turn_error: f64,
}

impl Stretch {
    /// At most how far a point of the tool is from where the translation takes it, if it is at most `reach` from the tip.
    pub(crate) fn deviation(&self, reach: f64) -> f64 {
        // A chord is shorter than its arc.
        self.tip_error + self.turn_error * reach
    }
}

impl Motion {
    /// Where the tool stands at a time from 0 to 1.
    pub fn pose_at(&self, time: f64) -> ToolPose {
        let between = |from: &[f64; 6], to: &[f64; 6]| -> [f64; 6] {
            std::array::from_fn(|i| from[i] + (to[i] - from[i]) * time)
        };
        match self {
            Self::Straight { from, to, axis } => {
                ToolPose { tip: from.lerp(*to, time), axis: *axis }
            }
            Self::Arc(arc) => ToolPose { tip: arc.tip_at(time), axis: arc.axis },
            Self::Tilting { from, to } => ToolPose {
                tip: from.tip.lerp(to.tip, time),
                axis: turned(from.axis, to.axis, time),
            },
            Self::Machine { machine, from, to } => machine.tool_pose(between(from, to)),
            Self::TipControlled { machine, from, to } => {
                let [x, y, z, a, b, c] = between(from, to);
                ToolPose { tip: DVec3::new(x, y, z), axis: machine.tool_axis([a, b, c]) }
            }
        }
    }

    /// The translation that encloses the motion from one time to another.
    pub(crate) fn stretch(&self, start: f64, end: f64) -> Stretch {
        let (from, to) = (self.pose_at(start).tip, self.pose_at(end).tip);
        let travel = to - from;
        let middle = || self.pose_at(0.5 * (start + end)).axis;
        let share = end - start;
        let part = |from: &[f64; 6], to: &[f64; 6]| -> [[f64; 6]; 2] {
            [start, end].map(|t| std::array::from_fn(|i| from[i] + (to[i] - from[i]) * t))
        };
        match self {
            Self::Straight { axis, .. } => {
                Stretch { from, travel, axis: *axis, tip_error: 0.0, turn_error: 0.0 }
            }
            Self::Arc(arc) => {
                let tip_error = arc.sagitta(share);
                Stretch { from, travel, axis: arc.axis, tip_error, turn_error: 0.0 }
            }
            Self::Tilting { from: a, to: b } => {
                let turn_error = 0.5 * share * a.axis.angle_between(b.axis) * (1.0 + 1e-12);
                Stretch { from, travel, axis: middle(), tip_error: 0.0, turn_error }
            }
            Self::Machine { machine, from: a, to: b } => {
                let [a, b] = part(a, b);
                let turn_error = 0.5 * machine.turning(a, b) * (1.0 + 1e-12);
                let tip_error = machine.sagitta(a, b);
                Stretch { from, travel, axis: middle(), tip_error, turn_error }
            }
            Self::TipControlled { machine, from: a, to: b } => {
                let [a, b] = part(a, b);
                let turn_error = 0.5 * machine.turning(a, b) * (1.0 + 1e-12);
                Stretch { from, travel, axis: middle(), tip_error: 0.0, turn_error }
            }
        }
    }
}

impl ArcMotion {
    /// Where the tip is at a time from 0 to 1.
    pub fn tip_at(&self, time: f64) -> DVec3 {
        let angle = time * self.sweep;
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let turned = self.radius * cosine + self.normal.cross(self.radius) * sine;
        self.center + self.rise * time + turned * (1.0 + time * self.growth)
    }

    /// At most how far the tip is from the point that moves along the chord of a part of the arc at a constant speed.
    ///
    /// A point whose acceleration is at most a is never farther than a/8 from the uniform motion with the same ends. With
    /// radius ρ, turning at a rate ω while the radius changes at a rate ρ', the acceleration is at most `ρ ω² + 2 |ρ' ω|`.
    fn sagitta(&self, share: f64) -> f64 {
        let start = self.radius.length();
        let change = start * self.growth.abs();
        let largest = start * (1.0 + self.growth).max(1.0);
        let acceleration = largest * self.sweep * self.sweep + 2.0 * change * self.sweep.abs();
        // A chord is never farther from the arc than two radii, however long the arc.
        (acceleration * share * share / 8.0).min(2.0 * largest + change)
    }
}

/// The direction between two unit vectors, at a share of the angle from the first to the second.
fn turned(from: DVec3, to: DVec3, share: f64) -> DVec3 {
    let angle = from.angle_between(to);
    let sideways = to - from * from.dot(to);
    match sideways.try_normalize() {
        Some(sideways) => from * libm::cos(share * angle) + sideways * libm::sin(share * angle),
        None => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::Random;

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
    }

    /// The true motion stays within the bounds of every stretch.
    #[test]
    fn stretches_enclose_motions() {
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let normal = vector(&mut random).normalize();
            let radius = normal.any_orthonormal_vector() * random.range(0.0, 5.0);
            let arc = ArcMotion {
                center: vector(&mut random),
                radius,
                normal,
                sweep: random.range(-13.0, 13.0),
                rise: normal * random.range(-2.0, 2.0),
                growth: random.range(-0.5, 0.5),
                axis: DVec3::Z,
            };
            let pose = |random: &mut Random| ToolPose {
                tip: vector(random),
                axis: vector(random).normalize(),
            };
            let tilting = Motion::Tilting { from: pose(&mut random), to: pose(&mut random) };
            for motion in [Motion::Arc(arc), tilting] {
                let (start, end) = (random.range(0.0, 0.5), random.range(0.5, 1.0));
                let stretch = motion.stretch(start, end);
                for i in 0..=50 {
                    let share = f64::from(i) / 50.0;
                    let pose = motion.pose_at(start + (end - start) * share);
                    let tip = stretch.from + stretch.travel * share;
                    let off = (pose.tip - tip).length();
                    assert!(off <= stretch.tip_error + 1e-12, "seed {seed}: {off} {stretch:?}");
                    let turn = pose.axis.angle_between(stretch.axis);
                    assert!(turn <= stretch.turn_error + 1e-7, "seed {seed}: {turn} {stretch:?}");
                }
            }
        }
    }
}

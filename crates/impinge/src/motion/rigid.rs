//! The motion of a rigid body between two poses. Defines where a moving vertex is at each time, for the whole library.

use crate::{Pose, generate::about};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// The motion of a rigid body from one pose to another, over the time from 0 to 1.
///
/// The body turns about an axis of constant direction with constant angular velocity, while one of its points, the
/// *pivot*, moves on a straight line with constant velocity. The pivot is the origin of the body's frame unless
/// [`about`](Self::about) sets another.
///
/// # Where a vertex is
///
/// Let `start` and `end` be the two poses with the matrices R₀ and R₁, c the pivot, ω the
/// [rotation vector](Self::turn), and Exp(ω) the rotation by |ω| about ω. At time t a vertex v of the body is at
///
/// > (1 − t) · \[start.place(v) + Exp(tω) u₀ − u₀\] + t · \[end.place(v) + Exp((t − 1)ω) u₁ − u₁\],
/// > with u₀ = R₀ (v − c) and u₁ = R₁ (v − c),
///
/// in real numbers, without rounding. At the times 0 and 1 this is exactly where [`Pose::place`] puts the vertex. If
/// both matrices are rotations, the brackets are equal but for the rounding of `place`, so the body is rigid. If
/// ω is zero, the vertex moves on a straight line with constant velocity, exactly.
///
/// ```
/// use impinge::{Pose, glam::{DMat3, DVec3}, motion::Motion};
///
/// let end = Pose::new(DMat3::from_rotation_z(1.0), DVec3::X)?;
/// let motion = Motion::between(Pose::IDENTITY, end)?;
/// assert!((motion.turn() - DVec3::Z).length() < 1e-12);
/// let halfway = Pose::new(DMat3::from_rotation_z(0.5), DVec3::X * 0.5)?;
/// let tip = DVec3::new(0.0, 2.0, 0.0);
/// assert!((motion.pose_at(0.5).place(tip) - halfway.place(tip)).length() < 1e-12);
/// assert_eq!(motion.pose_at(1.0), end);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    start: Pose,
    end: Pose,
    /// The rotation vector ω: its direction is the axis in the world, its length the angle in radians.
    turn: DVec3,
    /// The point of the body, in its own frame, that moves on a straight line.
    pivot: DVec3,
    /// Where the pivot starts and ends.
    track: [DVec3; 2],
    /// An upper bound on the norm of Exp(−ω) R₁ − R₀: how much the two poses differ by more than a rotation.
    skew: f64,
}

/// Why two poses, or a pose and a rotation, do not define a [`Motion`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The rotation between the two poses is half a turn, so that its direction is not known.
    #[error(
        "the poses differ by a rotation of {degrees} degrees: half a turn or more is ambiguous, so give the rotation \
         explicitly or add a pose in between"
    )]
    HalfTurn {
        /// The angle between the two poses, in degrees.
        degrees: f64,
    },
    /// A component of the rotation vector is not finite, or the angle exceeds [`MAX_TURN`].
    #[error("the rotation vector {turn} is not finite, or longer than {MAX_TURN} radians")]
    TurnOutOfRange {
        /// The rotation vector.
        turn: DVec3,
    },
    /// A translation or the pivot has a coordinate beyond 1e100, or the pivot is not finite.
    #[error("the motion passes through {point}: coordinates beyond 1e100 are not supported")]
    TooFar {
        /// The point.
        point: DVec3,
    },
    /// The end pose does not follow from the start and the rotation.
    #[error(
        "the end pose differs by {difference} from the start turned by the given rotation (the largest difference of \
         two entries of the matrices); at most 1e-5 is accepted"
    )]
    OtherEnd {
        /// The largest difference of two entries.
        difference: f64,
    },
    /// A time of a path is not later than the one before, or not finite.
    #[error("time {index} of the path is {time}: times must be finite and increase")]
    TimeOrder {
        /// Which time, from 0.
        index: usize,
        /// The time.
        time: f64,
    },
    /// A path needs as many times as poses, and at least two of them.
    #[error(
        "a path needs at least two poses and as many times, not {poses} poses and {times} times"
    )]
    PathLength {
        /// How many poses there are.
        poses: usize,
        /// How many times there are.
        times: usize,
    },
}

/// The largest angle of a motion, in radians: about 160,000 turns.
pub const MAX_TURN: f64 = 1e6;

/// Coordinates of motions are limited like those of meshes.
const MAX_COORDINATE: f64 = 1e100;

/// Below this angle the arc of a vertex departs from its chord by less than a rounding (θ²/8 < 2⁻⁵⁴), so that the
/// motion counts as linear.
const LEAST_TURN: f64 = 2e-8;

/// Rotations closer to half a turn than this are ambiguous: matrices are rotations only to 1e-6.
const AMBIGUOUS: f64 = 1e-5;

impl Motion {
    /// The motion between two poses by the rotation of less than half a turn.
    ///
    /// Fails if the poses differ by half a turn, whose direction is ambiguous; see
    /// [`with_turn`](Self::with_turn).
    pub fn between(start: Pose, end: Pose) -> Result<Self, MotionError> {
        let turn = turn_between(&start, &end)?;
        Self::new(start, end, turn, DVec3::ZERO)
    }

    /// The motion from a pose to another by an explicit rotation vector in world axes, in radians: any number of turns,
    /// in either direction. Fails if the end pose is not the start turned by it, to 1e-5.
    pub fn with_turn(start: Pose, end: Pose, turn: DVec3) -> Result<Self, MotionError> {
        let motion = Self::new(start, end, turn, DVec3::ZERO)?;
        let difference = motion.rotation_at(1.0, 0.0) - end.rotation();
        let difference = [difference.x_axis, difference.y_axis, difference.z_axis]
            .map(|column| column.abs().max_element())
            .into_iter()
            .fold(0.0, f64::max);
        if difference > 1e-5 {
            return Err(MotionError::OtherEnd { difference });
        }
        Ok(motion)
    }

    /// The motion that starts at a pose, displaces the pivot and turns about it by a rotation vector in world axes, in
    /// radians: any number of turns.
    ///
    /// ```
    /// use impinge::{Pose, glam::DVec3, motion::Motion};
    ///
    /// // One and a half turns about z, about the point (1, 0, 0) of the body.
    /// let turn = DVec3::Z * 3.0 * std::f64::consts::PI;
    /// let motion = Motion::spinning(Pose::IDENTITY, DVec3::ZERO, turn, DVec3::X)?;
    /// assert!((motion.end().place(DVec3::ZERO) - DVec3::X * 2.0).length() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spinning(
        start: Pose,
        displacement: DVec3,
        turn: DVec3,
        pivot: DVec3,
    ) -> Result<Self, MotionError> {
        check_point(displacement)?;
        check_point(pivot)?;
        let rotation = exponential(checked_turn(turn)?) * start.rotation();
        let track = start.place(pivot) + displacement;
        check_point(track)?;
        let turned = Pose::interpolated(rotation, DVec3::ZERO).repaired();
        let end = Pose::interpolated(turned.rotation(), track - turned.place(pivot));
        Self::new(start, end, turn, pivot)
    }

    /// A body that rests.
    pub fn still(pose: Pose) -> Self {
        let track = [pose.translation(); 2];
        Self { start: pose, end: pose, turn: DVec3::ZERO, pivot: DVec3::ZERO, track, skew: 0.0 }
    }

    /// The same motion about another pivot, given in the body's frame: now that point moves on a straight line. The
    /// poses at both ends stay.
    pub fn about(self, pivot: DVec3) -> Result<Self, MotionError> {
        Self::new(self.start, self.end, self.turn, pivot)
    }

    fn new(start: Pose, end: Pose, turn: DVec3, pivot: DVec3) -> Result<Self, MotionError> {
        for point in [start.translation(), end.translation(), pivot] {
            check_point(point)?;
        }
        let turn = checked_turn(turn)?;
        let track = [start.place(pivot), end.place(pivot)];
        let mut motion = Self { start, end, turn, pivot, track, skew: 0.0 };
        if motion.is_linear() {
            // Vertices move on straight lines whatever the matrices are.
            return Ok(motion);
        }
        let difference = exponential(-turn) * end.rotation() - start.rotation();
        let columns = [difference.x_axis, difference.y_axis, difference.z_axis];
        let norm = columns.map(DVec3::length_squared).into_iter().sum::<f64>().sqrt();
        motion.skew = norm + motion.matrix_error();
        Ok(motion)
    }

    /// The pose at time 0.
    pub fn start(&self) -> &Pose {
        &self.start
    }

    /// The pose at time 1.
    pub fn end(&self) -> &Pose {
        &self.end
    }

    /// The rotation vector: the axis in the world, as long as the angle in radians.
    pub fn turn(&self) -> DVec3 {
        self.turn
    }

    /// The point of the body, in its own frame, that moves on a straight line.
    pub fn pivot(&self) -> DVec3 {
        self.pivot
    }

    /// Whether every vertex moves on a straight line with constant velocity.
    pub fn is_linear(&self) -> bool {
        self.turn == DVec3::ZERO
    }

    /// Whether the body rests.
    pub fn is_still(&self) -> bool {
        self.is_linear() && self.start == self.end
    }

    /// The pose at a time from 0 to 1, rounded; earlier and later times count as 0 and 1. Exact at 0 and 1.
    ///
    /// A vertex placed by this pose is where the motion puts it, up to roundings of its coordinates, which grow with the
    /// turn. If the matrices at the ends are rotations only to 1e-6, it may be off by as much of its distance from the
    /// body's origin, too.
    pub fn pose_at(&self, time: f64) -> Pose {
        self.unrepaired_pose_at(time).repaired()
    }

    /// [`pose_at`](Self::pose_at), whose matrix is a rotation only to 1.1e-6 if those at both ends are so only to 1e-6.
    /// Volumes allow for 2e-6.
    pub(crate) fn unrepaired_pose_at(&self, time: f64) -> Pose {
        if time <= 0.0 || self.is_still() {
            return self.start;
        }
        if time >= 1.0 {
            return self.end;
        }
        let rest = 1.0 - time;
        let track = self.track[0] * rest + self.track[1] * time;
        if self.is_linear() && self.start.rotation() == self.end.rotation() {
            let between = self.start.translation() * rest + self.end.translation() * time;
            return Pose::interpolated(self.start.rotation(), between);
        }
        let rotation = self.rotation_at(time, time);
        let turned = Pose::interpolated(rotation, DVec3::ZERO);
        Pose::interpolated(rotation, track - turned.place(self.pivot))
    }

    /// (1 − `weight`) Exp(tω) R₀ + `weight` Exp((t − 1)ω) R₁.
    fn rotation_at(&self, time: f64, weight: f64) -> DMat3 {
        let forward = exponential(self.turn * time) * self.start.rotation();
        let backward = exponential(self.turn * (time - 1.0)) * self.end.rotation();
        forward * (1.0 - weight) + backward * weight
    }

    /// A bound on the error of an entry of Exp(tω) R as computed.
    ///
    /// The angle |tω| is off by a few roundings relative to itself, sine and cosine by one each, entries of Exp(tω) by
    /// ten in all, and a product with R adds up three of them.
    pub(super) fn matrix_error(&self) -> f64 {
        (64.0 + 16.0 * self.turn.length()) * f64::EPSILON
    }

    /// A bound, along any world axis, on the difference between a vertex placed by
    /// [`unrepaired_pose_at`](Self::unrepaired_pose_at) and where the motion puts it. The coordinates of the vertex are
    /// at most `reach` in magnitude.
    ///
    /// In real numbers the pose at time t places v at (v − c) turned, plus the place of the pivot. This differs from
    /// the definition by the rounding of `Pose::place` for v and for c at both ends. The computed pose has matrix
    /// entries that are off by [`matrix_error`](Self::matrix_error), and its translation by as much times the pivot,
    /// and by roundings. The factor 4 covers sums of three and higher orders.
    pub(crate) fn rounding(&self, reach: f64) -> f64 {
        4.0 * self.matrix_error() * self.size(reach) + 64.0 * f64::from_bits(1)
    }

    /// A bound on all lengths that occur in computing where vertices with coordinates of at most `reach` are.
    pub(super) fn size(&self, reach: f64) -> f64 {
        let [from, to] = self.track.map(|point| point.abs().max_element());
        let size = 2.0 * (reach + self.pivot.abs().max_element()) + from.max(to);
        let translations = [self.start, self.end].map(|p| p.translation().abs().max_element());
        size + translations[0].max(translations[1])
    }

    /// An upper bound on the acceleration |p″(t)| of vertices within `radius` of the pivot.
    ///
    /// The turned part of a vertex is Exp(tω) (u₀ + t F (v − c)) with F = Exp(−ω) R₁ − R₀, so its second derivative is
    /// at most |ω|² times its length, which is at most (1 + 2e-6) `radius`, plus 2 |ω| |F| `radius`. All else is linear.
    pub(crate) fn acceleration(&self, radius: f64) -> f64 {
        let rate = self.turn.length();
        rate * (rate * (1.0 + 3e-6) + 2.0 * self.skew) * radius * (1.0 + 1e-12)
    }

    /// An upper bound on the distance of a vertex within `radius` of the pivot, at any time, from the chord between its
    /// positions at both ends; 0 if vertices move on straight lines.
    ///
    /// An arc of a curve departs from its chord by at most an eighth of its largest acceleration. And a vertex and its
    /// chord are both within (1 + 2e-6) `radius` of the pivot.
    pub(crate) fn sagitta(&self, radius: f64) -> f64 {
        let bound = (self.acceleration(radius) * 0.125).min(2.0 * (1.0 + 3e-6) * radius);
        if self.is_linear() { 0.0 } else { bound * (1.0 + 1e-12) }
    }

    /// The velocity of the pivot.
    pub(crate) fn drift(&self) -> DVec3 {
        self.track[1] - self.track[0]
    }

    /// Where the pivot starts and ends.
    pub(super) fn track(&self) -> [DVec3; 2] {
        self.track
    }

    /// Where the pivot is at a time from 0 to 1, rounded.
    pub(crate) fn pivot_at(&self, time: f64) -> DVec3 {
        self.track[0] * (1.0 - time) + self.track[1] * time
    }

    /// An upper bound on the norm of Exp(−ω) R₁ − R₀: vertices within r of the pivot move by at most this times r
    /// relative to a frame that turns with the motion.
    pub(crate) fn skew(&self) -> f64 {
        match self.is_linear() {
            false => self.skew,
            // A linear motion may turn the body by less than `LEAST_TURN`, or change a matrix that is not quite a
            // rotation.
            true => {
                let difference = self.end.rotation() - self.start.rotation();
                let columns = [difference.x_axis, difference.y_axis, difference.z_axis];
                let norm = columns.map(DVec3::length_squared).into_iter().sum::<f64>().sqrt();
                norm * (1.0 + 1e-12)
            }
        }
    }
}

/// The rotation vector of less than half a turn from one pose to another; zero if it is below [`LEAST_TURN`].
fn turn_between(start: &Pose, end: &Pose) -> Result<DVec3, MotionError> {
    let (from, to) = (start.rotation(), end.rotation());
    if from == to {
        return Ok(DVec3::ZERO);
    }
    let quat = DQuat::from_mat3(&(to * from.transpose())).normalize();
    let (axis, cos) = match quat.w < 0.0 {
        true => (-quat.xyz(), -quat.w),
        false => (quat.xyz(), quat.w),
    };
    let sin = axis.length();
    let angle = 2.0 * libm::atan2(sin, cos);
    if angle > PI - AMBIGUOUS {
        return Err(MotionError::HalfTurn { degrees: angle.to_degrees() });
    }
    if angle < LEAST_TURN {
        return Ok(DVec3::ZERO);
    }
    Ok(axis * (angle / sin))
}

fn checked_turn(turn: DVec3) -> Result<DVec3, MotionError> {
    let angle = turn.length();
    let is_in_range = angle <= MAX_TURN;
    match is_in_range {
        false => Err(MotionError::TurnOutOfRange { turn }),
        true if angle < LEAST_TURN => Ok(DVec3::ZERO),
        true => Ok(turn),
    }
}

fn check_point(point: DVec3) -> Result<(), MotionError> {
    let is_near = point.abs().max_element() <= MAX_COORDINATE && point.is_finite();
    if is_near { Ok(()) } else { Err(MotionError::TooFar { point }) }
}

/// The rotation by a rotation vector.
pub(super) fn exponential(turn: DVec3) -> DMat3 {
    match turn.length() {
        0.0 => DMat3::IDENTITY,
        angle => about(turn / angle, angle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    fn random_pose(random: &mut Random, size: f64) -> Pose {
        let rotation = about(random.direction(), random.range(0.0, 3.0));
        let skew = DMat3::from_diagonal(DVec3::splat(1.0 + random.range(-4e-7, 4e-7)));
        Pose::new(rotation * skew, random.direction() * size).expect("nearly a rotation")
    }

    #[test]
    fn ends_are_the_poses_to_the_last_bit() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let [start, end] = [0; 2].map(|_| random_pose(&mut random, 10.0));
            let Ok(motion) = Motion::between(start, end) else { continue };
            let motion = motion.about(random.direction()).expect("near");
            assert_eq!((motion.pose_at(0.0), motion.pose_at(1.0)), (start, end), "seed {seed}");
            let middle = motion.pose_at(0.5);
            assert_eq!(Pose::new(middle.rotation(), middle.translation()), Ok(middle));
        }
    }

    /// Between the ends the vertex follows the definition: compared with sine and cosine of the standard library, and
    /// with the bound on the acceleration, by second differences.
    #[test]
    fn vertices_follow_the_definition_and_its_bounds() {
        let mut arcs = 0;
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let size = 10f64.powf(random.range(-6.0, 6.0));
            let start = random_pose(&mut random, size);
            let turn = random.direction() * [0.0, 1e-4, 1.0, 3.0, 40.0][random.below(5) as usize];
            let pivot = random.direction() * random.range(0.0, size);
            let motion =
                Motion::spinning(start, random.direction() * size, turn, pivot).expect("in range");
            let vertex = random.direction() * size;
            let (t, h) = (random.range(0.1, 0.9), 0.05);
            let at = |t: f64| motion.unrepaired_pose_at(t).place(vertex);
            let slack = 8.0 * motion.rounding(size);
            let turned = DQuat::from_scaled_axis(turn * t);
            let arm = turned * (start.rotation() * (vertex - pivot));
            let expected = start.place(pivot) + motion.drift() * t + arm;
            assert!((at(t) - expected).length() <= slack, "seed {seed}: {} {expected}", at(t));
            let radius = (vertex - pivot).length();
            let sagitta = (at(t) - (at(t - h) + at(t + h)) * 0.5).length();
            let bound = motion.acceleration(radius) * h * h / 2.0;
            assert!(sagitta <= bound + slack, "seed {seed}: {sagitta} > {bound}");
            arcs += usize::from(sagitta > slack);
        }
        assert!(arcs > 100, "only {arcs} motions have an arc");
    }

    #[test]
    fn half_turns_and_points_far_away_are_refused() {
        let turned = |angle: f64| Pose::new(about(DVec3::Z, angle), DVec3::ZERO).expect("rotation");
        let error = Motion::between(Pose::IDENTITY, turned(PI)).expect_err("half a turn");
        assert!(error.to_string().contains("180 degrees"), "{error}");
        assert!(Motion::between(Pose::IDENTITY, turned(3.1)).is_ok());
        assert!(Motion::with_turn(Pose::IDENTITY, turned(PI), DVec3::Z * PI).is_ok());
        assert!(Motion::with_turn(Pose::IDENTITY, turned(PI), DVec3::Z * -PI).is_ok());
        assert!(Motion::with_turn(Pose::IDENTITY, turned(PI), DVec3::Z * 3.0 * PI).is_ok());
        assert!(matches!(
            Motion::with_turn(Pose::IDENTITY, turned(PI), DVec3::X * PI),
            Err(MotionError::OtherEnd { .. })
        ));
        let far = Pose::from_translation(DVec3::X * 1e101).expect("finite");
        assert!(matches!(Motion::between(Pose::IDENTITY, far), Err(MotionError::TooFar { .. })));
        for turn in [DVec3::NAN, DVec3::X * 1e7, DVec3::X * f64::INFINITY] {
            assert!(Motion::spinning(Pose::IDENTITY, DVec3::ZERO, turn, DVec3::ZERO).is_err());
        }
    }
}

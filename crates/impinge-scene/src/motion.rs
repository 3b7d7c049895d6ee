//! How bodies move from cycle to cycle. `run.rs` advances every body once per cycle; `response.rs` changes
//! velocities after hits, and sets bodies in free flight back to where they touched nothing.

use crate::{
    document::AtEnd,
    flight::{Forces, Rigid, State, rotation},
};
use impinge::{
    Bounds, Motion, MotionError, Pose, PoseError, Shape,
    generate::Random,
    glam::{DMat3, DQuat, DVec3},
};
use std::{
    f64::consts::{PI, TAU},
    sync::Arc,
};

/// A body of a scene: its pose and its motion.
#[derive(Debug)]
pub(super) struct Mover {
    pub(super) shape: Shape,
    /// The pose at the current cycle, at which contacts are found.
    pub(super) pose: Pose,
    /// The pose from which the body moved to the current one.
    before: Pose,
    /// The point about which the body turns, in its own coordinates: its centre of mass in free flight, otherwise
    /// the centre of its bounding box.
    pivot: DVec3,
    /// The position of the pivot in the world.
    pub(super) center: DVec3,
    orientation: DQuat,
    /// Movement per cycle, in units of the scene.
    pub(super) velocity: DVec3,
    /// Rotation vector per cycle: its direction is the axis, its length the angle in radians.
    pub(super) spin: DVec3,
    pub(super) kind: MotionKind,
}

/// The kind of motion of a body.
#[derive(Debug)]
pub(super) enum MotionKind {
    /// The body does not move.
    Still,
    /// The pose depends only on the number of the cycle, so rounding errors do not add up.
    Steady { center: DVec3, orientation: DQuat },
    /// The body reverses when it hits something.
    Billiard(Box<Billiard>),
    /// The body follows a list of poses.
    Path(Box<Path>),
    /// The body moves to and fro, whatever it hits.
    Vibration(Box<Vibration>),
    /// The body flies freely: gravity pulls it, and it bounces.
    Flight(Box<Flight>),
}

/// A body in free flight. `center`, `orientation`, `velocity` and `spin` of its [`Mover`] are not in use.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) rigid: Rigid,
    /// The state from which the current cycle starts.
    pub(super) start: State,
    pub(super) start_pose: Pose,
    /// The state now: at the end of the cycle, or where a hit has set the body back.
    pub(super) state: State,
    pub(super) state_pose: Pose,
    /// The corners of its convex hull, with which it hits walls; empty without walls.
    pub(super) outline: Arc<[DVec3]>,
}

/// A random path after Klosowski (1998): each move is the previous one, slightly disturbed; a hit reverses
/// it.
#[derive(Debug)]
pub(super) struct Billiard {
    /// Maximum change of a move, relative to its length.
    pub(super) wander: f64,
    pub(super) random: Random,
    /// Whether the body was just reversed. Its next move leads back to a place where it touched nothing, so
    /// that move is not disturbed.
    pub(super) is_returning: bool,
}

#[derive(Debug)]
pub(super) struct Path {
    pub(super) poses: Arc<[Pose]>,
    /// The frame of the path; `None` for the world frame.
    pub(super) base: Option<Pose>,
    pub(super) end: AtEnd,
}

/// A motion to and fro: translation and rotation are the same sine of time.
#[derive(Debug)]
pub(super) struct Vibration {
    /// The translation and the rotation vector, in radians, at the crest.
    pub(super) by: DVec3,
    pub(super) turn: DVec3,
    /// The cycles of one oscillation.
    pub(super) period: f64,
    /// Where in its period the motion starts, in radians.
    pub(super) phase: f64,
    /// The place in the middle of the motion.
    pub(super) center: DVec3,
    pub(super) orientation: DQuat,
}

impl Vibration {
    /// Returns the position of the pivot and the orientation at a cycle. Both depend only on the number of the cycle, so
    /// rounding errors do not add up.
    fn at(&self, cycle: u64) -> (DVec3, DQuat) {
        let share = libm::sin(cycle as f64 / self.period * TAU + self.phase);
        (self.center + self.by * share, rotation(self.turn, share) * self.orientation)
    }
}

impl Mover {
    pub(super) fn new(shape: Shape, pose: Pose) -> Self {
        let bounds = shape.mesh().bounds();
        let pivot = if bounds.is_empty() { DVec3::ZERO } else { bounds.center() };
        let (center, orientation) = (pose.place(pivot), DQuat::from_mat3(&pose.rotation()));
        let (velocity, spin) = (DVec3::ZERO, DVec3::ZERO);
        let (before, kind) = (pose, MotionKind::Still);
        Self { shape, pose, before, pivot, center, orientation, velocity, spin, kind }
    }

    pub(super) fn steady(mut self, velocity: DVec3, spin: DVec3) -> Self {
        (self.velocity, self.spin) = (velocity, spin);
        self.kind = MotionKind::Steady { center: self.center, orientation: self.orientation };
        self
    }

    pub(super) fn billiard(mut self, velocity: DVec3, spin: DVec3, billiard: Billiard) -> Self {
        (self.velocity, self.spin) = (velocity, spin);
        self.kind = MotionKind::Billiard(Box::new(billiard));
        self
    }

    /// Sets a path; the body starts at its first pose.
    pub(super) fn on_path(mut self, path: Path) -> Result<Self, PoseError> {
        self.pose = path.at(0)?;
        self.center = self.pose.place(self.pivot);
        self.kind = MotionKind::Path(Box::new(path));
        Ok(self)
    }

    /// Sets a motion to and fro about the place where the body is now; the body starts where `phase` says.
    pub(super) fn vibrating(
        mut self,
        [by, turn]: [DVec3; 2],
        period: f64,
        phase: f64,
    ) -> Result<Self, PoseError> {
        let (center, orientation) = (self.center, self.orientation);
        let vibration = Vibration { by, turn, period, phase, center, orientation };
        if phase != 0.0 {
            (self.center, self.orientation) = vibration.at(0);
            self.pose = self.placed()?;
            self.before = self.pose;
        }
        self.kind = MotionKind::Vibration(Box::new(vibration));
        Ok(self)
    }

    /// Sets free flight. `outline` are the points of the body that hit walls.
    pub(super) fn flying(
        mut self,
        velocity: DVec3,
        spin: DVec3,
        rigid: Rigid,
        outline: Arc<[DVec3]>,
    ) -> Self {
        let center = self.pose.place(rigid.inertia.center);
        let start = rigid.state(center, self.orientation, velocity, spin);
        let (start_pose, state, state_pose) = (self.pose, start, self.pose);
        let flight = Flight { rigid, start, start_pose, state, state_pose, outline };
        self.kind = MotionKind::Flight(Box::new(flight));
        self
    }

    pub(super) fn flight(&self) -> Option<&Flight> {
        if let MotionKind::Flight(flight) = &self.kind { Some(flight) } else { None }
    }

    pub(super) fn flight_mut(&mut self) -> Option<&mut Flight> {
        if let MotionKind::Flight(flight) = &mut self.kind { Some(flight) } else { None }
    }

    /// Returns the pose from which the next cycle starts: differs from `pose` if a hit has set the body back.
    pub(super) fn kept_pose(&self) -> &Pose {
        self.flight().map_or(&self.pose, |flight| &flight.state_pose)
    }

    /// Returns the pose of a body that does not fly, at a time from 0 (the previous cycle) to 1 (the current one).
    pub(super) fn pose_at(&self, time: f64) -> Result<Pose, PoseError> {
        if time >= 1.0 || self.pose == self.before {
            return Ok(self.pose);
        }
        if time <= 0.0 {
            return Ok(self.before);
        }
        let [from, to] = [&self.before, &self.pose].map(|pose| DQuat::from_mat3(&pose.rotation()));
        let to = if from.dot(to) < 0.0 { -to } else { to };
        let rotation = DMat3::from_quat((from * (1.0 - time) + to * time).normalize());
        let [from, to] = [&self.before, &self.pose].map(|pose| pose.place(self.pivot));
        Pose::new(rotation, from + (to - from) * time - rotation * self.pivot)
    }

    /// Returns the pose from which the body moved to the current one.
    pub(super) fn before(&self) -> &Pose {
        &self.before
    }

    /// Returns the motion from the previous cycle to the current one.
    ///
    /// Bodies with a constant spin turn by it, any number of times. The others turn by less than half a turn; a body in
    /// flight moves on a straight line, and turns about its centre of mass.
    pub(super) fn motion(&self) -> Result<Motion, MotionError> {
        let Self { before, pose, spin, .. } = self;
        match &self.kind {
            MotionKind::Still => Ok(Motion::still(*pose)),
            MotionKind::Steady { .. } | MotionKind::Billiard(_) => {
                Motion::with_turn(*before, *pose, *spin)?.about(self.pivot)
            }
            MotionKind::Path(_) | MotionKind::Vibration(_) => {
                Motion::between(*before, *pose)?.about(self.pivot)
            }
            MotionKind::Flight(flight) => {
                let angle = flight.rigid.spin(&flight.start).length();
                if angle >= PI {
                    return Err(MotionError::HalfTurn { degrees: angle.to_degrees() });
                }
                Motion::between(*before, *pose)?.about(flight.rigid.inertia.center)
            }
        }
    }

    pub(super) fn is_moving(&self) -> bool {
        !matches!(self.kind, MotionKind::Still)
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.shape.placed_bounds(&self.pose)
    }

    /// Returns how far a point of the body moved at most in the current cycle.
    pub(super) fn way(&self) -> f64 {
        let bounds = self.shape.mesh().bounds();
        let corners = [bounds.min, bounds.max];
        let corners = (0..8)
            .map(|i| DVec3::new(corners[i & 1].x, corners[i >> 1 & 1].y, corners[i >> 2 & 1].z));
        corners
            .filter(|corner| corner.is_finite())
            .map(|corner| self.before.place(corner).distance(self.pose.place(corner)))
            .fold(0.0, f64::max)
    }

    /// Moves the body from the previous cycle to `cycle`.
    pub(super) fn advance(&mut self, cycle: u64, forces: &Forces) -> Result<(), PoseError> {
        self.before = *self.kept_pose();
        match &mut self.kind {
            MotionKind::Still => return Ok(()),
            MotionKind::Steady { center, orientation } => {
                let cycles = cycle as f64;
                self.center = *center + self.velocity * cycles;
                self.orientation = rotation(self.spin, cycles) * *orientation;
            }
            MotionKind::Billiard(billiard) => {
                if !std::mem::take(&mut billiard.is_returning) && billiard.wander > 0.0 {
                    let Billiard { wander, random, .. } = &mut **billiard;
                    self.velocity = disturbed(self.velocity, *wander, random);
                    self.spin = disturbed(self.spin, *wander, random);
                }
                self.drift();
            }
            MotionKind::Path(path) => {
                let before = self.center;
                self.pose = path.at(cycle)?;
                self.center = self.pose.place(self.pivot);
                self.velocity = self.center - before;
                self.spin = small_turn(&self.before, &self.pose);
                return Ok(());
            }
            MotionKind::Vibration(vibration) => {
                let before = self.center;
                (self.center, self.orientation) = vibration.at(cycle);
                self.pose = self.placed()?;
                // The mean of the cycle, as bodies that fly against it need it.
                self.velocity = self.center - before;
                self.spin = small_turn(&self.before, &self.pose);
                return Ok(());
            }
            MotionKind::Flight(flight) => {
                (flight.start, flight.start_pose) = (flight.state, flight.state_pose);
                flight.state = flight.rigid.after(&flight.start, 1.0, forces);
                self.pose = flight.rigid.pose(&flight.state)?;
                flight.state_pose = self.pose;
                return Ok(());
            }
        }
        self.pose = self.placed()?;
        Ok(())
    }

    /// Returns the pose with which the pivot is at `center`.
    fn placed(&self) -> Result<Pose, PoseError> {
        let rotation = DMat3::from_quat(self.orientation);
        Pose::new(rotation, self.center - rotation * self.pivot)
    }

    /// Moves and turns the body for one cycle.
    fn drift(&mut self) {
        self.center += self.velocity;
        // Products of many rotations must be normalised to stay rotations.
        self.orientation = (rotation(self.spin, 1.0) * self.orientation).normalize();
    }

    /// Records that the body has begun to touch something.
    pub(super) fn hit(&mut self) {
        if let MotionKind::Billiard(billiard) = &mut self.kind {
            billiard.is_returning = true;
            self.velocity = -self.velocity;
            self.spin = -self.spin;
        }
    }
}

impl Path {
    fn at(&self, cycle: u64) -> Result<Pose, PoseError> {
        let pose = self.poses[self.end.index(cycle, self.poses.len() as u64)];
        match &self.base {
            None => Ok(pose),
            Some(base) => {
                Pose::new(base.rotation() * pose.rotation(), base.place(pose.translation()))
            }
        }
    }
}

/// Returns the rotation vector from one pose to another, for turns of less than half a circle.
fn small_turn(from: &Pose, to: &Pose) -> DVec3 {
    let turn = DQuat::from_mat3(&(to.rotation() * from.rotation().transpose()));
    let (axis, cos) = (turn.xyz(), turn.w);
    let (axis, cos) = if cos < 0.0 { (-axis, -cos) } else { (axis, cos) };
    match axis.length() {
        0.0 => DVec3::ZERO,
        sin => axis * (2.0 * libm::atan2(sin, cos) / sin),
    }
}

/// Returns a vector of the same length and nearly the same direction.
fn disturbed(vector: DVec3, wander: f64, random: &mut Random) -> DVec3 {
    let length = vector.length();
    let direction = vector + random.direction() * (length * wander);
    match direction.length() {
        0.0 => vector,
        other => direction * (length / other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate;

    fn ball() -> Mover {
        Mover::new(Shape::new(generate::sphere(48).unwrap()), Pose::IDENTITY)
    }

    #[test]
    fn steady_motion_accumulates_no_error() {
        let spin = DVec3::new(0.3, -0.2, 0.7);
        let mut mover = ball().steady(DVec3::new(0.1, 0.0, -0.2), spin);
        for cycle in 1..=100_000 {
            mover.advance(cycle, &Forces::default()).unwrap();
        }
        assert_eq!(mover.pose.translation(), DVec3::new(0.1, 0.0, -0.2) * 1e5);
        let expected = DMat3::from_axis_angle(spin.normalize(), spin.length() * 1e5);
        assert!(mover.pose.rotation().abs_diff_eq(expected, 1e-9), "{:?}", mover.pose);
    }

    #[test]
    fn a_vibration_is_a_sine_about_its_middle() {
        let (by, turn) = (DVec3::new(0.0, 0.3, 0.4), DVec3::Z * 0.2);
        let middle = ball();
        for (phase, first) in [(0.0, 0.0), (TAU / 4.0, 1.0)] {
            let mut mover = ball().vibrating([by, turn], 12.0, phase).unwrap();
            for cycle in 0..1000_u64 {
                if cycle > 0 {
                    mover.advance(cycle, &Forces::default()).unwrap();
                }
                // Whole periods, quarters, and what lies between, from the sine of the standard library.
                let share = match (phase == 0.0, cycle % 12) {
                    (true, 3) => 1.0,
                    (true, 9) => -1.0,
                    (true, 0 | 6) => 0.0,
                    (false, 0) => first,
                    _ => (cycle as f64 / 12.0 * TAU + phase).sin(),
                };
                let expected = middle.center + by * share;
                assert!((mover.center - expected).length() < 1e-12, "cycle {cycle}");
                let turned = DMat3::from_axis_angle(DVec3::Z, 0.2 * share);
                assert!(mover.pose.rotation().abs_diff_eq(turned, 1e-12), "cycle {cycle}");
                // The motion within a cycle ends where the next one starts.
                let way = mover.pose.place(mover.pivot) - mover.before.place(mover.pivot);
                assert!((way - mover.velocity).length() < 1e-12, "cycle {cycle}");
            }
        }
    }

    #[test]
    fn a_hit_reverses_the_motion() {
        let random = Random::new(7);
        let billiard = Billiard { wander: 0.3, random, is_returning: false };
        let mut mover = ball().billiard(DVec3::X, DVec3::new(0.0, 0.1, 0.0), billiard);
        let mut poses = vec![mover.pose];
        for cycle in 1..5 {
            mover.advance(cycle, &Forces::default()).unwrap();
            poses.push(mover.pose);
        }
        mover.hit();
        mover.advance(5, &Forces::default()).unwrap();
        let (back, before) = (mover.pose, poses[3]);
        assert!((back.translation() - before.translation()).length() < 1e-12);
        assert!(back.rotation().abs_diff_eq(before.rotation(), 1e-12));
        mover.advance(6, &Forces::default()).unwrap();
        let way = mover.pose.translation() - back.translation();
        assert!((way.length() - 1.0).abs() < 1e-12 && way != -DVec3::X, "{way}");
    }

    #[test]
    fn paths_end_as_the_scene_says() {
        let poses: Vec<Pose> =
            (0..4).map(|i| Pose::from_translation(DVec3::X * f64::from(i)).unwrap()).collect();
        let places = |end| {
            let path = Path { poses: poses.clone().into(), base: None, end };
            (0..9).map(|cycle| path.at(cycle).unwrap().translation().x).collect::<Vec<_>>()
        };
        assert_eq!(places(AtEnd::Stay), [0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
        assert_eq!(places(AtEnd::Again), [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0]);
        assert_eq!(places(AtEnd::Back), [0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 1.0, 2.0]);
    }
}

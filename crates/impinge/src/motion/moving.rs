//! A moving body, rigid or deforming, as the searches see it.

use super::{Deformation, Motion, rigid::exponential};
use crate::{
    Pose, Shape,
    method::tree::{NodeBox, Within},
    narrow::{MovingPoint, Triangle},
};
use glam::{DMat3, DVec3};

/// A body and its motion: made from `(&Shape, &Motion)` or from `&Deformation`.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'m>(Course<'m>);

#[derive(Clone, Copy, Debug)]
enum Course<'m> {
    Rigid(&'m Shape, &'m Motion),
    Deforming(&'m Deformation),
}

impl<'m> From<(&'m Shape, &'m Motion)> for Moving<'m> {
    fn from((shape, motion): (&'m Shape, &'m Motion)) -> Self {
        Self(Course::Rigid(shape, motion))
    }
}

impl<'m> From<&'m Deformation> for Moving<'m> {
    fn from(deformation: &'m Deformation) -> Self {
        Self(Course::Deforming(deformation))
    }
}

impl<'m> Moving<'m> {
    /// The shape at the start.
    pub fn shape(&self) -> &'m Shape {
        match self.0 {
            Course::Rigid(shape, _) => shape,
            Course::Deforming(deformation) => deformation.shape(),
        }
    }

    /// Calls a function with the shape as it is at a time, and its pose.
    pub(super) fn with_shape_at<R>(&self, time: f64, ask: impl FnOnce(&Shape, &Pose) -> R) -> R {
        match self.0 {
            Course::Rigid(shape, motion) => ask(shape, &motion.unrepaired_pose_at(time)),
            Course::Deforming(deformation) if time <= 0.0 => {
                ask(deformation.shape(), deformation.start())
            }
            Course::Deforming(deformation) => ask(&deformation.shape_at(time), &Pose::IDENTITY),
        }
    }
}

/// A moving body with faces, and bounds on its motion that do not depend on time.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingBody<'m> {
    body: Moving<'m>,
    /// A bound, along any axis, on the error of a vertex as computed at any time.
    pub(super) rounding: f64,
    /// A velocity of the whole body, from which no vertex departs by more than `spread`.
    pub(super) drift: DVec3,
    pub(super) spread: f64,
    /// An upper bound on the distance of a vertex from the pivot of a rigid body.
    pub(super) radius: f64,
}

impl<'m> MovingBody<'m> {
    /// `None` if the mesh has no faces: nothing moves.
    pub(super) fn new(body: Moving<'m>) -> Option<Self> {
        let extent = body.shape().placed(&Pose::IDENTITY).extent;
        if extent.half_size() < 0.0 {
            return None;
        }
        let moving = match body.0 {
            Course::Rigid(_, motion) => {
                let arm = (extent.center() - motion.pivot()).length() + extent.radius();
                let radius = arm * (1.0 + 1e-14) + f64::MIN_POSITIVE;
                let rounding = motion.rounding(extent.coordinate());
                let spread = (motion.turn().length() * (1.0 + 3e-6) + motion.skew()) * radius;
                Self { body, rounding, drift: motion.drift(), spread, radius }
            }
            Course::Deforming(deformation) => {
                let (drift, spread) = (deformation.drift(), deformation.spread());
                Self { body, rounding: deformation.rounding(), drift, spread, radius: 0.0 }
            }
        };
        Some(moving)
    }

    pub(super) fn moving(&self) -> &Moving<'m> {
        &self.body
    }

    /// The motion, if the body is rigid.
    pub(super) fn rigid(&self) -> Option<&'m Motion> {
        match self.body.0 {
            Course::Rigid(_, motion) => Some(motion),
            Course::Deforming(_) => None,
        }
    }

    /// How the frame of the body moves in which its boxes are.
    pub(super) fn frame_motion(&self) -> FrameMotion {
        match self.body.0 {
            Course::Rigid(shape, motion) => FrameMotion {
                rotation: motion.start().rotation(),
                pivot: motion.pivot(),
                track: motion.track(),
                turn: motion.turn(),
                skew: motion.skew(),
                matrix_error: motion.matrix_error(),
                size: motion.size(shape.placed(&Pose::IDENTITY).extent.coordinate()),
            },
            Course::Deforming(deformation) => FrameMotion {
                rotation: DMat3::IDENTITY,
                pivot: DVec3::ZERO,
                track: [DVec3::ZERO; 2],
                turn: DVec3::ZERO,
                skew: 0.0,
                matrix_error: 64.0 * f64::EPSILON,
                size: deformation.coordinate(),
            },
        }
    }

    /// What is in a node of the tree of boxes around the faces.
    #[inline]
    pub(super) fn within(&self, node: u32) -> Within {
        match self.body.0 {
            Course::Rigid(shape, _) => shape.face_boxes().within(node),
            Course::Deforming(deformation) => deformation.face_boxes()[0].within(node),
        }
    }

    /// The box of a node of that tree.
    #[inline]
    pub(super) fn moving_box(&self, node: u32) -> MovingBox {
        match self.body.0 {
            Course::Rigid(shape, _) => MovingBox::Rigid(shape.face_boxes().node_box(node)),
            Course::Deforming(deformation) => {
                MovingBox::Deforming(deformation.face_boxes().each_ref().map(|t| t.node_box(node)))
            }
        }
    }

    /// Whether every vertex moves on a straight line.
    pub(super) fn is_linear(&self) -> bool {
        self.rigid().is_none_or(Motion::is_linear)
    }

    /// A face of the body.
    pub(super) fn face(&self, face: u32) -> MovingFace<'m> {
        match self.body.0 {
            Course::Rigid(shape, motion) => {
                MovingFace::Rigid { motion, corners: shape.mesh().triangle(face) }
            }
            Course::Deforming(deformation) => {
                let corners = deformation.shape().mesh().faces()[face as usize];
                let ends = corners.map(|vertex| deformation.ends(vertex as usize));
                let ends = ends.map(|[start, end]| MovingPoint { start, end });
                MovingFace::Linear { corners: ends }
            }
        }
    }
}

/// How a frame moves: it turns with the constant angular velocity `turn` about the pivot, which moves on a straight line.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameMotion {
    /// The matrix at the start.
    pub(super) rotation: DMat3,
    pub(super) pivot: DVec3,
    /// Where the pivot starts and ends.
    pub(super) track: [DVec3; 2],
    pub(super) turn: DVec3,
    /// How far vertices depart from that motion, relative to their distance from the pivot.
    pub(super) skew: f64,
    /// A bound on the error of an entry of a matrix, and one on all lengths that it multiplies.
    pub(super) matrix_error: f64,
    pub(super) size: f64,
}

impl FrameMotion {
    /// The rotation from the start to a time.
    pub(super) fn turned(&self, time: f64) -> DMat3 {
        exponential(self.turn * time)
    }

    pub(super) fn pivot_at(&self, time: f64) -> DVec3 {
        self.track[0] * (1.0 - time) + self.track[1] * time
    }
}

/// A box around some faces of a moving body.
#[derive(Clone, Copy, Debug)]
pub(super) enum MovingBox {
    /// At rest in the frame of the body.
    Rigid(NodeBox),
    /// In the world, at the start and at the end. At times in between it is interpolated.
    Deforming([NodeBox; 2]),
}

/// A face of a moving body.
#[derive(Clone, Copy, Debug)]
pub(super) enum MovingFace<'m> {
    /// Of a rigid body: the corners in its own frame.
    Rigid { motion: &'m Motion, corners: Triangle },
    /// Corners that move on straight lines.
    Linear { corners: [MovingPoint; 3] },
}

impl MovingFace<'_> {
    /// The corners at a time, in the world and rounded.
    pub(super) fn at(&self, time: f64) -> Triangle {
        match self {
            Self::Rigid { motion, corners } => {
                motion.unrepaired_pose_at(time).place_triangle(*corners)
            }
            Self::Linear { corners } => corners.map(|corner| match time {
                time if time <= 0.0 => corner.start,
                time if time >= 1.0 => corner.end,
                time => corner.start * (1.0 - time) + corner.end * time,
            }),
        }
    }

    /// A bound on the acceleration of the corners.
    pub(super) fn acceleration(&self) -> f64 {
        match self {
            Self::Rigid { motion, corners } => motion.acceleration(arm(motion, corners)),
            Self::Linear { .. } => 0.0,
        }
    }

    /// A bound on the distance of each corner, at any time, from the chord between its positions at both ends; 0 if the
    /// corners move on straight lines.
    pub(super) fn sagitta(&self) -> f64 {
        match self {
            Self::Rigid { motion, corners } => motion.sagitta(arm(motion, corners)),
            Self::Linear { .. } => 0.0,
        }
    }

    /// The corners, if they move on straight lines.
    pub(super) fn linear(&self) -> Option<[MovingPoint; 3]> {
        match self {
            Self::Rigid { motion, corners } if motion.is_linear() => Some(corners.map(|corner| {
                MovingPoint { start: motion.start().place(corner), end: motion.end().place(corner) }
            })),
            Self::Rigid { .. } => None,
            Self::Linear { corners } => Some(*corners),
        }
    }
}

/// A bound on the distance of the corners of a face from the pivot.
fn arm(motion: &Motion, corners: &Triangle) -> f64 {
    let arms = corners.map(|corner| (corner - motion.pivot()).length());
    arms.into_iter().fold(0.0, f64::max) * (1.0 + 1e-14)
}

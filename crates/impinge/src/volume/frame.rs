//! The normalised coordinates of a mesh, and the relative pose of two meshes in these coordinates.

use crate::{Bounds, Pose};
use glam::{DMat3, DVec3};

/// Coordinates in which a mesh lies within ±1: centered on its bounding box, and scaled by a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    center: DVec3,
    scale: f64,
    /// The largest magnitude of a coordinate in the bounds.
    reach: f64,
}

impl Frame {
    /// The frame for a bounding box, which may be empty.
    pub fn new(bounds: &Bounds) -> Self {
        if bounds.is_empty() {
            return Self { center: DVec3::ZERO, scale: 1.0, reach: 0.0 };
        }
        let center = bounds.center();
        let half = (bounds.max - center).max(center - bounds.min).max_element();
        // The least power of two that is not below `half`, but never so small that its inverse would
        // overflow.
        let mut scale = 2f64.powi(-1000);
        if half > scale {
            let power = f64::from_bits(half.to_bits() & (0x7ff << 52));
            scale = if power < half { 2.0 * power } else { power };
        }
        let reach = bounds.largest_coordinate();
        Self { center, scale, reach }
    }

    /// The origin of these coordinates: the centre of the bounds.
    pub(crate) fn center(&self) -> DVec3 {
        self.center
    }

    /// The length of one unit of these coordinates, in units of the mesh.
    pub(crate) fn unit(&self) -> f64 {
        self.scale
    }

    /// Converts a point of the mesh to these coordinates. The error is at most 2^−52.
    pub fn normalized(&self, point: DVec3) -> DVec3 {
        // The same number as divided by the scale, because that is a power of two, and faster.
        (point - self.center) * self.scale.recip()
    }

    /// A box in world coordinates that encloses every placed vertex of the mesh.
    pub fn placed_bounds(&self, pose: &Pose) -> Bounds {
        let center = pose.place(self.center);
        // Half the diagonal, enlarged by the stretching that a pose may contain and by the rounding error.
        let radius = DVec3::splat(1.75 * self.scale + 2.0 * self.rounding(pose));
        Bounds { min: center - radius, max: center + radius }
    }

    /// A bound on the rounding error of a placed vertex, or of the placed center, along any world axis.
    pub(crate) fn rounding(&self, pose: &Pose) -> f64 {
        pose.rounding(self.reach)
    }
}

/// The largest sum of magnitudes in a row of a matrix.
fn row_sum(matrix: &DMat3) -> f64 {
    (matrix.x_axis.abs() + matrix.y_axis.abs() + matrix.z_axis.abs()).max_element()
}

/// The relative pose of two bodies, in their frames: `a = matrix · b + offset`, up to the slack.
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    pub(crate) matrix: DMat3,
    pub(crate) offset: DVec3,
    /// A bound on the error of that formula along any axis of the frame of `a`.
    pub(crate) slack: f64,
    /// The distance up to which points count as touching, in units of the frame of `a`.
    pub(crate) buffer: f64,
    /// Whether the matrix only scales: the bodies are turned alike, so that no volume has to be turned.
    pub(crate) is_translation: bool,
}

/// The largest difference of two rotations, as an entry of `Raᵀ Rb − I`, that counts as none. Volumes are rounded to `f32`,
/// which is far coarser.
const SAME_TURN: f64 = 1e-9;
/// The same if the caller has stated that bodies only translate.
const STATED_TURN: f64 = 1e-6;

impl Relative {
    /// The pose of `b` in the frame of `a`.
    ///
    /// Let x and y be points of the two bodies that coincide when placed, and ea and eb their rounding
    /// errors: `Ra x + ta + ea = Rb y + tb + eb`. With the placed centers `wa = Ra ca + ta` and `wb`
    /// likewise, `Ra (x − ca) + ea = Rb (y − cb) + (wb − wa) + eb`. Multiply by Raᵀ, where `Raᵀ Ra = I + E`
    /// because a pose's matrix is a rotation only to 1e-6:
    ///
    /// `x − ca = Raᵀ Rb (y − cb) + Raᵀ (wb − wa) − E (x − ca) + Raᵀ (eb − ea)`
    ///
    /// Divided by the scale of `a`, the first two terms are matrix and offset. The others, and the errors of
    /// computing all this in `f64`, make up the slack.
    ///
    /// If both bodies are turned alike, up to an error δ, the matrix is a mere factor, and the slack has δ times the size of
    /// `b` for it: the *translation only* of Klosowski (1998, ch. 8).
    pub fn new(a: &Frame, pose_a: &Pose, b: &Frame, pose_b: &Pose) -> Self {
        Self::between((a, pose_a), (b, pose_b), false)
    }

    /// The same for a caller who may have stated that the bodies only translate. The statement is checked: it makes a
    /// larger difference of their rotations count as none, which is still covered by the slack.
    pub(crate) fn between(
        (a, pose_a): (&Frame, &Pose),
        (b, pose_b): (&Frame, &Pose),
        translation_only: bool,
    ) -> Self {
        let (ra, rb) = (pose_a.rotation(), pose_b.rotation());
        let inverse = ra.transpose();
        let displacement = pose_b.place(b.center) - pose_a.place(a.center);
        let ratio = b.scale / a.scale;
        let turn = inverse * rb;
        let turned = row_sum(&(turn - DMat3::IDENTITY));
        let same_turn = if translation_only { STATED_TURN } else { SAME_TURN };
        // Two equal matrices are turned alike, even if they are rotations only to 1e-6.
        let is_translation = turned <= 3.0 * same_turn || ra == rb;
        let (matrix, turned) = match is_translation {
            true => (DMat3::from_diagonal(DVec3::splat(ratio)), turned),
            false => (turn * ratio, 0.0),
        };
        let offset = inverse * displacement / a.scale;

        // A row of Raᵀ times a vector is at most √3 (1 + 1e-6) times the vector's largest component.
        const ROW: f64 = 1.75;
        // The rounding errors of vertices and centers of both bodies.
        let placing = ROW * 2.0 * (a.rounding(pose_a) + b.rounding(pose_b));
        let skew = row_sum(&(inverse * ra - DMat3::IDENTITY));
        // Points of `b` are within ±1 of its frame, or slightly beyond.
        let stretching = a.scale * (skew + 16.0 * f64::EPSILON) + b.scale * 1.01 * turned;
        let computing =
            16.0 * f64::EPSILON * (ROW * displacement.abs().max_element() + 2.0 * b.scale);
        // Doubled, for the roundings of the slack itself; plus the errors of the points in their frames.
        let slack =
            2.0 * (placing + stretching + computing) / a.scale + super::GUARD * (1.0 + 3.0 * ratio);
        // NaN or overflow proves nothing: an infinite slack keeps every pair.
        let is_finite = slack.is_finite() && matrix.is_finite() && offset.is_finite();
        if !is_finite {
            let (matrix, offset) = (DMat3::ZERO, DVec3::ZERO);
            return Self {
                matrix,
                offset,
                slack: f64::INFINITY,
                buffer: 0.0,
                is_translation: false,
            };
        }
        Self { matrix, offset, slack, buffer: 0.0, is_translation }
    }

    /// This relative pose, with points up to `distance` apart, in world units, counted as touching. Each
    /// volume of `b` is enlarged once, when it is placed (Klosowski 1998).
    ///
    /// Let g be the vector in the world between two such points. In the frame of `a` it is `Raᵀ g` divided by
    /// the scale, and Raᵀ lengthens no vector by more than 1.5e-6 relative; axes of oriented boxes have unit
    /// length to about as much. Distances are compared as computed, to 1e-12.
    #[must_use]
    pub fn buffered(mut self, a: &Frame, distance: f64) -> Self {
        if distance > 0.0 {
            self.buffer = distance / a.scale * (1.0 + 1e-5) + f64::MIN_POSITIVE;
        }
        self
    }

    /// The length of one unit of the frame of `b`, in units of the frame of `a`.
    pub(crate) fn scale(&self) -> f32 {
        self.matrix.x_axis.length() as f32
    }

    /// Converts a point of `b` to the frame of `a`.
    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.matrix * point + self.offset
    }

    /// A bound on the error of [`point`](Self::point) along an axis, slack included, for points whose
    /// coordinates are at most `reach`.
    pub(crate) fn uncertainty(&self, reach: f64) -> f64 {
        let entries = self.matrix.to_cols_array().iter().fold(0.0f64, |m, e| m.max(e.abs()));
        let size = 3.0 * entries * reach + self.offset.abs().max_element();
        self.slack + super::RELATIVE_GUARD * size
    }
}

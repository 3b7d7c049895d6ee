//! A mesh's own coordinates, and how two meshes stand to each other in them.

use crate::{Bounds, Pose, convex::Climber};
use glam::{DMat3, DVec3};

/// Coordinates in which a mesh lies within ±1: centred on its bounds and scaled by a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    center: DVec3,
    scale: f64,
    /// The largest magnitude of a coordinate in the bounds.
    reach: f64,
}

impl Frame {
    /// The frame of everything within some bounds. Empty bounds have one too.
    pub fn new(bounds: &Bounds) -> Self {
        if bounds.is_empty() {
            return Self { center: DVec3::ZERO, scale: 1.0, reach: 0.0 };
        }
        let center = bounds.center();
        let half = (bounds.max - center).max(center - bounds.min).max_element();
        // The power of two that is not below; never so small that its inverse would overflow.
        let mut scale = 2f64.powi(-1000);
        if half > scale {
            let power = f64::from_bits(half.to_bits() & (0x7ff << 52));
            scale = if power < half { 2.0 * power } else { power };
        }
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self { center, scale, reach }
    }

    /// How long the unit of these coordinates is in the mesh's own.
    pub(crate) fn unit(&self) -> f64 {
        self.scale
    }

    /// A point of the mesh in these coordinates, off by at most 2^−52.
    pub fn normalized(&self, point: DVec3) -> DVec3 {
        (point - self.center) / self.scale
    }

    /// Bounds in world coordinates that enclose every placed vertex of the mesh.
    pub fn placed_bounds(&self, pose: &Pose) -> Bounds {
        let center = pose.place(self.center);
        // Half the diagonal, stretched by what a pose may stretch, and what rounding may move.
        let radius = DVec3::splat(1.75 * self.scale + 2.0 * self.rounding(pose));
        Bounds { min: center - radius, max: center + radius }
    }

    /// How far along any world axis rounding may move a placed vertex, or the placed centre.
    pub(crate) fn rounding(&self, pose: &Pose) -> f64 {
        pose.rounding(self.reach)
    }
}

/// Where a body stands in another's frame: `a = matrix · b + offset`, give or take the slack.
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    pub(crate) matrix: DMat3,
    pub(crate) offset: DVec3,
    /// How far along any axis of the frame the truth may be from that.
    pub(crate) slack: f64,
    /// How far apart points may be and still count as meeting.
    pub(crate) buffer: f64,
}

impl Relative {
    /// How `b` stands in the frame of `a`.
    ///
    /// Let x and y be points of the two bodies that meet when placed, with what rounding moved
    /// them by: `Ra x + ta + ea = Rb y + tb + eb`. With the placed centres `wa = Ra ca + ta` and
    /// `wb` likewise, `Ra (x − ca) + ea = Rb (y − cb) + (wb − wa) + eb`. Multiplied by Raᵀ, where
    /// `Raᵀ Ra = I + E` because a rotation need be one to 1e-6 only:
    ///
    /// `x − ca = Raᵀ Rb (y − cb) + Raᵀ (wb − wa) − E (x − ca) + Raᵀ (eb − ea)`
    ///
    /// Divided by the scale of `a`, the first two terms are matrix and offset; the others, and what
    /// is lost in computing all this in `f64`, make the slack.
    pub fn new(a: &Frame, pose_a: &Pose, b: &Frame, pose_b: &Pose) -> Self {
        let (ra, rb) = (pose_a.rotation(), pose_b.rotation());
        let inverse = ra.transpose();
        let apart = pose_b.place(b.center) - pose_a.place(a.center);
        let ratio = b.scale / a.scale;
        let matrix = inverse * rb * ratio;
        let offset = inverse * apart / a.scale;

        // A row of Raᵀ times a vector: at most √3 (1 + 1e-6) times its largest component.
        const ROW: f64 = 1.75;
        // Vertices and centres of both bodies, each moved by as much.
        let placing = ROW * 2.0 * (a.rounding(pose_a) + b.rounding(pose_b));
        let skew = (inverse * ra - DMat3::IDENTITY).to_cols_array_2d();
        let skew = (0..3).map(|row| (0..3).map(|c| skew[c][row].abs()).sum()).fold(0.0, f64::max);
        let stretching = a.scale * (skew + 16.0 * f64::EPSILON);
        let computing = 16.0 * f64::EPSILON * (ROW * apart.abs().max_element() + 2.0 * b.scale);
        // Twice over, for the roundings of the slack itself; and the points' own in their frames.
        let slack =
            2.0 * (placing + stretching + computing) / a.scale + super::GUARD * (1.0 + 3.0 * ratio);
        // What is not a number proves nothing: an infinite slack keeps every pair.
        let is_sound = slack.is_finite() && matrix.is_finite() && offset.is_finite();
        if !is_sound {
            let (matrix, offset) = (DMat3::ZERO, DVec3::ZERO);
            return Self { matrix, offset, slack: f64::INFINITY, buffer: 0.0 };
        }
        Self { matrix, offset, slack, buffer: 0.0 }
    }

    /// The same for bodies that count as meeting where they are within a distance of each other, in
    /// world units: every volume of `b` is buffered once, when it is placed (Klosowski 1998).
    ///
    /// Let g be the way in the world between two such points. In the frame of `a` it is `Raᵀ g`
    /// over the scale, and Raᵀ lengthens no vector by more than 1.5e-6; axes of oriented boxes are
    /// as long as a unit to about as much. Distances are compared as computed, to 1e-12.
    #[must_use]
    pub fn buffered(mut self, a: &Frame, distance: f64) -> Self {
        if distance > 0.0 {
            self.buffer = distance / a.scale * (1.0 + 1e-5) + f64::MIN_POSITIVE;
        }
        self
    }

    /// How long the unit of `b` is in the frame of `a`.
    pub(crate) fn scale(&self) -> f32 {
        self.matrix.x_axis.length() as f32
    }

    /// A point of `b` in the frame of `a`.
    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.matrix * point + self.offset
    }

    /// How far [`point`](Self::point) may be off along an axis, slack included, for a point with
    /// coordinates of at most `reach`.
    pub(super) fn uncertainty(&self, reach: f64) -> f64 {
        let entries = self.matrix.to_cols_array().iter().fold(0.0f64, |m, e| m.max(e.abs()));
        let size = 3.0 * entries * reach + self.offset.abs().max_element();
        self.slack + super::RELATIVE_GUARD * size
    }

    /// How far the hull of `b` reaches along a direction of the frame of `a`, slack included. The
    /// direction has components of at most 1.
    pub(super) fn extent_of_hull(
        &self,
        climber: &mut Climber,
        slot: usize,
        direction: DVec3,
    ) -> [f64; 2] {
        let turned = self.matrix.transpose() * direction;
        let [low, high] = climber.extent(slot, turned);
        let offset = direction.dot(self.offset);
        // The climber takes `turned` as it is rounded, within what the uncertainty allows for.
        let room = 3.0 * self.uncertainty(2.0) + direction.length() * self.buffer;
        [low + offset - room, high + offset + room]
    }
}

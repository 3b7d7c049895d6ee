//! A point in the frame of a tree, and lower bounds of distances from it.

use crate::{Pose, volume::Frame};
use glam::{DVec3, Vec3};

/// A point in the frame of a tree.
pub(in crate::method) struct FramePoint {
    pub(in crate::method) point: Vec3,
    /// The length of the frame's unit in the world.
    unit: f64,
    /// The largest error of a distance that is computed in `f32`.
    slack: f64,
}

impl FramePoint {
    /// Let P be the point, x a point of the mesh and X where rounding puts it: `X = R x + t + e`, and w
    /// the true place of the frame's centre c. With `y = c + R⁻¹ (P − w)`, `P − X = R (y − x) − e`, and R
    /// shortens no vector by more than 1.5e-6. So a distance from y in the mesh's own coordinates is one
    /// in the world but for e, what is lost in computing w and y, and what is lost in single precision:
    /// 4e-6 of what is at most the point's largest coordinate plus 2. The trees show that their distances
    /// lose less.
    pub(in crate::method) fn new(frame: &Frame, pose: &Pose, point: DVec3) -> Self {
        let unit = frame.unit();
        let away = point - pose.place(frame.center());
        let here = pose.rotation().inverse() * away / unit;
        // An inverse is off by 32 roundings of 1 in each entry, a product with it by four more; twice over,
        // and along three axes. Vertices and the centre are moved by rounding.
        let computing = 256.0 * f64::EPSILON * away.abs().max_element();
        let placing = 4.0 * frame.rounding(pose);
        let slack = (computing + placing) / unit + 4e-6 * (here.abs().max_element() + 2.0);
        Self { point: here.as_vec3(), unit, slack }
    }

    /// How far something is in the world at least, if that is how far it is in the frame as computed.
    #[inline(always)]
    pub(in crate::method) fn distance(&self, gap: f32) -> f64 {
        let bound = (f64::from(gap) * (1.0 - 4e-5) - self.slack) * self.unit;
        // What is not a number proves nothing.
        if bound > 0.0 && bound.is_finite() { bound } else { 0.0 }
    }

    /// How far something may seem in the frame, as computed, if it is at most this far in the world: if it seems farther,
    /// then so it is. Infinite for a point so far away that single precision proves nothing, and may overflow.
    #[inline(always)]
    pub(in crate::method) fn largest_gap(&self, limit: f64) -> f32 {
        if self.point.abs().max_element() > 1e9 {
            return f32::INFINITY;
        }
        // The inverse of `distance`; a little larger, for its roundings and that of narrowing.
        let gap = (limit / self.unit + self.slack) / (1.0 - 4e-5);
        (gap * (1.0 + 1e-6)) as f32
    }
}

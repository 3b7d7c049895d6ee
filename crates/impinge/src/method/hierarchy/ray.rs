//! A ray in the frame of a tree: the piece of it that is within reach of the mesh.
//!
//! In the frame it is a segment of ordinary size, however far away the ray starts. The trees compare it with their
//! boxes and faces in `f32`. Whatever remains goes to the exact test of [`narrow`](crate::narrow), so all that counts
//! is that no face is left out that the ray meets.
//!
//! # From the world to the frame
//!
//! Let o and d be the ray's origin and direction, x a point of the mesh and X where rounding puts it,
//! `X = R x + T + e`, and w the true place of the frame's centre, which rounding moves by as much. The map
//! `P ↦ R⁻¹ (P − w) / s` takes X to x in the frame, but for R⁻¹e / s, and the ray to a ray `o' + t d'`. Parameters are
//! the same before and after.
//!
//! In each coordinate, o' and x are off by less than 4 roundings of placement over s. An entry of an inverse of what
//! is nearly a rotation is off by 32 roundings of 1, and a product with it adds four (see `wide/relative_pose.rs`);
//! with three entries a row that is 54 ε of the largest coordinate of o − w, at most 95 ε of |o'|, where |·| is the
//! largest magnitude of a coordinate and ε is 2^−52. A few more are for the difference itself. `t d'` is off by as
//! much of `|t d'|`, which is at most |o'| + 1.5 as long as the ray is within 1.5 of the centre. Together that is less
//! than 512 ε (|o'| + 2) with room for the roundings of start and way below.
//!
//! So the slack is `4 · rounding / s + 512 ε (|o'| + 2)`. The mesh lies within ±1, and with a slack of up to a quarter
//! all common points are within 1.5, to which the ray is cut: from the start at `from` on, over a way that takes
//! `length`. Where the slack is larger, nothing is decided: then every face is a candidate.

use crate::{Pose, Ray, volume::Frame};
use glam::DVec3;

/// The part of a ray inside the cube that encloses the mesh.
pub(in crate::method) enum FrameRay {
    /// Nothing: it meets no face.
    Misses,
    /// Too far away, or too large or small, to tell.
    Unknown,
    Within(FrameSegment),
}

/// The piece of a ray that is within reach of a mesh, in the frame of its tree.
///
/// Its points are `start + τ way` with τ from 0 to 1, and its parameters in the world `(from + τ length) / unit`.
pub(in crate::method) struct FrameSegment {
    pub(in crate::method) start: DVec3,
    pub(in crate::method) way: DVec3,
    /// The direction of the way, a unit vector.
    pub(in crate::method) along: DVec3,
    from: f64,
    length: f64,
    /// What a parameter in the world is multiplied by: a power of two.
    unit: f64,
    /// How far along any axis of the frame the truth may be from what is computed in `f64`.
    pub(in crate::method) slack: f64,
}

/// All common points are within this much of the frame's centre along each axis.
const REACH: f64 = 1.5;

/// How far τ may be off where it is computed in `f32`: a product and two quotients, all at most about 1.
pub(in crate::method) const TAU_SLACK: f32 = 1e-6;

impl FrameRay {
    pub(in crate::method) fn new(frame: &Frame, pose: &Pose, ray: &Ray) -> Self {
        // A direction of ordinary length, by a power of two that takes nothing away.
        let largest = ray.direction().abs().max_element();
        let exponent = ((largest.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000);
        let unit = f64::from_bits(((1023 + exponent) as u64) << 52);
        let direction = ray.direction() * unit.recip();

        let inverse = pose.rotation().inverse();
        let origin = inverse * (ray.origin() - pose.place(frame.center())) / frame.unit();
        let step = inverse * direction / frame.unit();
        let rounding = frame.rounding(pose) / frame.unit();
        let slack = 4.0 * rounding + 512.0 * f64::EPSILON * (origin.abs().max_element() + 2.0);
        let is_sound = slack < 0.25 && origin.is_finite() && step.is_finite();
        if !is_sound {
            return Self::Unknown;
        }

        // Where the ray enters and leaves the cube. A quotient that is not a number, from a ray within a side's
        // plane, is passed over by `max` and `min`.
        let inverse_step = step.recip();
        let (low, high) = ((-REACH - origin) * inverse_step, (REACH - origin) * inverse_step);
        let (enter, leave) = (low.min(high), low.max(high));
        let from = enter.x.max(enter.y).max(enter.z).max(0.0);
        let to = leave.x.min(leave.y).min(leave.z).min(ray.t_max() * unit);
        if from > to {
            return Self::Misses;
        }
        let length = to - from;
        let (start, way) = (origin + step * from, step * length);
        let along = step.normalize_or_zero();
        let is_sound = start.is_finite() && way.is_finite() && along != DVec3::ZERO;
        if !is_sound {
            return Self::Unknown;
        }
        Self::Within(FrameSegment { start, way, along, from, length, unit, slack })
    }
}

impl FrameSegment {
    /// A τ beyond which lie only faces with parameters above a given one, also as computed.
    ///
    /// Parameters are computed to a relative 1e-12, both the given one and those of other faces.
    pub(in crate::method) fn tau_of(&self, t: f64) -> f64 {
        let tau = (t * self.unit * (1.0 + 1e-11) - self.from) / self.length;
        // Not a number for a segment that is a point.
        if tau.is_nan() { f64::INFINITY } else { tau + 2.0 * f64::from(TAU_SLACK) }
    }
}

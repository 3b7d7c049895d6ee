//! A swept solid in the frame of a tree.

use crate::{Pose, solid::SweptSolid, volume::Frame};
use glam::Vec3;

/// A swept solid in the frame of a tree, in `f32`, with a slack for everything that is lost on the way.
pub(in crate::method) struct FrameSolid {
    pub(in crate::method) origin: Vec3,
    pub(in crate::method) axis: Vec3,
    pub(in crate::method) travel: Vec3,
    /// The discs as (height, radius, rounding), of which the first `len` count. The roundings include the margin.
    pub(in crate::method) discs: [[f32; 3]; 4],
    pub(in crate::method) len: usize,
    /// A gap along a unit vector, as computed in `f32`, proves that the bodies are apart if it is larger than this. Infinite
    /// if nothing can be proven.
    pub(in crate::method) slack: f32,
}

impl FrameSolid {
    /// Let S be a point of the solid, x a point of the mesh and X where rounding puts it: `X = R x + t + e`. The argument of
    /// [`FramePoint::new`](super::FramePoint) holds for every point of the solid: seen from the frame's centre, the solid is
    /// turned by R⁻¹, which changes no distance by more than 1.5e-6 of it. What is lost in computing, placing and narrowing to
    /// single precision is covered by the slack: 8e-6 of the largest coordinate that takes part.
    pub(in crate::method) fn new(frame: &Frame, pose: &Pose, solid: &SweptSolid) -> Self {
        let unit = frame.unit();
        let inverse = pose.rotation().inverse();
        let away = solid.origin() - pose.place(frame.center());
        let here = inverse * away / unit;
        let reach = solid.reach() / unit;
        let mut discs = [[0.0; 3]; 4];
        let given = solid.hull().discs();
        for (disc, given) in discs.iter_mut().zip(given) {
            let rounding = given.rounding + solid.margin();
            *disc = [given.height, given.radius, rounding].map(|value| (value / unit) as f32);
        }
        let far = here.abs().max_element() + reach + 2.0;
        let computing = 256.0 * f64::EPSILON * (away.abs().max_element() + solid.reach());
        let placing = 4.0 * frame.rounding(pose);
        let slack = (computing + placing) / unit + 8e-6 * far;
        // Single precision proves nothing about what is so far away, and may overflow.
        let slack = if far < 1e9 && slack.is_finite() { slack as f32 } else { f32::INFINITY };
        Self {
            origin: here.as_vec3(),
            axis: (inverse * solid.axis()).as_vec3(),
            travel: (inverse * solid.travel() / unit).as_vec3(),
            discs,
            len: given.len(),
            slack,
        }
    }

    /// The least and the largest height of a disc, without its rounding.
    #[inline(always)]
    pub(in crate::method) fn axis_heights(&self) -> [f32; 2] {
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for [height, _, _] in &self.discs[..self.len] {
            (low, high) = (low.min(*height), high.max(*height));
        }
        [low, high]
    }

    /// The extent of the solid along its axis, seen from its origin.
    #[inline(always)]
    pub(in crate::method) fn heights(&self) -> [f32; 2] {
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for [height, _, rounding] in &self.discs[..self.len] {
            (low, high) = (low.min(height - rounding), high.max(height + rounding));
        }
        let travel = self.axis.dot(self.travel);
        [low + travel.min(0.0), high + travel.max(0.0)]
    }
}

//! The faces of a mesh that a ray may meet.

use super::{
    Boxtree,
    grid::{LaneBox, STEPS},
};
use crate::method::{
    PointScratch,
    hierarchy::{FrameSegment, TAU_SLACK},
};
use glam::Vec4;

/// A segment in the coordinates of boxes, in `f32`.
struct GridSegment {
    start: Vec4,
    /// The inverse of the way along each axis.
    inverse_way: Vec4,
    /// By how much every side of a box is moved outward.
    slack: Vec4,
}

impl GridSegment {
    fn new(segment: &FrameSegment) -> Self {
        let in_steps = |v: glam::DVec3| (v * STEPS).as_vec3().extend(0.0);
        // A way of nearly zero along an axis is made this long: too short to matter, too long for its
        // inverse to overflow.
        let way = in_steps(segment.way);
        let way = way.abs().max(Vec4::splat(1e-20)).copysign(way);
        // See `enter`.
        let slack = Vec4::splat((segment.slack * STEPS * 1.000_001) as f32 + 8.0);
        Self { start: in_steps(segment.start), inverse_way: way.recip(), slack }
    }

    /// The τ at which the segment enters a box at the earliest; infinity if it does not meet the box
    /// at any τ up to `limit`.
    ///
    /// Along an axis, a common point has `min ≤ start + τ way ≤ max`, where the truth is off by the
    /// segment's slack. Corners are whole numbers up to 2²⁴. The start is narrowed to `f32`, which
    /// moves it by at most 1 step, as it is below 1.5 · 2²⁴; moving a corner by the slack rounds by at
    /// most 1 step, and the difference of both, below 2²⁶, by 2. Eight steps cover all of this, and
    /// the half step by which a slack of a quarter of the frame, 2²² steps, may be rounded. What is
    /// left is a quotient for each side: the way narrowed, its inverse and the product make three
    /// roundings, less than [`TAU_SLACK`] for τ up to 1.
    #[inline]
    fn enter(&self, bounds: LaneBox, limit: f64) -> f64 {
        let low = (bounds.min - self.slack - self.start) * self.inverse_way;
        let high = (bounds.max + self.slack - self.start) * self.inverse_way;
        let enter = low.min(high).truncate().max_element().max(0.0) - TAU_SLACK;
        let leave = low.max(high).truncate().min_element().min(1.0) + TAU_SLACK;
        let is_apart = enter > leave || f64::from(enter) > limit;
        if is_apart { f64::INFINITY } else { f64::from(enter) }
    }
}

impl Boxtree {
    /// Visits the faces that a segment may meet, the first along it first as far as boxes tell; see
    /// [`Prepared::faces_along_ray`](crate::method::Prepared::faces_along_ray).
    pub(super) fn along_segment(
        &self,
        segment: &FrameSegment,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let grid = GridSegment::new(segment);
        self.visit_by_bound(
            &mut scratch.boxes,
            |bounds, limit| grid.enter(bounds, limit),
            |face| match visit(face) {
                t if t < 0.0 => f64::NEG_INFINITY,
                t => segment.tau_of(t),
            },
        );
    }
}

//! The faces of a mesh that are close to a point.

use super::{Boxtree, grid::STEPS};
use crate::{
    Pose,
    method::{PointScratch, hierarchy::FramePoint},
};
use glam::{DVec3, Vec4};

impl Boxtree {
    /// Visits the faces that are close to a point, the closest first as far as boxes tell; see
    /// [`Prepared::faces_near_point`](crate::method::Prepared::faces_near_point).
    pub(super) fn near_point(
        &self,
        pose: &Pose,
        point: DVec3,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let point = FramePoint::new(&self.frame, pose, point);
        let place = (point.point * STEPS as f32).extend(0.0);
        // The distance of a box, in steps. The corners of boxes are exact. The point is off by half a
        // unit in the last place, 2^−24 of its coordinate, and its difference from a corner by as
        // much of the result. The square root of the sum of squares adds four roundings. Together
        // less than 1e-6 of the point's largest coordinate and 1, of which the slack has 4e-6. A
        // length that overflows proves nothing.
        let gap_of = |min: Vec4, max: Vec4| {
            (min - place).max(place - max).max(Vec4::ZERO).truncate().length()
        };
        self.visit_by_bound(
            &mut scratch.boxes,
            |bounds, _| point.distance(gap_of(bounds.min, bounds.max) / STEPS as f32),
            |face| match visit(face) {
                limit if limit < 0.0 => f64::NEG_INFINITY,
                limit => limit,
            },
        );
    }
}

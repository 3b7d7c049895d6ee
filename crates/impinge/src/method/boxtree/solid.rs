//! The faces of a mesh that a swept solid may touch.

use super::{Boxtree, grid::STEPS};
use crate::{
    Pose,
    method::{SolidScratch, SolidVisitor, hierarchy::SolidBox},
    solid::SweptSolid,
};
use glam::{DVec3, Vec4};

impl Boxtree {
    /// Visits the faces of all leaves whose boxes overlap the box of a solid, aligned to the frame; see
    /// [`Prepared::faces_near_solid`](crate::method::Prepared::faces_near_solid).
    pub(super) fn near_solid(
        &self,
        pose: &Pose,
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        let around = SolidBox::new(&self.frame, pose, solid);
        let [x, y, z] = DVec3::AXES.map(|axis| around.extent(axis));
        // Rounded outward to `f32`. The corners of boxes are exact.
        let side = |end: usize, outward: f64| {
            let corner = [x[end], y[end], z[end]].map(|value| {
                let value = value * STEPS;
                (value + outward * (1e-6 * value.abs() + 1e-30)) as f32
            });
            Vec4::new(corner[0], corner[1], corner[2], 0.0)
        };
        let (min, max) = (side(0, -1.0), side(1, 1.0));
        self.visit_by_bound(
            &mut scratch.boxes,
            |bounds, _| {
                // NaN proves nothing.
                let is_apart = bounds.min.cmpgt(max) | min.cmpgt(bounds.max);
                if is_apart.bitmask() & 0b111 != 0 { f64::INFINITY } else { 0.0 }
            },
            |face| if visit(face).is_break() { f64::NEG_INFINITY } else { f64::MAX },
        );
    }
}

//! Which points lie in the solid that a part encloses: exactly, by winding numbers (`narrow/winding.rs`).

use super::placed::Placed;
use crate::method::PointScratch;
use glam::DVec3;

/// Whether a point lies strictly inside a closed part: not on any of its faces.
pub(super) fn is_inside(part: Placed<'_>, point: DVec3, scratch: &mut PointScratch) -> bool {
    let (shape, pose) = part.body();
    part.bounds.contains(point)
        && shape.winding(pose, point, scratch).is_some_and(|winding| winding != 0)
}

//! Which points lie in the solid that a part encloses: exactly, by winding numbers (`narrow/winding.rs`).

use super::placed::Placed;
use crate::{method::PointScratch, narrow::winding_along_x};
use glam::DVec3;

/// Whether a point lies strictly inside a closed part: not on any of its faces.
pub(super) fn is_inside(part: Placed<'_>, point: DVec3, stack: &mut PointScratch) -> bool {
    if !part.bounds.contains(point) {
        return false;
    }
    let (shape, pose) = part.body();
    let distance = (part.bounds.max.x - point.x) * (1.0 + 1e-6);
    let (mut winding, mut is_on) = (0, false);
    shape.faces_along_x(pose, point, distance, stack, |face| {
        match winding_along_x(point, &part.triangle(face)) {
            Some(turns) => winding += turns,
            None => is_on = true,
        }
    });
    winding != 0 && !is_on
}

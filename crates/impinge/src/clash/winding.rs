//! Which points lie in the solid that a part encloses: exactly.
//!
//! A closed surface goes around a point a whole number of times, its winding number: 0 outside, 1
//! inside of a solid whose faces look outward, more where shells overlap, 0 again in a cavity. It
//! is found along a ray: every face that looks forward counts 1, every face that looks back −1.
//!
//! Rays go along x, and where they meet an edge or a corner, they are thought of as moved by ε along
//! y and ε² along z, with an ε that is smaller than any number: so no ray meets an edge, and every
//! face is either met or missed.

use super::placed::Placed;
use crate::{
    method::PointScratch,
    narrow::{Projection, Triangle, orient2d, orient3d},
};
use glam::{DVec2, DVec3};

/// Whether a point lies strictly inside a closed part.
pub(super) fn is_inside(part: Placed<'_>, point: DVec3, stack: &mut PointScratch) -> bool {
    if !part.bounds.contains(point) {
        return false;
    }
    let (shape, pose) = part.body();
    let distance = (part.bounds.max.x - point.x) * (1.0 + 1e-6);
    let (mut times, mut is_on) = (0, false);
    shape.faces_along_x(pose, point, distance, stack, |face| {
        match passes(point, &part.triangle(face)) {
            Some(sign) => times += sign,
            None => is_on = true,
        }
    });
    times != 0 && !is_on
}

/// Which way a triangle looks that the ray from a point along x passes through: 1 forward, −1 back,
/// 0 if it misses it; nothing if the point is on the triangle.
fn passes(point: DVec3, triangle: &Triangle) -> Option<i32> {
    let flat = |p: DVec3| Projection::AlongX.of(p);
    let [a, b, c] = triangle.map(flat);
    let here = flat(point);
    // Most are missed by far.
    let is_beside = here.cmplt(a.min(b).min(c)) | here.cmpgt(a.max(b).max(c));
    let is_behind = point.x > triangle[0].x.max(triangle[1].x).max(triangle[2].x);
    if is_beside.any() || is_behind {
        return Some(0);
    }
    let facing = orient2d(a, b, c);
    let is_met = facing != 0
        && [[a, b], [b, c], [c, a]].iter().all(|&[from, to]| side(from, to, here) == facing);
    if !is_met {
        return Some(0);
    }
    let [a, b, c] = *triangle;
    match orient3d(a, b, c, point) {
        0 => None,
        // With n the normal, the ray meets the plane at `−n·(p − a) / n.x` from the point on.
        height if height == -facing => Some(facing),
        _ => Some(0),
    }
}

/// On which side of a line a point is that is moved by ε along the first and ε² along the second axis.
fn side(from: DVec2, to: DVec2, point: DVec2) -> i32 {
    let sign = |value: f64| i32::from(value > 0.0) - i32::from(value < 0.0);
    match orient2d(from, to, point) {
        0 if to.y != from.y => -sign(to.y - from.y),
        0 => sign(to.x - from.x),
        side => side,
    }
}

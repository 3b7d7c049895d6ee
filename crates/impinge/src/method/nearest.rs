//! The least distance between two meshes: the closest pair of faces among those that a method offers.
//!
//! A method offers pairs of faces, the closest first if it can. [`NearestFaces`] keeps the best, and
//! tells how close a pair must be to be worth a look. [`triangles_distance`] has the last word on each
//! pair, so that all methods give the same answer here too.

use super::question::certainly;
use crate::{
    Bounds, FacePair,
    narrow::{Triangle, triangles_distance, triangles_intersect},
};
use glam::DVec3;

/// The least distance between two placed meshes, and where it is attained.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshDistance {
    /// The least distance; 0 exactly if the meshes touch.
    pub distance: f64,
    /// A point of the first mesh, in world coordinates and rounded, that is as close to the second.
    pub a: DVec3,
    /// A point of the second mesh, in world coordinates and rounded, that is as close to the first.
    pub b: DVec3,
    /// The faces on which they lie; of several that are as close, the first.
    pub faces: FacePair,
}

/// The closest pair of faces found so far.
#[derive(Debug)]
pub struct NearestFaces {
    best: Option<MeshDistance>,
    /// By how much closer, relatively, a pair must be to replace the best.
    margin: f64,
    /// Pairs that are certainly farther apart than this can be left out, by now.
    enough: f64,
}

impl Default for NearestFaces {
    fn default() -> Self {
        Self::within(f64::INFINITY)
    }
}

/// Plane faces that lie opposite each other come in hundreds of pairs that are all equally close: where
/// only the distance matters, a pair must be closer by this much, relatively, to be measured.
const MARGIN: f64 = 1e-9;

impl NearestFaces {
    /// For the closest of all pairs that are within a limit of each other.
    pub(crate) fn within(limit: f64) -> Self {
        Self { best: None, margin: 0.0, enough: certainly(limit) }
    }

    /// The same for callers that need the distance to within a relative 1e-9 only: much faster for faces
    /// that are parallel.
    pub(crate) fn roughly_within(limit: f64) -> Self {
        Self { margin: MARGIN, ..Self::within(limit) }
    }

    /// The closest pair found.
    pub(crate) fn best(&self) -> Option<MeshDistance> {
        self.best
    }

    /// Whether pairs of faces with this lower bound of their distance can be left out.
    #[inline]
    pub fn can_skip(&self, bound: f64) -> bool {
        bound > self.enough
    }

    fn take(&mut self, best: MeshDistance) {
        let closer = match self.margin {
            0.0 => certainly(best.distance),
            margin => best.distance * (1.0 - margin),
        };
        self.enough = closer.min(self.enough);
        self.best = Some(best);
    }

    /// Takes a pair of placed faces.
    pub fn offer(&mut self, faces: FacePair, a: &Triangle, b: &Triangle) {
        if self.can_skip(gap(&Bounds::enclosing(*a), &Bounds::enclosing(*b)))
            || self.can_skip(gap_along_likely(a, b))
        {
            return;
        }
        let Some(best) = self.best else {
            return self.take(MeshDistance::of(faces, a, b));
        };
        // The way between the closest points so far: close faces lie mostly in the same direction.
        if self.can_skip(gap_along(best.b - best.a, a, b)) {
            return;
        }
        // Nothing is closer than what touches, and touching is quicker to decide.
        let is_later = best.faces < faces;
        if best.distance == 0.0 && (is_later || !triangles_intersect(a, b)) {
            return;
        }
        let found = MeshDistance::of(faces, a, b);
        let is_as_close = found.distance == best.distance;
        if found.distance < best.distance || (is_as_close && !is_later) {
            self.take(found);
        }
    }
}

impl MeshDistance {
    fn of(faces: FacePair, a: &Triangle, b: &Triangle) -> Self {
        let closest = triangles_distance(a, b);
        Self { distance: closest.distance, a: closest.a, b: closest.b, faces }
    }
}

/// How far apart two triangles are at least, seen along the way from one middle to the other.
pub(super) fn gap_along_likely(a: &Triangle, b: &Triangle) -> f64 {
    let three_times_middle = |t: &Triangle| t[0] + t[1] + t[2];
    gap_along(three_times_middle(b) - three_times_middle(a), a, b)
}

/// How far apart two boxes are at least.
pub(super) fn gap(a: &Bounds, b: &Bounds) -> f64 {
    // Halved, so that no difference of finite numbers overflows.
    let along = (a.min * 0.5 - b.max * 0.5).max(b.min * 0.5 - a.max * 0.5).max(DVec3::ZERO);
    let length_sq = along.length_squared();
    // Squares overflow, or lose their last digits, where lengths do not: then the longest will do.
    let is_sound = (1e-280..1e300).contains(&length_sq);
    let length = if is_sound { length_sq.sqrt() } else { along.max_element() };
    length * (2.0 - 1e-12)
}

/// How far apart two triangles are at least, seen along a direction of any length.
fn gap_along(way: DVec3, a: &Triangle, b: &Triangle) -> f64 {
    let length_sq = way.length_squared();
    // Beyond these limits a square overflows or loses digits. A way of zero is no direction.
    if !(1e-280..1e280).contains(&length_sq) {
        return 0.0;
    }
    let [a1, a2, b0, b1, b2] = [a[1], a[2], b[0], b[1], b[2]].map(|corner| corner - a[0]);
    let along = |corner: DVec3| way.dot(corner);
    let near = along(b0).min(along(b1)).min(along(b2));
    let far = along(a1).max(along(a2)).max(0.0);
    // A product with the way may lose a few denormal steps to underflow, much less than the least
    // normal number. Other than that a difference, a product with the way and a division by its length
    // are off by a few roundings of the size of the difference.
    let size = [a1, a2, b0, b1, b2].iter().fold(DVec3::ZERO, |m, corner| m.max(corner.abs()));
    let gap = (near - far - f64::MIN_POSITIVE) / length_sq.sqrt()
        - 32.0 * f64::EPSILON * size.element_sum();
    // Not finite where a difference or a product overflowed: that says nothing.
    if gap.is_finite() { gap } else { 0.0 }
}

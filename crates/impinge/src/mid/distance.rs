//! Distances between meshes, and which faces can be left out on the way to the least.
//!
//! A method proposes pairs of faces, the closest first if it can; [`Least`] takes them, and tells how
//! close a pair must be to be of interest still. The last word on each pair has
//! [`triangles_distance`], so that all methods give the same answer here too.

use super::{FacePair, question::certainly};
pub use crate::tolerance::ToleranceError;
use crate::{
    Bounds, Tolerance,
    narrow::{Triangle, triangles_distance, triangles_intersect},
};
use glam::DVec3;

/// The least distance between two placed meshes, and where it is attained.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Checks a tolerance: from 0 up, infinity included.
pub(crate) fn checked(tolerance: f64) -> Result<f64, ToleranceError> {
    Tolerance::new(tolerance).map(Tolerance::get)
}

/// The closest faces found so far.
pub(super) struct Least {
    pub(super) best: Option<MeshDistance>,
    /// What is certainly farther apart than this is of no interest, and nor is what is hardly closer than
    /// the closest so far; if there is none, all that might be closer is.
    limit: Option<f64>,
    /// What is certainly farther apart than this can be left out, by now.
    enough: f64,
}

impl Default for Least {
    fn default() -> Self {
        Self { best: None, limit: None, enough: f64::INFINITY }
    }
}

/// How much closer faces must be, relatively, to be of interest where hardly closer ones are not. Plane
/// faces that lie opposite each other come in hundreds of pairs that are all as close.
const HARDLY: f64 = 1e-9;

impl Least {
    /// What is farther apart than a limit may be left out, and so may what is hardly closer than the
    /// closest so far: what is found is within a relative 1e-9 of the least.
    pub(super) fn within(limit: f64) -> Self {
        Self { best: None, limit: Some(limit), enough: certainly(limit) }
    }

    /// Whether faces that are certainly no closer than `bound` can be left out.
    #[inline]
    pub(super) fn can_skip(&self, bound: f64) -> bool {
        bound > self.enough
    }

    fn take(&mut self, best: MeshDistance) {
        self.enough = match self.limit {
            None => certainly(best.distance),
            Some(limit) => (best.distance * (1.0 - HARDLY)).min(limit),
        };
        self.best = Some(best);
    }

    /// Takes a pair of placed faces.
    pub(super) fn offer(&mut self, faces: FacePair, a: &Triangle, b: &Triangle) {
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
    let middle = |t: &Triangle| t[0] / 3.0 + t[1] / 3.0 + t[2] / 3.0;
    gap_along(middle(b) - middle(a), a, b)
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
    let unit = way.normalize_or_zero();
    let [a1, a2, b0, b1, b2] = [a[1], a[2], b[0], b[1], b[2]].map(|corner| corner - a[0]);
    let along = |corner: DVec3| unit.dot(corner);
    let near = along(b0).min(along(b1)).min(along(b2));
    let far = along(a1).max(along(a2)).max(0.0);
    // A difference and a product with a unit vector are off by a few roundings of their size.
    let size = [a1, a2, b0, b1, b2].iter().fold(DVec3::ZERO, |m, corner| m.max(corner.abs()));
    let gap = near - far - 32.0 * f64::EPSILON * size.element_sum();
    // A short way is made to a unit poorly, because its square loses digits, and a way of zero not
    // at all.
    let gap = gap / unit.length();
    // Not finite, too, where a difference overflowed: that says nothing.
    if gap.is_finite() { gap } else { 0.0 }
}

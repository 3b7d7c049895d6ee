//! Whether two convex hulls meet, or come within a distance of each other.

use super::{Hull, HullKind};
use crate::{
    Bounds,
    narrow::{Triangle, orient3d, triangles_intersect, triangles_within},
};
use glam::DVec3;

impl Hull {
    /// Returns whether a point lies in the closed hull. Exact.
    ///
    /// ```
    /// use impinge::{convex::Hull, glam::DVec3};
    ///
    /// let hull = Hull::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert!(hull.contains(DVec3::splat(0.25)) && hull.contains(DVec3::X));
    /// assert!(!hull.contains(DVec3::splat(0.5)));
    /// # Ok::<(), impinge::convex::HullError>(())
    /// ```
    pub fn contains(&self, point: DVec3) -> bool {
        if self.shape() != HullKind::Polytope {
            return self.surface().any(|triangle| triangles_intersect(&triangle, &[point; 3]));
        }
        let at = |corner: u32| self.positions()[corner as usize];
        self.facets().all(|facet| {
            let [a, b, c] = [facet[0], facet[1], facet[2]].map(at);
            orient3d(a, b, c, point) <= 0
        })
    }

    /// Returns whether two closed hulls share a point. Exact: touching counts, and so does a hull wholly inside the other.
    ///
    /// Compares each facet of one with each of the other, so it is meant for hulls of few points.
    ///
    /// ```
    /// use impinge::{convex::Hull, glam::DVec3};
    ///
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let hull = Hull::new(&corners)?;
    /// let inside = Hull::new(&corners.map(|corner| DVec3::splat(0.1) + corner * 0.1))?;
    /// let beyond = Hull::new(&corners.map(|corner| DVec3::splat(0.5) + corner))?;
    /// assert!(hull.intersects(&inside) && !hull.intersects(&beyond));
    /// # Ok::<(), impinge::convex::HullError>(())
    /// ```
    pub fn intersects(&self, other: &Self) -> bool {
        self.is_within(other, 0.0)
    }

    /// Returns whether the distance between two closed hulls is at most `distance`.
    ///
    /// For 0 this is [`intersects`](Self::intersects), exactly. Otherwise the answer is right unless the true distance is
    /// within a relative 1e-12 of `distance`. For a negative distance, and for NaN, it is `false`.
    pub fn is_within(&self, other: &Self, distance: f64) -> bool {
        let is_valid = distance >= 0.0;
        if !is_valid || !self.bounds().grown(distance).overlaps(&other.bounds()) {
            return false;
        }
        // A hull that does not meet the surface of the other is wholly inside or wholly outside: any corner tells.
        let has_corner = |hull: &Self, other: &Self| {
            hull.shape() == HullKind::Polytope
                && other.positions().first().is_some_and(|&corner| hull.contains(corner))
        };
        has_corner(self, other)
            || has_corner(other, self)
            || self.surface().any(|a| {
                let near = Bounds::enclosing(a).grown(distance);
                other.surface().any(|b| {
                    near.overlaps(&Bounds::enclosing(b)) && triangles_within(&a, &b, distance)
                })
            })
    }

    fn bounds(&self) -> Bounds {
        Bounds::enclosing(self.positions().iter().copied())
    }

    /// Triangles that cover the facets of a polytope, or the whole of a flat hull. Those of a segment or a point are
    /// degenerate.
    fn surface(&self) -> impl Iterator<Item = Triangle> {
        let at = |corner: u32| self.positions()[corner as usize];
        let whole = match self.shape() {
            HullKind::Polytope => 0,
            _ => self.positions().len(),
        };
        let facets = self.facets().flat_map(move |facet| fan(facet.len(), move |i| at(facet[i])));
        fan(whole, |i| self.positions()[i]).chain(facets)
    }
}

/// Triangles that cover a convex polygon of `count` corners, in order around it. One or two corners have a degenerate
/// triangle.
fn fan(count: usize, at: impl Fn(usize) -> DVec3) -> impl Iterator<Item = Triangle> {
    let last = count.saturating_sub(1);
    let triangles = if count == 0 { 0 } else { count.saturating_sub(2).max(1) };
    (1..=triangles).map(move |i| [0, i.min(last), (i + 1).min(last)].map(&at))
}

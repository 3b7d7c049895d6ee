//! A plane between two hulls, kept from step to step.

use super::{
    Gjk,
    placed_pair::{PlacedPair, PlacedPolytope, by_spheres},
};
use glam::DVec3;

/// A plane between two hulls, kept from query to query (Smith and Kitamura 1994, section 3.4.3, after Baraff 1990).
///
/// If the plane of the last query still separates the bodies, they are apart, and nothing else is computed. Otherwise the
/// closest points of the hulls, by [`Gjk`], define a new plane, at right angles to their connection. If there is no such
/// plane, the hulls overlap.
///
/// ```
/// use impinge::{Pose, convex::{Polytope, SeparatingPlane}, generate, glam::DVec3};
///
/// let ball = Polytope::new(generate::sphere(528)?.positions())?;
/// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
/// let mut plane = SeparatingPlane::new();
/// assert!(plane.separates((&ball, &Pose::IDENTITY), (&ball, &at(2.5)?)));
/// assert!(plane.separates((&ball, &Pose::IDENTITY), (&ball, &at(2.4)?)) && plane.was_kept());
/// assert!(!plane.separates((&ball, &Pose::IDENTITY), (&ball, &at(1.9)?)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SeparatingPlane {
    /// The normal, from the first body to the second; zero if there is none yet. In the world.
    normal: DVec3,
    /// The vertices of both hulls that were nearest to the plane.
    vertices: [u32; 2],
    gjk: Gjk,
    was_kept: bool,
}

impl SeparatingPlane {
    /// No plane yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is a plane between two hulls. `true` is proven; `false` means that the hulls overlap, touch, or are
    /// closer than roundings: some 1e-14 of their sizes.
    pub fn separates(&mut self, a: PlacedPolytope<'_>, b: PlacedPolytope<'_>) -> bool {
        self.is_beyond(a, b, 0.0)
    }

    /// Whether two hulls are proven to be farther apart than a distance.
    pub(crate) fn is_beyond(
        &mut self,
        a: PlacedPolytope<'_>,
        b: PlacedPolytope<'_>,
        distance: f64,
    ) -> bool {
        self.was_kept = false;
        let Some(pair) = PlacedPair::new(a, b) else { return by_spheres(a, b).lower > distance };
        if self.gap(&pair) > distance {
            self.was_kept = true;
            return true;
        }
        let found = self.gjk.search(&pair);
        if found.lower > distance {
            self.normal = found.points[1] - found.points[0];
            return true;
        }
        false
    }

    /// Whether the last answer came from the plane of an earlier query.
    pub fn was_kept(&self) -> bool {
        self.was_kept
    }

    /// A lower bound of the distance along the normal of the plane.
    fn gap(&mut self, pair: &PlacedPair<'_>) -> f64 {
        let length = self.normal.length();
        let is_usable = length > 1e-150 && length < 1e150;
        if !is_usable {
            return f64::NEG_INFINITY;
        }
        let normal = self.normal / length;
        let [along_a, along_b] = pair.directions_to_bodies(normal);
        let [v, w] = self.vertices;
        let v = if (v as usize) < pair.a.hull().vertices().len() { v } else { 0 };
        let w = if (w as usize) < pair.b.hull().vertices().len() { w } else { 0 };
        self.vertices = [pair.a.furthest(v, along_a), pair.b.furthest(w, -along_b)];
        pair.world_length(normal.dot(pair.difference(self.vertices)) - pair.slack)
    }
}

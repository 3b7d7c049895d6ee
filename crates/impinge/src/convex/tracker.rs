//! The closest features of two hulls, followed from step to step.

use super::{
    Feature, Gjk, HullDistance,
    feature_distance::Closest,
    normal_cone::{Cone, Location},
    placed_pair::{PlacedPair, PlacedPolytope, by_spheres},
};
use glam::DVec3;

/// Follows the closest features of two hulls from query to query (Lin and Canny 1991; Mirtich 1998).
///
/// A query begins with the features of the last one. If a closest point lies outside the other feature's Voronoi region, the
/// search steps to the neighbour across the violated plane. The distance decreases with every step, so that no pair of
/// features comes twice, on degenerate hulls neither. Bodies that move little need no step or a few, however many faces their
/// hulls have.
///
/// The result is then proven, by a direction along which the bodies are apart and an upper bound on each body's extent along
/// it. Where that fails, [`Gjk`] takes over: after many steps, for rotations that are orthonormal only to 1e-6,
/// and where rounding hides the way.
///
/// A tracker serves any hulls: what it remembers decides where it begins, and never changes an answer by more than the
/// roundings that [`HullDistance::lower`] allows for.
///
/// ```
/// use impinge::{Pose, convex::{Feature, Polytope, Tracker}, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
/// let cube = Polytope::new(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let mut tracker = Tracker::new();
/// for step in 0..10 {
///     let above = Pose::from_translation(DVec3::new(0.3, 0.2, 2.0 - 0.1 * f64::from(step)))?;
///     let found = tracker.distance((&cube, &Pose::IDENTITY), (&cube, &above));
///     assert!((found.distance - (1.0 - 0.1 * f64::from(step))).abs() < 1e-12);
///     assert!(found.is_apart() && tracker.steps() <= 3);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracker {
    features: Option<[Feature; 2]>,
    /// From the first hull to the second when last found apart, in the world.
    direction: DVec3,
    gjk: Gjk,
    steps: u32,
    gjk_steps: u32,
}

/// The most pairs of features that a search visits before GJK takes over.
const MOST_STEPS: u32 = 16;
/// After so many steps, a search looks at the vertices that face each other along the last direction.
const STEPS_BEFORE_JUMP: u32 = 2;
/// The most times that a search leaves the inside of a body.
const MOST_ESCAPES: u32 = 3;
/// A gap between upper and lower bound of this many slacks is accepted.
const ACCEPTED: f64 = 4.0;

impl Tracker {
    /// A tracker that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The distance of two hulls; infinite if one is empty.
    pub fn distance(&mut self, a: PlacedPolytope<'_>, b: PlacedPolytope<'_>) -> HullDistance {
        (self.steps, self.gjk_steps) = (0, 0);
        let Some(pair) = PlacedPair::new(a, b) else { return by_spheres(a, b) };
        let found = if pair.is_rigid { self.track(&pair) } else { None };
        let found = found.unwrap_or_else(|| {
            if let Some(features) = self.features {
                self.gjk.start_at(&pair, features);
            }
            let found = self.gjk.search(&pair);
            self.gjk_steps = self.gjk.steps();
            found
        });
        self.features = Some(found.features);
        if found.distance > 0.0 {
            self.direction = found.points[1] - found.points[0];
        }
        found
    }

    /// How many pairs of features the last query visited.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// How many steps of [`Gjk`] the last query took; 0 if it needed none.
    pub fn gjk_steps(&self) -> u32 {
        self.gjk_steps
    }

    /// The closest features, if they can be found and proven by steps from neighbour to neighbour.
    #[inline]
    fn track(&mut self, pair: &PlacedPair<'_>) -> Option<HullDistance> {
        let known = self.features.filter(|&[f, g]| pair.a.has(f) && pair.b.has(g));
        let mut closest = pair.closest(known.unwrap_or_else(|| facing_vertices(pair, pair.offset)));
        let mut escapes = 0;
        while self.steps < MOST_STEPS {
            self.steps += 1;
            if self.steps == STEPS_BEFORE_JUMP {
                // A body that has turned far has other features there, but mostly still faces the same way.
                let [along, _] = pair.directions_to_bodies(self.direction);
                let facing = pair.closest(facing_vertices(pair, along));
                if facing.distance_sq < closest.distance_sq {
                    closest = facing;
                }
            }
            self.features = Some(closest.features);
            if closest.distance_sq <= pair.slack * pair.slack {
                return Some(overlap(pair, &closest));
            }
            let [f, g] = closest.features;
            let along = closest.points[1] - closest.points[0];
            let against_b = -pair.direction_to_b(along);
            let cone_a = pair.a.cone(f, along);
            let (next, is_escape) = match cone_a {
                Cone::Beyond(feature) => ([feature, g], false),
                Cone::Behind(facet) => match pair.a.locate(closest.points[1], facet) {
                    Location::Inside => return Some(overlap(pair, &closest)),
                    Location::Above(facet) => ([Feature::Facet(facet), g], true),
                    Location::Unknown => return None,
                },
                Cone::Inside { rise: rise_a } => match pair.b.cone(g, against_b) {
                    Cone::Beyond(feature) => ([f, feature], false),
                    Cone::Behind(facet) => {
                        match pair.b.locate(pair.to_b(closest.points[0]), facet) {
                            Location::Inside => return Some(overlap(pair, &closest)),
                            Location::Above(facet) => ([f, Feature::Facet(facet)], true),
                            Location::Unknown => return None,
                        }
                    }
                    Cone::Inside { rise: rise_b } => {
                        let distance = closest.distance_sq.sqrt();
                        let heights = [
                            pair.a.height_bound(f, along, distance, rise_a),
                            pair.b.height_bound(g, against_b, pair.length_in_b(distance), rise_b),
                        ];
                        return proven(pair, &closest, distance, heights);
                    }
                },
            };
            let found = pair.closest(next);
            if is_escape && escapes < MOST_ESCAPES {
                // Outside again: distances before this were of another kind.
                escapes += 1;
            } else if found.distance_sq >= closest.distance_sq {
                return proven_exactly(pair, &closest);
            }
            closest = found;
        }
        None
    }
}

/// The vertices of both hulls that are furthest towards the other along a direction from the first to the second.
#[inline(never)]
fn facing_vertices(pair: &PlacedPair<'_>, along: DVec3) -> [Feature; 2] {
    let (a, b) = (pair.a, pair.b);
    let against_b = -pair.direction_to_b(along);
    [a.climb(a.start(along), along), b.climb(b.start(against_b), against_b)].map(Feature::Vertex)
}

#[cold]
fn overlap(pair: &PlacedPair<'_>, closest: &Closest) -> HullDistance {
    let point = (closest.points[0] + closest.points[1]) * 0.5;
    pair.body_result([point; 2], [0.0, -pair.slack], closest.features)
}

/// The result, if upper bounds on the extents of both bodies along the connecting direction prove it.
#[inline]
fn proven(
    pair: &PlacedPair<'_>,
    closest: &Closest,
    distance: f64,
    [height_a, height_b]: [f64; 2],
) -> Option<HullDistance> {
    let along = closest.points[1] - closest.points[0];
    let gap = along.dot(pair.offset) - height_a - height_b;
    let lower = gap / distance - pair.slack;
    if distance - lower <= ACCEPTED * pair.slack {
        return Some(pair.body_result(closest.points, [distance, lower], closest.features));
    }
    proven_exactly(pair, closest)
}

/// The same, with exact extents.
#[cold]
fn proven_exactly(pair: &PlacedPair<'_>, closest: &Closest) -> Option<HullDistance> {
    let distance = closest.distance_sq.sqrt();
    let along = closest.points[1] - closest.points[0];
    let against_b = -pair.direction_to_b(along);
    let start = |polytope: &super::Polytope, feature: Feature| {
        polytope.vertices_of(feature).next().unwrap_or(0)
    };
    let height_a = pair.a.exact_height(start(pair.a, closest.features[0]), along);
    let height_b = pair.b.exact_height(start(pair.b, closest.features[1]), against_b);
    let gap = along.dot(pair.offset) - height_a - height_b;
    let lower = gap / distance - pair.slack;
    let is_proven = distance - lower <= ACCEPTED * pair.slack;
    is_proven.then(|| pair.body_result(closest.points, [distance, lower], closest.features))
}

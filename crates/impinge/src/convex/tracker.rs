//! The closest features of two hulls, followed from step to step.

use super::{
    Feature, Gjk, HullDistance, Polytope,
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
const MOST_STEPS: u32 = 12;
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
        let found = self.track(&pair).unwrap_or_else(|| {
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
    #[inline(always)]
    fn track(&mut self, pair: &PlacedPair<'_>) -> Option<HullDistance> {
        let known = self.features.filter(|&[f, g]| pair.a.has(f) && pair.b.has(g));
        let mut features = known.unwrap_or_else(|| facing_vertices(pair, pair.offset));
        let mut is_rigid = false;
        let mut escapes = 0;
        let mut last_sq = f64::INFINITY;
        let mut last = None;
        loop {
            if !is_rigid && matches!(features, [Feature::Facet(_), _] | [_, Feature::Facet(_)]) {
                is_rigid = pair.is_rigid();
                if !is_rigid {
                    return None;
                }
            }
            let mut closest = pair.closest(features);
            if closest.distance_sq >= last_sq {
                return last.and_then(|last| proven_exactly(pair, &last));
            }
            if self.steps == MOST_STEPS {
                self.features = Some(closest.features);
                return None;
            }
            self.steps += 1;
            if self.steps == STEPS_BEFORE_JUMP {
                // A body that has turned far has other features there, but mostly still faces the same way; and a body
                // that was carried around the other one mostly has its center in that direction.
                closest = jumped(pair, [self.direction, pair.offset], closest);
            }
            if closest.distance_sq <= pair.slack * pair.slack {
                return Some(overlap(pair, &closest));
            }
            let [f, g] = closest.features;
            let along = closest.points[1] - closest.points[0];
            let [along_a, along_b] = pair.directions_to_bodies(along);
            let escape;
            (features, escape) = match pair.a.cone(f, along_a) {
                Cone::Beyond(feature) => ([feature, g], false),
                Cone::Behind(facet) => match pair.a.locate(pair.to_a(closest.points[1]), facet) {
                    Location::Inside => return Some(overlap(pair, &closest)),
                    Location::Above(facet) => ([Feature::Facet(facet), g], true),
                    Location::Unknown => return None,
                },
                Cone::Inside { rise: rise_a } => match pair.b.cone(g, -along_b) {
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
                            pair.a.height_bound(f, along_a, distance, rise_a),
                            pair.b.height_bound(g, -along_b, distance, rise_b),
                        ];
                        let lower = pair.gap(along, heights) / distance - pair.slack;
                        if distance - lower <= ACCEPTED * pair.slack {
                            return Some(pair.result(
                                closest.points,
                                [distance, lower],
                                closest.features,
                            ));
                        }
                        return proven_exactly(pair, &closest);
                    }
                },
            };
            if escape {
                escapes += 1;
                if escapes > MOST_ESCAPES {
                    return None;
                }
                // Outside again: distances before this were of another kind.
                (last_sq, last) = (f64::INFINITY, None);
            } else {
                (last_sq, last) = (closest.distance_sq, Some(closest));
            }
        }
    }
}

/// The vertices that face each other along one of two directions, if they are closer.
#[inline(never)]
fn jumped(pair: &PlacedPair<'_>, directions: [DVec3; 2], from: Closest) -> Closest {
    let facing = directions.map(|along| pair.closest(facing_vertices(pair, along)));
    let nearer = |p: Closest, q: Closest| if q.distance_sq < p.distance_sq { q } else { p };
    facing.into_iter().fold(from, nearer)
}

/// The vertices of both hulls that are furthest towards the other along a direction from the first to the second.
#[inline(never)]
fn facing_vertices(pair: &PlacedPair<'_>, along: DVec3) -> [Feature; 2] {
    let [along_a, along_b] = pair.directions_to_bodies(along);
    let (a, b, against_b) = (pair.a, pair.b, -along_b);
    let start = |polytope: &Polytope, direction: DVec3| {
        Feature::Vertex(polytope.climb(polytope.start(direction), direction))
    };
    [start(a, along_a), start(b, against_b)]
}

#[cold]
fn overlap(pair: &PlacedPair<'_>, closest: &Closest) -> HullDistance {
    let point = (closest.points[0] + closest.points[1]) * 0.5;
    pair.result([point; 2], [0.0, -pair.slack], closest.features)
}

/// The result, if the exact extents of both bodies along the connecting direction prove it.
#[cold]
fn proven_exactly(pair: &PlacedPair<'_>, closest: &Closest) -> Option<HullDistance> {
    let distance = closest.distance_sq.sqrt();
    let along = closest.points[1] - closest.points[0];
    let [along_a, along_b] = pair.directions_to_bodies(along);
    let height = |polytope: &Polytope, feature: Feature, direction: DVec3| {
        let start = polytope.vertices_of(feature).next().unwrap_or(0);
        polytope.exact_height(start, direction)
    };
    let [f, g] = closest.features;
    let heights = [height(pair.a, f, along_a), height(pair.b, g, -along_b)];
    let lower = pair.gap(along, heights) / distance - pair.slack;
    let is_proven = distance - lower <= ACCEPTED * pair.slack;
    is_proven.then(|| pair.result(closest.points, [distance, lower], closest.features))
}

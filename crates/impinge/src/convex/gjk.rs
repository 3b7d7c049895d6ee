//! The distance of two hulls by the algorithm of Gilbert, Johnson and Keerthi (1988), with a warm start.

use super::{
    Feature, HullDistance, Polytope,
    placed_pair::{PlacedPair, PlacedPolytope, by_spheres},
    simplex::nearest_to_origin,
};
use glam::DVec3;

/// The distance of two hulls by GJK, starting where the last query ended.
///
/// It looks for the point closest to the origin in the set of all differences of points of the two bodies, by simplices of up to
/// four such differences. Each step adds the difference that is furthest towards the origin, which hill climbing finds on
/// both hulls. The steps end when that leads no further. The bounds are proven as those of a
/// [`Tracker`](super::Tracker) are.
///
/// ```
/// use impinge::{Pose, convex::{Gjk, Polytope}, generate, glam::DVec3};
///
/// let ball = Polytope::new(generate::sphere(960)?.positions())?;
/// let beside = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
/// let found = Gjk::new().distance((&ball, &Pose::IDENTITY), (&ball, &beside));
/// assert!(found.lower <= found.distance && found.distance - found.lower < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Gjk {
    simplex: Simplex,
    steps: u32,
}

/// Up to four pairs of vertices.
#[derive(Clone, Copy, Debug, Default)]
struct Simplex {
    vertices: [[u32; 2]; 4],
    len: usize,
}

/// The most steps. On hulls, GJK ends after finitely many; a few dozen at most are seen.
const MOST_STEPS: u32 = 128;

/// A gap between upper and lower bound of this many slacks is accepted.
const ACCEPTED: f64 = 2.0;

impl Simplex {
    fn pairs(&self) -> &[[u32; 2]] {
        &self.vertices[..self.len]
    }

    fn push(&mut self, pair: [u32; 2]) {
        self.vertices[self.len] = pair;
        self.len += 1;
    }

    /// Keeps the pairs with a weight.
    fn keep(&mut self, weights: &mut [f64; 4]) {
        let mut len = 0;
        for i in 0..self.len {
            if weights[i] > 0.0 {
                (self.vertices[len], weights[len]) = (self.vertices[i], weights[i]);
                len += 1;
            }
        }
        weights[len..].fill(0.0);
        self.len = len;
    }
}

impl Gjk {
    /// A search that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The distance of two hulls; infinite if one is empty.
    pub fn distance(&mut self, a: PlacedPolytope<'_>, b: PlacedPolytope<'_>) -> HullDistance {
        match PlacedPair::new(a, b) {
            Some(pair) => self.search(&pair),
            None => by_spheres(a, b),
        }
    }

    /// How many simplices the last query looked at.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Makes the next search begin at vertices of these features.
    pub(super) fn start_at(&mut self, pair: &PlacedPair<'_>, [f, g]: [Feature; 2]) {
        let first = |polytope: &Polytope, feature: Feature| match polytope.has(feature) {
            true => polytope.vertices_of(feature).next().unwrap_or(0),
            false => 0,
        };
        self.simplex = Simplex::default();
        self.simplex.push([first(pair.a, f), first(pair.b, g)]);
    }

    pub(super) fn search(&mut self, pair: &PlacedPair<'_>) -> HullDistance {
        self.steps = 0;
        self.begin(pair);
        let mut lower = f64::NEG_INFINITY;
        let mut last_sq = f64::INFINITY;
        loop {
            self.steps += 1;
            let mut differences = [DVec3::ZERO; 4];
            for (difference, vertices) in differences.iter_mut().zip(self.simplex.pairs()) {
                *difference = pair.difference(*vertices);
            }
            let mut nearest = nearest_to_origin(&differences[..self.simplex.len]);
            let simplex = self.simplex;
            self.simplex.keep(&mut nearest.weights);
            let distance_sq = nearest.point.length_squared();
            if self.simplex.len == 4 || distance_sq <= pair.slack * pair.slack {
                return self.result(pair, nearest.weights, [0.0, -pair.slack]);
            }
            let distance = distance_sq.sqrt();
            let along = nearest.point;
            let [from_a, from_b] = self.simplex.vertices[0];
            let [along_a, along_b] = pair.directions_to_bodies(along);
            let directions = [along_a, -along_b];
            let is_stuck = distance_sq >= last_sq || self.steps >= MOST_STEPS;
            let mut furthest = [
                pair.a.climb(nearer_start(pair.a, from_a, directions[0]), directions[0]),
                pair.b.climb(nearer_start(pair.b, from_b, directions[1]), directions[1]),
            ];
            let mut gap = distance_sq - along.dot(pair.difference(furthest));
            // The bound counts only if no corner is further, exactly.
            if is_stuck
                || gap <= ACCEPTED * pair.slack * distance
                || simplex.pairs().contains(&furthest)
            {
                furthest = [
                    pair.a.furthest(furthest[0], directions[0]),
                    pair.b.furthest(furthest[1], directions[1]),
                ];
                let projected = along.dot(pair.difference(furthest));
                gap = distance_sq - projected;
                lower = f64::max(lower, projected / distance - pair.slack);
                if is_stuck
                    || gap <= ACCEPTED * pair.slack * distance
                    || simplex.pairs().contains(&furthest)
                {
                    return self.result(pair, nearest.weights, [distance, lower]);
                }
            }
            last_sq = distance_sq;
            self.simplex.push(furthest);
        }
    }

    /// Drops what does not fit these hulls.
    fn begin(&mut self, pair: &PlacedPair<'_>) {
        let fits =
            |[v, w]: [u32; 2]| pair.a.has(Feature::Vertex(v)) && pair.b.has(Feature::Vertex(w));
        if self.simplex.len == 0 || !self.simplex.pairs().iter().all(|&vertices| fits(vertices)) {
            self.simplex = Simplex::default();
            let [to_b, from_a] = pair.directions_to_bodies(pair.offset);
            let (a, b, to_a) = (pair.a, pair.b, -from_a);
            self.simplex.push([a.climb(a.start(to_b), to_b), b.climb(b.start(to_a), to_a)]);
        }
    }

    fn result(&self, pair: &PlacedPair<'_>, weights: [f64; 4], bounds: [f64; 2]) -> HullDistance {
        let mut points = [DVec3::ZERO; 2];
        for (&[v, w], weight) in self.simplex.pairs().iter().zip(weights) {
            points[0] += pair.corner_a(v) * weight;
            points[1] += pair.corner_b(w) * weight;
        }
        let pairs = self.simplex.pairs();
        let features = [
            feature_of(pair.a, &pairs.iter().map(|vertices| vertices[0]), weights),
            feature_of(pair.b, &pairs.iter().map(|vertices| vertices[1]), weights),
        ];
        if bounds[0] == 0.0 {
            points = [(points[0] + points[1]) * 0.5; 2];
        }
        pair.result(points, bounds, features)
    }
}

/// Where to start a climb: at a vertex that is known, or at that of the map, whichever is further.
#[inline]
fn nearer_start(polytope: &Polytope, known: u32, direction: DVec3) -> u32 {
    let other = polytope.start(direction);
    let is_further = polytope.corner(other).dot(direction) > polytope.corner(known).dot(direction);
    if is_further { other } else { known }
}

/// The smallest feature that contains some vertices; the vertex with the largest weight if there is none.
fn feature_of(
    polytope: &Polytope,
    vertices: &(impl Iterator<Item = u32> + Clone),
    weights: [f64; 4],
) -> Feature {
    let heaviest = vertices.clone().zip(weights).max_by(|p, q| p.1.total_cmp(&q.1));
    let Some((vertex, _)) = heaviest else { return Feature::Vertex(0) };
    if vertices.clone().all(|other| other == vertex) {
        return Feature::Vertex(vertex);
    }
    let holds_all = |feature: Feature| {
        vertices.clone().all(|vertex| polytope.vertices_of(feature).any(|other| other == vertex))
    };
    let mut edges = polytope.spokes(vertex).iter().map(|spoke| Feature::Edge(spoke.edge));
    if let Some(edge) = edges.find(|&edge| holds_all(edge)) {
        return edge;
    }
    let mut found = Feature::Vertex(vertex);
    polytope.facets_at(Feature::Vertex(vertex), |facet| {
        if holds_all(Feature::Facet(facet)) {
            found = Feature::Facet(facet);
        }
    });
    found
}

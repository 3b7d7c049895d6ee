//! How deep two overlapping hulls penetrate each other: the expanding polytope algorithm (van den Bergen 2001), with exact
//! signs.

use super::{
    Gjk,
    placed_pair::{PlacedPair, PlacedPolytope},
};
use crate::narrow::orient3d;
use glam::DVec3;

/// The penetration of two overlapping hulls: the shortest translation that separates them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The length of a translation along [`normal`](Self::normal) that separates the hulls, which is proven: no shorter one
    /// along this direction does, but for roundings. The true depth is at most this.
    pub depth: f64,
    /// A lower bound of the true depth, over all directions. It is below `depth` by at most 1e-11 of the bodies' sizes,
    /// unless the search ended after 400 steps: for round bodies of thousands of faces that lie deep in each other, by up to
    /// some 2 % of the sizes.
    pub at_least: f64,
    /// The direction, of unit length, into which the first body must be moved, or against which the second.
    pub normal: DVec3,
    /// The points of both hulls that lie deepest in the other along the normal: they meet when the bodies are moved apart.
    pub points: [DVec3; 2],
}

/// Computes how deep two hulls penetrate each other; `None` if they are proven to be apart, if one is empty, or if their
/// sizes differ by more than a factor of 1e60.
///
/// The set of all differences of points of the two bodies contains the origin, and the depth is the distance from there to its
/// boundary. A polytope inside that set grows towards the boundary: the facet nearest to the origin is replaced by the point
/// furthest along its normal, until there is none further. The nearest facet gives the lower bound, the plane through
/// the furthest point the upper bound. Signs are exact, so that the polytope stays convex whatever the rounding.
///
/// Flat bodies have a depth, too: that of leaving the other body. It is 0 for two bodies in one plane.
///
/// ```
/// use impinge::{Pose, convex::{self, Polytope}, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
/// let cube = Polytope::new(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let above = Pose::from_translation(DVec3::new(0.3, 0.2, 0.9))?;
/// let found = convex::penetration((&cube, &above), (&cube, &Pose::IDENTITY)).ok_or("apart")?;
/// assert!((found.depth - 0.1).abs() < 1e-12 && found.normal.distance(DVec3::Z) < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn penetration(a: PlacedPolytope<'_>, b: PlacedPolytope<'_>) -> Option<Penetration> {
    PenetrationSearch::new().find(a, b)
}

/// Memory for [`penetration`], to be reused from query to query: none is allocated once warm.
#[derive(Debug, Default)]
pub struct PenetrationSearch {
    gjk: Gjk,
    points: Vec<Difference>,
    facets: Vec<Facet>,
    visible: Vec<u32>,
    rim: Vec<RimEdge>,
}

impl PenetrationSearch {
    /// Memory that is yet to be allocated.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same as [`penetration`].
    pub fn find(&mut self, a: PlacedPolytope<'_>, b: PlacedPolytope<'_>) -> Option<Penetration> {
        let pair = PlacedPair::new(a, b)?;
        if self.gjk.search(&pair).is_apart() {
            return None;
        }
        self.points.clear();
        self.facets.clear();
        let mut search = Expansion { pair, memory: self, best: None };
        match search.begin() {
            Start::Apart => None,
            Start::Flat(normal) => Some(search.flat(normal)),
            Start::Solid => search.expand(),
        }
    }
}

/// The most steps of an expansion.
const MOST_STEPS: usize = 400;
/// The expansion ends when the bounds differ by at most this share of the bodies' sizes.
const PRECISION: f64 = 1e-12;

/// A polytope inside the set of differences of two bodies: `a − b`, so that the origin is inside if they overlap.
struct Expansion<'p> {
    pair: PlacedPair<'p>,
    memory: &'p mut PenetrationSearch,
    /// The least upper bound so far.
    best: Option<Bound>,
}

/// A point of the set, and the vertices that it comes from.
#[derive(Clone, Copy, Debug)]
struct Difference {
    point: DVec3,
    vertices: [u32; 2],
}

/// An edge of the rim of the facets that a point is above: the facet beyond it, its ends, and the facet to be removed.
type RimEdge = (u32, [u32; 2], u32);

#[derive(Clone, Copy, Debug)]
struct Facet {
    /// Counter-clockwise as seen from outside.
    corners: [u32; 3],
    /// Across the edge from corner i to the next.
    neighbours: [u32; 3],
    normal: DVec3,
    /// The distance of the plane from the origin; negative if the origin is outside.
    distance: f64,
    is_removed: bool,
    /// Whether no point lies further along the normal.
    is_final: bool,
}

/// An upper bound of the depth: all of the set lies below the plane across `normal` at `height`.
#[derive(Clone, Copy, Debug)]
struct Bound {
    height: f64,
    normal: DVec3,
    vertices: [u32; 2],
}

enum Start {
    /// The bodies are apart.
    Apart,
    /// All differences lie in a plane with this normal.
    Flat(DVec3),
    Solid,
}

impl Expansion<'_> {
    /// The difference that is furthest along a direction. Notes the upper bound it gives.
    fn furthest(&mut self, normal: DVec3) -> Difference {
        let pair = &self.pair;
        let [along_a, along_b] = pair.directions_to_bodies(normal);
        let vertices = [
            pair.a.furthest(pair.a.start(along_a), along_a),
            pair.b.furthest(pair.b.start(-along_b), -along_b),
        ];
        let point = -pair.difference(vertices);
        let height = point.dot(normal);
        if self.best.is_none_or(|best| height < best.height) {
            self.best = Some(Bound { height, normal, vertices });
        }
        Difference { point, vertices }
    }

    /// Whether some plane proves the bodies apart.
    fn are_apart(&self) -> bool {
        self.best.is_some_and(|best| best.height < -self.pair.slack)
    }

    /// Makes the first tetrahedron, of points that are not coplanar.
    fn begin(&mut self) -> Start {
        let toward = self.pair.offset.try_normalize();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().chain(toward) {
            for normal in [axis, -axis] {
                let found = self.furthest(normal);
                self.memory.points.push(found);
            }
        }
        if self.are_apart() {
            return Start::Apart;
        }
        let first = self.memory.points[0];
        let second = self.furthest_of(|point| point.distance_squared(first.point));
        let edge = second.point - first.point;
        let area = |point: DVec3| edge.cross(point - first.point).length_squared();
        if area(self.furthest_of(area).point) == 0.0 {
            // All in line so far: the set may still reach to the sides.
            let across = edge.try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector();
            let other = edge.try_normalize().unwrap_or(DVec3::X).cross(across);
            for normal in [across, -across, other, -other] {
                let found = self.furthest(normal);
                self.memory.points.push(found);
            }
        }
        let third = self.furthest_of(area);
        let Some(normal) = edge.cross(third.point - first.point).try_normalize() else {
            return Start::Flat(edge.try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector());
        };
        // Both sides of the plane through the three, as far as the set reaches there.
        for normal in [normal, -normal] {
            let found = self.furthest(normal);
            self.memory.points.push(found);
        }
        let fourth = self.furthest_of(|point| normal.dot(point - first.point).abs());
        let is_beside = |point: DVec3| orient3d(first.point, second.point, third.point, point) != 0;
        let any = || self.memory.points.iter().copied().find(|found| is_beside(found.point));
        let fourth = Some(fourth).filter(|fourth| is_beside(fourth.point)).or_else(any);
        let Some(fourth) = fourth else { return Start::Flat(normal) };
        self.memory.points.clear();
        self.memory.points.extend([first, second, third, fourth]);
        self.start_with_tetrahedron();
        Start::Solid
    }

    /// The point found so far with the largest measure.
    fn furthest_of(&self, measure: impl Fn(DVec3) -> f64) -> Difference {
        let points = self.memory.points.iter().copied();
        let order = |p: &Difference, q: &Difference| measure(p.point).total_cmp(&measure(q.point));
        points.max_by(order).unwrap_or(self.memory.points[0])
    }

    fn start_with_tetrahedron(&mut self) {
        let [p, q, r, s] = [0, 1, 2, 3].map(|i: usize| self.memory.points[i].point);
        let (b, c) = if orient3d(p, q, r, s) > 0 { (2, 1) } else { (1, 2) };
        // Facet i is opposite the i-th corner.
        let facets = [
            self.facet([b, 3, c], [2, 1, 3]),
            self.facet([0, c, 3], [3, 0, 2]),
            self.facet([0, 3, b], [1, 0, 3]),
            self.facet([0, b, c], [2, 0, 1]),
        ];
        self.memory.facets.extend(facets);
    }

    fn facet(&self, corners: [u32; 3], neighbours: [u32; 3]) -> Facet {
        let [p, q, r] = corners.map(|corner| self.memory.points[corner as usize].point);
        let area = (q - p).cross(r - p);
        let largest = area.abs().max_element();
        // A facet without an area is never the nearest: its neighbours are as near.
        let normal = if largest > 0.0 { (area / largest).normalize() } else { DVec3::ZERO };
        let distance = match largest > 0.0 {
            true => normal.dot(p).min(normal.dot(q)).min(normal.dot(r)),
            false => f64::INFINITY,
        };
        Facet { corners, neighbours, normal, distance, is_removed: false, is_final: false }
    }

    fn expand(&mut self) -> Option<Penetration> {
        let precision =
            PRECISION * (self.pair.a.radius() + self.pair.size_of_b()) + self.pair.slack;
        for _ in 0..MOST_STEPS {
            let Some(nearest) = self.nearest() else { break };
            let facet = self.memory.facets[nearest as usize];
            let best = self.best.map_or(f64::INFINITY, |best| best.height);
            if facet.is_final || best - facet.distance <= precision {
                break;
            }
            let found = self.furthest(facet.normal);
            if self.are_apart() {
                return None;
            }
            let height = found.point.dot(facet.normal);
            let is_further =
                height - facet.distance > precision && self.is_above(nearest, found.point);
            if is_further {
                self.insert(nearest, found);
            } else {
                self.memory.facets[nearest as usize].is_final = true;
            }
        }
        let lower =
            self.nearest().map_or(0.0, |nearest| self.memory.facets[nearest as usize].distance);
        self.best.map(|best| self.result(best, lower))
    }

    /// The depth of bodies whose differences all lie in a plane.
    fn flat(&mut self, normal: DVec3) -> Penetration {
        let found = self.furthest(normal);
        self.result(
            Bound { height: found.point.dot(normal), normal, vertices: found.vertices },
            0.0,
        )
    }

    fn result(&self, bound: Bound, lower: f64) -> Penetration {
        let Bound { height, normal, vertices: [v, w] } = bound;
        let depth = height.max(0.0);
        let points = [self.pair.corner_a(v), self.pair.corner_b(w)];
        // The first body moves against the direction in which its differences reach least far.
        Penetration {
            depth: self.pair.world_length(depth),
            at_least: self.pair.world_length((lower - self.pair.slack).clamp(0.0, depth)),
            normal: -normal,
            points: points.map(|point| self.pair.to_world(point)),
        }
    }

    /// The facet whose plane is nearest to the origin.
    fn nearest(&self) -> Option<u32> {
        let facets = (0..).zip(&self.memory.facets).filter(|(_, facet)| !facet.is_removed);
        facets.min_by(|p, q| p.1.distance.total_cmp(&q.1.distance)).map(|(index, _)| index)
    }

    fn is_above(&self, facet: u32, point: DVec3) -> bool {
        let [p, q, r] = self.memory.facets[facet as usize]
            .corners
            .map(|corner| self.memory.points[corner as usize].point);
        orient3d(p, q, r, point) > 0
    }

    /// Replaces the facets that a point is above, one of which is known, by facets to the point.
    fn insert(&mut self, facet: u32, found: Difference) {
        let index = self.memory.points.len() as u32;
        self.memory.points.push(found);
        let mut visible = std::mem::take(&mut self.memory.visible);
        let mut rim = std::mem::take(&mut self.memory.rim);
        visible.clear();
        rim.clear();
        visible.push(facet);
        self.memory.facets[facet as usize].is_removed = true;
        let mut done = 0;
        while let Some(&index) = visible.get(done) {
            done += 1;
            let Facet { corners, neighbours, .. } = self.memory.facets[index as usize];
            for (i, neighbour) in neighbours.into_iter().enumerate() {
                if self.memory.facets[neighbour as usize].is_removed {
                    continue;
                }
                if self.is_above(neighbour, found.point) {
                    self.memory.facets[neighbour as usize].is_removed = true;
                    visible.push(neighbour);
                } else {
                    rim.push((neighbour, [corners[i], corners[(i + 1) % 3]], index));
                }
            }
        }
        // A facet beside the rim may have been removed after it was looked at from its neighbour.
        rim.retain(|(beyond, ..)| !self.memory.facets[*beyond as usize].is_removed);
        let first = self.memory.facets.len() as u32;
        for (i, &(beyond, [from, to], removed)) in (0..).zip(&rim) {
            let next = rim.iter().position(|(_, [start, _], _)| *start == to);
            let before = rim.iter().position(|(_, [_, end], _)| *end == from);
            let [next, before] = [next, before].map(|place| first + place.unwrap_or(0) as u32);
            let facet = self.facet([from, to, index], [beyond, next, before]);
            self.memory.facets.push(facet);
            let edge =
                self.memory.facets[beyond as usize].neighbours.iter().position(|&n| n == removed);
            if let Some(edge) = edge {
                self.memory.facets[beyond as usize].neighbours[edge] = first + i;
            }
        }
        (self.memory.visible, self.memory.rim) = (visible, rim);
    }
}

//! The convex hull of any points.

use super::{facets, quick};
use crate::{
    Bounds,
    narrow::{Projection, is_collinear, orient2d, orient3d},
};
use glam::DVec3;
use std::cmp::Ordering;

/// The convex hull of points: its corners, edges and facets.
///
/// Exact: decided by signs without rounding, so no point lies beyond the plane of any facet, whatever
/// the points. Corners are points that were passed, and no corner lies between others. Facets are as large as
/// possible, so no two of them are coplanar. Points that are coplanar, collinear or equal have a hull too,
/// with a [`HullKind`] of its own.
///
/// Typically takes time n log n. Fails only for NaN and infinite coordinates, or for too many points.
///
/// ```
/// use impinge::{convex::{Hull, HullKind}, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
/// let cube: Vec<DVec3> = (0..8).map(corner).chain([DVec3::splat(0.5)]).collect();
/// let hull = Hull::new(&cube)?;
/// assert_eq!(hull.shape(), HullKind::Polytope);
/// assert_eq!((hull.vertices().len(), hull.edges().len(), hull.facets().len()), (8, 12, 6));
/// # Ok::<(), impinge::convex::HullError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    shape: HullKind,
    vertices: Vec<u32>,
    positions: Vec<DVec3>,
    edges: Vec<HullEdge>,
    /// The corners of all facets in one list, and the position where each facet ends.
    facet_vertices: Vec<u32>,
    facet_ends: Vec<u32>,
    /// The neighbours of all vertices in one list, and the position where each vertex's neighbours end.
    neighbours: Vec<u32>,
    neighbour_ends: Vec<u32>,
}

/// The dimension of a hull.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HullKind {
    /// There were no points.
    #[default]
    Empty,
    /// All points coincide.
    Point,
    /// All points are on a line.
    Segment,
    /// All points are in a plane: the vertices are listed in order around the polygon.
    Polygon,
    /// The points are not in a plane: there are facets.
    Polytope,
}

/// An edge of a hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullEdge {
    /// The two vertices of the edge, the lower index first.
    pub vertices: [u32; 2],
    /// The facet that runs along the edge from its first vertex to its second, and the facet that runs back.
    /// Both 0 if the hull has no facets.
    pub facets: [u32; 2],
}

/// Why there is no hull of the points.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HullError {
    /// A coordinate is NaN or infinite.
    #[error("point {point} has a coordinate that is not a finite number")]
    NotFinite {
        /// The point, from 0.
        point: usize,
    },
    /// A point index has 32 bits.
    #[error("there are {point_count} points; at most 4294967294 are allowed")]
    TooManyPoints {
        /// The number of points that were passed.
        point_count: usize,
    },
}

impl Hull {
    /// Computes the hull of `points`.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        if points.len() >= u32::MAX as usize {
            return Err(HullError::TooManyPoints { point_count: points.len() });
        }
        if let Some(point) = points.iter().position(|point| !point.is_finite()) {
            return Err(HullError::NotFinite { point });
        }
        Ok(match spread(points) {
            Spread::Empty => Self::flat(points, HullKind::Empty, Vec::new()),
            Spread::Point => Self::flat(points, HullKind::Point, vec![0]),
            Spread::Line(ends) => Self::flat(points, HullKind::Segment, ends.to_vec()),
            Spread::Plane(seed) => {
                let seed = seed.map(|point| points[point as usize]);
                Self::flat(points, HullKind::Polygon, polygon(points, seed))
            }
            Spread::Space(seed) => {
                let extent = Bounds::enclosing(points.iter().copied()).size();
                let triangles = quick::surface(points, extent, seed);
                let (corners, ends) = facets::joined(points, &triangles);
                Self::solid(points, corners, ends)
            }
        })
    }

    /// The dimension of the hull.
    pub fn shape(&self) -> HullKind {
        self.shape
    }

    /// The corners, as indices of the points that were passed; one index for several equal points.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The positions of the corners.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The edges, sorted by their vertices. Here and below, a vertex is an index into
    /// [`vertices`](Self::vertices).
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// The facets: the vertices of each, counter-clockwise as seen from outside. Only a polytope has facets.
    pub fn facets(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        (0..self.facet_ends.len())
            .map(|facet| sublist(&self.facet_vertices, &self.facet_ends, facet))
    }

    /// The vertices that share an edge with a vertex.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        sublist(&self.neighbours, &self.neighbour_ends, vertex as usize)
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> usize {
        let lists = [
            &self.vertices,
            &self.facet_vertices,
            &self.facet_ends,
            &self.neighbours,
            &self.neighbour_ends,
        ];
        let lists: usize = lists.into_iter().map(|list| size_of_val(&**list)).sum();
        lists + size_of_val(&*self.positions) + size_of_val(&*self.edges)
    }

    /// A hull without facets, from its vertices in order.
    fn flat(points: &[DVec3], shape: HullKind, vertices: Vec<u32>) -> Self {
        let count = vertices.len() as u32;
        let edges = match shape {
            HullKind::Segment => vec![[0, 1]],
            HullKind::Polygon => (0..count).map(|i| [i, (i + 1) % count]).collect(),
            _ => Vec::new(),
        };
        let edge = |[p, q]: [u32; 2]| HullEdge { vertices: [p.min(q), p.max(q)], facets: [0, 0] };
        let mut edges: Vec<HullEdge> = edges.into_iter().map(edge).collect();
        edges.sort_unstable_by_key(|edge| edge.vertices);
        Self::assembled(points, shape, vertices, edges, [Vec::new(), Vec::new()])
    }

    /// A hull with facets, given as indices of points.
    fn solid(points: &[DVec3], mut corners: Vec<u32>, ends: Vec<u32>) -> Self {
        let mut vertices = corners.clone();
        vertices.sort_unstable();
        vertices.dedup();
        let mut number = vec![0; points.len()];
        for (i, &vertex) in (0..).zip(&vertices) {
            number[vertex as usize] = i;
        }
        for corner in &mut corners {
            *corner = number[*corner as usize];
        }
        // Every edge appears once in each direction; after sorting, the two are side by side.
        let mut halves = Vec::with_capacity(corners.len());
        for facet in 0..ends.len() {
            let around = sublist(&corners, &ends, facet);
            for (i, &from) in around.iter().enumerate() {
                let to = around[(i + 1) % around.len()];
                halves.push(([from.min(to), from.max(to)], from > to, facet as u32));
            }
        }
        halves.sort_unstable();
        let (pairs, _) = halves.as_chunks();
        let edge = |&[forward, backward]: &[([u32; 2], bool, u32); 2]| {
            debug_assert!(
                forward.0 == backward.0 && !forward.1 && backward.1,
                "the surface is closed"
            );
            HullEdge { vertices: forward.0, facets: [forward.2, backward.2] }
        };
        let edges = pairs.iter().map(edge).collect();
        Self::assembled(points, HullKind::Polytope, vertices, edges, [corners, ends])
    }

    fn assembled(
        points: &[DVec3],
        shape: HullKind,
        mut vertices: Vec<u32>,
        mut edges: Vec<HullEdge>,
        [mut facet_vertices, mut facet_ends]: [Vec<u32>; 2],
    ) -> Self {
        for list in [&mut vertices, &mut facet_vertices, &mut facet_ends] {
            list.shrink_to_fit();
        }
        edges.shrink_to_fit();
        let mut neighbour_ends = vec![0; vertices.len()];
        for vertex in edges.iter().flat_map(|edge| edge.vertices) {
            neighbour_ends[vertex as usize] += 1;
        }
        let mut end = 0;
        for count in &mut neighbour_ends {
            end += *count;
            *count = end - *count;
        }
        // `neighbour_ends` now holds where each list begins. Filling a list moves it on to where the list ends.
        let mut neighbours = vec![0; end as usize];
        for [p, q] in edges.iter().map(|edge| edge.vertices) {
            for (from, to) in [(p, q), (q, p)] {
                let position = &mut neighbour_ends[from as usize];
                neighbours[*position as usize] = to;
                *position += 1;
            }
        }
        let positions = vertices.iter().map(|&vertex| points[vertex as usize]).collect();
        Self {
            shape,
            vertices,
            positions,
            edges,
            facet_vertices,
            facet_ends,
            neighbours,
            neighbour_ends,
        }
    }
}

/// One of several lists that are stored in one array.
fn sublist<'l>(all: &'l [u32], ends: &[u32], index: usize) -> &'l [u32] {
    let begin = index.checked_sub(1).map_or(0, |before| ends[before]);
    &all[begin as usize..ends[index] as usize]
}

/// The dimension that points span, with as many of them as prove it.
enum Spread {
    Empty,
    Point,
    /// Both ends of the segment.
    Line([u32; 2]),
    Plane([u32; 3]),
    Space([u32; 4]),
}

/// The dimension is exact. Points that are far apart are preferred as proof.
fn spread(points: &[DVec3]) -> Spread {
    let numbers = || 0..points.len() as u32;
    let at = |point: u32| points[point as usize];
    // For collinear points, this is the order along the line.
    let order = |p: &u32, q: &u32| lexicographic(at(*p), at(*q));
    let (Some(least), Some(greatest)) = (numbers().min_by(order), numbers().max_by(order)) else {
        return Spread::Empty;
    };
    let (a, b) = (at(least), at(greatest));
    if a == b {
        return Spread::Point;
    }
    // The point that seems furthest, if it qualifies; otherwise any that does.
    let find = |distance: &dyn Fn(DVec3) -> f64, qualifies: &dyn Fn(DVec3) -> bool| {
        let further = |p: &u32, q: &u32| distance(at(*p)).total_cmp(&distance(at(*q)));
        let furthest = numbers().max_by(further).filter(|&point| qualifies(at(point)));
        furthest.or_else(|| numbers().find(|&point| qualifies(at(point))))
    };
    let third = find(&|p| (b - a).cross(p - a).length_squared(), &|p| !is_collinear([a, b, p]));
    let Some(third) = third else { return Spread::Line([least, greatest]) };
    let c = at(third);
    let normal = (b - a).cross(c - a);
    let fourth = find(&|p| normal.dot(p - a).abs(), &|p| orient3d(a, b, c, p) != 0);
    match fourth {
        None => Spread::Plane([least, greatest, third]),
        Some(fourth) => Spread::Space([least, greatest, third, fourth]),
    }
}

/// Compares by x, then y, then z. All numbers are finite, and −0 equals +0.
fn lexicographic(p: DVec3, q: DVec3) -> Ordering {
    let order = |i: usize| p[i].partial_cmp(&q[i]).unwrap_or(Ordering::Equal);
    order(0).then(order(1)).then(order(2))
}

/// The hull of coplanar points, in counter-clockwise order (Andrew 1979). Three of them that are not
/// collinear define the plane.
fn polygon(points: &[DVec3], [a, b, c]: [DVec3; 3]) -> Vec<u32> {
    // A projection along an axis that is not in the plane preserves convexity.
    let projection = Projection::spreading(a, b, c).unwrap_or(Projection::AlongZ);
    let at = |point: u32| projection.of(points[point as usize]);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|&p, &q| lexicographic(at(p).extend(0.0), at(q).extend(0.0)));
    order.dedup_by(|p, q| at(*p) == at(*q));
    let mut around: Vec<u32> = Vec::new();
    // First the lower chain, then the upper chain back; each ends where the other begins.
    let sides: [&mut dyn Iterator<Item = &u32>; 2] = [&mut order.iter(), &mut order.iter().rev()];
    for side in sides {
        let begin = around.len();
        for &point in side {
            while let [.., p, q] = around[begin..] {
                if orient2d(at(p), at(q), at(point)) > 0 {
                    break;
                }
                around.pop();
            }
            around.push(point);
        }
        around.pop();
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Random};
    use std::collections::HashSet;

    /// Checks every property of a hull, each by an exact predicate.
    fn check(points: &[DVec3], name: &str) -> Hull {
        let hull = Hull::new(points).expect("finite");
        let at = |vertex: u32| hull.positions()[vertex as usize];
        let sorted: HashSet<u32> = hull.vertices().iter().copied().collect();
        assert_eq!(sorted.len(), hull.vertices().len(), "{name}: a vertex twice");
        for (&vertex, position) in hull.vertices().iter().zip(hull.positions()) {
            assert_eq!(points[vertex as usize], *position, "{name}: a vertex that is no point");
        }
        let mut halves = HashSet::new();
        for (number, facet) in (0..).zip(hull.facets()) {
            assert!(facet.len() >= 3, "{name}: a facet of {} corners", facet.len());
            let [p, q, r] = [facet[0], facet[1], facet[2]].map(at);
            assert!(!is_collinear([p, q, r]), "{name}: corners in line");
            for (i, point) in points.iter().enumerate() {
                assert!(orient3d(p, q, r, *point) <= 0, "{name}: point {i} is outside {facet:?}");
            }
            for (i, &from) in facet.iter().enumerate() {
                let (to, next) = (facet[(i + 1) % facet.len()], facet[(i + 2) % facet.len()]);
                assert_eq!(orient3d(p, q, r, at(from)), 0, "{name}: a facet that is not flat");
                assert!(!is_collinear([from, to, next].map(at)), "{name}: corners in line");
                assert!(halves.insert((from, to, number)), "{name}: an edge twice in a facet");
                assert!(hull.neighbours(from).contains(&to), "{name}: not neighbours");
            }
        }
        for edge in hull.edges() {
            let ([p, q], [forward, backward]) = (edge.vertices, edge.facets);
            assert!(p < q && hull.neighbours(q).contains(&p), "{name}: {edge:?}");
            if hull.shape() == HullKind::Polytope {
                assert!(halves.remove(&(p, q, forward)), "{name}: {edge:?} is not in a facet");
                assert!(halves.remove(&(q, p, backward)), "{name}: {edge:?} is not in a facet");
                // Facets are as large as possible: the facet across an edge is strictly below the plane.
                let facet = hull.facets().nth(forward as usize).expect("its facet");
                let [a, b, c] = [facet[0], facet[1], facet[2]].map(at);
                let other = hull.facets().nth(backward as usize).expect("its facet");
                let across = other.iter().find(|v| !edge.vertices.contains(v)).expect("a third");
                assert!(orient3d(a, b, c, at(*across)) < 0, "{name}: facets of one plane");
            }
        }
        assert!(halves.is_empty(), "{name}: the surface is not closed");
        if hull.shape() == HullKind::Polytope {
            let counts = [hull.vertices().len(), hull.edges().len(), hull.facets().len()];
            let [v, e, f] = counts.map(|n| n as i64);
            assert_eq!(v - e + f, 2, "{name}: Euler's formula for a sphere does not hold");
        }
        hull
    }

    fn counts(hull: &Hull) -> [usize; 3] {
        [hull.vertices().len(), hull.edges().len(), hull.facets().len()]
    }

    fn ball(count: usize, seed: u64) -> Vec<DVec3> {
        let mut random = Random::new(seed);
        (0..count).map(|_| random.direction() * libm::cbrt(random.unit())).collect()
    }

    #[test]
    fn random_points() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let count = 4 + random.below(60) as usize;
            let size = [1.0, 1e-150, 1e99, 1e-310][random.below(4) as usize];
            let flat = [DVec3::ONE, DVec3::new(1.0, 1e-9, 1.0), DVec3::new(1e-14, 1.0, 1e-7)];
            let flat = flat[random.below(3) as usize];
            let turn = random.rotation();
            let points: Vec<DVec3> =
                ball(count, seed).into_iter().map(|p| turn * (p * flat) * size).collect();
            check(&points, &format!("seed {seed}"));
        }
    }

    /// On a coarse grid nearly all points are equal, collinear or coplanar.
    #[test]
    fn grid_points() {
        let mut shapes = [0; 5];
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let [count, x, y, z] = [40, 4, 4, 4].map(|n| 1 + random.below(n));
            let turn = if random.below(2) == 0 { random.rotation() } else { glam::DMat3::IDENTITY };
            let mut coordinate = |n| random.below(n) as f64 - 1.0;
            let points: Vec<DVec3> = (0..count)
                .map(|_| turn * DVec3::new(coordinate(x), coordinate(y), coordinate(z)))
                .collect();
            let hull = check(&points, &format!("seed {seed}"));
            shapes[hull.shape() as usize] += 1;
        }
        assert!(shapes[1..].iter().all(|&n| n > 20), "one-sided cases: {shapes:?}");
    }

    #[test]
    fn a_full_grid_is_a_cube() {
        let n = 9;
        let mut points: Vec<DVec3> = (0..n * n * n)
            .map(|i| DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64))
            .collect();
        assert_eq!(counts(&check(&points, "grid")), [8, 12, 6]);
        Random::new(1).shuffle(&mut points);
        assert_eq!(counts(&check(&points, "shuffled grid")), [8, 12, 6]);
        points.extend(points.clone());
        assert_eq!(counts(&check(&points, "everything twice")), [8, 12, 6]);
    }

    #[test]
    fn flat_hulls() {
        let empty = check(&[], "nothing");
        assert_eq!((empty.shape(), counts(&empty)), (HullKind::Empty, [0, 0, 0]));
        let point = check(&[DVec3::ONE; 7], "one point seven times");
        assert_eq!((point.shape(), counts(&point)), (HullKind::Point, [1, 0, 0]));
        let zeros = check(&[DVec3::ZERO, -DVec3::ZERO], "both zeros");
        assert_eq!(zeros.shape(), HullKind::Point);
        let along = DVec3::new(1.0, -2.0, 3.0);
        let line: Vec<DVec3> = [3, 0, 4, 7, 2, 4, 0].map(|i| along * f64::from(i)).into();
        let segment = check(&line, "points on a line");
        assert_eq!((segment.shape(), segment.vertices()), (HullKind::Segment, &[1, 3][..]));
        assert_eq!((segment.neighbours(0), segment.neighbours(1)), (&[1][..], &[0][..]));
        let square: Vec<DVec3> =
            (0..25).map(|i| DVec3::new((i % 5) as f64, (i / 5) as f64, (i % 5) as f64)).collect();
        let polygon = check(&square, "points in a plane");
        assert_eq!((polygon.shape(), counts(&polygon)), (HullKind::Polygon, [4, 4, 0]));
        assert!((0..4).all(|vertex| polygon.neighbours(vertex).len() == 2));
    }

    /// Coplanar points: all are on one side of the line through two consecutive vertices.
    #[test]
    fn polygons_enclose() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let n = 3 + random.below(12);
            let points: Vec<DVec3> = (0..30)
                .map(|_| {
                    let (x, y) = (random.below(n) as f64, random.below(n) as f64);
                    DVec3::new(x - y, 3.0 * y, x + y)
                })
                .collect();
            let hull = check(&points, &format!("seed {seed}"));
            assert_eq!(hull.shape(), HullKind::Polygon, "seed {seed}");
            let corners = hull.positions();
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[1]);
            for (i, &p) in corners.iter().enumerate() {
                let q = corners[(i + 1) % corners.len()];
                for (j, r) in points.iter().enumerate() {
                    let side = (q - p).cross(*r - p).dot(normal);
                    assert!(side >= 0.0, "seed {seed}: point {j} is outside edge {i}");
                }
            }
        }
    }

    #[test]
    fn spheres_and_meshes() {
        let sphere = generate::icosphere(3).expect("few enough");
        assert_eq!(check(sphere.positions(), "icosphere").vertices().len(), 642);
        let torus = generate::deformed_torus(1, [40, 20]).expect("enough segments");
        check(torus.positions(), "torus");
        let gear = generate::gear(12, 1.0, 3.0, 2.0).expect("a gear");
        let hull = check(gear.positions(), "gear");
        assert_eq!(hull.facets().filter(|facet| facet.len() > 8).count(), 2, "its two sides");
    }

    #[test]
    fn nan_is_an_error_and_large_numbers_are_not() {
        let error = Hull::new(&[DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0)]);
        assert_eq!(error, Err(HullError::NotFinite { point: 1 }));
        check(
            &[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * f64::MAX),
            "as large as can be",
        );
    }

    /// Long rims, at which points find their facet by a search; symmetric ones, with many collinear points.
    #[test]
    fn cylinders_and_cones() {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let count = 40 + random.below(200) as usize;
            let turn = if random.below(2) == 0 { random.rotation() } else { glam::DMat3::IDENTITY };
            let turned = |x: f64, y: f64, z: f64| turn * DVec3::new(x, y, z);
            let around = |i: usize| std::f64::consts::TAU * i as f64 / count as f64;
            let on_circle =
                |i: usize, z: f64| turned(libm::cos(around(i)), libm::sin(around(i)), z);
            let mut points: Vec<DVec3> = (0..count).map(|i| on_circle(i, 0.0)).collect();
            match random.below(3) {
                0 => points.extend((0..count).map(|i| on_circle(i, 1.0))),
                1 => points.extend([turned(0.0, 0.0, 3.0), turned(0.0, 0.0, -2.0)]),
                _ => points.extend((0..count).map(|i| turned(0.0, 0.0, 1.0) * i as f64)),
            }
            random.shuffle(&mut points);
            let hull = check(&points, &format!("seed {seed}"));
            assert!(hull.vertices().len() > count, "seed {seed}: {:?}", counts(&hull));
        }
        let cylinder: Vec<DVec3> = (0..100_000)
            .map(|i| {
                let angle = std::f64::consts::TAU * f64::from(i / 2) / 50_000.0;
                DVec3::new(libm::cos(angle), libm::sin(angle), f64::from(i % 2))
            })
            .collect();
        let hull = Hull::new(&cylinder).expect("finite");
        assert!(hull.vertices().len() > 99_000, "{:?}", counts(&hull));
    }

    /// Every point is a corner, and there are far more than a quadratic method could handle in a test.
    #[test]
    fn many_points() {
        let mut random = Random::new(1);
        let points: Vec<DVec3> = (0..200_000).map(|_| random.direction()).collect();
        let hull = Hull::new(&points).expect("finite");
        assert!(hull.vertices().len() > 199_000, "{:?}", counts(&hull));
        let mut sides = 0;
        for facet in hull.facets().step_by(997) {
            let [p, q, r] = [facet[0], facet[1], facet[2]].map(|v| hull.positions()[v as usize]);
            sides += points.iter().filter(|point| orient3d(p, q, r, **point) > 0).count();
        }
        assert_eq!(sides, 0, "some points are outside a facet");
    }
}

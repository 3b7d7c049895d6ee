//! The penetration depth of the convex hulls of two sets of points, as an exact fraction.
//!
//! The depth is the distance from the origin to the boundary of the set of all differences `a - b` of points of the two
//! hulls. That set is a polytope. A facet of it is the sum of two faces of the hulls that are extreme along its normal, so its
//! normal belongs to a facet of one of the hulls, or is at right angles to an edge of each. For any direction `n`, the
//! plane at right angles to `n` that supports the set is `max n·a - min n·b` over the length of `n` away from the origin:
//! never less than the depth, and exactly the depth for one of the facets. So the smallest of these values over a list of
//! directions that has all the facets' normals in it is the depth, whatever else the list contains.

use crate::distance::{SquaredDistance, Vector, dot, minus};
use crate::hull_distance::{Scaled, hull_distance};
use crate::round::nearest_root;
use crate::touch::{cross, shortened};
use dashu_int::IBig;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The exact penetration depth of two hulls.
#[derive(Debug, Clone, PartialEq)]
pub struct HullPenetration {
    /// The exact square of the depth; zero if the hulls touch without a common inner point, or if all differences of
    /// their points lie in a plane.
    pub squared: SquaredDistance,
    /// The `f64` nearest to the depth.
    pub depth: f64,
    /// The directions of all shortest translations of the second hull that separate it from the first. They have unit length,
    /// and coordinates are the `f64` nearest to the exact ones. Empty if all differences of points lie on a line.
    pub directions: Vec<[f64; 3]>,
}

/// Returns how far the second hull must be moved at least so that the hulls have no inner point in common, for two sets of
/// points; `None` if the hulls share no point.
///
/// # Panics
///
/// If a set is empty, or a coordinate is infinite or not a number.
pub fn hull_penetration<P: Copy + Into<[f64; 3]>>(a: &[P], b: &[P]) -> Option<HullPenetration> {
    if !hull_distance(a, b).squared.is_zero() {
        return None;
    }
    let Scaled { a, b, exponent } = Scaled::new(a, b);
    let mut best = Best::default();
    let (of_a, of_b) = (Faces::new(&a), Faces::new(&b));
    let crossing = of_a.edges.iter().flat_map(|u| of_b.edges.iter().map(|v| cross(u, v)));
    // A facet of the second hull faces the first one, so its normal is reversed.
    let normals = of_a.normals.iter().cloned();
    let normals = normals.chain(of_b.normals.iter().map(negated));
    let crossing: BTreeSet<Vector> = crossing.filter(|n| !is_zero(n)).map(shortened).collect();
    let crossing = crossing.into_iter().flat_map(|normal| [negated(&normal), normal]);
    for normal in normals.chain(crossing) {
        best.offer(&a, &b, normal);
    }
    // Without directions, all differences lie on a line through the origin.
    let (numerator, denominator) = best.squared.unwrap_or((IBig::ZERO, IBig::ONE));
    let squared = SquaredDistance { numerator, denominator, exponent };
    let directions = best.normals.iter().map(unit).collect();
    Some(HullPenetration { depth: squared.to_f64(), squared, directions })
}

/// The directions of the supporting planes that are nearest to the origin so far.
#[derive(Default)]
struct Best {
    squared: Option<(IBig, IBig)>,
    normals: BTreeSet<Vector>,
}

impl Best {
    fn offer(&mut self, a: &[Vector], b: &[Vector], normal: Vector) {
        let highest = a.iter().map(|point| dot(&normal, point)).max().expect("not empty");
        let lowest = b.iter().map(|point| dot(&normal, point)).min().expect("not empty");
        let height = highest - lowest;
        assert!(height >= IBig::ZERO, "a plane separates hulls that share a point");
        let (numerator, denominator) = (&height * &height, dot(&normal, &normal));
        let order = match &self.squared {
            None => Ordering::Less,
            Some((n, d)) => (&numerator * d).cmp(&(n * &denominator)),
        };
        if order.is_lt() {
            self.normals.clear();
            self.squared = Some((numerator, denominator));
        }
        if order.is_le() {
            self.normals.insert(normal);
        }
    }
}

/// Directions that include the normals of all facets and the directions of all edges of a hull.
struct Faces {
    /// Outer normals of the planes that touch the hull in three points that are not on a line. A polygon has both of its
    /// normals.
    normals: BTreeSet<Vector>,
    edges: BTreeSet<Vector>,
}

impl Faces {
    fn new(points: &[Vector]) -> Self {
        let mut points = points.to_vec();
        points.sort_unstable();
        points.dedup();
        let count = points.len();
        // The points on each supporting plane, by its normal.
        let mut planes: BTreeMap<Vector, BTreeSet<usize>> = BTreeMap::new();
        for i in 0..count {
            for j in 0..i {
                for k in 0..j {
                    let normal =
                        cross(&minus(&points[j], &points[i]), &minus(&points[k], &points[i]));
                    if is_zero(&normal) {
                        continue;
                    }
                    let normal = shortened(normal);
                    for normal in [negated(&normal), normal] {
                        let height = dot(&normal, &points[i]);
                        if points.iter().all(|point| dot(&normal, point) <= height) {
                            planes.entry(normal).or_default().extend([i, j, k]);
                        }
                    }
                }
            }
        }
        // Two points of an edge lie on two supporting planes. If there is no plane, all points are on a line.
        let mut edges = BTreeSet::new();
        for i in 0..count {
            for j in 0..i {
                let both = planes.values().filter(|on| on.contains(&i) && on.contains(&j));
                if planes.is_empty() || both.count() >= 2 {
                    let edge = shortened(minus(&points[i], &points[j]));
                    // Of the two directions of an edge, always the same.
                    edges.insert(edge.clone().max(negated(&edge)));
                }
            }
        }
        Self { normals: planes.into_keys().collect(), edges }
    }
}

fn is_zero(vector: &Vector) -> bool {
    vector.iter().all(IBig::is_zero)
}

fn negated(vector: &Vector) -> Vector {
    vector.clone().map(|coordinate| -coordinate)
}

fn unit(vector: &Vector) -> [f64; 3] {
    let square = dot(vector, vector);
    vector.each_ref().map(|coordinate| {
        let size = nearest_root(&(coordinate * coordinate), &square, 0);
        if *coordinate < IBig::ZERO { -size } else { size }
    })
}

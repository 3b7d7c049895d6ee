//! The distance of two convex bodies that are known by their furthest points along directions.
//!
//! The algorithm of Gilbert, Johnson and Keerthi (1988). Every direction that it tries gives a lower bound of the distance:
//! the gap between the two bodies along it. The points that it finds give an upper bound.
//!
//! Roundings are left out: a ball is searched as its center, and a capsule as a segment. Their sum is the margin, a distance
//! within which the bodies touch. So a search of bodies that are round everywhere ends after a few steps.

use crate::convex::nearest_to_origin;
use glam::DVec3;

/// The most steps. Most pairs need fewer than ten.
const MOST_STEPS: usize = 96;

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Whether the bodies are within the margin.
    Decide,
    /// How far they are apart.
    Measure,
}

/// How far two convex bodies are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// The distance is at least this, and the gap along `direction`, too.
    pub(super) lower: f64,
    /// The distance is at most this, up to the error.
    pub(super) upper: f64,
    /// A point of each body, `upper` apart.
    pub(super) points: [DVec3; 2],
    /// A unit vector from the first body to the second; zero if no gap was found.
    pub(super) direction: DVec3,
}

/// Searches two convex bodies. `furthest` returns the point of the first body that is furthest along a direction, and the
/// point of the second that is furthest against it. `start` is a vector from the first body to the second, about. The error
/// bounds the rounding of a gap. If the goal is to decide, the search ends when one of the bounds is beyond the margin.
#[inline]
pub(super) fn gap(
    furthest: impl Fn(DVec3) -> [DVec3; 2],
    start: DVec3,
    (margin, error): (f64, f64),
    goal: Goal,
) -> Gap {
    let mut simplex = Simplex::default();
    simplex.push(furthest(start));
    let mut best =
        Gap { lower: 0.0, upper: f64::INFINITY, points: simplex.points[0], direction: DVec3::ZERO };
    let mut last_sq = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let nearest = nearest_to_origin(&simplex.differences[..simplex.len]);
        simplex.keep(nearest.weights);
        // By the weights, and not as found: it is a difference of points of the bodies even if the simplex is nearly flat.
        let points = simplex.closest();
        let point = points[0] - points[1];
        let distance_sq = point.length_squared();
        if simplex.len == 4 || simplex.len == 0 || distance_sq <= error * error {
            // The bodies overlap, or nothing can be said about them, which counts as the same.
            return Gap { lower: 0.0, upper: 0.0, points, ..best };
        }
        let distance = distance_sq.sqrt();
        if distance < best.upper {
            (best.upper, best.points) = (distance, points);
        }
        if goal == Goal::Decide && best.upper <= margin {
            break;
        }
        let toward = -point / distance;
        let points = furthest(toward);
        let along = toward.dot(points[1] - points[0]) - error;
        if along > best.lower {
            (best.lower, best.direction) = (along, toward);
        }
        let is_enough = match goal {
            Goal::Decide => best.lower > margin,
            Goal::Measure => best.upper - best.lower <= 1e-13 * best.upper + 4.0 * error,
        };
        // If the point comes no closer, nothing more can be found in this precision.
        let is_last = distance_sq >= last_sq || simplex.contains(points);
        if is_enough || is_last {
            break;
        }
        last_sq = distance_sq;
        simplex.push(points);
    }
    best
}

/// Up to four differences of points of the two bodies.
#[derive(Clone, Copy, Debug, Default)]
struct Simplex {
    differences: [DVec3; 4],
    points: [[DVec3; 2]; 4],
    weights: [f64; 4],
    len: usize,
}

impl Simplex {
    fn push(&mut self, points: [DVec3; 2]) {
        self.differences[self.len] = points[0] - points[1];
        self.points[self.len] = points;
        self.weights[self.len] = if self.len == 0 { 1.0 } else { 0.0 };
        self.len += 1;
    }

    /// Keeps the points with a weight.
    fn keep(&mut self, weights: [f64; 4]) {
        let mut len = 0;
        for (i, weight) in weights.into_iter().enumerate().take(self.len) {
            if weight > 0.0 {
                self.differences[len] = self.differences[i];
                self.points[len] = self.points[i];
                self.weights[len] = weight;
                len += 1;
            }
        }
        self.len = len;
    }

    fn contains(&self, points: [DVec3; 2]) -> bool {
        self.differences[..self.len].contains(&(points[0] - points[1]))
    }

    /// The points of both bodies that the weights stand for.
    fn closest(&self) -> [DVec3; 2] {
        let mut closest = [DVec3::ZERO; 2];
        for i in 0..self.len {
            closest[0] += self.points[i][0] * self.weights[i];
            closest[1] += self.points[i][1] * self.weights[i];
        }
        closest
    }
}

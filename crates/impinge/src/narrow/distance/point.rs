//! The distance of a point and a triangle in plain floating point, with a bound on its error.
//!
//! [`Estimate::new`] guesses the closest feature of the triangle (corner, edge or face) and a direction n from the
//! point to it. Two facts turn the guess into a proof, however it was found. With corners relative to the point:
//!
//! - The triangle is no closer than `min n·X / |n|` over its three corners X.
//! - It is no farther than any of its points q. With q on the feature, `n·q` is at most the maximum of `n·X` over the
//!   corners of the feature. If q is off the direction n by an angle whose tangent is τ, then
//!   `|q| ≤ n·q / |n| · (1 + τ²/2)`.
//!
//! For the right feature both bounds are equal but for rounding. Rounding errors, with u = 2⁻⁵³ and m the largest
//! magnitude of a coordinate of X: X is off by u in each coordinate, relative to that coordinate, and `n·X` passes
//! through at most three more roundings. So `n·X` is off by at most `4 u |n| |X|`, and `|X| ≤ √3 m`, which is below
//! `4 ε |n| m` with ε = 2u; second-order terms fit in the difference to `3.5 ε`. Underflow adds 2⁻¹⁰⁷³ to the sum of
//! products, which is far less within the limits of [`MODERATE`] and [`SHORTEST_SQ`], unless m is tiny: m is taken for
//! at least ε times the largest coordinate of the three corners.
//!
//! So a distance is proven if it exceeds about a thousandth of the length of the closest edge or the size of the closest
//! face. A distance to a corner is nearly always proven.

use super::{features::Feature, guess::closest_feature};
use crate::narrow::Triangle;
use glam::DVec3;
use std::ops::RangeInclusive;

/// Largest coordinates for which no product overflows, and none underflows that matters.
const MODERATE: RangeInclusive<f64> = 1e-30..=1e30;

/// The least square of the length of a direction; shorter directions prove nothing.
const SHORTEST_SQ: f64 = 1e-200;

/// Bound on the error of `n·X`, relative to `|n| m`.
const PRODUCT_ERROR: f64 = 4.0 * f64::EPSILON;

/// Either bound may differ by this from the height, relative to it. Together with [`OFF_SQ`] and four roundings of the
/// quotient this stays below 1e-12.
const GAP: f64 = 8e-13;

/// Maximum of τ²: adds half of it, 1e-13, to the upper bound.
const OFF_SQ: f64 = 2e-13;

/// Bounds on the distance of a point and a triangle.
pub(super) struct Estimate {
    /// The closest point, as weights of the corners.
    pub(super) weights: [f64; 3],
    /// The maximum of `n·X` over the corners of the feature, as computed.
    height: f64,
    /// An upper bound of the maximum.
    highest: f64,
    /// A lower bound of `n·X` over all corners.
    lowest: f64,
    length_sq: f64,
    /// The feature is a corner: the height is the square of its distance.
    is_corner: bool,
    /// The upper bound holds.
    is_reached: bool,
}

impl Estimate {
    /// The corners must be sorted: then triangles with a common edge or corner get the same distance, to the last
    /// bit, if they are closest there. `None` for coordinates of extreme magnitude.
    #[inline]
    pub(super) fn new(triangle: &Triangle, point: DVec3) -> Option<Self> {
        let corners @ [a, ..] = triangle.map(|corner| corner - point);
        let sizes = corners.map(|corner| corner.abs().max_element());
        let largest = sizes[0].max(sizes[1]).max(sizes[2]);
        if !MODERATE.contains(&largest) {
            return None;
        }
        let feature = closest_feature(&corners, DVec3::ZERO);
        let (weights, direction, reached) = match feature {
            Feature::Corner(i) => {
                let (mut weights, i) = ([0.0; 3], usize::from(i));
                weights[i] = 1.0;
                (weights, corners[i], corners[i])
            }
            Feature::Edge(i) => {
                let (from, to) = [(0, 1), (1, 2), (0, 2)][usize::from(i)];
                let along = triangle[to] - triangle[from];
                let length_sq = along.length_squared();
                let fraction = -corners[from].dot(along) / length_sq;
                let foot = corners[from] + along * fraction;
                // Rounding leaves a component along the edge, which matters where the edge is long compared with
                // the distance.
                let direction = foot - along * (foot.dot(along) / length_sq);
                let mut weights = [0.0; 3];
                (weights[from], weights[to]) = (1.0 - fraction, fraction);
                (weights, direction, foot)
            }
            Feature::Face => {
                let (u, v) = (triangle[1] - triangle[0], triangle[2] - triangle[0]);
                let normal = u.cross(v);
                let whole = normal.length_squared();
                // The weights of b and c: the areas of the triangles opposite to them, seen along the normal.
                let (s, t) = (normal.dot(v.cross(a)) / whole, normal.dot(a.cross(u)) / whole);
                let direction = if normal.dot(a) < 0.0 { -normal } else { normal };
                ([1.0 - (s + t), s, t], direction, a + (u * s + v * t))
            }
        };
        let length_sq = direction.length_squared();
        let unit = PRODUCT_ERROR * length_sq.sqrt();
        let (mut height, mut highest) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut lowest = f64::INFINITY;
        for i in 0..3 {
            let (own, error) =
                (direction.dot(corners[i]), unit * sizes[i].max(f64::EPSILON * largest));
            lowest = lowest.min(own - error);
            if weights[i] > 0.0 {
                height = height.max(own);
                highest = highest.max(own + error);
            }
        }
        let is_on_feature = weights.iter().all(|weight| *weight >= 0.0);
        let along = direction.dot(reached);
        let off_sq = direction.cross(reached).length_squared();
        Some(Self {
            weights,
            height,
            highest,
            lowest,
            length_sq,
            is_corner: matches!(feature, Feature::Corner(_)),
            is_reached: is_on_feature && off_sq <= OFF_SQ * along * along,
        })
    }

    /// Whether the triangle is certainly farther than a distance.
    #[inline]
    pub(super) fn is_farther(&self, distance: f64) -> bool {
        // Squared lengths below the least one are not known well enough to divide by.
        self.length_sq >= SHORTEST_SQ
            && self.lowest > distance * self.length_sq.sqrt() * (1.0 + 8.0 * f64::EPSILON)
    }

    /// The distance, if it is proven to be within a relative 1e-12 of the truth.
    #[inline]
    pub(super) fn distance(&self) -> Option<f64> {
        let is_proven = self.is_reached
            && self.length_sq >= SHORTEST_SQ
            && self.height - self.lowest <= GAP * self.height
            && self.highest - self.height <= GAP * self.height;
        is_proven.then(|| match self.is_corner {
            true => self.height.sqrt(),
            false => self.height / self.length_sq.sqrt(),
        })
    }
}

//! The distance of a circle in space, the ring in the middle of a torus, to points, segments and triangles.
//!
//! The distance g of a point P to the ring is known in closed form. With the center as the origin, ρ the distance of P
//! from the axis, and R the radius of the ring, `g² = |P|² + R² − 2Rρ`.
//!
//! # Segments
//! Let P run evenly from P₀ to P₁, which are L apart, as s runs from 0 to 1. `|P|²` is the mean of its values at the ends
//! less `s(1 − s) L²`. As seen along the axis, P moves on a line. So ρ is convex in s, with the second derivative `K²/ρ³`,
//! where K is twice the area of the triangle that the axis and both ends form in that view. It is at least `m = K²/ρₘ³`, with ρₘ
//! the larger ρ of both ends. Thus ρ is at most the mean of its values at the ends less `s(1 − s) m/2`, and
//!
//! `g² ≥ (1 − s) g₀² + s g₁² − s(1 − s) M` with `M = L² − R m`.
//!
//! The least value of the right side is a lower bound for the segment. If it decides nothing, the segment is halved. Its
//! error shrinks with the third power of the length, so few pieces are needed.
//!
//! # Triangles
//! Consider the points of a triangle's plane within a distance d of the ring. If a connected set of them lies inside the
//! triangle and meets no edge, it contains a local minimum of g in the plane. Such a minimum is the foot of a ring point
//! that is a local minimum of the distance to the plane: one of two points where the ring crosses the plane or, if it
//! does not, the one ring point closest to the plane. So these feet and the three edges decide.
//!
//! A ring point found in floating point may be far from the true one, if the ring is nearly parallel to the plane. It is
//! nevertheless as close to the plane, up to the error, and so are all ring points between the two. Their feet form a path.
//! If the path leaves the triangle, it crosses an edge, which is then as close.
//!
//! # Errors
//! Corners are taken relative to the center, and their rounding counts as a move of the triangle. A few dozen operations
//! follow on numbers no larger than the sum of all lengths. [`ROUNDINGS`] times the rounding of that sum covers them.

use crate::narrow::Triangle;
use glam::DVec3;

/// A bound of the rounding errors of a distance, in units of 2⁻⁵² of the largest length.
const ROUNDINGS: f64 = 64.0;

/// A circle around an axis, with its center as the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ring {
    pub(super) radius: f64,
    /// Of unit length.
    pub(super) axis: DVec3,
}

/// A search for the point of a body that is closest to a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct RingSearch {
    /// The distance of the closest point found so far, which may stand for any up to the error.
    pub(super) distance: f64,
    /// That point, relative to the center.
    pub(super) point: DVec3,
    /// The largest error of a distance as computed.
    pub(super) error: f64,
    /// Parts of the body that are farther from the ring are of no interest; the search ends when a point is found within
    /// this distance plus the error.
    pub(super) limit: f64,
    /// Whether the search ends there, or goes on for the closest point.
    pub(super) decides: bool,
}

/// A piece of a segment, from `t[0]` to `t[1]` in parts of the whole.
#[derive(Clone, Copy, Debug, Default)]
struct Piece {
    t: [f64; 2],
    ends: [End; 2],
}

/// A point and its distance from the ring and from the axis.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    distance: f64,
    from_axis: f64,
}

/// The most pieces that wait at a time: one for each time that a segment can be halved.
const MOST_PIECES: usize = 64;

impl RingSearch {
    /// A search that ends as soon as a point is found within a distance of a ring, for bodies whose points are at most
    /// `reach` from the center.
    pub(super) fn within(limit: f64, ring: &Ring, reach: f64) -> Self {
        let error = ROUNDINGS * f64::EPSILON * (limit + ring.radius + reach);
        Self { distance: f64::INFINITY, point: DVec3::ZERO, error, limit, decides: true }
    }

    /// A search for the closest point; `size` is the tube radius of the torus.
    pub(super) fn closest(size: f64, ring: &Ring, reach: f64) -> Self {
        Self { limit: f64::INFINITY, decides: false, ..Self::within(size, ring, reach) }
    }

    /// Whether the search has found what it is for.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.decides && self.distance <= self.limit + 2.0 * self.error
    }

    #[inline]
    pub(super) fn offer(&mut self, distance: f64, point: DVec3) {
        if distance < self.distance {
            (self.distance, self.point) = (distance, point);
        }
    }

    /// Whether points at least so far from the ring, as computed, need not be looked at.
    #[inline]
    pub(super) fn excludes(&self, bound: f64) -> bool {
        match self.decides {
            true => bound > self.limit + self.error,
            // Nothing is gained by what is closer by less than the error.
            false => bound >= self.distance - 2.0 * self.error,
        }
    }
}

impl Ring {
    /// The distance of a point from the ring, and from the axis.
    #[inline]
    fn end(&self, point: DVec3) -> End {
        let along = self.axis.dot(point);
        let from_axis = (point - self.axis * along).length();
        let outward = from_axis - self.radius;
        End { distance: (outward * outward + along * along).sqrt(), from_axis }
    }

    /// The distance of a point from the ring.
    #[inline]
    pub(super) fn distance(&self, point: DVec3) -> f64 {
        self.end(point).distance
    }

    /// The point of the ring that is closest to a point; any one for points on the axis.
    pub(super) fn nearest(&self, point: DVec3) -> DVec3 {
        let sideways = point - self.axis * self.axis.dot(point);
        self.radius * sideways.try_normalize().unwrap_or_else(|| self.axis.any_orthonormal_vector())
    }

    /// Searches a triangle, with corners relative to the center.
    pub(super) fn search_triangle(&self, corners: &Triangle, search: &mut RingSearch) {
        let [a, b, c] = *corners;
        let normal = accurate_cross(b - a, c - a);
        let length = normal.length();
        if length > 0.0 && length.is_finite() {
            let normal = normal / length;
            let offset = normal.dot(a);
            let across = normal.cross(self.axis).length();
            let gap = offset.abs() - self.radius * across;
            // No point of the plane is close enough.
            if search.excludes(gap) {
                return;
            }
            self.search_face(corners, normal, offset, search);
        }
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if search.is_done() {
                return;
            }
            self.search_segment([from, to], search);
        }
    }

    /// Searches the inside of a triangle, for the feet of the ring points that are closest to the plane.
    fn search_face(&self, corners: &Triangle, normal: DVec3, offset: f64, search: &mut RingSearch) {
        let sideways = normal - self.axis * self.axis.dot(normal);
        let across = sideways.length();
        let toward = match across > 16.0 * f64::EPSILON {
            // Where little is left of the normal, it is no longer at a right angle to the axis.
            true => (sideways - self.axis * self.axis.dot(sideways)).normalize(),
            // Parallel to the plane, so that all points of the ring are equally close.
            false => self.axis.any_orthonormal_vector(),
        };
        let cosine = (offset / (self.radius * across)).clamp(-1.0, 1.0);
        let cosine = if cosine.is_nan() { 1.0 } else { cosine };
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let beside = self.axis.cross(toward);
        for sign in [1.0, -1.0] {
            let on_ring = (toward * cosine + beside * (sign * sine)) * self.radius;
            let height = normal.dot(on_ring - corners[0]);
            let foot = on_ring - normal * height;
            // A foot next to an edge may count as outside, because the edge is as close. It must not count as inside if it
            // is outside, which is possible far beyond the tip of a thin triangle.
            let is_inside = (0..3).all(|i| {
                let edge = corners[(i + 1) % 3] - corners[i];
                let beyond = normal.dot(edge.cross(foot - corners[i]));
                beyond >= 0.25 * search.error * edge.length()
            });
            if is_inside {
                search.offer(height.abs(), foot);
            }
            if sine == 0.0 {
                break;
            }
        }
    }

    /// Searches a segment, with ends relative to the center.
    pub(super) fn search_segment(&self, [from, to]: [DVec3; 2], search: &mut RingSearch) {
        let offset = to - from;
        let length = offset.length();
        // Twice the area of the triangle that the axis and both ends form as seen along the axis, at most.
        let area = self.axis.dot(from.cross(to)).abs();
        let area = (area - 16.0 * f64::EPSILON * from.length() * to.length()).max(0.0);
        let ends = [self.end(from), self.end(to)];
        search.offer(ends[0].distance, from);
        search.offer(ends[1].distance, to);
        let mut waiting = [Piece::default(); MOST_PIECES];
        waiting[0] = Piece { t: [0.0, 1.0], ends };
        let mut count = 1;
        while count > 0 && !search.is_done() {
            count -= 1;
            let Piece { t, ends: [first, last] } = waiting[count];
            let part = t[1] - t[0];
            let longest = first.from_axis.max(last.from_axis) + search.error;
            let spread = area * part / longest;
            let dip = length * part * (length * part) - self.radius * (spread * spread / longest);
            let bound = lower_bound([first.distance, last.distance], dip);
            if search.excludes(bound) {
                continue;
            }
            if count + 2 > MOST_PIECES {
                // Impossible: pieces shorter than the error are excluded, or end the search. On the safe side:
                search.offer(0.0, from);
                return;
            }
            let middle = 0.5 * (t[0] + t[1]);
            let point = from + offset * middle;
            let end = self.end(point);
            search.offer(end.distance, point);
            let halves = [
                Piece { t: [t[0], middle], ends: [first, end] },
                Piece { t: [middle, t[1]], ends: [end, last] },
            ];
            // The half with the closer end is searched first.
            let order = if first.distance < last.distance { [1, 0] } else { [0, 1] };
            waiting[count] = halves[order[0]];
            waiting[count + 1] = halves[order[1]];
            count += 2;
        }
    }
}

/// The root of the least value of `(1 − s) a² + s b² − s(1 − s) dip` for s from 0 to 1; 0 if that is negative.
#[inline]
pub(super) fn lower_bound([a, b]: [f64; 2], dip: f64) -> f64 {
    let (a_sq, b_sq) = (a * a, b * b);
    let difference = a_sq - b_sq;
    if dip <= difference.abs() {
        return a.min(b);
    }
    let least = 0.5 * (a_sq + b_sq) - 0.25 * dip - 0.25 * difference * (difference / dip);
    least.max(0.0).sqrt()
}

/// A cross product with components that are accurate to two roundings each, however parallel the vectors are.
fn accurate_cross(u: DVec3, v: DVec3) -> DVec3 {
    // Kahan's difference of products.
    let difference = |a: f64, b: f64, c: f64, d: f64| {
        let second = c * d;
        let lost = c.mul_add(-d, second);
        a.mul_add(b, -second) + lost
    };
    DVec3::new(
        difference(u.y, v.z, u.z, v.y),
        difference(u.z, v.x, u.x, v.z),
        difference(u.x, v.y, u.y, v.x),
    )
}

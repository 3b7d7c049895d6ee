//! Whether a ray meets a triangle, and where first: exact, with a float filter before it.
//!
//! Ray queries over meshes call [`ray_hit`] for every face that their search structure proposes. It relies on
//! the integers of `exact/` where floating point cannot tell.
//!
//! # Which signs decide
//!
//! Let the ray be `o + t d`, and A, B, C the corners as seen from o. The line of the ray passes the edge from A to
//! B on the side that the sign of `d·(A×B)` tells, and likewise the other two edges. The three numbers add up to
//! `d·n`, where n is the triangle's normal `(B−A)×(C−A)`.
//!
//! - If one of them is positive and one negative, the line misses the triangle.
//! - If none is negative or none positive, and not all are 0, the line meets the triangle in one point, at
//!   `t = n·A / n·d`. The denominator is not 0, because it is the sum of the three.
//! - If all are 0, the line and the triangle lie in one plane (or the triangle is a segment or a point, and the line
//!   meets its line). Then the first common point is the origin, a corner, or a point where the line crosses an edge.
//!
//! Neighbouring faces see a common edge by the same number with the opposite sign. All signs are exact, so a ray
//! through a common edge or corner hits every face there: nothing slips through a closed mesh.

mod exact;

use super::Triangle;
use glam::DVec3;

/// The closed set of points `origin + t · direction` with `0 ≤ t ≤ t_max`.
///
/// The direction may have any length but 0, and `t` counts in that length. Without a limit `t_max` is infinite.
///
/// The end of a limited ray is the exact real point, which in general no `f64` holds: `t ≤ t_max` is decided as a
/// comparison of fractions. A ray with a limit serves searches, which shorten it as they find hits; where a segment
/// between two given points has to be decided exactly, give
/// [`triangles_intersect`](super::triangles_intersect) the degenerate triangle `[from, to, to]`.
///
/// A ray that exists is valid, so queries cannot fail.
///
/// ```
/// use impinge::{glam::DVec3, narrow::{Ray, ray_hit}};
///
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let ray = Ray::new(DVec3::new(0.25, 0.25, 3.0), DVec3::new(0.0, 0.0, -2.0))?;
/// assert_eq!(ray_hit(&ray, &floor), Some(1.5));
/// assert_eq!(ray_hit(&ray.up_to(1.25)?, &floor), None);
/// # Ok::<(), impinge::narrow::RayError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: DVec3,
    direction: DVec3,
    t_max: f64,
}

/// Why numbers are not a [`Ray`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RayError {
    /// A coordinate of the origin is NaN or infinite.
    #[error("the ray's origin has the coordinate {value} on axis {axis}, not a finite number")]
    OriginNotFinite {
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// A component of the direction is NaN or infinite.
    #[error("the ray's direction has the component {value} on axis {axis}, not a finite number")]
    DirectionNotFinite {
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
        /// The component.
        value: f64,
    },
    /// All three components of the direction are 0.
    #[error("the ray's direction is zero")]
    NoDirection,
    /// The limit is negative or NaN.
    #[error("the ray's limit is {t_max}, but it has to be at least 0")]
    BadLimit {
        /// The limit that was asked for.
        t_max: f64,
    },
}

impl Ray {
    /// A ray without a limit. Both vectors must be finite, and the direction not zero.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Self, RayError> {
        for (axis, value) in origin.to_array().into_iter().enumerate() {
            if !value.is_finite() {
                return Err(RayError::OriginNotFinite { axis, value });
            }
        }
        for (axis, value) in direction.to_array().into_iter().enumerate() {
            if !value.is_finite() {
                return Err(RayError::DirectionNotFinite { axis, value });
            }
        }
        if direction == DVec3::ZERO {
            return Err(RayError::NoDirection);
        }
        Ok(Self { origin, direction, t_max: f64::INFINITY })
    }

    /// The same ray with another limit, which may be 0 (the origin alone) or infinite (none).
    pub fn up_to(self, t_max: f64) -> Result<Self, RayError> {
        if t_max >= 0.0 { Ok(Self { t_max, ..self }) } else { Err(RayError::BadLimit { t_max }) }
    }

    /// Where the ray starts.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The displacement per unit of `t`.
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The largest `t` that belongs to the ray; infinite if there is no limit.
    pub fn t_max(&self) -> f64 {
        self.t_max
    }

    /// The point `origin + t · direction`, rounded.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }
}

/// Returns the parameter `t` of the first point that a ray and a closed triangle share; `None` if they share none.
///
/// Whether they share a point is exact for every finite `f64`, with no tolerance: an edge or a corner counts as any
/// other point, so does a ray within the triangle's plane, and a degenerate triangle is the segment or point that it
/// is. So a ray through an edge or a corner that faces share hits all of them.
///
/// The parameter is within a relative 1e-12 of the true one (within one denormal step if it is below the least normal
/// `f64`). It is 0 exactly if the origin lies on the triangle, at most the ray's limit, and `f64::MAX` where the true
/// one is larger. It depends on the ray and the corners alone, so hits sorted by it, and by face number where it is
/// equal, always come in the same order.
#[inline]
pub fn ray_hit(ray: &Ray, triangle: &Triangle) -> Option<f64> {
    match estimate(ray, triangle) {
        Estimate::Miss => None,
        Estimate::Hit(t) => Some(t),
        Estimate::Unsure => exact::first_hit(ray, triangle),
    }
}

/// What floating point can tell about a ray and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Estimate {
    /// They certainly share no point.
    Miss,
    /// They certainly share a point, at a parameter that is known to a relative 1e-12.
    Hit(f64),
    Unsure,
}

/// Half the distance from 1 to the next `f64`: the largest relative error of one operation.
const UNIT: f64 = f64::EPSILON / 2.0;

/// The relative error that numerator and denominator of `t` may each have. Twice this leaves room up to the 1e-12
/// promised for the division and all terms of second order.
const SHARE: f64 = 4e-13;

/// How far from the limit a parameter must be, relatively, to be compared with it in floating point.
const APART: f64 = 1e-12;

/// The test of Möller and Trumbore (1997), with a bound of the error of each number.
///
/// With `u = B − A`, `v = C − A`, `w = A − o`, `q = d × w`, `n = u × v` the three numbers of the module's head are
/// `q·u`, `−q·v` and the rest that makes their sum `n·d`.
///
/// Each of `q·u`, `q·v` is a sum of six products of three factors. A product passes through at most seven roundings:
/// two differences, two products, one difference of the cross product, two sums of the dot product. With dm, wm, um
/// at least all components of d, w and of u and v, the sum is off by at most 6 · 7 units of `dm wm um` in first order,
/// and so is `n·d` by 42 units of `dm um um`. The remaining number is off by the errors of all three, and by two
/// roundings of numbers below their sum: 6 · 9 units of `dm um um + 2 dm wm um`. One more of each six covers the
/// higher orders and the rounding of the bounds themselves.
///
/// Underflow: a product that underflows loses up to 2^−1075, which is multiplied by at most one more factor. With
/// all components below 1e102 the losses add up to less than 1e-220, while a bound's product above 1e-200 makes six
/// units of it 6e-216: the spare units cover that too. Outside these limits, and for NaN, nothing is decided.
#[inline]
fn estimate(ray: &Ray, [a, b, c]: &Triangle) -> Estimate {
    let d = ray.direction;
    let (u, v, w) = (*b - *a, *c - *a, *a - ray.origin);
    let (q, n) = (d.cross(w), u.cross(v));
    let (first, second, sum) = (q.dot(u), -q.dot(v), n.dot(d));
    let third = (sum - first) - second;

    let (dm, wm) = (d.abs().max_element(), w.abs().max_element());
    let um = u.abs().max(v.abs()).max_element();
    let (far, flat) = (dm * wm * um, dm * um * um);
    let is_in_range = far > 1e-200 && flat > 1e-200 && dm.max(wm).max(um) < 1e102;
    if !is_in_range {
        return Estimate::Unsure;
    }
    let bound = 48.0 * UNIT * far;
    let third_bound = 60.0 * UNIT * (flat + 2.0 * far);
    let is_positive = [first > bound, second > bound, third > third_bound];
    let is_negative = [first < -bound, second < -bound, third < -third_bound];
    if is_positive.contains(&true) && is_negative.contains(&true) {
        return Estimate::Miss;
    }
    if is_positive != [true; 3] && is_negative != [true; 3] {
        return Estimate::Unsure;
    }
    parameter(ray, [u, v, w, n], sum)
}

/// The second half of [`estimate`], for a line that certainly passes through the triangle, with `n·d = sum`.
///
/// Few come here, so the bounds are finer: six products each, one for one. Those of `n·w` have eight roundings, for w
/// is a difference too.
fn parameter(ray: &Ray, [u, v, w, n]: [DVec3; 4], sum: f64) -> Estimate {
    let height = n.dot(w);
    let (u, v) = (u.abs(), v.abs());
    let products = DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x);
    let (height_size, sum_size) = (products.dot(w.abs()), products.dot(ray.direction.abs()));
    if height_size.is_nan() || height_size <= 1e-200 || sum_size <= 1e-200 {
        return Estimate::Unsure;
    }
    let (height_bound, sum_bound) = (9.0 * UNIT * height_size, 8.0 * UNIT * sum_size);
    // The sign of the sum is that of the three numbers, whatever its own bound says.
    if height.abs() > height_bound && (height > 0.0) != (sum > 0.0) && sum.abs() > sum_bound {
        return Estimate::Miss;
    }
    let t = height / sum;
    let is_known = height_bound <= SHARE * height.abs() && sum_bound <= SHARE * sum.abs();
    // Far from overflow and underflow, where a quotient is rounded once.
    if !is_known || !(1e-290..1e290).contains(&t) {
        return Estimate::Unsure;
    }
    if t * (1.0 + APART) < ray.t_max {
        Estimate::Hit(t)
    } else if t * (1.0 - APART) > ray.t_max {
        Estimate::Miss
    } else {
        Estimate::Unsure
    }
}

//! Orientation predicates: signs of determinants, exact for all finite `f64`.
//!
//! Each is first computed in floating point with a proven error bound, and only if that cannot decide,
//! exactly. Signs are −1, 0 or 1.

use super::exact::{self, Determinant};
use glam::{DVec2, DVec3};

/// Half the distance from 1 to the next `f64`: the largest relative error of one operation.
const UNIT: f64 = f64::EPSILON / 2.0;

/// A bound on the rounding error of every `orient3d` determinant over a set of points that are close
/// together.
///
/// Let X, Y, Z be at least the absolute differences of the points along each axis. A determinant
/// `((b−a)×(c−a))·(d−a)` is a sum of six products of three differences, each at most XYZ. A product passes
/// through eight roundings (three differences, two products, three sums), so the result is off by at most 6 ·
/// 8 units of XYZ in first order. 49 units cover the higher orders and the rounding of X, Y, Z and of the
/// bound itself.
///
/// Underflow: if a product underflows, up to 2^−1075 is lost, and then multiplied by at most one more
/// difference. With all differences below 1e102 that is less than 1e-221 for any of the six products, while
/// XYZ above 1e-200 makes a unit of it 1e-216: the spare unit covers it too. Outside these limits, and for
/// NaN, the filter decides nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter3 {
    bound: f64,
}

impl Filter3 {
    /// A filter that decides nothing: every sign is left to the exact computation.
    pub(super) const NONE: Self = Self { bound: f64::INFINITY };

    /// A filter for points that differ by at most `extent` along each axis.
    #[inline]
    pub(super) fn new(extent: DVec3) -> Self {
        let product = extent.x * extent.y * extent.z;
        let in_range = product > 1e-200 && extent.max_element() < 1e102;
        if in_range { Self { bound: 49.0 * UNIT * product } } else { Self::NONE }
    }

    /// The largest error of a determinant; infinite if nothing is known.
    #[inline]
    pub(super) fn bound(self) -> f64 {
        self.bound
    }

    /// Whether the signs of three determinants, computed as `values`, are certain.
    #[inline]
    pub(super) fn are_certain(self, values: [f64; 3]) -> bool {
        values[0].abs() > self.bound && values[1].abs() > self.bound && values[2].abs() > self.bound
    }

    /// [`orient3d`] of points within this filter's extent.
    #[inline]
    pub(super) fn orient3d(self, a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
        let sign = self.sign((b - a).cross(c - a).dot(d - a));
        sign.unwrap_or_else(|| orient3d(a, b, c, d))
    }

    /// The sign of a determinant computed as `value`, if it is certain.
    #[inline]
    pub(super) fn sign(self, value: f64) -> Option<i32> {
        if value > self.bound {
            Some(1)
        } else if value < -self.bound {
            Some(-1)
        } else {
            None
        }
    }
}

/// The side of the plane through `a`, `b`, `c` on which `d` lies: 1 on the side from which they appear
/// counter-clockwise, −1 on the other, 0 in the plane (or if the three are collinear).
///
/// Meant for cases that a coarser filter could not decide.
#[cold]
#[inline(never)]
pub(crate) fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
    // Meshes that touch often share corners, and then the answer is known.
    if d == a || d == b || d == c {
        return 0;
    }
    let (u, v, w) = (b - a, c - a, d - a);
    let filter = Filter3::new(u.abs().max(v.abs()).max(w.abs()));
    match filter.sign(u.cross(v).dot(w)) {
        Some(sign) => sign,
        None => determinant3d(a, b, c, d).sign(),
    }
}

/// The determinant whose sign [`orient3d`] returns.
pub(super) fn determinant3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Determinant {
    exact::orient3d([a, b, c, d].map(|p| p.to_array()))
}

/// The sign of `direction · (q − p)`: 1 if `q` lies further along the direction than `p`, −1 if `p` does, 0 if neither.
#[inline]
pub(crate) fn compare_along(direction: DVec3, p: DVec3, q: DVec3) -> i32 {
    let apart = q - p;
    let (value, sum) = (direction.dot(apart), direction.abs().dot(apart.abs()));
    // A product passes through two roundings, the sums through two more: within 4 units of the sum in first order. A sum
    // above 1e-290 is far from underflow; an infinite or NaN sum fails the comparisons.
    let bound = 5.0 * UNIT * sum;
    if sum > 1e-290 && value.abs() > bound && bound < f64::INFINITY {
        if value > 0.0 { 1 } else { -1 }
    } else {
        exact::dot_difference(direction.to_array(), [p.to_array(), q.to_array()]).sign()
    }
}

/// 1 if the turn from `a` over `b` to `c` is to the left, −1 if to the right, 0 if the points are collinear.
#[inline]
pub(crate) fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> i32 {
    let (left, right) = ((b.x - a.x) * (c.y - a.y), (b.y - a.y) * (c.x - a.x));
    let (value, sum) = (left - right, left.abs() + right.abs());
    // A product passes through three roundings, the difference through one more: within 4 units of the sum in
    // first order. A sum above 1e-290 is far from underflow; an infinite or NaN sum fails the comparisons.
    let bound = 5.0 * UNIT * sum;
    if sum > 1e-290 && value.abs() > bound && bound < f64::INFINITY {
        return if value > 0.0 { 1 } else { -1 };
    }
    determinant2d(a, b, c).sign()
}

/// The determinant whose sign [`orient2d`] returns, without a filter.
#[cold]
#[inline(never)]
pub(super) fn determinant2d(a: DVec2, b: DVec2, c: DVec2) -> Determinant {
    exact::orient2d([a, b, c].map(|p| p.to_array()))
}

/// A projection to a coordinate plane, named by the axis that is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    AlongX,
    AlongY,
    AlongZ,
}

impl Projection {
    pub(super) const ALL: [Self; 3] = [Self::AlongX, Self::AlongY, Self::AlongZ];

    #[inline]
    pub(crate) fn of(self, point: DVec3) -> DVec2 {
        match self {
            Self::AlongX => DVec2::new(point.y, point.z),
            Self::AlongY => DVec2::new(point.z, point.x),
            Self::AlongZ => DVec2::new(point.x, point.y),
        }
    }

    /// [`orient2d`] of three projected points.
    #[inline]
    pub(super) fn orient(self, a: DVec3, b: DVec3, c: DVec3) -> i32 {
        orient2d(self.of(a), self.of(b), self.of(c))
    }

    /// The first projection in which the points are not collinear; `None` if they are collinear.
    pub(crate) fn spreading(a: DVec3, b: DVec3, c: DVec3) -> Option<Self> {
        Self::ALL.into_iter().find(|projection| projection.orient(a, b, c) != 0)
    }
}

/// Whether three points are collinear or equal; exact.
pub(crate) fn is_collinear([a, b, c]: [DVec3; 3]) -> bool {
    Projection::spreading(a, b, c).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_oracle::cases::families;

    /// Compares the filter and both exact computations with big integers, on points of all magnitudes.
    #[test]
    fn signs_agree_with_big_integers() {
        let mut counts = [0usize; 3];
        for family in families() {
            for seed in 0..3_000 {
                let (s, t) = family.pair(seed);
                let p = [s[0], s[1], s[2], t[0], t[1], t[2]];
                for [i, j, k, l] in [[0, 1, 2, 3], [3, 4, 5, 0], [0, 1, 3, 4], [5, 2, 1, 4]] {
                    let [a, b, c, d] = [i, j, k, l].map(|n: usize| DVec3::from_array(p[n]));
                    // The oracle uses the fourth point as origin, which flips the sign.
                    let expected = -impinge_oracle::orient3d_sign(p[i], p[j], p[k], p[l]);
                    let case = format!("{} seed {seed}", family.name);
                    assert_eq!(orient3d(a, b, c, d), expected, "exact: {case}");
                    let bounds = crate::Bounds::enclosing([a, b, c, d]);
                    let filtered = Filter3::new(bounds.size()).orient3d(a, b, c, d);
                    assert_eq!(filtered, expected, "filtered: {case}");
                    counts[(expected + 1) as usize] += 1;

                    for projection in Projection::ALL {
                        let flat = [a, b, c].map(|q| projection.of(q));
                        let [f, g, h] = flat.map(|q| q.to_array());
                        let expected = impinge_oracle::orient2d_sign(f, g, h);
                        assert_eq!(orient2d(flat[0], flat[1], flat[2]), expected, "{case}");
                    }
                }
            }
        }
        assert!(counts.iter().all(|&n| n > 10_000), "too few cases of one sign: {counts:?}");
    }
}

//! The distance between two triangles, as an exact fraction.
//!
//! If two triangles do not meet, their distance is attained by two corners, by a corner and a point inside an
//! edge or a face, or by two points inside edges. All such pairs of features are tried, and the smallest squared
//! distance is kept. Nothing is rounded: every value is a fraction of integers.

use crate::round::nearest_root;
use crate::scale::decompose;
use crate::touch::{Triangle, cross, triangles_touch};
use dashu_int::IBig;
use std::cmp::Ordering;

pub(crate) type Vector = [IBig; 3];

/// The exact square of a distance: `numerator / denominator * 4^exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SquaredDistance {
    /// Never negative.
    pub numerator: IBig,
    /// Always positive.
    pub denominator: IBig,
    /// Half the power of two to multiply by.
    pub exponent: i32,
}

/// Returns the exact square of the smallest distance between the two closed triangles.
///
/// Zero if and only if [`triangles_touch`]. A degenerate triangle is the segment or the point that
/// its corners span.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn closest_distance_squared(a: &Triangle, b: &Triangle) -> SquaredDistance {
    // One power of two for all axes, unlike in the other modules: lengths must stay in proportion.
    let parts = [a, b].map(|t| t.map(|corner| corner.map(decompose)));
    let nonzero = parts.iter().flatten().flatten().filter(|(mantissa, _)| *mantissa != 0);
    let exponent = nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0);
    if triangles_touch(a, b) {
        return SquaredDistance { numerator: IBig::ZERO, denominator: IBig::ONE, exponent };
    }
    let [a, b] = parts.map(|t| {
        t.map(|corner| {
            corner.map(|(mantissa, own)| match mantissa {
                0 => IBig::ZERO,
                _ => IBig::from(mantissa) << (own - exponent) as usize,
            })
        })
    });
    let mut least = Least(None);
    for (s, t) in [(&a, &b), (&b, &a)] {
        for corner in s {
            for i in 0..3 {
                least.offer(dot(&minus(corner, &t[i]), &minus(corner, &t[i])), IBig::ONE);
                least.offer_corner_and_edge(corner, &t[i], &t[(i + 1) % 3]);
            }
            least.offer_corner_and_face(corner, t);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            least.offer_edges([&a[i], &a[(i + 1) % 3]], [&b[j], &b[(j + 1) % 3]]);
        }
    }
    let (numerator, denominator) = least.0.expect("corners have been offered");
    SquaredDistance { numerator, denominator, exponent }
}

/// The smallest fraction so far.
struct Least(Option<(IBig, IBig)>);

impl Least {
    /// Considers a fraction with a positive denominator.
    fn offer(&mut self, numerator: IBig, denominator: IBig) {
        let is_less = match &self.0 {
            None => true,
            Some((n, d)) => &numerator * d < n * &denominator,
        };
        if is_less {
            self.0 = Some((numerator, denominator));
        }
    }

    /// Considers the distance to the foot of the perpendicular, if the foot lies inside the edge.
    fn offer_corner_and_edge(&mut self, corner: &Vector, from: &Vector, to: &Vector) {
        let (along, apart) = (minus(to, from), minus(corner, from));
        let (foot, length) = (dot(&apart, &along), dot(&along, &along));
        if foot > IBig::ZERO && foot < length {
            // Pythagoras: |apart|² − (foot / |along|)².
            self.offer(dot(&apart, &apart) * &length - &foot * &foot, length);
        }
    }

    /// Considers the height over the face, if the foot of the perpendicular lies inside the face.
    fn offer_corner_and_face(&mut self, corner: &Vector, face: &[Vector; 3]) {
        // The foot is y0 + p u + q v; the normal equations give p and q over their determinant.
        let (u, v) = (minus(&face[1], &face[0]), minus(&face[2], &face[0]));
        let w = minus(corner, &face[0]);
        let (uu, uv, vv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v));
        let (uw, vw) = (dot(&u, &w), dot(&v, &w));
        let determinant = &uu * &vv - &uv * &uv;
        let p = &uw * &vv - &vw * &uv;
        let q = &vw * &uu - &uw * &uv;
        let within = p >= IBig::ZERO && q >= IBig::ZERO && &p + &q <= determinant;
        if within && determinant > IBig::ZERO {
            // |w|² less the part of w in the plane, p uw + q vw.
            let height = dot(&w, &w) * &determinant - p * uw - q * vw;
            self.offer(height, determinant);
        }
    }

    /// Considers the distance of the two lines, if it is attained inside both edges.
    fn offer_edges(&mut self, [p, p_end]: [&Vector; 2], [q, q_end]: [&Vector; 2]) {
        let (u, v, w) = (minus(p_end, p), minus(q_end, q), minus(q, p));
        let normal = cross(&u, &v);
        let determinant = dot(&normal, &normal);
        if determinant.is_zero() {
            return; // parallel: then a corner of one is as close
        }
        let (uu, uv, vv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v));
        let (uw, vw) = (dot(&u, &w), dot(&v, &w));
        let s = &uw * &vv - &vw * &uv;
        let t = &uw * &uv - &vw * &uu;
        let within = |x: &IBig| *x >= IBig::ZERO && *x <= determinant;
        if within(&s) && within(&t) {
            let volume = dot(&normal, &w);
            self.offer(&volume * &volume, determinant);
        }
    }
}

impl SquaredDistance {
    /// Returns the `f64` nearest to the distance.
    pub fn to_f64(&self) -> f64 {
        nearest_root(&self.numerator, &self.denominator, self.exponent)
    }

    /// Returns whether the shapes touch.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Returns whether `distance` is right to a relative 2^-40, which is 9.1e-13; checked without rounding. A
    /// distance too small for 40 bits in an `f64` may be off by the smallest `f64`.
    pub fn is_near(&self, distance: f64) -> bool {
        if self.is_zero() || distance == 0.0 {
            return self.is_zero() && distance == 0.0;
        }
        distance.is_finite()
            && distance > 0.0
            && self.compare(&Range::around(distance).low).is_ge()
            && self.compare(&Range::around(distance).high).is_le()
    }

    /// Returns whether the exact distance is at least `distance`, up to the same tolerance.
    pub fn is_at_least(&self, distance: f64) -> bool {
        distance <= 0.0
            || (distance.is_finite() && self.compare(&Range::around(distance).low).is_ge())
    }

    /// Compares the distance with `mantissa * 2^exponent`, which must not be negative.
    fn compare(&self, (mantissa, exponent): &(IBig, i32)) -> Ordering {
        let shift = 2 * exponent.abs_diff(self.exponent) as usize;
        let (ours, theirs) = if *exponent < self.exponent { (shift, 0) } else { (0, shift) };
        let square = mantissa * mantissa * &self.denominator;
        (&self.numerator << ours).cmp(&(square << theirs))
    }
}

/// The interval that a rounded distance may stand for; both ends as mantissa and exponent.
struct Range {
    low: (IBig, i32),
    high: (IBig, i32),
}

impl Range {
    fn around(distance: f64) -> Self {
        if distance < f64::MIN_POSITIVE {
            let steps = IBig::from(distance.to_bits());
            return Self { low: (&steps - 1, -1074), high: (steps + 1, -1074) };
        }
        let (mantissa, exponent) = decompose(distance);
        let end = |factor: u64| (IBig::from(mantissa) * IBig::from(factor), exponent - 40);
        Self { low: end((1 << 40) - 1), high: end((1 << 40) + 1) }
    }
}

pub(crate) fn minus(p: &Vector, q: &Vector) -> Vector {
    std::array::from_fn(|axis| &p[axis] - &q[axis])
}

pub(crate) fn dot(u: &Vector, v: &Vector) -> IBig {
    (0..3).map(|axis| &u[axis] * &v[axis]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: Triangle = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn expect(b: Triangle, numerator: i32, denominator: i32) {
        let found = closest_distance_squared(&FLOOR, &b);
        let (n, d) = (IBig::from(numerator), IBig::from(denominator));
        let power = 2 * found.exponent.unsigned_abs() as usize;
        let (up, down) = if found.exponent < 0 { (0, power) } else { (power, 0) };
        assert_eq!((&found.numerator * d) << up, (&found.denominator * n) << down, "{b:?}");
    }

    #[test]
    fn known_distances() {
        expect([[1.0, 1.0, 3.0], [9.0, 9.0, 9.0], [8.0, 7.0, 9.0]], 9, 1);
        expect([[4.0, 4.0, 0.0]; 3], 8, 1);
        expect([[-3.0, -4.0, 0.0], [-5.0, -4.0, 1.0], [-3.0, -9.0, 1.0]], 25, 1);
        expect([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]], 0, 1);
        // Over the edge x + y = 4, crossing it at right angles and a half above.
        expect([[1.0, 1.0, 0.5], [5.0, 5.0, 0.5], [5.0, 5.0, 8.0]], 1, 4);
    }

    #[test]
    fn the_tolerance_is_checked_to_the_last_bit() {
        let far = closest_distance_squared(&FLOOR, &[[0.0, 0.0, 1.0]; 3]);
        let step = 2f64.powi(-40);
        assert!(far.is_near(1.0) && far.is_near(1.0 + step) && far.is_near(1.0 - 0.99 * step));
        assert!(!far.is_near(1.0 + 1.01 * step) && !far.is_near(1.0 - 1.01 * step));
        assert!(!far.is_near(0.0) && !far.is_near(f64::NAN) && !far.is_near(-1.0));
        let touching = closest_distance_squared(&FLOOR, &FLOOR);
        assert!(touching.is_zero() && touching.is_near(0.0) && !touching.is_near(5e-324));
        // √2 of the least numbers lies between one and two of them.
        let tiny = f64::from_bits(1);
        let least = closest_distance_squared(&[[0.0; 3]; 3], &[[tiny, tiny, 0.0]; 3]);
        assert!(least.is_near(tiny) && least.is_near(2.0 * tiny) && !least.is_near(3.0 * tiny));
    }
}

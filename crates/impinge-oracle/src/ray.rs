//! The first point at which a ray meets a triangle, as an exact fraction.
//!
//! A triangle is the set of points in its plane that are on the inner side of the three planes through its edges,
//! orthogonal to the face. Along the ray each of these conditions is linear in the parameter, so it cuts off a
//! part of the parameter interval. The remaining interval is the common part of ray and triangle.

use crate::scale::decompose;
use crate::touch::{Triangle, cross};
use dashu_int::IBig;
use std::cmp::Ordering;

type Vector = [IBig; 3];

/// The exact parameter of a point on a ray: `numerator / denominator`.
#[derive(Debug, Clone)]
pub struct RayParameter {
    /// Never negative.
    pub numerator: IBig,
    /// Always positive.
    pub denominator: IBig,
}

/// Returns the parameter of the first point that the closed triangle shares with the points `origin + t *
/// direction`, for `t` from 0 to `t_max`; `None` if it shares none.
///
/// A degenerate triangle is the segment or the point that its corners span. An infinite `t_max` is no limit.
///
/// # Panics
///
/// If a coordinate is infinite or not a number, or the limit is negative or not a number.
pub fn first_hit_of_ray(
    origin: [f64; 3],
    direction: [f64; 3],
    t_max: f64,
    triangle: &Triangle,
) -> Option<RayParameter> {
    assert!(t_max >= 0.0, "the oracle answers for limits from 0 up, not {t_max}");
    // One power of two for all coordinates, which does not change the parameter.
    let [origin, direction, a, b, c] =
        to_common_integers(&[origin, direction, triangle[0], triangle[1], triangle[2]]);
    let high = t_max.is_finite().then(|| fraction(t_max));
    let low = RayParameter { numerator: IBig::ZERO, denominator: IBig::ONE };
    let mut clip = Clip { origin, direction, low, high, is_empty: false };

    let normal = cross(&minus(&b, &a), &minus(&c, &a));
    if normal.iter().any(|coordinate| !coordinate.is_zero()) {
        clip.keep_plane(&normal, &a);
        for (p, q) in [(&a, &b), (&b, &c), (&c, &a)] {
            clip.keep_half_space(&cross(&normal, &minus(q, p)), p);
        }
    } else {
        // For collinear corners, the longest edge is the whole triangle.
        let length = |&(p, q): &(&Vector, &Vector)| dot(&minus(q, p), &minus(q, p));
        let edges = [(&a, &b), (&b, &c), (&c, &a)];
        let (p, q) = edges.into_iter().max_by_key(length).expect("three edges");
        let along = minus(q, p);
        let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| axis.map(IBig::from));
        for axis in &axes {
            if p == q {
                clip.keep_plane(axis, p);
            } else {
                clip.keep_plane(&cross(axis, &along), p);
            }
        }
        clip.keep_half_space(&along, p);
        clip.keep_half_space(&along.map(|coordinate| -coordinate), q);
    }
    (!clip.is_empty).then_some(clip.low)
}

/// The remaining parameter interval of a ray.
struct Clip {
    origin: Vector,
    direction: Vector,
    low: RayParameter,
    high: Option<RayParameter>,
    is_empty: bool,
}

impl Clip {
    /// Keeps the points with `normal·(x − point) ≥ 0`.
    fn keep_half_space(&mut self, normal: &Vector, point: &Vector) {
        let (height, slope) =
            (dot(normal, &minus(&self.origin, point)), dot(normal, &self.direction));
        match slope.cmp(&IBig::ZERO) {
            Ordering::Equal => self.is_empty |= height < IBig::ZERO,
            Ordering::Greater => {
                let from = RayParameter { numerator: -height, denominator: slope };
                if from.compare(&self.low).is_gt() {
                    self.low = from;
                }
            }
            Ordering::Less => {
                let to = RayParameter { numerator: height, denominator: -slope };
                if self.high.as_ref().is_none_or(|high| to.compare(high).is_lt()) {
                    self.high = Some(to);
                }
            }
        }
        self.is_empty |= self.high.as_ref().is_some_and(|high| self.low.compare(high).is_gt());
    }

    /// Keeps the points with `normal·(x − point) = 0`.
    fn keep_plane(&mut self, normal: &Vector, point: &Vector) {
        self.keep_half_space(normal, point);
        self.keep_half_space(&normal.clone().map(|coordinate| -coordinate), point);
    }
}

impl RayParameter {
    fn compare(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }

    /// Returns whether the origin of the ray is the first common point.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Returns whether a rounded parameter is right to a relative 2^-40, which is 9.1e-13; checked without
    /// rounding. A parameter below the smallest normal `f64` may be off by the smallest `f64`. `f64::MAX` stands
    /// for all larger values.
    pub fn is_near(&self, t: f64) -> bool {
        if self.is_zero() || t == 0.0 {
            return self.is_zero() && t == 0.0;
        }
        if !(t > 0.0 && t.is_finite()) {
            return false;
        }
        let exact = fraction(t);
        let room = if t < f64::MIN_POSITIVE {
            fraction(f64::from_bits(1))
        } else {
            RayParameter { denominator: exact.denominator.clone() << 40, ..exact.clone() }
        };
        let moved = |sign: i32| RayParameter {
            numerator: &exact.numerator * &room.denominator
                + IBig::from(sign) * &room.numerator * &exact.denominator,
            denominator: &exact.denominator * &room.denominator,
        };
        self.compare(&moved(-1)).is_ge() && (t == f64::MAX || self.compare(&moved(1)).is_le())
    }
}

/// Returns a non-negative number as a fraction.
fn fraction(value: f64) -> RayParameter {
    let (mantissa, exponent) = decompose(value);
    let shift = exponent.unsigned_abs() as usize;
    let (up, down) = if exponent < 0 { (0, shift) } else { (shift, 0) };
    RayParameter { numerator: IBig::from(mantissa) << up, denominator: IBig::ONE << down }
}

/// Returns all points as integers, in units of the last binary place that any coordinate has.
fn to_common_integers<const K: usize>(points: &[[f64; 3]; K]) -> [Vector; K] {
    let parts = points.map(|point| point.map(decompose));
    let nonzero = parts.iter().flatten().filter(|(mantissa, _)| *mantissa != 0);
    let lowest = nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0);
    parts.map(|point| {
        point.map(|(mantissa, exponent)| match mantissa {
            0 => IBig::ZERO,
            _ => IBig::from(mantissa) << (exponent - lowest) as usize,
        })
    })
}

fn minus(p: &Vector, q: &Vector) -> Vector {
    std::array::from_fn(|axis| &p[axis] - &q[axis])
}

fn dot(u: &Vector, v: &Vector) -> IBig {
    (0..3).map(|axis| &u[axis] * &v[axis]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cases::ray_families, triangles_touch};

    const FLOOR: Triangle = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn hit(origin: [f64; 3], direction: [f64; 3], t_max: f64) -> Option<(IBig, IBig)> {
        first_hit_of_ray(origin, direction, t_max, &FLOOR).map(|t| (t.numerator, t.denominator))
    }

    fn is(found: Option<(IBig, IBig)>, numerator: i32, denominator: i32) -> bool {
        found.is_some_and(|(n, d)| n * IBig::from(denominator) == d * IBig::from(numerator))
    }

    #[test]
    fn known_hits() {
        let down = [0.0, 0.0, -3.0];
        assert!(is(hit([1.0, 1.0, 1.0], down, f64::INFINITY), 1, 3));
        assert!(is(hit([2.0, 2.0, 6.0], down, 2.0), 2, 1));
        assert_eq!(hit([2.0, 2.0, 6.0], down, 2.0_f64.next_down()), None);
        assert_eq!(hit([2.0, 2.0_f64.next_up(), 6.0], down, f64::INFINITY), None);
        assert_eq!(hit([1.0, 1.0, -1.0], down, f64::INFINITY), None);
        // In the plane: from beside, from inside, along an edge.
        assert!(is(hit([-1.0, 1.0, 0.0], [2.0, 0.0, 0.0], 9.0), 1, 2));
        assert!(is(hit([1.0, 1.0, 0.0], [2.0, 0.0, 0.0], 0.0), 0, 1));
        assert!(is(hit([-6.0, 0.0, 0.0], [3.0, 0.0, 0.0], 9.0), 2, 1));
        assert_eq!(hit([-1.0, -1.0, 0.0], [2.0, 0.0, 0.0], f64::INFINITY), None);
        // A segment and a point.
        let segment = [[0.0; 3], [2.0, 2.0, 0.0], [1.0, 1.0, 0.0]];
        let at = |origin, direction, triangle| first_hit_of_ray(origin, direction, 8.0, triangle);
        assert!(at([2.0, 2.0, 1.0], [0.0, 0.0, -1.0], &segment).is_some());
        assert!(at([2.5, 2.5, 1.0], [0.0, 0.0, -1.0], &segment).is_none());
        assert!(at([3.0, 3.0, 0.0], [-1.0, -1.0, 0.0], &segment).unwrap().is_near(1.0));
        assert!(at([0.0; 3], [1.0, 2.0, 3.0], &[[2.0, 4.0, 6.0]; 3]).unwrap().is_near(2.0));
        assert!(at([0.0; 3], [1.0, 2.0, 3.0], &[[2.0, 4.0, 6.5]; 3]).is_none());
    }

    #[test]
    fn the_tolerance_is_checked_to_the_last_bit() {
        let one = fraction(1.0);
        let step = 2f64.powi(-40);
        assert!(one.is_near(1.0) && one.is_near(1.0 + step) && one.is_near(1.0 - 0.99 * step));
        assert!(!one.is_near(1.0 + 1.01 * step) && !one.is_near(1.0 - 1.01 * step));
        assert!(!one.is_near(0.0) && !one.is_near(f64::NAN) && !one.is_near(-1.0));
        let huge = RayParameter { numerator: IBig::ONE << 2000, denominator: IBig::ONE };
        assert!(huge.is_near(f64::MAX) && !huge.is_near(1e308));
        let tiny = RayParameter { numerator: IBig::ONE, denominator: IBig::ONE << 2000 };
        assert!(tiny.is_near(f64::from_bits(1)) && !tiny.is_near(f64::from_bits(2)));
    }

    /// If the end point of the ray is representable in `f64`, the linear program of `touch` must give the same
    /// answer.
    #[test]
    fn agrees_with_the_linear_program() {
        let mut counts = [0; 2];
        for family in ray_families() {
            for seed in 0..400 {
                let case = family.case(seed);
                let end: [f64; 3] = std::array::from_fn(|i| case.origin[i] + case.direction[i]);
                let is_exact = (0..3).all(|i| {
                    end[i].is_finite()
                        && end[i] - case.origin[i] == case.direction[i]
                        && end[i] - case.direction[i] == case.origin[i]
                });
                if !is_exact {
                    continue;
                }
                let found = first_hit_of_ray(case.origin, case.direction, 1.0, &case.triangle);
                let expected = triangles_touch(&case.triangle, &[case.origin, end, end]);
                assert_eq!(found.is_some(), expected, "{}, seed {seed}: {case:?}", family.name);
                counts[usize::from(expected)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 500), "one-sided: {counts:?}");
    }
}

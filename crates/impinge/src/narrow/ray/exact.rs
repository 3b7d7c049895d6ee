//! The first point that a ray and a triangle share, in integers.
//!
//! All points are differences from the ray's origin in units of one power of two, 2^p, and the direction is in units
//! of another, 2^q. Every parameter is then a fraction of two integers times 2^(p−q).

use super::Ray;
use crate::narrow::{
    Triangle, degenerate,
    exact::{Integer, span},
};
use std::cmp::Ordering;

type Vector<const WORDS: usize> = [Integer<WORDS>; 3];

/// How many bits coordinates, and components of the direction, may span so that all integers here fit some words.
///
/// A difference has one bit more than the coordinates span. Numerators and denominators are sums of at most six
/// products of three such, which takes 3 bits more, and a denominator is multiplied by the 53 bits of the limit.
const fn most_bits(words: usize) -> i32 {
    (64 * words as i32 - 56) / 3 - 1
}

/// Enough for 87 bits: most coordinates of one neighbourhood span no more.
const FEW_WORDS: usize = 5;

/// Enough for 193 bits.
const SOME_WORDS: usize = 10;

/// Enough for all finite numbers, which span at most 2098 bits.
const MOST_WORDS: usize = 100;
const _: () = assert!(most_bits(MOST_WORDS) >= 2098, "any numbers fit");

/// The parameter of the first point that a ray and a triangle share; see [`ray_hit`](super::ray_hit).
#[cold]
#[inline(never)]
pub(super) fn first_hit(ray: &Ray, triangle: &Triangle) -> Option<f64> {
    let [a, b, c] = *triangle;
    let points: [[f64; 3]; 4] = [ray.origin, a, b, c].map(Into::into);
    let direction = ray.direction.to_array();
    let (exponent, bits) = span(points.as_flattened());
    let (way_exponent, way_bits) = span(&direction);
    let exponents = [exponent, way_exponent];
    let bits = bits.max(way_bits);
    if bits <= most_bits(FEW_WORDS) {
        Lines::<FEW_WORDS>::new(&points, direction, exponents).first_hit(ray, triangle)
    } else if bits <= most_bits(SOME_WORDS) {
        Lines::<SOME_WORDS>::new(&points, direction, exponents).first_hit(ray, triangle)
    } else {
        Lines::<MOST_WORDS>::new(&points, direction, exponents).first_hit(ray, triangle)
    }
}

/// A ray's line and a triangle, seen from the ray's origin.
struct Lines<const WORDS: usize> {
    corners: [Vector<WORDS>; 3],
    direction: Vector<WORDS>,
    /// Parameters are fractions times two to this power.
    exponent: i32,
}

impl<const WORDS: usize> Lines<WORDS> {
    fn new(points: &[[f64; 3]; 4], direction: [f64; 3], exponents: [i32; 2]) -> Self {
        let whole = |point: [f64; 3]| point.map(|x| Integer::from_f64(x, exponents[0]));
        let origin: Vector<WORDS> = whole(points[0]);
        let corner = |i: usize| minus(&whole(points[i + 1]), &origin);
        Self {
            corners: std::array::from_fn(corner),
            direction: direction.map(|x| Integer::from_f64(x, exponents[1])),
            exponent: exponents[0] - exponents[1],
        }
    }

    fn first_hit(&self, ray: &Ray, triangle: &Triangle) -> Option<f64> {
        let [a, b, c] = &self.corners;
        let turns = [(a, b), (b, c), (c, a)].map(|(p, q)| dot(&self.direction, &cross(p, q)));
        let signs = turns.each_ref().map(Integer::sign);
        match (signs.contains(&1), signs.contains(&-1)) {
            (true, true) => None,
            (false, false) => self.first_hit_in_plane(ray, triangle),
            _ => {
                let height = dot(a, &cross(b, c));
                let sum = turns[0].plus(&turns[1]).plus(&turns[2]);
                self.parameter(height, sum, ray)
            }
        }
    }

    /// For a line that lies in the triangle's plane, or meets the line of a triangle that is a segment or a point.
    ///
    /// If the origin is not on the triangle, the first common point is a corner on the line, or a point where the line
    /// crosses an edge between its ends. Each candidate is accepted or rejected exactly; their parameters are known
    /// to 1e-12, and so is the least of them.
    fn first_hit_in_plane(&self, ray: &Ray, triangle: &Triangle) -> Option<f64> {
        if degenerate::contains(triangle, ray.origin) {
            return Some(0.0);
        }
        let mut first: Option<f64> = None;
        let mut offer = |t: Option<f64>| {
            first = match (first, t) {
                (Some(s), Some(t)) => Some(s.min(t)),
                (s, t) => s.or(t),
            };
        };
        // A component of the direction that is not 0: along that axis a parameter can be read off.
        let along = (0..3).find(|&axis| self.direction[axis].sign() != 0)?;
        let step = &self.direction[along];
        // Corners are on the line, or on the one or the other side of it in the plane. All these vectors are normal to
        // the plane, so that any component that is not 0 tells the side.
        let sides = self.corners.each_ref().map(|corner| cross(corner, &self.direction));
        for i in 0..3 {
            let j = (i + 1) % 3;
            let (corner, next) = (&self.corners[i][along], &self.corners[j][along]);
            let Some(axis) = (0..3).find(|&axis| sides[i][axis].sign() != 0) else {
                offer(self.parameter(*corner, *step, ray));
                continue;
            };
            let (side, next_side) = (&sides[i][axis], &sides[j][axis]);
            if side.sign() * next_side.sign() < 0 {
                // The point (s' P − s P') / (s' − s) is on the line, for its own side is 0.
                let point = next_side.times(corner).minus(&side.times(next));
                offer(self.parameter(point, next_side.minus(side).times(step), ray));
            }
        }
        first
    }

    /// The parameter `numerator / denominator`, if it is from 0 to the ray's limit.
    fn parameter(
        &self,
        numerator: Integer<WORDS>,
        denominator: Integer<WORDS>,
        ray: &Ray,
    ) -> Option<f64> {
        let sign = numerator.sign() * denominator.sign();
        if sign < 0 {
            return None;
        }
        if sign == 0 {
            return Some(0.0);
        }
        if ray.t_max < f64::INFINITY {
            let (limit_exponent, _) = span(&[ray.t_max]);
            let limit = Integer::from_f64(ray.t_max, limit_exponent).times(&denominator);
            let order = numerator.compare_scaled(self.exponent, &limit, limit_exponent);
            if order == Ordering::Greater {
                return None;
            }
        }
        let (p, q) = (numerator.determinant(0), denominator.determinant(0));
        let t =
            libm::ldexp((p.mantissa / q.mantissa).abs(), p.exponent - q.exponent + self.exponent);
        Some(t.max(f64::from_bits(1)).min(ray.t_max).min(f64::MAX))
    }
}

fn minus<const WORDS: usize>(p: &Vector<WORDS>, q: &Vector<WORDS>) -> Vector<WORDS> {
    std::array::from_fn(|axis| p[axis].minus(&q[axis]))
}

fn cross<const WORDS: usize>(p: &Vector<WORDS>, q: &Vector<WORDS>) -> Vector<WORDS> {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        p[j].times(&q[k]).minus(&p[k].times(&q[j]))
    })
}

fn dot<const WORDS: usize>(p: &Vector<WORDS>, q: &Vector<WORDS>) -> Integer<WORDS> {
    p[0].times(&q[0]).plus(&p[1].times(&q[1])).plus(&p[2].times(&q[2]))
}

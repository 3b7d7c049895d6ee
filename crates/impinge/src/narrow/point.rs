//! The point of a triangle closest to a given point, in plain floating point.

use super::Triangle;
use glam::DVec3;

/// The point of a closed triangle closest to a given point, up to rounding. A degenerate triangle counts as
/// the segment or point it is.
///
/// Only for measurements: the result is rounded, and nothing may be decided by it.
pub(crate) fn nearest_point(triangle: &Triangle, point: DVec3) -> DVec3 {
    let [a, b, c] = *triangle;
    let reach = (b - a).abs().max((c - a).abs()).max((point - a).abs()).max_element();
    // The computation uses fourth powers of lengths. Within these limits they neither overflow nor underflow,
    // unless the triangle is so small compared with its distance that all of its points are equally close.
    if (1e-60..1e60).contains(&reach) || reach == 0.0 {
        nearest_of_moderate(triangle, point)
    } else {
        nearest_of_scaled(triangle, point, reach)
    }
}

/// [`nearest_point`] for differences of any magnitude, of which `reach` is the largest.
#[cold]
fn nearest_of_scaled(triangle: &Triangle, point: DVec3, reach: f64) -> DVec3 {
    // Scaling by a power of two rounds only denormals. Coordinates are halved, so that no difference
    // overflows.
    let power = f64::from_bits(reach.min(f64::MAX).to_bits() & (0x7ff << 52));
    let power = power.max(f64::MIN_POSITIVE);
    let from = triangle[0] * 0.5;
    let scaled = |p: DVec3| (p * 0.5 - from) / power;
    let nearest = nearest_of_moderate(&triangle.map(scaled), scaled(point));
    (nearest * power + from) * 2.0
}

fn nearest_of_moderate(triangle: &Triangle, point: DVec3) -> DVec3 {
    let [a, b, c] = *triangle;
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let normal = ab.cross(ac);
    // Test which edges the point lies beyond, seen along the normal. If none, the closest point is inside the
    // face.
    let beyond = |from: DVec3, along: DVec3| along.cross(point - from).dot(normal) < 0.0;
    if normal.length_squared() > 0.0 && !beyond(a, ab) && !beyond(b, c - b) && !beyond(c, a - c) {
        let height = normal.dot(ap) / normal.length_squared();
        if height.is_finite() {
            return point - normal * height;
        }
    }
    let on_edges = [[a, b], [b, c], [c, a]].map(|edge| nearest_of_segment(edge, point));
    let closer = |p: DVec3, q: DVec3| {
        if q.distance_squared(point) < p.distance_squared(point) { q } else { p }
    };
    closer(closer(on_edges[0], on_edges[1]), on_edges[2])
}

/// The distance between two points, for coordinates of any magnitude: no square overflows or underflows.
pub(crate) fn distance_between(p: DVec3, q: DVec3) -> f64 {
    let distance_sq = p.distance_squared(q);
    if (1e-280..1e300).contains(&distance_sq) {
        return distance_sq.sqrt();
    }
    // Halved, so that no difference of finite numbers overflows.
    let offset = (p * 0.5 - q * 0.5).abs();
    let longest = offset.max_element();
    if longest > 0.0 { (offset / longest).length() * longest * 2.0 } else { 0.0 }
}

/// The point of a segment closest to a given point, up to rounding.
pub(crate) fn nearest_of_segment([from, to]: [DVec3; 2], point: DVec3) -> DVec3 {
    let offset = to - from;
    let fraction = offset.dot(point - from) / offset.length_squared();
    // NaN if the segment is a point.
    if fraction > 0.0 { from + offset * fraction.min(1.0) } else { from }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate::Random, narrow::triangles_distance};

    #[test]
    fn agrees_with_the_distance_of_triangles() {
        let mut random = Random::new(7);
        let mut number = || random.range(-1.0, 1.0);
        for case in 0..20_000 {
            let mut corner = || DVec3::new(number(), number(), number());
            let (mut triangle, point) = ([corner(), corner(), corner()], corner());
            match case % 4 {
                1 => triangle[2] = triangle[0],
                2 => triangle = [triangle[0]; 3],
                _ => {}
            }
            let nearest = nearest_point(&triangle, point);
            let true_distance = triangles_distance(&triangle, &[point; 3]).distance;
            assert!((nearest.distance(point) - true_distance).abs() < 1e-13, "case {case}");
            let off = triangles_distance(&triangle, &[nearest; 3]).distance;
            assert!(off < 1e-12, "case {case}: {off} off the triangle");
        }
    }

    #[test]
    fn sizes_whose_squares_overflow_or_underflow() {
        let mut random = Random::new(8);
        let mut number = || random.range(-1.0, 1.0);
        for case in 0..2_000 {
            let mut corner = || DVec3::new(number(), number(), number());
            let (triangle, point) = ([corner(), corner(), corner()], corner());
            for unit in [1e-300, 1e-170, 1e-90, 1e-50, 1e50, 1e79, 1e100, 1e160, 1e300] {
                let (triangle, point) = (triangle.map(|p| p * unit), point * unit);
                let nearest = nearest_point(&triangle, point);
                let distance = distance_between(nearest, point);
                let true_distance = triangles_distance(&triangle, &[point; 3]).distance;
                let off = (distance - true_distance).abs();
                assert!(off < 1e-13 * unit, "case {case}, unit {unit:e}: {off:e}");
            }
        }
    }
}

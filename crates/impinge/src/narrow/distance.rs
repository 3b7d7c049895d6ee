//! The distance between two triangles, and their closest points.
//!
//! Pairs of features (corner, edge, face) are tried until one is proven to be the closest ([`features`]).
//! This is done in floating point with tracked errors, which decides nearly all pairs whose distance exceeds
//! about a thousandth of their size. Undecided pairs are computed in integers.

mod features;
mod guess;
mod number;
mod point;

use super::{
    Triangle,
    exact::{Integer, span},
    triangles_intersect, triangles_meet,
};
use features::{Feature, PAIRS, Shortest, TrianglePair, Verdict};
use glam::DVec3;
use number::Ball;
use point::Estimate;

/// The least distance between two triangles, and two points that attain it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The least distance.
    pub distance: f64,
    /// A point of the first triangle, rounded, at the least distance from the second.
    pub a: DVec3,
    /// A point of the second triangle, rounded, at the least distance from the first.
    pub b: DVec3,
}

/// Returns the least distance between two closed triangles, and two points that attain it.
///
/// The distance is 0 if and only if [`triangles_intersect`] returns `true`; both points are then a common
/// point. Otherwise it is within a relative 1e-12 of the true minimum for the corners as given, however thin
/// the triangles, large the coordinates or narrow the gap. (A distance below the least normal `f64` is within
/// one denormal step, and one beyond the largest is infinite.) A degenerate triangle counts as the segment or
/// point it is.
///
/// The points are rounded to `f64`, so the distance between them is that accurate only if the gap is not
/// small compared with the coordinates. Use [`Closest::distance`] instead.
///
/// Neither the order of the triangles nor the order of their corners changes the distance or the points, to
/// the last bit, except for the sign of a zero coordinate.
///
/// ```
/// use impinge::{glam::DVec3, narrow::triangles_distance};
///
/// let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
/// let above = [DVec3::new(1.0, 1.0, 2.0), DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 1.0, 3.0)];
/// let closest = triangles_distance(&floor, &above);
/// assert_eq!(closest.distance, 2.0);
/// assert_eq!((closest.a, closest.b), (DVec3::new(1.0, 1.0, 0.0), above[0]));
/// ```
pub fn triangles_distance(a: &Triangle, b: &Triangle) -> Closest {
    // The computation rounds differently for each order of its input, so the input is sorted first.
    let (p, q) = (sorted(a), sorted(b));
    if is_before(p[0], q[0]) || (p[0] == q[0] && !is_later(&p, &q)) {
        return closest(&p, &q);
    }
    let Closest { distance, a, b } = closest(&q, &p);
    Closest { distance, a: b, b: a }
}

/// Whether a point comes before another: by x, then y, then z.
#[inline]
fn is_before(p: DVec3, q: DVec3) -> bool {
    p.x < q.x || (p.x == q.x && (p.y < q.y || (p.y == q.y && p.z < q.z)))
}

/// The corners of a triangle in that order.
#[inline]
fn sorted(t: &Triangle) -> Triangle {
    let [p, q, r] = *t;
    let (p, q) = if is_before(q, p) { (q, p) } else { (p, q) };
    if !is_before(r, q) {
        [p, q, r]
    } else if is_before(r, p) {
        [r, p, q]
    } else {
        [p, r, q]
    }
}

/// Whether a triangle with sorted corners comes after another with the same first corner.
#[cold]
fn is_later(p: &Triangle, q: &Triangle) -> bool {
    is_before(q[1], p[1]) || (p[1] == q[1] && is_before(q[2], p[2]))
}

/// [`triangles_distance`] without sorting the input.
fn closest(a: &Triangle, b: &Triangle) -> Closest {
    if triangles_intersect(a, b) {
        let meeting = triangles_meet(a, b);
        let point = meeting.and_then(|meeting| meeting.first().copied()).unwrap_or(a[0]);
        return Closest { distance: 0.0, a: point, b: point };
    }
    let scale = Scale::of(a, b);
    let (shortest, unit) = shortest_segment(a, b, &scale);
    let [a_weights, b_weights] = shortest.weights;
    // Triangles that are apart have a positive distance, even if it is too small for an f64.
    let distance = shortest.length.to_f64(unit).max(f64::from_bits(1));
    Closest { distance, a: scale.point(a, a_weights), b: scale.point(b, b_weights) }
}

/// Returns whether the least distance between two closed triangles is at most `d`.
///
/// For `d` = 0 this is [`triangles_intersect`], exactly. For `d` > 0 it compares with the result of
/// [`triangles_distance`]. The answer is right unless the true distance is within a relative 1e-12 of `d`;
/// even then it is always the same for the same two triangles, in any order and with their corners in any
/// order. For a negative `d`, and for NaN, it is `false`.
pub fn triangles_within(a: &Triangle, b: &Triangle, d: f64) -> bool {
    if d == 0.0 {
        return triangles_intersect(a, b);
    }
    if d.is_nan() || d < 0.0 {
        return false;
    }
    // The distance computed in any order is within a relative 1e-12 of the true one, or a denormal step; so
    // is the one that decides. If they might fall on different sides of `d`, corners are sorted.
    let distance = closest(a, b).distance;
    if distance > d * (1.0 + 1e-11) + f64::MIN_POSITIVE {
        return false;
    }
    distance < d * (1.0 - 1e-11) - f64::MIN_POSITIVE || triangles_distance(a, b).distance <= d
}

/// Returns the point of a closed triangle that is closest to a point, and how far it is, mostly in a fraction of the
/// time that [`triangles_distance`] takes for the triangle and a degenerate one at the point. `None` if that is farther
/// than `limit`, as computed.
///
/// The distance is 0 exactly if the point lies on the triangle, and otherwise within a relative 1e-12 of the truth. The
/// order of the corners changes nothing. Triangles that share the closest edge or corner have the same distance to the
/// last bit, unless the point is very close.
pub(crate) fn closest_to_point(triangle: &Triangle, point: DVec3, limit: f64) -> Option<Closest> {
    let triangle = sorted(triangle);
    let estimate = Estimate::new(&triangle, point);
    // Computed distances are within a relative 1e-12 of the truth.
    if estimate.as_ref().is_some_and(|estimate| estimate.is_farther(limit * (1.0 + 1e-11))) {
        return None;
    }
    let closest = match estimate.and_then(|estimate| Some((estimate.distance()?, estimate.weights)))
    {
        Some((distance, _)) if distance > limit => return None,
        Some((distance, weights)) => {
            Closest { distance, a: Scale::ONE.point(&triangle, weights), b: point }
        }
        None => closest_to_hard_point(&triangle, point),
    };
    (closest.distance <= limit).then_some(closest)
}

/// [`closest_to_point`] for a point that is close to the triangle compared with its size, or of extreme coordinates.
#[cold]
#[inline(never)]
fn closest_to_hard_point(triangle: &Triangle, point: DVec3) -> Closest {
    let other = [point; 3];
    let scale = Scale::of(triangle, &other);
    let (corners, here) = (triangle.map(|corner| scale.scaled(corner)), scale.scaled(point));
    let feature = guess::closest_feature(&corners, here);
    let coordinates = corners.map(|corner| corner.to_array());
    let pair = TrianglePair::<Ball>::new(coordinates, [here.to_array(); 3]);
    match pair.check((feature, Feature::Corner(0))) {
        Verdict::Closest(way) => {
            let distance = way.length.to_f64(scale.exponent).max(f64::from_bits(1));
            Closest { distance, a: scale.point(triangle, way.weights[0]), b: point }
        }
        // A poor guess, a point on the triangle, or one that is hardly off an edge of its prism.
        _ => triangles_distance(triangle, &other),
    }
}

/// The shortest segment between triangles that are apart, and the exponent of the unit of its length.
fn shortest_segment(a: &Triangle, b: &Triangle, scale: &Scale) -> (Shortest, i32) {
    let scaled = |t: &Triangle| t.map(|corner| scale.scaled(corner));
    let (p, q) = (scaled(a), scaled(b));
    let guess = guess::closest_pair(&p, &q);
    let coordinates = |t: Triangle| t.map(|corner| corner.to_array());
    let triangle_pair = TrianglePair::<Ball>::new(coordinates(p), coordinates(q));
    match triangle_pair.check(guess) {
        Verdict::Closest(shortest) => (shortest, scale.exponent),
        // A guess that cannot be refuted is seldom wrong, so it is tried exactly before all others.
        Verdict::Unsure => shortest_segment_exactly(a, b, &[guess])
            .unwrap_or_else(|| shortest_segment_of_all(a, b, &triangle_pair, scale)),
        Verdict::No => shortest_segment_of_all(a, b, &triangle_pair, scale),
    }
}

#[cold]
#[inline(never)]
fn shortest_segment_of_all(
    a: &Triangle,
    b: &Triangle,
    triangle_pair: &TrianglePair<Ball>,
    scale: &Scale,
) -> (Shortest, i32) {
    let mut unsure = [PAIRS[0]; PAIRS.len()];
    let mut count = 0;
    for pair in PAIRS {
        match triangle_pair.check(pair) {
            Verdict::Closest(shortest) => return (shortest, scale.exponent),
            Verdict::No => {}
            Verdict::Unsure => {
                unsure[count] = pair;
                count += 1;
            }
        }
    }
    let shortest = shortest_segment_exactly(a, b, &unsure[..count]);
    shortest.expect(
        "two convex sets that are apart have a closest pair of features, which is never refuted",
    )
}

/// The largest number of bits that coordinates may span for integers of `words` words. No sum of products of
/// four differences in [`features`] exceeds 2^(4d + 5), where d is the number of bits of a difference: one
/// more than the coordinates span.
const fn max_span(words: usize) -> i32 {
    (64 * words as i32 - 5) / 4 - 1
}

/// Enough for 77 bits: most coordinates that are close together span no more.
const FEW_WORDS: usize = 5;

/// Enough for 141 bits.
const SOME_WORDS: usize = 9;

/// Enough for all finite coordinates, which span at most 2098 bits.
const MOST_WORDS: usize = 132;
const _: () = assert!(max_span(MOST_WORDS) >= 2098, "any coordinates fit");

/// Like [`shortest_segment`], in integers: the first of `pairs` that is proven to be the closest.
#[cold]
#[inline(never)]
fn shortest_segment_exactly(
    a: &Triangle,
    b: &Triangle,
    pairs: &[(Feature, Feature)],
) -> Option<(Shortest, i32)> {
    let coordinates: [[f64; 3]; 6] = [a[0], a[1], a[2], b[0], b[1], b[2]].map(Into::into);
    let (exponent, bits) = span(coordinates.as_flattened());
    let shortest = if bits <= max_span(FEW_WORDS) {
        shortest_segment_in::<FEW_WORDS>(a, b, exponent, pairs)
    } else if bits <= max_span(SOME_WORDS) {
        shortest_segment_in::<SOME_WORDS>(a, b, exponent, pairs)
    } else {
        shortest_segment_in::<MOST_WORDS>(a, b, exponent, pairs)
    };
    shortest.map(|shortest| (shortest, exponent))
}

fn shortest_segment_in<const WORDS: usize>(
    a: &Triangle,
    b: &Triangle,
    exponent: i32,
    pairs: &[(Feature, Feature)],
) -> Option<Shortest> {
    let as_integers = |t: &Triangle| {
        t.map(|corner| corner.to_array().map(|x| Integer::<WORDS>::from_f64(x, exponent)))
    };
    let triangle_pair = TrianglePair::<Integer<WORDS>>::new(as_integers(a), as_integers(b));
    pairs.iter().find_map(|&pair| match triangle_pair.check(pair) {
        Verdict::Closest(shortest) => Some(shortest),
        _ => None,
    })
}

/// A power of two that scales the coordinates to a magnitude of about one.
struct Scale {
    exponent: i32,
    factor: f64,
    inverse: f64,
}

impl Scale {
    /// For coordinates that need not be scaled.
    const ONE: Self = Self { exponent: 0, factor: 1.0, inverse: 1.0 };

    fn of(a: &Triangle, b: &Triangle) -> Self {
        let largest = a.iter().chain(b).fold(DVec3::ZERO, |m, corner| m.max(corner.abs()));
        let exponent = (largest.max_element().to_bits() >> 52) as i32 - 1023;
        // For exponents up to ±1023 both powers are representable; denormals need not be scaled to one.
        let exponent = exponent.clamp(-1000, 1023);
        Self { exponent, factor: power_of_two(-exponent), inverse: power_of_two(exponent) }
    }

    #[inline]
    fn scaled(&self, point: DVec3) -> DVec3 {
        point * self.factor
    }

    /// The point of a triangle with the given weights of its corners; never outside the triangle's bounding
    /// box.
    fn point(&self, t: &Triangle, weights: [f64; 3]) -> DVec3 {
        // Relative to the corner with the largest weight, so that a weight of 1 gives that corner exactly.
        let [u, v, w] = weights;
        let base = if u >= v && u >= w { 0 } else { usize::from(w > v) + 1 };
        let from = self.scaled(t[base]);
        let step = |i: usize| (self.scaled(t[i]) - from) * weights[i];
        let (next, last) = ((base + 1) % 3, (base + 2) % 3);
        if weights[next] == 0.0 && weights[last] == 0.0 {
            return t[base];
        }
        let point = (from + (step(next) + step(last))) * self.inverse;
        point.max(t[0].min(t[1]).min(t[2])).min(t[0].max(t[1]).max(t[2]))
    }
}

/// 2^exponent, for exponents from −1023 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    if exponent == -1023 {
        f64::MIN_POSITIVE / 2.0
    } else {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_oracle::{cases::families, closest_distance_squared};

    /// Corners of one triangle against the other, on all families, and in any order of its corners.
    #[test]
    fn distances_of_points_equal_exact_fractions() {
        let mut counts = [0; 2];
        for family in families() {
            for seed in 0..400 {
                let (a, b) = family.pair(seed);
                let (triangle, point) = (a.map(DVec3::from_array), DVec3::from_array(b[0]));
                let found = closest_to_point(&triangle, point, f64::INFINITY).unwrap();
                let place = format!("{}, seed {seed}: {found:?}", family.name);
                let expected = closest_distance_squared(&a, &[b[0]; 3]);
                if found.distance == f64::INFINITY {
                    assert!(!expected.is_near(f64::MAX), "{place}");
                } else {
                    assert!(expected.is_near(found.distance), "{place}");
                }
                counts[usize::from(found.distance == 0.0)] += 1;
                for order in [[1, 2, 0], [2, 1, 0]] {
                    let turned =
                        closest_to_point(&order.map(|i| triangle[i]), point, f64::INFINITY);
                    assert_eq!(turned, Some(found), "{place}");
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 1_000), "one-sided: {counts:?}");
    }
}

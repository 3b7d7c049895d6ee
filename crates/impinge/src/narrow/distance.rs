//! How far apart two triangles are, and where they are closest.
//!
//! Features are tried until one pair of them is proved to be the closest ([`features`]): in
//! floating point that keeps account of its error, which settles nearly all pairs that are apart by
//! more than about a thousandth of their size, and where that is in doubt, in integers.

mod features;
mod guess;
mod number;

use super::{
    Triangle,
    exact::{Integer, span},
    triangles_intersect, triangles_meet,
};
use features::{Duo, Feature, PAIRS, Verdict, Way};
use glam::DVec3;
use number::Ball;

/// The least distance between two triangles, and where it is attained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The least distance.
    pub distance: f64,
    /// A point of the first triangle, rounded, that is as close to the second.
    pub a: DVec3,
    /// A point of the second triangle, rounded, that is as close to the first.
    pub b: DVec3,
}

/// Returns the least distance between two closed triangles, and two points that attain it.
///
/// The distance is 0 if and only if [`triangles_intersect`] says that they share a point; both
/// points are then such a point. Otherwise it is within a relative 1e-12 of the true minimum for
/// the corners as given, however thin the triangles, large the coordinates or narrow the gap.
/// (A distance below the least normal `f64` is within one denormal step, and one beyond the
/// largest is infinite.) A degenerate triangle is the segment or point that it is.
///
/// The points are rounded to `f64`, so that their own distance is that accurate only where the
/// gap is not small beside the coordinates: take [`Closest::distance`].
///
/// Neither the order of the triangles nor that of their corners changes the distance or the points,
/// to the last bit, but for the sign of a zero coordinate.
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
    // What follows rounds differently for each order of its input, so it gets one order only.
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

/// The corners of a triangle in order.
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

/// [`triangles_distance`] in the order given.
fn closest(a: &Triangle, b: &Triangle) -> Closest {
    if triangles_intersect(a, b) {
        let meeting = triangles_meet(a, b);
        let point = meeting.and_then(|meeting| meeting.first().copied()).unwrap_or(a[0]);
        return Closest { distance: 0.0, a: point, b: point };
    }
    let scale = Scale::of(a, b);
    let (way, unit) = closest_way(a, b, &scale);
    let [a_weights, b_weights] = way.weights;
    // What is apart is not at distance 0, though it may be closer than an f64 can say.
    let distance = way.length.to_f64(unit).max(f64::from_bits(1));
    Closest { distance, a: scale.point(a, a_weights), b: scale.point(b, b_weights) }
}

/// Returns whether the least distance between two closed triangles is at most `d`.
///
/// For `d` = 0 this is [`triangles_intersect`], exactly. For `d` > 0 it compares what
/// [`triangles_distance`] returns: the answer is right unless the true distance is within a
/// relative 1e-12 of `d`, and there it is always the same for the same two triangles, whatever
/// their order and that of their corners. For a negative `d`, and one that is not a number, it is
/// `false`.
pub fn triangles_within(a: &Triangle, b: &Triangle, d: f64) -> bool {
    if d == 0.0 {
        return triangles_intersect(a, b);
    }
    if d.is_nan() || d < 0.0 {
        return false;
    }
    // A distance in any order is within a relative 1e-12 of the true one, or a denormal step, and so is
    // the one that decides. Where they might fall on different sides of `d`, corners are sorted.
    let distance = closest(a, b).distance;
    if distance > d * (1.0 + 1e-11) + f64::MIN_POSITIVE {
        return false;
    }
    distance < d * (1.0 - 1e-11) - f64::MIN_POSITIVE || triangles_distance(a, b).distance <= d
}

/// Returns the point of a closed triangle that is closest to a point, and how far it is, mostly in a fraction of the
/// time that [`triangles_distance`] takes for the triangle and a degenerate one at the point.
///
/// The distance is 0 exactly if the point lies on the triangle, and otherwise within a relative 1e-12 of the truth. The
/// order of the corners changes nothing.
pub(crate) fn closest_to_point(triangle: &Triangle, point: DVec3) -> Closest {
    let (triangle, other) = (sorted(triangle), [point; 3]);
    let scale = Scale::of(&triangle, &other);
    let (corners, here) = (triangle.map(|corner| scale.scaled(corner)), scale.scaled(point));
    let feature = guess::closest_feature(&corners, here);
    let coordinates = corners.map(|corner| corner.to_array());
    let duo = Duo::<Ball>::new(coordinates, [here.to_array(); 3]);
    match duo.check((feature, Feature::Corner(0))) {
        Verdict::Closest(way) => {
            let distance = way.length.to_f64(scale.exponent).max(f64::from_bits(1));
            Closest { distance, a: scale.point(&triangle, way.weights[0]), b: point }
        }
        // A poor guess, a point on the triangle, or one that is hardly off an edge of its prism.
        _ => triangles_distance(&triangle, &other),
    }
}

/// The closest way between triangles that are apart, and the unit of its length as a power of two.
fn closest_way(a: &Triangle, b: &Triangle, scale: &Scale) -> (Way, i32) {
    let scaled = |t: &Triangle| t.map(|corner| scale.scaled(corner));
    let (p, q) = (scaled(a), scaled(b));
    let guess = guess::closest_pair(&p, &q);
    let coordinates = |t: Triangle| t.map(|corner| corner.to_array());
    let duo = Duo::<Ball>::new(coordinates(p), coordinates(q));
    match duo.check(guess) {
        Verdict::Closest(way) => (way, scale.exponent),
        // Seldom wrong, where it cannot be refuted: worth a look before all the others.
        Verdict::Unsure => closest_way_exactly(a, b, &[guess])
            .unwrap_or_else(|| closest_way_of_all(a, b, &duo, scale)),
        Verdict::No => closest_way_of_all(a, b, &duo, scale),
    }
}

#[cold]
#[inline(never)]
fn closest_way_of_all(a: &Triangle, b: &Triangle, duo: &Duo<Ball>, scale: &Scale) -> (Way, i32) {
    let mut unsure = [PAIRS[0]; PAIRS.len()];
    let mut count = 0;
    for pair in PAIRS {
        match duo.check(pair) {
            Verdict::Closest(way) => return (way, scale.exponent),
            Verdict::No => {}
            Verdict::Unsure => {
                unsure[count] = pair;
                count += 1;
            }
        }
    }
    let way = closest_way_exactly(a, b, &unsure[..count]);
    way.expect("convex sets that are apart are closest at some features not refuted")
}

/// No sum of products of four differences in [`features`] is above 2^(4d + 5), where d is the bits
/// of a difference: one more than the coordinates span.
const fn most_bits(words: usize) -> i32 {
    (64 * words as i32 - 5) / 4 - 1
}

/// Enough for 77 bits: most coordinates of one neighbourhood span no more.
const FEW_WORDS: usize = 5;

/// Enough for 141 bits.
const SOME_WORDS: usize = 9;

/// Enough for all finite coordinates, which span at most 2098 bits.
const MOST_WORDS: usize = 132;
const _: () = assert!(most_bits(MOST_WORDS) >= 2098, "any coordinates fit");

/// The same in integers: the first of some pairs of features that is the closest.
#[cold]
#[inline(never)]
fn closest_way_exactly(
    a: &Triangle,
    b: &Triangle,
    pairs: &[(Feature, Feature)],
) -> Option<(Way, i32)> {
    let coordinates: [[f64; 3]; 6] = [a[0], a[1], a[2], b[0], b[1], b[2]].map(Into::into);
    let (exponent, bits) = span(coordinates.as_flattened());
    let way = if bits <= most_bits(FEW_WORDS) {
        closest_way_in::<FEW_WORDS>(a, b, exponent, pairs)
    } else if bits <= most_bits(SOME_WORDS) {
        closest_way_in::<SOME_WORDS>(a, b, exponent, pairs)
    } else {
        closest_way_in::<MOST_WORDS>(a, b, exponent, pairs)
    };
    way.map(|way| (way, exponent))
}

fn closest_way_in<const WORDS: usize>(
    a: &Triangle,
    b: &Triangle,
    exponent: i32,
    pairs: &[(Feature, Feature)],
) -> Option<Way> {
    let whole = |t: &Triangle| {
        t.map(|corner| corner.to_array().map(|x| Integer::<WORDS>::from_f64(x, exponent)))
    };
    let duo = Duo::<Integer<WORDS>>::new(whole(a), whole(b));
    pairs.iter().find_map(|&pair| match duo.check(pair) {
        Verdict::Closest(way) => Some(way),
        _ => None,
    })
}

/// A power of two that brings the coordinates to a magnitude of about one.
struct Scale {
    exponent: i32,
    factor: f64,
    inverse: f64,
}

impl Scale {
    fn of(a: &Triangle, b: &Triangle) -> Self {
        let largest = a.iter().chain(b).fold(DVec3::ZERO, |m, corner| m.max(corner.abs()));
        let exponent = (largest.max_element().to_bits() >> 52) as i32 - 1023;
        // Up to 2^±1023 both powers are numbers, and denormals need not come to one.
        let exponent = exponent.clamp(-1000, 1023);
        Self { exponent, factor: power_of_two(-exponent), inverse: power_of_two(exponent) }
    }

    #[inline]
    fn scaled(&self, point: DVec3) -> DVec3 {
        point * self.factor
    }

    /// A point of a triangle by the weights of its corners; never beyond the triangle's box.
    fn point(&self, t: &Triangle, weights: [f64; 3]) -> DVec3 {
        // From the corner that weighs most, which is then exact where it is all.
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

/// 2^exponent, from −1023 to 1023.
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
                let found = closest_to_point(&triangle, point);
                let place = format!("{}, seed {seed}: {found:?}", family.name);
                let expected = closest_distance_squared(&a, &[b[0]; 3]);
                if found.distance == f64::INFINITY {
                    assert!(!expected.is_near(f64::MAX), "{place}");
                } else {
                    assert!(expected.is_near(found.distance), "{place}");
                }
                counts[usize::from(found.distance == 0.0)] += 1;
                for order in [[1, 2, 0], [2, 1, 0]] {
                    let turned = closest_to_point(&order.map(|i| triangle[i]), point);
                    assert_eq!(turned, found, "{place}");
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 1_000), "one-sided: {counts:?}");
    }
}

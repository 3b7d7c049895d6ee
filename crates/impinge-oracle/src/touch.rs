//! Decides whether two triangles meet, and the dimension of their common part; and whether two convex hulls meet.

use crate::integer::Integer;
use crate::scale::to_integers;
use crate::simplex::{Corners, Tableau};
use dashu_int::IBig;
use dashu_int::ops::Gcd;

/// A triangle by its corners. It may be degenerate: a segment, or a point.
pub type Triangle = [[f64; 3]; 3];

/// Returns whether the two closed triangles share a point.
///
/// Exact for all finite coordinates, denormals and `f64::MAX` included. A degenerate triangle is
/// the segment or the point that its corners span.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn triangles_touch(a: &Triangle, b: &Triangle) -> bool {
    touch_in::<i128>(a, b).or_else(|| touch_in::<IBig>(a, b)).expect("big integers do not overflow")
}

/// Returns whether the convex hulls of two sets of six points share a point. Points may coincide, and hulls may be flat.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn hulls_touch(a: &[[f64; 3]; 6], b: &[[f64; 3]; 6]) -> bool {
    let fast = hulls_touch_in::<i128>(a, b);
    fast.or_else(|| hulls_touch_in::<IBig>(a, b)).expect("big integers do not overflow")
}

/// Returns the answer, computed with one integer type; `None` if a number did not fit.
fn hulls_touch_in<N: Integer>(a: &[[f64; 3]; 6], b: &[[f64; 3]; 6]) -> Option<bool> {
    let mut points = [[0.0; 3]; 12];
    points[..6].copy_from_slice(a);
    points[6..].copy_from_slice(b);
    let corners: [[N; 3]; 12] = to_integers(&points)?;
    Tableau::of_hulls(&corners[..6], &corners[6..])?.find_solution()
}

/// Returns the answer, computed with one integer type; `None` if a number did not fit.
pub(crate) fn touch_in<N: Integer>(a: &Triangle, b: &Triangle) -> Option<bool> {
    Tableau::new(&corners::<N>(a, b)?)?.find_solution()
}

/// Returns the dimension of the common part of two closed triangles: 0 for a point, 1 for a segment, 2 for a
/// polygon, and `None` if they share no point.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn meet_dimension(a: &Triangle, b: &Triangle) -> Option<usize> {
    if !triangles_touch(a, b) {
        return None;
    }
    let corners = corners::<IBig>(a, b).expect("big integers do not overflow");
    // Vectors between common points, linearly independent. If the common part reaches out of
    // their span, then it has an extent along some direction that is orthogonal to the span.
    let mut span: Vec<[IBig; 3]> = Vec::new();
    while let Some(vector) =
        orthogonal_to(&span).iter().find_map(|direction| extent(&corners, direction))
    {
        span.push(vector);
    }
    Some(span.len())
}

/// Returns directions that span the orthogonal complement of the given independent vectors.
fn orthogonal_to(span: &[[IBig; 3]]) -> Vec<[IBig; 3]> {
    let axes = || [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| axis.map(IBig::from));
    match span {
        [] => axes().to_vec(),
        [v] => axes().iter().map(|axis| cross(v, axis)).collect(),
        [v, w] => vec![cross(v, w)],
        _ => Vec::new(),
    }
}

/// Returns a vector from a lowest to a highest common point along the direction; `None` if all common points are
/// equally high.
fn extent(corners: &Corners<IBig>, direction: &[IBig; 3]) -> Option<[IBig; 3]> {
    let (high, high_denominator) = highest_common_point(corners, direction);
    let (low, low_denominator) = highest_common_point(corners, &direction.clone().map(|d| -d));
    let vector: [IBig; 3] =
        std::array::from_fn(|axis| &high[axis] * &low_denominator - &low[axis] * &high_denominator);
    let height: IBig = (0..3).map(|axis| &direction[axis] * &vector[axis]).sum();
    (!height.is_zero()).then(|| shortened(vector))
}

/// Returns the common point that is farthest along the direction, over a denominator. The triangles must touch.
pub(crate) fn highest_common_point(
    corners: &Corners<IBig>,
    direction: &[IBig; 3],
) -> ([IBig; 3], IBig) {
    let solve = || {
        let mut tableau = Tableau::new(corners)?;
        tableau.add_objective(&corners[..3], direction)?;
        assert!(tableau.find_solution()?, "only asked of triangles that touch");
        tableau.maximise()?;
        tableau.weights()
    };
    let (weights, denominator) = solve().expect("big integers do not overflow");
    let point = std::array::from_fn(|axis| {
        (0..3).map(|corner| &weights[corner] * &corners[corner][axis]).sum()
    });
    (point, denominator)
}

/// Returns the shortest integer vector of the same direction, to keep the numbers small.
pub(crate) fn shortened(vector: [IBig; 3]) -> [IBig; 3] {
    let nonzero = vector.iter().filter(|coordinate| !coordinate.is_zero()).cloned();
    match nonzero.reduce(|divisor, coordinate| divisor.gcd(coordinate).into()) {
        Some(divisor) => vector.map(|coordinate| coordinate / &divisor),
        None => vector,
    }
}

pub(crate) fn cross(u: &[IBig; 3], v: &[IBig; 3]) -> [IBig; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &u[j] * &v[k] - &u[k] * &v[j]
    })
}

pub(crate) fn corners<N: Integer>(a: &Triangle, b: &Triangle) -> Option<Corners<N>> {
    to_integers(&[a[0], a[1], a[2], b[0], b[1], b[2]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{self, Answers, Rng};

    /// Both integer types must agree wherever `i128` can answer.
    #[test]
    fn fast_and_big_paths_agree_on_all_families() {
        let mut fast = 0;
        for family in cases::families() {
            for seed in 0..2_000 {
                let (a, b) = family.pair(seed);
                let big = touch_in::<IBig>(&a, &b);
                assert_eq!(Some(triangles_touch(&a, &b)), big, "{}, seed {seed}", family.name);
                if let Some(answer) = touch_in::<i128>(&a, &b) {
                    assert_eq!(Some(answer), big, "{}, seed {seed}", family.name);
                    fast += 1;
                }
            }
        }
        assert!(fast > 10_000, "the fast path hardly answers, so this proves little: {fast}");
    }

    /// Coordinates of 2 to 32 bits: from those that always fit `i128` to those that never do.
    #[test]
    fn fast_and_big_paths_agree_where_one_overflows() {
        let (mut answered, mut gave_up) = (0, 0);
        let mut rng = Rng::new(1);
        for _ in 0..20_000 {
            let size = 2.0_f64.powi(rng.int(2, 32));
            let mut triangle = || [0; 3].map(|_| [0; 3].map(|_| (rng.signed() * size).trunc()));
            let (a, b) = (triangle(), triangle());
            match touch_in::<i128>(&a, &b) {
                Some(answer) => {
                    assert_eq!(Some(answer), touch_in::<IBig>(&a, &b), "{a:?} {b:?}");
                    answered += 1;
                }
                None => gave_up += 1,
            }
        }
        assert!(answered > 5_000 && gave_up > 1_000, "{answered} answered, {gave_up} gave up");
    }

    /// Each yes comes with weights; they must be weights, and lead to the same point twice.
    #[test]
    fn every_yes_has_a_witness() {
        let mut checked = 0;
        for family in cases::families() {
            for seed in 0..1_000 {
                let (a, b) = family.pair(seed);
                let corners = corners::<IBig>(&a, &b).unwrap();
                let mut tableau = Tableau::new(&corners).unwrap();
                if !tableau.find_solution().unwrap() {
                    continue;
                }
                let (weights, denominator) = tableau.weights().unwrap();
                assert!(denominator > IBig::ZERO && weights.iter().all(|w| *w >= IBig::ZERO));
                assert_eq!(weights[..3].iter().sum::<IBig>(), denominator);
                assert_eq!(weights[3..].iter().sum::<IBig>(), denominator);
                let point = |of: std::ops::Range<usize>| -> [IBig; 3] {
                    std::array::from_fn(|axis| {
                        of.clone().map(|corner| &weights[corner] * &corners[corner][axis]).sum()
                    })
                };
                assert_eq!(point(0..3), point(3..6), "{}, seed {seed}", family.name);
                checked += 1;
            }
        }
        assert!(checked > 10_000, "too few pairs touch: {checked}");
    }

    /// The hull of a triangle is the triangle, however its six points are made of its corners.
    #[test]
    fn hulls_of_triangles_are_triangles() {
        let mut touching = 0;
        for family in cases::families() {
            for seed in 0..300 {
                let (a, b) = family.pair(seed);
                let [p, q] = [a, b].map(|t| [t[2], t[0], t[1], t[1], t[0], t[2]]);
                let expected = triangles_touch(&a, &b);
                assert_eq!(hulls_touch(&p, &q), expected, "{}, seed {seed}", family.name);
                touching += usize::from(expected);
            }
        }
        assert!(touching > 1_000, "too few pairs touch: {touching}");
    }

    #[test]
    fn a_hull_inside_another_touches_it() {
        let octahedron = |size: f64, x: f64| {
            [0, 1, 2, 3, 4, 5].map(|i: usize| {
                let mut point = [x, 0.0, 0.0];
                point[i % 3] += if i < 3 { size } else { -size };
                point
            })
        };
        let large = octahedron(1.0, 0.0);
        assert!(hulls_touch(&large, &octahedron(0.01, 0.3)));
        assert!(hulls_touch(&large, &octahedron(0.25, 1.25)));
        assert!(!hulls_touch(&large, &octahedron(0.25, 1.250_000_1)));
    }

    #[test]
    fn families_give_the_answers_they_promise() {
        for family in cases::families() {
            let touching = (0..2_000)
                .filter(|&seed| {
                    let (a, b) = family.pair(seed);
                    let all = [a, b];
                    assert!(all.as_flattened().as_flattened().iter().all(|c| c.is_finite()));
                    triangles_touch(&a, &b)
                })
                .count();
            let promised = match family.answers {
                Answers::Both => 100..=1_900,
                Answers::AllTouch => 2_000..=2_000,
            };
            assert!(promised.contains(&touching), "{}: {touching} of 2000 touch", family.name);
        }
    }
}

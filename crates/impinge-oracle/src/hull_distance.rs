//! The distance between the convex hulls of two sets of points, as an exact fraction.
//!
//! The differences `a - b` of points of the two hulls are a convex set too, and the distance is that of its point `v` nearest
//! to the origin. A simplex of up to four differences of given points is kept: its nearest point is found by trying
//! all of its faces, and then the difference that lies furthest towards the origin is added (E. G. Gilbert, D. W. Johnson,
//! S. S. Keerthi, 1988; P. Wolfe, 1976). With fractions instead of rounded numbers every step comes nearer, so that no
//! simplex occurs twice and the search ends. What it ends with is proven whatever the path: `v` is a
//! combination of differences with weights that are not negative, and `v · d >= v · v` for all differences `d`.

use crate::distance::{SquaredDistance, Vector, dot, minus};
use crate::round::nearest;
use crate::scale::decompose;
use crate::simplex::Tableau;
use crate::touch::cross;
use dashu_int::IBig;

/// The exact distance between two hulls, and where it is attained.
#[derive(Debug, Clone, PartialEq)]
pub struct HullDistance {
    /// The exact square of the distance; zero if the hulls share a point.
    pub squared: SquaredDistance,
    /// The `f64` nearest to the distance. Less than half the smallest `f64` becomes zero.
    pub distance: f64,
    /// A point of each hull at this distance; coordinates are the `f64` nearest to the exact ones.
    pub points: [[f64; 3]; 2],
    /// Whether there are no other closest points.
    pub is_unique: bool,
}

/// Returns the exact distance between the convex hulls of two sets of points. Hulls may be flat, and points may coincide.
///
/// # Panics
///
/// If a set is empty, or a coordinate is infinite or not a number.
pub fn hull_distance<P: Copy + Into<[f64; 3]>>(a: &[P], b: &[P]) -> HullDistance {
    let Scaled { a, b, exponent } = Scaled::new(a, b);
    let nearest_to_origin = nearest_difference(&a, &b);
    let Nearest { sum, denominator, .. } = &nearest_to_origin;
    let squared = SquaredDistance {
        numerator: dot(sum, sum),
        denominator: denominator * denominator,
        exponent,
    };
    let on = |points: &[Vector], side: fn(&Member) -> usize| -> [f64; 3] {
        std::array::from_fn(|axis| {
            let terms = nearest_to_origin.members.iter();
            let sum = terms.map(|(member, weight)| &points[side(member)][axis] * weight).sum();
            nearest(&sum, denominator, exponent)
        })
    };
    HullDistance {
        distance: squared.to_f64(),
        points: [on(&a, |member| member.0), on(&b, |member| member.1)],
        is_unique: is_unique(&a, &b, &nearest_to_origin),
        squared,
    }
}

/// Points of both sets as integers, times one power of two.
pub(crate) struct Scaled {
    pub(crate) a: Vec<Vector>,
    pub(crate) b: Vec<Vector>,
    pub(crate) exponent: i32,
}

impl Scaled {
    pub(crate) fn new<P: Copy + Into<[f64; 3]>>(a: &[P], b: &[P]) -> Self {
        assert!(!a.is_empty() && !b.is_empty(), "a hull needs a point");
        let parts = |points: &[P]| -> Vec<[(i64, i32); 3]> {
            points.iter().map(|&point| point.into().map(decompose)).collect()
        };
        let (a, b) = (parts(a), parts(b));
        let all = a.iter().chain(&b).flatten().filter(|(mantissa, _)| *mantissa != 0);
        let exponent = all.map(|(_, exponent)| *exponent).min().unwrap_or(0);
        let integer = |(mantissa, own): (i64, i32)| match mantissa {
            0 => IBig::ZERO,
            _ => IBig::from(mantissa) << (own - exponent) as usize,
        };
        let scaled = |points: Vec<[(i64, i32); 3]>| -> Vec<Vector> {
            points.into_iter().map(|point| point.map(integer)).collect()
        };
        Self { a: scaled(a), b: scaled(b), exponent }
    }
}

/// A difference of two given points: their numbers.
type Member = (usize, usize);

/// A combination of differences, over one denominator: the point nearest to the origin.
struct Nearest {
    sum: Vector,
    denominator: IBig,
    /// With weights above zero, which add up to the denominator.
    members: Vec<(Member, IBig)>,
}

fn nearest_difference(a: &[Vector], b: &[Vector]) -> Nearest {
    let mut simplex: Vec<Member> = vec![(0, 0)];
    loop {
        let differences: Vec<Vector> = simplex.iter().map(|&(i, j)| minus(&a[i], &b[j])).collect();
        let found = nearest_of_simplex(&simplex, &differences);
        if found.sum.iter().all(IBig::is_zero) {
            return found;
        }
        let low = (0..a.len()).min_by_key(|&i| dot(&found.sum, &a[i])).expect("not empty");
        let high = (0..b.len()).max_by_key(|&j| dot(&found.sum, &b[j])).expect("not empty");
        // v · d >= v · v, where v is the sum over the denominator.
        let least = dot(&found.sum, &minus(&a[low], &b[high])) * &found.denominator;
        if least >= dot(&found.sum, &found.sum) {
            return found;
        }
        simplex = found.members.iter().map(|(member, _)| *member).chain([(low, high)]).collect();
    }
}

/// The nearest point of a simplex: the nearest of the feet of perpendiculars from the origin to the planes, lines and
/// points of its faces, of those that lie in their faces.
fn nearest_of_simplex(members: &[Member], points: &[Vector]) -> Nearest {
    let mut best: Option<Nearest> = None;
    for subset in 1_u32..1 << points.len() {
        let chosen: Vec<usize> = (0..points.len()).filter(|i| subset >> i & 1 == 1).collect();
        let corners: Vec<&Vector> = chosen.iter().map(|&i| &points[i]).collect();
        let Some((weights, denominator)) = foot(&corners) else { continue };
        if weights.iter().any(|weight| *weight < IBig::ZERO) {
            continue;
        }
        let sum: Vector = std::array::from_fn(|axis| {
            corners.iter().zip(&weights).map(|(corner, weight)| &corner[axis] * weight).sum()
        });
        let is_nearer = best.as_ref().is_none_or(|best| {
            dot(&sum, &sum) * &best.denominator * &best.denominator
                < dot(&best.sum, &best.sum) * &denominator * &denominator
        });
        if is_nearer {
            let members = chosen.iter().map(|&i| members[i]).zip(weights);
            let members = members.filter(|(_, weight)| !weight.is_zero()).collect();
            best = Some(Nearest { sum, denominator, members });
        }
    }
    best.expect("each corner is a face")
}

/// The weights of the corners that give the foot of the perpendicular from the origin, over a positive denominator; `None` if
/// the corners are affinely dependent.
fn foot(corners: &[&Vector]) -> Option<(Vec<IBig>, IBig)> {
    let (first, others) = corners.split_first().expect("a face has a corner");
    let edges: Vec<Vector> = others.iter().map(|corner| minus(corner, first)).collect();
    // The foot is first + Σ t edge, at right angles to all edges: a linear system with the edges' Gram matrix, solved by
    // Cramer's rule. Its determinant is positive, or zero if the edges are dependent.
    let gram: Vec<Vec<IBig>> =
        edges.iter().map(|u| edges.iter().map(|v| dot(u, v)).collect()).collect();
    let right: Vec<IBig> = edges.iter().map(|u| -dot(u, first)).collect();
    let denominator = determinant(&gram);
    if denominator.is_zero() {
        return None;
    }
    let others = (0..edges.len()).map(|column| {
        let mut replaced = gram.clone();
        for (row, value) in replaced.iter_mut().zip(&right) {
            row[column] = value.clone();
        }
        determinant(&replaced)
    });
    let others: Vec<IBig> = others.collect();
    let first = &denominator - others.iter().sum::<IBig>();
    Some(([first].into_iter().chain(others).collect(), denominator))
}

/// By expansion along the first row; 1 for the matrix without rows.
fn determinant(matrix: &[Vec<IBig>]) -> IBig {
    let Some((first, rest)) = matrix.split_first() else { return IBig::ONE };
    let term = |(column, value): (usize, &IBig)| {
        let minor: Vec<Vec<IBig>> =
            rest.iter().map(|row| [&row[..column], &row[column + 1..]].concat()).collect();
        let product = value * determinant(&minor);
        if column % 2 == 0 { product } else { -product }
    };
    first.iter().enumerate().map(term).sum()
}

/// Whether one pair of points alone has the difference `v`.
fn is_unique(a: &[Vector], b: &[Vector], nearest: &Nearest) -> bool {
    // Four differences with weights above zero: the origin is an inner point of the tetrahedron that they span. Then the
    // hulls share points that are inner points of both within the flats that they span, and these flats span all of
    // space together. So the common part has the dimension of the flats' common part.
    if nearest.members.len() == 4 {
        dimension(a) + dimension(b) == 3
    } else {
        is_unique_in_faces(a, b, nearest)
    }
}

/// The dimension of the convex hull: 0 for a point, 3 for a solid.
fn dimension(points: &[Vector]) -> usize {
    let mut edges = points[1..].iter().map(|point| minus(point, &points[0]));
    let is_zero = |vector: &Vector| vector.iter().all(IBig::is_zero);
    let Some(line) = edges.find(|edge| !is_zero(edge)) else { return 0 };
    let Some(plane) = edges.map(|edge| cross(&line, &edge)).find(|normal| !is_zero(normal)) else {
        return 1;
    };
    let height = dot(&plane, &points[0]);
    if points.iter().all(|point| dot(&plane, point) == height) { 2 } else { 3 }
}

/// The same in general.
///
/// Closest points lie in the faces of the hulls that are extreme along `v`. The second face, moved by `v`, has the first
/// ones of all closest pairs in common with the first face: linear programs tell how far these reach along the axes.
fn is_unique_in_faces(a: &[Vector], b: &[Vector], nearest: &Nearest) -> bool {
    let Nearest { sum, denominator, .. } = nearest;
    let heights =
        |points: &[Vector]| -> Vec<IBig> { points.iter().map(|point| dot(sum, point)).collect() };
    let (low, high) = (heights(a), heights(b));
    let face = |points: &[Vector], heights: &[IBig], extreme: Option<&IBig>, shift: &Vector| {
        let extreme = extreme.expect("not empty");
        let of_face = points.iter().zip(heights).filter(|(_, height)| *height == extreme);
        let placed = of_face.map(|(point, _)| {
            std::array::from_fn(|axis| &point[axis] * denominator + &shift[axis])
        });
        let mut face: Vec<Vector> = placed.collect();
        face.sort_unstable();
        face.dedup();
        face
    };
    let p = face(a, &low, low.iter().min(), &[0; 3].map(IBig::from));
    let q = face(b, &high, high.iter().max(), sum);
    if p.len() == 1 || q.len() == 1 {
        return true;
    }
    let reach = |axis: usize, sign: i32| {
        let mut direction = [0; 3].map(IBig::from);
        direction[axis] = IBig::from(sign);
        let solve = || {
            let mut tableau = Tableau::of_hulls(&p, &q)?;
            tableau.add_objective(&p, &direction)?;
            assert!(tableau.find_solution()?, "the closest points are common to both faces");
            tableau.maximise()?;
            tableau.objective()
        };
        let (value, denominator): (IBig, IBig) = solve().expect("big integers do not overflow");
        (value, denominator)
    };
    (0..3).all(|axis| {
        let ((high, high_over), (low, low_over)) = (reach(axis, 1), reach(axis, -1));
        // Both are measured from the same point: the largest, and the negative of the smallest.
        high * low_over == -low * high_over
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    /// The short cut and the linear programs must agree, and both must have had a say.
    #[test]
    fn hulls_are_unique_by_both_ways_alike() {
        let (mut short, mut unique) = (0, 0);
        for family in cases::hull_families() {
            for seed in 0..12 {
                let pair = family.pair(seed).map(|points| points[..points.len().min(5)].to_vec());
                let Scaled { a, b, .. } = Scaled::new(&pair[0], &pair[1]);
                let nearest = nearest_difference(&a, &b);
                let answer = is_unique(&a, &b, &nearest);
                let general = is_unique_in_faces(&a, &b, &nearest);
                assert_eq!(answer, general, "{}, seed {seed}", family.name);
                short += usize::from(nearest.members.len() == 4);
                unique += usize::from(answer);
            }
        }
        assert!(short > 30 && unique > 50, "{short} by the short cut, {unique} are unique");
    }

    #[test]
    fn dimensions() {
        let points = |points: &[[i32; 3]]| -> Vec<Vector> {
            points.iter().map(|point| point.map(IBig::from)).collect()
        };
        let solid = points(&[[1, 2, 3], [1, 2, 3], [2, 4, 6], [3, 6, 9], [0, 2, 3], [0, 0, 1]]);
        assert_eq!([2, 3, 4, 5, 6].map(|count| dimension(&solid[..count])), [0, 1, 1, 2, 3]);
    }

    /// A segment that crosses a triangle has one common point with it, two crossing triangles have many.
    #[test]
    fn crossing_flats() {
        let triangle = [[-3.0, -2.0, 0.0], [5.0, -2.0, 0.0], [0.0, 7.0, 0.0]];
        let needle = [[0.5, 0.25, -1.0], [0.25, 0.5, 2.0]];
        assert!(hull_distance(&triangle[..], &needle[..]).is_unique);
        let upright = [needle[0], needle[1], [1.0, 0.5, 3.0]];
        assert!(!hull_distance(&triangle[..], &upright[..]).is_unique);
    }
}

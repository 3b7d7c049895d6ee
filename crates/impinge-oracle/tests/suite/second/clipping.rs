//! Computes the common part as a polygon: one triangle is clipped by the half-spaces that bound the other (I. E.
//! Sutherland, G. W. Hodgman, *Reentrant polygon clipping*, 1974).

use super::{Vector, cross, dot, is_zero, minus};
use dashu_int::IBig;
use dashu_int::ops::Gcd;

/// The point `(x, y, z) / w`, with `w > 0`.
type Point = [IBig; 4];
/// The points with `x n₀ + y n₁ + z n₂ + w n₃ ≥ 0`.
type HalfSpace = [IBig; 4];

/// Returns the dimension of the common part; `None` if it is empty.
pub(crate) fn meet_dimension(a: &[Vector; 3], b: &[Vector; 3]) -> Option<usize> {
    let mut polygon: Vec<Point> =
        a.iter().map(|[x, y, z]| [x.clone(), y.clone(), z.clone(), IBig::ONE]).collect();
    for half_space in half_spaces(b) {
        polygon = clipped(&polygon, &half_space);
    }
    dimension(&polygon)
}

fn half_spaces(t: &[Vector; 3]) -> Vec<HalfSpace> {
    let edges = [0, 1, 2].map(|i| minus(&t[(i + 1) % 3], &t[i]));
    let normal = cross(&edges[0], &edges[1]);
    let mut list = Vec::new();
    if !is_zero(&normal) {
        list.extend(plane(&normal, &t[0]));
        list.extend((0..3).map(|i| beyond(&cross(&normal, &edges[i]), &t[i])));
        return list;
    }
    // Collinear corners: the longest edge covers the triangle. A vector is parallel to the edge if its cross
    // product with it is zero, which is one plane for each axis.
    let longest = (0..3).max_by_key(|&i| dot(&edges[i], &edges[i])).unwrap_or(0);
    let (edge, start, end) = (&edges[longest], &t[longest], &t[(longest + 1) % 3]);
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| axis.map(IBig::from));
    if is_zero(edge) {
        return axes.iter().flat_map(|axis| plane(axis, start)).collect();
    }
    list.extend(axes.iter().flat_map(|axis| plane(&cross(axis, edge), start)));
    list.push(beyond(edge, start));
    list.push(beyond(&edge.clone().map(|c| -c), end));
    list
}

/// The half-space on the side of the normal, with the point on its border.
fn beyond(normal: &Vector, point: &Vector) -> HalfSpace {
    let [x, y, z] = normal.clone();
    [x, y, z, -dot(normal, point)]
}

/// A plane, as two half-spaces.
fn plane(normal: &Vector, point: &Vector) -> [HalfSpace; 2] {
    [beyond(normal, point), beyond(&normal.clone().map(|c| -c), point)]
}

fn clipped(polygon: &[Point], half_space: &HalfSpace) -> Vec<Point> {
    let height = |point: &Point| -> IBig { point.iter().zip(half_space).map(|(p, h)| p * h).sum() };
    let heights: Vec<IBig> = polygon.iter().map(height).collect();
    let mut result = Vec::with_capacity(polygon.len() + 2);
    for (i, point) in polygon.iter().enumerate() {
        let next = (i + 1) % polygon.len();
        let (here, there) = (&heights[i], &heights[next]);
        if *here >= IBig::ZERO {
            result.push(point.clone());
        }
        let crosses = (*here > IBig::ZERO && *there < IBig::ZERO)
            || (*here < IBig::ZERO && *there > IBig::ZERO);
        if crosses {
            // Weighted by the height of the other, without its sign, so that w stays positive.
            let sign = if *here > IBig::ZERO { IBig::ONE } else { -IBig::ONE };
            let other = &polygon[next];
            result.push(reduced(std::array::from_fn(|k| {
                (&other[k] * here - &point[k] * there) * &sign
            })));
        }
    }
    result
}

fn reduced(point: Point) -> Point {
    let divisor = point.iter().fold(point[3].clone(), |divisor, c| divisor.gcd(c).into());
    point.map(|c| c / &divisor)
}

fn dimension(points: &[Point]) -> Option<usize> {
    let (first, rest) = points.split_first()?;
    let vectors: Vec<Vector> = rest
        .iter()
        .map(|p| std::array::from_fn(|axis| &p[axis] * &first[3] - &first[axis] * &p[3]))
        .filter(|vector| !is_zero(vector))
        .collect();
    let Some((first, rest)) = vectors.split_first() else { return Some(0) };
    if rest.iter().all(|vector| is_zero(&cross(first, vector))) { Some(1) } else { Some(2) }
}

//! Decides whether triangles are disjoint by searching for a separating direction.
//!
//! Two disjoint triangles have a closest pair of points, and the vector between the two strictly
//! separates them. Each of the points lies on a corner, inside an edge or inside the face of its
//! triangle, and the vector is orthogonal to whatever edge or face that is. So, up to its length,
//! it is one of
//!
//! - corner to corner: `p - q`;
//! - edge to corner: the part of `p - q` that is orthogonal to the edge, `(e × (p - q)) × e`;
//! - face to anything: the face's normal;
//! - edge to edge, not parallel: the cross product of the edges. (Points inside parallel edges
//!   can slide until one of them is at a corner.)
//!
//! A degenerate triangle has fewer kinds of points, and all of them are in the list. So the
//! triangles are disjoint if and only if one of these directions strictly separates them.

use super::{Vector, cross, dot, minus};
use dashu_int::IBig;

/// Returns whether no direction of the list separates the triangles.
pub(crate) fn touch(a: &[Vector; 3], b: &[Vector; 3]) -> bool {
    !directions(a, b).any(|direction| separates(&direction, a, b))
}

fn directions(a: &[Vector; 3], b: &[Vector; 3]) -> impl Iterator<Item = Vector> {
    let edges = |t: &[Vector; 3]| [0, 1, 2].map(|i| (t[i].clone(), minus(&t[(i + 1) % 3], &t[i])));
    let (edges_a, edges_b) = (edges(a), edges(b));
    let mut list = Vec::with_capacity(38);
    list.push(cross(&edges_a[0].1, &edges_a[1].1));
    list.push(cross(&edges_b[0].1, &edges_b[1].1));
    for (_, edge_a) in &edges_a {
        list.extend(edges_b.iter().map(|(_, edge_b)| cross(edge_a, edge_b)));
    }
    for p in a {
        list.extend(b.iter().map(|q| minus(p, q)));
    }
    for (edges, corners) in [(&edges_a, b), (&edges_b, a)] {
        for (start, edge) in edges {
            list.extend(corners.iter().map(|p| cross(&cross(edge, &minus(p, start)), edge)));
        }
    }
    list.into_iter()
}

fn separates(direction: &Vector, a: &[Vector; 3], b: &[Vector; 3]) -> bool {
    let [a, b] = [a, b].map(|t| t.each_ref().map(|corner| dot(direction, corner)));
    let below = |s: &[IBig; 3], t: &[IBig; 3]| s.iter().all(|s| t.iter().all(|t| s < t));
    below(&a, &b) || below(&b, &a)
}

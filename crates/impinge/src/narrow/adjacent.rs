//! Faces of one mesh that share vertices: do they have more in common than these?
//!
//! Two faces that share a vertex always meet there, so that alone is no contact of a body with itself. They are in
//! contact if they share a point outside the convex hull of their common vertices. [`meet_beyond_vertex`] and
//! [`meet_beyond_edge`] decide that for one and for two common vertices, exactly for every finite `f64`. Faces may be
//! degenerate. `method/self_question.rs` calls them.
//!
//! # One common vertex
//!
//! Let o be the vertex, and A, B and C, D the edges that start there, as vectors. The triangle from A and B is all
//! `s A + t B` with `s, t ≥ 0` and `s + t ≤ 1`. So it contains a small multiple of every vector of the *cone* of A and
//! B, which is all `s A + t B` with `s, t ≥ 0`. The triangles therefore share a point other than o exactly if the two
//! cones share a vector other than 0. This holds for degenerate triangles, too. Their cones are a ray, a whole line
//! (o lies between the other corners), or 0 alone.
//!
//! For two cones with linearly independent edges, let `a` be the sign of det(C, D, A), that is the side of the second
//! triangle's plane on which A lies, and likewise b, c, d:
//!
//! - a and b, or c and d, are equal and not 0: one cone meets the other's plane in 0 only.
//! - None is 0, a ≠ b and c ≠ d: the first cone meets the second plane in the ray of `R = |det(C, D, B)| A +
//!   |det(C, D, A)| B`. With `R = γ C + δ D`, Cramer's rule gives `γ = |a'| d' / a'` and `δ = −|a'| c' / a'`, where a'
//!   is det(C, D, A), and so on. c' and d' have opposite signs, so γ and δ have one sign. The cones meet exactly if it
//!   is positive: if a = d.
//! - a is 0, b is not: the first cone meets the second plane in the ray of A, which is in the second cone or not.
//!   Likewise for b, c and d.
//! - All are 0: both cones are in one plane. If they meet, then one of the four edges is in the other cone.
//!
//! # Two common vertices
//!
//! Let u and v be the vertices, and p and q the third corners. If u ≠ v and p is not on their line, the triangles
//! share more than the edge exactly if q lies in their plane, on the same side of the line as p: the faces are folded
//! onto each other. If only one of p and q is on the line, the triangles share the edge alone. If both are, the
//! triangles are segments, which share more exactly if p and q lie beyond the same end of the edge. If u = v, they are
//! segments that start at u, and share more if they start in the same direction.

use super::predicates::{Filter3, Projection, orient3d};
use glam::DVec3;

/// Half the distance from 1 to the next `f64`: the largest relative error of one operation.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Returns whether two closed triangles with the common corner `o` share another point. `first` and `second` are the
/// other corners of the two triangles.
pub(crate) fn meet_beyond_vertex(o: DVec3, first: [DVec3; 2], second: [DVec3; 2]) -> bool {
    let [a, b, c, d] = [first[0] - o, first[1] - o, second[0] - o, second[1] - o];
    // Nearly all pairs of a surface end here or at the next test.
    let reach = a.abs().max(b.abs()).max(c.abs().max(d.abs()));
    let filter = Filter3::new(reach);
    let normal = a.cross(b);
    let sides = [normal.dot(c), normal.dot(d)].map(|height| filter.sign(height));
    if let [Some(c_side), Some(d_side)] = sides {
        if c_side == d_side {
            return false;
        }
        let normal = c.cross(d);
        let sides = [normal.dot(a), normal.dot(b)].map(|height| filter.sign(height));
        if let [Some(a_side), Some(b_side)] = sides {
            return a_side != b_side && a_side == d_side;
        }
    }
    if plane_separates([a, b], [c, d]) {
        return false;
    }
    cones_meet(o, first, second)
}

/// Whether a plane is found that has the first two vectors strictly on one side and the others strictly on the other.
/// `false` proves nothing.
///
/// The normal of the plane may be any vector w, so its own rounding does not matter. The vectors were differences,
/// each off by one unit. A product with w, whose length is at most 4, is then off by less than 12 units of the vector's
/// length.
fn plane_separates(first: [DVec3; 2], second: [DVec3; 2]) -> bool {
    let lengths = [first[0], first[1], second[0], second[1]].map(DVec3::length);
    // Far from where squares underflow or overflow.
    if !lengths.iter().all(|length| (1e-140..1e140).contains(length)) {
        return false;
    }
    let [a, b, c, d] = lengths;
    let w = (first[0] / a + first[1] / b) - (second[0] / c + second[1] / d);
    let bound = 64.0 * UNIT;
    w.dot(first[0]) > bound * a
        && w.dot(first[1]) > bound * b
        && w.dot(second[0]) < -bound * c
        && w.dot(second[1]) < -bound * d
}

/// A cone with its apex at a common corner, by the corners through which its edges pass.
enum Cone {
    /// A ray, two opposite rays, or nothing but the apex.
    Rays([Option<DVec3>; 2]),
    /// Two edges that are not on one line, and a projection in which they are not.
    Wedge([DVec3; 2], Projection),
}

impl Cone {
    fn new(o: DVec3, [a, b]: [DVec3; 2]) -> Self {
        match Projection::spreading(o, a, b) {
            Some(projection) => Self::Wedge([a, b], projection),
            // The cone of two edges on one line is the union of their rays.
            None => Self::Rays([a, b].map(|end| (end != o).then_some(end))),
        }
    }
}

/// Decides by exact signs whether two cones with their apexes at `o` share more than that.
#[cold]
#[inline(never)]
fn cones_meet(o: DVec3, first: [DVec3; 2], second: [DVec3; 2]) -> bool {
    match (Cone::new(o, first), Cone::new(o, second)) {
        (Cone::Rays(rays), Cone::Rays(others)) => {
            let mut others = others.into_iter().flatten();
            others.any(|other| rays.into_iter().flatten().any(|ray| is_same_ray(o, ray, other)))
        }
        (Cone::Rays(rays), Cone::Wedge(wedge, projection))
        | (Cone::Wedge(wedge, projection), Cone::Rays(rays)) => {
            rays.into_iter().flatten().any(|ray| is_in_wedge(o, ray, wedge, projection))
        }
        (Cone::Wedge([a, b], of_first), Cone::Wedge([c, d], of_second)) => {
            let in_second = |ray| is_in_wedge(o, ray, [c, d], of_second);
            let in_first = |ray| is_in_wedge(o, ray, [a, b], of_first);
            let (c_side, d_side) = (orient3d(o, a, b, c), orient3d(o, a, b, d));
            if c_side == d_side && c_side != 0 {
                return false;
            }
            match (orient3d(o, c, d, a), orient3d(o, c, d, b)) {
                (0, 0) => in_second(a) || in_second(b) || in_first(c) || in_first(d),
                (0, _) => in_second(a),
                (_, 0) => in_second(b),
                (a_side, b_side) if a_side == b_side => false,
                _ if c_side == 0 => in_first(c),
                _ if d_side == 0 => in_first(d),
                (a_side, _) => a_side == d_side,
            }
        }
    }
}

/// Whether the rays from `o` through two other points are the same.
fn is_same_ray(o: DVec3, p: DVec3, q: DVec3) -> bool {
    Projection::spreading(o, p, q).is_none() && is_before(o, p) == is_before(o, q)
}

/// Whether the ray from `o` through another point is in the wedge, given a projection that does not collapse the wedge.
fn is_in_wedge(o: DVec3, ray: DVec3, [c, d]: [DVec3; 2], projection: Projection) -> bool {
    let turn = projection.orient(o, c, d);
    orient3d(o, c, d, ray) == 0
        && projection.orient(o, c, ray) * turn >= 0
        && projection.orient(o, ray, d) * turn >= 0
}

/// The lexicographic order of points. On a line it is the order along the line.
fn is_before(p: DVec3, q: DVec3) -> bool {
    p.to_array() < q.to_array()
}

/// Returns whether two closed triangles with the common corners `u` and `v` share a point outside the edge between
/// them. `p` and `q` are the third corners.
pub(crate) fn meet_beyond_edge([u, v]: [DVec3; 2], p: DVec3, q: DVec3) -> bool {
    // Faces that are folded by less than a right angle, which nearly all faces of a surface are, have normals with a
    // negative product, if both are taken in the direction from u to v.
    let (e, f, g) = (v - u, p - u, q - u);
    let reach = e.abs().max(f.abs()).max(g.abs()).max_element();
    let fourth = (reach * reach) * (reach * reach);
    // A component of a normal is off by at most 8 units of reach², and at most 2 reach². So a product of two is off by
    // 36 units of reach⁴, and the sum of three by 132. Far from where numbers underflow or overflow.
    let is_in_range = (1e-280..1e280).contains(&fourth);
    if is_in_range && e.cross(f).dot(e.cross(g)) < -160.0 * UNIT * fourth {
        return false;
    }
    folds(u, v, p, q)
}

/// Decides the same by exact signs.
#[cold]
#[inline(never)]
fn folds(u: DVec3, v: DVec3, p: DVec3, q: DVec3) -> bool {
    if orient3d(u, v, p, q) != 0 {
        return false;
    }
    if u == v {
        return p != u && q != u && is_same_ray(u, p, q);
    }
    match (Projection::spreading(u, v, p), Projection::spreading(u, v, q)) {
        (Some(projection), Some(_)) => projection.orient(u, v, p) == projection.orient(u, v, q),
        (None, None) => {
            let (low, high) = if is_before(u, v) { (u, v) } else { (v, u) };
            (is_before(p, low) && is_before(q, low)) || (is_before(high, p) && is_before(high, q))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_oracle::cases::{Rng, families};

    fn vector(point: [f64; 3]) -> DVec3 {
        DVec3::from_array(point)
    }

    /// Compares both functions with the oracle's linear programs, on corners of all families of hard pairs. Counts
    /// the answers.
    #[test]
    fn answers_are_those_of_the_oracle() {
        let pairs = std::env::var("IMPINGE_PAIRS").ok().and_then(|count| count.parse().ok());
        let (mut vertex, mut edge) = ([0usize; 2], [0usize; 2]);
        for family in families() {
            for seed in 0..pairs.unwrap_or(1_500) {
                let (s, t) = family.pair(seed);
                let case = || format!("{} seed {seed}: {s:?} {t:?}", family.name);
                let [o, a, b] = s.map(vector);
                let [_, c, d] = t.map(vector);
                let expected = impinge_oracle::meet_beyond(&s, &[s[0], t[1], t[2]], &[s[0]]);
                assert_eq!(meet_beyond_vertex(o, [a, b], [c, d]), expected, "{}", case());
                assert_eq!(meet_beyond_vertex(o, [d, c], [a, b]), expected, "{}", case());
                assert_eq!(cones_meet(o, [a, b], [c, d]), expected, "exact: {}", case());
                vertex[usize::from(expected)] += 1;

                let (u, v, p, q) = (o, a, b, d);
                let expected = impinge_oracle::meet_beyond(&s, &[s[0], s[1], t[2]], &[s[0], s[1]]);
                assert_eq!(meet_beyond_edge([u, v], p, q), expected, "{}", case());
                assert_eq!(meet_beyond_edge([v, u], q, p), expected, "{}", case());
                assert_eq!(folds(u, v, p, q), expected, "exact: {}", case());
                edge[usize::from(expected)] += 1;
            }
        }
        assert!(vertex.iter().chain(&edge).all(|&count| count > 1_000), "{vertex:?} {edge:?}");
    }

    /// On a grid of a few points all special cases are common: equal corners, corners on one line, opposite rays.
    #[test]
    fn answers_on_a_grid_are_those_of_the_oracle() {
        let mut counts = [[0usize; 2]; 2];
        for seed in 0..60_000u64 {
            let mut rng = Rng::new(seed);
            let flat = rng.int(0, 2) == 0;
            let mut point = || {
                let [x, y, z] = [0; 3].map(|_| f64::from(rng.int(-1, 1)));
                if flat { [x, y, x] } else { [x, y, z] }
            };
            let [o, a, b, c, d] = [0; 5].map(|_| point());
            let expected = impinge_oracle::meet_beyond(&[o, a, b], &[o, c, d], &[o]);
            let [p, q, r, s, t] = [o, a, b, c, d].map(vector);
            let case = format!("seed {seed}: {o:?} {a:?} {b:?} {c:?} {d:?}");
            assert_eq!(meet_beyond_vertex(p, [q, r], [s, t]), expected, "{case}");
            counts[0][usize::from(expected)] += 1;
            let expected = impinge_oracle::meet_beyond(&[o, a, b], &[o, a, c], &[o, a]);
            assert_eq!(meet_beyond_edge([p, q], r, s), expected, "{case}");
            counts[1][usize::from(expected)] += 1;
        }
        assert!(counts.as_flattened().iter().all(|&count| count > 2_000), "{counts:?}");
    }

    #[test]
    fn faces_of_a_flat_or_bent_strip_are_clear_and_folded_ones_are_not() {
        let [u, v, p] = [DVec3::ZERO, DVec3::X, DVec3::Y];
        for (q, expected) in [
            (DVec3::NEG_Y, false),
            (DVec3::Z, false),
            (DVec3::new(0.3, 1e-3, 0.0), true),
            (DVec3::new(0.3, 1e-3, f64::from_bits(1)), false),
            (DVec3::Y, true),
            (DVec3::new(2.0, 0.0, 0.0), false),
        ] {
            assert_eq!(meet_beyond_edge([u, v], p, q), expected, "{q}");
        }
    }
}

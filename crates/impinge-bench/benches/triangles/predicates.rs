//! The same test with its signs computed by predicate crates, one call per sign. Coplanar and degenerate pairs
//! are left to impinge's own test, because they need the same signs in two dimensions.

use impinge::glam::DVec3;
use impinge::narrow::{Triangle, triangles_intersect};

pub(crate) fn with_robust(a: &Triangle, b: &Triangle) -> bool {
    let coord = |p: DVec3| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    test(a, b, |p, q, r, s| -robust::orient3d(coord(p), coord(q), coord(r), coord(s)))
}

pub(crate) fn with_geometry(a: &Triangle, b: &Triangle) -> bool {
    test(a, b, |p, q, r, s| {
        -geometry_predicates::orient3d(p.to_array(), q.to_array(), r.to_array(), s.to_array())
    })
}

/// `orient` must be positive if the first three points appear counter-clockwise from the last one.
#[inline(always)]
fn test(a: &Triangle, b: &Triangle, orient: impl Fn(DVec3, DVec3, DVec3, DVec3) -> f64) -> bool {
    let sides = |of: &Triangle, t: &Triangle| t.map(|corner| orient(of[0], of[1], of[2], corner));
    let same = |s: [f64; 3]| s.iter().all(|&d| d > 0.0) || s.iter().all(|&d| d < 0.0);
    let b_sides = sides(a, b);
    if same(b_sides) {
        return false;
    }
    let a_sides = sides(b, a);
    if same(a_sides) {
        return false;
    }
    if a_sides == [0.0; 3] || b_sides == [0.0; 3] {
        return triangles_intersect(a, b);
    }
    let (a_lone, b_lone) = (super::plain::lone(a_sides), super::plain::lone(b_sides));
    let (mut p, mut q) = (super::plain::turned(a, a_lone.0), super::plain::turned(b, b_lone.0));
    if !a_lone.1 {
        q.swap(1, 2);
    }
    if !b_lone.1 {
        p.swap(1, 2);
    }
    orient(p[0], p[1], q[0], q[1]) <= 0.0 && orient(p[0], p[2], q[0], q[2]) >= 0.0
}

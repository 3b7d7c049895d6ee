//! The triangle test as it is commonly written: plain `f64`, no error bound, coplanar pairs by separating edges
//! in the widest projection. The reference for the cost of exactness.

use impinge::glam::{DVec2, DVec3};
use impinge::narrow::Triangle;

#[inline]
fn heights(of: &Triangle, t: &Triangle) -> [f64; 3] {
    let normal = (of[1] - of[0]).cross(of[2] - of[0]);
    t.map(|corner| normal.dot(corner - of[0]))
}

#[inline]
fn same_side([a, b, c]: [f64; 3]) -> bool {
    (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0)
}

/// Returns the corner that is alone on its side of the plane, and whether it is above.
#[inline]
pub(super) fn lone([a, b, c]: [f64; 3]) -> (usize, bool) {
    if a > 0.0 {
        if b > 0.0 {
            (2, false)
        } else if c > 0.0 {
            (1, false)
        } else {
            (0, true)
        }
    } else if a < 0.0 {
        if b < 0.0 {
            (2, true)
        } else if c < 0.0 {
            (1, true)
        } else {
            (0, false)
        }
    } else if b > 0.0 {
        if c > 0.0 { (0, false) } else { (1, true) }
    } else if b < 0.0 {
        if c < 0.0 { (0, true) } else { (1, false) }
    } else {
        (2, c > 0.0)
    }
}

#[inline]
pub(super) fn turned(t: &Triangle, first: usize) -> Triangle {
    [t[first], t[(first + 1) % 3], t[(first + 2) % 3]]
}

#[inline]
fn orient(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

pub(crate) fn triangles_intersect(a: &Triangle, b: &Triangle) -> bool {
    let b_heights = heights(a, b);
    if same_side(b_heights) {
        return false;
    }
    let a_heights = heights(b, a);
    if same_side(a_heights) {
        return false;
    }
    if a_heights == [0.0; 3] || b_heights == [0.0; 3] {
        return coplanar(a, b);
    }
    let (a_lone, b_lone) = (lone(a_heights), lone(b_heights));
    let (mut p, mut q) = (turned(a, a_lone.0), turned(b, b_lone.0));
    if !a_lone.1 {
        q.swap(1, 2);
    }
    if !b_lone.1 {
        p.swap(1, 2);
    }
    orient(p[0], p[1], q[0], q[1]) <= 0.0 && orient(p[0], p[2], q[0], q[2]) >= 0.0
}

fn coplanar(a: &Triangle, b: &Triangle) -> bool {
    let normal = (a[1] - a[0]).cross(a[2] - a[0]).abs();
    let flat = |p: DVec3| {
        if normal.x >= normal.y && normal.x >= normal.z {
            DVec2::new(p.y, p.z)
        } else if normal.y >= normal.z {
            DVec2::new(p.z, p.x)
        } else {
            DVec2::new(p.x, p.y)
        }
    };
    let (p, q) = (a.map(flat), b.map(flat));
    !(edge_parts(&p, &q) || edge_parts(&q, &p))
}

fn edge_parts(p: &[DVec2; 3], q: &[DVec2; 3]) -> bool {
    let turn = (p[1] - p[0]).perp_dot(p[2] - p[0]);
    (0..3).any(|i| {
        let edge = p[(i + 1) % 3] - p[i];
        q.iter().all(|c| edge.perp_dot(*c - p[i]) * turn < 0.0)
    })
}

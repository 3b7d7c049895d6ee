//! Pairs that touch at a corner, along an edge or on a face: exactly, or up to a few ulps.

use super::shape::{
    coarse_triangle, combine, nudge, offset, on_edge, on_face, plus, rescaled, size,
};
use super::{Pair, Rng};
use crate::Triangle;

/// The same triangle twice.
pub(super) fn identical(rng: &mut Rng) -> Pair {
    let a = any_triangle(rng);
    (a, a)
}

/// One common corner.
pub(super) fn shared_vertex(rng: &mut Rng) -> Pair {
    let (a, mut b) = (any_triangle(rng), any_triangle(rng));
    b[0] = a[0];
    (a, b)
}

/// One common edge.
pub(super) fn shared_edge(rng: &mut Rng) -> Pair {
    let (a, mut b) = (any_triangle(rng), any_triangle(rng));
    (b[0], b[1]) = (a[0], a[1]);
    (a, b)
}

/// A corner of one triangle on the face of the other.
pub(super) fn vertex_on_face(rng: &mut Rng) -> Pair {
    let a = coarse_triangle(rng);
    let contact = on_face(rng, &a);
    let b = standing_on(rng, contact, size(&a));
    rescaled(rng, (a, b), -20, 20)
}

/// A corner of one triangle on an edge of the other.
pub(super) fn vertex_on_edge(rng: &mut Rng) -> Pair {
    let a = coarse_triangle(rng);
    let contact = on_edge(rng, a[0], a[1]);
    let b = standing_on(rng, contact, size(&a));
    rescaled(rng, (a, b), -20, 20)
}

/// Two edges that cross at a point, the middle of one of them.
pub(super) fn edges_crossing(rng: &mut Rng) -> Pair {
    let a = coarse_triangle(rng);
    let contact = on_edge(rng, a[0], a[1]);
    let b = balanced_on(rng, contact, size(&a));
    rescaled(rng, (a, b), -20, 20)
}

/// A corner of one triangle on an edge of the other, which goes through its plane.
pub(super) fn tip(rng: &mut Rng) -> Pair {
    let a = coarse_triangle(rng);
    let b = balanced_on(rng, a[0], size(&a));
    rescaled(rng, (a, b), -20, 20)
}

/// The given contact with one coordinate of one corner moved by one to three ulps.
///
/// Whether the triangles still touch depends on the direction, and on how closely they touched before.
pub(super) fn moved(rng: &mut Rng, make: fn(&mut Rng) -> Pair) -> Pair {
    let (mut a, mut b) = make(rng);
    // One time in eight the contact is unchanged: an exact zero is the hardest case.
    if !rng.one_in(8) {
        let moved = if rng.one_in(2) { &mut a } else { &mut b };
        nudge(rng, moved);
    }
    (a, b)
}

/// A common edge of which both ends have been moved by a few ulps, in either triangle.
pub(super) fn shared_edge_moved(rng: &mut Rng) -> Pair {
    let (a, mut b) = shared_edge(rng);
    // Moving one corner at a time leaves the other one shared half of the time; four moves make that rare.
    for _ in 0..4 {
        nudge(rng, &mut b);
    }
    (a, b)
}

/// A triangle with few bits half of the time, else with all of them.
fn any_triangle(rng: &mut Rng) -> Triangle {
    if rng.one_in(2) { coarse_triangle(rng) } else { super::shape::triangle_in_cube(rng) }
}

/// A triangle with its first corner at the contact and the others in roughly one direction, so that it usually
/// lies on one side of the surface it touches.
fn standing_on(rng: &mut Rng, contact: [f64; 3], size: f64) -> Triangle {
    let away = offset(rng, size);
    let [q, r] = [0; 2].map(|_| plus(away, offset(rng, 0.5 * size)));
    [contact, plus(contact, q), plus(contact, r)]
}

/// A triangle that has the contact in the middle of an edge: exact.
fn balanced_on(rng: &mut Rng, contact: [f64; 3], size: f64) -> Triangle {
    let along = offset(rng, size);
    let rest = offset(rng, size);
    [plus(contact, along), combine(contact, along, |c, d| c - d), plus(contact, rest)]
}

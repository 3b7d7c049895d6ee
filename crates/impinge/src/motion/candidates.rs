//! Which faces of two moving bodies can touch during an interval of time, by any method.
//!
//! In the middle of the interval, faces that touch at any time of it are at most as far apart as the bodies can come
//! closer in half of it ([`relative_speed`]). So a query with that tolerance, at the poses of the middle, finds them all:
//! every method grows its volumes by the tolerance, and no method needs to know about motions.

use super::{
    approach::{relative_speed, rounding},
    moving::MovingBody,
};
use crate::{FacePair, Shape, query::Searcher};
use std::ops::ControlFlow;

/// Adds the pairs of faces that touch between two times to `pairs`, and possibly others.
pub(super) fn candidates(
    searcher: &mut Searcher,
    bodies: &[MovingBody<'_>; 2],
    [from, to]: [f64; 2],
    pairs: &mut Vec<FacePair>,
) {
    let middle = 0.5 * (from + to);
    // Distances count as computed, to a relative 1e-12.
    let tolerance = (travel(bodies, [from, to]) + rounding(bodies)) * (1.0 + 1e-11);
    let [a, b] = bodies;
    a.moving().with_shape_at(middle, |shape_a, pose_a| {
        b.moving().with_shape_at(middle, |shape_b, pose_b| {
            let bodies = [(shape_a, pose_a), (shape_b, pose_b)];
            searcher.visit_within(bodies[0], bodies[1], tolerance, &mut |pair| {
                pairs.push(pair);
                ControlFlow::Continue(())
            });
        });
    });
}

/// An upper bound on how far any two points, one of each body, move relative to each other between the middle of an
/// interval and any other time of it.
pub(super) fn travel(bodies: &[MovingBody<'_>; 2], [from, to]: [f64; 2]) -> f64 {
    // The middle is rounded: one half may be longer than the other.
    let half = 0.5 * (to - from) + f64::EPSILON;
    relative_speed(bodies, [from, to]) * half
}

/// About how long the edges of a mesh are, if they are all of one length and the mesh is about as wide as high.
pub(super) fn edge_length(shape: &Shape) -> f64 {
    let mesh = shape.mesh();
    let size = mesh.bounds().size().max_element();
    2.0 * size / (mesh.faces().len().max(1) as f64).sqrt()
}

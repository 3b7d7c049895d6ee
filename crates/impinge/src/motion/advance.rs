//! When two faces of moving bodies come within a distance of each other: conservative advancement.
//!
//! At a time t the two faces have the distance d, along the direction n. During a step of the length h each vertex stays
//! within `acceleration · h² / 8` of the chord between its positions at both ends of the step (the sagitta of its arc).
//! Along n, the positions on the chords are linear functions of time. So the time at which the faces could first be as
//! close along n as the sagittas allow is the root of a linear function, and until then they are apart. The step is so
//! short that the sagittas are a quarter of d. Faces that slide past each other keep their distance along n, so a
//! large motion takes few steps; and near a contact the steps converge like Newton's iteration.

use super::moving::MovingFace;
use crate::narrow::{Closest, MovingPoint, Triangle, triangles_distance};
use glam::DVec3;

/// Two faces of moving bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingFaces<'m> {
    faces: [MovingFace<'m>; 2],
    /// A bound on the sum of the accelerations of two vertices, one of each face.
    acceleration: f64,
    /// A bound on the error of the distance of two vertices as placed.
    rounding: f64,
}

/// Two faces that have come close, and how close they are at that time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) time: f64,
    pub(super) closest: Closest,
}

impl<'m> MovingFaces<'m> {
    pub(super) fn new(faces: [MovingFace<'m>; 2], rounding: f64) -> Self {
        let acceleration = faces[0].acceleration() + faces[1].acceleration();
        Self { faces, acceleration, rounding }
    }

    /// Both faces at a time, as placed.
    pub(super) fn at(&self, time: f64) -> [Triangle; 2] {
        self.faces.map(|face| face.at(time))
    }

    /// The corners of both faces, if all of them move on straight lines.
    pub(super) fn linear(&self) -> Option<[[MovingPoint; 3]; 2]> {
        Some([self.faces[0].linear()?, self.faces[1].linear()?])
    }

    /// The first time between two times at which the distance of the faces is at most `margin`: never later than that
    /// time, and the distance at the returned time is at most `margin + tolerance`. `None` proves that it is larger than
    /// `margin` throughout.
    ///
    /// `tolerance` must be several times the rounding of the positions.
    pub(super) fn first_within(
        &self,
        [from, to]: [f64; 2],
        margin: f64,
        tolerance: f64,
    ) -> Option<Reached> {
        let mut time = from;
        let mut faces = self.at(time);
        loop {
            let closest = triangles_distance(&faces[0], &faces[1]);
            let gap = closest.distance;
            if gap <= margin + tolerance {
                return Some(Reached { time, closest });
            }
            if time >= to {
                return None;
            }
            let step = self.step(gap - margin).min(to - time);
            let end = time + step;
            let end_faces = self.at(end);
            let sagitta = self.acceleration * step * step * 0.125 * (1.0 + 1e-12);
            let slack = margin + sagitta + self.rounding;
            let share = apart_until(direction(&faces, &closest), &faces, &end_faces, slack);
            if share >= 1.0 {
                (time, faces) = (end.min(to), end_faces);
                // Rounding of `end` may have shortened the last step.
                continue;
            }
            let next = time + step * share;
            if next <= time {
                // The step is too short for the clock: the faces are as close as positions can be told apart.
                return Some(Reached { time, closest });
            }
            (time, faces) = (next, self.at(next));
        }
    }

    /// How long a step may be so that the sagittas are at most a quarter of the gap.
    fn step(&self, gap: f64) -> f64 {
        let step = (2.0 * gap / self.acceleration).sqrt();
        // Infinity or NaN for vertices that move on straight lines.
        if step.is_finite() { step } else { f64::INFINITY }
    }
}

/// A direction along which two faces that are apart have nearly their distance: mostly that between their closest
/// points.
///
/// These points are rounded. If the faces are much closer than they are large, the direction between them is so far off
/// that other corners are not apart along it. Directions that are computed from the features are at right angles to
/// edges to a few roundings, so the best of them is used then.
pub(super) fn direction(faces: &[Triangle; 2], closest: &Closest) -> DVec3 {
    let likely = (closest.b - closest.a).normalize_or_zero();
    if gap_along(likely, faces) > 0.75 * closest.distance {
        return likely;
    }
    // Closest points may be rounded to the same, and edges be parallel: there is no direction then.
    let gap = |way: DVec3| match way == DVec3::ZERO {
        true => f64::NEG_INFINITY,
        false => gap_along(way, faces),
    };
    let mut best = (gap(likely), likely);
    each_feature_direction(faces, |way| {
        // From the first face to the second; features do not know which way that is.
        for way in [way, -way] {
            let gap = gap(way);
            if gap > best.0 {
                best = (gap, way);
            }
        }
    });
    best.1
}

/// How far apart two faces are along a unit vector.
fn gap_along(way: DVec3, [a, b]: &[Triangle; 2]) -> f64 {
    // Relative to a corner, so that no digits are lost far from the origin.
    let along = |corner: DVec3| way.dot(corner - a[0]);
    let near = along(b[0]).min(along(b[1])).min(along(b[2]));
    near - along(a[0]).max(along(a[1])).max(along(a[2]))
}

/// Calls a function with unit vectors, one of which is the direction between the closest points of two faces: at right
/// angles to a face, to an edge of each, or to an edge and through a corner, or through a corner of each.
fn each_feature_direction([a, b]: &[Triangle; 2], mut call: impl FnMut(DVec3)) {
    let edges = |t: &Triangle| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (edges_a, edges_b) = (edges(a), edges(b));
    for edges in [edges_a, edges_b] {
        call(edges[0].cross(edges[1]).normalize_or_zero());
    }
    for edge in edges_a {
        edges_b.iter().for_each(|other| call(edge.cross(*other).normalize_or_zero()));
    }
    for (corners, other, other_edges) in [(a, b, edges_b), (b, a, edges_a)] {
        for corner in corners {
            for (from, edge) in other.iter().zip(other_edges) {
                let along = edge.normalize_or_zero();
                // Twice, because the first difference may be small, and rounded.
                let across = |way: DVec3| way - along * along.dot(way);
                call(across(across(*corner - *from).normalize_or_zero()).normalize_or_zero());
            }
        }
    }
    for corner in a {
        b.iter().for_each(|other| call((*other - *corner).normalize_or_zero()));
    }
}

/// Until which share of a step two faces, whose corners move on straight lines, are farther apart than `slack` along a
/// unit vector; 1 if they are throughout, 0 if nothing is known.
fn apart_until(direction: DVec3, start: &[Triangle; 2], end: &[Triangle; 2], slack: f64) -> f64 {
    let mut share: f64 = 1.0;
    for i in 0..3 {
        for j in 0..3 {
            let (first, last) = (start[1][j] - start[0][i], end[1][j] - end[0][i]);
            // A difference, a product of two vectors and the direction are each off by a few roundings.
            let size = first.abs().max(last.abs()).element_sum();
            let slack = slack + 16.0 * f64::EPSILON * size;
            let (before, after) = (direction.dot(first), direction.dot(last));
            if before <= slack {
                return 0.0;
            }
            if after <= slack {
                share = share.min((before - slack) / (before - after));
            }
        }
    }
    // The quotient is rounded.
    if share < 1.0 { share * (1.0 - 1e-12) } else { share }
}

//! When two faces of moving bodies come within a distance of each other: conservative advancement.
//!
//! At a time t the two faces have the distance d, along the direction n. During a step of the length h each vertex stays
//! within `acceleration · h² / 8` of the chord between its positions at both ends of the step (the sagitta of its arc).
//! Along n, the positions on the chords are linear functions of time. So the time at which the faces could first be as
//! close along n as the sagittas allow is the root of a linear function, and until then they are apart. The step is so
//! short that the sagittas are a quarter of d. Faces that slide past each other keep their distance along n, so a
//! large motion takes few steps; and near a contact the steps converge like Newton's iteration.

use super::moving::MovingFace;
use crate::narrow::{Closest, Triangle, triangles_distance};
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
            let share = apart_until(closest.b - closest.a, &faces, &end_faces, slack);
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

/// Until which share of a step two faces, whose corners move on straight lines, are farther apart than `slack` along a
/// direction; 1 if they are throughout, 0 if nothing is known.
fn apart_until(way: DVec3, start: &[Triangle; 2], end: &[Triangle; 2], slack: f64) -> f64 {
    let length = way.length();
    let direction = way / length;
    if !direction.is_finite() {
        return 0.0;
    }
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

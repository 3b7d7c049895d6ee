//! Volumes that enclose a body during its whole motion, for the broad phase of a world.
//!
//! Two bounds on the place of a vertex are used, and volumes that satisfy both:
//!
//! - A vertex stays within the *sagitta* of the chord between its positions at both ends. The sagitta is at most
//!   `acceleration / 8` ([`Motion::acceleration`]), and at most twice the distance of the vertex from the pivot: its arm,
//!   and the mean of its arms at both ends, are no longer than that. This bound is tight for small turns, and exact for
//!   vertices on straight lines.
//! - A vertex stays within its distance from the pivot of the straight track of the pivot. This bound is tight for large
//!   turns.
//!
//! Every volume is also grown by the body's share of the tolerance ([`tolerance_share`]). So two bodies whose
//! volumes are disjoint stay farther apart than the tolerance, and [`first_impact`](super::first_impact) finds nothing.

use super::{Deformation, ImpactOptions, Motion, impact::tolerance_share, moving::MovingBody};
use crate::{Bounds, Shape};
use glam::DVec3;

/// A box that encloses a body that deforms at all times; `None` if the mesh has no faces. Grown by the body's share of the
/// tolerance, too.
pub(crate) fn deformation_bounds(
    deformation: &Deformation,
    options: &ImpactOptions,
) -> Option<Bounds> {
    let body = MovingBody::new(deformation.into())?;
    // Vertices move on straight lines.
    Some(deformation.bounds().grown(tolerance_share(&body, options)))
}

/// What is known of where a moving body can be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope<'m> {
    shape: &'m Shape,
    motion: &'m Motion,
    /// How far vertices can be from their chords, along any direction; the margin included.
    off_chords: f64,
    /// How far vertices can be from the track of the pivot, along any direction; the margin included.
    off_track: f64,
}

impl<'m> Envelope<'m> {
    /// `None` if the mesh has no faces.
    pub(crate) fn new(
        shape: &'m Shape,
        motion: &'m Motion,
        options: &ImpactOptions,
    ) -> Option<Self> {
        let body = MovingBody::new((shape, motion).into())?;
        // Matrices lengthen vectors by at most 1.5e-6. The margin holds several roundings of positions.
        let radius = body.radius * (1.0 + 3e-6);
        let margin = tolerance_share(&body, options);
        let sagitta = (motion.acceleration(body.radius) * 0.125).min(2.0 * radius);
        Some(Self {
            shape,
            motion,
            off_chords: sagitta * (1.0 + 1e-12) + margin,
            off_track: radius + margin,
        })
    }

    /// A box that encloses the body at all times.
    pub(crate) fn bounds(&self) -> Bounds {
        let [mut around_chords, end] = self.ends().map(|pose| self.shape.placed_bounds(pose));
        around_chords.merge(&end);
        let track = [0.0, 1.0].map(|time| self.motion.pivot_at(time));
        let around_track = Bounds::enclosing(track).grown(self.off_track);
        around_chords.grown(self.off_chords).intersection(&around_track)
    }

    /// Center and radius of a sphere that encloses the body at all times.
    pub(crate) fn sphere(&self) -> Option<(DVec3, f64)> {
        let around = |[from, to]: [DVec3; 2], radius: f64| {
            // The center is rounded by less than the margin in the radius allows for.
            let half = (to - from).length() * 0.5 * (1.0 + 1e-14);
            (from * 0.5 + to * 0.5, half + radius)
        };
        let [Some((from, first)), Some((to, last))] =
            self.ends().map(|pose| self.shape.placed_sphere(pose))
        else {
            return None;
        };
        let chords = around([from, to], first.max(last) + self.off_chords);
        let track = around([0.0, 1.0].map(|time| self.motion.pivot_at(time)), self.off_track);
        Some(if track.1 < chords.1 { track } else { chords })
    }

    /// Appends extents along directions that enclose the body at all times. `at` appends those of the body at a pose.
    /// No component of a direction may exceed 1 in magnitude.
    pub(crate) fn extents(
        &self,
        mut at: impl FnMut(&crate::Pose, &mut Vec<[f64; 2]>),
        into: &mut Vec<[f64; 2]>,
    ) {
        let [start, end] = self.ends();
        let first = into.len();
        at(start, into);
        let count = into.len() - first;
        at(end, into);
        // A direction is at most √3 long.
        let slack = 1.75 * self.off_chords;
        for i in first..first + count {
            let ([low, high], [end_low, end_high]) = (into[i], into[i + count]);
            into[i] = [low.min(end_low) - slack, high.max(end_high) + slack];
        }
        into.truncate(first + count);
    }

    fn ends(&self) -> [&'m crate::Pose; 2] {
        [self.motion.start(), self.motion.end()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Pose,
        generate::{self, Random, about},
    };

    /// Every vertex is in every volume at every time, and a body without a turn has a tight box.
    #[test]
    fn envelopes_enclose_every_vertex_at_every_time() {
        let directions = [DVec3::ONE, DVec3::new(1.0, -1.0, 0.0), DVec3::Z];
        let mut extents = Vec::new();
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let size = 10f64.powf(random.range(-6.0, 6.0));
            let ball = generate::sphere(24).expect("an even number");
            let offset = random.direction() * size * [0.0, 1.0, 20.0][random.below(3) as usize];
            let positions = ball.positions().iter().map(|&p| p * size + offset).collect();
            let mesh = crate::Mesh::new(positions, ball.faces().to_vec()).expect("finite");
            let shape = Shape::new(mesh);
            let rotation = about(random.direction(), random.range(0.0, 3.0));
            let start = Pose::new(rotation, random.direction() * size).expect("a rotation");
            let angle = [0.0, 1e-3, 0.5, 3.0, 7.0, 200.0][random.below(6) as usize];
            let way = random.direction() * size * [0.0, 0.1, 30.0][random.below(3) as usize];
            let pivot = [DVec3::ZERO, offset, random.direction() * size];
            let pivot = pivot[random.below(3) as usize];
            let turn = random.direction() * angle;
            let motion = Motion::spinning(start, way, turn, pivot).expect("in range");
            let envelope =
                Envelope::new(&shape, &motion, &ImpactOptions::default()).expect("it has faces");
            let bounds = envelope.bounds();
            let (center, radius) = envelope.sphere().expect("it has faces");
            extents.clear();
            envelope
                .extents(|pose, into| shape.placed_extents(pose, &directions, into), &mut extents);
            for step in 0..=64 {
                let pose = motion.pose_at(f64::from(step) / 64.0);
                for &vertex in shape.mesh().positions() {
                    let place = pose.place(vertex);
                    assert!(bounds.contains(place), "seed {seed}, step {step}: {place}");
                    assert!(center.distance(place) <= radius, "seed {seed}, step {step}");
                    for (direction, [low, high]) in directions.iter().zip(&extents) {
                        let along = direction.dot(place);
                        assert!(*low <= along && along <= *high, "seed {seed}, step {step}");
                    }
                }
            }
            if angle == 0.0 {
                let mut tight = shape.placed_bounds(&start);
                tight.merge(&shape.placed_bounds(motion.end()));
                let excess = (bounds.size() - tight.size()).max_element();
                assert!(excess <= 1e-6 * bounds.size().max_element(), "seed {seed}: {excess}");
            }
        }
    }
}

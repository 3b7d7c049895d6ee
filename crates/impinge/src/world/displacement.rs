//! How far bodies have moved: upper bounds that prove a pair of bodies to be still apart.
//! [`coherence`](super::coherence) relies on them.
//!
//! # How far two bodies can have come closer
//!
//! Let c be the center of a body's bounding box and r a bound for the distance of its vertices from c. A vertex
//! `v = c + d` has the true place `R v + t`, which differs from the true place of c by `R d`. As placed, both
//! are off by at most √3 ρ, where ρ bounds the rounding along an axis. With C the center as placed, the place
//! of v minus C is `R d` up to 2√3 ρ. So between two poses (the second marked by a prime)
//!
//! - the place of v moves by `(C' − C) + (R' − R) d`, up to 2√3 (ρ + ρ');
//! - a vertex of body a and one of body b move, relative to each other, by at most
//!   `|(C'a − C'b) − (Ca − Cb)| + |R'a − Ra| ra + |R'b − Rb| rb + 2√3 (ρa + ρ'a + ρb + ρ'b)`.
//!
//! The same holds for all points of the faces, which are means of their corners. So two bodies whose distance
//! was d are still apart while this sum is less than d. It does not grow while both bodies travel together.
//!
//! `|R' − R| r` is bounded by the sum over all changes of the pose in between ([`Displacement::turned`]); all other
//! terms need only the two poses. The differences of C are rounded relative to coordinates of at most
//! 1.75 times the largest of the mesh plus the translation, and so by less than ρ/2 each. Together with
//! 2√3 < 3.5 a factor of 8 leaves a lot to spare.

use crate::{Pose, Shape, mesh::Extent};
use glam::{DMat3, DVec3};

/// How far all bodies have moved, by index.
#[derive(Debug, Default)]
pub(super) struct Displacements {
    bodies: Vec<Displacement>,
    /// Counts changes, so that two moments can be compared.
    clock: u64,
}

/// Where a body is, and how far it has turned so far.
#[derive(Clone, Copy, Debug)]
struct Displacement {
    /// The clock when the body was added or its shape was changed.
    version: u64,
    /// The clock at the last change of the shape or the pose.
    changed: u64,
    pose: Pose,
    center: DVec3,
    /// The sum of `|R' − R| r` over all changes of the pose, rounded upward.
    turned: f64,
    /// A bound on the distance of a placed vertex from the center as placed.
    radius: f64,
    /// A bound on the rounding of a placed vertex along any axis.
    rounding: f64,
}

/// A moment in the life of two bodies, to which later ones are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    versions: [u64; 2],
    clock: u64,
    /// The vector between the two centers.
    offset: DVec3,
    /// The sum of both bodies' turns.
    turned: f64,
    /// The sum of both bodies' radii.
    radii: f64,
    /// The sum of both bodies' roundings.
    rounding: f64,
}

impl Displacements {
    /// Takes the shape and the pose of a new body, or the new shape of a body.
    pub(super) fn add(&mut self, index: u32, shape: &Shape, pose: &Pose) {
        self.clock += 1;
        let (version, extent) = (self.clock, shape.placed(pose).extent);
        let body = Displacement {
            version,
            changed: version,
            pose: *pose,
            center: pose.place(extent.center()),
            turned: 0.0,
            radius: radius(extent, pose),
            rounding: extent.rounding(pose),
        };
        let index = index as usize;
        if index >= self.bodies.len() {
            self.bodies.resize(index + 1, body);
        }
        self.bodies[index] = body;
    }

    /// Takes a new pose of a body.
    pub(super) fn set_pose(&mut self, index: u32, shape: &Shape, pose: &Pose) {
        let body = &mut self.bodies[index as usize];
        if *pose == body.pose {
            return;
        }
        self.clock += 1;
        body.changed = self.clock;
        let extent = shape.placed(pose).extent;
        let turn = turn_below(pose.rotation() - body.pose.rotation());
        // A body without faces has the radius −∞, and nothing that moves.
        body.turned = (body.turned + turn * extent.radius().max(0.0)).next_up();
        body.center = pose.place(extent.center());
        body.radius = radius(extent, pose);
        body.rounding = extent.rounding(pose);
        body.pose = *pose;
    }

    /// The present moment of two bodies.
    #[inline]
    pub(super) fn moment(&self, pair: [u32; 2]) -> Moment {
        let [a, b] = pair.map(|index| &self.bodies[index as usize]);
        Moment {
            versions: [a.version, b.version],
            clock: a.changed.max(b.changed),
            offset: a.center - b.center,
            turned: a.turned + b.turned,
            radii: a.radius + b.radius,
            rounding: a.rounding + b.rounding,
        }
    }
}

impl Moment {
    /// Whether both bodies are the same as at an earlier moment, with the same shapes.
    #[inline]
    pub(super) fn is_of(&self, earlier: &Self) -> bool {
        self.versions == earlier.versions
    }

    /// Whether both bodies also have the same poses as at an earlier moment.
    #[inline]
    pub(super) fn equals(&self, earlier: &Self) -> bool {
        self.is_of(earlier) && self.clock == earlier.clock
    }

    /// An upper bound on how far any point of one body has moved relative to any point of the other since an
    /// earlier moment; infinity or NaN if numbers overflow. The module head derives it.
    #[inline]
    pub(super) fn displacement_since(&self, earlier: &Self) -> f64 {
        let drift = (self.offset - earlier.offset).length();
        let turned = self.turned - earlier.turned;
        let rounding = 8.0 * (self.rounding + earlier.rounding);
        // The last term but one covers the rounding of the two sums of turns. The factor covers all other
        // roundings of this function, the constant squares that underflow.
        (drift + turned + rounding) * (1.0 + 1e-14) + 4.0 * f64::EPSILON * self.turned + UNDERFLOW
    }
}

impl Moment {
    /// A lower bound on the distance of the two bodies, by their bounding spheres; negative or NaN if these may
    /// overlap.
    #[inline]
    pub(super) fn distance_of_spheres(&self) -> f64 {
        // The centers are as placed, so only their difference is rounded, by less than `rounding`. A length that
        // underflows is too small, which does no harm.
        self.offset.length() * (1.0 - 1e-14) - self.radii - self.rounding
    }
}

/// A bound on the distance of a body's placed vertices from its center as placed: as for
/// [`Extent::placed_sphere`].
fn radius(extent: &Extent, pose: &Pose) -> f64 {
    extent.placed_sphere(pose).map_or(0.0, |(_, radius)| radius) * (1.0 + 1e-14)
}

/// Components of a vector below 1.5e-154 have squares that underflow.
const UNDERFLOW: f64 = 4e-154;

/// An upper bound on the length of `A d` for vectors d of length 1, where A is the difference of two
/// rotations.
///
/// The root of the sum of all squares (the Frobenius norm) bounds it for any matrix. The difference of two
/// true rotations stretches two directions equally and the third not at all, so that a √2th is enough. A
/// matrix R that is a rotation to 1e-6 has RᵀR = I + E with |E| ≤ 3e-6, and so differs from a true rotation by
/// at most 1.6e-6 in the spectral norm and 2.8e-6 in the Frobenius norm. Two of them add at most
/// 2 · 1.6e-6 + 2 · 2.8e-6 / √2 < 1e-5.
fn turn_below(difference: DMat3) -> f64 {
    let [x, y, z] = [difference.x_axis, difference.y_axis, difference.z_axis];
    let squares = x.length_squared() + y.length_squared() + z.length_squared();
    let norm = squares.sqrt() * (1.0 + 1e-14) + UNDERFLOW;
    norm.min(norm * std::f64::consts::FRAC_1_SQRT_2 + 1e-5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Random};

    /// No vertex moves farther, relative to a vertex of the other body, than the bound says; and the bound is
    /// not much larger than that for bodies that only translate.
    #[test]
    fn displacements_bound_every_vertex() {
        let mut checked = 0;
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let size = 10f64.powf(random.range(-9.0, 9.0));
            let far = [0.0, 1.0, 1e6, 1e12][random.below(4) as usize] * size;
            let meshes = [12, 24].map(|faces| {
                let ball = generate::sphere(faces).expect("an even number");
                let offset = random.direction() * far;
                let positions = ball.positions().iter().map(|&p| p * size + offset).collect();
                crate::Mesh::new(positions, ball.faces().to_vec()).expect("finite")
            });
            let shapes = meshes.map(Shape::new);
            let pose = |random: &mut Random, last: Option<Pose>| {
                let last = last.unwrap_or_default();
                let angle = [0.0, 1e-9, 1e-3, 1.0][random.below(4) as usize];
                let turn = DMat3::from_axis_angle(random.direction(), angle);
                let skew = DMat3::from_diagonal(DVec3::splat(1.0 + random.range(-4e-7, 4e-7)));
                let step = [0.0, 1e-9, 1e-2, 1.0][random.below(4) as usize] * size;
                let rotation = turn * DMat3::from_quat(last.to_quat()) * skew;
                let place = last.translation() + random.direction() * step;
                Pose::new(rotation, place).expect("nearly a rotation")
            };
            let mut poses = [pose(&mut random, None), pose(&mut random, None)];
            let mut displacements = Displacements::default();
            for index in 0..2 {
                displacements.add(index as u32, &shapes[index], &poses[index]);
            }
            let (first, start) = (displacements.moment([0, 1]), poses);
            for step in 0..6 {
                for index in 0..2 {
                    if random.below(3) > 0 {
                        poses[index] = pose(&mut random, Some(poses[index]));
                        displacements.set_pose(index as u32, &shapes[index], &poses[index]);
                    }
                }
                let now = displacements.moment([0, 1]);
                let bound = now.displacement_since(&first);
                assert!(now.equals(&first) == (poses == start), "seed {seed}, step {step}");
                let [a, b] = [0, 1].map(|k| shapes[k].mesh().positions());
                for (&p, &q) in a.iter().zip(b) {
                    let between = |poses: &[Pose; 2]| poses[0].place(p) - poses[1].place(q);
                    let moved = (between(&poses) - between(&start)).length();
                    assert!(moved <= bound, "seed {seed}, step {step}: {moved} > {bound}");
                    checked += usize::from(moved > 0.0);
                }
            }
        }
        assert!(checked > 5_000, "only {checked} vertices have moved");
    }

    #[test]
    fn bodies_that_travel_together_stay_as_far_apart() {
        let ball = Shape::new(generate::sphere(12).expect("an even number"));
        let mut displacements = Displacements::default();
        let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).expect("finite");
        displacements.add(0, &ball, &at(0.0));
        displacements.add(1, &ball, &at(3.0));
        let first = displacements.moment([0, 1]);
        for step in 1..100 {
            displacements.set_pose(0, &ball, &at(f64::from(step)));
            displacements.set_pose(1, &ball, &at(f64::from(step) + 3.0));
        }
        let now = displacements.moment([0, 1]);
        assert!(now.is_of(&first) && !now.equals(&first) && now.displacement_since(&first) < 1e-9);
        displacements.add(1, &ball, &at(0.0));
        assert!(!displacements.moment([0, 1]).is_of(&first));
    }
}

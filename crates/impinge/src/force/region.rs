//! Patches in contact that hang together, and the sums over them.
//!
//! Two patches belong to the same part of a surface if they share a sample that is inside. A region consists of the
//! parts of both surfaces around the same overlap; their boxes overlap, because both end at the curve in which the surfaces
//! meet. Contacts closer to each other than the samples may be one region. The total force does not depend on the regions.

use super::{
    ObstacleId,
    depth::{Probe, Solid},
    pressure::Pressed,
    samples::Samples,
};
use crate::{Bounds, Pose};
use glam::DVec3;

/// A connected part of a contact, and the force that acts there on the held body. In world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ForceRegion {
    /// The obstacle.
    pub obstacle: ObstacleId,
    /// The center of pressure.
    pub point: DVec3,
    /// The direction of the force, a unit vector; zero if the force is zero.
    pub normal: DVec3,
    /// The force on the held body.
    pub force: DVec3,
    /// The depth of the deepest sample.
    pub depth: f64,
    /// The mean of the areas of the two surfaces that lie in the other solid.
    pub area: f64,
}

/// Sums over patches of one surface, before they are multiplied by the stiffness. Points are relative to the center of
/// the samples, in the frame of their body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    /// The force on the surface.
    pub(super) force: DVec3,
    /// The torque on the surface about the center of the samples.
    pub(super) torque: DVec3,
    /// The sum of the magnitudes of the pressure forces.
    pub(super) load: f64,
    /// The sum of points times load.
    pub(super) weighted: DVec3,
    /// The area inside the other body.
    pub(super) area: f64,
    /// The largest depth.
    pub(super) depth: f64,
    /// A box around the patches, in the frame of the obstacle.
    pub(super) bounds: Bounds,
}

impl Sum {
    pub(super) const ZERO: Self = Self {
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
        load: 0.0,
        weighted: DVec3::ZERO,
        area: 0.0,
        depth: 0.0,
        bounds: Bounds::EMPTY,
    };

    pub(super) fn add(&mut self, other: &Self) {
        self.add_numbers(other);
        self.bounds.merge(&other.bounds);
    }

    /// Adds all but the box.
    #[inline]
    fn add_numbers(&mut self, other: &Self) {
        self.force += other.force;
        self.torque += other.torque;
        self.load += other.load;
        self.weighted += other.weighted;
        self.area += other.area;
        self.depth = self.depth.max(other.depth);
    }

    /// The same in the world, with points relative to `reference`, if the center of the samples is at `center` relative
    /// to it.
    #[must_use]
    pub(super) fn placed(&self, pose: &Pose, center: DVec3) -> Self {
        let turn = pose.rotation();
        let force = turn * self.force;
        Self {
            force,
            torque: turn * self.torque + center.cross(force),
            weighted: turn * self.weighted + center * self.load,
            ..*self
        }
    }

    /// The forces on the other body, which are opposite.
    #[must_use]
    pub(super) fn opposite(&self) -> Self {
        Self { force: -self.force, torque: -self.torque, ..*self }
    }
}

/// Memory for sorting patches into connected parts.
#[derive(Debug)]
pub(super) struct Parts {
    /// For each sample that is inside: another sample of the same part, or itself.
    leader: Vec<u32>,
    /// For each sample that is inside: the number of its part.
    part: Vec<u32>,
    /// The patches with a corner inside, each with the first such corner.
    touched: Vec<(u32, u32)>,
    /// The sums of the parts.
    pub(super) sums: Vec<Sum>,
}

impl Parts {
    pub(super) fn new(samples: &Samples) -> Self {
        let count = samples.points.len();
        Self {
            leader: vec![0; count],
            part: vec![0; count],
            touched: Vec::with_capacity(samples.patches.len()),
            sums: Vec::with_capacity(64),
        }
    }

    /// Adds up the forces on the surface of a body, part by part. Returns the sum of all, which is formed patch by patch.
    ///
    /// `is_obstacle` tells whether the samples are those of the obstacle.
    pub(super) fn add_up(
        &mut self,
        samples: &Samples,
        probe: &mut Probe,
        solid: &mut Solid<'_>,
        is_obstacle: bool,
    ) -> Sum {
        self.connect(samples, probe);
        for &sample in probe.inside() {
            let place = match is_obstacle {
                true => samples.points[sample as usize],
                false => probe.place(sample),
            };
            let bounds = &mut self.sums[self.part[sample as usize] as usize].bounds;
            (bounds.min, bounds.max) = (bounds.min.min(place), bounds.max.max(place));
        }
        // Patches reach that far beyond their samples inside.
        for sum in &mut self.sums {
            sum.bounds = sum.bounds.grown(samples.longest_edge);
        }
        let mut total = Sum::ZERO;
        for &(number, sample) in &self.touched {
            let patch = &samples.patches[number as usize];
            let depths = patch.corners.map(|corner| probe.depth(samples, corner, solid));
            let pressed = Pressed::new(depths);
            let points = patch.corners.map(|corner| samples.points[corner as usize]);
            let [p, q, r] = [0, 1, 2].map(|i| (points[i] - samples.center) * pressed.moments[i]);
            let (weighted, depth) = (p + q + r, pressed.depth());
            let sum = Sum {
                force: -patch.area_vector * depth,
                torque: patch.area_vector.cross(weighted),
                load: patch.area * depth,
                weighted: weighted * patch.area,
                area: patch.area * pressed.share,
                depth: depths[0].max(depths[1]).max(depths[2]),
                bounds: Bounds::EMPTY,
            };
            total.add_numbers(&sum);
            self.sums[self.part[sample as usize] as usize].add_numbers(&sum);
        }
        total
    }

    /// Finds the patches in contact, and the parts.
    fn connect(&mut self, samples: &Samples, probe: &Probe) {
        self.sums.clear();
        self.touched.clear();
        for &sample in probe.inside() {
            self.leader[sample as usize] = sample;
        }
        for &sample in probe.inside() {
            for &number in samples.patches_of(sample) {
                let corners = samples.patches[number as usize].corners;
                let is_inside = corners.map(|corner| probe.is_inside(corner));
                // Each patch once: at its first corner inside.
                let first = usize::from(!is_inside[0]) * (1 + usize::from(!is_inside[1]));
                if corners[first] != sample {
                    continue;
                }
                self.touched.push((number, sample));
                for corner in first + 1..3 {
                    if is_inside[corner] {
                        let (p, q) = (self.leader_of(sample), self.leader_of(corners[corner]));
                        self.leader[p.max(q) as usize] = p.min(q);
                    }
                }
            }
        }
        // The leader of a part is its first sample, so its part has a number when that of another sample is asked for.
        for &sample in probe.inside() {
            let leader = self.leader_of(sample);
            self.part[sample as usize] = match leader == sample {
                true => self.sums.len() as u32,
                false => self.part[leader as usize],
            };
            if leader == sample {
                self.sums.push(Sum::ZERO);
            }
        }
    }

    /// The leader of the part that a sample belongs to.
    fn leader_of(&mut self, mut sample: u32) -> u32 {
        while self.leader[sample as usize] != sample {
            let next = self.leader[sample as usize];
            self.leader[sample as usize] = self.leader[next as usize];
            sample = next;
        }
        sample
    }
}

/// Joins the parts of the held body's surface and those of the obstacle's, all placed, where their boxes overlap. `regions`
/// takes the sums.
pub(super) fn joined(held: &[Sum], obstacle: &[Sum], owner: &mut Vec<u32>, regions: &mut Vec<Sum>) {
    let first = regions.len();
    regions.extend_from_slice(held);
    owner.clear();
    owner.extend(0..held.len() as u32);
    for part in obstacle {
        let mut into: Option<usize> = None;
        for number in 0..held.len() {
            if !held[number].bounds.overlaps(&part.bounds) {
                continue;
            }
            let region = owner[number] as usize;
            match into {
                None => {
                    regions[first + region].add(part);
                    into = Some(region);
                }
                Some(kept) if kept != region => {
                    let (kept, gone) = (kept.min(region), kept.max(region));
                    let sum = regions[first + gone];
                    regions[first + kept].add(&sum);
                    // Nothing is left of it.
                    regions[first + gone] = Sum::ZERO;
                    owner.iter_mut().filter(|o| **o == gone as u32).for_each(|o| *o = kept as u32);
                    into = Some(kept);
                }
                Some(_) => {}
            }
        }
        if into.is_none() {
            regions.push(*part);
        }
    }
    let mut number = 0;
    regions.retain(|region| {
        number += 1;
        number <= first || region.area > 0.0
    });
}

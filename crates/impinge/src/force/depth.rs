//! How deep the samples of one body lie in another one, remembered from call to call.
//!
//! The depth of a point is its distance from the surface of the other solid: positive inside, negative outside. It changes by
//! at most the way that the point moves, and this saves nearly all work:
//!
//! - A sample that was outside stays so until it has moved by its distance. The way of all samples is bounded by one
//!   number, the [odometer](Probe::odometer), and the same holds for clusters of samples.
//! - The faces that were closest to a sample, and how far all others were at least, are kept. As long as the closest of
//!   them is closer than the others can have come, no tree is searched.
//! - Within its distance from the surface, the space around a point is wholly inside or wholly outside. So the side is
//!   known if that space meets the one around the sample's last place, or around another sample. Otherwise the exact
//!   winding number is asked for.
//!
//! Each step either proves or measures anew, so the depths are the same, to the last bit, as without a memory.

use super::{cluster::Cluster, near::Near, samples::Samples};
use crate::{Pose, Shape, method::PointScratch};
use glam::DVec3;

/// Faces are kept so that they serve for about this many steps like the last one.
const STEPS: f64 = 24.0;

/// The depths of the samples of one body in another.
#[derive(Debug)]
pub(super) struct Probe {
    /// For each sample, and for the center of each cluster after them.
    known: Vec<Known>,
    near: Vec<Near>,
    clusters: Vec<ClusterState>,
    /// Samples that are inside.
    inside: Vec<u32>,
    /// The last call in which a sample was inside.
    inside_in: Vec<u32>,
    /// An upper bound of the way that any sample has made in the frame of the other body.
    odometer: f64,
    /// The part of that way since the last call.
    step: f64,
    /// From the frame of the sampled body to that of the other.
    relative: Pose,
    /// The number of the call; none before the first.
    call: u32,
    /// The largest coordinate of the other body, in its own frame.
    coordinate: f64,
    /// More than any distance is off by rounding.
    slack: f64,
    /// Faces are kept if they are at most that much farther than the closest, or even more.
    least_margin: f64,
    evaluated: usize,
}

/// The depth of a sample when it was last measured.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Where it was, in the frame of the other body.
    at: DVec3,
    depth: f64,
    odometer: f64,
    call: u32,
}

#[derive(Clone, Copy, Debug)]
struct ClusterState {
    /// All samples are outside until the odometer reads this.
    outside_until: f64,
    /// Some samples were inside in the last call.
    is_active: bool,
}

/// The other body: what the depth is measured in.
pub(super) struct Solid<'s> {
    pub(super) shape: &'s Shape,
    pub(super) scratch: &'s mut PointScratch,
}

impl Probe {
    /// A probe that knows nothing yet.
    pub(super) fn new(samples: &Samples, solid: &Shape) -> Self {
        let count = samples.points.len() + samples.clusters.len();
        let unknown = Known { at: DVec3::ZERO, depth: 0.0, odometer: f64::NEG_INFINITY, call: 0 };
        let state = ClusterState { outside_until: f64::NEG_INFINITY, is_active: false };
        Self {
            known: vec![unknown; count],
            near: vec![Near::NONE; count],
            clusters: vec![state; samples.clusters.len()],
            inside: Vec::with_capacity(samples.points.len()),
            inside_in: vec![0; samples.points.len()],
            odometer: 0.0,
            step: 0.0,
            relative: Pose::IDENTITY,
            call: 0,
            coordinate: solid.mesh().bounds().largest_coordinate(),
            slack: 0.0,
            least_margin: 1e-2 * samples.radius,
            evaluated: 0,
        }
    }

    /// Finds out which samples are inside the other body, if this pose leads from the frame of theirs to that of the other.
    pub(super) fn update(&mut self, samples: &Samples, relative: Pose, solid: &mut Solid<'_>) {
        self.move_to(samples, relative);
        self.inside.clear();
        self.evaluated = 0;
        let sphere = solid.shape.placed_sphere(&Pose::IDENTITY).unwrap_or((DVec3::ZERO, 0.0));
        // Where a sample was measured last; another one is often so close that it is on the same side.
        let mut last = None;
        for (number, cluster) in samples.clusters.iter().enumerate() {
            if self.clusters[number].outside_until > self.odometer {
                continue;
            }
            let inside_before = self.inside.len();
            let outside_until = match self.clear_way(samples, number, sphere, solid, &mut last) {
                Some(way) => self.odometer + way,
                None => self.look_through(samples, cluster, solid, &mut last),
            };
            let is_active = self.inside.len() > inside_before;
            self.clusters[number] = ClusterState { outside_until, is_active };
        }
    }

    /// The samples that are inside, as found by [`update`](Self::update), in the order of their numbers.
    pub(super) fn inside(&self) -> &[u32] {
        &self.inside
    }

    /// How many depths were measured since [`update`](Self::update) was called.
    pub(super) fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// Whether a sample is inside, as found by [`update`](Self::update).
    pub(super) fn is_inside(&self, sample: u32) -> bool {
        self.inside_in[sample as usize] == self.call
    }

    /// Where a sample was when it was last measured, in the frame of the other body.
    pub(super) fn place(&self, sample: u32) -> DVec3 {
        self.known[sample as usize].at
    }

    /// The depth of a sample, measured if it is not known yet.
    #[inline]
    pub(super) fn depth(&mut self, samples: &Samples, sample: u32, solid: &mut Solid<'_>) -> f64 {
        let index = sample as usize;
        let known = &self.known[index];
        match known.call == self.call {
            true => known.depth,
            false => self.measure(samples.points[index], index, solid, None),
        }
    }

    /// Notes the new pose, and how far the samples have moved at most.
    fn move_to(&mut self, samples: &Samples, relative: Pose) {
        let center = relative.place(samples.center);
        let size = self.coordinate + center.abs().max_element() + samples.radius;
        self.slack = 1e-10 * size;
        if self.call > 0 && relative != self.relative {
            let way = center.distance(self.relative.place(samples.center));
            let [turned, before] = [relative, self.relative].map(|pose| pose.rotation());
            let columns = [
                turned.x_axis - before.x_axis,
                turned.y_axis - before.y_axis,
                turned.z_axis - before.z_axis,
            ];
            let turn = columns.iter().map(|column| column.length_squared()).sum::<f64>().sqrt();
            self.step = way + turn * samples.radius;
            self.odometer += self.step + 1e-13 * size;
        }
        self.relative = relative;
        // Every call has a number of its own for longer than a body is held.
        self.call = self.call.wrapping_add(1).max(1);
    }

    /// How far a cluster can move until one of its samples may be inside; `None` if that has to be found out for each.
    fn clear_way(
        &mut self,
        samples: &Samples,
        number: usize,
        (middle, reach): (DVec3, f64),
        solid: &mut Solid<'_>,
        last: &mut Option<(DVec3, f64)>,
    ) -> Option<f64> {
        let Cluster { center, radius, .. } = samples.clusters[number];
        let away = self.relative.place(center).distance(middle) - reach - radius - self.slack;
        if away > 0.0 {
            return Some(away);
        }
        if self.clusters[number].is_active {
            return None;
        }
        let depth = self.measure(center, samples.points.len() + number, solid, *last);
        let way = -depth - radius - self.slack;
        (way > 0.0).then_some(way)
    }

    /// Finds the samples of a cluster that are inside. Returns until when none is.
    fn look_through(
        &mut self,
        samples: &Samples,
        cluster: &Cluster,
        solid: &mut Solid<'_>,
        last: &mut Option<(DVec3, f64)>,
    ) -> f64 {
        let mut outside_until = f64::INFINITY;
        for sample in cluster.samples.clone() {
            let index = sample as usize;
            let known = &self.known[index];
            let until = known.odometer - known.depth - self.slack;
            if until > self.odometer {
                outside_until = outside_until.min(until);
                continue;
            }
            let depth = self.measure(samples.points[index], index, solid, *last);
            *last = Some((self.known[index].at, depth));
            if depth > 0.0 {
                self.inside.push(sample);
                self.inside_in[index] = self.call;
                outside_until = f64::NEG_INFINITY;
            } else {
                outside_until = outside_until.min(self.odometer - depth - self.slack);
            }
        }
        outside_until
    }

    /// Measures the depth of a point, whose memory has this index. `other` is a point nearby, and its depth.
    fn measure(
        &mut self,
        point: DVec3,
        index: usize,
        solid: &mut Solid<'_>,
        other: Option<(DVec3, f64)>,
    ) -> f64 {
        let before = self.known[index];
        if before.call == self.call {
            return before.depth;
        }
        self.evaluated += 1;
        let at = self.relative.place(point);
        let distance = self.distance(at, index, solid);
        let before = (before.call > 0).then_some((before.at, before.depth));
        let is_inside = match self.same_side(at, distance, index, before, other, solid) {
            Some(depth) => Some(depth > 0.0),
            None => {
                let winding = solid.shape.winding(&Pose::IDENTITY, at, solid.scratch);
                winding.map(|winding| winding != 0)
            }
        };
        let depth = match is_inside {
            Some(true) => distance,
            Some(false) => -distance,
            None => 0.0,
        };
        self.known[index] = Known { at, depth, odometer: self.odometer, call: self.call };
        depth
    }

    /// The depth of a point that is proven to be on the same side as the point `at`, which is at this distance from the
    /// surface: where it was before, or another point.
    fn same_side(
        &self,
        at: DVec3,
        distance: f64,
        index: usize,
        before: Option<(DVec3, f64)>,
        other: Option<(DVec3, f64)>,
        solid: &Solid<'_>,
    ) -> Option<f64> {
        let is_same = |&(place, depth): &(DVec3, f64)| {
            place.distance(at) + self.slack < distance + depth.abs()
        };
        let by_distance = before.filter(is_same).or_else(|| other.filter(is_same));
        let by_faces = || {
            let is_clear = |&(place, depth): &(DVec3, f64)| {
                depth != 0.0 && self.near[index].none_between(place, at, self.slack, solid)
            };
            before.filter(is_clear)
        };
        by_distance.or_else(by_faces).map(|(_, depth)| depth)
    }

    /// The distance of a point from the surface, from the faces that are kept for it, or else from a search.
    fn distance(&mut self, at: DVec3, index: usize, solid: &mut Solid<'_>) -> f64 {
        let near = &mut self.near[index];
        let (bound, is_proven) = near.distance(at, self.slack, solid);
        if is_proven {
            return bound;
        }
        let margin = near.next_margin((STEPS * self.step).max(self.least_margin));
        let (found, distance) = Near::search(at, bound, margin, self.slack, solid);
        *near = found;
        distance
    }
}

//! How deep a tool reaches into a body.
//!
//! The depth is the largest distance to the body's surface of a point that is inside both the swept tool and the body. With an
//! allowance, points outside count too: the depth is the largest signed distance, positive inside, plus the allowance.
//!
//! It is bounded from both sides until the bounds are within the accuracy that was asked for:
//! - *At least*: the signed distance of any point of the tool. Points that the tool reaches furthest with are tried, in the
//!   directions that lead deeper.
//! - *At most*: if the tool, made smaller by t, is clear of the body, then no point of the tool is deeper than t, because it is
//!   within t of a point of the smaller tool, and the way there crosses the surface. This confirms most depths at once.
//! - If the two do not meet, branch and bound over boxes decides. In a box with centre c, whose closest point of the surface is
//!   p, the distance of a point q is at most that of q and p. Along the direction from p to c this is limited by the extent of
//!   the tool, and across it by the size of the box.

use crate::setup::Body;
use impinge::{
    Pose, Ray,
    glam::DVec3,
    method::{PointScratch, SolidScratch},
    solid::{RevolvedHull, Shrinking, SweptSolid},
};
use std::{cmp::Ordering, collections::BinaryHeap, ops::ControlFlow};

/// The deepest point that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    pub(crate) depth: f64,
    pub(crate) at: DVec3,
    /// No point is deeper than this.
    pub(crate) most: f64,
}

impl Deepest {
    /// The depth between the two bounds, which are so far apart unless the search was ended.
    pub(crate) fn estimate(&self, accuracy: f64) -> f64 {
        self.depth + 0.5 * (self.most - self.depth).clamp(0.0, accuracy)
    }

    fn cannot_exceed(&mut self, most: f64) {
        self.most = self.most.max(most);
    }
}

/// Most boxes that are looked at for one stretch. Then the bounds are what they are, and the depth is between them.
const MOST_BOXES: usize = 100_000;

/// Most faces whose normals are tried as directions.
const MOST_NORMALS: usize = 6;

/// A search for the deepest point of a swept tool in a body.
pub(crate) struct DepthSearch<'s> {
    pub(crate) body: &'s Body,
    /// The distance that the tool must keep.
    pub(crate) allowance: f64,
    /// How far a depth may be off.
    pub(crate) accuracy: f64,
    /// The direction of the tool's axis: an open surface is the top of a solid below it, along this direction.
    pub(crate) up: DVec3,
    /// A face that is likely to be above the deepest point.
    pub(crate) hint: Option<u32>,
    pub(crate) scratch: &'s mut SolidScratch,
    pub(crate) points: &'s mut PointScratch,
}

impl DepthSearch<'_> {
    /// Improves the deepest point found so far by those of a swept tool. `faces` are some faces that the tool touches.
    pub(crate) fn deepen(&mut self, solid: &SweptSolid, faces: &[u32], best: &mut Option<Deepest>) {
        // Often another stretch of the move has been deeper.
        if let Some(found) = best
            && self.is_clear_after(solid, found.depth + self.accuracy)
        {
            found.cannot_exceed(found.depth + self.accuracy);
            return;
        }
        self.try_directions(solid, faces, best);
        let most = match self.confirm(solid, best) {
            Some(most) => most,
            None => self.branch_and_bound(solid, best),
        };
        if let Some(found) = best {
            found.cannot_exceed(most);
        }
    }

    /// The signed distance of a point, positive inside, plus the allowance; and the closest point of the surface with its face.
    fn value(&mut self, point: DVec3) -> Option<(f64, DVec3, u32)> {
        self.value_beside(point, None)
    }

    /// The same for a point beside another one with a known signed distance: if it is closer to that one than the surface is, it
    /// is on the same side.
    fn value_beside(
        &mut self,
        point: DVec3,
        known: Option<(DVec3, f64)>,
    ) -> Option<(f64, DVec3, u32)> {
        let nearest = self.body.shape.nearest_point(&Pose::IDENTITY, point)?;
        let same_side =
            known.filter(|(other, signed)| point.distance(*other) < 0.999_999 * signed.abs());
        let is_inside = if let Some((_, signed)) = same_side {
            signed > 0.0
        } else if self.body.is_solid() {
            self.body.enclosure.contains_with(point, self.points)
        } else {
            let above = Ray::new(point, self.up).ok();
            above.is_some_and(|ray| self.body.shape.cast_ray(&Pose::IDENTITY, &ray).is_some())
        };
        let signed = if is_inside { nearest.distance } else { -nearest.distance };
        Some((signed + self.allowance, nearest.point, nearest.face))
    }

    /// Tries a point of the tool, and from there the points that lead away from the closest point of the surface. Returns
    /// whether the first point is inside the body.
    fn try_point(
        &mut self,
        solid: &SweptSolid,
        mut point: DVec3,
        best: &mut Option<Deepest>,
    ) -> bool {
        let mut is_inside = None;
        for _ in 0..4 {
            let Some((depth, nearest, _)) = self.value(point) else { break };
            let is_inside = *is_inside.get_or_insert(depth > self.allowance);
            if best.is_some_and(|best| depth <= best.depth) {
                return is_inside;
            }
            let most = best.map_or(0.0, |best| best.most);
            *best = Some(Deepest { depth, at: point, most });
            let inside = depth - self.allowance;
            let deeper = if inside > 0.0 { point - nearest } else { nearest - point };
            if deeper.length_squared() == 0.0 {
                break;
            }
            point = solid.furthest(deeper);
        }
        is_inside.unwrap_or(false)
    }

    /// Tries points that are likely to be the deepest: the tip, the points that the tool reaches furthest with across some of
    /// the faces, and the points where it ends below their middles.
    fn try_directions(&mut self, solid: &SweptSolid, faces: &[u32], best: &mut Option<Deepest>) {
        self.try_point(solid, solid.furthest(-solid.axis()), best);
        let step = faces.len().div_ceil(MOST_NORMALS).max(1);
        let hint = self.hint;
        for face in faces.iter().copied().step_by(step).chain(hint) {
            let [a, b, c] = self.body.mesh().triangle(face);
            let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
            let middle = (a + b + c) / 3.0;
            // Faces may be inside out.
            for inward in [-normal, normal] {
                let is_inside = self.try_point(solid, solid.furthest(inward), best);
                if let Some(end) = exit(solid, middle, inward) {
                    self.try_point(solid, end, best);
                }
                if is_inside {
                    break;
                }
            }
        }
    }

    /// Whether the tool is clear of the body after it was made smaller by a distance in some way.
    pub(crate) fn is_clear_after(&mut self, solid: &SweptSolid, distance: f64) -> bool {
        [Shrinking::Everywhere, Shrinking::Heights, Shrinking::Radii]
            .into_iter()
            .any(|by| self.is_clear(solid, &solid.hull().shrunk(distance, by)))
    }

    /// Whether a solid in place of the tool would be outside the body, and the allowance away from it.
    fn is_clear(&mut self, solid: &SweptSolid, hull: &RevolvedHull) -> bool {
        let smaller = solid.with_hull(*hull).enlarged(self.allowance);
        if self.body.shape.touches_swept(&Pose::IDENTITY, &smaller, self.scratch) {
            return false;
        }
        let point = smaller.origin() + smaller.axis() * hull.discs()[0].height;
        self.value(point).is_none_or(|(depth, ..)| depth <= self.allowance)
    }

    /// Finds by how much the tool must be made smaller to be clear, which no depth exceeds, and where it touches last on the way.
    /// The tool is often deepest there. Returns the upper bound, if it confirms the deepest point.
    fn confirm(&mut self, solid: &SweptSolid, best: &mut Option<Deepest>) -> Option<f64> {
        let largest = 2.0 * solid.hull().largest_radius();
        for by in [Shrinking::Everywhere, Shrinking::Heights, Shrinking::Radii] {
            let least = best.map_or(0.0, |found| found.depth.max(0.0));
            let shrunk = |distance: f64| solid.hull().shrunk(distance, by);
            let (mut low, mut high) = (least, least + 0.02 * self.accuracy);
            while !self.is_clear(solid, &shrunk(high)) {
                low = high;
                high = least + 4.0 * (high - least);
                if high > largest {
                    break;
                }
            }
            if high > largest {
                continue;
            }
            while high - low > 0.1 * self.accuracy {
                let middle = 0.5 * (low + high);
                if self.is_clear(solid, &shrunk(middle)) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            if high - least > self.accuracy {
                self.try_last_contact(solid, [&shrunk(low), &shrunk(high)], best);
            }
            if best.is_some_and(|found| high - found.depth <= self.accuracy) {
                return Some(high);
            }
        }
        None
    }

    /// Tries the points of the tool that are furthest towards a face that one smaller tool touches, and an even smaller one does
    /// not.
    fn try_last_contact(
        &mut self,
        solid: &SweptSolid,
        [touching, clear]: [&RevolvedHull; 2],
        best: &mut Option<Deepest>,
    ) {
        let touching = solid.with_hull(*touching).enlarged(self.allowance);
        let clear = solid.with_hull(*clear);
        let mut contacts = Vec::new();
        let shape = &self.body.shape;
        shape.visit_near_solid(&Pose::IDENTITY, &touching, self.scratch, |_, triangle| {
            if touching.touches(triangle) {
                contacts.push(clear.distance(triangle));
            }
            if contacts.len() < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        for contact in contacts {
            self.try_point(solid, solid.furthest(contact.direction), best);
            if let Some(end) = exit(solid, contact.on_triangle, contact.direction) {
                self.try_point(solid, end, best);
            }
        }
    }

    /// Improves the deepest point until no other can be deeper by more than the accuracy. Returns an upper bound of the depth.
    fn branch_and_bound(&mut self, solid: &SweptSolid, best: &mut Option<Deepest>) -> f64 {
        let bounds = solid.bounds();
        let body = self.body.mesh().bounds();
        let slack = DVec3::splat(self.allowance);
        let (mut low, mut high) =
            (bounds.min.max(body.min - slack), bounds.max.min(body.max + slack));
        if !self.body.is_solid() {
            // The solid below an open surface has no bottom.
            (low, high) = (bounds.min, bounds.max);
        }
        if (high - low).min_element() < 0.0 {
            return 0.0;
        }
        let mut open = BinaryHeap::new();
        let half = 0.5 * (high - low);
        let bound = Bound {
            most: f64::INFINITY,
            split: half.max_position(),
            signed: 0.0,
            surface: None,
            planes: [None; 2],
        };
        open.push(OpenBox { bound, center: low + half, half });
        let (mut looked_at, mut closed) = (0, 0.0_f64);
        while let Some(next) = open.pop() {
            let least = best.map_or(0.0, |found| found.depth.max(0.0));
            looked_at += 1;
            if next.bound.most - least <= self.accuracy || looked_at > MOST_BOXES {
                return next.bound.most.max(closed);
            }
            if next.bound.signed + self.allowance > least {
                // The centre is outside the tool, or it would have been taken: the point of the tool next to it.
                let beside = solid.distance_to_point(next.center).on_solid;
                self.try_point(solid, beside, best);
            }
            if next.half.length() < 0.1 * self.accuracy {
                // The tool's point beside the centre is not nearly as deep, although it is close: the surface ends above, and
                // what is below it has a side without faces.
                closed = closed.max(next.bound.most);
                continue;
            }
            let axis = next.bound.split;
            let mut half = next.half;
            half[axis] *= 0.5;
            for side in [-1.0, 1.0] {
                let mut center = next.center;
                center[axis] += side * half[axis];
                // The point of the surface that is closest to the larger box is often close enough to rule this one out.
                if let Some(surface) = next.bound.surface {
                    let enough = best.map_or(0.0, |found| found.depth.max(0.0)) + self.accuracy;
                    let most = farthest(solid, center, half, surface) + self.allowance;
                    if most <= enough {
                        closed = closed.max(most);
                        continue;
                    }
                }
                let parent = (next.center, &next.bound);
                if let Some(mut bound) = self.bound(solid, center, half, parent, best) {
                    bound.most = bound.most.min(next.bound.most);
                    open.push(OpenBox { bound, center, half });
                }
            }
        }
        closed
    }

    /// An upper bound of the depth of the points of the tool in a box; `None` if there are certainly no such points. `parent`
    /// is a box around it.
    fn bound(
        &mut self,
        solid: &SweptSolid,
        center: DVec3,
        half: DVec3,
        (parent_center, parent): (DVec3, &Bound),
        best: &mut Option<Deepest>,
    ) -> Option<Bound> {
        let size = half.length();
        if !reaches(solid, center, half) {
            return None;
        }
        let (depth, nearest, face) =
            self.value_beside(center, Some((parent_center, parent.signed)))?;
        let signed = depth - self.allowance;
        if best.is_none_or(|found| depth > found.depth) && solid.is_surely_inside(center) {
            self.try_point(solid, center, best);
        }
        let rough = depth + size;
        let longest = half.max_position();
        let surface = Some(nearest);
        if signed <= 0.0 {
            let planes = parent.planes;
            return Some(Bound { most: rough, split: longest, signed, surface, planes });
        }
        // From the surface inward.
        let inward = (center - nearest) / signed;
        let across_box = half.dot(inward.abs());
        let reach = extent_in_box(solid, center, half, inward) - inward.dot(nearest);
        if reach < signed - across_box {
            // The box is beyond the tool.
            return None;
        }
        let mesh = self.body.mesh();
        let patch = self.body.neighbours().patch(mesh, face, nearest, inward, size);
        // Points of the box may also be on the other side of the surface.
        let own = Plane {
            normal: inward,
            offset: inward.dot(nearest) + patch.lowest,
            behind: patch.highest - (signed - across_box),
        };
        let beyond = (size - patch.room).max(0.0);
        let mut finer = (reach - patch.lowest).max(own.behind).hypot(beyond);
        let mut planes = [Some(own), None];
        if beyond > 0.0 {
            finer = finer.min(reach.max(size - signed).hypot(size));
            planes = parent.planes;
        } else {
            let is_other = |plane: &Plane| plane.normal.dot(inward) < 0.999;
            planes[1] = parent.planes.into_iter().flatten().find(is_other);
        }
        if let [Some(one), Some(other)] = &planes {
            finer = finer.min(between(solid, center, half, one, other));
        }
        let finer = finer + self.allowance;
        if finer >= rough {
            return Some(Bound { most: rough, split: longest, signed, surface, planes });
        }
        // What the bound exceeds the depth of the centre by is due to the extent of the box along the direction, or across it.
        // If neither is, the depth is as large as the bound at the centre, which may be outside the tool.
        let (too_far_across, too_far_along) = (finer - self.allowance - reach, reach - signed);
        let split = if own.behind >= reach
            || 2.0 * too_far_across >= too_far_along
            || too_far_along < 0.1 * self.accuracy
        {
            longest
        } else {
            let along = (half * inward.abs()).max_position();
            if half[along] > half[longest] / 8.0 { along } else { longest }
        };
        Some(Bound { most: finer, split, signed, surface, planes })
    }
}

/// Whether a solid may have points in a box.
fn reaches(solid: &SweptSolid, center: DVec3, half: DVec3) -> bool {
    !solid.is_surely_beyond(center, half.length())
        && (solid.is_surely_inside(center) || solid.touches_box(center, half))
}

/// An upper bound of the product of a direction with a point of a solid in a box.
fn extent_in_box(solid: &SweptSolid, center: DVec3, half: DVec3, direction: DVec3) -> f64 {
    let of_box = |direction: DVec3| direction.dot(center) + direction.abs().dot(half);
    // The solid may be furthest along the direction elsewhere. Near the box, it is furthest along another one, and what the two
    // differ by is limited by the box.
    let here = solid.turned_towards(direction, center);
    let near_box = solid.extent(here) + of_box(direction - here);
    solid.extent(direction).min(near_box).min(of_box(direction))
}

/// An upper bound of the depths of the points of a solid in a box between two planes: a mean of the heights above both is at
/// least the lower one, for any weights, and the extent of the solid tells how large the mean can be.
fn between(solid: &SweptSolid, center: DVec3, half: DVec3, one: &Plane, other: &Plane) -> f64 {
    let mean = |share: f64| {
        let normal = one.normal.lerp(other.normal, share);
        extent_in_box(solid, center, half, normal)
            - (one.offset + (other.offset - one.offset) * share)
    };
    // The mean is a convex function of the share.
    let (mut low, mut high) = (0.0, 1.0);
    let mut least = f64::INFINITY;
    for _ in 0..12 {
        let third = (high - low) / 3.0;
        let (at_low, at_high) = (mean(low + third), mean(high - third));
        least = least.min(at_low).min(at_high);
        if at_low < at_high {
            high -= third;
        } else {
            low += third;
        }
    }
    least.max(one.behind).max(other.behind)
}

/// An upper bound of the distance from a point to the points of a solid in a box.
fn farthest(solid: &SweptSolid, center: DVec3, half: DVec3, point: DVec3) -> f64 {
    let away = center - point;
    let distance = away.length();
    let size = half.length();
    if distance <= size {
        return distance + size;
    }
    let direction = away / distance;
    let reach = extent_in_box(solid, center, half, direction) - direction.dot(point);
    reach.max(0.0).hypot(size)
}

/// Where a ray from a point inside a solid leaves it; `None` if the point is not inside.
fn exit(solid: &SweptSolid, from: DVec3, direction: DVec3) -> Option<DVec3> {
    let is_inside = |at: f64| solid.is_within(from + direction * at, 0.0);
    if !is_inside(0.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, solid.extent(direction) - direction.dot(from));
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if is_inside(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(from + direction * low)
}

#[derive(Clone, Copy, Debug)]
struct OpenBox {
    bound: Bound,
    center: DVec3,
    half: DVec3,
}

/// What is known about a box.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// No point of the tool in the box is deeper than this.
    most: f64,
    /// The axis across which halving the box lowers the bound.
    split: usize,
    /// The signed distance of the centre, positive inside; 0 if it is not known.
    signed: f64,
    /// The point of the surface that is closest to the centre.
    surface: Option<DVec3>,
    /// Planes that the surface is close to wherever a point of the box is projected onto them.
    planes: [Option<Plane>; 2],
}

/// A plane, and a bound of the depths in a box: the distance of the surface from a point is at most the point's height above
/// the plane, or `behind`, if that is more.
#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: DVec3,
    offset: f64,
    behind: f64,
}

impl PartialEq for OpenBox {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OpenBox {}

impl PartialOrd for OpenBox {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OpenBox {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.most.total_cmp(&other.bound.most)
    }
}

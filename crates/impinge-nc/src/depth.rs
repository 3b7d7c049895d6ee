//! How deep a tool reaches into a body.
//!
//! The depth is the largest distance to the body's surface of a point that is inside both the swept tool and the body. With an
//! allowance, points outside count too: the depth is the largest signed distance, positive inside, plus the allowance.
//!
//! It is bounded from both sides until the bounds are within the accuracy that was asked for:
//! - *At least*: the signed distance of any point of the tool. Points that the tool reaches furthest with are tried, in the
//!   directions that lead deeper.
//! - *At most*: if the tool, made smaller by t, is clear of the body, then no point of the tool is deeper than t, because it is
//!   within t of a point of the smaller tool, and the way there crosses the surface. The least such t is found by bisection. For
//!   round tools this is the depth itself, and for others nearly always.
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
use std::{cmp::Ordering, collections::BinaryHeap};

/// The deepest point that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    pub(crate) depth: f64,
    pub(crate) at: DVec3,
}

/// Most boxes that are looked at for one stretch. Then the upper bound is returned: on the safe side.
const MOST_BOXES: usize = 100_000;

/// Most faces whose normals are tried as directions.
const MOST_NORMALS: usize = 24;

/// A search for the deepest point of a swept tool in a body.
pub(crate) struct DepthSearch<'s> {
    pub(crate) body: &'s Body,
    /// The distance that the tool must keep.
    pub(crate) allowance: f64,
    /// How far a depth may be off.
    pub(crate) accuracy: f64,
    /// The direction of the tool's axis: an open surface is the top of a solid below it, along this direction.
    pub(crate) up: DVec3,
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
            return;
        }
        self.try_directions(solid, faces, best);
        let least = best.map_or(0.0, |found| found.depth.max(0.0));
        let Some(most) = self.upper_bound(solid, least) else {
            self.branch_and_bound(solid, f64::INFINITY, best);
            return;
        };
        if most - least > self.accuracy {
            self.branch_and_bound(solid, most, best);
        }
    }

    /// The signed distance of a point, positive inside, plus the allowance; and the closest point of the surface with its face.
    fn value(&mut self, point: DVec3) -> Option<(f64, DVec3, u32)> {
        let nearest = self.body.shape.nearest_point(&Pose::IDENTITY, point)?;
        let is_inside = if self.body.enclosure.is_solid() {
            self.body.enclosure.contains_with(point, self.points)
        } else {
            let above = Ray::new(point, self.up).ok();
            above.is_some_and(|ray| self.body.shape.cast_ray(&Pose::IDENTITY, &ray).is_some())
        };
        let signed = if is_inside { nearest.distance } else { -nearest.distance };
        Some((signed + self.allowance, nearest.point, nearest.face))
    }

    /// Tries a point of the tool, and from there the points that lead away from the closest point of the surface.
    fn try_point(&mut self, solid: &SweptSolid, mut point: DVec3, best: &mut Option<Deepest>) {
        for _ in 0..4 {
            let Some((depth, nearest, _)) = self.value(point) else { return };
            if best.is_some_and(|best| depth <= best.depth) {
                return;
            }
            *best = Some(Deepest { depth, at: point });
            let inside = depth - self.allowance;
            let deeper = if inside > 0.0 { point - nearest } else { nearest - point };
            if deeper.length_squared() == 0.0 {
                return;
            }
            point = solid.furthest(deeper);
        }
    }

    fn try_directions(&mut self, solid: &SweptSolid, faces: &[u32], best: &mut Option<Deepest>) {
        self.try_point(solid, solid.furthest(-solid.axis()), best);
        let step = faces.len().div_ceil(MOST_NORMALS).max(1);
        for &face in faces.iter().step_by(step) {
            let [a, b, c] = self.body.mesh().triangle(face);
            let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
            self.try_point(solid, solid.furthest(-normal), best);
            self.try_point(solid, solid.furthest(normal), best);
        }
    }

    /// Whether the tool is clear of the body after it was made smaller by a distance in some way.
    fn is_clear_after(&mut self, solid: &SweptSolid, distance: f64) -> bool {
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

    /// The least distance by which the tool must be made smaller to be clear, to half the accuracy from above. `None` if no
    /// smaller tool is clear.
    fn upper_bound(&mut self, solid: &SweptSolid, least: f64) -> Option<f64> {
        let size = solid.hull().largest_radius();
        let mut lowest = None::<f64>;
        for by in [Shrinking::Everywhere, Shrinking::Heights, Shrinking::Radii] {
            // From just above what is known, in growing steps.
            let mut step = 0.5 * self.accuracy;
            let (mut low, mut high) = (least, least + step);
            let limit = lowest.unwrap_or(4.0 * size);
            while high < limit && !self.is_clear(solid, &solid.hull().shrunk(high, by)) {
                low = high;
                step *= 4.0;
                high += step;
            }
            if high >= limit {
                continue;
            }
            while high - low > 0.25 * self.accuracy {
                let middle = 0.5 * (low + high);
                if self.is_clear(solid, &solid.hull().shrunk(middle, by)) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            lowest = Some(lowest.map_or(high, |lowest| lowest.min(high)));
            if high - least <= self.accuracy {
                break;
            }
        }
        lowest
    }

    fn branch_and_bound(&mut self, solid: &SweptSolid, most: f64, best: &mut Option<Deepest>) {
        let bounds = solid.bounds();
        let body = self.body.mesh().bounds();
        let slack = DVec3::splat(self.allowance);
        let (mut low, mut high) =
            (bounds.min.max(body.min - slack), bounds.max.min(body.max + slack));
        if !self.body.enclosure.is_solid() {
            // The solid below an open surface has no bottom.
            (low, high) = (bounds.min, bounds.max);
        }
        if (high - low).min_element() < 0.0 {
            return;
        }
        let mut open = BinaryHeap::new();
        open.push(OpenBox { most, center: 0.5 * (low + high), half: 0.5 * (high - low) });
        let mut looked_at = 0;
        while let Some(next) = open.pop() {
            let least = best.map_or(0.0, |found| found.depth.max(0.0));
            if next.most - least <= self.accuracy {
                return;
            }
            looked_at += 1;
            if looked_at > MOST_BOXES {
                if let Some(found) = best {
                    found.depth = next.most.min(found.depth + self.accuracy.max(next.most - least));
                }
                return;
            }
            // Halve the longest side.
            let axis = next.half.max_position();
            let mut half = next.half;
            half[axis] *= 0.5;
            for side in [-1.0, 1.0] {
                let mut center = next.center;
                center[axis] += side * half[axis];
                if let Some(bound) = self.bound(solid, center, half, best) {
                    open.push(OpenBox { most: bound.min(next.most), center, half });
                }
            }
        }
    }

    /// An upper bound of the depth of the points of the tool in a box; `None` if there are no such points.
    fn bound(
        &mut self,
        solid: &SweptSolid,
        center: DVec3,
        half: DVec3,
        best: &mut Option<Deepest>,
    ) -> Option<f64> {
        let size = half.length();
        let gap = solid.distance_to_point(center);
        if gap.lower > size {
            return None;
        }
        let (depth, nearest, face) = self.value(center)?;
        if best.is_none_or(|found| depth + size > found.depth) {
            let inside_tool = if gap.upper <= 0.0 { center } else { gap.on_solid };
            self.try_point(solid, inside_tool, best);
        }
        let rough = depth + size;
        let signed = depth - self.allowance;
        if signed <= 0.0 {
            return Some(rough);
        }
        // From the surface inward.
        let inward = (center - nearest) / signed;
        let along = half.dot(inward.abs()) + signed;
        let reach =
            (solid.extent(inward) - inward.dot(nearest)).min(along).max(size - signed).max(0.0);
        // How far beyond the edges of the face a point of the box may be.
        let beyond = (size - self.room_around(face, nearest)).max(0.0);
        Some(rough.min(reach.hypot(beyond) + self.allowance))
    }

    /// How far a point of a face is from its edges.
    fn room_around(&self, face: u32, point: DVec3) -> f64 {
        let [a, b, c] = self.body.mesh().triangle(face);
        let mut room = f64::INFINITY;
        for [p, q] in [[a, b], [b, c], [c, a]] {
            let edge = q - p;
            let length = edge.length();
            if length == 0.0 {
                return 0.0;
            }
            room = room.min(edge.cross(point - p).length() / length);
        }
        room
    }
}

#[derive(Clone, Copy, Debug)]
struct OpenBox {
    most: f64,
    center: DVec3,
    half: DVec3,
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
        self.most.total_cmp(&other.most)
    }
}

//! Down one tree, to the faces that are close to a point.
//!
//! A lower bound of the distance is found for eight boxes, and for eight faces, at a time. The caller measures the
//! faces that are left, and says how close others must be to be of interest.

use super::{Leaf, Link, Node, WideTree};
use crate::{
    Pose,
    method::{PointScratch, hierarchy::FramePoint},
    simd::{
        Eight, lanes_of, on,
        vector::{Vector, cross, dot, least, load, loads, minus, splat, splats},
    },
};
use fearless_simd::{f32x8, prelude::*};
use glam::DVec3;

impl WideTree {
    /// Visits the faces that are close to a point, within `reach`, the closest first, until none is left or `visit`
    /// returns a negative distance; see [`Prepared::faces_near_point`](crate::method::Prepared::faces_near_point).
    #[inline(never)]
    pub(super) fn near_point(
        &self,
        pose: &Pose,
        point: DVec3,
        reach: f64,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let point = FramePoint::new(&self.frame, pose, point);
        on!(self.lanes, simd => self.walk_near(simd, &point, reach, scratch, visit));
    }

    #[inline(always)]
    fn walk_near<S: Simd>(
        &self,
        simd: S,
        point: &FramePoint,
        reach: f64,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let Some(root) = self.nodes.first() else { return };
        let place = point.point.to_array();
        let stack = &mut scratch.stack;
        stack.clear();
        stack.push((0.0, root.links[0].0));
        // Nothing farther than this is of interest, in units of the frame.
        let mut reach = point.largest_gap(reach);
        while let Some((gap, link)) = stack.pop() {
            if gap > f64::from(reach) {
                continue;
            }
            let link = Link(link);
            if link.is_leaf() {
                let leaf = &self.leaves[link.index()];
                let gaps = gaps_to_faces(simd, place, leaf);
                let mut near = within(simd, gaps, reach) & leaf.mask();
                let (gaps, faces): (Eight, _) = (gaps.into(), self.faces_of(leaf));
                // The closest first: it is likely to make the others superfluous.
                while near != 0 {
                    let lane = closest_lane(&gaps, near);
                    if gaps[lane] > reach {
                        break;
                    }
                    near &= !(1 << lane);
                    let limit = visit(faces[lane]);
                    if limit < 0.0 {
                        return;
                    }
                    reach = point.largest_gap(limit);
                }
                continue;
            }
            let node = &self.nodes[link.index()];
            let gaps = gaps_to_boxes(simd, place, node);
            let near = within(simd, gaps, reach);
            let gaps: Eight = gaps.into();
            let begin = stack.len();
            for lane in lanes_of(near) {
                let below = node.links[lane as usize];
                if below != Link::NONE {
                    stack.push((f64::from(gaps[lane as usize]), below.0));
                }
            }
            // The closest last, and so visited first.
            if stack.len() > begin + 1 {
                stack[begin..].sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
            }
        }
    }
}

/// A bit for each gap that is not larger than a distance. Gaps that are not a number prove nothing, and count as small.
#[inline(always)]
fn within<S: Simd>(simd: S, gaps: f32x8<S>, reach: f32) -> u32 {
    !(gaps.simd_gt(splat(simd, reach)).to_bitmask() as u32) & 0xff
}

/// The lane with the smallest gap, of those whose bits are set: at least one.
#[inline(always)]
fn closest_lane(gaps: &Eight, lanes: u32) -> usize {
    let mut closest = lanes.trailing_zeros() as usize;
    for lane in lanes_of(lanes & (lanes - 1)) {
        if gaps[lane as usize] < gaps[closest] {
            closest = lane as usize;
        }
    }
    closest
}

/// How far eight boxes are, to within the slack.
///
/// A point of a box has `|u·(p − c)| ≤ h` along each of its axes, which are orthonormal to 4e-7,
/// so that the gaps along them add up as the sides of a box do. The point and a box's centre are
/// off by 2^−24 of their size, and a product with an axis takes five roundings: a dozen of 6e-8 of
/// what is at most √3 times the point's largest coordinate and that of the centre, 1. The slack
/// has 4e-6.
#[inline(always)]
fn gaps_to_boxes<S: Simd>(simd: S, point: [f32; 3], node: &Node) -> f32x8<S> {
    let away = minus(&splats(simd, point), &loads(simd, &node.center));
    let zero = splat(simd, 0.0);
    let mut sum = zero;
    for (axis, half) in node.axes.iter().zip(&node.half) {
        let gap = (dot(&away, &loads(simd, axis)).abs() - load(simd, half)).max(zero);
        sum = gap.mul_add(gap, sum);
    }
    sum.sqrt()
}

/// How far a leaf's faces are, to within the slack.
///
/// Seen along any direction q, a face is as far away as the closest of its corners, and truly no closer than that.
/// Tried are the directions of the closest point of its edges, and of its plane: the better of them is the distance,
/// but for rounding. However rough a direction is, what is found along it is a lower bound. With the corners from
/// the point on off by four roundings, and a product with a direction by four more, that bound has fewer than a
/// dozen, as above; and lengths that are too short to be squared are taken for longer. Squares that underflow are those
/// of distances far below the slack, and none overflows: a point that is too far away is not compared
/// ([`FramePoint::largest_gap`]).
#[inline(always)]
fn gaps_to_faces<S: Simd>(simd: S, point: [f32; 3], leaf: &Leaf) -> f32x8<S> {
    let here = minus(&splats(simd, point), &splats(simd, leaf.center));
    let corners = [
        minus(&loads(simd, &leaf.corners[0]), &here),
        minus(&loads(simd, &leaf.corners[1]), &here),
        minus(&loads(simd, &leaf.corners[2]), &here),
    ];
    let [a, b, c] = &corners;
    let edges = [minus(b, a), minus(c, b), minus(a, c)];
    let normal = cross(&edges[0], &edges[1]);
    let one = splat(simd, 1.0);
    let side = one.copysign(dot(&normal, a));
    let above = along_sq(simd, &scaled(&normal, side), &corners);
    let mut nearest = nearest_of_edge(simd, a, &edges[0]);
    let mut nearest_sq = dot(&nearest, &nearest);
    for (corner, edge) in [(b, &edges[1]), (c, &edges[2])] {
        let other = nearest_of_edge(simd, corner, edge);
        let other_sq = dot(&other, &other);
        let is_closer = other_sq.simd_lt(nearest_sq);
        nearest = [
            is_closer.select(other[0], nearest[0]),
            is_closer.select(other[1], nearest[1]),
            is_closer.select(other[2], nearest[2]),
        ];
        nearest_sq = is_closer.select(other_sq, nearest_sq);
    }
    above.max(along_sq(simd, &nearest, &corners)).sqrt()
}

/// The points of edges that are closest to the origin. Each edge starts at a corner.
#[inline(always)]
fn nearest_of_edge<S: Simd>(simd: S, corner: &Vector<S>, edge: &Vector<S>) -> Vector<S> {
    let foot = -dot(corner, edge) / dot(edge, edge).max(splat(simd, SHORTEST_SQ));
    let foot = foot.max(splat(simd, 0.0)).min(splat(simd, 1.0));
    [
        edge[0].mul_add(foot, corner[0]),
        edge[1].mul_add(foot, corner[1]),
        edge[2].mul_add(foot, corner[2]),
    ]
}

/// Squared lengths below this are taken for this.
const SHORTEST_SQ: f32 = 1e-30;

/// The square of how far the closest of three corners is along a direction of any length; 0 if it is behind.
#[inline(always)]
fn along_sq<S: Simd>(simd: S, direction: &Vector<S>, corners: &[Vector<S>; 3]) -> f32x8<S> {
    let [a, b, c] = corners;
    let closest = least(dot(direction, a), dot(direction, b), dot(direction, c));
    let closest = closest.max(splat(simd, 0.0));
    closest * closest / dot(direction, direction).max(splat(simd, SHORTEST_SQ))
}

#[inline(always)]
fn scaled<S: Simd>(p: &Vector<S>, factor: f32x8<S>) -> Vector<S> {
    [p[0] * factor, p[1] * factor, p[2] * factor]
}

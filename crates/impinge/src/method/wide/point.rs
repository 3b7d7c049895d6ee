//! Down one tree, to the faces that are close to a point.
//!
//! A lower bound of the distance is found for eight boxes, and for eight faces, at a time. The caller measures the
//! faces that are left, and says how close others must be to be of interest.

use super::{Leaf, Link, Node, WideTree};
use crate::{
    Pose,
    method::{PointScratch, hierarchy::FramePoint},
    simd::{
        Eight, on,
        vector::{Vector, cross, dot, least, load, loads, minus, splat, splats},
    },
};
use fearless_simd::{f32x8, prelude::*};
use glam::DVec3;

impl WideTree {
    /// Visits the faces that are close to a point, the closest first, until none is left or `visit` returns a
    /// negative distance; see [`Prepared::faces_near_point`](crate::method::Prepared::faces_near_point).
    #[inline(never)]
    pub(super) fn near_point(
        &self,
        pose: &Pose,
        point: DVec3,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let point = FramePoint::new(&self.frame, pose, point);
        on!(self.lanes, simd => self.walk_near(simd, &point, scratch, visit));
    }

    #[inline(always)]
    fn walk_near<S: Simd>(
        &self,
        simd: S,
        point: &FramePoint,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let Some(root) = self.nodes.first() else { return };
        let place = point.point.to_array();
        let stack = &mut scratch.stack;
        stack.clear();
        stack.push((0.0, root.links[0].0));
        let mut limit = f64::INFINITY;
        while let Some((bound, link)) = stack.pop() {
            if bound > limit {
                continue;
            }
            let link = Link(link);
            if link.is_leaf() {
                let leaf = &self.leaves[link.index()];
                let gaps: Eight = gaps_to_faces(simd, place, leaf).into();
                let begin = stack.len();
                for (face, gap) in self.faces_of(leaf).iter().zip(gaps) {
                    let bound = point.distance(gap);
                    if bound <= limit {
                        stack.push((bound, *face));
                    }
                }
                // The closest first: it is likely to make the others superfluous.
                stack[begin..].sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
                for _ in begin..stack.len() {
                    if let Some((bound, face)) = stack.pop()
                        && bound <= limit
                    {
                        limit = visit(face);
                        if limit < 0.0 {
                            return;
                        }
                    }
                }
                continue;
            }
            let node = &self.nodes[link.index()];
            let gaps: Eight = gaps_to_boxes(simd, place, node).into();
            let begin = stack.len();
            for (below, gap) in node.links.iter().zip(gaps) {
                if *below == Link::NONE {
                    break;
                }
                let bound = point.distance(gap);
                if bound <= limit {
                    stack.push((bound, below.0));
                }
            }
            // The closest last, and so visited first.
            if stack.len() > begin + 1 {
                stack[begin..].sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
            }
        }
    }
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
/// Tried are the directions of the closest points of its edges, and of its plane: the best of them is the distance,
/// but for rounding. However rough a direction is, what is found along it is a lower bound. With the corners from
/// the point on off by four roundings, and a product with a direction by four more, that bound has fewer than a
/// dozen, as above; and lengths that are too short to be squared are taken for longer.
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
    let mut gap = along(simd, &scaled(&normal, side), &corners);
    for (corner, edge) in corners.iter().zip(&edges) {
        let foot = -dot(corner, edge) / dot(edge, edge).max(splat(simd, SHORTEST_SQ));
        let foot = foot.max(splat(simd, 0.0)).min(one);
        let nearest = [
            edge[0].mul_add(foot, corner[0]),
            edge[1].mul_add(foot, corner[1]),
            edge[2].mul_add(foot, corner[2]),
        ];
        gap = gap.max(along(simd, &nearest, &corners));
    }
    gap
}

/// Squared lengths below this are taken for this.
const SHORTEST_SQ: f32 = 1e-30;

/// How far the closest of three corners is along a direction of any length.
#[inline(always)]
fn along<S: Simd>(simd: S, direction: &Vector<S>, corners: &[Vector<S>; 3]) -> f32x8<S> {
    let [a, b, c] = corners;
    let closest = least(dot(direction, a), dot(direction, b), dot(direction, c));
    closest / dot(direction, direction).max(splat(simd, SHORTEST_SQ)).sqrt()
}

#[inline(always)]
fn scaled<S: Simd>(p: &Vector<S>, factor: f32x8<S>) -> Vector<S> {
    [p[0] * factor, p[1] * factor, p[2] * factor]
}

//! Down one tree, to the faces that a ray may meet.
//!
//! The piece of the ray that is within reach of the mesh, a [`FrameSegment`], is compared with eight boxes, and with
//! eight triangles, at a time. Whatever remains goes to the exact test of [`narrow`](crate::narrow), so all that counts
//! is that no face is left out that the ray meets.

use super::{Leaf, Link, Node, WIDTH, WideTree};
use crate::{
    method::{
        PointScratch,
        hierarchy::{FrameSegment, TAU_SLACK},
    },
    simd::{
        Eight, lanes_of, on,
        vector::{dot, greatest, least, load, loads, minus, splat, splats},
    },
};
use fearless_simd::prelude::*;
use glam::DVec3;

/// A segment, prepared for the kernels of boxes and triangles.
pub(super) struct WideSegment {
    segment: FrameSegment,
    /// Two unit vectors that are at right angles to the way and to each other.
    across: [DVec3; 2],
    /// What is added to the extents of boxes.
    box_slack: f32,
}

/// Two unit vectors at right angles to a unit vector and to each other (Duff and others 2017).
fn across(along: DVec3) -> [DVec3; 2] {
    let DVec3 { x, y, z } = along;
    let sign = 1f64.copysign(z);
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    [DVec3::new(1.0 + sign * x * x * a, sign * b, -sign * x), DVec3::new(b, sign + y * y * a, -y)]
}

impl WideTree {
    /// Visits the faces that a segment may meet, the first along it first, until none is left or `visit` returns a
    /// negative parameter; see [`Prepared::faces_along_ray`](crate::method::Prepared::faces_along_ray).
    #[inline(never)]
    pub(super) fn along_segment(
        &self,
        segment: &WideSegment,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        on!(self.lanes, simd => self.walk_along(simd, segment, scratch, visit));
    }

    #[inline(always)]
    fn walk_along<S: Simd>(
        &self,
        simd: S,
        segment: &WideSegment,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let stack = &mut scratch.stack;
        stack.clear();
        // The first node has the root's box.
        stack.push((0.0, Link::node(0).0));
        let mut limit = f64::INFINITY;
        while let Some((enter, link)) = stack.pop() {
            if enter > limit {
                continue;
            }
            let link = Link(link);
            if link.is_leaf() {
                let leaf = &self.leaves[link.index()];
                let faces = self.faces_of(leaf);
                for lane in lanes_of(segment.triangles(simd, leaf)) {
                    let t = visit(faces[lane as usize]);
                    if t < 0.0 {
                        return;
                    }
                    limit = segment.segment.tau_of(t);
                }
                continue;
            }
            let node = &self.nodes[link.index()];
            let (enters, may_meet) = segment.boxes(simd, node, limit as f32);
            let begin = stack.len();
            for lane in lanes_of(may_meet) {
                let below = node.links[lane as usize];
                if below != Link::NONE {
                    stack.push((f64::from(enters[lane as usize]), below.0));
                }
            }
            // The first along the ray last, and so visited first.
            if stack.len() > begin + 1 {
                stack[begin..].sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
            }
        }
    }
}

impl WideSegment {
    /// `centers` is the largest magnitude of a coordinate of a box's centre.
    pub(super) fn new(segment: FrameSegment, centers: f64) -> Self {
        // See `boxes`.
        let box_slack = (1.75 * segment.slack + 4e-6 * (1.0 + centers)) * 1.000_001;
        let across = across(segment.along);
        Self { segment, across, box_slack: box_slack as f32 }
    }

    /// At which τ the segment enters each of eight boxes at the earliest, and a bit for each box that it may meet at a
    /// τ of at most `limit`.
    ///
    /// Along an axis u of a box with centre c and extent h, a common point has `|u·(c − start) − τ u·way| ≤ h`. The
    /// truth is off by the slack along each axis of the frame, and so by √3 of it along u, which is of unit length
    /// to 2e-7. In `f32`, c − start is off by two roundings, 2^−24 each, of at most 1.5 and the largest coordinate of
    /// a centre, and its product with u by four more, relative to √3 times that: 6.3e-7 (1.5 + centre). The way
    /// has coordinates of up to 3, is narrowed, and multiplied with u: five roundings, 1.6e-6. The box slack of
    /// `1.75 slack + 4e-6 (1 + centre)` covers all of it for τ from 0 to 1.
    ///
    /// What is left is a quotient for either side of the box, off by less than 1e-6 where it is between 0 and 1.
    #[inline(always)]
    fn boxes<S: Simd>(&self, simd: S, node: &Node, limit: f32) -> (Eight, u32) {
        let start = splats(simd, self.segment.start.as_vec3().to_array());
        let way = splats(simd, self.segment.way.as_vec3().to_array());
        let slack = splat(simd, self.box_slack);
        // A way of nearly zero along an axis is made this long: too short to matter, too long to overflow.
        let shortest = splat(simd, 1e-20);
        let apart = minus(&loads(simd, &node.center), &start);
        let mut enter = splat(simd, -TAU_SLACK);
        let mut leave = splat(simd, limit.min(1.0) + TAU_SLACK);
        for k in 0..3 {
            let axis = loads(simd, &node.axes[k]);
            let half = load(simd, &node.half[k]) + slack;
            let (middle, step) = (dot(&axis, &apart), dot(&axis, &way));
            let step = step.abs().max(shortest).copysign(step);
            let inverse = splat(simd, 1.0) / step;
            let (low, high) = ((middle - half) * inverse, (middle + half) * inverse);
            enter = enter.max(low.min(high));
            leave = leave.min(low.max(high));
        }
        let enter = enter - TAU_SLACK;
        let leave = leave + TAU_SLACK;
        // What is not a number is no proof.
        let is_apart = enter.simd_gt(leave).to_bitmask() as u32;
        (enter.into(), !is_apart & 0xff)
    }

    /// A bit for each triangle of a leaf that the segment's line may meet.
    ///
    /// Seen along the line, the triangle is flat, and the line a point: it misses the triangle if it is on different
    /// sides of two edges. The point of the line that is closest to the leaf's centre serves as origin.
    ///
    /// Let r be at least the largest coordinate of a corner from that origin on, before it is turned, and u 2^−24. In
    /// each coordinate a corner is off by the slack, and by narrowing and two differences, 3 u r. A product with a vector across
    /// is off by √3 times that, by 3 u √3 r in evaluation, and by √3 r times what narrowing has turned the vector by,
    /// at most 1e-7: all in all less than `e = 1.75 slack + 1e-6 r`. Turned coordinates are at most X = 1.75 r. A
    /// turn `x y' − y x'` of such is off by up to `4 X e + 2 e²`, and by `6 u X²` in evaluation.
    ///
    /// Underflow loses less than 1e-44 a time; a bound of at least 1e-37 is above that by far.
    #[inline(always)]
    fn triangles<S: Simd>(&self, simd: S, leaf: &Leaf) -> u32 {
        let center = DVec3::from_array(leaf.center.map(f64::from));
        let tau =
            (center - self.segment.start).dot(self.segment.way) / self.segment.way.length_squared();
        let tau = if tau > 0.0 { tau.min(1.0) } else { 0.0 };
        let origin = self.segment.start + self.segment.way * tau - center;
        let reach = 1.000_001 * (f64::from(leaf.reach()) + origin.abs().max_element());
        let error = 1.75 * self.segment.slack + 1e-6 * reach;
        let size = 1.75 * reach;
        let bound = 4.0 * (size + error) * error + 4e-7 * size * size;
        let bound = splat(simd, (1.000_01 * bound).max(1e-37) as f32);

        let origin = splats(simd, origin.as_vec3().to_array());
        let first = splats(simd, self.across[0].as_vec3().to_array());
        let second = splats(simd, self.across[1].as_vec3().to_array());
        let a = minus(&loads(simd, &leaf.corners[0]), &origin);
        let b = minus(&loads(simd, &leaf.corners[1]), &origin);
        let c = minus(&loads(simd, &leaf.corners[2]), &origin);
        let (ax, ay) = (dot(&first, &a), dot(&second, &a));
        let (bx, by) = (dot(&first, &b), dot(&second, &b));
        let (cx, cy) = (dot(&first, &c), dot(&second, &c));
        let turns = [ax.mul_sub(by, ay * bx), bx.mul_sub(cy, by * cx), cx.mul_sub(ay, cy * ax)];
        let (low, high) =
            (least(turns[0], turns[1], turns[2]), greatest(turns[0], turns[1], turns[2]));
        let misses: u32 = (high.simd_gt(bound) & low.simd_lt(-bound)).to_bitmask() as u32;
        !misses & leaf.mask()
    }
}

const _: () = assert!(WIDTH == 8, "a bit for each child, and for each triangle");

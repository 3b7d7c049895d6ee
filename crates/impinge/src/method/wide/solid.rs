//! Down one tree, to the faces that a swept solid may touch.
//!
//! The extent of the solid along a direction is found for eight directions at a time: the axes of eight boxes, and the
//! normals of eight faces. Boxes lie flat on the surface, so their thin axis tells nearly all boxes apart that a tool beside
//! the surface does not touch.

use super::{Leaf, Link, Node, WideTree};
use crate::{
    Pose,
    method::{SolidScratch, hierarchy::FrameSolid, prepared::SolidVisitor},
    simd::{
        lanes_of, on,
        vector::{Vector, cross, dot, greatest, least, load, loads, minus, splat, splats},
    },
    solid::SweptSolid,
};
use fearless_simd::{f32x8, prelude::*};

/// A front has at most so many nodes. Testing more of them takes longer than starting from the root.
const LARGEST_FRONT: usize = 4;

impl WideTree {
    /// Visits the faces that a solid may touch; see
    /// [`Prepared::faces_near_solid`](crate::method::Prepared::faces_near_solid).
    #[inline(never)]
    pub(super) fn near_solid(
        &self,
        pose: &Pose,
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let solid = FrameSolid::new(&self.frame, pose, solid);
        scratch.stack.clear();
        if scratch.has_front {
            scratch.stack.extend_from_slice(&scratch.front);
        } else {
            // The first node has the root's box.
            scratch.stack.push(Link::node(0).0);
        }
        on!(self.lanes, simd => self.walk_solid(simd, &solid, &mut scratch.stack, visit));
    }

    /// Makes a front of the nodes near a solid: from the root down, level by level, as long as there are few.
    pub(super) fn front_of(&self, pose: &Pose, region: &SweptSolid, scratch: &mut SolidScratch) {
        scratch.has_front = true;
        let (front, next) = (&mut scratch.front, &mut scratch.stack);
        front.clear();
        if self.nodes.is_empty() {
            return;
        }
        let region = FrameSolid::new(&self.frame, pose, region);
        front.push(Link::node(0).0);
        loop {
            next.clear();
            let mut is_done = true;
            for &link in front.iter() {
                if Link(link).is_leaf() {
                    next.push(link);
                    continue;
                }
                is_done = false;
                let node = &self.nodes[Link(link).index()];
                let near = on!(self.lanes, simd => near_boxes(simd, node, &region));
                for lane in lanes_of(near) {
                    let below = node.links[lane as usize];
                    if below != Link::NONE {
                        next.push(below.0);
                    }
                }
            }
            if is_done || next.len() > LARGEST_FRONT {
                return;
            }
            std::mem::swap(front, next);
        }
    }

    #[inline(always)]
    fn walk_solid<S: Simd>(
        &self,
        simd: S,
        solid: &FrameSolid,
        stack: &mut Vec<u32>,
        visit: &mut SolidVisitor<'_>,
    ) {
        while let Some(link) = stack.pop() {
            let link = Link(link);
            if link.is_leaf() {
                let leaf = &self.leaves[link.index()];
                let faces = self.faces_of(leaf);
                for lane in lanes_of(near_faces(simd, leaf, solid)) {
                    if visit(faces[lane as usize]).is_break() {
                        return;
                    }
                }
                continue;
            }
            let node = &self.nodes[link.index()];
            for lane in lanes_of(near_boxes(simd, node, solid)) {
                let below = node.links[lane as usize];
                if below != Link::NONE {
                    stack.push(below.0);
                }
            }
        }
    }
}

/// How far the solid reaches from its origin, along eight directions and against them. `length` is the length of each
/// direction.
#[inline(always)]
fn extents<S: Simd>(
    simd: S,
    solid: &FrameSolid,
    direction: &Vector<S>,
    length: f32x8<S>,
) -> [f32x8<S>; 2] {
    let axis = splats(simd, solid.axis.to_array());
    let along = dot(direction, &axis);
    let sideways = cross(direction, &axis);
    let across = dot(&sideways, &sideways).sqrt();
    let lowest = splat(simd, f32::NEG_INFINITY);
    let (mut up, mut down) = (lowest, lowest);
    for [height, radius, rounding] in &solid.discs[..solid.len] {
        let round = across.mul_add(splat(simd, *radius), length * splat(simd, *rounding));
        let height = along * splat(simd, *height);
        up = up.max(round + height);
        down = down.max(round - height);
    }
    let travel = dot(direction, &splats(simd, solid.travel.to_array()));
    let zero = splat(simd, 0.0);
    [up + travel.max(zero), down + (zero - travel).max(zero)]
}

/// A bit for each of eight boxes that the solid may touch.
///
/// Along an axis u of a box with centre c and extent h, a common point p has `|u·(p − c)| ≤ h`. In `f32` the solid's origin
/// and axis, its measures and the products with u are each off by a few roundings, 2^−24 each, of the largest coordinate
/// that takes part: fewer than 40 in all, 2.4e-6. u is of unit length to 2e-7. The slack has 8e-6 of that coordinate.
#[inline(always)]
fn near_boxes<S: Simd>(simd: S, node: &Node, solid: &FrameSolid) -> u32 {
    let away = minus(&splats(simd, solid.origin.to_array()), &loads(simd, &node.center));
    let one = splat(simd, 1.0);
    let mut gap = splat(simd, f32::NEG_INFINITY);
    // The box seen along the solid's axis.
    let axis = splats(simd, solid.axis.to_array());
    let mut reach = splat(simd, 0.0);
    for (u, half) in node.axes.iter().zip(&node.half) {
        let (u, half) = (loads(simd, u), load(simd, half));
        let [up, down] = extents(simd, solid, &u, one);
        let middle = dot(&u, &away);
        gap = gap.max((middle - down).max(splat(simd, 0.0) - middle - up) - half);
        reach = half.mul_add(dot(&u, &axis).abs(), reach);
    }
    let [low, high] = solid.heights();
    let middle = dot(&axis, &away);
    let below = middle + splat(simd, low) - reach;
    let above = splat(simd, 0.0) - middle - splat(simd, high) - reach;
    gap = gap.max(below.max(above));
    // The box seen from the solid's axis: a long tool reaches far along every axis of a tilted box.
    let toward = toward_axis(simd, solid, &away);
    let length = dot(&toward, &toward).sqrt();
    let [up, down] = extents(simd, solid, &toward, length);
    let mut reach = splat(simd, 0.0);
    for (u, half) in node.axes.iter().zip(&node.half) {
        reach = load(simd, half).mul_add(dot(&loads(simd, u), &toward).abs(), reach);
    }
    let middle = dot(&toward, &away);
    let beside = (middle - down).max(splat(simd, 0.0) - middle - up) - reach;
    // A direction too short to be squared proves nothing: its gap is divided by more than its length.
    gap = gap.max(beside / length.max(splat(simd, SHORTEST)));
    // What is not a number proves nothing.
    !(gap.simd_gt(splat(simd, solid.slack)).to_bitmask() as u32) & 0xff
}

/// A bit for each face of a leaf that the solid may touch: those that it is not beside, as seen along their plane.
///
/// The errors are those of boxes, relative to the length of the normal. Any vector serves as a direction, however roughly
/// it is the normal; but its squares must not underflow.
#[inline(always)]
fn near_faces<S: Simd>(simd: S, leaf: &Leaf, solid: &FrameSolid) -> u32 {
    let here = minus(&splats(simd, solid.origin.to_array()), &splats(simd, leaf.center));
    let [a, b, c] = [
        minus(&loads(simd, &leaf.corners[0]), &here),
        minus(&loads(simd, &leaf.corners[1]), &here),
        minus(&loads(simd, &leaf.corners[2]), &here),
    ];
    let normal = cross(&minus(&b, &a), &minus(&c, &a));
    let length_sq = dot(&normal, &normal);
    let length = length_sq.sqrt();
    let [up, down] = extents(simd, solid, &normal, length);
    let (p, q, r) = (dot(&normal, &a), dot(&normal, &b), dot(&normal, &c));
    let gap = (least(p, q, r) - up).max(splat(simd, 0.0) - greatest(p, q, r) - down);
    let is_apart = gap.simd_gt(length * splat(simd, solid.slack))
        & length_sq.simd_gt(splat(simd, SHORTEST_SQ));
    // The same as seen from the solid's axis.
    let third = splat(simd, -1.0 / 3.0);
    let middle =
        [(a[0] + b[0] + c[0]) * third, (a[1] + b[1] + c[1]) * third, (a[2] + b[2] + c[2]) * third];
    let toward = toward_axis(simd, solid, &middle);
    let length = dot(&toward, &toward).sqrt();
    let [up, down] = extents(simd, solid, &toward, length);
    let (p, q, r) = (dot(&toward, &a), dot(&toward, &b), dot(&toward, &c));
    let gap = (least(p, q, r) - up).max(splat(simd, 0.0) - greatest(p, q, r) - down);
    let is_beside =
        gap.simd_gt(length * splat(simd, solid.slack)) & length.simd_gt(splat(simd, SHORTEST));
    // And along the axis itself.
    let axis = splats(simd, solid.axis.to_array());
    let (p, q, r) = (dot(&axis, &a), dot(&axis, &b), dot(&axis, &c));
    let [low, high] = solid.heights();
    let gap = (splat(simd, low) - greatest(p, q, r)).max(least(p, q, r) - splat(simd, high));
    let is_below_or_above = gap.simd_gt(splat(simd, solid.slack));
    !((is_apart | is_beside | is_below_or_above).to_bitmask() as u32) & leaf.mask()
}

/// The directions from eight points to the places of the swept axis, between the lowest and the highest disc, that are about
/// closest to them. `away` points from the points to the solid's origin.
#[inline(always)]
fn toward_axis<S: Simd>(simd: S, solid: &FrameSolid, away: &Vector<S>) -> Vector<S> {
    let axis = splats(simd, solid.axis.to_array());
    let travel = splats(simd, solid.travel.to_array());
    // The place of the sweep that is closest as seen along the axis.
    let sideways = solid.travel - solid.axis * solid.axis.dot(solid.travel);
    let whole = sideways.length_squared().max(SHORTEST_SQ);
    let share = dot(away, &splats(simd, sideways.to_array())) * splat(simd, -1.0 / whole);
    let share = share.max(splat(simd, 0.0)).min(splat(simd, 1.0));
    let place = [
        travel[0].mul_add(share, away[0]),
        travel[1].mul_add(share, away[1]),
        travel[2].mul_add(share, away[2]),
    ];
    let [low, high] = solid.axis_heights();
    let height = splat(simd, 0.0) - dot(&place, &axis);
    let height = height.max(splat(simd, low)).min(splat(simd, high));
    [
        axis[0].mul_add(height, place[0]),
        axis[1].mul_add(height, place[1]),
        axis[2].mul_add(height, place[2]),
    ]
}

/// Shorter directions are not used: their squares may underflow.
const SHORTEST: f32 = 1e-15;
const SHORTEST_SQ: f32 = 1e-30;

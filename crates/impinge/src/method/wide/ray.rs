//! Down one tree, to the faces that a ray may meet.
//!
//! The piece of the ray that is within reach of the mesh is taken to the tree's own frame, where it is a segment of
//! ordinary size, however far away the ray starts. It is compared with eight boxes, and with eight triangles, at a
//! time. Whatever remains goes to the exact test of [`narrow`](crate::narrow), so all that counts is that no face is
//! left out that the ray meets.
//!
//! # From the world to the frame
//!
//! Let o and d be the ray's origin and direction, x a point of the mesh and X where rounding puts it,
//! `X = R x + T + e`, and w the true place of the frame's centre, which rounding moves by as much. The map
//! `P ↦ R⁻¹ (P − w) / s` takes X to x in the frame, but for R⁻¹e / s, and the ray to a ray `o' + t d'`. Parameters are
//! the same before and after.
//!
//! In each coordinate, o' and x are off by less than 4 roundings of placement over s. An entry of an inverse of what
//! is nearly a rotation is off by 32 roundings of 1, and a product with it adds four (see `relative_pose.rs`); with three
//! entries a row that is 54 ε of the largest coordinate of o − w, at most 95 ε of |o'|, where |·| is the largest
//! magnitude of a coordinate and ε is 2^−52. A few more are for the difference itself. `t d'` is off by as much of
//! `|t d'|`, which is at most |o'| + 1.5 as long as the ray is within 1.5 of the centre. Together that is less than
//! 512 ε (|o'| + 2) with room for the roundings of start and way below.
//!
//! So the slack is `4 · rounding / s + 512 ε (|o'| + 2)`. The mesh lies within ±1, and with a slack of up to a quarter
//! all common points are within 1.5, to which the ray is cut: from the start at `from` on, over a way that takes
//! `length`. Where the slack is larger, nothing is decided: then every face is a candidate.

use super::{Leaf, Link, Node, WIDTH, WideTree, relative_pose::BodyFrame};
use crate::{
    Pose, Ray,
    method::PointScratch,
    simd::{
        Eight, lanes_of, on,
        vector::{dot, greatest, least, load, loads, minus, splat, splats},
    },
};
use fearless_simd::prelude::*;
use glam::DVec3;

/// The part of a ray inside the cube that encloses the mesh.
pub(super) enum FrameRay {
    /// Nothing: it meets no face.
    Misses,
    /// Too far away, or too large or small, to tell.
    Unknown,
    Within(FrameSegment),
}

/// The piece of a ray that is within reach of a mesh, in the frame of its tree.
///
/// Its points are `start + τ way` with τ from 0 to 1, and its parameters in the world `(from + τ length) / unit`.
pub(super) struct FrameSegment {
    start: DVec3,
    way: DVec3,
    /// Two unit vectors that are at right angles to the way and to each other.
    across: [DVec3; 2],
    from: f64,
    length: f64,
    /// What a parameter in the world is multiplied by: a power of two.
    unit: f64,
    /// How far along any axis of the frame the truth may be from what is computed in `f64`.
    slack: f64,
    /// What is added to the extents of boxes.
    box_slack: f32,
}

/// All common points are within this much of the frame's centre along each axis.
const REACH: f64 = 1.5;

/// How far τ may be off where it is computed in `f32`: a product and two quotients, all at most about 1.
const TAU_SLACK: f32 = 1e-6;

impl FrameRay {
    pub(super) fn new(frame: &BodyFrame, pose: &Pose, ray: &Ray) -> Self {
        // A direction of ordinary length, by a power of two that takes nothing away.
        let largest = ray.direction().abs().max_element();
        let exponent = ((largest.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000);
        let unit = f64::from_bits(((1023 + exponent) as u64) << 52);
        let direction = ray.direction() * unit.recip();

        let inverse = pose.rotation().inverse();
        let origin = inverse * (ray.origin() - pose.place(frame.center)) / frame.scale;
        let step = inverse * direction / frame.scale;
        let rounding = pose.rounding(frame.reach) / frame.scale;
        let slack = 4.0 * rounding + 512.0 * f64::EPSILON * (origin.abs().max_element() + 2.0);
        let is_sound = slack < 0.25 && origin.is_finite() && step.is_finite();
        if !is_sound {
            return Self::Unknown;
        }

        // Where the ray enters and leaves the cube. A quotient that is not a number, from a ray within a side's
        // plane, is passed over by `max` and `min`.
        let inverse_step = step.recip();
        let (low, high) = ((-REACH - origin) * inverse_step, (REACH - origin) * inverse_step);
        let (enter, leave) = (low.min(high), low.max(high));
        let from = enter.x.max(enter.y).max(enter.z).max(0.0);
        let to = leave.x.min(leave.y).min(leave.z).min(ray.t_max() * unit);
        if from > to {
            return Self::Misses;
        }
        let length = to - from;
        let (start, way) = (origin + step * from, step * length);
        let along = step.normalize_or_zero();
        let is_sound = start.is_finite() && way.is_finite() && along != DVec3::ZERO;
        if !is_sound {
            return Self::Unknown;
        }
        // See `FrameSegment::boxes`.
        let box_slack = (1.75 * slack + 4e-6 * (1.0 + frame.centers)) * 1.000_001;
        Self::Within(FrameSegment {
            start,
            way,
            across: across(along),
            from,
            length,
            unit,
            slack,
            box_slack: box_slack as f32,
        })
    }
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
        segment: &FrameSegment,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        on!(self.lanes, simd => self.walk_along(simd, segment, scratch, visit));
    }

    #[inline(always)]
    fn walk_along<S: Simd>(
        &self,
        simd: S,
        segment: &FrameSegment,
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
                    limit = segment.tau_of(t);
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

impl FrameSegment {
    /// A τ beyond which lie only faces with parameters above a given one, also as computed.
    ///
    /// Parameters are computed to a relative 1e-12, both the given one and those of other faces.
    fn tau_of(&self, t: f64) -> f64 {
        let tau = (t * self.unit * (1.0 + 1e-11) - self.from) / self.length;
        // Not a number for a segment that is a point.
        if tau.is_nan() { f64::INFINITY } else { tau + 2.0 * f64::from(TAU_SLACK) }
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
        let start = splats(simd, self.start.as_vec3().to_array());
        let way = splats(simd, self.way.as_vec3().to_array());
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
        let tau = (center - self.start).dot(self.way) / self.way.length_squared();
        let tau = if tau > 0.0 { tau.min(1.0) } else { 0.0 };
        let origin = self.start + self.way * tau - center;
        let reach = 1.000_001 * (f64::from(leaf.reach()) + origin.abs().max_element());
        let error = 1.75 * self.slack + 1e-6 * reach;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Mesh,
        generate::Random,
        method::{Prepared, wide::tests::each_placed_tree},
        narrow::ray_hit,
    };

    /// Aimed at corners, edges and faces of the placed mesh, or just anywhere; from inside, beside and far away.
    fn random_ray(mesh: &Mesh, pose: &Pose, random: &mut Random) -> Ray {
        let face = random.below(mesh.faces().len() as u64) as u32;
        let [a, b, c] = pose.place_triangle(mesh.triangle(face));
        let target = match random.below(4) {
            0 => a,
            1 => a.lerp(b, random.unit()),
            2 => a.lerp(b, random.unit()).lerp(c, random.unit()),
            _ => pose.translation() + random.direction(),
        };
        let size = (mesh.bounds().size()).length();
        let away = [0.3, 2.0, 100.0, 1e7][random.below(4) as usize] * size;
        let origin = target + random.direction() * away;
        let length = [1.0, 1e-3, 1e-300, 1e200][random.below(4) as usize];
        let direction = if random.below(8) == 0 { DVec3::X } else { target - origin };
        let direction = direction.normalize() * length;
        let ray = Ray::new(origin, direction).unwrap();
        if random.below(3) > 0 { ray } else { ray.up_to(1.5 * away / length).unwrap() }
    }

    #[test]
    fn a_ray_misses_no_face() {
        let (mut hits, mut visits, mut all) = (0, 0, 0);
        each_placed_tree(|mesh, tree, pose, random, place| {
            let ray = random_ray(mesh, pose, random);
            let mut is_visited = vec![false; mesh.faces().len()];
            tree.faces_along_ray((mesh, pose), &ray, &mut PointScratch::default(), &mut |face| {
                assert!(!is_visited[face as usize], "{place}: face {face} is visited twice");
                is_visited[face as usize] = true;
                visits += 1;
                f64::INFINITY
            });
            for (face, triangle) in mesh.triangles().enumerate() {
                if ray_hit(&ray, &pose.place_triangle(triangle)).is_some() {
                    assert!(is_visited[face], "{place}: face {face} is missed by {ray:?}");
                    hits += 1;
                }
            }
            all += mesh.faces().len();
        });
        assert!(hits > 2_000, "only {hits} faces are hit");
        assert!(visits * 10 < all, "{visits} of {all} faces were visited");
    }

    /// With a limit that shrinks, the first hit is found, and so is every face with the same parameter.
    #[test]
    fn the_first_hit_is_never_pruned() {
        let (mut visits, mut rays) = (0, 0);
        each_placed_tree(|mesh, tree, pose, random, place| {
            let ray = random_ray(mesh, pose, random);
            let hit = |triangle| ray_hit(&ray, &pose.place_triangle(triangle));
            let hits: Vec<Option<f64>> = mesh.triangles().map(hit).collect();
            let first = hits.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let (mut is_visited, mut limit) = (vec![false; hits.len()], f64::INFINITY);
            tree.faces_along_ray((mesh, pose), &ray, &mut PointScratch::default(), &mut |face| {
                is_visited[face as usize] = true;
                visits += 1;
                limit = limit.min(hits[face as usize].unwrap_or(f64::INFINITY));
                limit
            });
            rays += 1;
            for (face, t) in hits.iter().enumerate() {
                assert!(*t != Some(first) || is_visited[face], "{place}: face {face}, {ray:?}");
            }
        });
        assert!(visits < 40 * rays, "{visits} faces visited by {rays} rays");
    }

    /// From so far away that nothing can be told in `f64`, all faces are candidates.
    #[test]
    fn rays_out_of_reach_are_left_to_the_exact_test() {
        let mesh = crate::generate::sphere(48).unwrap();
        let tree = WideTree::build(&mesh, crate::WideOptions::default());
        let visits = |origin: DVec3, direction: DVec3| {
            let (ray, mut visits) = (Ray::new(origin, direction).unwrap(), 0);
            let body = (&mesh, &Pose::IDENTITY);
            tree.faces_along_ray(body, &ray, &mut PointScratch::default(), &mut |_| {
                visits += 1;
                f64::INFINITY
            });
            visits
        };
        assert_eq!(visits(DVec3::X * 1e300, DVec3::NEG_X), 48);
        assert_eq!(visits(DVec3::X * f64::MAX, DVec3::NEG_X), 48);
        assert!(visits(DVec3::X * 3.0, DVec3::NEG_X * f64::from_bits(1)) < 30);
        assert!(visits(DVec3::X * 3.0, DVec3::new(-f64::MAX, f64::from_bits(1), 0.0)) < 30);
        assert_eq!(visits(DVec3::X * 3.0, DVec3::X), 0);
    }
}

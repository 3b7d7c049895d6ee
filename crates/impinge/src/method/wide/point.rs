//! Down one tree, to the faces that are close to a point.
//!
//! A lower bound of the distance is found for eight boxes, and for eight faces, at a time. The caller measures the
//! faces that are left, and says how close others must be to be of interest.

use super::{Leaf, Link, Node, WideTree};
use crate::{
    Pose,
    method::PointScratch,
    simd::{
        Eight, on,
        vector::{Vector, cross, dot, least, load, loads, minus, splat, splats},
    },
};
use fearless_simd::{f32x8, prelude::*};
use glam::DVec3;

/// Where a point is in a tree's frame, and what a distance there is in the world.
struct Spot {
    point: [f32; 3],
    unit: f64,
    slack: f64,
}

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
        let spot = self.spot(pose, point);
        on!(self.lanes, simd => self.walk_near(simd, &spot, scratch, visit));
    }

    #[inline(always)]
    fn walk_near<S: Simd>(
        &self,
        simd: S,
        spot: &Spot,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let Some(root) = self.nodes.first() else { return };
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
                let gaps: Eight = spot.gaps_to_faces(simd, leaf).into();
                let begin = stack.len();
                for (face, gap) in self.faces_of(leaf).iter().zip(gaps) {
                    let bound = spot.distance(gap);
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
            let gaps: Eight = spot.gaps_to_boxes(simd, node).into();
            let begin = stack.len();
            for (below, gap) in node.links.iter().zip(gaps) {
                if *below == Link::NONE {
                    break;
                }
                let bound = spot.distance(gap);
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

    /// Let P be the point, x a point of the mesh and X where rounding puts it: `X = R x + t + e`, and w
    /// the true place of the frame's centre c. With `y = c + R⁻¹ (P − w)`, `P − X = R (y − x) − e`, and R
    /// shortens no vector by more than 1.5e-6. So a distance from y in the mesh's own coordinates is one
    /// in the world but for e, what is lost in computing w and y, and what is lost in single precision:
    /// see [`Spot::gaps_to_boxes`].
    fn spot(&self, pose: &Pose, point: DVec3) -> Spot {
        let unit = self.body_frame.scale;
        let away = point - pose.place(self.body_frame.center);
        let here = pose.rotation().inverse() * away / unit;
        // As in `relative_pose.rs`: an inverse is off by 32 roundings of 1 in each entry, a product with it
        // by four more; twice over, and along three axes. Vertices and the centre are moved by rounding.
        let computing = 256.0 * f64::EPSILON * away.abs().max_element();
        let placing = 4.0 * pose.rounding(self.body_frame.reach);
        let slack = (computing + placing) / unit + 4e-6 * (here.abs().max_element() + 2.0);
        Spot { point: here.as_vec3().to_array(), unit, slack }
    }
}

impl Spot {
    /// How far something is in the world at least, if that is how far it is in the frame as computed.
    #[inline(always)]
    fn distance(&self, gap: f32) -> f64 {
        let bound = (f64::from(gap) * (1.0 - 4e-5) - self.slack) * self.unit;
        // What is not a number proves nothing.
        if bound > 0.0 && bound.is_finite() { bound } else { 0.0 }
    }

    /// How far eight boxes are, to within the slack.
    ///
    /// A point of a box has `|u·(p − c)| ≤ h` along each of its axes, which are orthonormal to 4e-7,
    /// so that the gaps along them add up as the sides of a box do. The point and a box's centre are
    /// off by 2^−24 of their size, and a product with an axis takes five roundings: a dozen of 6e-8 of
    /// what is at most √3 times the point's largest coordinate and that of the centre, 1. The slack
    /// has 4e-6.
    #[inline(always)]
    fn gaps_to_boxes<S: Simd>(&self, simd: S, node: &Node) -> f32x8<S> {
        let away = minus(&splats(simd, self.point), &loads(simd, &node.center));
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
    fn gaps_to_faces<S: Simd>(&self, simd: S, leaf: &Leaf) -> f32x8<S> {
        let here = minus(&splats(simd, self.point), &splats(simd, leaf.center));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{method::wide::tests::each_placed_tree, narrow::closest_to_point};

    /// The faces in the order in which they are visited, with limits that shrink to the least distance so far.
    fn visited(tree: &WideTree, pose: &Pose, point: DVec3, distances: &[f64]) -> Vec<u32> {
        let (mut faces, mut least) = (Vec::new(), f64::INFINITY);
        tree.near_point(pose, point, &mut PointScratch::default(), &mut |face| {
            faces.push(face);
            least = least.min(distances[face as usize]);
            least
        });
        faces
    }

    #[test]
    fn the_closest_faces_are_visited_and_few_others() {
        let (mut visits, mut all) = (0, 0);
        each_placed_tree(|mesh, tree, pose, random, place| {
            let reach = [0.1, 1.5, 30.0][random.below(3) as usize];
            let point = pose.translation() + random.direction() * random.range(0.0, reach);
            let distance =
                |triangle| closest_to_point(&pose.place_triangle(triangle), point).distance;
            let distances: Vec<f64> = mesh.triangles().map(distance).collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let faces = visited(tree, pose, point, &distances);
            for (face, &distance) in (0..).zip(&distances) {
                assert!(
                    distance > least || faces.contains(&face),
                    "{place}: face {face} is missed"
                );
            }
            visits += faces.len();
            all += distances.len();
        });
        assert!(visits * 4 < all, "{visits} of {all} faces were visited");
    }

    #[test]
    fn all_faces_within_a_distance_are_visited() {
        each_placed_tree(|mesh, tree, pose, random, place| {
            let point = pose.translation() + random.direction() * random.range(0.0, 1.5);
            let limit = random.range(0.0, 0.5);
            let mut is_visited = vec![false; mesh.faces().len()];
            tree.near_point(pose, point, &mut PointScratch::default(), &mut |face| {
                is_visited[face as usize] = true;
                limit
            });
            for (triangle, is_visited) in mesh.triangles().zip(is_visited) {
                let distance = closest_to_point(&pose.place_triangle(triangle), point).distance;
                assert!(distance > limit || is_visited, "{place}");
            }
        });
    }

    #[test]
    fn a_negative_limit_ends_the_search() {
        each_placed_tree(|_, tree, pose, _, place| {
            let mut visits = 0;
            tree.near_point(pose, pose.translation(), &mut PointScratch::default(), &mut |_| {
                visits += 1;
                -1.0
            });
            assert_eq!(visits, 1, "{place}");
        });
    }
}

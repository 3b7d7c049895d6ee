//! Down one tree, to the face that is closest to a point.

use super::{Link, Node, WIDTH, WideTree};
use crate::{Mesh, Pose, narrow::nearest_point};
use glam::DVec3;

/// The point of a mesh that is closest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    pub(crate) distance: f64,
    pub(crate) point: DVec3,
    pub(crate) face: u32,
}

/// What is yet to be looked into, each with a lower bound of its distance.
pub(crate) type PointStack = Vec<(f64, u32)>;

/// Where a point is in a tree's frame, and what a distance there is in the world.
struct Spot {
    point: [f32; 3],
    unit: f64,
    slack: f64,
}

impl WideTree {
    /// The point of the placed mesh that is closest to a point, unless it is within `floor` of it.
    pub(in crate::mid) fn nearest_beyond(
        &self,
        mesh: &Mesh,
        pose: &Pose,
        point: DVec3,
        floor: f64,
        stack: &mut PointStack,
    ) -> Option<Nearest> {
        stack.clear();
        let root = self.nodes.first()?.links[0];
        stack.push((0.0, root.0));
        let spot = self.spot(pose, point);
        let mut best: Option<Nearest> = None;
        while let Some((bound, link)) = stack.pop() {
            if best.is_some_and(|best| bound >= best.distance) {
                continue;
            }
            let link = Link(link);
            if link.is_leaf() {
                for &face in self.faces_of(&self.leaves[link.index()]) {
                    let triangle = mesh.triangle(face).map(|corner| pose.place(corner));
                    let nearest = nearest_point(&triangle, point);
                    let distance = nearest.distance(point);
                    // Of several that are as close, the first.
                    let is_better = best.is_none_or(|best| {
                        distance < best.distance || (distance == best.distance && face < best.face)
                    });
                    if is_better {
                        if distance <= floor {
                            return None;
                        }
                        best = Some(Nearest { distance, point: nearest, face });
                    }
                }
                continue;
            }
            let node = &self.nodes[link.index()];
            let bounds = spot.bounds(node);
            let begin = stack.len();
            for (below, bound) in node.links.iter().zip(bounds) {
                if *below == Link::NONE {
                    break;
                }
                stack.push((bound, below.0));
            }
            // The closest last, and so looked at first.
            stack[begin..].sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
        }
        best
    }

    /// Let P be the point, x a point of the mesh and X where rounding puts it: `X = R x + t + e`. With
    /// `y = R⁻¹ (P − t)`, `P − X = R (y − x) − e`, and R shortens no vector by more than 1.5e-6. So a
    /// distance from y in the mesh's own coordinates is one in the world but for e, what is lost in
    /// computing y, and what is lost in single precision: see [`Spot::bounds`].
    fn spot(&self, pose: &Pose, point: DVec3) -> Spot {
        let away = point - pose.translation();
        let here = self.frame.normalized(pose.rotation().inverse() * away);
        let unit = self.frame.unit();
        // As in `stance.rs`: an inverse is off by 32 roundings of 1 in each entry, a product with it
        // by four more; twice over, and along three axes.
        let computing = 256.0 * f64::EPSILON * away.abs().max_element();
        let placing = 4.0 * self.frame.rounding(pose);
        let slack = (computing + placing) / unit + 4e-6 * (here.abs().max_element() + 2.0);
        Spot { point: [here.x as f32, here.y as f32, here.z as f32], unit, slack }
    }
}

impl Spot {
    /// How far eight boxes are at least.
    ///
    /// A point of a box has `|u·(p − c)| ≤ h` along each of its axes, which are orthonormal to 4e-7,
    /// so that the gaps along them add up as the sides of a box do. The point and a box's centre are
    /// off by 2^−24 of their size, and a product with an axis takes five roundings: a dozen of 6e-8 of
    /// what is at most √3 times the point's largest coordinate and that of the centre, 1. The slack
    /// has 4e-6.
    fn bounds(&self, node: &Node) -> [f64; WIDTH] {
        let [x, y, z] = self.point;
        let mut sum = [0.0f32; WIDTH];
        for (axis, half) in node.axes.iter().zip(&node.half) {
            for lane in 0..WIDTH {
                let along = (x - node.center[0][lane]) * axis[0][lane]
                    + (y - node.center[1][lane]) * axis[1][lane]
                    + (z - node.center[2][lane]) * axis[2][lane];
                let gap = (along.abs() - half[lane]).max(0.0);
                sum[lane] += gap * gap;
            }
        }
        sum.map(|sum| {
            let gap = f64::from(sum.sqrt()) * (1.0 - 4e-5) - self.slack;
            let bound = gap * self.unit;
            // What is not a number proves nothing.
            if bound > 0.0 && bound.is_finite() { bound } else { 0.0 }
        })
    }
}

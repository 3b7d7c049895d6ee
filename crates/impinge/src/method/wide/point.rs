//! Down one tree, to the face that is closest to a point, and to those that a ray from it may meet.

use super::{Link, Node, WIDTH, WideTree};
use crate::{
    Mesh, Pose,
    method::{NearestPoint, PointScratch},
};
use glam::DVec3;

/// Where a point is in a tree's frame, and what a distance there is in the world.
struct Spot {
    point: [f32; 3],
    unit: f64,
    slack: f64,
}

impl WideTree {
    /// The point of the placed mesh that is closest to a point, unless it is within `floor` of it.
    pub(in crate::method) fn nearest_beyond(
        &self,
        (mesh, pose): (&Mesh, &Pose),
        point: DVec3,
        floor: f64,
        scratch: &mut PointScratch,
    ) -> Option<NearestPoint> {
        let stack = &mut scratch.stack;
        stack.clear();
        let root = self.nodes.first()?.links[0];
        stack.push((0.0, root.0));
        let spot = self.spot(pose, point);
        let mut best: Option<NearestPoint> = None;
        while let Some((bound, link)) = stack.pop() {
            if best.is_some_and(|best| bound >= best.distance) {
                continue;
            }
            let link = Link(link);
            if link.is_leaf() {
                for &face in self.faces_of(&self.leaves[link.index()]) {
                    let nearest = NearestPoint::of_face((mesh, pose), face, point);
                    // Of several that are equally close, the first.
                    let is_better = best
                        .is_none_or(|best| (nearest.distance, face) < (best.distance, best.face));
                    if is_better {
                        if nearest.distance <= floor {
                            return None;
                        }
                        best = Some(nearest);
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

    /// Visits all faces of the placed mesh that are within a distance of a point.
    pub(in crate::method) fn within(
        &self,
        (mesh, pose): (&Mesh, &Pose),
        point: DVec3,
        distance: f64,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32),
    ) {
        let spot = self.spot(pose, point);
        let is_near = |node: &Node| spot.bounds(node).map(|bound| bound <= distance);
        self.descend(scratch, is_near, &mut |face| {
            if NearestPoint::of_face((mesh, pose), face, point).distance <= distance {
                visit(face);
            }
        });
    }

    /// Visits all faces that the placed point sees in the direction of the world's x axis, within a
    /// distance; and some more.
    pub(in crate::method) fn along_x(
        &self,
        pose: &Pose,
        point: DVec3,
        distance: f64,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32),
    ) {
        let spot = self.spot(pose, point);
        let way = pose.rotation().inverse() * DVec3::X * (0.5 * distance / spot.unit);
        let way = [way.x as f32, way.y as f32, way.z as f32];
        self.descend(scratch, |node| spot.may_meet(node, way), visit);
    }

    /// Visits the faces below all children that are of interest.
    fn descend(
        &self,
        scratch: &mut PointScratch,
        is_wanted: impl Fn(&Node) -> [bool; WIDTH],
        visit: &mut dyn FnMut(u32),
    ) {
        let stack = &mut scratch.stack;
        stack.clear();
        stack.extend(self.nodes.first().map(|root| (0.0, root.links[0].0)));
        while let Some((_, link)) = stack.pop() {
            let link = Link(link);
            if link.is_leaf() {
                self.faces_of(&self.leaves[link.index()]).iter().copied().for_each(&mut *visit);
                continue;
            }
            let node = &self.nodes[link.index()];
            let below = node.links.iter().zip(is_wanted(node));
            let below = below.take_while(|&(&link, _)| link != Link::NONE);
            stack.extend(below.filter(|&(_, is_wanted)| is_wanted).map(|(link, _)| (0.0, link.0)));
        }
    }

    /// Let P be the point, x a point of the mesh and X where rounding puts it: `X = R x + t + e`. With
    /// `y = R⁻¹ (P − t)`, `P − X = R (y − x) − e`, and R shortens no vector by more than 1.5e-6. So a
    /// distance from y in the mesh's own coordinates is one in the world but for e, what is lost in
    /// computing y, and what is lost in single precision: see [`Spot::bounds`].
    fn spot(&self, pose: &Pose, point: DVec3) -> Spot {
        let away = point - pose.translation();
        let here = self.frame.normalized(pose.rotation().inverse() * away);
        let unit = self.frame.unit();
        // As in `relative_pose.rs`: an inverse is off by 32 roundings of 1 in each entry, a product with it
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

    /// Whether the segment from the point on, twice as long as a way, may meet each of eight boxes.
    ///
    /// Let m be the middle of the segment and w half of it, seen along the axes of a box. Where they
    /// share a point, `|mi| ≤ hi + |wi|` and `|mi wj − mj wi| ≤ hi |wj| + hj |wi|`. In what is computed m and w are
    /// off by a few roundings of 6e-8 of the sizes of point, centre and w, and the products by as much of
    /// |m| |w|, where |m| is at most the sum of these sizes. The slack has 4e-6 of point and centre; of w
    /// 2e-6 are added.
    fn may_meet(&self, node: &Node, way: [f32; 3]) -> [bool; WIDTH] {
        let long = way[0].abs() + way[1].abs() + way[2].abs();
        let slack = self.slack as f32 * 1.000_001 + 2e-6 * long;
        let middle = [self.point[0] + way[0], self.point[1] + way[1], self.point[2] + way[2]];
        let (mut m, mut w) = ([[0.0f32; WIDTH]; 3], [[0.0f32; WIDTH]; 3]);
        for (k, axis) in node.axes.iter().enumerate() {
            for lane in 0..WIDTH {
                let along = |v: [f32; 3]| {
                    v[0] * axis[0][lane] + v[1] * axis[1][lane] + v[2] * axis[2][lane]
                };
                let center = [node.center[0][lane], node.center[1][lane], node.center[2][lane]];
                m[k][lane] =
                    along([middle[0] - center[0], middle[1] - center[1], middle[2] - center[2]]);
                w[k][lane] = along(way);
            }
        }
        let mut is_apart = [false; WIDTH];
        for lane in 0..WIDTH {
            for i in 0..3 {
                let j = (i + 1) % 3;
                let (hi, hj) = (node.half[i][lane] + slack, node.half[j][lane] + slack);
                let (wi, wj) = (w[i][lane].abs(), w[j][lane].abs());
                let turn = (m[i][lane] * w[j][lane] - m[j][lane] * w[i][lane]).abs();
                is_apart[lane] |= m[i][lane].abs() > hi + wi;
                is_apart[lane] |= turn > hi * wj + hj * wi + 4.0 * slack * long;
            }
        }
        is_apart.map(|is_apart| !is_apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        WideOptions,
        generate::{self, Random},
        narrow::{nearest_point, triangles_intersect},
    };

    /// Meshes, poses and points, close and far, in places where rounding shows.
    fn each_case(mut act: impl FnMut(&Mesh, &WideTree, &Pose, DVec3, &str)) {
        let meshes = [
            generate::sphere(960).expect("an even number"),
            generate::torus(1.0, 0.3, [40, 16]).expect("a torus"),
            generate::cuboid(DVec3::new(9.0, 0.1, 2.0)).expect("a size"),
            generate::bsp_tetrahedra(3, 50).expect("a few"),
        ];
        for (number, mesh) in meshes.iter().enumerate() {
            let tree = WideTree::build(mesh, WideOptions::default());
            let mut random = Random::new(number as u64);
            for case in 0..400 {
                let far = [0.0, 1.0, 1e3, 1e9][case % 4];
                let pose = Pose::new(random.rotation(), random.direction() * far).expect("a pose");
                let reach = [0.1, 1.5, 30.0][case % 3];
                let point = pose.translation() + random.direction() * random.range(0.0, reach);
                act(mesh, &tree, &pose, point, &format!("mesh {number}, case {case}"));
            }
        }
    }

    #[test]
    fn the_nearest_face_is_that_of_all_faces() {
        let mut scratch = PointScratch::default();
        each_case(|mesh, tree, pose, point, place| {
            let distance_of = |face| {
                let triangle = mesh.triangle(face).map(|corner| pose.place(corner));
                nearest_point(&triangle, point).distance(point)
            };
            let faces = 0..mesh.faces().len() as u32;
            let least = faces.map(distance_of).fold(f64::INFINITY, f64::min);
            let found = tree.nearest_beyond((mesh, pose), point, -1.0, &mut scratch);
            assert_eq!(found.map(|found| found.distance), Some(least), "{place}");
            let beyond = tree.nearest_beyond((mesh, pose), point, least, &mut scratch);
            assert_eq!(beyond, None, "{place}");
        });
    }

    #[test]
    fn a_ray_misses_no_face() {
        let (mut scratch, mut met) = (PointScratch::default(), 0);
        each_case(|mesh, tree, pose, point, place| {
            let mut visited = vec![false; mesh.faces().len()];
            let distance = 40.0;
            tree.along_x(pose, point, distance, &mut scratch, &mut |face| {
                visited[face as usize] = true
            });
            let end = point + DVec3::X * distance;
            for face in 0..mesh.faces().len() as u32 {
                let triangle = mesh.triangle(face).map(|corner| pose.place(corner));
                if triangles_intersect(&triangle, &[point, end, end]) {
                    assert!(visited[face as usize], "{place}: face {face} was missed");
                    met += 1;
                }
            }
        });
        assert!(met > 500, "only {met} faces are met");
    }
}

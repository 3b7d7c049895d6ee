//! The nearest-pair traversal of two trees: branch and bound, the closest pair of nodes first.
//!
//! Called through [`NearestWalk`] by distance queries; relies on lower bounds of the distance
//! between volumes.

use super::{Scratch, TreePair};
use crate::{
    method::{
        NearestFaces,
        hierarchy::{NearestWalk, Walk},
    },
    volume::BoundingVolume,
};

/// Pairs of nodes still to visit, each with a lower bound of its distance. Kept from query to
/// query, so that a warm query allocates nothing.
pub(super) type NearStack = Vec<(f64, [u32; 2])>;

impl<V: BoundingVolume> NearestWalk for TreePair<'_, V> {
    type Scratch = Scratch<V>;

    fn walk_nearest(
        &self,
        scratch: &mut Scratch<V>,
        nearest: &mut NearestFaces,
        visit: &mut dyn FnMut(&mut NearestFaces, [&[u32]; 2]),
    ) {
        self.reset(scratch);
        let Scratch { near: stack, placed, counts, .. } = scratch;
        stack.clear();
        let (nodes_a, nodes_b) = (&self.a.nodes, &self.b.nodes);
        // Let g be the vector in the world between a point of one body and a point of the other. In
        // this frame it is Rᵀg / scale, up to the slack that the placed volume contains (see
        // `Relative::new`, where g is zero), and Rᵀ lengthens no vector by more than 1.5e-6.
        let unit = self.a.frame.unit() * (1.0 - 4e-6);
        let mut bound = |[i, j]: [u32; 2]| {
            counts.volume_tests += 1;
            let placed = placed.get(j, self);
            nodes_a[i as usize].volume.distance_below(&placed) * unit
        };
        let mut face_tests = 0;
        stack.extend(self.roots().map(|pair| (bound(pair), pair)));
        while let Some((at_least, pair)) = stack.pop() {
            if nearest.can_skip(at_least) {
                continue;
            }
            let Some(children) = self.children(pair) else {
                let [a, b] = [&nodes_a[pair[0] as usize], &nodes_b[pair[1] as usize]];
                face_tests += u64::from(a.count) * u64::from(b.count);
                visit(nearest, [self.a.faces_of(a), self.b.faces_of(b)]);
                continue;
            };
            let [first, second] = children.map(|pair| (bound(pair), pair));
            // The closer pair is visited first: it is likely to prune the other.
            stack.extend(if first.0 <= second.0 { [second, first] } else { [first, second] });
        }
        counts.face_tests = face_tests;
        counts.placed = placed.count();
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Bounds, Pose,
        generate::Random,
        narrow::triangles_distance,
        volume::{Aabb, BoundingVolume, Dop, Frame, Obb, Relative, Sphere},
    };
    use glam::{DMat3, DVec3};

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
    }

    fn pick(random: &mut Random, from: &[f64]) -> f64 {
        from[random.below(from.len() as u64) as usize]
    }

    /// The penetration depth of two triangles: the least overlap of their extents along any
    /// separating-axis direction.
    fn depth_of(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
        // Scaled to about 1, where squares neither overflow nor underflow.
        let corners = || a.iter().chain(b);
        let size = corners().map(|p| (*p - a[0]).abs().max_element()).fold(0.0, f64::max);
        if size == 0.0 {
            return 0.0;
        }
        let [a, b] = [a, b].map(|t| t.map(|p| (p - a[0]) / size));
        let edges = |t: [DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let (e, f) = (edges(a), edges(b));
        let mut ways = vec![e[0].cross(e[1]), f[0].cross(f[1])];
        ways.extend(e.iter().flat_map(|e| f.iter().map(|f| e.cross(*f))));
        ways.extend(e.iter().map(|edge| edge.cross(e[0].cross(e[1]))));
        ways.extend(f.iter().map(|edge| edge.cross(f[0].cross(f[1]))));
        let extent = |t: [DVec3; 3], way: DVec3| {
            let along = t.map(|p| p.dot(way));
            (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]))
        };
        let depth = |way: DVec3| {
            let way = way.normalize_or_zero();
            let ((a_min, a_max), (b_min, b_max)) = (extent(a, way), extent(b, way));
            if way == DVec3::ZERO { f64::INFINITY } else { (a_max - b_min).min(b_max - a_min) }
        };
        let least = ways.into_iter().map(depth).fold(f64::INFINITY, f64::min);
        // Less the rounding of the placed corners, and of this computation.
        let certain = least.max(0.0) - 1e-9;
        if certain.is_finite() { certain * size } else { 0.0 }
    }

    /// No lower bound may exceed the true distance, and most should reach half of it.
    fn bounds_from_below<V: BoundingVolume>() {
        let (mut apart, mut tight) = (0, 0);
        for seed in 0..40_000 {
            let mut random = Random::new(seed);
            let unit = pick(&mut random, &[1.0, 1.0, 1.0, 1e-3, 1e6, 1e-40, 1e40, 1e-290, 1e90]);
            let travel = unit * pick(&mut random, &[0.0, 1.0, 1e4, 1e12]);
            let common = vector(&mut random) * travel;
            let mut body = || {
                let random = &mut random;
                let size = unit * pick(random, &[1.0, 1.0, 1e-3, 10.0]);
                let middle = vector(random) * size * pick(random, &[0.0, 1.0, 1e3]);
                let extent = size * pick(random, &[0.0, 1e-3, 0.3, 1.0]);
                let at = middle + vector(random) * (size - extent);
                let triangle = [0; 3].map(|_| at + vector(random) * extent);
                let reach = DVec3::splat(size);
                let mut bounds = Bounds { min: middle - reach, max: middle + reach };
                bounds.merge(&Bounds::enclosing(triangle));
                // Slightly stretched and sheared, within what a pose accepts.
                let mut bend = DMat3::IDENTITY;
                for i in 0..3 {
                    *bend.col_mut(i) += vector(random) * pick(random, &[0.0, 2.4e-7]);
                }
                let away = common - middle + vector(random) * size * pick(random, &[0.1, 1.0, 3.0]);
                let pose = Pose::new(random.rotation() * bend, away).expect("nearly a rotation");
                (Frame::new(&bounds), triangle, pose)
            };
            let [(frame_a, a, pose_a), (frame_b, b, pose_b)] = [body(), body()];
            let enclosing =
                |frame: &Frame, t: [DVec3; 3]| V::enclosing(&[t.map(|p| frame.normalized(p))]);
            let relative = Relative::new(&frame_a, &pose_a, &frame_b, &pose_b);
            let (volume_a, volume_b) = (enclosing(&frame_a, a), enclosing(&frame_b, b));
            let placed = volume_b.placed(&V::placement(&relative));
            let bound = volume_a.distance_below(&placed);
            let bound = bound * (frame_a.unit() * (1.0 - 4e-6));
            let (a, b) = (a.map(|p| pose_a.place(p)), b.map(|p| pose_b.place(p)));
            let distance = triangles_distance(&a, &b).distance;
            assert!(bound <= distance * (1.0 + 1e-12), "seed {seed}: {bound:e} > {distance:e}");
            let overlaps_within = |distance: f64| {
                let relative = relative.buffered(&frame_a, distance);
                let placed = volume_b.placed(&V::placement(&relative));
                volume_a.overlaps(&placed)
            };
            assert!(overlaps_within(distance), "seed {seed}: buffered by {distance:e}");
            let depth = volume_a.depth_above(&placed) * (frame_a.unit() * (1.0 + 4e-6));
            let least = depth_of(&a, &b);
            assert!(depth >= least * (1.0 - 1e-9), "seed {seed}: {depth:e} < {least:e}");
            if distance > 0.1 * unit {
                apart += 1;
                tight += usize::from(bound > 0.5 * distance && !overlaps_within(0.3 * distance));
            }
        }
        assert!(apart > 10_000, "too few pairs are apart: {apart}");
        assert!(2 * tight > apart, "bounds are weak: {tight} of {apart} reach half the distance");
    }

    #[test]
    fn distance_bounds_of_boxes_and_spheres() {
        bounds_from_below::<Aabb>();
        bounds_from_below::<Sphere>();
        bounds_from_below::<Obb>();
    }

    #[test]
    fn distance_bounds_of_dops() {
        bounds_from_below::<Dop<3>>();
        bounds_from_below::<Dop<4>>();
        bounds_from_below::<Dop<6>>();
        bounds_from_below::<Dop<7>>();
        bounds_from_below::<Dop<9>>();
        bounds_from_below::<Dop<10>>();
        bounds_from_below::<Dop<13>>();
    }
}

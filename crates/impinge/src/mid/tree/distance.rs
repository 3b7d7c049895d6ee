//! Down two trees at once, to the leaves that may be close: branch and bound, the closest first.

use super::{BvTree, Scratch};
use crate::volume::{BoundingVolume, Relative};
use std::ops::ControlFlow;

/// Pairs of nodes yet to be looked at, each with a lower bound of its distance; kept for the next
/// query, so that none allocates once warm.
pub(super) type NearStack = Vec<(f64, u32, u32)>;

impl<V: BoundingVolume> BvTree<V> {
    /// Visits pairs of leaves, as lists of faces, those that seem closer first, until told to stop.
    ///
    /// A leaf pair is left out only if `can_skip` says so of a lower bound of its distance, in world
    /// units. It may change its mind as closer faces are found: what is given to both closures is
    /// the state that they share.
    pub(super) fn visit_near_leaf_pairs<G>(
        &self,
        other: &Self,
        relative: &Relative,
        (stack, scratch): (&mut NearStack, &mut Scratch<V>),
        goal: &mut G,
        can_skip: impl Fn(&G, f64) -> bool,
        mut visit: impl FnMut(&mut G, &[u32], &[u32]) -> ControlFlow<()>,
    ) {
        stack.clear();
        scratch.placed.reset(other.nodes.len());
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let placement = V::placement(relative);
        // Let g be the way in the world from a point of the one body to a point of the other. In
        // this frame it is Rᵀg / scale, give or take what the placed volume contains as slack (see
        // `Relative::new`, where g is zero), and Rᵀ lengthens no vector by more than 1.5e-6.
        let unit = self.frame.unit() * (1.0 - 4e-6);
        let mut bound = |i: u32, j: u32| {
            let placed = scratch.placed.get(j, &other.nodes[j as usize], &placement);
            self.nodes[i as usize].volume.distance_below(&placed) * unit
        };
        stack.push((bound(0, 0), 0, 0));
        while let Some((at_least, i, j)) = stack.pop() {
            if can_skip(goal, at_least) {
                continue;
            }
            let Some(children) = self.children(other, relative, [i, j]) else {
                let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
                if visit(goal, self.faces_of(a), other.faces_of(b)).is_break() {
                    return;
                }
                continue;
            };
            let [first, second] = children.map(|[i, j]| (bound(i, j), i, j));
            // The closer is looked at first: it is likely to make the other superfluous.
            stack.extend(if first.0 <= second.0 { [second, first] } else { [first, second] });
        }
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

    /// No volume may be proved further away than what it encloses is, and most of them should be
    /// proved half as far.
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
                // Not quite a rotation: stretched and sheared within what a pose accepts.
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
            let placed = enclosing(&frame_b, b).placed(&V::placement(&relative));
            let bound = enclosing(&frame_a, a).distance_below(&placed);
            let bound = bound * (frame_a.unit() * (1.0 - 4e-6));
            let (a, b) = (a.map(|p| pose_a.place(p)), b.map(|p| pose_b.place(p)));
            let distance = triangles_distance(&a, &b).distance;
            assert!(bound <= distance * (1.0 + 1e-12), "seed {seed}: {bound:e} > {distance:e}");
            if distance > 0.1 * unit {
                apart += 1;
                tight += usize::from(bound > 0.5 * distance);
            }
        }
        assert!(apart > 10_000, "hardly any are apart: {apart}");
        assert!(2 * tight > apart, "bounds are weak: {tight} of {apart} reach half the distance");
    }

    #[test]
    fn boxes_and_spheres() {
        bounds_from_below::<Aabb>();
        bounds_from_below::<Sphere>();
        bounds_from_below::<Obb>();
    }

    #[test]
    fn dops() {
        bounds_from_below::<Dop<3>>();
        bounds_from_below::<Dop<4>>();
        bounds_from_below::<Dop<6>>();
        bounds_from_below::<Dop<7>>();
        bounds_from_below::<Dop<9>>();
        bounds_from_below::<Dop<10>>();
        bounds_from_below::<Dop<13>>();
    }
}

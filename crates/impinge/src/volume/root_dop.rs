//! The 26-DOP around a whole mesh in `f64`, from which bounds of the placed mesh along the directions of any
//! k-DOP follow in constant time. Broad phases use it through [`Shape`](crate::Shape).

use super::dop::{combination, directions, signed};
use crate::Pose;
use glam::DVec3;

/// The number of directions of a 26-DOP: axes, corners and edges of a cube, in this order.
const ALL: usize = 13;

/// Extents of a mesh along the directions of a 26-DOP, from a center on.
#[derive(Clone, Debug)]
pub(crate) struct RootDop {
    center: DVec3,
    /// `[least, greatest]` along each direction, rounded outward.
    extents: [[f64; 2]; ALL],
    /// A bound on the coordinates of all corners, from the center on.
    half_size: f64,
}

impl RootDop {
    /// The DOP around the corners of a mesh. The corners are within `half_size` of the center along every
    /// axis.
    pub(crate) fn new(
        center: DVec3,
        half_size: f64,
        corners: impl IntoIterator<Item = DVec3>,
    ) -> Self {
        let directions = const { directions::<ALL>() };
        let mut extents = [[f64::INFINITY, f64::NEG_INFINITY]; ALL];
        for corner in corners {
            let offset = corner - center;
            for (direction, [low, high]) in directions.iter().zip(&mut extents) {
                let along = direction.dot(offset);
                *low = low.min(along);
                *high = high.max(along);
            }
        }
        // A difference is rounded once, the sum of three of them twice; each is at most `half_size`.
        let slack = 8.0 * f64::EPSILON * half_size + f64::MIN_POSITIVE;
        let extents = extents.map(|[low, high]| [low - slack, high + slack]);
        Self { center, extents, half_size }
    }

    /// Appends bounds `[low, high]` of the placed mesh along each direction of a k-DOP, which follow from the
    /// root k-DOP. `rounding` bounds the rounding of a placed vertex along any axis. Does nothing if there is
    /// no such k.
    pub(crate) fn placed(&self, k: usize, pose: &Pose, rounding: f64, into: &mut Vec<[f64; 2]>) {
        match k {
            6 => self.placed_along::<3>([0, 0], pose, rounding, into),
            8 => self.placed_along::<4>([3, 3], pose, rounding, into),
            12 => self.placed_along::<6>([7, 7], pose, rounding, into),
            14 => self.placed_along::<7>([0, 0], pose, rounding, into),
            18 => self.placed_along::<9>([0, 4], pose, rounding, into),
            20 => self.placed_along::<10>([3, 3], pose, rounding, into),
            26 => self.placed_along::<13>([0, 0], pose, rounding, into),
            _ => {}
        }
    }

    /// Direction i of the k-DOP is direction `i + shifts[0]` of the 26-DOP for i < 3, `i + shifts[1]` after
    /// that.
    ///
    /// # Why no vertex is outside
    ///
    /// A vertex `c + d` is placed at `C + R d`, where C is the center as placed, up to twice the rounding along
    /// each axis. Along a direction n, whose components are 1, 0 or −1, that is `n·C + (Rᵀn)·d` up to 6
    /// roundings. `Rᵀn` is written as a sum of three directions s of the DOP with weights w ≥ 0. What is missing
    /// to `Rᵀn` is measured, times the largest component of d. So `(Rᵀn)·d ≤ Σ w (greatest extent along s)`, and
    /// the same for the least. No property of R is used. The sums here have fewer than 16 operations, each
    /// rounded relative to at most `|C|` along the three axes and 10 half sizes. Both are within twice the
    /// coordinates that `rounding` is derived from, which allows for 2.5 ε of these: 64 roundings are enough.
    fn placed_along<const H: usize>(
        &self,
        shifts: [usize; 2],
        pose: &Pose,
        rounding: f64,
        into: &mut Vec<[f64; 2]>,
    ) {
        let directions = const { directions::<H>() };
        let center = pose.place(self.center);
        let turned = pose.rotation().transpose();
        for direction in &directions {
            let wanted = turned * *direction;
            let (sources, weights) = combination::<H>(&directions, wanted);
            let (mut low, mut high, mut missing) = (0.0, 0.0, wanted);
            for (source, weight) in sources.into_iter().zip(weights) {
                let (source, weight) = (usize::from(source), weight.max(0.0));
                missing -= weight * signed(&directions, source);
                let index = source % H;
                let [least, greatest] = self.extents[index + shifts[usize::from(index >= 3)]];
                let (from, to) = if source < H { (least, greatest) } else { (-greatest, -least) };
                low += weight * from;
                high += weight * to;
            }
            let along = direction.dot(center);
            // Rounding of `wanted` and `missing`: a few units of at most 3.
            let missing = missing.abs().element_sum() + 32.0 * f64::EPSILON;
            let slack = missing * self.half_size + 64.0 * rounding;
            let (low, high) = (along + low - slack, along + high + slack);
            // Where a number overflows, nothing is known.
            let is_known = low.is_finite() && high.is_finite();
            into.push(if is_known { [low, high] } else { [f64::NEG_INFINITY, f64::INFINITY] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bounds,
        generate::{self, Random},
    };
    use glam::DMat3;

    /// All placed vertices are within the bounds, for all k, sizes and poses, and matrices that are not quite
    /// rotations; and the bounds are not much larger than the mesh.
    #[test]
    fn placed_extents_hold_every_placed_vertex() {
        let mut sums = [0.0; 2];
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let size = 10f64.powf(random.range(-12.0, 12.0));
            let far = [0.0, 1.0, 1e6, 1e12][random.below(4) as usize] * size;
            let offset = random.direction() * far;
            let mesh = generate::deformed_torus(seed, [7, 5]).expect("enough segments");
            let points: Vec<DVec3> = mesh.positions().iter().map(|&p| p * size + offset).collect();
            let bounds = Bounds::enclosing(points.iter().copied());
            let center = bounds.center();
            let half = (bounds.max - center).max(center - bounds.min).max_element() * (1.0 + 1e-15);
            let dop = RootDop::new(center, half, points.iter().copied());
            let skew = DMat3::from_diagonal(DVec3::splat(1.0 + random.range(-4e-7, 4e-7)));
            let rotation = if seed % 5 == 0 { DMat3::IDENTITY } else { random.rotation() };
            let pose = Pose::new(rotation * skew, random.direction() * far).expect("a rotation");
            let rounding = pose.rounding(bounds.largest_coordinate());
            for k in [6, 8, 12, 14, 18, 20, 26] {
                let mut extents = Vec::new();
                dop.placed(k, &pose, rounding, &mut extents);
                assert_eq!(extents.len(), k / 2);
                for (direction, [low, high]) in super::super::dop_directions(k).iter().zip(extents)
                {
                    let along = |&p: &DVec3| direction.dot(pose.place(p));
                    let (least, greatest) = points
                        .iter()
                        .map(along)
                        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), x| {
                            (least.min(x), greatest.max(x))
                        });
                    assert!(low <= least && greatest <= high, "seed {seed}, k {k}: {direction}");
                    if far == 0.0 {
                        sums[0] += (greatest - least) / size;
                        sums[1] += (high - low) / size;
                    }
                }
            }
        }
        assert!(sums[0] > 1000.0 && sums[1] < 1.6 * sums[0], "{sums:?}");
    }
}

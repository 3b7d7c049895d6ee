//! The extent of a body along a direction, by hill climbing on its hull (Klosowski 1998, method I).

use super::Hull;
use glam::DVec3;

/// The hull of a body within ±1, and the vertices at which the last searches ended.
///
/// A search starts where the last one for the same slot ended, and moves from neighbour to neighbour as long
/// as that leads further. So it takes a step or two while a body turns a little at a time.
///
/// A vertex that lies further than all its neighbours is the furthest of all. That holds only if the
/// comparisons are exact: at a vertex with short edges, rounding errors could end the search anywhere. So the
/// points are rounded to 24 bits before the hull is computed, and directions are rounded to 26 bits. Then
/// their products, and sums of three such, are exact in an `f64`. The extents are enlarged by the effect of
/// this rounding, some 2e-7.
#[derive(Clone, Debug)]
pub struct Climber {
    hull: Hull,
    /// For each slot the vertices at which the downward and the upward search ended.
    ends: Vec<[u32; 2]>,
    /// The number of vertices compared since the climber was created.
    pub looked_at: u64,
}

/// Point coordinates are rounded to multiples of this.
const POINT_UNIT: f64 = 1.0 / (1u64 << 24) as f64;
/// Directions, scaled so that their largest component is from 1 to 2, are rounded to multiples of this.
const DIRECTION_UNIT: f64 = 1.0 / (1u64 << 25) as f64;

impl Climber {
    /// Creates a climber for points with coordinates within ±1, as in a [`Frame`](crate::volume::Frame).
    /// Other coordinates are clamped.
    pub fn new(points: impl IntoIterator<Item = DVec3>) -> Self {
        let rounded = |point: DVec3| {
            // NaN becomes 0.
            let point = point.clamp(-DVec3::ONE, DVec3::ONE);
            DVec3::select(
                point.cmpeq(point),
                (point / POINT_UNIT).round() * POINT_UNIT,
                DVec3::ZERO,
            )
        };
        let points: Vec<DVec3> = points.into_iter().map(rounded).collect();
        let hull = Hull::new(&points).unwrap_or_else(|error| {
            unreachable!("the points are finite, and a mesh has fewer than 2^32 vertices: {error}")
        });
        Self { hull, ends: Vec::new(), looked_at: 0 }
    }

    /// The hull of the rounded points.
    pub fn hull(&self) -> &Hull {
        &self.hull
    }

    /// The extent of the points along a direction: `low ≤ point · direction ≤ high`, nearly tight. `slot` is
    /// a small number, one for each direction that is queried repeatedly.
    pub fn extent(&mut self, slot: usize, direction: DVec3) -> [f64; 2] {
        let largest = direction.abs().max_element();
        if self.hull.positions().is_empty() {
            return [f64::INFINITY, f64::NEG_INFINITY];
        }
        if largest == 0.0 {
            return [0.0, 0.0];
        }
        // The direction is divided by a power of two. The range check keeps it from losing bits.
        let scale = f64::from_bits(largest.to_bits() & (0x7ff << 52));
        if !(1e-200..1e200).contains(&scale) || !direction.is_finite() {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let direction = direction / scale;
        let rounded = (direction / DIRECTION_UNIT).round() * DIRECTION_UNIT;
        if self.ends.len() <= slot {
            self.ends.resize(slot + 1, [0, 0]);
        }
        let [low, high] = self.ends[slot];
        let (low, down) = self.climbed(low, -rounded);
        let (high, up) = self.climbed(high, rounded);
        self.ends[slot] = [low, high];
        // x·d − x'·d' = (x − x')·d + x'·(d − d'), with roundings of half a unit each. The factor also covers
        // the roundings of this sum.
        let moved = 0.51 * (POINT_UNIT * direction.abs().element_sum() + 3.0 * DIRECTION_UNIT);
        [(-down - moved) * scale, (up + moved) * scale]
    }

    /// The vertex furthest along a rounded direction, and its extent.
    fn climbed(&mut self, start: u32, direction: DVec3) -> (u32, f64) {
        let positions = self.hull.positions();
        let height = |vertex: u32| positions[vertex as usize].dot(direction);
        let mut best = (start, height(start));
        loop {
            let neighbours = self.hull.neighbours(best.0);
            self.looked_at += neighbours.len() as u64;
            let mut next = best;
            for &neighbour in neighbours {
                let height = height(neighbour);
                if height > next.1 {
                    next = (neighbour, height);
                }
            }
            if next.0 == best.0 {
                return best;
            }
            best = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Random};
    use glam::DMat3;

    /// Compares with every point, along many directions, with a cluster of points at one place.
    #[test]
    fn extents_hold_and_are_tight() {
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let flat = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::ZERO];
            let flat = flat[random.below(4) as usize];
            let mut points: Vec<DVec3> = (0..200).map(|_| random.direction() * flat).collect();
            // Furthest along the diagonal. There, heights in floating point might not lead away again.
            let crowd = [1e-7, 3e-15][random.below(2) as usize];
            points.extend((0..200).map(|_| DVec3::splat(0.6) * flat + random.direction() * crowd));
            let mut climber = Climber::new(points.iter().copied());
            for i in 0..200 {
                let size = [1.0, 1e-3, 1e5][random.below(3) as usize];
                let direction = match i % 8 {
                    0 => [DVec3::X, -DVec3::Y, DVec3::ONE, DVec3::ZERO][i / 8 % 4] * size,
                    1 | 4 => (DVec3::ONE + random.direction() * 0.1) * size,
                    _ => random.direction() * size,
                };
                let [low, high] = climber.extent(i % 2, direction);
                let along = points.iter().map(|point| point.dot(direction));
                let (least, most) = along
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), x| (l.min(x), m.max(x)));
                let place = format!("seed {seed}, direction {i}");
                assert!(low <= least && most <= high, "{place}: {low} {least} {most} {high}");
                let margin = 1e-6 * size;
                assert!(least - low < margin && high - most < margin, "{place}: not tight");
            }
        }
    }

    #[test]
    fn small_turns_take_few_steps() {
        let sphere = generate::icosphere(5).expect("few enough");
        let mut climber = Climber::new(sphere.positions().iter().copied());
        climber.extent(0, DVec3::X);
        let before = climber.looked_at;
        for i in 0..100 {
            climber.extent(0, DMat3::from_rotation_z(1e-3 * f64::from(i)) * DVec3::X);
        }
        let looked_at = climber.looked_at - before;
        assert!((1200..2000).contains(&looked_at), "looked at {looked_at} vertices");
    }

    #[test]
    fn nan_gives_infinite_extents() {
        let mut climber = Climber::new([DVec3::ONE, DVec3::new(f64::NAN, 2.0, f64::INFINITY)]);
        assert_eq!(climber.hull().vertices().len(), 2);
        let [low, high] = climber.extent(0, DVec3::new(f64::NAN, 1.0, 0.0));
        assert!(low == f64::NEG_INFINITY && high == f64::INFINITY);
        let [low, high] = Climber::new([]).extent(3, DVec3::X);
        assert!(low > high, "no points have an empty extent");
    }
}

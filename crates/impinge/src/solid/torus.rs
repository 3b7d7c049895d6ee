//! A solid torus at its place, and its distance to triangles.

use super::ring::{Ring, RingSearch};
use crate::{Bounds, narrow::Triangle};
use glam::DVec3;

/// A solid torus at a place: all points within the tube radius of a ring.
///
/// The tube may be wider than the ring. Then the torus has no hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedTorus {
    ring: f64,
    tube: f64,
    center: DVec3,
    axis: DVec3,
}

/// A torus and a triangle, or another solid, that are farther apart than this, relative to the reach of both as seen from
/// the torus' center, are never taken for touching.
pub const TORUS_ERROR: f64 = 1e-12;

/// How far a torus and another body are apart, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RingDistance {
    /// The distance of the two is at least this, and at most a few errors more.
    pub(super) lower: f64,
    /// An upper bound of the distance; 0 if the two touch.
    pub(super) upper: f64,
    /// A point of the torus and a point of the other body, as far apart as the upper bound.
    pub(super) points: [DVec3; 2],
}

impl PlacedTorus {
    /// The torus with a ring of a radius around a center, and a tube of a radius around the ring. The axis is scaled to
    /// unit length; one without a direction counts as z.
    pub fn new(ring: f64, tube: f64, center: DVec3, axis: DVec3) -> Self {
        Self { ring, tube, center, axis: axis.try_normalize().unwrap_or(DVec3::Z) }
    }

    /// The radius of the ring in the middle of the tube.
    pub fn ring(&self) -> f64 {
        self.ring
    }

    /// The radius of the tube.
    pub fn tube(&self) -> f64 {
        self.tube
    }

    /// The center of the ring.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The axis of the ring; of unit length.
    pub fn axis(&self) -> DVec3 {
        self.axis
    }

    /// Whether the torus and a triangle share a point. If they do, the answer is yes. If they are farther apart than
    /// [`TORUS_ERROR`] of their reach, the answer is no.
    pub fn touches(&self, triangle: &Triangle) -> bool {
        let Some((scale, corners)) = self.local(triangle) else { return true };
        let ring = self.scaled_ring(scale);
        let mut search = RingSearch::within(self.tube * scale, &ring, reach(&corners));
        ring.search_triangle(&corners, &mut search);
        search.is_done()
    }

    /// The distance of the torus and a triangle.
    pub(super) fn distance(&self, triangle: &Triangle) -> RingDistance {
        let Some((scale, corners)) = self.local(triangle) else {
            return RingDistance { lower: 0.0, upper: f64::INFINITY, points: [self.center; 2] };
        };
        let ring = self.scaled_ring(scale);
        let mut search = RingSearch::closest(self.tube * scale, &ring, reach(&corners));
        ring.search_triangle(&corners, &mut search);
        self.measured(&search, scale)
    }

    /// The distance of a point from the surface: negative inside, and rounded.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        let offset = point - self.center;
        let along = self.axis.dot(offset);
        let from_axis = (offset - self.axis * along).length();
        (from_axis - self.ring).hypot(along) - self.tube
    }

    /// A box around the torus.
    pub fn bounds(&self) -> Bounds {
        let across = |axis: DVec3| self.axis.cross(axis).length() * self.ring;
        let half = DVec3::from(DVec3::AXES.map(across)) + self.tube;
        let rounding = 8.0 * f64::EPSILON * (self.reach() + self.center.abs().max_element());
        Bounds { min: self.center - half, max: self.center + half }.grown(rounding)
    }

    /// The largest distance of a point of the torus from its center.
    pub(super) fn reach(&self) -> f64 {
        self.ring + self.tube
    }

    /// The outcome of a search for the closest point of a body to the ring.
    pub(super) fn measured(&self, search: &RingSearch, scale: f64) -> RingDistance {
        let tube = self.tube * scale;
        let ring = self.scaled_ring(scale);
        let on_other = self.center + search.point / scale;
        // The closest point may be closer by two errors, and each distance is off by one.
        if search.distance <= tube + 4.0 * search.error {
            return RingDistance { lower: 0.0, upper: 0.0, points: [on_other; 2] };
        }
        let on_ring = ring.nearest(search.point);
        let outward = (search.point - on_ring) * (tube / search.distance);
        let on_torus = self.center + (on_ring + outward) / scale;
        let lower = (search.distance - 3.0 * search.error - tube) / scale;
        let upper = (search.distance + search.error - tube) / scale;
        RingDistance { lower, upper, points: [on_torus, on_other] }
    }

    pub(super) fn scaled_ring(&self, scale: f64) -> Ring {
        Ring { radius: self.ring * scale, axis: self.axis }
    }

    /// The corners relative to the center, scaled such that neither squares nor cubes overflow or underflow, and the
    /// scale; `None` if a difference overflows.
    fn local(&self, triangle: &Triangle) -> Option<(f64, Triangle)> {
        let corners = triangle.map(|corner| corner - self.center);
        let largest = reach(&corners).max(self.reach());
        if (1e-60..1e60).contains(&largest) {
            return Some((1.0, corners));
        }
        if !largest.is_finite() {
            return None;
        }
        // A power of two, so that scaling rounds nothing but denormals.
        let power = f64::from_bits(largest.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE);
        Some((power.recip(), corners.map(|corner| corner / power)))
    }
}

/// The largest distance of a corner from the origin, or more.
fn reach(corners: &Triangle) -> f64 {
    corners.iter().map(|corner| corner.abs().element_sum()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
    }

    /// A torus and a triangle of any size and shape near it.
    fn case(seed: u64) -> (PlacedTorus, Triangle) {
        let mut random = Random::new(seed);
        let unit = [1.0, 1.0, 1e-6, 1e6, 1e-90, 1e90][random.below(6) as usize];
        let tube = [0.3, 0.02, 1.0, 1.7][random.below(4) as usize];
        let center = vector(&mut random) * [0.0, 1.0, 1e3][random.below(3) as usize] * unit;
        let axis = if random.below(3) == 0 { DVec3::Z } else { random.direction() };
        let torus = PlacedTorus::new(unit, tube * unit, center, axis);
        let size = unit * [0.01, 0.3, 3.0][random.below(3) as usize];
        let about = center + vector(&mut random) * 2.0 * unit;
        let mut triangle = [0; 3].map(|_| about + vector(&mut random) * size);
        match random.below(6) {
            0 => triangle[2] = triangle[0].lerp(triangle[1], random.range(-0.5, 1.5)),
            1 => triangle[2] = triangle[0],
            2 => triangle = triangle.map(|p| p - axis * axis.dot(p - about)),
            _ => {}
        }
        (torus, triangle)
    }

    /// No point of the triangle is closer than the lower bound, and the decision agrees with the distance.
    #[test]
    fn bounds_hold_for_points_of_the_triangle() {
        let mut counts = [0; 2];
        for seed in 0..20_000 {
            let (torus, triangle) = case(seed);
            let measured = torus.distance(&triangle);
            let size = torus.ring + torus.tube + 10.0 * torus.ring;
            let RingDistance { lower, upper, points: [p, q] } = measured;
            assert!(upper - lower <= 1e-12 * size, "seed {seed}: {measured:?}");
            let rounding = 1e-15 * (size + torus.center.length());
            let off = (p.distance(q) - upper).abs();
            assert!(
                off <= 1e-12 * size + 8.0 * rounding,
                "seed {seed}: {off} {measured:?}, {torus:?}"
            );
            let mut random = Random::new(!seed);
            for _ in 0..100 {
                let (s, t) = (random.unit(), random.unit());
                let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
                let [a, b, c] = triangle;
                let point = a + (b - a) * s + (c - a) * t;
                let distance = torus.signed_distance(point).max(0.0);
                assert!(distance >= lower - 8.0 * rounding, "seed {seed}: {distance} < {lower}");
            }
            let touches = torus.touches(&triangle);
            if lower > 1e-12 * size {
                assert!(!touches, "seed {seed}: {measured:?}");
            }
            assert!(touches || upper > 0.0, "seed {seed}: {measured:?}");
            counts[usize::from(touches)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 4_000), "one-sided: {counts:?}");
    }

    /// Planes that are tangent to the torus along a circle, and edges that are tangent to it, take no long search.
    #[test]
    fn tangent_triangles_are_decided_quickly() {
        let torus = PlacedTorus::new(1.0, 1e-3, DVec3::ZERO, DVec3::Z);
        let plate =
            |z: f64| [DVec3::new(-9.0, -9.0, z), DVec3::new(9.0, -9.0, z), DVec3::new(0.0, 9.0, z)];
        assert!(torus.touches(&plate(1e-3)) && !torus.touches(&plate(1.001e-3)));
        assert!(torus.touches(&plate(-1e-3)) && !torus.touches(&plate(-1.001e-3)));
        let wall = |x: f64| {
            [DVec3::new(x, -9.0, 0.0), DVec3::new(x, 9.0, 0.0), DVec3::new(x + 9.0, 0.0, 0.0)]
        };
        assert!(torus.touches(&wall(1.001)) && !torus.touches(&wall(1.001 + 1e-11)));
        let horn = PlacedTorus::new(1.0, 1.0, DVec3::ZERO, DVec3::Z);
        assert!(horn.touches(&[-DVec3::Z, DVec3::Z, DVec3::ZERO]));
        let open = PlacedTorus::new(1.0, 1.0 - 1e-11, DVec3::ZERO, DVec3::Z);
        assert!(!open.touches(&[-DVec3::Z, DVec3::Z, DVec3::ZERO]));
    }
}

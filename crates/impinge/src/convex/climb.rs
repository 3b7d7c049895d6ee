//! The extent of a body along a direction, by hill climbing on its hull (Klosowski 1998, method I).

use super::Hull;
use glam::{DVec3, Vec3};

/// The hull of a body within ±1, on which extents are found by hill climbing.
///
/// A search starts where the last one for the same direction ended, and moves from neighbour to neighbour as
/// long as that leads further. So it takes a step or two while a body turns a little at a time. The caller
/// keeps where searches ended ([`ClimbEnds`]), so that several threads can share a climber.
///
/// A vertex that lies further than all its neighbours is the furthest of all. That holds only if the
/// comparisons are exact: at a vertex with short edges, rounding errors could end the search anywhere. So the
/// points are rounded to 24 bits before the hull is computed, and directions are rounded to 26 bits. Then
/// their products, and sums of three such, are exact in an `f64`. The extents are enlarged by the effect of
/// this rounding, some 2e-7.
#[derive(Clone, Debug)]
pub struct Climber {
    /// Exact: multiples of 2^−24 within ±1 are `f32` numbers.
    positions: Box<[Vec3]>,
    /// The neighbours of all vertices in one list, and the position where each vertex's neighbours end.
    neighbours: Box<[u32]>,
    neighbour_ends: Box<[u32]>,
}

/// The vertices at which the downward and the upward search along a direction ended. Where a search starts
/// affects its time only: the extent is the same from any vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClimbEnds {
    low: u32,
    high: u32,
}

/// A direction, prepared for searches on any number of hulls.
#[derive(Clone, Copy, Debug)]
pub struct ClimbDirection {
    /// The direction divided by `scale`, and rounded.
    rounded: DVec3,
    scale: f64,
    /// By how much roundings move the extent of a point, divided by `scale`.
    moved: f64,
}

impl ClimbDirection {
    /// Prepares a direction of any length. Along one that is not finite or out of range all extents are
    /// infinite.
    pub fn new(direction: DVec3) -> Self {
        let largest = direction.abs().max_element();
        if largest == 0.0 {
            return Self { rounded: DVec3::ZERO, scale: 1.0, moved: 0.0 };
        }
        // The direction is divided by a power of two. The range check keeps it from losing bits.
        let scale = f64::from_bits(largest.to_bits() & (0x7ff << 52));
        if !(1e-200..1e200).contains(&scale) || !direction.is_finite() {
            return Self { rounded: DVec3::ZERO, scale: 1.0, moved: f64::INFINITY };
        }
        let direction = direction / scale;
        // x·d − x'·d' = (x − x')·d + x'·(d − d'), with roundings of half a unit each. The factor also covers
        // the roundings of this sum.
        let moved = 0.51 * (POINT_UNIT * direction.abs().element_sum() + 3.0 * DIRECTION_UNIT);
        Self { rounded: (direction / DIRECTION_UNIT).round() * DIRECTION_UNIT, scale, moved }
    }
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
        let (mut neighbours, mut neighbour_ends) = (Vec::new(), Vec::new());
        for vertex in 0..hull.positions().len() as u32 {
            neighbours.extend_from_slice(hull.neighbours(vertex));
            neighbour_ends.push(neighbours.len() as u32);
        }
        Self {
            positions: hull.positions().iter().map(|position| position.as_vec3()).collect(),
            neighbours: neighbours.into(),
            neighbour_ends: neighbour_ends.into(),
        }
    }

    /// The vertices of the hull of the rounded points.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = DVec3> {
        self.positions.iter().map(|position| position.as_dvec3())
    }

    /// The memory of the hull, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.positions)
            + size_of_val(&*self.neighbours)
            + size_of_val(&*self.neighbour_ends)
    }

    /// The extent of the points along a direction: `low ≤ point · direction ≤ high`, nearly tight. Starts at
    /// `ends` and updates it.
    pub fn extent(&self, ends: &mut ClimbEnds, direction: &ClimbDirection) -> [f64; 2] {
        if self.positions.is_empty() {
            return [f64::INFINITY, f64::NEG_INFINITY];
        }
        let ClimbDirection { rounded, scale, moved } = *direction;
        let (low, high) = (self.climbed(ends.low, -rounded), self.climbed(ends.high, rounded));
        *ends = ClimbEnds { low: low.vertex, high: high.vertex };
        [(-low.height - moved) * scale, (high.height + moved) * scale]
    }

    /// Climbs from a vertex to the one that is furthest along a rounded direction.
    fn climbed(&self, start: u32, direction: DVec3) -> Climb {
        let height = |vertex: u32| self.positions[vertex as usize].as_dvec3().dot(direction);
        // The last search may have been on another hull with more vertices.
        let start = start.min(self.positions.len() as u32 - 1);
        let mut best = Climb { vertex: start, height: height(start), looked_at: 0 };
        loop {
            let neighbours = self.neighbours_of(best.vertex);
            let mut next = Climb { looked_at: best.looked_at + neighbours.len(), ..best };
            for &neighbour in neighbours {
                let height = height(neighbour);
                if height > next.height {
                    next = Climb { vertex: neighbour, height, ..next };
                }
            }
            if next.vertex == best.vertex {
                return next;
            }
            best = next;
        }
    }

    fn neighbours_of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        let start = vertex.checked_sub(1).map_or(0, |before| self.neighbour_ends[before]);
        &self.neighbours[start as usize..self.neighbour_ends[vertex] as usize]
    }
}

/// A vertex, its height along a direction, and the number of vertices compared to reach it.
#[derive(Clone, Copy)]
struct Climb {
    vertex: u32,
    height: f64,
    looked_at: usize,
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
            let climber = Climber::new(points.iter().copied());
            let mut ends = [ClimbEnds::default(); 2];
            for i in 0..200 {
                let size = [1.0, 1e-3, 1e5][random.below(3) as usize];
                let direction = match i % 8 {
                    0 => [DVec3::X, -DVec3::Y, DVec3::ONE, DVec3::ZERO][i / 8 % 4] * size,
                    1 | 4 => (DVec3::ONE + random.direction() * 0.1) * size,
                    _ => random.direction() * size,
                };
                let [low, high] = climber.extent(&mut ends[i % 2], &ClimbDirection::new(direction));
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
        let climber = Climber::new(sphere.positions().iter().copied());
        let mut top = climber.climbed(0, DVec3::X);
        let mut looked_at = 0;
        for i in 0..100 {
            let direction = DMat3::from_rotation_z(1e-3 * f64::from(i)) * DVec3::X;
            top = climber.climbed(top.vertex, ClimbDirection::new(direction).rounded);
            looked_at += top.looked_at;
        }
        assert!((600..1000).contains(&looked_at), "looked at {looked_at} vertices");
    }

    #[test]
    fn nan_gives_infinite_extents() {
        let climber = Climber::new([DVec3::ONE, DVec3::new(f64::NAN, 2.0, f64::INFINITY)]);
        assert_eq!(climber.vertices().len(), 2);
        let ends = &mut ClimbEnds::default();
        let [low, high] =
            climber.extent(ends, &ClimbDirection::new(DVec3::new(f64::NAN, 1.0, 0.0)));
        assert!(low == f64::NEG_INFINITY && high == f64::INFINITY);
        let [low, high] = Climber::new([]).extent(ends, &ClimbDirection::new(DVec3::X));
        assert!(low > high, "no points have an empty extent");
    }
}

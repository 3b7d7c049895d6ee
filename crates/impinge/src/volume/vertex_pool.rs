//! The vertices of many volumes, stored for placing: the extents of rotated vertices.

use super::{TurnedNormal, Vertices, round_up};

/// The vertices of many volumes, one after another in one list.
#[derive(Clone, Debug, Default)]
pub struct VertexPool {
    /// The x, y and z coordinates of [`LANES`] vertices each. The last vertex of a volume is repeated to fill
    /// a group.
    groups: Vec<[[f32; LANES]; 3]>,
    volumes: Vec<Entry>,
}

/// The vertices of one volume.
#[derive(Clone, Copy, Debug)]
struct Entry {
    first_group: u32,
    group_count: u32,
    /// A bound on the distance, along any axis, between a vertex and the stored vertex that represents it.
    slack: f32,
    /// The largest magnitude of a stored coordinate.
    reach: f32,
}

/// The number of vertices processed at a time.
const LANES: usize = 4;

impl VertexPool {
    /// Appends the vertices of a volume.
    pub fn push(&mut self, vertices: &Vertices) {
        let first_group = self.groups.len() as u32;
        let (mut moved, mut reach) = (0.0f64, 0.0f32);
        for points in vertices.points.chunks(LANES) {
            let mut group = [[0.0; LANES]; 3];
            for lane in 0..LANES {
                let point = points[lane.min(points.len() - 1)];
                for (axis, exact) in point.to_array().into_iter().enumerate() {
                    let stored = exact as f32;
                    moved = moved.max((exact - f64::from(stored)).abs());
                    reach = reach.max(stored.abs());
                    group[axis][lane] = stored;
                }
            }
            self.groups.push(group);
        }
        let group_count = self.groups.len() as u32 - first_group;
        let slack = round_up(vertices.slack + moved);
        self.volumes.push(Entry { first_group, group_count, slack, reach });
    }

    /// Returns the memory that the pool does not use.
    pub fn shrink_to_fit(&mut self) {
        self.groups.shrink_to_fit();
        self.volumes.shrink_to_fit();
    }

    /// The memory of the pool, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.groups) + size_of_val(&*self.volumes)
    }

    /// The extent of a volume along a normal of the frame of `a`, slack included.
    ///
    /// A point of the volume is a weighted mean of its vertices, so it lies no further than the furthest
    /// of them. That one is within `slack` of a stored vertex along each axis, which is at most
    /// `length · slack` along the normal.
    #[inline]
    pub fn extent(&self, volume: usize, normal: &TurnedNormal) -> [f64; 2] {
        let Entry { first_group, group_count, slack, reach } = self.volumes[volume];
        let groups = &self.groups[first_group as usize..(first_group + group_count) as usize];
        let [dx, dy, dz] = normal.narrowed;
        let (mut low, mut high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
        for [x, y, z] in groups {
            for j in 0..LANES {
                let along = x[j] * dx + y[j] * dy + z[j] * dz;
                low[j] = if along < low[j] { along } else { low[j] };
                high[j] = if along > high[j] { along } else { high[j] };
            }
        }
        let low = low.into_iter().fold(f32::INFINITY, f32::min);
        let high = high.into_iter().fold(f32::NEG_INFINITY, f32::max);
        // A product, a sum of three terms in `f32`, and the rounded direction: four roundings of 2^−24, of
        // magnitudes that add up to at most `length` times `reach`.
        let rounding = 5.0 / f64::from(1u32 << 24) * f64::from(reach);
        let margin = normal.vertex_margin + normal.length * (f64::from(slack) + rounding);
        [f64::from(low) + normal.offset - margin, f64::from(high) + normal.offset + margin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bounds, Pose,
        generate::Random,
        volume::{BoundingVolume, Dop, Frame, Relative},
    };
    use glam::DVec3;

    /// A DOP placed by its vertices is never looser than one placed by its extents.
    #[test]
    fn tighter_than_placing_by_extents() {
        let frame = Frame::new(&Bounds { min: -DVec3::ONE, max: DVec3::ONE });
        let mut gained = 0.0;
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let corners = [0; 3].map(|_| random.direction());
            let pose = Pose::new(random.rotation(), random.direction()).expect("a rotation");
            let relative = Relative::new(&frame, &Pose::IDENTITY, &frame, &pose);
            let dop = Dop::<9>::enclosing(&[corners]);
            let aligned = dop.placed(&Dop::<9>::placement(&relative));
            let mut pool = VertexPool::default();
            pool.push(&Vertices::of_dop(&dop));
            let normals = Dop::<9>::directions().map(|n| TurnedNormal::new(&relative, n));
            let tight = Dop::<9>::from_extents(|i| pool.extent(0, &normals[i])).expect("a DOP");
            let ([low, high], [least, most]) = (tight.extents(), aligned.extents());
            for i in 0..9 {
                assert!(low[i] > least[i] - 3e-6, "seed {seed}: {} and {}", low[i], least[i]);
                assert!(high[i] < most[i] + 3e-6, "seed {seed}: {} and {}", high[i], most[i]);
                gained += f64::from(most[i] - high[i]) / 18_000.0;
            }
        }
        assert!(
            gained > 0.01,
            "only {gained} tighter on average: placing by vertices gains too little"
        );
    }
}

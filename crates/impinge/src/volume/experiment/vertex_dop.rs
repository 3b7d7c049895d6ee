//! DOPs that store their vertices, and are placed by rotating them (Klosowski 1998, method II).

use crate::volume::{BoundingVolume, Dop, Relative, dop::directions, round_down, round_up};
use glam::DVec3;
use std::sync::OnceLock;

/// A [`Dop`] with its vertices, of which there are at most `V` = 4 `H` − 4.
///
/// Placing it by its rotated vertices gives the tightest DOP around it; a plain [`Dop`] is placed by a fixed
/// linear map of its extents. It takes more memory and more time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexDop<const H: usize, const V: usize> {
    dop: Dop<H>,
    /// The x, y and z coordinates of the vertices. The last vertex is repeated to fill a group of [`LANES`].
    vertices: [[f32; V]; 3],
    /// The number of groups of [`LANES`] vertices in use.
    groups: u32,
    /// A bound on the distance, along any axis, between a vertex and the stored vertex that represents it.
    slack: f32,
    /// The largest magnitude of a coordinate of a vertex.
    reach: f32,
}

/// Data to place these DOPs for one query.
#[derive(Clone, Debug)]
pub struct Placement<const H: usize> {
    rows: [Row; H],
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// A direction of one body, in the frame of the other.
    direction: [f32; 3],
    /// The sum of the magnitudes of its components.
    length: f64,
    offset: f64,
    uncertainty: f64,
}

/// The number of vertices processed at a time.
const LANES: usize = 4;

/// The distance up to which vertices are merged at first: about the rounding error of `f32`.
const MERGING: f64 = 1e-7;

/// A bound on the error of the coordinates of a computed vertex, and of its extents along directions. A
/// coordinate is a sum of three extents of at most 4, times integers of at most 2, divided by an integer.
const VERTEX_GUARD: f64 = 1e-13;

impl<const H: usize, const V: usize> VertexDop<H, V> {
    /// Finds the vertices of a DOP. Each vertex lies on three of its planes and within all others.
    ///
    /// The normals of the planes have small integer components. So the point where three planes meet is known
    /// to about 1e-14, however near other points are. All such points that lie within all planes up to that
    /// error are kept, so that no vertex is missed. Points closer than `merging` are merged, since the same
    /// corner may come up several times; if there are still more than `V`, `merging` grows. The slack
    /// includes it.
    fn new(dop: Dop<H>) -> Self {
        const { assert!(V == 4 * H - 4 && V.is_multiple_of(LANES), "V is the most vertices") };
        let mut merging = MERGING;
        let mut points = [DVec3::ZERO; V];
        loop {
            match vertices(&dop, merging, &mut points) {
                // The DOP is empty or contains NaN: use an infinite slack.
                Some(0) => return Self::with_vertices(dop, &[DVec3::ZERO], f64::INFINITY),
                Some(count) => return Self::with_vertices(dop, &points[..count], merging),
                None => merging *= 4.0,
            }
        }
    }

    fn with_vertices(dop: Dop<H>, points: &[DVec3], merging: f64) -> Self {
        let mut vertices = [[0.0; V]; 3];
        let (mut moved, mut reach) = (0.0f64, 0.0f32);
        let groups = points.len().div_ceil(LANES);
        for j in 0..groups * LANES {
            let point = points[j.min(points.len() - 1)];
            for (axis, exact) in point.to_array().into_iter().enumerate() {
                let stored = exact as f32;
                moved = moved.max((exact - f64::from(stored)).abs());
                reach = reach.max(stored.abs());
                vertices[axis][j] = stored;
            }
        }
        let slack = round_up(merging + moved + 2.0 * VERTEX_GUARD);
        Self { dop, vertices, groups: groups as u32, slack, reach }
    }

    /// The DOP without its vertices.
    pub fn dop(&self) -> &Dop<H> {
        &self.dop
    }

    /// The stored vertices: each vertex of the DOP is within the slack of one of them.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = DVec3> {
        let [x, y, z] = self.vertices;
        (0..self.groups as usize * LANES)
            .map(move |j| DVec3::new(f64::from(x[j]), f64::from(y[j]), f64::from(z[j])))
    }
}

/// Collects points such that each vertex of a DOP is within `merging` of one of them, along every axis.
/// Returns their number, or `None` if there are more than `V`.
fn vertices<const H: usize, const V: usize>(
    dop: &Dop<H>,
    merging: f64,
    points: &mut [DVec3; V],
) -> Option<usize> {
    let directions = const { directions::<H>() };
    let [low, high] = dop.extents().map(|extents| extents.map(f64::from));
    let mut count = 0;
    for Triple { sources, columns } in triples::<H>() {
        for ends in 0..8 {
            let end = |i: usize| if ends >> i & 1 == 0 { low } else { high }[sources[i]];
            let point = columns[0] * end(0) + columns[1] * end(1) + columns[2] * end(2);
            let is_within = (0..H).all(|i| {
                let along = directions[i].dot(point);
                low[i] - VERTEX_GUARD <= along && along <= high[i] + VERTEX_GUARD
            });
            let is_merged = |known: &DVec3| (*known - point).abs().max_element() <= merging;
            if !is_within || points[..count].iter().any(is_merged) {
                continue;
            }
            *points.get_mut(count)? = point;
            count += 1;
        }
    }
    Some(count)
}

/// Three linearly independent directions, and the columns of the matrix that maps extents along them to a
/// point.
struct Triple {
    sources: [usize; 3],
    columns: [DVec3; 3],
}

fn triples<const H: usize>() -> &'static [Triple] {
    static TRIPLES: [OnceLock<Vec<Triple>>; 14] = [const { OnceLock::new() }; 14];
    TRIPLES[H].get_or_init(|| {
        let directions = const { directions::<H>() };
        let mut triples = Vec::new();
        for i in 0..H {
            for j in i + 1..H {
                for k in j + 1..H {
                    let [a, b, c] = [i, j, k].map(|source| directions[source]);
                    let determinant = a.dot(b.cross(c));
                    if determinant != 0.0 {
                        let columns = [b.cross(c), c.cross(a), a.cross(b)].map(|v| v / determinant);
                        triples.push(Triple { sources: [i, j, k], columns });
                    }
                }
            }
        }
        triples
    })
}

impl<const H: usize, const V: usize> BoundingVolume for VertexDop<H, V> {
    type Placed = Dop<H>;
    type Placement = Placement<H>;

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        Self::new(Dop::enclosing(triangles))
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        self.dop.merged(&other.dop).map(Self::new)
    }

    fn placement(relative: &Relative) -> Placement<H> {
        let directions = const { directions::<H>() };
        let row = |i: usize| {
            let direction = relative.matrix.transpose() * directions[i];
            let length = direction.abs().element_sum();
            // Larger values might overflow `f32`.
            let is_in_range = length < 1e30;
            let slack = 3.0 * relative.uncertainty(32.0) + directions[i].length() * relative.buffer;
            Row {
                direction: direction.as_vec3().to_array(),
                length,
                offset: directions[i].dot(relative.offset),
                uncertainty: if is_in_range { slack } else { f64::INFINITY },
            }
        };
        Placement { rows: std::array::from_fn(row) }
    }

    fn placed(&self, placement: &Placement<H>) -> Dop<H> {
        // A product, a sum of three terms in `f32`, and the rounded direction: four roundings of 2^−24, of
        // magnitudes that add up to at most `length` times `reach`.
        let rounding = 5.0 / f64::from(1u32 << 24) * f64::from(self.reach);
        let margin = f64::from(self.slack) + rounding;
        let [x, y, z] = self.vertices.each_ref().map(|axis| axis.as_chunks::<LANES>().0);
        let extents = placement.rows.each_ref().map(|row| {
            let [dx, dy, dz] = row.direction;
            let (mut low, mut high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
            for group in 0..self.groups as usize {
                let (x, y, z) = (x[group], y[group], z[group]);
                for j in 0..LANES {
                    let along = x[j] * dx + y[j] * dy + z[j] * dz;
                    low[j] = if along < low[j] { along } else { low[j] };
                    high[j] = if along > high[j] { along } else { high[j] };
                }
            }
            let low = low.into_iter().fold(f32::INFINITY, f32::min);
            let high = high.into_iter().fold(f32::NEG_INFINITY, f32::max);
            let margin = row.uncertainty + row.length * margin;
            [f64::from(low) + row.offset - margin, f64::from(high) + row.offset + margin]
        });
        Dop::from_extents(
            extents.map(|[low, _]| round_down(low)),
            extents.map(|[_, high]| round_up(high)),
        )
    }

    #[inline]
    fn overlaps(&self, other: &Dop<H>) -> bool {
        self.dop.overlaps(other)
    }

    fn distance_below(&self, other: &Dop<H>) -> f64 {
        self.dop.distance_below(other)
    }

    fn depth_above(&self, other: &Dop<H>) -> f64 {
        self.dop.depth_above(other)
    }

    fn size(&self) -> f32 {
        self.dop.size()
    }

    fn volume(&self, pad: f64) -> f64 {
        self.dop.volume(pad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Pose, generate::Random, volume::Frame};

    /// Every vertex lies on the DOP, and the DOP of the vertices is the original one.
    #[test]
    fn vertices_span_the_dop() {
        fn check<const H: usize, const V: usize>() {
            for seed in 0..500 {
                let mut random = Random::new(seed);
                // From flat shapes to shapes whose vertices nearly coincide.
                let size = [1.0, 1e-3, 1e-7][random.below(3) as usize];
                let flat = [1.0, 1e-7, 0.0][random.below(3) as usize];
                let at = random.direction() * 0.5;
                let corners =
                    [0; 3].map(|_| at + random.direction() * DVec3::new(size, size, size * flat));
                let volume = VertexDop::<H, V>::enclosing(&[corners]);
                let points: Vec<_> = volume.vertices().map(|p| [p; 3]).collect();
                let again = Dop::<H>::enclosing(&points);
                let [low, high] = volume.dop().extents();
                let [low_again, high_again] = again.extents();
                for i in 0..H {
                    let margin = 3.0 * volume.slack + 1e-6;
                    assert!((low[i] - low_again[i]).abs() <= margin, "seed {seed}, H {H}, {i}");
                    assert!((high[i] - high_again[i]).abs() <= margin, "seed {seed}, H {H}, {i}");
                }
                assert!(volume.slack < 2e-6, "seed {seed}, H {H}: slack {}", volume.slack);
            }
        }
        check::<3, 8>();
        check::<4, 12>();
        check::<7, 24>();
        check::<9, 32>();
        check::<13, 48>();
    }

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
            type Vertices = VertexDop<9, 32>;
            let dop = Dop::<9>::enclosing(&[corners]);
            let aligned = dop.placed(&Dop::<9>::placement(&relative));
            let tight = Vertices::enclosing(&[corners]).placed(&Vertices::placement(&relative));
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

    /// Vertices are merged until they fit into the given array.
    #[test]
    fn too_many_vertices_are_merged() {
        let dop = Dop::<13>::enclosing(&[[DVec3::X, DVec3::Y, DVec3::Z]]);
        let mut few = [DVec3::ZERO; 4];
        assert_eq!(vertices(&dop, 1e-7, &mut few), None);
        assert!(vertices(&dop, 3.0, &mut few).is_some_and(|count| count > 0));
        let nothing = VertexDop::<3, 8>::enclosing(&[]);
        assert!(nothing.slack == f32::INFINITY, "{nothing:?}");
    }
}

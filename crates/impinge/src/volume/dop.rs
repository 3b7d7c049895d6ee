//! k-DOPs: convex polytopes between pairs of parallel planes with fixed normals (Klosowski 1998).

use super::{
    BoundingVolume, GUARD, RELATIVE_GUARD, Relative, SavedVolume, Vertices, polytope, round_down,
    round_up,
};
use glam::DVec3;

/// A discrete orientation polytope with `H` pairs of parallel planes, that is k = 2`H` facets.
///
/// `H` is 3 (axes), 4 (corners of a cube), 6 (its edges), 7 (axes and corners), 9 (axes and
/// edges), 10 (corners and edges) or 13 (all): the 6-, 8-, 12-, 14-, 18-, 20- and 26-DOP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dop<const H: usize> {
    low: [f32; H],
    high: [f32; H],
}

/// Directions from the center of a cube to its faces, corners and edges; one of each opposite pair.
const AXES: [[i8; 3]; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const CORNERS: [[i8; 3]; 4] = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]];
const EDGES: [[i8; 3]; 6] = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, -1, 0], [1, 0, -1], [0, 1, -1]];

/// The directions of a DOP. Components are integers, so that distances along them are sums of coordinates.
pub(super) const fn directions<const H: usize>() -> [DVec3; H] {
    let groups: &[&[[i8; 3]]] = match H {
        3 => &[&AXES],
        4 => &[&CORNERS],
        6 => &[&EDGES],
        7 => &[&AXES, &CORNERS],
        9 => &[&AXES, &EDGES],
        10 => &[&CORNERS, &EDGES],
        13 => &[&AXES, &CORNERS, &EDGES],
        _ => panic!("there is no DOP with this number of plane pairs"),
    };
    let mut directions = [DVec3::ZERO; H];
    let (mut i, mut group, mut member) = (0, 0, 0);
    while i < H {
        if member == groups[group].len() {
            (group, member) = (group + 1, 0);
        }
        let [x, y, z] = groups[group][member];
        directions[i] = DVec3::new(x as f64, y as f64, z as f64);
        (i, member) = (i + 1, member + 1);
    }
    directions
}

/// The directions of a k-DOP; none if there is no such k.
pub(crate) fn dop_directions(k: usize) -> &'static [DVec3] {
    match k {
        6 => const { &directions::<3>() },
        8 => const { &directions::<4>() },
        12 => const { &directions::<6>() },
        14 => const { &directions::<7>() },
        18 => const { &directions::<9>() },
        20 => const { &directions::<10>() },
        26 => const { &directions::<13>() },
        _ => &[],
    }
}

/// Data to place DOPs for one query. Each direction of one body, turned into the other's frame, is a sum of
/// three directions of the other with non-negative weights. So the extent along it is at most the weighted
/// sum of their extents: a fixed linear map.
///
/// Where the bodies are turned alike, each extent is scaled and moved instead.
#[derive(Clone, Debug)]
pub enum Placement<const H: usize> {
    /// For bodies that are turned differently.
    Turned(TurnedRows<H>),
    /// For bodies that are turned alike.
    Moved(Moved<H>),
}

/// How extents along all directions follow from others.
#[derive(Clone, Debug)]
pub struct TurnedRows<const H: usize> {
    rows: [Row; H],
}

/// How far extents are moved, rounded outward, after they are scaled.
#[derive(Clone, Debug)]
pub struct Moved<const H: usize> {
    scale: f64,
    low: [f64; H],
    high: [f64; H],
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Indices of the three directions; `H + i` stands for the opposite of direction `i`.
    sources: [u8; 3],
    weights: [f64; 3],
    offset: f64,
    uncertainty: f64,
}

impl<const H: usize> Dop<H> {
    /// The directions along which extents are measured: one of each opposite pair, not normalised.
    pub fn directions() -> [DVec3; H] {
        const { directions::<H>() }
    }

    /// The extents along the directions: all lower ends, then all upper ends.
    pub fn extents(&self) -> [&[f32; H]; 2] {
        [&self.low, &self.high]
    }
}

impl<const H: usize> BoundingVolume for Dop<H> {
    type Placed = Self;
    type Placement = Placement<H>;

    const NORMALS: &'static [DVec3] = &directions::<H>();

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        let directions = const { directions::<H>() };
        let (mut low, mut high) = ([f64::INFINITY; H], [f64::NEG_INFINITY; H]);
        for corner in triangles.iter().flatten() {
            for (i, direction) in directions.iter().enumerate() {
                let along = direction.dot(*corner);
                low[i] = low[i].min(along);
                high[i] = high[i].max(along);
            }
        }
        Self {
            low: low.map(|x| round_down(x - 4.0 * GUARD)),
            high: high.map(|x| round_up(x + 4.0 * GUARD)),
        }
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        Some(Self {
            low: std::array::from_fn(|i| self.low[i].min(other.low[i])),
            high: std::array::from_fn(|i| self.high[i].max(other.high[i])),
        })
    }

    fn placement(relative: &Relative) -> Placement<H> {
        let directions = const { directions::<H>() };
        if relative.is_translation {
            let scale = relative.matrix.x_axis.x;
            let uncertainty = 3.0 * relative.uncertainty(2.0);
            let moved = |i: usize| {
                let (direction, size) = (directions[i], relative.offset.abs().element_sum());
                let slack = uncertainty + direction.length() * relative.buffer;
                let slack = slack + RELATIVE_GUARD * (8.0 * scale + size);
                (direction.dot(relative.offset), slack)
            };
            return Placement::Moved(Moved {
                scale,
                low: std::array::from_fn(|i| moved(i).0 - moved(i).1),
                high: std::array::from_fn(|i| moved(i).0 + moved(i).1),
            });
        }
        let row = |i: usize| {
            let direction = directions[i];
            let wanted = relative.matrix.transpose() * direction;
            let (sources, weights) = combination::<H>(&directions, wanted);
            // The difference between the wanted direction and the weighted sum, times the largest extent,
            // goes into the uncertainty.
            let combined =
                sources.iter().zip(weights).fold(DVec3::ZERO, |sum, (&source, weight)| {
                    sum + weight * signed(&directions, usize::from(source))
                });
            let missed = 2.0 * (wanted - combined).abs().element_sum();
            let size = 8.0 * weights.iter().sum::<f64>() + relative.offset.abs().element_sum();
            let slack = 3.0 * relative.uncertainty(2.0) + direction.length() * relative.buffer;
            Row {
                sources,
                weights,
                offset: direction.dot(relative.offset),
                uncertainty: missed + slack + RELATIVE_GUARD * size,
            }
        };
        Placement::Turned(TurnedRows { rows: std::array::from_fn(row) })
    }

    fn placed(&self, placement: &Placement<H>) -> Self {
        let rows = match placement {
            Placement::Turned(TurnedRows { rows }) => rows,
            Placement::Moved(Moved { scale, low, high }) => {
                // Two loops: one over both ends takes twice as long for 26 facets.
                return Self {
                    low: std::array::from_fn(|i| {
                        round_down(scale * f64::from(self.low[i]) + low[i])
                    }),
                    high: std::array::from_fn(|i| {
                        round_up(scale * f64::from(self.high[i]) + high[i])
                    }),
                };
            }
        };
        let mut placed = *self;
        for (i, row) in rows.iter().enumerate() {
            let (mut low, mut high) = (row.offset - row.uncertainty, row.offset + row.uncertainty);
            for (&source, weight) in row.sources.iter().zip(row.weights) {
                let source = usize::from(source);
                // The extent along the opposite direction: both ends negated and exchanged.
                let (from, to) = match source.checked_sub(H) {
                    None => (self.low[source], self.high[source]),
                    Some(opposite) => (-self.high[opposite], -self.low[opposite]),
                };
                low += weight * f64::from(from);
                high += weight * f64::from(to);
            }
            placed.low[i] = round_down(low);
            placed.high[i] = round_up(high);
        }
        placed
    }

    fn from_extents(mut extent: impl FnMut(usize) -> [f64; 2]) -> Option<Self> {
        let mut dop = Self { low: [0.0; H], high: [0.0; H] };
        for i in 0..H {
            let [low, high] = extent(i);
            (dop.low[i], dop.high[i]) = (round_down(low), round_up(high));
        }
        Some(dop)
    }

    fn vertices(&self) -> Option<Vertices> {
        Some(Vertices::of_dop(self))
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        // Compares all directions without an early exit, so that the compiler can vectorise and no branch is
        // mispredicted. Early exits were slower with every order of directions.
        let mut is_apart = false;
        for i in 0..H {
            is_apart |= self.low[i] > other.high[i];
            is_apart |= other.low[i] > self.high[i];
        }
        !is_apart
    }

    fn distance_below(&self, other: &Self) -> f64 {
        // Distances along a direction n are |n| times too long. Of each group of directions only the largest
        // gap counts, except that gaps along the three axes combine as in a box.
        let gap = |low: f32, high: f32| (f64::from(low) - f64::from(high)).max(0.0);
        let gap = |i: usize| gap(self.low[i], other.high[i]).max(gap(other.low[i], self.high[i]));
        let largest = |from: usize, to: usize| (from..to).map(gap).fold(0.0, f64::max);
        let axes = if matches!(H, 3 | 7 | 9 | 13) { 3 } else { 0 };
        let corners = if matches!(H, 4 | 7 | 10 | 13) { 4 } else { 0 };
        let along_axes = (0..axes).map(|i| gap(i) * gap(i)).sum::<f64>().sqrt();
        let along_corners = largest(axes, axes + corners) / 3f64.sqrt();
        let along_edges = largest(axes + corners, H) / 2f64.sqrt();
        along_axes.max(along_corners).max(along_edges) * (1.0 - RELATIVE_GUARD)
    }

    fn depth_above(&self, other: &Self) -> f64 {
        // Distances along a direction n are |n| times too long.
        let directions = const { directions::<H>() };
        let overlap = |high: f32, low: f32| f64::from(high) - f64::from(low);
        let depth = |i: usize| {
            let least =
                overlap(self.high[i], other.low[i]).min(overlap(other.high[i], self.low[i]));
            least / directions[i].length()
        };
        (0..H).map(depth).fold(f64::INFINITY, f64::min).max(0.0) * (1.0 + RELATIVE_GUARD)
    }

    fn size(&self) -> f32 {
        (0..H).map(|i| self.high[i] - self.low[i]).sum()
    }

    fn volume(&self, pad: f64) -> f64 {
        polytope::volume(&const { directions::<H>() }, &self.low, &self.high, pad)
    }
}

impl<const H: usize> SavedVolume for Dop<H> {
    /// The k of the DOP: 6, 8, 12, 14, 18, 20 or 26.
    const KIND: u32 = 2 * H as u32;
}

/// Direction `source`; for `source ≥ H` the opposite of direction `source − H`.
pub(super) fn signed<const H: usize>(directions: &[DVec3; H], source: usize) -> DVec3 {
    match source.checked_sub(H) {
        None => directions[source],
        Some(opposite) => -directions[opposite],
    }
}

/// Writes a vector as a sum of three directions close to it, with non-negative weights. The directions are
/// the corners of the facet that the vector passes through, on the convex hull of all directions scaled to
/// unit length.
///
/// The set of directions is closed under permutation and negation of components. So it is enough to know the
/// facets where x ≥ y ≥ z ≥ 0: the vector is mapped there, and its facet is mapped back.
pub(super) fn combination<const H: usize>(
    directions: &[DVec3; H],
    wanted: DVec3,
) -> ([u8; 3], [f64; 3]) {
    let magnitudes = wanted.abs().to_array();
    let mut order = [0, 1, 2];
    order.sort_unstable_by(|&i, &j| magnitudes[j].total_cmp(&magnitudes[i]));
    let (corners, weights) = facet::<H>(order.map(|axis| magnitudes[axis]));
    let sources = corners.map(|corner| {
        let mut vector = DVec3::ZERO;
        for (axis, component) in order.into_iter().zip(corner) {
            vector[axis] = if wanted[axis] < 0.0 { -component } else { component };
        }
        let position = (0..2 * H).position(|source| signed(directions, source) == vector);
        position.map_or(0, |source| source as u8)
    });
    (sources, weights)
}

/// The facet through which a vector with components x ≥ y ≥ z ≥ 0 passes, and the weights of its corners. A
/// facet with four corners is split in two triangles.
fn facet<const H: usize>([x, y, z]: [f64; 3]) -> ([[f64; 3]; 3], [f64; 3]) {
    const AXIS: [f64; 3] = [1.0, 0.0, 0.0];
    const EDGE: [f64; 3] = [1.0, 1.0, 0.0];
    const OTHER_EDGE: [f64; 3] = [1.0, 0.0, 1.0];
    const CORNER: [f64; 3] = [1.0, 1.0, 1.0];
    let is_near_axis = x >= y + z;
    match H {
        3 => ([AXIS, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [x, y, z]),
        4 => {
            let corners = [CORNER, [1.0, 1.0, -1.0], [1.0, -1.0, 1.0]];
            (corners, [(y + z) / 2.0, (x - z) / 2.0, (x - y) / 2.0])
        }
        6 | 10 if is_near_axis => {
            let weights = [y, (x - y + z) / 2.0, (x - y - z) / 2.0];
            ([EDGE, OTHER_EDGE, [1.0, 0.0, -1.0]], weights)
        }
        9 if is_near_axis => ([AXIS, EDGE, OTHER_EDGE], [x - y - z, y, z]),
        6 | 9 => {
            let weights = [(x + y - z) / 2.0, (x - y + z) / 2.0, (y + z - x) / 2.0];
            ([EDGE, OTHER_EDGE, [0.0, 1.0, 1.0]], weights)
        }
        7 => ([AXIS, CORNER, [1.0, 1.0, -1.0]], [x - y, (y + z) / 2.0, (y - z) / 2.0]),
        10 => ([EDGE, OTHER_EDGE, CORNER], [x - z, x - y, y + z - x]),
        _ => ([AXIS, EDGE, CORNER], [x - y, y - z, z]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    /// The test of all directions at once agrees with one at a time, for touching intervals and NaN too.
    #[test]
    fn overlap_means_overlap_of_every_interval() {
        let values = [0.0, -0.0, 1.0, 2.0, 3.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let mut counts = [0; 2];
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            let odd = random.below(4) == 0;
            let mut dop = || {
                let mut extent = [0.0; 9].map(|_| {
                    let [p, q] = [0; 2].map(|_| random.below(if odd { 8 } else { 5 }));
                    [values[p.min(q) as usize], values[p.max(q) as usize]]
                });
                extent[random.below(9) as usize] = [1.0, 2.0];
                Dop::<9> { low: extent.map(|[low, _]| low), high: extent.map(|[_, high]| high) }
            };
            let (a, b) = (dop(), dop());
            let is_apart = (0..9).any(|i| a.low[i] > b.high[i] || b.low[i] > a.high[i]);
            assert_eq!(a.overlaps(&b), !is_apart, "seed {seed}: {a:?} {b:?}");
            counts[usize::from(is_apart)] += 1;
        }
        assert!(counts.iter().all(|&n| n > 1000), "one-sided cases: {counts:?}");
    }

    /// The weighted directions add up to the vector, weights are not negative, and no other three directions
    /// give a tighter bound for a ball.
    #[test]
    fn combinations_make_up_the_vector() {
        fn check<const H: usize>() {
            let directions = const { directions::<H>() };
            for seed in 0..2000 {
                let mut random = Random::new(seed);
                let mut wanted = random.direction() * random.range(0.1, 3.0);
                // Ties and zeros, where facets meet.
                match random.below(6) {
                    0 => wanted.y = wanted.x,
                    1 => wanted.z = -wanted.y,
                    2 => wanted.x = 0.0,
                    3 => wanted = DVec3::new(0.0, wanted.y, -0.0),
                    _ => {}
                }
                let (sources, weights) = combination::<H>(&directions, wanted);
                let vectors = sources.map(|source| signed(&directions, usize::from(source)));
                let combined =
                    vectors[0] * weights[0] + vectors[1] * weights[1] + vectors[2] * weights[2];
                assert!(
                    (combined - wanted).length() < 1e-14,
                    "H {H}, seed {seed}: {combined} for {wanted}"
                );
                assert!(weights.iter().all(|&w| w >= -1e-15), "H {H}, seed {seed}: {weights:?}");
                let cost = |vectors: [DVec3; 3], weights: [f64; 3]| -> f64 {
                    vectors.iter().zip(weights).map(|(v, w)| v.length() * w).sum()
                };
                let ours = cost(vectors, weights);
                for i in 0..2 * H {
                    for j in 0..i {
                        for k in 0..j {
                            let others = [i, j, k].map(|source| signed(&directions, source));
                            let matrix = glam::DMat3::from_cols(others[0], others[1], others[2]);
                            if matrix.determinant() == 0.0 {
                                continue;
                            }
                            let weights = (matrix.inverse() * wanted).to_array();
                            let least = cost(others, weights);
                            let is_better =
                                weights.iter().all(|&w| w >= 0.0) && least < ours * (1.0 - 1e-9);
                            assert!(!is_better, "H {H}, seed {seed}: {others:?} for {wanted}");
                        }
                    }
                }
            }
        }
        check::<3>();
        check::<4>();
        check::<6>();
        check::<7>();
        check::<9>();
        check::<10>();
        check::<13>();
    }
}

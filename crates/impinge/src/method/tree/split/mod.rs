//! Partitioning a set of faces in two: the split rules of binary trees, called by `build/`.
//!
//! Every rule takes linear time for any faces, and leaves neither side empty. A rule may still
//! split off one face at a time; [`Splitter::split`] limits the depth of that, so that a whole tree
//! takes time n log n.

mod extent;
mod growth;
mod plane;
mod regroup;
mod surface;

pub use regroup::Regroup;

use super::build::{BuildOptions, Source};
use glam::DVec3;

/// The rule by which nodes are split.
///
/// Volumes and surface areas are those of axis-aligned boxes, whatever the tree's volumes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitRule {
    /// Along the direction in which the faces reach farthest.
    LongestSide,
    /// Along the direction in which the faces' centroids have the greatest variance.
    #[default]
    Splatter,
    /// Along the direction for which the sum of the children's volumes is least.
    MinSum,
    /// Along the direction for which the larger child's volume is least.
    MinMax,
    /// Where the sum over the children of surface area times number of faces is least. Chooses
    /// direction and position together, among a few equally spaced positions.
    SurfaceArea,
    /// Starts from a face at either end of a direction, and adds every other face to the set whose
    /// volume grows less; takes the direction with the least volume (Zachmann 2002). [`SplitPoint`]
    /// has no effect.
    LeastGrowth,
}

impl SplitRule {
    /// All rules.
    pub const ALL: [Self; 6] = [
        Self::LongestSide,
        Self::Splatter,
        Self::MinSum,
        Self::MinMax,
        Self::SurfaceArea,
        Self::LeastGrowth,
    ];
}

/// The position of the split plane along its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitPoint {
    /// The mean of the faces' centroids.
    #[default]
    Mean,
    /// Their median, which makes the tree as shallow as possible.
    Median,
}

/// The directions along which nodes may be split (Klosowski 1998, ch. 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitDirections {
    /// The three axes.
    #[default]
    Axes,
    /// The axes, and towards the corners of a cube: the 7 of a 14-DOP.
    Corners,
    /// The axes, and towards the edges of a cube: the 9 of an 18-DOP.
    Edges,
    /// All 13 of a 26-DOP.
    All,
}

/// Axes, edges and corners, then the axes again, so that every choice is a contiguous range.
const DIRECTIONS: [[i8; 3]; 16] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
    [1, -1, 0],
    [1, 0, -1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [-1, 1, 1],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
];

impl SplitDirections {
    /// The direction vectors. They are integers, not of unit length, so that positions along them
    /// are sums of coordinates.
    fn vectors(self) -> Vec<DVec3> {
        let chosen = match self {
            Self::Axes => 0..3,
            Self::Corners => 9..16,
            Self::Edges => 0..9,
            Self::All => 0..13,
        };
        DIRECTIONS[chosen].iter().map(|d| DVec3::from_array(d.map(f64::from))).collect()
    }
}

/// A face, or a piece of one, as the builder sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) piece: u32,
    pub(super) middle: DVec3,
    pub(super) min: DVec3,
    pub(super) max: DVec3,
}

/// Partitions sets of items by the rules of some options.
pub(super) struct Splitter<'s> {
    source: &'s Source<'s>,
    rule: SplitRule,
    point: SplitPoint,
    regroup: Regroup,
    directions: Vec<DVec3>,
    /// The depth from which items are halved at the median.
    max_rule_depth: u32,
}

impl<'s> Splitter<'s> {
    pub(super) fn new(source: &'s Source<'s>, options: &BuildOptions) -> Self {
        Self {
            source,
            rule: options.rule,
            point: options.point,
            regroup: options.regroup,
            directions: options.directions.vectors(),
            max_rule_depth: 2 * source.len().max(1).ilog2() + 8,
        }
    }

    /// Partitions the items of a node in two. Returns how many come first: never none and never
    /// all.
    ///
    /// Takes linear time. Rules can split off one face at a time. Below some depth, items are
    /// halved at the median, so no tree is deeper than three times the logarithm of its faces, plus
    /// 9.
    pub(super) fn split(&self, items: &mut [Item], depth: u32) -> usize {
        if depth >= self.max_rule_depth {
            let direction = self.widest_scatter(items);
            return plane::split_at(items, direction, SplitPoint::Median);
        }
        match self.regroup {
            Regroup::Never => self.split_once(items),
            regroup => self.split_and_regroup(items, regroup),
        }
    }

    fn split_once(&self, items: &mut [Item]) -> usize {
        let direction = match self.rule {
            SplitRule::LongestSide => self.longest_side(items),
            SplitRule::Splatter => self.widest_scatter(items),
            SplitRule::MinSum => self.cheapest(items, |first, second| first + second),
            SplitRule::MinMax => self.cheapest(items, f64::max),
            SplitRule::SurfaceArea => return self.by_surface(items),
            SplitRule::LeastGrowth => return self.by_growth(items),
        };
        plane::split_at(items, direction, self.point)
    }
}

/// Moves the items that go first to the front. Returns how many they are, or half of all if none or
/// all go first. Calls `goes_first` once for each item, in order.
fn partition(items: &mut [Item], mut goes_first: impl FnMut(usize, &Item) -> bool) -> usize {
    let mut count = 0;
    for i in 0..items.len() {
        if goes_first(i, &items[i]) {
            items.swap(i, count);
            count += 1;
        }
    }
    if count == 0 || count == items.len() { items.len() / 2 } else { count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mesh, generate::Random, volume::Frame};

    /// Items whose boxes are points.
    fn items(middles: impl IntoIterator<Item = DVec3>) -> Vec<Item> {
        let item = |(piece, middle)| Item { piece, middle, min: middle, max: middle };
        (0..).zip(middles).map(item).collect()
    }

    fn split(items: &mut [Item], options: &BuildOptions, depth: u32) -> usize {
        let faces = (0..items.len() as u32).map(|i| [i; 3]).collect();
        let mut positions = vec![DVec3::ZERO; items.len()];
        for item in items.iter() {
            positions[item.piece as usize] = item.middle;
        }
        let mesh = Mesh::new(positions, faces).unwrap();
        let frame = Frame::new(&mesh.bounds());
        let source = Source::new(&mesh, &frame, 0);
        Splitter::new(&source, options).split(items, depth)
    }

    /// The pieces of both sides; the side with the least piece comes first.
    fn sides(items: &[Item], count: usize) -> [Vec<u32>; 2] {
        let (first, second) = items.split_at(count);
        let mut sides = [first, second].map(|side| {
            let mut pieces: Vec<u32> = side.iter().map(|item| item.piece).collect();
            pieces.sort_unstable();
            pieces
        });
        sides.sort();
        sides
    }

    const DIRECTIONS: [SplitDirections; 4] = [
        SplitDirections::Axes,
        SplitDirections::Corners,
        SplitDirections::Edges,
        SplitDirections::All,
    ];
    const REGROUP: [Regroup; 3] = [Regroup::Never, Regroup::LeastVolume, Regroup::LeastVolumeEach];

    #[test]
    fn no_side_is_empty_and_nothing_is_lost() {
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let count = 2 + random.below(12);
            // Often several at one position, on a line or in a plane.
            let (x, y, z) = (random.below(4), random.below(4), random.below(2));
            let mut number = |below: u64| random.below(below + 1) as f64;
            let middles: Vec<DVec3> =
                (0..count).map(|_| DVec3::new(number(x), number(y), number(z))).collect();
            for rule in SplitRule::ALL {
                for directions in DIRECTIONS {
                    for regroup in REGROUP {
                        for (point, depth) in
                            [(SplitPoint::Mean, 0), (SplitPoint::Median, 0), (SplitPoint::Mean, 99)]
                        {
                            let options = BuildOptions::default().rule(rule).point(point);
                            let options = options.directions(directions).regroup(regroup);
                            let mut items = items(middles.iter().copied());
                            let first = split(&mut items, &options, depth);
                            assert!(first > 0 && first < items.len(), "seed {seed}, {options:?}");
                            items.sort_by_key(|item| item.piece);
                            let is_there = |(i, item): (usize, &Item)| item.piece as usize == i;
                            assert!(
                                items.iter().enumerate().all(is_there),
                                "seed {seed}, {options:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// Two groups of very different size: these rules find the gap, which the mean need not.
    #[test]
    fn surface_and_growth_rules_find_a_gap() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let axis = DVec3::AXES[random.below(3) as usize];
            let middles: Vec<DVec3> = (0..64)
                .map(|i| random.direction() + axis * if i < 3 { 40.0 } else { 0.0 })
                .collect();
            for rule in [SplitRule::SurfaceArea, SplitRule::LeastGrowth] {
                let mut items = items(middles.iter().copied());
                for item in &mut items {
                    (item.min, item.max) = (item.middle - 0.3, item.middle + 0.3);
                }
                let count = split(&mut items, &BuildOptions::default().rule(rule), 0);
                let [few, _] = sides(&items, count);
                assert_eq!(few, [0, 1, 2], "seed {seed}, {rule:?}");
            }
        }
    }

    /// Points along a diagonal of a plate that is longer than it is wide.
    #[test]
    fn a_diagonal_is_split_across() {
        for (i, direction) in super::DIRECTIONS.iter().enumerate().take(13) {
            let direction = DVec3::from_array(direction.map(f64::from));
            let across = direction.normalize().any_orthonormal_vector();
            let middles: Vec<DVec3> = (0..100)
                .map(|k| direction * f64::from(k) + across * f64::from(k * 37 % 30))
                .collect();
            for rule in [SplitRule::Splatter, SplitRule::LongestSide] {
                let mut items = items(middles.iter().copied());
                let options = BuildOptions::default().rule(rule).directions(SplitDirections::All);
                let count = split(&mut items, &options, 0);
                let [first, second] = sides(&items, count);
                let expected = [(0..50).collect::<Vec<u32>>(), (50..100).collect()];
                assert_eq!([first, second], expected, "direction {i}, {rule:?}");
            }
        }
    }

    /// Regrouping compares seven ways: here the first split of four groups cuts the wrong way.
    #[test]
    fn four_groups_are_merged_differently() {
        // Along y the groups have the greatest variance, but those of equal x have less volume
        // together.
        let heap = |x: f64, y: f64, size: f64| {
            (0..8).map(move |i| {
                let [a, b, c] = [i & 1, i >> 1 & 1, i >> 2].map(f64::from);
                DVec3::new(x + a * size, y + b * size, c * size)
            })
        };
        let middles: Vec<DVec3> = heap(0.0, 0.0, 1.0)
            .chain(heap(8.0, 0.0, 0.1))
            .chain(heap(0.0, 9.0, 1.0))
            .chain(heap(8.0, 9.0, 0.1))
            .collect();
        let paired = |regroup| {
            let mut items = items(middles.iter().copied());
            let count = split(&mut items, &BuildOptions::default().regroup(regroup), 0);
            sides(&items, count)
        };
        let by_y = [(0..16).collect::<Vec<u32>>(), (16..32).collect()];
        let by_x = [(0..8).chain(16..24).collect::<Vec<u32>>(), (8..16).chain(24..32).collect()];
        assert_eq!(paired(Regroup::Never), by_y);
        assert_eq!(paired(Regroup::LeastVolume), by_x);
        assert_eq!(paired(Regroup::LeastVolumeEach), by_x);
    }

    /// The least volume separates one group, where weighing by the number of faces prefers even
    /// pairs.
    #[test]
    fn regrouping_can_weigh_by_the_number_of_faces() {
        let mut found = [0, 0];
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let middles: Vec<DVec3> = (0..64).map(|_| random.direction() * random.unit()).collect();
            for (regroup, found) in
                [Regroup::LeastVolume, Regroup::LeastVolumeEach].iter().zip(&mut found)
            {
                let mut items = items(middles.iter().copied());
                let count = split(&mut items, &BuildOptions::default().regroup(*regroup), 0);
                *found += usize::from(count.min(64 - count) < 22);
            }
        }
        let [volume, each] = found;
        assert!(volume > 2 * each, "{volume} and {each} of 200 splits are uneven");
    }
}

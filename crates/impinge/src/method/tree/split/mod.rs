//! Partitioning a set of faces in two: the split rules of binary trees, called by `build/`.
//!
//! Every rule takes linear time for any faces, and leaves neither side empty. A rule may still
//! split off one face at a time; [`Splitter::split`] limits the depth of that, so that a whole tree
//! takes time n log n.

mod box_axes;
mod extent;
mod growth;
mod plane;
mod regroup;
mod surface;

use regroup::MAX_LEVELS;
pub use regroup::Regroup;

use super::build::{BuildOptions, Source};
use crate::volume::BoundingVolume;
use glam::DVec3;
use std::marker::PhantomData;

/// The rule by which nodes are split.
///
/// [`MinSum`](Self::MinSum) and [`MinMax`](Self::MinMax) measure the tree's own volumes: the polytopes of
/// k-DOPs, oriented boxes, spheres. [`SurfaceArea`](Self::SurfaceArea) and
/// [`LeastGrowth`](Self::LeastGrowth) measure axis-aligned boxes, whatever the tree's volumes are.
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
    /// Across the longest axis of the node's own box, at the mean of its vertices; if all centroids are on
    /// one side, across the second longest, then the shortest (Gottschalk, Lin and Manocha 1996: RAPID).
    /// Oriented boxes have axes of their own; other volumes have the axes of the mesh.
    /// [`SplitDirections`] has no effect.
    ///
    /// Faces with one common centroid are indivisible in the paper and make a leaf of any size. Here they
    /// are halved in their given order, so that no leaf is larger than [`BuildOptions::leaf`].
    BoxAxes,
}

impl SplitRule {
    /// All rules.
    pub const ALL: [Self; 7] = [
        Self::LongestSide,
        Self::Splatter,
        Self::MinSum,
        Self::MinMax,
        Self::SurfaceArea,
        Self::LeastGrowth,
        Self::BoxAxes,
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

/// Volumes are measured with this much added on all sides, in units of the frame. Flat volumes then differ by
/// their area, and thin ones by their length, although the rounding to `f32` gives them a random thickness of
/// up to 2^−23.
const PAD: f64 = 1.0 / (1 << 20) as f64;

/// Partitions sets of items by the rules of some options, for a tree of volumes of one kind.
pub(super) struct Splitter<'s, V> {
    source: &'s Source<'s>,
    rule: SplitRule,
    point: SplitPoint,
    regroup: Regroup,
    regroup_levels: u32,
    directions: Vec<DVec3>,
    /// The depth from which items are halved at the median.
    max_rule_depth: u32,
    volumes: PhantomData<fn() -> V>,
}

/// A partition of the items of a node in two.
pub(super) struct Split<V> {
    /// How many items come first: never none and never all.
    pub(super) first: usize,
    /// The volume of the node, if the rule needed it.
    pub(super) volume: Option<Box<V>>,
}

impl<V> From<usize> for Split<V> {
    fn from(first: usize) -> Self {
        Self { first, volume: None }
    }
}

impl<'s, V: BoundingVolume> Splitter<'s, V> {
    pub(super) fn new(source: &'s Source<'s>, options: &BuildOptions) -> Self {
        Self {
            source,
            rule: options.rule,
            point: options.point,
            regroup: options.regroup,
            regroup_levels: options.regroup_levels.clamp(2, MAX_LEVELS),
            directions: options.directions.vectors(),
            max_rule_depth: 2 * source.len().max(1).ilog2() + 8,
            volumes: PhantomData,
        }
    }

    /// Partitions the items of a node in two.
    ///
    /// Takes linear time. Rules can split off one face at a time. Below some depth, items are
    /// halved at the median, so no tree is deeper than three times the logarithm of its faces, plus
    /// 9.
    pub(super) fn split(&self, items: &mut [Item], depth: u32) -> Split<V> {
        if depth >= self.max_rule_depth {
            let direction = self.widest_scatter(items);
            return plane::split_at(items, direction, SplitPoint::Median).into();
        }
        match self.regroup {
            Regroup::Never => self.split_once(items),
            regroup => self.split_and_regroup(items, regroup).into(),
        }
    }

    fn split_once(&self, items: &mut [Item]) -> Split<V> {
        let direction = match self.rule {
            SplitRule::LongestSide => self.longest_side(items),
            SplitRule::Splatter => self.widest_scatter(items),
            SplitRule::MinSum => self.cheapest(items, |first, second| first + second),
            SplitRule::MinMax => self.cheapest(items, f64::max),
            SplitRule::SurfaceArea => return self.by_surface(items).into(),
            SplitRule::LeastGrowth => return self.by_growth(items).into(),
            SplitRule::BoxAxes => return self.by_box_axes(items),
        };
        plane::split_at(items, direction, self.point).into()
    }

    /// The corners of some items, in the frame.
    fn triangles(&self, items: &[Item]) -> Vec<[DVec3; 3]> {
        items.iter().map(|item| self.source.triangle(item.piece)).collect()
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
    use crate::{
        Mesh,
        generate::Random,
        volume::{Aabb, Dop, Frame, Obb, Sphere},
    };

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
        Splitter::<Aabb>::new(&source, options).split(items, depth).first
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
                    for (levels, regroup) in (2..4).cycle().zip(Regroup::ALL) {
                        for (point, depth) in
                            [(SplitPoint::Mean, 0), (SplitPoint::Median, 0), (SplitPoint::Mean, 99)]
                        {
                            let options = BuildOptions::default().rule(rule).point(point);
                            let options = options.directions(directions);
                            let options = options.regroup(regroup).regroup_levels(levels);
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

    /// A mesh of needles in random directions.
    fn needles(seed: u64) -> Mesh {
        let mut random = Random::new(seed);
        let mut positions = Vec::new();
        for _ in 0..12 {
            let at = random.direction() * random.unit();
            let along = random.direction() * random.unit();
            positions.extend([at - along, at + along, at + random.direction() * 0.02]);
        }
        let faces = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(positions, faces).unwrap()
    }

    fn items_of(source: &Source<'_>) -> Vec<Item> {
        let item = |piece| {
            let [p, q, r] = source.triangle(piece);
            let (min, max) = (p.min(q).min(r), p.max(q).max(r));
            Item { piece, middle: (p + q + r) / 3.0, min, max }
        };
        (0..source.len() as u32).map(item).collect()
    }

    /// Min-sum and min-max take the axis for which volumes of the tree's own kind are least. Returns the
    /// pieces on the side of the first piece, for each mesh.
    fn least_volumes<V: BoundingVolume>(rule: SplitRule) -> Vec<Vec<u32>> {
        let chosen = (0..100).map(|seed| {
            let mesh = needles(seed);
            let frame = Frame::new(&mesh.bounds());
            let source = Source::new(&mesh, &frame, 0);
            let mut items = items_of(&source);
            let costs = DVec3::AXES.map(|axis| {
                let mean = items.iter().map(|item| axis.dot(item.middle)).sum::<f64>() / 12.0;
                let volumes = [true, false].map(|below| {
                    let side = items.iter().filter(|item| (axis.dot(item.middle) < mean) == below);
                    let corners = side.map(|item| source.triangle(item.piece)).collect::<Vec<_>>();
                    V::enclosing(&corners).volume(0.0)
                });
                let [p, q] = volumes;
                if rule == SplitRule::MinSum { p + q } else { p.max(q) }
            });
            let axis = DVec3::AXES[DVec3::from_array(costs).min_position()];
            let mean = items.iter().map(|item| axis.dot(item.middle)).sum::<f64>() / 12.0;
            let is_below = |piece: usize| axis.dot(items[piece].middle) < mean;
            let expected = (0..12).filter(|&i| is_below(i) == is_below(0)).map(|i| i as u32);
            let expected: Vec<u32> = expected.collect();
            let options = BuildOptions::default().rule(rule);
            let first = Splitter::<V>::new(&source, &options).split(&mut items, 0).first;
            let [with_first, _] = sides(&items, first);
            assert_eq!(with_first, expected, "seed {seed}, {rule:?}");
            expected
        });
        chosen.collect()
    }

    #[test]
    fn rules_measure_the_volumes_of_the_tree() {
        for rule in [SplitRule::MinSum, SplitRule::MinMax] {
            let boxes = least_volumes::<Aabb>(rule);
            let others = [
                least_volumes::<Dop<9>>(rule),
                least_volumes::<Obb>(rule),
                least_volumes::<Sphere>(rule),
            ];
            for other in others {
                let differing = boxes.iter().zip(&other).filter(|(p, q)| p != q).count();
                assert!(
                    differing > 5,
                    "{rule:?}: only {differing} of 100 splits differ from boxes"
                );
            }
        }
    }

    /// RAPID's rule follows the axes of an oriented box, where rules along the mesh's axes cannot.
    #[test]
    fn oriented_boxes_are_split_across_their_longest_axis() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let turn = random.rotation();
            // A plate of 10 by 6 cells, each a triangle.
            let corner = |x: u32, y: u32| turn * DVec3::new(f64::from(x), f64::from(y), 0.0);
            let mut positions = Vec::new();
            for i in 0..60 {
                let (x, y) = (i % 10, i / 10);
                positions.extend([corner(x, y), corner(x + 1, y), corner(x, y + 1)]);
            }
            let faces = (0..60).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = Mesh::new(positions, faces).unwrap();
            let frame = Frame::new(&mesh.bounds());
            let source = Source::new(&mesh, &frame, 0);
            let mut items = items_of(&source);
            let options = BuildOptions::default().rule(SplitRule::BoxAxes);
            let split = Splitter::<Obb>::new(&source, &options).split(&mut items, 0);
            let [first, second] = sides(&items, split.first);
            assert!(first.iter().all(|i| i % 10 < 5), "seed {seed}: {first:?}");
            assert!(second.iter().all(|i| i % 10 >= 5), "seed {seed}: {second:?}");
            assert!(split.volume.is_some(), "seed {seed}");
        }
    }

    /// If all centroids are at one position along the longest axis, the next one is taken; if they are at one
    /// point, the faces are halved.
    #[test]
    fn the_next_axis_is_taken_if_the_longest_does_not_divide() {
        for (step, count) in [(DVec3::Y * 0.125, 5), (DVec3::Z * 0.0625, 5), (DVec3::ZERO, 5)] {
            let mut positions = Vec::new();
            for i in 0..10 {
                // Centroids at 0 along x. The needles have a width, so that y is the second axis.
                let at = step * f64::from(i);
                positions
                    .extend([DVec3::X * 6.0, DVec3::X * -3.0, DVec3::X * -3.0].map(|p| p + at));
            }
            positions.extend([DVec3::new(0.0, 2.0, 0.0), DVec3::new(0.0, -2.0, 0.0)]);
            let faces = (0..10).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = Mesh::new(positions, faces).unwrap();
            let frame = Frame::new(&mesh.bounds());
            let source = Source::new(&mesh, &frame, 0);
            let options = BuildOptions::default().rule(SplitRule::BoxAxes);
            let mut items = items_of(&source);
            let first = Splitter::<Obb>::new(&source, &options).split(&mut items, 0).first;
            let expected = [(0..5).collect::<Vec<u32>>(), (5..10).collect()];
            assert_eq!(sides(&items, first), expected, "{step}");
            assert_eq!(first, count, "{step}");
        }
    }

    /// Three levels of trial splits find a partition that two do not.
    #[test]
    fn deeper_trial_splits_find_cheaper_partitions() {
        for objective in Regroup::ALL.into_iter().skip(1) {
            let mut better = [0, 0];
            for seed in 0..60 {
                let mesh = needles(seed);
                let frame = Frame::new(&mesh.bounds());
                let source = Source::new(&mesh, &frame, 0);
                let cost = |options: BuildOptions| {
                    let mut items = items_of(&source);
                    let first =
                        Splitter::<Dop<9>>::new(&source, &options).split(&mut items, 0).first;
                    let (first, second) = items.split_at(first);
                    let sides = [first, second].map(|side| objective_of(&source, side, objective));
                    if objective == Regroup::MinMax {
                        sides[0].max(sides[1])
                    } else {
                        sides[0] + sides[1]
                    }
                };
                let plain = BuildOptions::default();
                let costs =
                    [plain, plain.regroup(objective), plain.regroup(objective).regroup_levels(3)]
                        .map(cost);
                // The partition without regrouping is among those that are compared.
                assert!(
                    costs[1] <= costs[0] * (1.0 + 1e-9),
                    "seed {seed}, {objective:?}: {costs:?}"
                );
                better[0] += usize::from(costs[1] < costs[0] * (1.0 - 1e-9));
                better[1] += usize::from(costs[2] < costs[1] * (1.0 - 1e-9));
            }
            assert!(better[0] > 10 && better[1] > 5, "{objective:?}: {better:?} of 60 are better");
        }
    }

    /// The cost of one side of a partition, written out once more.
    fn objective_of(source: &Source<'_>, side: &[Item], objective: Regroup) -> f64 {
        let corners: Vec<_> = side.iter().map(|item| source.triangle(item.piece)).collect();
        let volume = Dop::<9>::enclosing(&corners).volume(0.0);
        let size = crate::Bounds::enclosing(corners.iter().flatten().copied()).size();
        let count = side.len() as f64;
        let mean = side.iter().map(|item| item.middle).sum::<DVec3>() / count;
        match objective {
            Regroup::LeastVolumeEach => volume * count,
            Regroup::LongestSide => size.max_element(),
            Regroup::Splatter => side.iter().map(|item| item.middle.distance_squared(mean)).sum(),
            Regroup::SurfaceArea => (size.x * size.y + size.y * size.z + size.z * size.x) * count,
            _ => volume,
        }
    }
}

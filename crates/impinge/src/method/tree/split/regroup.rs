//! The oscillating build (Klosowski 1998, ch. 6): split some levels down, then merge back up to two groups.

use super::{Item, PAD, Splitter, extent::Extent};
use crate::volume::BoundingVolume;
use glam::DVec3;
use std::ops::Range;

/// Whether to reconsider a split, and what to compare: the node is split into four or more groups, which are
/// then merged into two in the best of all possible ways.
///
/// Volumes are the tree's own: the polytopes of k-DOPs, oriented boxes, spheres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Regroup {
    /// Splits are final.
    #[default]
    Never,
    /// The least sum of both volumes, as in the paper (its min-sum). It tends to separate one of the
    /// groups, which makes deep trees.
    LeastVolume,
    /// The least sum of volume times number of faces, which the paper suggests.
    LeastVolumeEach,
    /// The least larger volume (min-max).
    MinMax,
    /// The least sum of the longest sides of both axis-aligned boxes.
    LongestSide,
    /// The least scatter of the centroids around the mean of their group.
    Splatter,
    /// The least sum of surface area of the axis-aligned box times number of faces.
    SurfaceArea,
}

impl Regroup {
    /// All choices.
    pub const ALL: [Self; 7] = [
        Self::Never,
        Self::LeastVolume,
        Self::LeastVolumeEach,
        Self::MinMax,
        Self::LongestSide,
        Self::Splatter,
        Self::SurfaceArea,
    ];
}

/// The most levels of trial splits. Three make 8 groups, which can be merged in 127 ways; four would make
/// 32,767 ways.
pub(super) const MAX_LEVELS: u32 = 3;

/// One of the groups into which a node is split on trial.
struct Group<V> {
    items: Range<usize>,
    /// The volume, if volumes are compared and those of this kind can be merged.
    volume: Option<V>,
    extent: Extent,
    /// The sum of the centroids, and of their squares, as seen from a common point.
    sum: DVec3,
    squares: f64,
}

impl<V: BoundingVolume> Splitter<'_, V> {
    pub(super) fn split_and_regroup(&self, items: &mut [Item], regroup: Regroup) -> usize {
        let (middle, ranges) = self.trial_splits(items);
        let groups: Vec<_> = ranges.iter().map(|range| self.group(items, range, regroup)).collect();
        let pad = groups.iter().fold(Extent::EMPTY, |all, group| all.merged(group.extent)).pad();

        // One bit for each group that goes first. The last group never does, or each way would count twice.
        let cost = |goes_first: u32| {
            let [first, second] = [1, 0].map(|side| {
                let members = (0..).zip(&groups).filter(|(i, _)| (goes_first >> i) & 1 == side);
                let members: Vec<_> = members.map(|(_, group)| group).collect();
                self.cost_of(items, &members, regroup, pad)
            });
            if regroup == Regroup::MinMax { first.max(second) } else { first + second }
        };
        // The first split stays unless another way is better.
        let before = ranges.iter().filter(|range| range.start < middle).count();
        let mut best = (f64::INFINITY, (1 << before) - 1);
        for goes_first in [best.1].into_iter().chain(1..1 << (ranges.len() - 1)) {
            let cost = cost(goes_first);
            if cost < best.0 {
                best = (cost, goes_first);
            }
        }
        let mut count = 0;
        for (i, range) in ranges.into_iter().enumerate() {
            if (best.1 >> i) & 1 == 1 {
                let length = range.len();
                items[count..range.end].rotate_left(range.start - count);
                count += length;
            }
        }
        count
    }

    /// Splits the items some levels down. Returns how many come first in the first split, and all groups, in
    /// the order of the items.
    fn trial_splits(&self, items: &mut [Item]) -> (usize, Vec<Range<usize>>) {
        let middle = self.split_once(items).first;
        let mut ranges = vec![0..middle, middle..items.len()];
        for _ in 1..self.regroup_levels {
            let halves = ranges.into_iter().flat_map(|range| match range.len() {
                // A single item has no halves.
                1 => vec![range],
                _ => {
                    let middle = range.start + self.split_once(&mut items[range.clone()]).first;
                    vec![range.start..middle, middle..range.end]
                }
            });
            ranges = halves.collect();
        }
        (middle, ranges)
    }

    fn group(&self, items: &[Item], range: &Range<usize>, regroup: Regroup) -> Group<V> {
        let from = items[0].middle;
        let own = &items[range.clone()];
        Group {
            items: range.clone(),
            // Kinds that do not merge are fitted to the faces of all members instead.
            volume: (regroup.measures_volumes() && V::merges())
                .then(|| V::enclosing(&self.triangles(own))),
            extent: Extent::of(own),
            sum: own.iter().map(|item| item.middle - from).sum(),
            squares: own.iter().map(|item| (item.middle - from).length_squared()).sum(),
        }
    }

    /// What it costs to merge some groups.
    fn cost_of(&self, items: &[Item], members: &[&Group<V>], regroup: Regroup, pad: DVec3) -> f64 {
        let count = members.iter().map(|group| group.items.len()).sum::<usize>() as f64;
        let extent = || members.iter().fold(Extent::EMPTY, |all, group| all.merged(group.extent));
        match regroup {
            Regroup::Never => 0.0,
            Regroup::LeastVolume | Regroup::MinMax => self.volume_of(items, members),
            Regroup::LeastVolumeEach => self.volume_of(items, members) * count,
            Regroup::LongestSide => (extent().max - extent().min).max_element(),
            Regroup::Splatter => {
                let sum: DVec3 = members.iter().map(|group| group.sum).sum();
                let squares: f64 = members.iter().map(|group| group.squares).sum();
                squares - sum.length_squared() / count
            }
            Regroup::SurfaceArea => extent().surface(pad) * count,
        }
    }

    /// The volume of the bounding volume around some groups.
    fn volume_of(&self, items: &[Item], members: &[&Group<V>]) -> f64 {
        let merged = members
            .iter()
            .map(|group| group.volume)
            .reduce(|all, one| all.and_then(|all| all.merged(&one?)));
        let volume = merged.flatten().unwrap_or_else(|| {
            let own = members.iter().flat_map(|group| &items[group.items.clone()]);
            V::enclosing(&own.map(|item| self.source.triangle(item.piece)).collect::<Vec<_>>())
        });
        volume.volume(PAD)
    }
}

impl Regroup {
    fn measures_volumes(self) -> bool {
        matches!(self, Self::LeastVolume | Self::LeastVolumeEach | Self::MinMax)
    }
}

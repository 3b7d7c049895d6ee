//! The oscillating build (Klosowski 1998, ch. 6): split two levels down, then merge one level back
//! up.

use super::{Item, Splitter, extent::Extent};

/// Whether to reconsider a split: the node is split into four groups, which are then merged into
/// two in the best of the seven possible ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Regroup {
    /// Splits are final.
    #[default]
    Never,
    /// Takes the way with the least volume, as in the paper. It tends to separate one of the four
    /// groups, which makes deep trees.
    LeastVolume,
    /// Takes the way with the least sum of volume times number of faces, which the paper suggests.
    LeastVolumeEach,
}

impl Splitter<'_> {
    pub(super) fn split_and_regroup(&self, items: &mut [Item], regroup: Regroup) -> usize {
        let middle = self.split_once(items);
        let half_of = |items: &mut [Item]| match items.len() {
            1 => 1,
            _ => self.split_once(items),
        };
        let first = half_of(&mut items[..middle]);
        let second = middle + half_of(&mut items[middle..]);
        // A single item has no halves: then one of the four groups is empty.
        let groups = [0..first, first..middle, middle..second, second..items.len()];
        let extents = groups.clone().map(|group| Extent::of(&items[group]));
        let pad = extents.into_iter().fold(Extent::EMPTY, Extent::merged).pad();

        // One bit for each group that goes first. The last group never does, or each way would
        // count twice.
        let cost = |goes_first: u32| {
            let cost_of = |side: u32| {
                let members = || (0..4).filter(|group| (goes_first >> group) & 1 == side);
                let count: usize = members().map(|group| groups[group].len()).sum();
                let extent =
                    members().map(|group| extents[group]).fold(Extent::EMPTY, Extent::merged);
                let weight = if regroup == Regroup::LeastVolume { 1.0 } else { count as f64 };
                if count == 0 { f64::INFINITY } else { extent.volume(pad) * weight }
            };
            cost_of(0) + cost_of(1)
        };
        // The first split stays unless another way is better.
        let mut best = (cost(0b011), 0b011);
        for goes_first in 1..8 {
            let cost = cost(goes_first);
            if cost < best.0 {
                best = (cost, goes_first);
            }
        }
        let mut count = 0;
        for (i, group) in groups.into_iter().enumerate() {
            if (best.1 >> i) & 1 == 1 {
                let length = group.len();
                items[count..group.end].rotate_left(group.start - count);
                count += length;
            }
        }
        count
    }
}

//! Zachmann's rule: each face joins the set whose volume grows less.

use super::{Item, Splitter, extent::Extent, partition};
use crate::volume::BoundingVolume;
use glam::DVec3;

/// Two growing sets of items.
struct Sets {
    /// The items that the sets start from.
    seeds: [usize; 2],
    extents: [Extent; 2],
    volumes: [f64; 2],
    pad: DVec3,
}

impl Sets {
    /// Starts from the items at either end of a direction; `None` if all are at one position.
    fn new(items: &[Item], direction: DVec3, pad: DVec3) -> Option<Self> {
        let mut ends = [(f64::INFINITY, 0), (f64::NEG_INFINITY, 0)];
        for (i, item) in items.iter().enumerate() {
            let along = direction.dot(item.middle);
            if along < ends[0].0 {
                ends[0] = (along, i);
            }
            if along > ends[1].0 {
                ends[1] = (along, i);
            }
        }
        let seeds = ends.map(|(_, i)| i);
        let extents = seeds.map(|i| Extent::EMPTY.with(&items[i]));
        let volumes = extents.map(|extent| extent.volume(pad));
        (seeds[0] != seeds[1]).then_some(Self { seeds, extents, volumes, pad })
    }

    /// Adds an item to the set that grows less. Returns whether that is the first set.
    fn add(&mut self, i: usize, item: &Item) -> bool {
        if self.seeds.contains(&i) {
            return i == self.seeds[0];
        }
        let extents = self.extents.map(|extent| extent.with(item));
        let volumes = extents.map(|extent| extent.volume(self.pad));
        let growth = [0, 1].map(|side| volumes[side] - self.volumes[side]);
        // If both grow equally, the smaller one.
        let is_first = match growth[0].total_cmp(&growth[1]) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => volumes[0] <= volumes[1],
        };
        let side = usize::from(!is_first);
        self.extents[side] = extents[side];
        self.volumes[side] = volumes[side];
        is_first
    }
}

impl<V: BoundingVolume> Splitter<'_, V> {
    /// Partitions the items by the direction for which the two sets have the least volume in the
    /// end. Returns how many items come first.
    pub(super) fn by_growth(&self, items: &mut [Item]) -> usize {
        let pad = Extent::of(items).pad();
        let mut best = None;
        let mut least = f64::INFINITY;
        for &direction in &self.directions {
            let Some(mut sets) = Sets::new(items, direction, pad) else { continue };
            for (i, item) in items.iter().enumerate() {
                sets.add(i, item);
            }
            let volume = sets.volumes[0] + sets.volumes[1];
            if volume < least {
                (least, best) = (volume, Some(direction));
            }
        }
        // Repeated for the best direction, this time moving the items. No item moves before its
        // turn.
        match best.and_then(|direction| Sets::new(items, direction, pad)) {
            Some(mut sets) => partition(items, |i, item| sets.add(i, item)),
            None => items.len() / 2,
        }
    }
}

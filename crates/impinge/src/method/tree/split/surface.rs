//! The surface-area heuristic: all splits between two items if they are few, splits between bins if
//! they are many.

use super::{Item, Splitter, extent::Extent, partition};
use crate::volume::BoundingVolume;
use glam::DVec3;

/// The number of bins along a direction. More cost time and hardly find better splits.
const BINS: usize = 16;

/// The number of directions evaluated at once.
const DIRECTIONS_AT_ONCE: usize = 3;

/// Equal bins over the interval that the items' centroids span along a direction.
#[derive(Clone, Copy)]
struct Bins {
    direction: DVec3,
    low: f64,
    scale: f64,
}

impl Bins {
    /// The bin of an item. If all centroids are equal it is the first: `as` turns NaN into 0.
    fn of(&self, item: &Item) -> usize {
        let along = self.direction.dot(item.middle);
        (((along - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

/// The box of some items, and their number.
#[derive(Clone, Copy)]
struct Group {
    extent: Extent,
    count: f64,
}

impl Group {
    const EMPTY: Self = Self { extent: Extent::EMPTY, count: 0.0 };

    fn of(item: &Item) -> Self {
        Self { extent: Extent::EMPTY.with(item), count: 1.0 }
    }

    fn merged(self, other: Self) -> Self {
        Self { extent: self.extent.merged(other.extent), count: self.count + other.count }
    }

    fn cost(&self, pad: DVec3) -> f64 {
        self.extent.surface(pad) * self.count
    }
}

/// Finds the cheapest of the ways to partition a row of `count` groups in two. Returns its cost,
/// and how many groups go first.
fn cheapest(count: usize, group: impl Fn(usize) -> Group, pad: DVec3) -> (f64, usize) {
    let mut rest = [f64::INFINITY; BINS];
    let mut sum = Group::EMPTY;
    for i in (1..count).rev() {
        sum = sum.merged(group(i));
        if sum.count > 0.0 {
            rest[i] = sum.cost(pad);
        }
    }
    let mut best = (f64::INFINITY, 0);
    let mut sum = Group::EMPTY;
    for (i, rest) in rest.iter().enumerate().take(count).skip(1) {
        sum = sum.merged(group(i - 1));
        let cost = sum.cost(pad) + rest;
        if sum.count > 0.0 && cost < best.0 {
            best = (cost, i);
        }
    }
    best
}

impl<V: BoundingVolume> Splitter<'_, V> {
    /// Partitions the items where the sum of surface area times number, over both sides, is least.
    /// Returns how many items come first.
    pub(super) fn by_surface(&self, items: &mut [Item]) -> usize {
        if items.len() <= BINS { self.between_items(items) } else { self.between_bins(items) }
    }

    fn between_items(&self, items: &mut [Item]) -> usize {
        let count = items.len();
        let pad = Extent::of(items).pad();
        let (mut least, mut goes_first) = (f64::INFINITY, 0u32);
        for direction in &self.directions {
            let mut order: [(f64, usize); BINS] = std::array::from_fn(|i| {
                (items.get(i).map_or(f64::INFINITY, |item| direction.dot(item.middle)), i)
            });
            order[..count].sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
            if order[0].0 == order[count - 1].0 {
                // All at one position: splitting off the first item would cost as little as any
                // other split.
                continue;
            }
            let group = |i: usize| Group::of(&items[order[i].1]);
            let (cost, first) = cheapest(count, group, pad);
            if cost < least {
                least = cost;
                goes_first = order[..first].iter().fold(0, |set, &(_, i)| set | 1 << i);
            }
        }
        partition(items, |i, _| (goes_first >> i) & 1 == 1)
    }

    fn between_bins(&self, items: &mut [Item]) -> usize {
        let pad = Extent::of(items).pad();
        let (mut least, mut best) = (f64::INFINITY, None);
        // Three directions at a time: the bins of more do not fit into the fastest cache.
        for some in self.directions.chunks(DIRECTIONS_AT_ONCE) {
            let mut spans = [(f64::INFINITY, f64::NEG_INFINITY); DIRECTIONS_AT_ONCE];
            for item in items.iter() {
                for (direction, (low, high)) in some.iter().zip(&mut spans) {
                    let along = direction.dot(item.middle);
                    (*low, *high) = (low.min(along), high.max(along));
                }
            }
            let bins: [Bins; DIRECTIONS_AT_ONCE] = std::array::from_fn(|i| {
                let direction = some.get(i).copied().unwrap_or_default();
                let (low, high) = spans[i];
                Bins { direction, low, scale: BINS as f64 / (high - low) }
            });
            let mut groups = [[Group::EMPTY; BINS]; DIRECTIONS_AT_ONCE];
            for item in items.iter() {
                let one = Group::of(item);
                for (bins, groups) in bins[..some.len()].iter().zip(&mut groups) {
                    let group = &mut groups[bins.of(item)];
                    *group = group.merged(one);
                }
            }
            for (bins, groups) in bins[..some.len()].iter().zip(&groups) {
                let (cost, first) = cheapest(BINS, |i| groups[i], pad);
                if cost < least {
                    (least, best) = (cost, Some((*bins, first)));
                }
            }
        }
        match best {
            Some((bins, first)) => partition(items, |_, item| bins.of(item) < first),
            None => items.len() / 2,
        }
    }
}

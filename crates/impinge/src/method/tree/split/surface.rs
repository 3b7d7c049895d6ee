//! The surface-area rule: between any two items if they are few, at a few places if they are many.

use super::{Item, Splitter, extent::Extent, partition};
use glam::DVec3;

/// Between how many places the rule chooses along a direction. More cost time and hardly find
/// better ones.
const BINS: usize = 16;

/// How many directions are looked at in one go.
const TOGETHER: usize = 3;

/// The interval that the items' middles span along a direction, in equal parts.
#[derive(Clone, Copy)]
struct Bins {
    direction: DVec3,
    low: f64,
    scale: f64,
}

impl Bins {
    /// The bin of an item. Where all middles are equal, the first: `as` makes 0 of what is no number.
    fn of(&self, item: &Item) -> usize {
        let along = self.direction.dot(item.middle);
        (((along - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

/// Some items: their box, and how many they are.
#[derive(Clone, Copy)]
struct Heap {
    extent: Extent,
    count: f64,
}

impl Heap {
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

/// Of the ways to part a row of so many heaps in two, the cheapest: what it costs, and how many
/// heaps go first.
fn cheapest(count: usize, heap: impl Fn(usize) -> Heap, pad: DVec3) -> (f64, usize) {
    let mut rest = [f64::INFINITY; BINS];
    let mut sum = Heap::EMPTY;
    for i in (1..count).rev() {
        sum = sum.merged(heap(i));
        if sum.count > 0.0 {
            rest[i] = sum.cost(pad);
        }
    }
    let mut best = (f64::INFINITY, 0);
    let mut sum = Heap::EMPTY;
    for (i, rest) in rest.iter().enumerate().take(count).skip(1) {
        sum = sum.merged(heap(i - 1));
        let cost = sum.cost(pad) + rest;
        if sum.count > 0.0 && cost < best.0 {
            best = (cost, i);
        }
    }
    best
}

impl Splitter<'_> {
    /// Parts the items where surface times number is least for both parts together.
    pub(super) fn by_surface(&self, items: &mut [Item]) -> usize {
        if items.len() <= BINS { self.between_two(items) } else { self.between_bins(items) }
    }

    fn between_two(&self, items: &mut [Item]) -> usize {
        let count = items.len();
        let pad = Extent::of(items).pad();
        let (mut least, mut goes_first) = (f64::INFINITY, 0u32);
        for direction in &self.directions {
            let mut order: [(f64, usize); BINS] = std::array::from_fn(|i| {
                (items.get(i).map_or(f64::INFINITY, |item| direction.dot(item.middle)), i)
            });
            order[..count].sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
            if order[0].0 == order[count - 1].0 {
                // All at one place: to split off the first would be as cheap as anything.
                continue;
            }
            let heap = |i: usize| Heap::of(&items[order[i].1]);
            let (cost, first) = cheapest(count, heap, pad);
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
        // Three directions at a time: the bins of more do not stay in the fastest cache.
        for some in self.directions.chunks(TOGETHER) {
            let mut spans = [(f64::INFINITY, f64::NEG_INFINITY); TOGETHER];
            for item in items.iter() {
                for (direction, (low, high)) in some.iter().zip(&mut spans) {
                    let along = direction.dot(item.middle);
                    (*low, *high) = (low.min(along), high.max(along));
                }
            }
            let bins: [Bins; TOGETHER] = std::array::from_fn(|i| {
                let direction = some.get(i).copied().unwrap_or_default();
                let (low, high) = spans[i];
                Bins { direction, low, scale: BINS as f64 / (high - low) }
            });
            let mut heaps = [[Heap::EMPTY; BINS]; TOGETHER];
            for item in items.iter() {
                let one = Heap::of(item);
                for (bins, heaps) in bins[..some.len()].iter().zip(&mut heaps) {
                    let heap = &mut heaps[bins.of(item)];
                    *heap = heap.merged(one);
                }
            }
            for (bins, heaps) in bins[..some.len()].iter().zip(&heaps) {
                let (cost, first) = cheapest(BINS, |i| heaps[i], pad);
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

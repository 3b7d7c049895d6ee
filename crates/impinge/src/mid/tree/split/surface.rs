//! The surface-area rule, at a few places along each direction.

use super::{Item, Splitter, extent::Extent, partition};
use glam::DVec3;

/// Between how many places the rule chooses. More cost time and hardly find better ones.
const BINS: usize = 16;

/// The interval that the items' middles span along a direction, in equal parts.
#[derive(Clone, Copy)]
struct Bins {
    direction: DVec3,
    low: f64,
    scale: f64,
}

impl Bins {
    fn new(items: &[Item], direction: DVec3) -> Self {
        let along = items.iter().map(|item| direction.dot(item.middle));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), along| {
            (low.min(along), high.max(along))
        });
        Self { direction, low, scale: BINS as f64 / (high - low) }
    }

    /// The bin of an item. Where all middles are equal that is the first or, of what is no number,
    /// the first as well.
    fn of(&self, item: &Item) -> usize {
        let along = self.direction.dot(item.middle);
        (((along - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

impl Splitter<'_> {
    /// Parts the items where surface times number is least for both parts together.
    pub(super) fn by_surface(&self, items: &mut [Item]) -> usize {
        let pad = Extent::of(items).pad();
        let mut best = None;
        let mut least = f64::INFINITY;
        for &direction in &self.directions {
            let bins = Bins::new(items, direction);
            let mut content = [(Extent::EMPTY, 0.0); BINS];
            for item in items.iter() {
                let (extent, count) = &mut content[bins.of(item)];
                *extent = extent.with(item);
                *count += 1.0;
            }
            let add = |(extent, count): (Extent, f64), (more, number): &(Extent, f64)| {
                (extent.merged(*more), count + number)
            };
            let cost = |(extent, count): (Extent, f64)| extent.surface(pad) * count;
            // What the bins from the i-th on cost, for every i.
            let mut rest = [0.0; BINS];
            let mut sum = (Extent::EMPTY, 0.0);
            for i in (1..BINS).rev() {
                sum = add(sum, &content[i]);
                rest[i] = if sum.1 > 0.0 { cost(sum) } else { f64::INFINITY };
            }
            let mut sum = (Extent::EMPTY, 0.0);
            for i in 1..BINS {
                sum = add(sum, &content[i - 1]);
                let total = cost(sum) + rest[i];
                if sum.1 > 0.0 && total < least {
                    (least, best) = (total, Some((bins, i)));
                }
            }
        }
        match best {
            Some((bins, end)) => partition(items, |_, item| bins.of(item) < end),
            None => items.len() / 2,
        }
    }
}

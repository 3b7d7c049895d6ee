//! Rules that choose a direction, and partition the items by a plane perpendicular to it.

use super::{Item, PAD, SplitPoint, Splitter, extent::Extent, partition};
use crate::volume::BoundingVolume;
use glam::DVec3;

impl<V: BoundingVolume> Splitter<'_, V> {
    /// The direction along which the items reach farthest.
    pub(super) fn longest_side(&self, items: &[Item]) -> DVec3 {
        if self.directions.len() == 3 {
            let Extent { min, max } = Extent::of(items);
            return self.directions[(max - min).max_position()];
        }
        // The boxes of the items do not tell how far they reach along a diagonal.
        let mut reach = vec![(f64::INFINITY, f64::NEG_INFINITY); self.directions.len()];
        for corner in items.iter().flat_map(|item| self.source.triangle(item.piece)) {
            for (direction, (low, high)) in self.directions.iter().zip(&mut reach) {
                let along = direction.dot(corner);
                (*low, *high) = (low.min(along), high.max(along));
            }
        }
        let mut reach = reach.into_iter().map(|(low, high)| high - low);
        self.greatest(|direction| reach.next().unwrap_or_default() / direction.length())
    }

    /// The direction along which the items' centroids have the greatest variance.
    pub(super) fn widest_scatter(&self, items: &[Item]) -> DVec3 {
        let next = |v: DVec3| DVec3::new(v.y, v.z, v.x);
        let mean = items.iter().map(|item| item.middle).sum::<DVec3>() / items.len() as f64;
        // The entries xx, yy, zz and xy, yz, zx of the covariance, which give the variance along
        // any direction.
        let (mut own, mut mixed) = (DVec3::ZERO, DVec3::ZERO);
        for item in items {
            let from_mean = item.middle - mean;
            own += from_mean * from_mean;
            mixed += from_mean * next(from_mean);
        }
        self.greatest(|d| ((d * d).dot(own) + 2.0 * (d * next(d)).dot(mixed)) / d.length_squared())
    }

    /// The direction for which the two halves cost least, by their volumes.
    pub(super) fn cheapest(&self, items: &mut [Item], cost: fn(f64, f64) -> f64) -> DVec3 {
        self.greatest(|direction| {
            let halves = self.halves(items, direction);
            let [first, second] = halves.map(|half| V::enclosing(&half).volume(PAD));
            -cost(first, second)
        })
    }

    /// The corners of the two sides into which [`split_at`] would partition the items.
    fn halves(&self, items: &mut [Item], direction: DVec3) -> [Vec<[DVec3; 3]>; 2] {
        if self.point == SplitPoint::Mean {
            // The mean needs no items moved.
            let mean = mean(items, direction);
            let mut halves = [0; 2].map(|_| Vec::with_capacity(items.len()));
            for item in items.iter() {
                let side = usize::from(direction.dot(item.middle) >= mean);
                halves[side].push(self.source.triangle(item.piece));
            }
            if halves.iter().all(|half| !half.is_empty()) {
                return halves;
            }
        }
        let count = split_at(items, direction, self.point);
        let (first, second) = items.split_at(count);
        [self.triangles(first), self.triangles(second)]
    }

    /// The first of the directions with the greatest value.
    fn greatest(&self, mut value: impl FnMut(DVec3) -> f64) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, self.directions[0]);
        for &direction in &self.directions {
            let value = value(direction);
            if value > best.0 {
                best = (value, direction);
            }
        }
        best.1
    }
}

/// Partitions the items by a plane. Returns how many come first: never none and never all.
pub(super) fn split_at(items: &mut [Item], direction: DVec3, point: SplitPoint) -> usize {
    match point {
        SplitPoint::Median => {
            let half = items.len() / 2;
            let along = |item: &Item| direction.dot(item.middle);
            items.select_nth_unstable_by(half, |p, q| along(p).total_cmp(&along(q)));
            half
        }
        SplitPoint::Mean => {
            let mean = mean(items, direction);
            partition(items, |_, item| direction.dot(item.middle) < mean)
        }
    }
}

/// The mean position of the items' centroids along a direction.
pub(super) fn mean(items: &[Item], direction: DVec3) -> f64 {
    items.iter().map(|item| direction.dot(item.middle)).sum::<f64>() / items.len() as f64
}

//! Assigning faces to leaves and nodes, from the top down. `build.rs` calls [`divide`].
//!
//! `WideQuality::Quality` splits ranges of faces by the surface-area heuristic, along the mesh's
//! axes. Small ranges are preferably split after a multiple of eight faces, so that most leaves are
//! full: opening a half-empty leaf costs as much as a full one. Elsewhere they are split only if
//! that makes boxes much smaller. Without this exception, a leaf with the last faces of one pipe and
//! the first of the next has a box as large as the space between the pipes, and every small body there
//! is compared with it down to its own leaves. `WideQuality::Fast` halves the ranges, which takes less
//! time.

use super::{WIDTH, options::WideQuality};
use crate::{Mesh, Threads};
use glam::{DVec3, Vec4};
use rayon::prelude::*;
use std::ops::Range;

/// The number of faces that fill a node whose children are leaves.
const NODE_FACES: usize = WIDTH * WIDTH;
/// Ranges of at most this many faces are split optimally: every split after a multiple of eight
/// faces is compared, and from a full node on every split.
const SMALL: usize = 4 * NODE_FACES;
/// From this number of faces on, the children of a node are divided by several threads.
const PARALLEL_FACES: usize = 4096;

/// A node to be built: the faces of its children, and which of the children are nodes.
#[derive(Clone, Debug)]
pub(super) struct Division {
    /// The start of each child's faces, and the end of the last one's.
    bounds: [u32; WIDTH + 1],
    count: usize,
    /// The index of each child's node; `u32::MAX` for leaves.
    below: [u32; WIDTH],
}

impl Division {
    pub(super) fn children(&self) -> impl Iterator<Item = (Range<usize>, Option<usize>)> {
        (0..self.count).map(|k| {
            let range = self.bounds[k] as usize..self.bounds[k + 1] as usize;
            (range, (self.below[k] != u32::MAX).then_some(self.below[k] as usize))
        })
    }

    fn whole(count: usize) -> Self {
        let mut bounds = [0; WIDTH + 1];
        bounds[1] = count as u32;
        Self { bounds, count: 1, below: [u32::MAX; WIDTH] }
    }
}

/// Returns the faces in the order of the leaves, and the nodes in depth-first order. The first node
/// has the root as its only child. Takes time n log n for any mesh. `points` are the vertices in
/// the mesh's frame.
pub(super) fn divide(
    mesh: &Mesh,
    points: &[DVec3],
    quality: WideQuality,
    threads: Threads,
) -> (Vec<u32>, Vec<Division>) {
    let item = |(face, corners): (usize, &[u32; 3])| {
        Item::new(face as u32, corners.map(|corner| points[corner as usize]))
    };
    let mut items: Vec<Item> = match threads {
        Threads::One => mesh.faces().iter().enumerate().map(item).collect(),
        Threads::Pool => mesh.faces().par_iter().enumerate().map(item).collect(),
    };
    if items.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut divisions = vec![Division::whole(items.len())];
    if items.len() > WIDTH {
        divisions[0].below[0] = 1;
        // Splits by surface area may cut off eight faces at a time. Below this depth, counted in
        // nodes, ranges are halved, which keeps the work n log n.
        let max_depth = items.len().ilog2() + 8;
        let mut cuts = vec![NO_CUT; items.len()];
        let divider = Divider { quality, max_depth, threads };
        if quality == WideQuality::Quality {
            order_if_small(&mut items, &mut cuts);
        }
        divider.grow(&mut items, &mut cuts, 0, 0, &mut divisions);
    }
    (items.iter().map(Item::face).collect(), divisions)
}

struct Divider {
    quality: WideQuality,
    max_depth: u32,
    threads: Threads,
}

impl Divider {
    /// Appends the node over `items`, whose first face is number `start` in the list, and all nodes
    /// below it.
    fn grow(
        &self,
        items: &mut [Item],
        cuts: &mut [u8],
        start: usize,
        depth: u32,
        divisions: &mut Vec<Division>,
    ) {
        let mut parts = [0; WIDTH + 1];
        parts[1] = items.len();
        let mut count = 1;
        while let Some(k) = next_to_split(&parts[..=count]) {
            let part = parts[k]..parts[k + 1];
            let middle = self.split(&mut items[part.clone()], &mut cuts[part.clone()], depth);
            parts.copy_within(k + 1..=count, k + 2);
            parts[k + 1] = part.start + middle;
            count += 1;
        }
        let node = divisions.len();
        let bounds = parts.map(|part| (part + start) as u32);
        divisions.push(Division { bounds, count, below: [u32::MAX; WIDTH] });
        if self.threads == Threads::Pool && items.len() >= PARALLEL_FACES {
            let (mut items, mut cuts) = (items, cuts);
            let mut tasks = Vec::with_capacity(count);
            for k in 0..count {
                let length = parts[k + 1] - parts[k];
                let (some_items, some_cuts);
                (some_items, items) = items.split_at_mut(length);
                (some_cuts, cuts) = cuts.split_at_mut(length);
                tasks.push((some_items, some_cuts, start + parts[k]));
            }
            let made: Vec<Vec<Division>> = tasks
                .into_par_iter()
                .map(|(items, cuts, start)| {
                    let mut below = Vec::new();
                    if items.len() > WIDTH {
                        self.grow(items, cuts, start, depth + 1, &mut below);
                    }
                    below
                })
                .collect();
            for (k, below) in made.into_iter().enumerate().filter(|(_, below)| !below.is_empty()) {
                let first = divisions.len() as u32;
                divisions[node].below[k] = first;
                divisions.extend(below.into_iter().map(|division| {
                    let moved = |index| if index == u32::MAX { index } else { index + first };
                    Division { below: division.below.map(moved), ..division }
                }));
            }
            return;
        }
        for k in 0..count {
            let part = parts[k]..parts[k + 1];
            if part.len() > WIDTH {
                divisions[node].below[k] = divisions.len() as u32;
                let (items, cuts) = (&mut items[part.clone()], &mut cuts[part.clone()]);
                self.grow(items, cuts, start + part.start, depth + 1, divisions);
            }
        }
    }

    /// Partitions the items in two. Returns how many come first: never none and never all.
    fn split(&self, items: &mut [Item], cuts: &mut [u8], depth: u32) -> usize {
        if self.quality == WideQuality::Fast || depth >= self.max_depth {
            return halve(items);
        }
        if items.len() <= SMALL {
            // The split with the least depth was made first.
            let cuts = cuts[1..].iter().zip(1..);
            return cuts.min_by_key(|(depth, _)| **depth).map_or(1, |(_, middle)| middle);
        }
        let middle = split_large(items);
        let ((first, second), (cuts_first, cuts_second)) =
            (items.split_at_mut(middle), cuts.split_at_mut(middle));
        order_if_small(first, cuts_first);
        order_if_small(second, cuts_second);
        middle
    }
}

/// Chooses the child of a node to split further: the largest, as long as it overfills a node of its
/// own, then the smallest that the free slots can hold as leaves. Returns `None` if the node is
/// complete.
fn next_to_split(bounds: &[usize]) -> Option<usize> {
    let count = bounds.len() - 1;
    let free = WIDTH - count;
    if free == 0 {
        return None;
    }
    let sizes = || bounds.windows(2).map(|ends| ends[1] - ends[0]).enumerate();
    let (largest, size) = sizes().max_by_key(|&(_, size)| size)?;
    if size > NODE_FACES {
        return Some(largest);
    }
    let fits = |&(_, size): &(usize, usize)| size > WIDTH && size.div_ceil(WIDTH) - 1 <= free;
    sizes().filter(fits).min_by_key(|&(_, size)| size).map(|(k, _)| k)
}

/// The box of a face and its index. The box is rounded: it only decides where ranges are split.
///
/// The fourth lanes hold the lower and upper half of the index, converted to `f32`. The index bits
/// reinterpreted as `f32` would be a denormal number, which slows arithmetic down.
#[derive(Clone, Copy, Debug)]
struct Item {
    min: Vec4,
    max: Vec4,
}

impl Item {
    const NONE: Self = Self { min: Vec4::ZERO, max: Vec4::ZERO };

    #[inline]
    fn new(face: u32, corners: [DVec3; 3]) -> Self {
        let [p, q, r] = corners.map(|corner| corner.as_vec3().extend(0.0));
        let (low, high) = ((face & 0xffff) as f32, (face >> 16) as f32);
        Self { min: p.min(q).min(r).with_w(low), max: p.max(q).max(r).with_w(high) }
    }

    fn face(&self) -> u32 {
        self.min.w as u32 | (self.max.w as u32) << 16
    }

    /// Twice the centre of the box along an axis.
    #[inline]
    fn along(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

/// The minimum of the items' doubled centres, and the size of their range.
fn center_range(items: &[Item]) -> (Vec4, Vec4) {
    let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
    for item in items {
        let middle = item.min + item.max;
        (low, high) = (low.min(middle), high.max(middle));
    }
    (low, high - low)
}

/// An axis-aligned box. The fourth lane is ignored.
#[derive(Clone, Copy)]
struct Bounds4 {
    min: Vec4,
    max: Vec4,
}

impl Bounds4 {
    const EMPTY: Self = Self { min: Vec4::INFINITY, max: Vec4::NEG_INFINITY };

    #[inline]
    fn with(self, min: Vec4, max: Vec4) -> Self {
        Self { min: self.min.min(min), max: self.max.max(max) }
    }

    #[inline]
    fn merged(self, other: Self) -> Self {
        self.with(other.min, other.max)
    }

    #[inline]
    fn area(self) -> f32 {
        let [x, y, z, _] = (self.max - self.min).max(Vec4::ZERO).to_array();
        x * y + y * z + z * x
    }
}

/// Partitions `items` by `is_first` without branching. Returns how many come first.
#[inline]
fn partition(items: &mut [Item], is_first: impl Fn(&Item) -> bool) -> usize {
    let mut first = 0;
    for k in 0..items.len() {
        let is_first = is_first(&items[k]);
        items.swap(first, k);
        first += usize::from(is_first);
    }
    first
}

/// Partitions items into two halves of about equal size, along the axis in which they are spread
/// most.
fn halve(items: &mut [Item]) -> usize {
    let count = items.len();
    let (low, size) = center_range(items);
    let [x, y, z, _] = size.to_array();
    let axis = if x >= y && x >= z { 0 } else { usize::from(y < z) + 1 };
    if count > SMALL {
        let (low, to_bin) = (low[axis], FINE_BINS as f32 * 0.9999 / size[axis]);
        let bin = |item: &Item| (((item.along(axis) - low) * to_bin) as usize).min(FINE_BINS - 1);
        let mut counts = [0u32; FINE_BINS];
        for item in &*items {
            counts[bin(item)] += 1;
        }
        let (mut sum, mut border) = (0, 0);
        while sum < count / 2 {
            sum += counts[border] as usize;
            border += 1;
        }
        // Good enough unless one bin holds nearly all items.
        if 4 * sum < 3 * count {
            return partition(items, |item| bin(item) < border);
        }
    }
    // Rounded up to full leaves, and to full nodes if there is more than one.
    let unit = if count > NODE_FACES { NODE_FACES } else { WIDTH };
    let half = (count / 2).next_multiple_of(unit);
    if count > SMALL {
        items.select_nth_unstable_by(half, |p, q| p.along(axis).total_cmp(&q.along(axis)));
        return half;
    }
    let mut copy = [Item::NONE; SMALL];
    copy[..count].copy_from_slice(items);
    let mut keys = [0; SMALL];
    let keys = keys_along(items, axis, &mut keys);
    keys.select_nth_unstable(half);
    for (item, key) in items.iter_mut().zip(keys) {
        *item = copy[usize::from(*key as u8)];
    }
    half
}

/// The number of bins for finding the median.
const FINE_BINS: usize = 256;

/// Writes a sort key for each item: the position along an axis in the upper half, the item's index
/// in the lower.
fn keys_along<'k>(items: &[Item], axis: usize, keys: &'k mut [u64; SMALL]) -> &'k mut [u64] {
    for (k, (key, item)) in keys.iter_mut().zip(items).enumerate() {
        *key = u64::from(sortable_bits(item.along(axis))) << 32 | k as u64;
    }
    &mut keys[..items.len()]
}

/// The number of bins per axis for the surface-area heuristic.
const BINS: usize = 16;

/// Splits a large range by the surface-area heuristic over bins. Returns how many items come first.
fn split_large(items: &mut [Item]) -> usize {
    let (low, size) = center_range(items);
    let to_bin = Vec4::splat(BINS as f32 * 0.9999) / size;
    // A size of 0 makes `to_bin` infinite and the position NaN or infinite; the cast clamps both to
    // a valid bin.
    let bin = |at: f32| (at as usize).min(BINS - 1);
    let mut bins = [[(Bounds4::EMPTY, 0u32); BINS]; 3];
    for item in &*items {
        let at = ((item.min + item.max - low) * to_bin).to_array();
        for (bins, at) in bins.iter_mut().zip(at) {
            let bin = &mut bins[bin(at)];
            *bin = (bin.0.with(item.min, item.max), bin.1 + 1);
        }
    }
    let (mut best, mut least) = (None, f32::INFINITY);
    for (axis, bins) in bins.iter().enumerate() {
        let mut behind = [(0.0, 0); BINS];
        let mut sum = (Bounds4::EMPTY, 0);
        for k in (1..BINS).rev() {
            sum = (sum.0.merged(bins[k].0), sum.1 + bins[k].1);
            behind[k] = (sum.0.area(), sum.1);
        }
        let mut sum = (Bounds4::EMPTY, 0);
        for k in 1..BINS {
            sum = (sum.0.merged(bins[k - 1].0), sum.1 + bins[k - 1].1);
            let (area, count) = behind[k];
            let cost = sum.0.area() * sum.1 as f32 + area * count as f32;
            if sum.1 > 0 && count > 0 && cost < least {
                (best, least) = (Some((axis, k)), cost);
            }
        }
    }
    // All centres are equal, so any halves will do.
    let Some((axis, border)) = best else { return items.len() / 2 };
    let (low, to_bin) = (low[axis], to_bin[axis]);
    partition(items, |item| bin((item.along(axis) - low) * to_bin) < border)
}

/// Marks a position without a split.
const NO_CUT: u8 = u8::MAX;

/// Sorts a small range for all its later splits, and stores in `cuts` the depth of the split at
/// each position.
fn order_if_small(items: &mut [Item], cuts: &mut [u8]) {
    let count = items.len();
    if !(WIDTH + 1..=SMALL).contains(&count) {
        return;
    }
    let mut copy = [Item::NONE; SMALL];
    copy[..count].copy_from_slice(items);
    let mut range = SmallRange {
        items: &copy[..count],
        orders: [[0; SMALL]; 3],
        is_first: [false; SMALL],
        cuts,
    };
    for axis in 0..3 {
        let mut keys = [0; SMALL];
        let keys = keys_along(items, axis, &mut keys);
        keys.sort_unstable();
        for (place, key) in range.orders[axis].iter_mut().zip(keys) {
            *place = *key as u8;
        }
    }
    range.split(0..count, 0);
    for (item, from) in items.iter_mut().zip(range.orders[0]) {
        *item = copy[usize::from(from)];
    }
}

/// Maps an `f32` to a `u32` in the same order.
fn sortable_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The cost of visiting a number of faces: leaves, plus the nodes above them. The second part
/// rewards full nodes.
fn work(count: usize) -> f32 {
    (count.div_ceil(WIDTH) + 2 * count.div_ceil(NODE_FACES)) as f32
}

/// The factor on the cost of a split that is not after a multiple of eight faces. On smooth surfaces such
/// splits gain little and cost memory: without this factor, a sphere takes a tenth more.
const UNEVEN: f32 = 1.5;

/// A small range of items, sorted along each axis.
struct SmallRange<'i> {
    items: &'i [Item],
    orders: [[u8; SMALL]; 3],
    /// Whether each item comes before the current split.
    is_first: [bool; SMALL],
    cuts: &'i mut [u8],
}

impl SmallRange<'_> {
    /// Splits a range recursively, down to leaves.
    fn split(&mut self, range: Range<usize>, depth: u8) {
        if range.len() <= WIDTH {
            return;
        }
        let (axis, count) = self.best(&range);
        let middle = range.start + count;
        for (k, &item) in self.orders[axis][range.clone()].iter().enumerate() {
            self.is_first[usize::from(item)] = k < count;
        }
        for (_, order) in self.orders.iter_mut().enumerate().filter(|(other, _)| *other != axis) {
            // A stable partition keeps the order on either side.
            let mut behind = [0; SMALL];
            let (mut first, mut second) = (range.start, 0);
            for k in range.clone() {
                let item = order[k];
                let is_first = self.is_first[usize::from(item)];
                order[first] = item;
                behind[second] = item;
                first += usize::from(is_first);
                second += usize::from(!is_first);
            }
            order[middle..range.end].copy_from_slice(&behind[..second]);
        }
        self.cuts[middle] = depth;
        self.split(range.start..middle, depth + 1);
        self.split(middle..range.end, depth + 1);
    }

    /// Finds the split with the least sum of surface area times work: its axis, and how many items
    /// come first. Ranges of up to a node may be split anywhere, larger ones after multiples of eight.
    fn best(&self, range: &Range<usize>) -> (usize, usize) {
        let (mut best, mut least) = ((0, WIDTH), f32::INFINITY);
        let step = if range.len() > NODE_FACES { WIDTH } else { 1 };
        for (axis, order) in self.orders.iter().enumerate() {
            let order = &order[range.clone()];
            let enclosed = |bounds: Bounds4, items: &[u8]| {
                items.iter().fold(bounds, |bounds, &item| {
                    let item = &self.items[usize::from(item)];
                    bounds.with(item.min, item.max)
                })
            };
            // The area behind each split.
            let mut behind = [0.0; NODE_FACES];
            let mut bounds = Bounds4::EMPTY;
            let last = (order.len() - 1) / step;
            for k in (1..=last).rev() {
                let to = (k * step + step).min(order.len());
                bounds = enclosed(bounds, &order[k * step..to]);
                behind[k] = bounds.area();
            }
            let mut bounds = Bounds4::EMPTY;
            for (k, behind) in behind.iter().enumerate().take(last + 1).skip(1) {
                let first = k * step;
                bounds = enclosed(bounds, &order[first - step..first]);
                let cost = bounds.area() * work(first) + behind * work(order.len() - first);
                let cost = if first % WIDTH == 0 { cost } else { cost * UNEVEN };
                if cost < least {
                    (best, least) = ((axis, first), cost);
                }
            }
        }
        best
    }
}

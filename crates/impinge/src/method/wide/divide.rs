//! Dividing faces, from the top down: which make a leaf, and which leaves a node.
//!
//! Ranges of faces are split where the surface-area heuristic says, along the mesh's axes, and after
//! a multiple of eight where they are few, so that all leaves but the last of some are full: an open
//! leaf costs as much as a full one. Or they are just halved, which is faster.

use super::{WIDTH, options::WideQuality};
use crate::{Mesh, Threads};
use glam::{DVec3, Vec4};
use rayon::prelude::*;
use std::ops::Range;

/// How many faces fill a node whose children are leaves.
const FULL: usize = WIDTH * WIDTH;
/// Up to how many faces every way to split a range between eights is looked at.
const SMALL: usize = 4 * FULL;
/// From how many faces on what is below a node is shared among threads.
const WORTH_A_THREAD: usize = 4096;

/// A node of the tree to be: the faces of its children, and which of them are nodes.
#[derive(Clone, Debug)]
pub(super) struct Division {
    /// Where each child's faces begin, and where the last one's end.
    bounds: [u32; WIDTH + 1],
    count: usize,
    /// The first child's node, if it is one, and so on; `u32::MAX` for leaves.
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

/// The faces in the order of the leaves, and the nodes, the first for the root alone, each followed
/// by what is below its children, one after the other. Takes time n log n, also for the worst of
/// meshes. The mesh's positions are given in its frame.
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
        // Splits by surface can part off eight faces at a time. Past this depth, in nodes, they are
        // halved, to keep the work n log n.
        let patience = items.len().ilog2() + 8;
        let mut cuts = vec![NO_CUT; items.len()];
        let divider = Divider { quality, patience, threads };
        if quality == WideQuality::Quality {
            order_if_small(&mut items, &mut cuts);
        }
        divider.grow(&mut items, &mut cuts, 0, 0, &mut divisions);
    }
    (items.iter().map(Item::face).collect(), divisions)
}

struct Divider {
    quality: WideQuality,
    patience: u32,
    threads: Threads,
}

impl Divider {
    /// Appends the node of some faces, which begin at a place in the list, and all nodes below it.
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
        if self.threads == Threads::Pool && items.len() >= WORTH_A_THREAD {
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

    /// Parts the items in two and returns how many come first; never none and never all.
    fn split(&self, items: &mut [Item], cuts: &mut [u8], depth: u32) -> usize {
        if self.quality == WideQuality::Fast || depth >= self.patience {
            return halve(items);
        }
        if items.len() <= SMALL {
            // The cut that was made first.
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

/// Which part of a node to split further: the largest, as long as it fills a node of its own, and then
/// the smallest that can be split up into leaves altogether; none if the node is full.
fn next_to_split(bounds: &[usize]) -> Option<usize> {
    let count = bounds.len() - 1;
    let room = WIDTH - count;
    if room == 0 {
        return None;
    }
    let sizes = || bounds.windows(2).map(|ends| ends[1] - ends[0]).enumerate();
    let (largest, size) = sizes().max_by_key(|&(_, size)| size)?;
    if size > FULL {
        return Some(largest);
    }
    let fits = |&(_, size): &(usize, usize)| size > WIDTH && size.div_ceil(WIDTH) - 1 <= room;
    sizes().filter(fits).min_by_key(|&(_, size)| size).map(|(k, _)| k)
}

/// What is known of a face. Rounded: it only decides where ranges are split.
///
/// The fourth lanes hold the halves of its number, as numbers too: bits of a number read as `f32`
/// would be denormal, and slow to reckon beside.
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

    /// Twice the middle of its box along an axis.
    #[inline]
    fn along(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

/// The least of the items' middles along each axis, and how far they reach.
fn middles(items: &[Item]) -> (Vec4, Vec4) {
    let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
    for item in items {
        let middle = item.min + item.max;
        (low, high) = (low.min(middle), high.max(middle));
    }
    (low, high - low)
}

/// A box that grows.
#[derive(Clone, Copy)]
struct Hull {
    min: Vec4,
    max: Vec4,
}

impl Hull {
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

/// Puts those first for which that is said, in time that does not depend on how they are mixed, and
/// returns how many they are.
#[inline]
fn part(items: &mut [Item], is_first: impl Fn(&Item) -> bool) -> usize {
    let mut first = 0;
    for k in 0..items.len() {
        let is_first = is_first(&items[k]);
        items.swap(first, k);
        first += usize::from(is_first);
    }
    first
}

/// In two of about the same number, along the axis along which they are spread the most.
fn halve(items: &mut [Item]) -> usize {
    let count = items.len();
    let (low, size) = middles(items);
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
        // Good enough unless one bin has nearly all.
        if 4 * sum < 3 * count {
            return part(items, |item| bin(item) < border);
        }
    }
    // So that leaves are full, and nodes where there is more than one.
    let unit = if count > FULL { FULL } else { WIDTH };
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

/// Into how many bins middles are sorted to find the one in the middle.
const FINE_BINS: usize = 256;

/// For each of a few items a number that is larger the further along an axis it is, and ends in the
/// item's place.
fn keys_along<'k>(items: &[Item], axis: usize, keys: &'k mut [u64; SMALL]) -> &'k mut [u64] {
    for (k, (key, item)) in keys.iter_mut().zip(items).enumerate() {
        *key = u64::from(in_order(item.along(axis))) << 32 | k as u64;
    }
    &mut keys[..items.len()]
}

/// Into how many bins middles are sorted along each axis.
const BINS: usize = 16;

/// Many: by bins.
fn split_large(items: &mut [Item]) -> usize {
    let (low, size) = middles(items);
    let to_bin = Vec4::splat(BINS as f32 * 0.9999) / size;
    // A size of 0 makes it infinite or no number, which become some bin too.
    let bin = |at: f32| (at as usize).min(BINS - 1);
    let mut bins = [[(Hull::EMPTY, 0u32); BINS]; 3];
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
        let mut sum = (Hull::EMPTY, 0);
        for k in (1..BINS).rev() {
            sum = (sum.0.merged(bins[k].0), sum.1 + bins[k].1);
            behind[k] = (sum.0.area(), sum.1);
        }
        let mut sum = (Hull::EMPTY, 0);
        for k in 1..BINS {
            sum = (sum.0.merged(bins[k - 1].0), sum.1 + bins[k - 1].1);
            let (area, count) = behind[k];
            let cost = sum.0.area() * sum.1 as f32 + area * count as f32;
            if sum.1 > 0 && count > 0 && cost < least {
                (best, least) = (Some((axis, k)), cost);
            }
        }
    }
    // All middles are the same: halved as they stand.
    let Some((axis, border)) = best else { return items.len() / 2 };
    let (low, to_bin) = (low[axis], to_bin[axis]);
    part(items, |item| bin((item.along(axis) - low) * to_bin) < border)
}

/// Where no cut is.
const NO_CUT: u8 = u8::MAX;

/// If there are few, puts them in order for all splits to come, and notes where those are and which
/// comes first.
fn order_if_small(items: &mut [Item], cuts: &mut [u8]) {
    let count = items.len();
    if !(WIDTH + 1..=SMALL).contains(&count) {
        return;
    }
    let mut copy = [Item::NONE; SMALL];
    copy[..count].copy_from_slice(items);
    let mut few =
        Few { items: &copy[..count], orders: [[0; SMALL]; 3], is_first: [false; SMALL], cuts };
    for axis in 0..3 {
        let mut keys = [0; SMALL];
        let keys = keys_along(items, axis, &mut keys);
        keys.sort_unstable();
        for (place, key) in few.orders[axis].iter_mut().zip(keys) {
            *place = *key as u8;
        }
    }
    few.split(0..count, 0);
    for (item, from) in items.iter_mut().zip(few.orders[0]) {
        *item = copy[usize::from(from)];
    }
}

/// A number that is larger for a larger one.
fn in_order(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// What it takes to look through so many faces: leaves, and the nodes above them. So it pays to fill
/// nodes, but not at any price.
fn work(count: usize) -> f32 {
    (count.div_ceil(WIDTH) + 2 * count.div_ceil(FULL)) as f32
}

/// A few items, in order along each axis.
struct Few<'i> {
    items: &'i [Item],
    orders: [[u8; SMALL]; 3],
    /// Whether an item comes before the split at hand.
    is_first: [bool; SMALL],
    cuts: &'i mut [u8],
}

impl Few<'_> {
    /// Splits a range again and again, down to leaves.
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
            // In order on either side.
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

    /// Where surfaces times work are least: along which axis, and how many come first.
    fn best(&self, range: &Range<usize>) -> (usize, usize) {
        let (mut best, mut least) = ((0, WIDTH), f32::INFINITY);
        for (axis, order) in self.orders.iter().enumerate() {
            let mut eights = [Hull::EMPTY; SMALL / WIDTH];
            let mut count = 0;
            for (hull, eight) in eights.iter_mut().zip(order[range.clone()].chunks(WIDTH)) {
                for &item in eight {
                    let item = &self.items[usize::from(item)];
                    *hull = hull.with(item.min, item.max);
                }
                count += 1;
            }
            let mut behind = [0.0; SMALL / WIDTH];
            let mut hull = Hull::EMPTY;
            for k in (1..count).rev() {
                hull = hull.merged(eights[k]);
                behind[k] = hull.area();
            }
            let mut hull = Hull::EMPTY;
            for k in 1..count {
                hull = hull.merged(eights[k - 1]);
                let first = k * WIDTH;
                let cost = hull.area() * work(first) + behind[k] * work(range.len() - first);
                if cost < least {
                    (best, least) = ((axis, first), cost);
                }
            }
        }
        best
    }
}

//! Hilbert keys of boxes, and a radix sort by them.

use super::{
    block::{Block, Box32, WIDTH},
    frame::quantiles,
};

/// Scratch memory for sorting, kept between calls.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    /// The key and the position of each box.
    items: Vec<(u64, u32)>,
    swap_items: Vec<(u64, u32)>,
    counts: Vec<u32>,
}

/// Bits per coordinate in a key.
const BITS: u32 = 16;
/// Bits per pass of the radix sort.
const DIGIT: u32 = 11;
const DIGITS: u32 = (3 * BITS + 5).div_ceil(DIGIT);

impl Sorter {
    /// The positions of the first `count` boxes, sorted by key. Returns `None` if the frame does not suit the
    /// boxes, unless `accept_any_frame`.
    pub(super) fn order(
        &mut self,
        blocks: &[Block],
        count: usize,
        accept_any_frame: bool,
    ) -> Option<&[(u64, u32)]> {
        let boxes = || {
            let lanes = blocks.iter().flat_map(|block| (0..WIDTH).map(|lane| block.get(lane)));
            lanes.take(count)
        };
        let mut cells = Cells { low: [0.0; 3], scale: [0.0; 3], median_exponent: 0 };
        let (mut spread, mut is_poor) = (0.0f64, false);
        for axis in 0..3 {
            let centers = boxes().map(|bounds32| f64::from(center(&bounds32, axis)));
            let [low, middle, high] = quantiles(count, centers);
            let range = (high - low).max(f64::MIN_POSITIVE);
            // The grid covers three times the range; the few bodies outside it share the outermost cells.
            cells.low[axis] = (low - range) as f32;
            cells.scale[axis] = (f64::from(1u32 << BITS) / (3.0 * range)).min(1e30) as f32;
            is_poor |= middle.abs() > 64.0 || range > 64.0;
            spread = spread.max(range);
        }
        if !accept_any_frame && (is_poor || spread < 1.0 / 64.0) {
            return None;
        }
        let exponents = boxes().map(|bounds32| f64::from(exponent(&bounds32)));
        cells.median_exponent = quantiles(count, exponents)[1] as i32;

        self.items.clear();
        self.items.extend(
            (0..).zip(boxes()).map(|(position, bounds32)| (cells.key(&bounds32), position)),
        );
        self.sort();
        Some(&self.items)
    }

    /// Radix sort, least significant digit first.
    fn sort(&mut self) {
        let Self { items, swap_items, counts } = self;
        let base = 1usize << DIGIT;
        let digit = |key: u64, pass: u32| (key >> (pass * DIGIT)) as usize & (base - 1);
        counts.clear();
        counts.resize(base * DIGITS as usize, 0);
        for &(key, _) in &*items {
            for pass in 0..DIGITS {
                counts[pass as usize * base + digit(key, pass)] += 1;
            }
        }
        swap_items.clear();
        swap_items.resize(items.len(), (0, 0));
        for pass in 0..DIGITS {
            let starts = &mut counts[pass as usize * base..][..base];
            let has_one_digit = items
                .first()
                .is_some_and(|&(key, _)| starts[digit(key, pass)] as usize == items.len());
            if has_one_digit {
                continue;
            }
            let mut start = 0;
            for count in starts.iter_mut() {
                start += std::mem::replace(count, start);
            }
            for &(key, position) in &*items {
                let at = &mut starts[digit(key, pass)];
                swap_items[*at as usize] = (key, position);
                *at += 1;
            }
            std::mem::swap(items, swap_items);
        }
    }
}

/// A grid of cells over the bodies, and the median exponent of their sizes.
struct Cells {
    low: [f32; 3],
    scale: [f32; 3],
    median_exponent: i32,
}

impl Cells {
    fn key(&self, bounds32: &Box32) -> u64 {
        let cell = |axis: usize| {
            let cell = (center(bounds32, axis) - self.low[axis]) * self.scale[axis];
            // The cast saturates values outside the grid, and turns NaN into 0.
            (cell as u32).min((1 << BITS) - 1)
        };
        let key = hilbert_position([cell(0), cell(1), cell(2)]);
        // Boxes much larger than the median come last, in order of size.
        let size_class = (exponent(bounds32) - self.median_exponent - 1).clamp(0, 62) as u64 / 2;
        key | size_class << (3 * BITS)
    }
}

fn center(bounds32: &Box32, axis: usize) -> f32 {
    bounds32.min[axis] * 0.5 + bounds32.max[axis] * 0.5
}

/// The binary exponent of a box's longest side, with the bias of `f32`; 0 for an empty box.
fn exponent(bounds32: &Box32) -> i32 {
    let extent = bounds32.extent();
    if extent > 0.0 { (extent.to_bits() >> 23) as i32 } else { 0 }
}

/// The position of a cell along the Hilbert curve (Skilling 2004, Programming the Hilbert curve). Consecutive
/// cells are neighbours, unlike in Morton order, which jumps. So blocks are smaller: two fifths fewer pairs
/// of blocks overlap.
fn hilbert_position(mut cell: [u32; 3]) -> u64 {
    for bit in (1..BITS).rev() {
        let below = (1u32 << bit) - 1;
        for axis in 0..3 {
            // If the bit is set, invert the lower bits of axis 0; otherwise swap them with those of this axis.
            let is_set = ((cell[axis] >> bit) & 1).wrapping_neg();
            cell[0] ^= below & is_set;
            let differing = (cell[0] ^ cell[axis]) & below & !is_set;
            cell[0] ^= differing;
            cell[axis] ^= differing;
        }
    }
    cell[1] ^= cell[0];
    cell[2] ^= cell[1];
    // Gray decoding: each bit of the last axis inverts all lower bits.
    let mut inverted = cell[2] >> 1;
    for shift in [1, 2, 4, 8] {
        inverted ^= inverted >> shift;
    }
    let [x, y, z] = cell.map(|c| spread_bits(u64::from(c ^ inverted)));
    x << 2 | y << 1 | z
}

/// Inserts two zero bits before each of sixteen bits.
fn spread_bits(bits: u64) -> u64 {
    let bits = (bits | bits << 16) & 0xff00_00ff;
    let bits = (bits | bits << 8) & 0x00f0_0f00_f00f;
    let bits = (bits | bits << 4) & 0x0c30_c30c_30c3;
    (bits | bits << 2) & 0x2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Consecutive positions on the curve are neighbouring cells.
    #[test]
    fn the_curve_goes_from_neighbour_to_neighbour() {
        let side = 8;
        let cells = (0..side * side * side).map(|i| [i % side, i / side % side, i / side / side]);
        let mut along: Vec<(u64, [u32; 3])> =
            cells.map(|cell| (hilbert_position(cell), cell)).collect();
        along.sort_unstable();
        for (i, (key, cell)) in (0..).zip(&along) {
            assert_eq!(*key, i, "{cell:?}");
        }
        for pair in along.windows(2) {
            let steps: u32 = (0..3).map(|k| pair[0].1[k].abs_diff(pair[1].1[k])).sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }
}

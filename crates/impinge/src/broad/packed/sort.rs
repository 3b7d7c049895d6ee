//! Keys along a curve that fills space, and sorting by them.

use super::{
    block::{Block, Narrow, WIDTH},
    frame::quantiles,
};

/// Room for sorting, kept from time to time.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    /// A key and a place each.
    items: Vec<(u64, u32)>,
    other: Vec<(u64, u32)>,
    counts: Vec<u32>,
}

/// Bits of a coordinate in a key.
const BITS: u32 = 16;
/// Bits that are sorted by at once.
const DIGIT: u32 = 11;
const DIGITS: u32 = (3 * BITS + 5).div_ceil(DIGIT);

impl Sorter {
    /// The places of so many boxes in the order of their keys; `None` if the frame is poor for them, and
    /// need not be.
    pub(super) fn order(
        &mut self,
        blocks: &[Block],
        count: usize,
        takes_any: bool,
    ) -> Option<&[(u64, u32)]> {
        let boxes = || {
            let lanes = blocks.iter().flat_map(|block| (0..WIDTH).map(|lane| block.get(lane)));
            lanes.take(count)
        };
        let mut cells = Cells { low: [0.0; 3], scale: [0.0; 3], usual: 0 };
        let (mut spread, mut is_poor) = (0.0f64, false);
        for axis in 0..3 {
            let centers = boxes().map(|narrow| f64::from(center(&narrow, axis)));
            let [low, middle, high] = quantiles(count, centers);
            let range = (high - low).max(f64::MIN_POSITIVE);
            // Room for what is beyond; the few that are farther out share the cells at the ends.
            cells.low[axis] = (low - range) as f32;
            cells.scale[axis] = (f64::from(1u32 << BITS) / (3.0 * range)).min(1e30) as f32;
            is_poor |= middle.abs() > 64.0 || range > 64.0;
            spread = spread.max(range);
        }
        if !takes_any && (is_poor || spread < 1.0 / 64.0) {
            return None;
        }
        let exponents = boxes().map(|narrow| f64::from(exponent(&narrow)));
        cells.usual = quantiles(count, exponents)[1] as i32;

        self.items.clear();
        self.items.extend((0..).zip(boxes()).map(|(place, narrow)| (cells.key(&narrow), place)));
        self.sort();
        Some(&self.items)
    }

    /// Sorts by digits, the last one first.
    fn sort(&mut self) {
        let Self { items, other, counts } = self;
        let base = 1usize << DIGIT;
        let digit = |key: u64, pass: u32| (key >> (pass * DIGIT)) as usize & (base - 1);
        counts.clear();
        counts.resize(base * DIGITS as usize, 0);
        for &(key, _) in &*items {
            for pass in 0..DIGITS {
                counts[pass as usize * base + digit(key, pass)] += 1;
            }
        }
        other.clear();
        other.resize(items.len(), (0, 0));
        for pass in 0..DIGITS {
            let starts = &mut counts[pass as usize * base..][..base];
            let is_same = items
                .first()
                .is_some_and(|&(key, _)| starts[digit(key, pass)] as usize == items.len());
            if is_same {
                continue;
            }
            let mut start = 0;
            for count in starts.iter_mut() {
                start += std::mem::replace(count, start);
            }
            for &(key, place) in &*items {
                let at = &mut starts[digit(key, pass)];
                other[*at as usize] = (key, place);
                *at += 1;
            }
            std::mem::swap(items, other);
        }
    }
}

/// Cells of space, and how large most bodies are.
struct Cells {
    low: [f32; 3],
    scale: [f32; 3],
    usual: i32,
}

impl Cells {
    fn key(&self, narrow: &Narrow) -> u64 {
        let cell = |axis: usize| {
            let cell = (center(narrow, axis) - self.low[axis]) * self.scale[axis];
            // A cast takes what is beyond to the ends, and what is not a number to 0.
            (cell as u32).min((1 << BITS) - 1)
        };
        let key = along_curve([cell(0), cell(1), cell(2)]);
        // Those much larger than most come last, the largest of all at the end.
        let larger = (exponent(narrow) - self.usual - 1).clamp(0, 62) as u64 / 2;
        key | larger << (3 * BITS)
    }
}

fn center(narrow: &Narrow, axis: usize) -> f32 {
    narrow.min[axis] * 0.5 + narrow.max[axis] * 0.5
}

/// The exponent of a box's extent.
fn exponent(narrow: &Narrow) -> i32 {
    let extent = narrow.extent();
    if extent > 0.0 { (extent.to_bits() >> 23) as i32 } else { 0 }
}

/// How far along Hilbert's curve a cell is (Skilling 2004, Programming the Hilbert curve). Blocks of
/// neighbours along it are smaller than in the order of interleaved bits, which leaps: pairs of blocks
/// that overlap are two fifths fewer.
fn along_curve(mut cell: [u32; 3]) -> u64 {
    for bit in (1..BITS).rev() {
        let below = (1u32 << bit) - 1;
        for axis in 0..3 {
            // Where the bit is set, what is below is turned round, otherwise exchanged.
            let is_set = ((cell[axis] >> bit) & 1).wrapping_neg();
            cell[0] ^= below & is_set;
            let differing = (cell[0] ^ cell[axis]) & below & !is_set;
            cell[0] ^= differing;
            cell[axis] ^= differing;
        }
    }
    cell[1] ^= cell[0];
    cell[2] ^= cell[1];
    // Each bit of the last turns round all that are below.
    let mut turned = cell[2] >> 1;
    for shift in [1, 2, 4, 8] {
        turned ^= turned >> shift;
    }
    let [x, y, z] = cell.map(|c| spread_bits(u64::from(c ^ turned)));
    x << 2 | y << 1 | z
}

/// Puts two zeros before each of sixteen bits.
fn spread_bits(bits: u64) -> u64 {
    let bits = (bits | bits << 16) & 0xff00_00ff;
    let bits = (bits | bits << 8) & 0x00f0_0f00_f00f;
    let bits = (bits | bits << 4) & 0x0c30_c30c_30c3;
    (bits | bits << 2) & 0x2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each cell comes right after a neighbour.
    #[test]
    fn the_curve_goes_from_neighbour_to_neighbour() {
        let side = 8;
        let cells = (0..side * side * side).map(|i| [i % side, i / side % side, i / side / side]);
        let mut along: Vec<(u64, [u32; 3])> = cells.map(|cell| (along_curve(cell), cell)).collect();
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

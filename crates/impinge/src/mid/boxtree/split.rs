//! How the faces of a node are parted in two: seeds, and the rest to the one that grows less.

use super::{Measure, SeedAxis, grid::GridBox};
use glam::{BVec4A, Vec4};

/// The box of a face, in steps of the grid, and which face it is.
///
/// Whole numbers up to 2²⁴ are exact in `f32`, whose minima and maxima are four to an instruction.
/// The fourth lanes hold the halves of the face number, as numbers too: bits of a number read as
/// `f32` would be denormal, and slow to reckon beside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    min: Vec4,
    max: Vec4,
}

impl Item {
    #[inline]
    pub(super) fn new(face: u32, bounds: &GridBox) -> Self {
        let [min, max] = bounds.lanes([(face & 0xffff) as f32, (face >> 16) as f32]);
        Self { min, max }
    }

    #[inline]
    pub(super) fn face(&self) -> u32 {
        self.min.w as u32 | (self.max.w as u32) << 16
    }

    /// Twice the middle, but for rounding.
    #[inline]
    fn middle(&self) -> Vec4 {
        self.min + self.max
    }
}

/// Where some faces are: their box, and the seeds along each axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    min: Vec4,
    max: Vec4,
    /// How far the face reaches that is closest to the lower border: the least upper end of any.
    lower_seed: Vec4,
    /// How far the face reaches that is closest to the upper border: the greatest lower end.
    upper_seed: Vec4,
}

impl Spread {
    #[inline]
    pub(super) fn of(items: &[Item]) -> Self {
        let empty = Self {
            min: Vec4::INFINITY,
            max: Vec4::NEG_INFINITY,
            lower_seed: Vec4::INFINITY,
            upper_seed: Vec4::NEG_INFINITY,
        };
        items.iter().fold(empty, |spread, item| Self {
            min: spread.min.min(item.min),
            max: spread.max.max(item.max),
            lower_seed: spread.lower_seed.min(item.max),
            upper_seed: spread.upper_seed.max(item.min),
        })
    }

    #[inline]
    pub(super) fn bounds(&self) -> GridBox {
        GridBox::from_lanes(self.min, self.max)
    }

    /// What twice the middle of a face is compared with. A face that reaches from `lo` to `hi`
    /// makes the lower seed's box grow by `hi − lower_seed`, and the upper one's by
    /// `upper_seed − lo`; the former is less if `lo + hi < lower_seed + upper_seed`.
    ///
    /// Growth is measured from the seeds, not from what the boxes have grown to by then. So the
    /// order of the faces does not matter, where else a sorted mesh would all go to one side.
    #[inline]
    fn border(&self) -> Vec4 {
        self.lower_seed + self.upper_seed
    }
}

/// How faces were parted: so many come first, and the axis along which.
pub(super) struct Parted {
    pub(super) count: usize,
    pub(super) axis: usize,
}

/// Parts the faces of a node in two, neither empty; without `axes`, in halves.
///
/// Takes time linear in their number.
pub(super) fn split(
    items: &mut [Item],
    implied: &GridBox,
    spread: &Spread,
    axes: Option<SeedAxis>,
    measure: Measure,
) -> Parted {
    let longest = longest_axis(implied);
    if items.len() == 2 {
        return Parted { count: 1, axis: longest };
    }
    let axis = match axes {
        Some(SeedAxis::All) => cheapest_axis(items, implied, spread, measure),
        Some(SeedAxis::Longest) => Some(longest),
        None => None,
    };
    if let Some(axis) = axis {
        let border = spread.border()[axis];
        let count = part(items, |item| item.middle()[axis] < border);
        if count > 0 && count < items.len() {
            return Parted { count, axis };
        }
    }
    let half = items.len() / 2;
    let along = |item: &Item| item.middle()[longest];
    items.select_nth_unstable_by(half, |p, q| along(p).total_cmp(&along(q)));
    Parted { count: half, axis: longest }
}

fn longest_axis(implied: &GridBox) -> usize {
    (1..3).fold(0, |best, i| if implied.length(i) > implied.length(best) { i } else { best })
}

/// Moves the items that belong first to the front, and returns how many there are.
#[inline]
fn part(items: &mut [Item], is_first: impl Fn(&Item) -> bool) -> usize {
    let mut count = 0;
    for i in 0..items.len() {
        // Always swapped, so that there is no branch to be guessed wrongly half of the time.
        let goes = is_first(&items[i]);
        items.swap(i, count);
        count += usize::from(goes);
    }
    count
}

/// The axis along which the children's boxes are least together, each with the better of its
/// two sides moved inward: both the lower ones, both the upper ones, or one of each.
///
/// Nothing if along every axis one child would be empty.
fn cheapest_axis(
    items: &[Item],
    implied: &GridBox,
    spread: &Spread,
    measure: Measure,
) -> Option<usize> {
    let border = spread.border();
    let mut lower_end = Vec4::NEG_INFINITY;
    let mut upper_end = Vec4::INFINITY;
    for item in items {
        let is_lower: BVec4A = item.middle().cmplt(border);
        lower_end = lower_end.max(Vec4::select(is_lower, item.max, Vec4::NEG_INFINITY));
        upper_end = upper_end.min(Vec4::select(is_lower, Vec4::INFINITY, item.min));
    }
    let [low, high] = implied.lanes([0.0; 2]);
    // What is left of the box's length for each child; infinite for one that is empty.
    let first = (lower_end - low).min(high - spread.min);
    let second = (high - upper_end).min(spread.max - low);
    let lengths = high - low;
    let mut best = None;
    let mut most = f32::NEG_INFINITY;
    for axis in 0..3 {
        let is_proper = lower_end[axis].is_finite() && upper_end[axis].is_finite();
        // What two boxes as large as the parent's would lose: 0 / 0 for one that is flat, which is
        // not more than any.
        let lost = 2.0 * lengths[axis] - first[axis] - second[axis];
        let gain = lost * measure.per_step(lengths.truncate().to_array(), axis);
        if is_proper && gain > most {
            (best, most) = (Some(axis), gain);
        }
    }
    best
}

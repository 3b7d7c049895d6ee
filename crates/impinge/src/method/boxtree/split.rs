//! How the faces of a node are parted in two: seeds, and the rest to the one that grows less.

use super::{Measure, SeedAxis, grid::Lanes};
use glam::{BVec4A, Vec4};

/// The box of a face, and which face it is; or of a cell of faces.
///
/// The fourth lanes hold the halves of the number, as numbers too: bits of a number read as `f32`
/// would be denormal, and slow to reckon beside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item(pub(super) Lanes);

impl Item {
    #[inline]
    pub(super) fn new(number: u32, Lanes { min, max }: Lanes) -> Self {
        let (low, high) = ((number & 0xffff) as f32, (number >> 16) as f32);
        Self(Lanes { min: min.with_w(low), max: max.with_w(high) })
    }

    #[inline]
    pub(super) fn number(&self) -> u32 {
        self.0.min.w as u32 | (self.0.max.w as u32) << 16
    }

    /// Twice the middle, but for rounding.
    #[inline]
    pub(super) fn middle(&self) -> Vec4 {
        self.0.min + self.0.max
    }
}

/// Where some faces are: their box, and the seeds along each axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) bounds: Lanes,
    /// How far the face reaches that is closest to the lower border: the least upper end of any.
    lower_seed: Vec4,
    /// How far the face reaches that is closest to the upper border: the greatest lower end.
    upper_seed: Vec4,
}

impl Spread {
    #[inline]
    pub(super) fn of(items: &[Item]) -> Self {
        let empty = Self {
            bounds: Lanes::EMPTY,
            lower_seed: Vec4::INFINITY,
            upper_seed: Vec4::NEG_INFINITY,
        };
        items.iter().fold(empty, |spread, Item(item)| Self {
            bounds: spread.bounds.merged(*item),
            lower_seed: spread.lower_seed.min(item.max),
            upper_seed: spread.upper_seed.max(item.min),
        })
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
    implied: Lanes,
    spread: &Spread,
    axes: Option<SeedAxis>,
    measure: Measure,
) -> Parted {
    let longest = implied.lengths().truncate().max_position();
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
/// Nothing if along every axis one child would be empty. (To look ahead, by weighing boxes with how
/// much is below them, saves 1 % of the box tests of a query, and is left.)
fn cheapest_axis(
    items: &[Item],
    implied: Lanes,
    spread: &Spread,
    measure: Measure,
) -> Option<usize> {
    let border = spread.border();
    let mut lower_end = Vec4::NEG_INFINITY;
    let mut upper_end = Vec4::INFINITY;
    for item in items {
        let is_lower: BVec4A = item.middle().cmplt(border);
        lower_end = lower_end.max(Vec4::select(is_lower, item.0.max, Vec4::NEG_INFINITY));
        upper_end = upper_end.min(Vec4::select(is_lower, Vec4::INFINITY, item.0.min));
    }
    let Lanes { min: low, max: high } = implied;
    // What is left of the box's length for each child; infinite for one that is empty.
    let first = (lower_end - low).min(high - spread.bounds.min);
    let second = (high - upper_end).min(spread.bounds.max - low);
    let lengths = implied.lengths();
    let per_step = measure.per_step(lengths);
    let mut best = None;
    let mut most = f32::NEG_INFINITY;
    for axis in 0..3 {
        let is_proper = lower_end[axis].is_finite() && upper_end[axis].is_finite();
        // What two boxes as large as the parent's would lose: 0 / 0 for one that is flat, which is
        // not more than any.
        let lost = 2.0 * lengths[axis] - first[axis] - second[axis];
        let gain = lost * per_step[axis];
        if is_proper && gain > most {
            (best, most) = (Some(axis), gain);
        }
    }
    best
}

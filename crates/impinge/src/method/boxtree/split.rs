//! Partitioning the faces of a node in two: every face joins the one of two seeds whose box grows
//! less.

use super::{Measure, SeedAxis, grid::LaneBox};
use glam::{BVec4A, Vec4};

/// The box of a face, or of a cell of faces, and its index.
///
/// The fourth lanes hold the lower and upper half of the index, converted to `f32`. The index bits
/// reinterpreted as `f32` would be a denormal number, which slows arithmetic down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item(pub(super) LaneBox);

impl Item {
    #[inline]
    pub(super) fn new(number: u32, LaneBox { min, max }: LaneBox) -> Self {
        let (low, high) = ((number & 0xffff) as f32, (number >> 16) as f32);
        Self(LaneBox { min: min.with_w(low), max: max.with_w(high) })
    }

    #[inline]
    pub(super) fn number(&self) -> u32 {
        self.0.min.w as u32 | (self.0.max.w as u32) << 16
    }

    /// Twice the centre of the box, up to rounding.
    #[inline]
    pub(super) fn middle(&self) -> Vec4 {
        self.0.min + self.0.max
    }
}

/// The bounds of some faces, and the seeds along each axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) bounds: LaneBox,
    /// The upper end of the face closest to the lower border: the least upper end of all faces.
    lower_seed: Vec4,
    /// The lower end of the face closest to the upper border: the greatest lower end of all faces.
    upper_seed: Vec4,
}

impl Spread {
    #[inline]
    pub(super) fn of(items: &[Item]) -> Self {
        let empty = Self {
            bounds: LaneBox::EMPTY,
            lower_seed: Vec4::INFINITY,
            upper_seed: Vec4::NEG_INFINITY,
        };
        items.iter().fold(empty, |spread, Item(item)| Self {
            bounds: spread.bounds.merged(*item),
            lower_seed: spread.lower_seed.min(item.max),
            upper_seed: spread.upper_seed.max(item.min),
        })
    }

    /// The value that the doubled centre of a face is compared with. A face from `lo` to `hi` makes
    /// the lower seed's box grow by `hi − lower_seed`, and the upper one's by `upper_seed − lo`;
    /// the former is less if `lo + hi < lower_seed + upper_seed`.
    ///
    /// Growth is measured from the seeds, not from the boxes as they have grown by then. So the
    /// order of the faces does not matter; otherwise all faces of a sorted mesh would go to one
    /// side.
    #[inline]
    fn border(&self) -> Vec4 {
        self.lower_seed + self.upper_seed
    }
}

/// The result of a split: how many faces come first, and the axis of the split.
pub(super) struct Split {
    pub(super) count: usize,
    pub(super) axis: usize,
}

/// Partitions the faces of a node in two, neither empty, in linear time. Without `axes`, splits at
/// the median.
pub(super) fn split(
    items: &mut [Item],
    implied: LaneBox,
    spread: &Spread,
    axes: Option<SeedAxis>,
    measure: Measure,
) -> Split {
    let longest = implied.lengths().truncate().max_position();
    if items.len() == 2 {
        return Split { count: 1, axis: longest };
    }
    let axis = match axes {
        Some(SeedAxis::All) => cheapest_axis(items, implied, spread, measure),
        Some(SeedAxis::Longest) => Some(longest),
        None => None,
    };
    if let Some(axis) = axis {
        let border = spread.border()[axis];
        let count = partition(items, |item| item.middle()[axis] < border);
        if count > 0 && count < items.len() {
            return Split { count, axis };
        }
    }
    let half = items.len() / 2;
    let along = |item: &Item| item.middle()[longest];
    items.select_nth_unstable_by(half, |p, q| along(p).total_cmp(&along(q)));
    Split { count: half, axis: longest }
}

/// Partitions `items` by `is_first` without branching. Returns how many come first.
#[inline]
fn partition(items: &mut [Item], is_first: impl Fn(&Item) -> bool) -> usize {
    let mut count = 0;
    for i in 0..items.len() {
        // Always swapped: a branch would be mispredicted half of the time.
        let goes_first = is_first(&items[i]);
        items.swap(i, count);
        count += usize::from(goes_first);
    }
    count
}

/// The axis along which the sum of the children's boxes is least, each with the better of its two
/// sides moved inward: both the lower ones, both the upper ones, or one of each.
///
/// `None` if along every axis one child would be empty. (Weighing boxes by the number of faces
/// below them would save only 1 % of the box tests of a query, so it is not done.)
fn cheapest_axis(
    items: &[Item],
    implied: LaneBox,
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
    let LaneBox { min: low, max: high } = implied;
    // The remaining length of the box for each child; infinite for an empty child.
    let first = (lower_end - low).min(high - spread.bounds.min);
    let second = (high - upper_end).min(spread.bounds.max - low);
    let lengths = implied.lengths();
    let per_step = measure.per_step(lengths);
    let mut best = None;
    let mut most = f32::NEG_INFINITY;
    for axis in 0..3 {
        let is_proper = lower_end[axis].is_finite() && upper_end[axis].is_finite();
        // The loss compared with two boxes as large as the parent's. For a flat box it is 0 / 0,
        // which compares as no gain.
        let lost = 2.0 * lengths[axis] - first[axis] - second[axis];
        let gain = lost * per_step[axis];
        if is_proper && gain > most {
            (best, most) = (Some(axis), gain);
        }
    }
    best
}

//! How a set of faces is parted in two: along which axis, and where.

use glam::DVec3;

/// Along which axis a node is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitAxis {
    /// The axis along which the faces reach furthest.
    LongestSide,
    /// The axis along which the faces' middles scatter most.
    #[default]
    Splatter,
    /// The axis for which the children's boxes have the least volume together.
    MinSum,
    /// The axis for which the larger of the children's boxes has the least volume.
    MinMax,
}

/// Where on the axis a node is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitPoint {
    /// At the mean of the faces' middles.
    #[default]
    Mean,
    /// At their median, which makes the tree as shallow as can be.
    Median,
}

/// What the builder knows of a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) face: u32,
    pub(super) middle: DVec3,
    pub(super) min: DVec3,
    pub(super) max: DVec3,
}

/// Parts the items in two and returns how many come first; never none and never all.
///
/// Takes time linear in their number, whatever they are: where the point leaves one side empty
/// (all middles equal, say), they are halved as they stand.
pub(super) fn split(items: &mut [Item], axis: SplitAxis, point: SplitPoint) -> usize {
    let axis = match axis {
        SplitAxis::LongestSide => {
            let (min, max) = bounds(items);
            (max - min).max_position()
        }
        SplitAxis::Splatter => scatter(items).max_position(),
        SplitAxis::MinSum => cheapest(items, point, |first, second| first + second),
        SplitAxis::MinMax => cheapest(items, point, f64::max),
    };
    part(items, axis, point)
}

/// The axis for which the two halves cost least.
fn cheapest(items: &mut [Item], point: SplitPoint, cost: fn(f64, f64) -> f64) -> usize {
    let costs = [0, 1, 2].map(|axis| {
        let count = part(items, axis, point);
        let volume = |items: &[Item]| {
            let (min, max) = bounds(items);
            (max - min).element_product()
        };
        cost(volume(&items[..count]), volume(&items[count..]))
    });
    (0..3).fold(0, |best, axis| if costs[axis] < costs[best] { axis } else { best })
}

fn part(items: &mut [Item], axis: usize, point: SplitPoint) -> usize {
    let half = items.len() / 2;
    let along = |item: &Item| item.middle[axis];
    if point == SplitPoint::Median {
        items.select_nth_unstable_by(half, |p, q| along(p).total_cmp(&along(q)));
        return half;
    }
    let mean = items.iter().map(along).sum::<f64>() / items.len() as f64;
    let mut count = 0;
    for i in 0..items.len() {
        if along(&items[i]) < mean {
            items.swap(i, count);
            count += 1;
        }
    }
    if count == 0 || count == items.len() { half } else { count }
}

fn bounds(items: &[Item]) -> (DVec3, DVec3) {
    items.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), item| {
        (min.min(item.min), max.max(item.max))
    })
}

/// The variance of the middles along each axis.
fn scatter(items: &[Item]) -> DVec3 {
    let count = items.len() as f64;
    let mean = items.iter().map(|item| item.middle).sum::<DVec3>() / count;
    items.iter().map(|item| (item.middle - mean) * (item.middle - mean)).sum::<DVec3>() / count
}

//! How a set of faces is parted in two.
//!
//! Every rule takes time linear in the number of faces, whatever they are, and leaves neither side
//! empty. A rule may still split off one face at a time; how deep that may go is limited by
//! [`Splitter::split`], so that a whole tree takes n log n.

mod extent;
mod growth;
mod plane;
mod regroup;
mod surface;

pub use regroup::Regroup;

use super::build::{BuildOptions, Source};
use glam::DVec3;

/// By which rule a node is split.
///
/// Volumes and surfaces are those of axis-aligned boxes, whatever the tree's volumes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitRule {
    /// Along the direction in which the faces reach furthest.
    LongestSide,
    /// Along the direction in which the faces' middles scatter most.
    #[default]
    Splatter,
    /// Along the direction for which the children have the least volume together.
    MinSum,
    /// Along the direction for which the larger of the children has the least volume.
    MinMax,
    /// Where the children's surfaces, each times its number of faces, are least: direction and
    /// point at once, the latter among a few equally spaced ones.
    SurfaceArea,
    /// From a face at either end of a direction, every other goes where it makes the volume grow
    /// less; the direction for which the volume is least (Zachmann 2002). There is no point.
    LeastGrowth,
}

/// Where along its direction a node is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitPoint {
    /// At the mean of the faces' middles.
    #[default]
    Mean,
    /// At their median, which makes the tree as shallow as can be.
    Median,
}

/// The directions along which nodes may be split (Klosowski 1998, ch. 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitDirections {
    /// The three axes.
    #[default]
    Axes,
    /// The axes, and towards the corners of a cube: the 7 of a 14-DOP.
    Corners,
    /// The axes, and towards the edges of a cube: the 9 of an 18-DOP.
    Edges,
    /// All 13 of a 26-DOP.
    All,
}

/// Axes, edges and corners, and axes again for the one choice that is not a row of those.
const DIRECTIONS: [[i8; 3]; 16] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
    [1, -1, 0],
    [1, 0, -1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [-1, 1, 1],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
];

impl SplitDirections {
    /// Not of unit length: integers, so that places along them are sums of coordinates.
    fn vectors(self) -> Vec<DVec3> {
        let chosen = match self {
            Self::Axes => 0..3,
            Self::Corners => 9..16,
            Self::Edges => 0..9,
            Self::All => 0..13,
        };
        DIRECTIONS[chosen].iter().map(|d| DVec3::from_array(d.map(f64::from))).collect()
    }
}

/// What the builder knows of a face, or of a piece of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) piece: u32,
    pub(super) middle: DVec3,
    pub(super) min: DVec3,
    pub(super) max: DVec3,
}

/// Parts sets of items as some options say.
pub(super) struct Splitter<'s> {
    source: &'s Source<'s>,
    rule: SplitRule,
    point: SplitPoint,
    regroup: Regroup,
    directions: Vec<DVec3>,
    /// At which depth to stop trying to be clever.
    patience: u32,
}

impl<'s> Splitter<'s> {
    pub(super) fn new(source: &'s Source<'s>, options: &BuildOptions) -> Self {
        Self {
            source,
            rule: options.rule,
            point: options.point,
            regroup: options.regroup,
            directions: options.directions.vectors(),
            patience: 2 * source.len().max(1).ilog2() + 8,
        }
    }

    /// Parts the items of a node in two and returns how many come first; never none and never all.
    ///
    /// Takes linear time. Rules can split off one face at a time; past some depth they are halved
    /// at the median, so that no tree is deeper than three times the logarithm of its faces, and 9.
    pub(super) fn split(&self, items: &mut [Item], depth: u32) -> usize {
        if depth >= self.patience {
            let direction = self.widest_scatter(items);
            return plane::part(items, direction, SplitPoint::Median);
        }
        match self.regroup {
            Regroup::Never => self.split_once(items),
            regroup => self.split_and_regroup(items, regroup),
        }
    }

    fn split_once(&self, items: &mut [Item]) -> usize {
        let direction = match self.rule {
            SplitRule::LongestSide => self.longest_side(items),
            SplitRule::Splatter => self.widest_scatter(items),
            SplitRule::MinSum => self.cheapest(items, |first, second| first + second),
            SplitRule::MinMax => self.cheapest(items, f64::max),
            SplitRule::SurfaceArea => return self.by_surface(items),
            SplitRule::LeastGrowth => return self.by_growth(items),
        };
        plane::part(items, direction, self.point)
    }
}

/// Moves the items that go first to the front, in time, and counts them; halves them as they stand
/// if none or all go first. `goes_first` is asked once of each, in order.
fn partition(items: &mut [Item], mut goes_first: impl FnMut(usize, &Item) -> bool) -> usize {
    let mut count = 0;
    for i in 0..items.len() {
        if goes_first(i, &items[i]) {
            items.swap(i, count);
            count += 1;
        }
    }
    if count == 0 || count == items.len() { items.len() / 2 } else { count }
}

//! Coordinates in whole steps of a grid, so that planes add up without rounding at any depth.

use crate::volume::Frame;
use glam::{DVec3, Vec4};

/// The number of steps per unit of a [`Frame`]: as many as `f32` can count exactly.
pub(super) const STEPS: f64 = (1 << 24) as f64;

/// The length of a step in a [`Frame`].
pub(super) const STEP: f64 = 1.0 / STEPS;

/// A side of a box: twice the axis, plus 1 for the upper side.
pub(super) type Side = usize;

/// An axis-aligned box with corners on the grid, within ±2²⁴ steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridBox {
    pub(super) min: [i32; 3],
    pub(super) max: [i32; 3],
}

impl GridBox {
    /// The least box on the grid around a triangle as [`Frame::normalized`] rounds it. The slack of
    /// a [`Relative`](crate::volume::Relative) covers that rounding. Coordinates that rounding
    /// moves beyond ±1 are cut off; that is at most 2⁻⁵², and traversals allow for it.
    #[inline]
    pub(super) fn around(triangle: [DVec3; 3], frame: &Frame) -> Self {
        let [p, q, r] = triangle;
        // Normalising keeps the order even when rounded, so the extremes may be taken first.
        let min = frame.normalized(p.min(q).min(r));
        let max = frame.normalized(p.max(q).max(r));
        const LAST: i32 = STEPS as i32;
        Self {
            min: min.to_array().map(|x| floor(x * STEPS).max(-LAST)),
            // −⌊−x⌋ is ⌈x⌉.
            max: max.to_array().map(|x| (-floor(-x * STEPS)).min(LAST)),
        }
    }

    /// The length of the box along an axis, in steps; up to 2²⁵.
    pub(super) fn length(&self, axis: usize) -> i32 {
        self.max[axis] - self.min[axis]
    }

    /// The corners in the coordinates of a [`Frame`], exactly.
    pub(super) fn corners(&self) -> [DVec3; 2] {
        [self.min, self.max].map(|corner| DVec3::from_array(corner.map(|x| f64::from(x) * STEP)))
    }
}

/// The same box for fast arithmetic: whole numbers up to 2²⁴ are exact in `f32`, and one
/// instruction takes four minima or maxima. Callers may use the fourth lanes for other data.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneBox {
    pub(super) min: Vec4,
    pub(super) max: Vec4,
}

impl From<GridBox> for LaneBox {
    #[inline]
    fn from(bounds: GridBox) -> Self {
        let [min, max] =
            [bounds.min, bounds.max].map(|[x, y, z]| Vec4::new(x as f32, y as f32, z as f32, 0.0));
        Self { min, max }
    }
}

impl From<LaneBox> for GridBox {
    fn from(lanes: LaneBox) -> Self {
        let [min, max] = [lanes.min, lanes.max].map(|v| [v.x as i32, v.y as i32, v.z as i32]);
        Self { min, max }
    }
}

impl LaneBox {
    /// The empty box.
    pub(super) const EMPTY: Self = Self { min: Vec4::INFINITY, max: Vec4::NEG_INFINITY };

    /// The least box around both.
    #[inline]
    pub(super) fn merged(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The lengths of the sides; beyond 2²⁴ they are rounded.
    #[inline]
    pub(super) fn lengths(self) -> Vec4 {
        self.max - self.min
    }

    /// The sum of the sides, at least one step.
    #[inline]
    pub(super) fn size(self) -> f32 {
        self.lengths().truncate().element_sum().max(1.0)
    }

    /// The number of steps by which a side can be moved inward so that the box still contains
    /// `inner`.
    #[inline]
    pub(super) fn inward_steps(self, side: Side, inner: Self) -> u32 {
        // Up to 2²⁵: computed in integers, because `f32` might round the difference up.
        let steps = |v: Vec4| v[side / 2] as i32;
        match side % 2 {
            0 => steps(inner.min).abs_diff(steps(self.min)),
            _ => steps(self.max).abs_diff(steps(inner.max)),
        }
    }

    /// The box with a side moved inward by a number of steps that is exact in `f32`.
    #[inline]
    pub(super) fn with_side_moved(self, side: Side, steps: u32) -> Self {
        // One axis at one end moves; all others are multiplied by 0.
        let by = Vec4::splat(steps as f32);
        Self {
            min: self.min + by * Vec4::from_array(LOWER[side]),
            max: self.max - by * Vec4::from_array(UPPER[side]),
        }
    }
}

/// For each side, the unit vector of its axis if it is a lower side, else zero.
const LOWER: [[f32; 4]; 8] = {
    let mut axes = [[0.0; 4]; 8];
    (axes[0][0], axes[2][1], axes[4][2]) = (1.0, 1.0, 1.0);
    axes
};

/// For each side, the unit vector of its axis if it is an upper side, else zero.
const UPPER: [[f32; 4]; 8] = {
    let mut axes = [[0.0; 4]; 8];
    (axes[1][0], axes[3][1], axes[5][2]) = (1.0, 1.0, 1.0);
    axes
};

/// ⌊x⌋ for x in the range of `i32`. (`f64::floor` is a function call unless SSE4 is assumed.)
#[inline]
fn floor(x: f64) -> i32 {
    let whole = x as i32;
    whole - i32::from(f64::from(whole) > x)
}

/// A robust mean of some sizes, which few outliers do not change: nearly their geometric mean.
pub(super) fn typical_size(sizes: impl Iterator<Item = f32>) -> f32 {
    // The bits of a positive float grow like its logarithm.
    let add = |(sum, count), size: f32| (sum + u64::from(size.to_bits()), count + 1);
    let (sum, count): (u64, u64) = sizes.fold((0, 0), add);
    f32::from_bits(sum.checked_div(count).unwrap_or(0) as u32)
}

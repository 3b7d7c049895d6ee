//! Coordinates in whole steps, so that planes add up without rounding, to any depth.

use crate::volume::Frame;
use glam::{DVec3, Vec4};

/// How many steps there are to 1 in a [`Frame`]: as many as `f32` can count.
const STEPS: f64 = (1 << 24) as f64;

/// The length of a step in a [`Frame`].
pub(super) const STEP: f64 = 1.0 / STEPS;

/// What a normalised coordinate may be off by, with room to spare; see [`Frame::normalized`].
const GUARD: f64 = 1.0 / (1_u64 << 50) as f64;

/// A side of a box: twice the axis, and 1 more for the upper one.
pub(super) type Side = usize;

/// An axis-aligned box with corners on the grid, within ±2²⁴.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridBox {
    pub(super) min: [i32; 3],
    pub(super) max: [i32; 3],
}

impl GridBox {
    /// Encloses nothing.
    pub(super) const EMPTY: Self = Self { min: [i32::MAX; 3], max: [i32::MIN; 3] };

    /// Encloses what both enclose.
    pub(super) fn merged(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|i| self.min[i].min(other.min[i])),
            max: std::array::from_fn(|i| self.max[i].max(other.max[i])),
        }
    }

    /// The least box on the grid around a triangle. What lies beyond ±1 by rounding alone is cut
    /// off: at most [`GUARD`], which walks make good.
    #[inline]
    pub(super) fn around(triangle: [DVec3; 3], frame: &Frame) -> Self {
        let [p, q, r] = triangle;
        // Normalising keeps the order, rounded or not, so the extremes may be taken before.
        let min = frame.normalized(p.min(q).min(r)) - DVec3::splat(GUARD);
        let max = frame.normalized(p.max(q).max(r)) + DVec3::splat(GUARD);
        const LAST: i32 = STEPS as i32;
        Self {
            min: min.to_array().map(|x| floor(x * STEPS).max(-LAST)),
            // −⌊−x⌋ is ⌈x⌉.
            max: max.to_array().map(|x| (-floor(-x * STEPS)).min(LAST)),
        }
    }

    /// How long the box is along an axis; up to 2²⁵, more than `f32` can count.
    #[inline]
    pub(super) fn length(&self, axis: usize) -> i32 {
        self.max[axis] - self.min[axis]
    }

    /// By how far a side can be moved inward so that the box still contains `inner`, which it does.
    #[inline]
    pub(super) fn room(&self, side: Side, inner: &Self) -> u32 {
        let axis = side / 2;
        match side % 2 {
            0 => inner.min[axis].abs_diff(self.min[axis]),
            _ => self.max[axis].abs_diff(inner.max[axis]),
        }
    }

    /// The box with a side moved inward.
    #[inline]
    pub(super) fn with_side_moved(mut self, side: Side, by: u32) -> Self {
        match side % 2 {
            0 => self.min[side / 2] += by.cast_signed(),
            _ => self.max[side / 2] -= by.cast_signed(),
        }
        self
    }

    /// Its corners in a [`Frame`]'s coordinates, exactly.
    pub(super) fn corners(&self) -> [DVec3; 2] {
        [self.min, self.max].map(|corner| DVec3::from_array(corner.map(|x| f64::from(x) * STEP)))
    }

    /// Its corners in steps, exactly; the fourth coordinates as given.
    #[inline]
    pub(super) fn lanes(&self, rest: [f32; 2]) -> [Vec4; 2] {
        let lane = |corner: [i32; 3], w| {
            Vec4::new(corner[0] as f32, corner[1] as f32, corner[2] as f32, w)
        };
        [lane(self.min, rest[0]), lane(self.max, rest[1])]
    }

    /// The box with these corners, whose coordinates are whole.
    #[inline]
    pub(super) fn from_lanes(min: Vec4, max: Vec4) -> Self {
        let corner = |v: Vec4| [v.x as i32, v.y as i32, v.z as i32];
        Self { min: corner(min), max: corner(max) }
    }
}

/// ⌊x⌋ for what is in the range of `i32`. (`f64::floor` is a call where SSE4 is not assumed.)
#[inline]
fn floor(x: f64) -> i32 {
    let whole = x as i32;
    whole - i32::from(f64::from(whole) > x)
}

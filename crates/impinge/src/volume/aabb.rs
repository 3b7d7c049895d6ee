//! Axis-aligned boxes: aligned to the mesh's own frame, and after placing, to the other body's frame.

use super::{BoundingVolume, GUARD, RELATIVE_GUARD, Relative, SavedVolume, round_down, round_up};
use glam::{DMat3, DVec3};

/// The smallest axis-aligned box, rounded outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    min: [f32; 3],
    max: [f32; 3],
}

impl Aabb {
    fn around(center: DVec3, half: DVec3) -> Self {
        Self {
            min: (center - half).to_array().map(round_down),
            max: (center + half).to_array().map(round_up),
        }
    }

    #[inline]
    pub(crate) fn center_and_half(&self) -> (DVec3, DVec3) {
        let (min, max) = (self.min.map(f64::from).into(), self.max.map(f64::from).into());
        let (min, max): (DVec3, DVec3) = (min, max);
        ((min + max) * 0.5, (max - min) * 0.5)
    }
}

impl BoundingVolume for Aabb {
    type Placed = Self;
    type Placement = (Relative, DMat3, f64);

    const NORMALS: &'static [DVec3] = &DVec3::AXES;

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        let bounds = crate::Bounds::enclosing(triangles.iter().flatten().copied());
        Self {
            min: bounds.min.to_array().map(|x| round_down(x - GUARD)),
            max: bounds.max.to_array().map(|x| round_up(x + GUARD)),
        }
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        Some(Self {
            min: std::array::from_fn(|i| self.min[i].min(other.min[i])),
            max: std::array::from_fn(|i| self.max[i].max(other.max[i])),
        })
    }

    fn placement(relative: &Relative) -> Self::Placement {
        // The corners of a box lie slightly beyond 1 if they were rounded outward.
        (*relative, relative.matrix.abs(), relative.uncertainty(2.0) + relative.buffer)
    }

    fn placed(&self, (relative, magnitudes, uncertainty): &Self::Placement) -> Self {
        let (center, half) = self.center_and_half();
        let half = *magnitudes * half + DVec3::splat(*uncertainty);
        Self::around(relative.point(center), half)
    }

    fn from_extents(extent: impl FnMut(usize) -> [f64; 2]) -> Option<Self> {
        let extents = [0, 1, 2].map(extent);
        Some(Self {
            min: extents.map(|[low, _]| round_down(low)),
            max: extents.map(|[_, high]| round_up(high)),
        })
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        // Negated comparisons, so that NaN counts as overlapping.
        !(0..3).any(|i| self.min[i] > other.max[i] || other.min[i] > self.max[i])
    }

    fn distance_below(&self, other: &Self) -> f64 {
        // An infinite bound makes a gap NaN; `max` then returns 0.
        let gap = |low: f32, high: f32| (f64::from(low) - f64::from(high)).max(0.0);
        let gaps: [f64; 3] = std::array::from_fn(|i| {
            gap(self.min[i], other.max[i]).max(gap(other.min[i], self.max[i]))
        });
        DVec3::from_array(gaps).length() * (1.0 - RELATIVE_GUARD)
    }

    fn depth_above(&self, other: &Self) -> f64 {
        let depth = |i: usize| {
            let (from, to) = ([self.min[i], other.min[i]], [other.max[i], self.max[i]]);
            let reach = |i: usize| f64::from(to[i]) - f64::from(from[i]);
            reach(0).min(reach(1))
        };
        depth(0).min(depth(1)).min(depth(2)).max(0.0) * (1.0 + RELATIVE_GUARD)
    }

    fn size(&self) -> f32 {
        (0..3).map(|i| self.max[i] - self.min[i]).sum()
    }

    fn volume(&self, pad: f64) -> f64 {
        let (_, half) = self.center_and_half();
        // Empty boxes have infinite negative sides.
        (2.0 * (half + pad).max(DVec3::ZERO)).element_product()
    }
}

impl SavedVolume for Aabb {
    const KIND: u32 = 1;
}

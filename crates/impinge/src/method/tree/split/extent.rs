//! The axis-aligned box of some items, with its volume and surface area.

use super::Item;
use glam::DVec3;

/// The least axis-aligned box of some items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) min: DVec3,
    pub(super) max: DVec3,
}

impl Extent {
    pub(super) const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    pub(super) fn of(items: &[Item]) -> Self {
        items.iter().fold(Self::EMPTY, Self::with)
    }

    pub(super) fn with(self, item: &Item) -> Self {
        Self { min: self.min.min(item.min), max: self.max.max(item.max) }
    }

    pub(super) fn merged(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Padding for the sides of boxes within this one. It makes flat boxes, whose volume is 0,
    /// differ by their area, and thin ones by their length.
    pub(super) fn pad(self) -> DVec3 {
        const SHARE: f64 = 1.0 / (1 << 20) as f64;
        DVec3::splat(SHARE * (self.max - self.min).max_element())
    }

    /// The volume of the padded box; 0 if it is empty.
    pub(super) fn volume(self, pad: DVec3) -> f64 {
        self.sides(pad).element_product()
    }

    /// Half the surface area of the padded box; 0 if it is empty.
    pub(super) fn surface(self, pad: DVec3) -> f64 {
        let DVec3 { x, y, z } = self.sides(pad);
        x * y + y * z + z * x
    }

    fn sides(self, pad: DVec3) -> DVec3 {
        (self.max - self.min + pad).max(DVec3::ZERO)
    }
}

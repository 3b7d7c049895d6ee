//! Axis-aligned bounding boxes of points in `f64`. They are exact: no coordinate is rounded.

use glam::DVec3;

/// The smallest axis-aligned box around some points. The box is closed: boxes that share only a face overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the least coordinates.
    pub min: DVec3,
    /// The corner with the greatest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// Encloses nothing and overlaps nothing; the identity of [`merge`](Self::merge).
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The bounding box of `points`; [`EMPTY`](Self::EMPTY) if there are none.
    #[inline]
    pub fn enclosing(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Enlarges the box to enclose `other` as well.
    #[inline]
    pub fn merge(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The points that lie in both boxes; [empty](Self::is_empty) if the boxes do not overlap.
    #[inline]
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// The box with every side moved outward by `by`.
    #[inline]
    #[must_use]
    pub fn grown(&self, by: f64) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// The largest magnitude of a coordinate of the box, which must not be empty.
    #[inline]
    pub(crate) fn largest_coordinate(&self) -> f64 {
        self.min.abs().max(self.max.abs()).max_element()
    }

    /// Whether the closed box contains `point`.
    #[inline]
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Whether the closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether the box is empty: along some axis the least coordinate exceeds the greatest.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// The center. Halves before adding, so that it is finite for any finite box.
    pub fn center(&self) -> DVec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// The side lengths.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }
}

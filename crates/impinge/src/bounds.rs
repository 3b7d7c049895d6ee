//! Axis-aligned bounds of points, in `f64` and without rounding: a statement about the mesh itself.

use glam::DVec3;

/// The least axis-aligned box around some points. Closed: boxes that share a face overlap.
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

    /// The bounds of some points; [`EMPTY`](Self::EMPTY) for none.
    #[inline]
    pub fn enclosing(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Grows to enclose `other` too.
    #[inline]
    pub fn merge(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The box with every side moved outward by a distance.
    #[inline]
    #[must_use]
    pub fn grown(&self, by: f64) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// Whether a point is in the closed box.
    #[inline]
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Whether the closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether there is nothing inside.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// The middle; halves before adding, so that it is finite for any finite box.
    pub fn center(&self) -> DVec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// The lengths of the sides.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }
}

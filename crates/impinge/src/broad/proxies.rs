//! The table of proxies: all that a broad phase knows of the bodies.

use crate::{Bounds, volume::dop_directions};
use glam::DVec3;

/// The data a broad phase needs for each proxy besides its box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Detail {
    /// Boxes only.
    Boxes,
    /// A bounding sphere as well.
    Spheres,
    /// Extents along these directions as well. Each component of a direction is 1, 0 or −1. A world finds
    /// them from the convex hulls of the bodies: as tight as possible.
    Extents(&'static [DVec3]),
    /// Extents along all directions of a k-DOP as well: see [`Dop::directions`](crate::volume::Dop::directions).
    /// A world finds them from the k-DOPs around the bodies, in constant time: not as tight.
    DopExtents {
        /// 6, 8, 12, 14, 18, 20 or 26.
        k: usize,
    },
}

impl Detail {
    /// The number of directions besides the axes along which extents are kept for each proxy.
    fn directions(self) -> usize {
        match self {
            Self::Boxes | Self::Spheres => 0,
            Self::Extents(directions) => directions.len(),
            Self::DopExtents { k } => dop_directions(k).len(),
        }
    }
}

/// A table of proxies: the box of each, and whether it may move.
///
/// The owner chooses the numbers. Memory grows with the highest number, so reuse low ones.
#[derive(Clone, Debug)]
pub struct Proxies {
    detail: Detail,
    bounds: Vec<Bounds>,
    kinds: Vec<Kind>,
    spheres: Vec<(DVec3, f64)>,
    extents: Vec<[f64; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Absent,
    Fixed,
    Moving,
}

impl Proxies {
    /// An empty table that keeps `detail` for each proxy.
    pub fn new(detail: Detail) -> Self {
        let (bounds, kinds, spheres, extents) = Default::default();
        Self { detail, bounds, kinds, spheres, extents }
    }

    /// The data kept for each proxy besides its box.
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Adds a proxy, or gives it a new box. Resets its sphere to an infinite one. Extents along further
    /// directions are infinite at first and keep their last value afterwards: call
    /// [`set_extents`](Self::set_extents) after each change.
    pub fn set(&mut self, proxy: u32, bounds: Bounds, is_moving: bool) {
        let index = proxy as usize;
        if index >= self.bounds.len() {
            self.bounds.resize(index + 1, Bounds::EMPTY);
            self.kinds.resize(index + 1, Kind::Absent);
            let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
            if self.detail == Detail::Spheres {
                self.spheres.resize(index + 1, (DVec3::ZERO, f64::INFINITY));
            }
            self.extents.resize((index + 1) * self.detail.directions(), everywhere);
        }
        self.bounds[index] = bounds;
        self.kinds[index] = if is_moving { Kind::Moving } else { Kind::Fixed };
        if self.detail == Detail::Spheres {
            self.spheres[index] = (DVec3::ZERO, f64::INFINITY);
        }
    }

    /// Gives a proxy of the table a new box, and leaves everything else as it is.
    #[inline]
    pub(crate) fn set_bounds(&mut self, proxy: u32, bounds: Bounds) {
        self.bounds[proxy as usize] = bounds;
    }

    /// Sets the sphere around a proxy of the table. Does nothing if the table keeps no spheres.
    pub fn set_sphere(&mut self, proxy: u32, center: DVec3, radius: f64) {
        if let Some(sphere) = self.spheres.get_mut(proxy as usize) {
            *sphere = (center, radius);
        }
    }

    /// Sets the extents `[least, greatest]` of a proxy of the table, one per direction of its [`Detail`]. Does
    /// nothing if the table keeps no extents.
    pub fn set_extents(&mut self, proxy: u32, extents: &[[f64; 2]]) {
        let count = self.detail.directions();
        if count > 0 {
            self.extents[proxy as usize * count..][..count].copy_from_slice(extents);
        }
    }

    /// Removes a proxy.
    pub fn clear(&mut self, proxy: u32) {
        if let Some(kind) = self.kinds.get_mut(proxy as usize) {
            *kind = Kind::Absent;
            self.bounds[proxy as usize] = Bounds::EMPTY;
        }
    }

    /// The numbers of all proxies, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.kinds).filter(|&(_, &kind)| kind != Kind::Absent).map(|(proxy, _)| proxy)
    }

    /// One more than the highest number used so far.
    pub fn slots(&self) -> usize {
        self.bounds.len()
    }

    /// Whether the table has this proxy.
    pub fn contains(&self, proxy: u32) -> bool {
        self.kinds.get(proxy as usize).is_some_and(|&kind| kind != Kind::Absent)
    }

    /// The box of a proxy; empty after the proxy was removed.
    #[inline]
    pub fn bounds(&self, proxy: u32) -> &Bounds {
        &self.bounds[proxy as usize]
    }

    /// Whether the proxy exists and may move.
    #[inline]
    pub fn is_moving(&self, proxy: u32) -> bool {
        self.kinds[proxy as usize] == Kind::Moving
    }

    /// Center and radius of the sphere around a proxy; an infinite radius if none was set. `None` if the
    /// table keeps no spheres.
    pub fn sphere(&self, proxy: u32) -> Option<(DVec3, f64)> {
        self.spheres.get(proxy as usize).copied()
    }

    /// The extents `[least, greatest]` of a proxy, one per direction; empty if the table keeps no extents.
    pub fn extents(&self, proxy: u32) -> &[[f64; 2]] {
        let count = self.detail.directions();
        &self.extents[proxy as usize * count..][..count]
    }

    /// Whether two proxies are a candidate pair: their boxes overlap, and at least one may move.
    #[inline]
    pub fn overlap(&self, a: u32, b: u32) -> bool {
        self.bounds(a).overlaps(self.bounds(b)) && (self.is_moving(a) || self.is_moving(b))
    }
}

//! What broad phases know of bodies.

use crate::Bounds;
use glam::DVec3;

/// What a broad phase wants to know of bodies besides their boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Detail {
    /// Nothing.
    Boxes,
    /// A sphere around each.
    Spheres,
    /// How far each reaches along these directions, whose components are 1, 0 or −1.
    Extents(&'static [DVec3]),
}

/// A table of proxies: where each is, and whether it moves.
///
/// Numbers are given by the owner, the lowest first, for the table is as long as the highest is
/// large.
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
    /// A table without proxies, for a broad phase that wants to know so much.
    pub fn new(detail: Detail) -> Self {
        let (bounds, kinds, spheres, extents) = Default::default();
        Self { detail, bounds, kinds, spheres, extents }
    }

    /// What is kept of each besides its box.
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Adds a proxy or moves it. Of a proxy that no more is told of, no more is known than its box.
    pub fn set(&mut self, proxy: u32, bounds: Bounds, is_moving: bool) {
        let index = proxy as usize;
        if index >= self.bounds.len() {
            self.bounds.resize(index + 1, Bounds::EMPTY);
            self.kinds.resize(index + 1, Kind::Absent);
            let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
            match self.detail {
                Detail::Boxes => {}
                Detail::Spheres => self.spheres.resize(index + 1, (DVec3::ZERO, f64::INFINITY)),
                Detail::Extents(d) => self.extents.resize((index + 1) * d.len(), everywhere),
            }
        }
        self.bounds[index] = bounds;
        self.kinds[index] = if is_moving { Kind::Moving } else { Kind::Fixed };
        if self.detail == Detail::Spheres {
            self.spheres[index] = (DVec3::ZERO, f64::INFINITY);
        }
    }

    /// Moves a proxy that is there.
    #[inline]
    pub(crate) fn set_bounds(&mut self, proxy: u32, bounds: Bounds) {
        self.bounds[proxy as usize] = bounds;
    }

    /// Tells of a sphere that holds a proxy that is there. Nothing happens if nobody wants to know.
    pub fn set_sphere(&mut self, proxy: u32, center: DVec3, radius: f64) {
        if let Some(sphere) = self.spheres.get_mut(proxy as usize) {
            *sphere = (center, radius);
        }
    }

    /// Tells how far a proxy that is there reaches along the directions that are wanted.
    pub fn set_extents(&mut self, proxy: u32, extents: &[[f64; 2]]) {
        if let Detail::Extents(directions) = self.detail {
            let start = proxy as usize * directions.len();
            self.extents[start..start + directions.len()].copy_from_slice(extents);
        }
    }

    /// Takes a proxy away.
    pub fn clear(&mut self, proxy: u32) {
        if let Some(kind) = self.kinds.get_mut(proxy as usize) {
            *kind = Kind::Absent;
            self.bounds[proxy as usize] = Bounds::EMPTY;
        }
    }

    /// The numbers of all that are there, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.kinds).filter(|&(_, &kind)| kind != Kind::Absent).map(|(proxy, _)| proxy)
    }

    /// One more than the highest number so far.
    pub fn slots(&self) -> usize {
        self.bounds.len()
    }

    /// Whether there is such a proxy.
    pub fn contains(&self, proxy: u32) -> bool {
        self.kinds.get(proxy as usize).is_some_and(|&kind| kind != Kind::Absent)
    }

    /// Its box; the empty one if there is no such proxy.
    #[inline]
    pub fn bounds(&self, proxy: u32) -> &Bounds {
        &self.bounds[proxy as usize]
    }

    /// Whether it is there and may move.
    #[inline]
    pub fn is_moving(&self, proxy: u32) -> bool {
        self.kinds[proxy as usize] == Kind::Moving
    }

    /// The sphere around it, an endless one if nothing is known; none if spheres are not kept.
    pub fn sphere(&self, proxy: u32) -> Option<(DVec3, f64)> {
        self.spheres.get(proxy as usize).copied()
    }

    /// How far it reaches along the directions that are wanted.
    pub fn extents(&self, proxy: u32) -> &[[f64; 2]] {
        let Detail::Extents(directions) = self.detail else { return &[] };
        &self.extents[proxy as usize * directions.len()..][..directions.len()]
    }

    /// Whether the boxes of two overlap and one of them may move.
    #[inline]
    pub fn overlap(&self, a: u32, b: u32) -> bool {
        self.bounds(a).overlaps(self.bounds(b)) && (self.is_moving(a) || self.is_moving(b))
    }
}

//! Checks one pair of parts and gives its verdict. The cheapest question comes first.
//!
//! `find.rs` calls [`Checker::check`] for every candidate pair, on any thread. The checker relies
//! on [`Searcher`] for contacts and distances, on `common.rs` for the intersection, and on
//! `depth.rs` and `crossing.rs` to tell penetration from touching.

use super::{
    Clash, Depth, Verdict,
    common::Common,
    crossing::Crossing,
    depth::{DepthProbe, Touching},
    duplicate::are_same,
    find::PlacedParts,
    placed::Placed,
};
use crate::{Bounds, FacePair, MeshDistance, query::Searcher};

/// The scratch memory that one thread reuses from pair to pair.
#[derive(Debug, Default)]
pub(super) struct Checker {
    searcher: Searcher,
    faces: Vec<FacePair>,
    common: Common,
    probe: DepthProbe,
    crossing: Crossing,
    touching: Vec<Touching>,
}

impl Checker {
    /// Returns the clash between parts `a` and `b`, or `None` if they are clear of each other.
    pub(super) fn check(
        &mut self,
        assembly: &PlacedParts<'_>,
        a: usize,
        b: usize,
    ) -> Option<Clash> {
        let parts @ (first, second) = (assembly.part(a), assembly.part(b));
        let touch = assembly.touch(a, b);
        self.faces.clear();
        self.searcher.contacts(first.body(), second.body(), &mut self.faces);
        let is_same = are_same(first, second, touch);
        if self.faces.is_empty() && !is_same {
            return self.apart(assembly, (a, b), parts);
        }

        self.common.find(first, second, &self.faces);
        let is_closed = [first.surface().is_closed, second.surface().is_closed];
        let (verdict, depth) = if is_same {
            (Verdict::Duplicate, None)
        } else {
            let depth = self.depth(parts, touch);
            let reaches = match depth {
                Some(depth) => depth > touch,
                None => self.crossing.cross(parts, self.common.pieces(), touch),
            };
            let verdict = if reaches { Verdict::Penetrating } else { Verdict::Touching };
            (verdict, depth.filter(|_| is_closed == [true; 2]))
        };
        let places = self.common.places();
        // Duplicates agree only to within the touch band, so their surfaces need not meet.
        let depth = depth.map(Depth::at_least);
        let Some(main) = places.iter().max_by(|p, q| p.size().total_cmp(&q.size())) else {
            let near = self.searcher.distance_within(first.body(), second.body(), f64::INFINITY)?;
            return Some(Clash { verdict, ..Clash::apart((a, b), &near, is_closed) });
        };
        Some(Clash {
            depth,
            points: [main.point; 2],
            faces: self.faces.clone(),
            length: if is_same { 0.0 } else { places.iter().map(|place| place.length).sum() },
            extent: self.common.extent(),
            places,
            is_closed,
            ..Clash::new(a, b, verdict)
        })
    }

    /// Returns the clash between two parts whose surfaces do not meet: inside, or too close.
    fn apart(
        &mut self,
        assembly: &PlacedParts<'_>,
        numbers: (usize, usize),
        parts @ (first, second): (Placed<'_>, Placed<'_>),
    ) -> Option<Clash> {
        let depth = if first.bounds.overlaps(second.bounds) {
            self.depth(parts, 0.0).filter(|&depth| depth > 0.0)
        } else {
            None
        };
        if let Some(depth) = depth {
            let near = self.searcher.distance_within(first.body(), second.body(), f64::INFINITY)?;
            let is_closed = [first.surface().is_closed, second.surface().is_closed];
            let depth = (is_closed == [true; 2]).then_some(depth);
            let apart = Clash::apart(numbers, &near, is_closed);
            return Some(Clash { verdict: Verdict::Inside, depth: depth.map(Depth::at_least), ..apart });
        }
        if assembly.clearance == 0.0 {
            return None;
        }
        let near =
            self.searcher.distance_within(first.body(), second.body(), assembly.clearance)?;
        let is_closed = [first.surface().is_closed, second.surface().is_closed];
        (near.distance < assembly.clearance).then(|| Clash::apart(numbers, &near, is_closed))
    }

    /// Returns how deep either part reaches into the other, or `None` if neither is closed.
    fn depth(&mut self, (a, b): (Placed<'_>, Placed<'_>), touch: f64) -> Option<f64> {
        let Self { faces, common, probe, touching, .. } = self;
        let pieces = if faces.is_empty() { &[] } else { common.pieces() };
        let mut into = |inner: Placed<'_>, outer: Placed<'_>, face: fn(&FacePair) -> u32| {
            if !outer.surface().is_closed {
                return None;
            }
            touching.clear();
            touching.extend((0..).zip(faces.iter()).map(|(piece, pair)| (face(pair), piece)));
            touching.sort_unstable();
            Some(probe.depth((inner, outer), touching, pieces, touch))
        };
        let depths = [into(a, b, |pair| pair.a), into(b, a, |pair| pair.b)];
        let depth = depths.into_iter().flatten().reduce(f64::max);
        match depths {
            // Where two surfaces coincide, neither has a point strictly inside the other solid,
            // however much the solids overlap.
            [Some(p), Some(q)] if p.max(q) <= touch => {
                Some(probe.shared_depth((a, b), faces, pieces, touch).max(p.max(q)))
            }
            _ => depth,
        }
    }
}

impl Clash {
    /// A clearance clash between parts whose surfaces do not meet; `near` holds the closest points.
    fn apart((a, b): (usize, usize), near: &MeshDistance, is_closed: [bool; 2]) -> Self {
        Self {
            distance: near.distance,
            points: [near.a, near.b],
            faces: vec![near.faces],
            extent: Bounds::enclosing([near.a, near.b]),
            is_closed,
            ..Self::new(a, b, Verdict::Clearance)
        }
    }
}

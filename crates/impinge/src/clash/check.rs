//! What is said of two parts.

use super::{Clash, Verdict, find::Hall};
use crate::{Bounds, mid::Searcher};

/// What a thread needs to look at one pair of parts after the other.
#[derive(Debug, Default)]
pub(super) struct Checker {
    searcher: Searcher,
}

impl Checker {
    /// What is to be said of two parts, if anything.
    pub(super) fn check(&mut self, hall: &Hall<'_>, a: usize, b: usize) -> Option<Clash> {
        let (first, second) = (hall.part(a), hall.part(b));
        let mut faces = Vec::new();
        self.searcher.contacts((first.shape, first.pose), (second.shape, second.pose), &mut faces);
        let near =
            self.searcher.distance((first.shape, first.pose), (second.shape, second.pose))?;
        let verdict = match faces.len() {
            0 if near.distance < hall.clearance => Verdict::Clearance,
            0 => return None,
            _ => Verdict::Penetrating,
        };
        Some(Clash {
            a,
            b,
            verdict,
            depth: None,
            distance: near.distance,
            points: [near.a, near.b],
            faces,
            length: 0.0,
            extent: Bounds::enclosing([near.a, near.b]),
            places: Vec::new(),
            is_closed: [true; 2],
        })
    }
}

//! Boxes packed by eight, in an order in which neighbours are near each other: the default.
//!
//! Boxes are sorted along a curve that fills space, and every eight in turn make a block, every eight
//! blocks a larger one, and so on up to one. So the tree is a few plain lists, which are made anew from
//! left to right at every step; and one box is compared with eight at a time. Sorting is left out as
//! long as blocks stay about as small as they were: bodies that move a little stay near each other.
//!
//! Boxes of bodies much larger than most come last in the order, so that they share blocks with each
//! other and do not make those of small bodies large.
//!
//! # Why narrow numbers do
//!
//! Coordinates are kept as `f32`, from a common origin and scaled. A difference, a product and a
//! narrowing to the nearest keep the order of numbers: if x ≤ y then so are their images. So boxes that
//! overlap do so in narrow numbers too, and boxes that overlap there by strict comparisons do so for
//! certain. For the few pairs in between, whose narrow coordinates are equal, the wide ones decide.
//!
//! | file | what it holds |
//! |---|---|
//! | `pile.rs` | the lists, and how they are made |
//! | `block.rs` | eight boxes, and one against eight |
//! | `frame.rs` | the coordinates of narrow numbers |
//! | `sort.rs` | keys along the curve, and sorting by them |
//! | `walk.rs` | down two piles at once |

mod block;
mod frame;
mod pile;
mod sort;
mod walk;

use super::{BroadPhase, Proxies, ProxyPair};
use crate::{Bounds, Threads};
use frame::Frame;
use pile::Pile;
use std::ops::ControlFlow;
use walk::Walks;

/// Boxes packed by eight along a curve that fills space.
///
/// A step takes time in proportion to the number of bodies that may move and of pairs. Fixed bodies are
/// looked at only where others are near, and packed anew only if one of them changes.
#[derive(Debug, Default)]
pub struct Packed {
    frame: Option<Frame>,
    moving: Pile,
    fixed: Pile,
    walks: Walks,
}

impl Packed {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn pile_of(&mut self, proxies: &Proxies, proxy: u32) -> &mut Pile {
        if proxies.is_moving(proxy) { &mut self.moving } else { &mut self.fixed }
    }

    /// Packs what has changed.
    fn refresh(&mut self, proxies: &Proxies, threads: Threads) -> Frame {
        let Self { frame, moving, fixed, .. } = self;
        for pile in [&mut *moving, &mut *fixed] {
            pile.tidy();
        }
        let sample = if moving.is_empty() { &*fixed } else { &*moving };
        let found = frame.unwrap_or_else(|| Frame::around(proxies, sample.order()));
        let is_good = moving.refresh(proxies, &found, threads, frame.is_none())
            && fixed.refresh(proxies, &found, threads, true);
        let found = if is_good {
            found
        } else {
            let sample = if moving.is_empty() { &*fixed } else { &*moving };
            let found = Frame::around(proxies, sample.order());
            for pile in [moving, fixed] {
                pile.is_fresh = false;
                pile.refresh(proxies, &found, threads, true);
            }
            found
        };
        self.frame = Some(found);
        found
    }
}

impl BroadPhase for Packed {
    fn insert(&mut self, proxies: &Proxies, proxy: u32) {
        self.pile_of(proxies, proxy).insert(proxy);
    }

    fn remove(&mut self, proxies: &Proxies, proxy: u32) {
        self.pile_of(proxies, proxy).remove(proxy);
    }

    fn update(&mut self, proxies: &Proxies, moved: &[u32]) {
        self.moving.is_fresh = false;
        if !self.fixed.is_empty() && moved.iter().any(|&proxy| !proxies.is_moving(proxy)) {
            self.fixed.is_fresh = false;
        }
    }

    fn pairs(
        &mut self,
        proxies: &Proxies,
        threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.refresh(proxies, threads);
        self.walks.pairs(proxies, [&self.moving, &self.moving], threads, visit)?;
        self.walks.pairs(proxies, [&self.moving, &self.fixed], threads, visit)
    }

    fn overlapping(
        &mut self,
        proxies: &Proxies,
        bounds: &Bounds,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let narrow = self.refresh(proxies, Threads::One).narrow(bounds);
        for pile in [&self.moving, &self.fixed] {
            self.walks.overlapping(pile, &narrow, &mut |proxy| match proxies
                .bounds(proxy)
                .overlaps(bounds)
            {
                true => visit(proxy),
                false => ControlFlow::Continue(()),
            })?;
        }
        ControlFlow::Continue(())
    }
}

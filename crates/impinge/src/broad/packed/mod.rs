//! An eight-way tree of boxes in an order in which neighbours are near each other: the default broad phase.
//!
//! The boxes are sorted along a Hilbert curve. Every eight consecutive boxes form a block, every eight blocks
//! a larger block, and so on up to a single one. So the tree is a few plain arrays, which each step fills
//! again in one pass, and one box is compared with eight at a time. The order is kept as long as the blocks
//! stay about as small as they were after sorting: bodies that move a little stay near each other.
//!
//! Boxes much larger than the median come last in the order. So they share blocks with each other, and do not
//! enlarge the blocks of small bodies.
//!
//! # Why `f32` is enough
//!
//! Coordinates are stored as `f32`, relative to a common origin and scaled. A subtraction, a multiplication
//! by a positive number and rounding to the nearest `f32` are monotone: if x ≤ y, then the same holds for
//! their images. So boxes that overlap also overlap in `f32`, and boxes that overlap in `f32` by strict
//! comparisons certainly overlap. For the few pairs in between, which have equal `f32` coordinates, the `f64`
//! boxes decide.
//!
//! | file | what it holds |
//! |---|---|
//! | `block_tree.rs` | the sorted boxes and the levels of blocks above them |
//! | `block.rs` | a block of eight boxes, and the comparison of one box with eight |
//! | `frame.rs` | origin and scale of the `f32` coordinates |
//! | `sort.rs` | Hilbert keys, and a radix sort by them |
//! | `walk.rs` | the traversal of two trees at once |

mod block;
mod block_tree;
mod frame;
mod sort;
mod walk;

use super::{BroadPhase, Proxies, ProxyPair};
use crate::{Bounds, Threads};
use block_tree::BlockTree;
use frame::Frame;
use std::ops::ControlFlow;
use walk::Walker;

/// An eight-way tree of boxes, sorted along a Hilbert curve.
///
/// A step takes time proportional to the number of moving bodies and of candidate pairs. Fixed bodies are
/// compared only where moving ones are near, and are sorted again only if one of them changes.
#[derive(Debug, Default)]
pub struct Packed {
    frame: Option<Frame>,
    moving: BlockTree,
    fixed: BlockTree,
    walker: Walker,
}

impl Packed {
    /// An empty broad phase.
    pub fn new() -> Self {
        Self::default()
    }

    fn tree_of(&mut self, proxies: &Proxies, proxy: u32) -> &mut BlockTree {
        if proxies.is_moving(proxy) { &mut self.moving } else { &mut self.fixed }
    }

    /// Updates the trees whose proxies have changed. Returns the frame they are stored in. Chooses a new
    /// frame if the current one no longer suits the bodies.
    fn refresh(&mut self, proxies: &Proxies, threads: Threads) -> Frame {
        let Self { frame, moving, fixed, .. } = self;
        for tree in [&mut *moving, &mut *fixed] {
            tree.drop_removed();
        }
        let sample = if moving.is_empty() { &*fixed } else { &*moving };
        let found = frame.unwrap_or_else(|| Frame::around(proxies, sample.order()));
        let frame_suits = moving.refresh(proxies, &found, threads, frame.is_none())
            && fixed.refresh(proxies, &found, threads, true);
        let found = if frame_suits {
            found
        } else {
            let sample = if moving.is_empty() { &*fixed } else { &*moving };
            let found = Frame::around(proxies, sample.order());
            for tree in [moving, fixed] {
                tree.is_current = false;
                tree.refresh(proxies, &found, threads, true);
            }
            found
        };
        self.frame = Some(found);
        found
    }
}

impl BroadPhase for Packed {
    fn insert(&mut self, proxies: &Proxies, proxy: u32) {
        self.tree_of(proxies, proxy).insert(proxy);
    }

    fn remove(&mut self, proxies: &Proxies, proxy: u32) {
        self.tree_of(proxies, proxy).remove(proxy);
    }

    fn update(&mut self, proxies: &Proxies, moved: &[u32]) {
        self.moving.is_current = false;
        if !self.fixed.is_empty() && moved.iter().any(|&proxy| !proxies.is_moving(proxy)) {
            self.fixed.is_current = false;
        }
    }

    fn pairs(
        &mut self,
        proxies: &Proxies,
        threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.refresh(proxies, threads);
        self.walker.pairs(proxies, [&self.moving, &self.moving], threads, visit)?;
        self.walker.pairs(proxies, [&self.moving, &self.fixed], threads, visit)
    }

    fn overlapping(
        &mut self,
        proxies: &Proxies,
        bounds: &Bounds,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bounds32 = self.refresh(proxies, Threads::One).narrowed(bounds);
        for tree in [&self.moving, &self.fixed] {
            self.walker.overlapping(tree, &bounds32, &mut |proxy| match proxies
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

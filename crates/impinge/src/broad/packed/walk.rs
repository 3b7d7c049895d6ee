//! The traversal of two block trees at once, down to the boxes that overlap. [`Packed`](super::Packed) calls
//! it.

use super::{
    block::{Block, Box32, WIDTH},
    block_tree::BlockTree,
};
use crate::{
    Threads,
    broad::{Proxies, ProxyPair, ordered},
    simd::{Lanes, lanes_of, on},
};
use fearless_simd::prelude::*;
use rayon::prelude::*;
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Scratch memory for traversals, one per thread.
#[derive(Debug)]
pub(super) struct Walker {
    lanes: Lanes,
    walks: Vec<Walk>,
    /// The block pairs at which traversals on several threads start.
    starts: Vec<BlockPair>,
}

impl Default for Walker {
    fn default() -> Self {
        Self { lanes: Lanes::best(), walks: vec![Walk::default()], starts: Vec::new() }
    }
}

#[derive(Debug, Default)]
struct Walk {
    stack: Vec<BlockPair>,
    found: Vec<ProxyPair>,
}

/// Two blocks whose boxes overlap, one of each tree, and their levels.
#[derive(Clone, Copy, Debug)]
struct BlockPair {
    levels: [u8; 2],
    blocks: [u32; 2],
}

/// A traversal hands over its pairs once it has found this many.
const BATCH: usize = 1 << 12;
/// The number of block pairs per thread that the work is split into.
const PAIRS_PER_THREAD: usize = 32;

/// Two block trees, or the same one twice.
#[derive(Clone, Copy)]
struct TreePair<'p> {
    a: &'p BlockTree,
    b: &'p BlockTree,
    /// Level 0 of both trees, and level 1 of the second.
    boxes: [&'p [Block]; 2],
    level_1: &'p [Block],
    is_same: bool,
    proxies: &'p Proxies,
}

impl Walker {
    /// Visits the candidate pairs with one proxy in each tree. If both are the same tree, each pair is
    /// visited once.
    pub(super) fn pairs(
        &mut self,
        proxies: &Proxies,
        [a, b]: [&BlockTree; 2],
        threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { lanes, walks, starts } = self;
        let (Some(top_a), Some(top_b)) = (a.top(), b.top()) else {
            return ControlFlow::Continue(());
        };
        let boxes = [a.level(0), b.level(0)];
        let trees =
            TreePair { a, b, boxes, level_1: b.level(1), is_same: std::ptr::eq(a, b), proxies };
        let root = BlockPair { levels: [top_a as u8, top_b as u8], blocks: [0, 0] };
        let thread_count = match threads {
            Threads::Pool if top_a + top_b > 2 => rayon::current_num_threads(),
            _ => 1,
        };
        if thread_count == 1 {
            let walk = &mut walks[0];
            walk.stack.clear();
            walk.stack.push(root);
            loop {
                trees.advance(*lanes, walk);
                walk.found.drain(..).try_for_each(&mut *visit)?;
                if walk.stack.is_empty() {
                    return ControlFlow::Continue(());
                }
            }
        }

        // Opens block pairs, highest levels first, until there are enough for all threads.
        starts.clear();
        starts.push(root);
        let mut opened = 0;
        while opened < starts.len() && starts.len() - opened < PAIRS_PER_THREAD * thread_count {
            let pair = starts[opened];
            if pair.levels == [0, 0] {
                break;
            }
            opened += 1;
            on!(*lanes, simd => trees.open(simd, pair, starts));
        }
        let starts = &starts[opened..];
        walks.resize_with(walks.len().max(thread_count), Walk::default);
        for walk in &mut *walks {
            walk.stack.clear();
            walk.found.clear();
        }
        let next = AtomicUsize::new(0);
        loop {
            walks[..thread_count].par_iter_mut().for_each(|walk| {
                // More than a single thread would collect, because all threads wait at the handover.
                while walk.found.len() < 16 * BATCH {
                    if walk.stack.is_empty() {
                        match starts.get(next.fetch_add(1, Ordering::Relaxed)) {
                            Some(&start) => walk.stack.push(start),
                            None => break,
                        }
                    }
                    trees.advance(*lanes, walk);
                }
            });
            for walk in &mut walks[..thread_count] {
                walk.found.drain(..).try_for_each(&mut *visit)?;
            }
            let is_over = walks[..thread_count].iter().all(|walk| walk.stack.is_empty());
            if is_over && next.load(Ordering::Relaxed) >= starts.len() {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Visits the proxies whose boxes may overlap `bounds32`.
    pub(super) fn overlapping(
        &mut self,
        tree: &BlockTree,
        bounds32: &Box32,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(top) = tree.top() else { return ControlFlow::Continue(()) };
        let stack = &mut self.walks[0].stack;
        stack.clear();
        stack.push(BlockPair { levels: [top as u8, 0], blocks: [0, 0] });
        while let Some(BlockPair { levels: [level, _], blocks: [index, _] }) = stack.pop() {
            let block = tree.block(usize::from(level), index);
            let mask = on!(self.lanes, simd => block.may_overlap(simd, bounds32));
            for lane in lanes_of(mask) {
                match level {
                    0 => visit(tree.proxy(index, lane))?,
                    _ => stack.push(BlockPair {
                        levels: [level - 1, 0],
                        blocks: [index * WIDTH as u32 + lane, 0],
                    }),
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl TreePair<'_> {
    /// Continues a traversal until its stack is empty or it has found enough pairs.
    fn advance(&self, lanes: Lanes, walk: &mut Walk) {
        on!(lanes, simd => {
            while let Some(pair) = walk.stack.pop() {
                if pair.levels == [0, 0] {
                    self.compare(simd, pair.blocks, &mut walk.found);
                    if walk.found.len() >= BATCH {
                        break;
                    }
                } else {
                    self.open(simd, pair, &mut walk.stack);
                }
            }
        });
    }

    /// Replaces a block pair by the overlapping pairs of its children. Opens the block of the higher level,
    /// or both if the levels are equal.
    #[inline(always)]
    fn open<S: Simd>(&self, simd: S, pair: BlockPair, pairs: &mut Vec<BlockPair>) {
        let BlockPair { levels: [i, j], blocks: [a, b] } = pair;
        let (above_a, above_b) = (usize::from(i), usize::from(j));
        let (child_a, child_b) = (a * WIDTH as u32, b * WIDTH as u32);
        if i > j {
            let mask = self.a.block(above_a, a).may_overlap(simd, &self.b.around(above_b, b));
            for lane in lanes_of(mask) {
                pairs.push(BlockPair { levels: [i - 1, j], blocks: [child_a + lane, b] });
            }
        } else if i < j {
            let mask = self.b.block(above_b, b).may_overlap(simd, &self.a.around(above_a, a));
            for lane in lanes_of(mask) {
                pairs.push(BlockPair { levels: [i, j - 1], blocks: [a, child_b + lane] });
            }
        } else {
            let is_same = self.is_same && a == b;
            let (block_a, block_b) = (self.a.block(above_a, a), self.b.block(above_b, b));
            let rows = match is_same {
                true => 0xff,
                false => block_a.may_overlap(simd, &self.b.around(above_b, b)),
            };
            for row in lanes_of(rows) {
                // A block with itself: each pair of children once, and each child with itself.
                let later = if is_same { !0 << row } else { !0 };
                let mask = block_b.may_overlap(simd, &block_a.get(row as usize)) & later;
                for lane in lanes_of(mask) {
                    let blocks = [child_a + row, child_b + lane];
                    pairs.push(BlockPair { levels: [i - 1, j - 1], blocks });
                }
            }
        }
    }

    /// Compares the boxes of two blocks of level 0.
    #[inline(always)]
    fn compare<S: Simd>(&self, simd: S, [a, b]: [u32; 2], found: &mut Vec<ProxyPair>) {
        let is_same = self.is_same && a == b;
        let (block_a, block_b) = (&self.boxes[0][a as usize], &self.boxes[1][b as usize]);
        let rows = match (is_same, self.level_1.get(b as usize / WIDTH)) {
            (false, Some(above)) => block_a.may_overlap(simd, &above.get(b as usize % WIDTH)),
            // A tree of a single block has no level 1.
            _ => 0xff,
        };
        for row in lanes_of(rows) {
            let later = if is_same { !1 << row } else { !0 };
            let bounds32 = block_a.get(row as usize);
            let mask = block_b.may_overlap(simd, &bounds32) & later;
            if mask == 0 {
                continue;
            }
            let certain = block_b.surely_overlaps(simd, &bounds32);
            let proxy = self.a.proxy(a, row);
            for lane in lanes_of(mask) {
                let other = self.b.proxy(b, lane);
                if certain & 1 << lane != 0 || self.proxies.overlap(proxy, other) {
                    found.push(ordered(proxy, other));
                }
            }
        }
    }
}

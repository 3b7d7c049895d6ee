//! The boxes of the proxies in Hilbert order, in blocks of eight, and the levels of larger blocks above them.

use super::{
    block::{Block, Box32, WIDTH},
    frame::Frame,
    sort::Sorter,
};
use crate::{Threads, broad::Proxies};
use rayon::prelude::*;

/// The boxes of some proxies: all that may move, or all that are fixed.
#[derive(Debug, Default)]
pub(super) struct BlockTree {
    /// Whether the boxes match the proxies' current ones.
    pub(super) is_current: bool,
    /// Whether proxies were added or removed since the last sort.
    is_changed: bool,
    /// Indexed by proxy.
    states: Vec<State>,
    /// The number of proxies in `order` that were removed.
    removed: usize,
    order: Vec<u32>,
    /// Level 0 holds the boxes of the proxies. Each higher level holds the boxes around the blocks of the
    /// level below; the highest level is a single block.
    levels: Vec<Vec<Block>>,
    /// The sum of the sizes of the blocks right after the last sort.
    sorted_size: f64,
    sorter: Sorter,
    /// Scratch memory to sort into.
    next_order: Vec<u32>,
    next_blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Absent,
    Present,
    /// Removed, but still in `order`.
    Removed,
}

/// The boxes are sorted again once the blocks have grown by this factor in total.
const GROWTH: f64 = 1.1;

/// The least number of blocks a thread fills at a time.
const MIN_BLOCKS_PER_TASK: usize = 256;

impl BlockTree {
    pub(super) fn insert(&mut self, proxy: u32) {
        let index = proxy as usize;
        if index >= self.states.len() {
            self.states.resize(index + 1, State::Absent);
        }
        match std::mem::replace(&mut self.states[index], State::Present) {
            State::Absent => self.order.push(proxy),
            State::Removed => self.removed -= 1,
            State::Present => return,
        }
        (self.is_current, self.is_changed) = (false, true);
    }

    pub(super) fn remove(&mut self, proxy: u32) {
        self.states[proxy as usize] = State::Removed;
        self.removed += 1;
        (self.is_current, self.is_changed) = (false, true);
    }

    /// Drops removed proxies from `order`.
    pub(super) fn drop_removed(&mut self) {
        if self.removed > 0 {
            let states = &mut self.states;
            self.order.retain(|&proxy| {
                let state = &mut states[proxy as usize];
                let stays = *state == State::Present;
                if !stays {
                    *state = State::Absent;
                }
                stays
            });
            self.removed = 0;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The proxies in Hilbert order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The proxy of a box of level 0.
    #[inline(always)]
    pub(super) fn proxy(&self, block: u32, lane: u32) -> u32 {
        self.order[block as usize * WIDTH + lane as usize]
    }

    /// The highest level, which is a single block; `None` if there are no proxies.
    pub(super) fn top(&self) -> Option<usize> {
        if self.order.is_empty() { None } else { self.levels.iter().position(|l| l.len() == 1) }
    }

    /// All blocks of a level; empty if there is no such level.
    pub(super) fn level(&self, level: usize) -> &[Block] {
        self.levels.get(level).map_or(&[], Vec::as_slice)
    }

    #[inline(always)]
    pub(super) fn block(&self, level: usize, block: u32) -> &Block {
        &self.levels[level][block as usize]
    }

    /// The box around a block.
    #[inline(always)]
    pub(super) fn around(&self, level: usize, block: u32) -> Box32 {
        match self.levels[level].len() {
            1 => self.levels[level][0].around(),
            _ => self.levels[level + 1][block as usize / WIDTH].get(block as usize % WIDTH),
        }
    }

    /// Updates the boxes to those of the proxies, and sorts them again if necessary. Returns `false` if the
    /// frame does not suit them, unless `accept_any_frame`.
    pub(super) fn refresh(
        &mut self,
        proxies: &Proxies,
        frame: &Frame,
        threads: Threads,
        accept_any_frame: bool,
    ) -> bool {
        if self.is_current {
            return true;
        }
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        self.fill_level_0(proxies, frame, threads);
        let size = self.fill_upper_levels();
        if self.is_changed || size > GROWTH * self.sorted_size {
            let Self { sorter, order, levels, next_order, next_blocks, .. } = self;
            let Some(items) = sorter.order(&levels[0], order.len(), accept_any_frame) else {
                return false;
            };
            next_order.clear();
            next_order.extend(items.iter().map(|&(_, position)| order[position as usize]));
            next_blocks.clear();
            next_blocks.extend(items.chunks(WIDTH).map(|eight| {
                let mut block = Block::EMPTY;
                for (lane, &(_, position)) in eight.iter().enumerate() {
                    let old = &levels[0][position as usize / WIDTH];
                    block.set(lane, &old.get(position as usize % WIDTH));
                }
                block
            }));
            std::mem::swap(order, next_order);
            std::mem::swap(&mut levels[0], next_blocks);
            self.sorted_size = self.fill_upper_levels();
            self.is_changed = false;
        }
        self.is_current = true;
        true
    }

    /// Fills level 0 with the boxes of the proxies, in the current order.
    fn fill_level_0(&mut self, proxies: &Proxies, frame: &Frame, threads: Threads) {
        let blocks = &mut self.levels[0];
        let fill = |(block, eight): (&mut Block, &[u32])| {
            for (lane, &proxy) in eight.iter().enumerate() {
                block.set(lane, &frame.narrowed(proxies.bounds(proxy)));
            }
        };
        blocks.resize(self.order.len().div_ceil(WIDTH), Block::EMPTY);
        // The last block may have held more boxes before.
        if let Some(last) = blocks.last_mut() {
            *last = Block::EMPTY;
        }
        match threads {
            Threads::One => blocks.iter_mut().zip(self.order.chunks(WIDTH)).for_each(fill),
            Threads::Pool => {
                let eights = self.order.par_chunks(WIDTH);
                blocks.par_iter_mut().zip(eights).with_min_len(MIN_BLOCKS_PER_TASK).for_each(fill);
            }
        }
    }

    /// Fills the levels above level 0. Returns the sum of the sizes of the blocks of level 0.
    fn fill_upper_levels(&mut self) -> f64 {
        let mut size = 0.0;
        let mut level = 0;
        while self.levels[level].len() > 1 {
            if level + 1 == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            let above = &mut above[0];
            above.clear();
            above.extend(below[level].chunks(WIDTH).map(|blocks| {
                let mut block = Block::EMPTY;
                for (lane, child) in blocks.iter().enumerate() {
                    let around = child.around();
                    block.set(lane, &around);
                    if level == 0 {
                        let sides = (0..3).map(|axis| around.max[axis] - around.min[axis]);
                        let sum = f64::from(sides.sum::<f32>());
                        // Empty and infinite boxes are left out of the sum.
                        size += if sum.is_finite() { sum } else { 0.0 };
                    }
                }
                block
            }));
            level += 1;
        }
        // Levels that are no longer needed are emptied, but keep their memory.
        for level in &mut self.levels[level + 1..] {
            level.clear();
        }
        size
    }
}

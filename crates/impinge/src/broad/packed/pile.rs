//! Boxes in order, in blocks of eight, and blocks of blocks.

use super::{
    block::{Block, Narrow, WIDTH},
    frame::Frame,
    sort::Sorter,
};
use crate::{Threads, broad::Proxies};
use rayon::prelude::*;

/// The boxes of some proxies.
#[derive(Debug, Default)]
pub(super) struct Pile {
    /// Whether boxes are where the proxies are.
    pub(super) is_fresh: bool,
    /// Whether proxies have come or gone since the last sorting.
    is_changed: bool,
    /// By proxy.
    states: Vec<State>,
    /// How many are in the order and should not.
    gone: usize,
    order: Vec<u32>,
    /// The boxes themselves, then those around each block of the level before, up to a single block.
    levels: Vec<Vec<Block>>,
    /// How large the blocks were when they were sorted.
    sorted_size: f64,
    sorter: Sorter,
    /// Room to sort into.
    next_order: Vec<u32>,
    next_blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Absent,
    Present,
    /// Taken away, but still in the order.
    Gone,
}

/// Blocks are sorted anew once they have grown by so much.
const GROWTH: f64 = 1.1;

/// How many blocks a thread takes at once, at least.
const SHARE: usize = 256;

impl Pile {
    pub(super) fn insert(&mut self, proxy: u32) {
        let index = proxy as usize;
        if index >= self.states.len() {
            self.states.resize(index + 1, State::Absent);
        }
        match std::mem::replace(&mut self.states[index], State::Present) {
            State::Absent => self.order.push(proxy),
            State::Gone => self.gone -= 1,
            State::Present => return,
        }
        (self.is_fresh, self.is_changed) = (false, true);
    }

    pub(super) fn remove(&mut self, proxy: u32) {
        self.states[proxy as usize] = State::Gone;
        self.gone += 1;
        (self.is_fresh, self.is_changed) = (false, true);
    }

    /// Drops what was taken away.
    pub(super) fn tidy(&mut self) {
        if self.gone > 0 {
            let states = &mut self.states;
            self.order.retain(|&proxy| {
                let state = &mut states[proxy as usize];
                let stays = *state == State::Present;
                if !stays {
                    *state = State::Absent;
                }
                stays
            });
            self.gone = 0;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The proxies in order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The proxy of a box.
    #[inline(always)]
    pub(super) fn proxy(&self, block: u32, lane: u32) -> u32 {
        self.order[block as usize * WIDTH + lane as usize]
    }

    /// The highest level, which has a single block; none if there is nothing.
    pub(super) fn top(&self) -> Option<usize> {
        if self.order.is_empty() { None } else { self.levels.iter().position(|l| l.len() == 1) }
    }

    /// All blocks of a level; none of a level that is not there.
    pub(super) fn level(&self, level: usize) -> &[Block] {
        self.levels.get(level).map_or(&[], Vec::as_slice)
    }

    #[inline(always)]
    pub(super) fn block(&self, level: usize, block: u32) -> &Block {
        &self.levels[level][block as usize]
    }

    /// The box around a block.
    #[inline(always)]
    pub(super) fn around(&self, level: usize, block: u32) -> Narrow {
        match self.levels[level].len() {
            1 => self.levels[level][0].around(),
            _ => self.levels[level + 1][block as usize / WIDTH].get(block as usize % WIDTH),
        }
    }

    /// Brings boxes to where the proxies are. Returns whether the frame suits them; it always does if
    /// `takes_any`.
    pub(super) fn refresh(
        &mut self,
        proxies: &Proxies,
        frame: &Frame,
        threads: Threads,
        takes_any: bool,
    ) -> bool {
        if self.is_fresh {
            return true;
        }
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        self.narrow(proxies, frame, threads);
        let size = self.lift();
        if self.is_changed || size > GROWTH * self.sorted_size {
            let Self { sorter, order, levels, next_order, next_blocks, .. } = self;
            let Some(items) = sorter.order(&levels[0], order.len(), takes_any) else {
                return false;
            };
            next_order.clear();
            next_order.extend(items.iter().map(|&(_, place)| order[place as usize]));
            next_blocks.clear();
            next_blocks.extend(items.chunks(WIDTH).map(|eight| {
                let mut block = Block::NOWHERE;
                for (lane, &(_, place)) in eight.iter().enumerate() {
                    let old = &levels[0][place as usize / WIDTH];
                    block.set(lane, &old.get(place as usize % WIDTH));
                }
                block
            }));
            std::mem::swap(order, next_order);
            std::mem::swap(&mut levels[0], next_blocks);
            self.sorted_size = self.lift();
            self.is_changed = false;
        }
        self.is_fresh = true;
        true
    }

    /// Finds the boxes of all proxies in the order they have.
    fn narrow(&mut self, proxies: &Proxies, frame: &Frame, threads: Threads) {
        let blocks = &mut self.levels[0];
        let fill = |(block, eight): (&mut Block, &[u32])| {
            for (lane, &proxy) in eight.iter().enumerate() {
                block.set(lane, &frame.narrow(proxies.bounds(proxy)));
            }
        };
        blocks.resize(self.order.len().div_ceil(WIDTH), Block::NOWHERE);
        // The last one may have had more boxes before.
        if let Some(last) = blocks.last_mut() {
            *last = Block::NOWHERE;
        }
        match threads {
            Threads::One => blocks.iter_mut().zip(self.order.chunks(WIDTH)).for_each(fill),
            Threads::Pool => {
                let eights = self.order.par_chunks(WIDTH);
                blocks.par_iter_mut().zip(eights).with_min_len(SHARE).for_each(fill);
            }
        }
    }

    /// Finds the boxes around blocks, level by level. Returns how large the first ones are.
    fn lift(&mut self) -> f64 {
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
                let mut block = Block::NOWHERE;
                for (lane, child) in blocks.iter().enumerate() {
                    let around = child.around();
                    block.set(lane, &around);
                    if level == 0 {
                        let sides = (0..3).map(|axis| around.max[axis] - around.min[axis]);
                        let sum = f64::from(sides.sum::<f32>());
                        // What is nowhere, or endless, says nothing.
                        size += if sum.is_finite() { sum } else { 0.0 };
                    }
                }
                block
            }));
            level += 1;
        }
        // Levels that are not needed any more do not count, but keep their room.
        for level in &mut self.levels[level + 1..] {
            level.clear();
        }
        size
    }
}

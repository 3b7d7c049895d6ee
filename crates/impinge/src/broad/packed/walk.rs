//! Down two piles at once, to the boxes that overlap.

use super::{
    block::{Block, Narrow, WIDTH},
    pile::Pile,
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

/// What walks need, one for each thread.
#[derive(Debug)]
pub(super) struct Walks {
    lanes: Lanes,
    walks: Vec<Walk>,
    /// Where walks on several threads begin.
    pieces: Vec<Task>,
}

impl Default for Walks {
    fn default() -> Self {
        Self { lanes: Lanes::best(), walks: vec![Walk::default()], pieces: Vec::new() }
    }
}

#[derive(Debug, Default)]
struct Walk {
    stack: Vec<Task>,
    found: Vec<ProxyPair>,
}

/// Two blocks whose boxes overlap, one of each pile, and their levels.
#[derive(Clone, Copy, Debug)]
struct Task {
    levels: [u8; 2],
    blocks: [u32; 2],
}

/// After so many pairs a walk hands them over.
const ENOUGH: usize = 1 << 12;
/// Into how many pieces for each thread the whole is cut.
const PIECES: usize = 32;

/// Two piles, or the same one twice.
#[derive(Clone, Copy)]
struct Piles<'p> {
    a: &'p Pile,
    b: &'p Pile,
    /// The boxes themselves, and those around each block of the second.
    boxes: [&'p [Block]; 2],
    around: &'p [Block],
    is_same: bool,
    proxies: &'p Proxies,
}

impl Walks {
    /// Visits the pairs of proxies whose boxes overlap, one of each pile; of a pile with itself, each
    /// once.
    pub(super) fn pairs(
        &mut self,
        proxies: &Proxies,
        [a, b]: [&Pile; 2],
        threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { lanes, walks, pieces } = self;
        let (Some(top_a), Some(top_b)) = (a.top(), b.top()) else {
            return ControlFlow::Continue(());
        };
        let boxes = [a.level(0), b.level(0)];
        let piles = Piles { a, b, boxes, around: b.level(1), is_same: std::ptr::eq(a, b), proxies };
        let root = Task { levels: [top_a as u8, top_b as u8], blocks: [0, 0] };
        let parts = match threads {
            Threads::Pool if top_a + top_b > 2 => rayon::current_num_threads(),
            _ => 1,
        };
        if parts == 1 {
            let walk = &mut walks[0];
            walk.stack.clear();
            walk.stack.push(root);
            loop {
                piles.go(*lanes, walk);
                walk.found.drain(..).try_for_each(&mut *visit)?;
                if walk.stack.is_empty() {
                    return ControlFlow::Continue(());
                }
            }
        }

        // Opens what is highest until there are enough pieces to share.
        pieces.clear();
        pieces.push(root);
        let mut opened = 0;
        while opened < pieces.len() && pieces.len() - opened < PIECES * parts {
            let task = pieces[opened];
            if task.levels == [0, 0] {
                break;
            }
            opened += 1;
            on!(*lanes, simd => piles.open(simd, task, pieces));
        }
        let pieces = &pieces[opened..];
        walks.resize_with(walks.len().max(parts), Walk::default);
        for walk in &mut *walks {
            walk.stack.clear();
            walk.found.clear();
        }
        let next = AtomicUsize::new(0);
        loop {
            walks[..parts].par_iter_mut().for_each(|walk| {
                // Some more than a thread alone would hand over: all have to wait for it.
                while walk.found.len() < 16 * ENOUGH {
                    if walk.stack.is_empty() {
                        match pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                            Some(&piece) => walk.stack.push(piece),
                            None => break,
                        }
                    }
                    piles.go(*lanes, walk);
                }
            });
            for walk in &mut walks[..parts] {
                walk.found.drain(..).try_for_each(&mut *visit)?;
            }
            let is_over = walks[..parts].iter().all(|walk| walk.stack.is_empty());
            if is_over && next.load(Ordering::Relaxed) >= pieces.len() {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Visits the proxies whose boxes may overlap a box.
    pub(super) fn overlapping(
        &mut self,
        pile: &Pile,
        narrow: &Narrow,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(top) = pile.top() else { return ControlFlow::Continue(()) };
        let stack = &mut self.walks[0].stack;
        stack.clear();
        stack.push(Task { levels: [top as u8, 0], blocks: [0, 0] });
        while let Some(Task { levels: [level, _], blocks: [index, _] }) = stack.pop() {
            let block = pile.block(usize::from(level), index);
            let mask = on!(self.lanes, simd => block.touching(simd, narrow));
            for lane in lanes_of(mask) {
                match level {
                    0 => visit(pile.proxy(index, lane))?,
                    _ => stack.push(Task {
                        levels: [level - 1, 0],
                        blocks: [index * WIDTH as u32 + lane, 0],
                    }),
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Piles<'_> {
    /// Walks on until there is nowhere left to go, or enough has been found.
    fn go(&self, lanes: Lanes, walk: &mut Walk) {
        on!(lanes, simd => {
            while let Some(task) = walk.stack.pop() {
                if task.levels == [0, 0] {
                    self.compare(simd, task.blocks, &mut walk.found);
                    if walk.found.len() >= ENOUGH {
                        break;
                    }
                } else {
                    self.open(simd, task, &mut walk.stack);
                }
            }
        });
    }

    /// Adds the blocks within two blocks that overlap; of two levels the higher is opened.
    #[inline(always)]
    fn open<S: Simd>(&self, simd: S, task: Task, tasks: &mut Vec<Task>) {
        let Task { levels: [i, j], blocks: [a, b] } = task;
        let (above_a, above_b) = (usize::from(i), usize::from(j));
        let (child_a, child_b) = (a * WIDTH as u32, b * WIDTH as u32);
        if i > j {
            let mask = self.a.block(above_a, a).touching(simd, &self.b.around(above_b, b));
            for lane in lanes_of(mask) {
                tasks.push(Task { levels: [i - 1, j], blocks: [child_a + lane, b] });
            }
        } else if i < j {
            let mask = self.b.block(above_b, b).touching(simd, &self.a.around(above_a, a));
            for lane in lanes_of(mask) {
                tasks.push(Task { levels: [i, j - 1], blocks: [a, child_b + lane] });
            }
        } else {
            let is_same = self.is_same && a == b;
            let (block_a, block_b) = (self.a.block(above_a, a), self.b.block(above_b, b));
            let rows = match is_same {
                true => 0xff,
                false => block_a.touching(simd, &self.b.around(above_b, b)),
            };
            for row in lanes_of(rows) {
                // Of a block with itself, each pair once, and every one with itself.
                let later = if is_same { !0 << row } else { !0 };
                let mask = block_b.touching(simd, &block_a.get(row as usize)) & later;
                for lane in lanes_of(mask) {
                    let blocks = [child_a + row, child_b + lane];
                    tasks.push(Task { levels: [i - 1, j - 1], blocks });
                }
            }
        }
    }

    /// Compares the boxes of two blocks.
    #[inline(always)]
    fn compare<S: Simd>(&self, simd: S, [a, b]: [u32; 2], found: &mut Vec<ProxyPair>) {
        let is_same = self.is_same && a == b;
        let (block_a, block_b) = (&self.boxes[0][a as usize], &self.boxes[1][b as usize]);
        let rows = match (is_same, self.around.get(b as usize / WIDTH)) {
            (false, Some(above)) => block_a.touching(simd, &above.get(b as usize % WIDTH)),
            // A block by itself has none above.
            _ => 0xff,
        };
        for row in lanes_of(rows) {
            let later = if is_same { !1 << row } else { !0 };
            let narrow = block_a.get(row as usize);
            let mask = block_b.touching(simd, &narrow) & later;
            if mask == 0 {
                continue;
            }
            let certain = block_b.overlapping(simd, &narrow);
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

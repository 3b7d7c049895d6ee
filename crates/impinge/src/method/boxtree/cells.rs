//! Many faces at once: a grid of cells to split first, so that building takes linear time.
//!
//! Splitting a large mesh down to single faces goes over all of them some twenty times, most of the
//! time waiting for memory. Instead the faces are sorted into the cells of a grid, cells are split
//! as if each were a face, and faces only once few enough are left to fit into a cache. So each
//! face is gone over a number of times that does not depend on how many there are.

use super::{
    grid::Lanes,
    split::{Item, Spread},
};
use glam::Vec4;

/// How many cells there are along each axis.
const ACROSS: u32 = 32;

/// From how many faces on it is worth the while.
pub(super) const FROM: usize = 1 << 14;

/// How many faces fit into a cache.
pub(super) const FEW: usize = 1 << 12;

/// The faces of a mesh, by cell.
pub(super) struct Cells {
    /// The boxes of the cells that have faces, each with its number.
    pub(super) boxes: Vec<Item>,
    /// Where the faces of each cell begin, and where the last one's end.
    starts: Vec<u32>,
    /// All faces, by cell.
    order: Vec<u32>,
}

impl Cells {
    /// Sorts faces by where their middles are.
    pub(super) fn new(items: &[Item], spread: &Spread) -> Self {
        let bounds = spread.bounds;
        // Twice the middles range from twice the least to twice the greatest coordinate.
        let origin = 2.0 * bounds.min;
        let per_step = ACROSS as f32 / (2.0 * bounds.lengths()).max(Vec4::ONE);
        let cell_of = |item: &Item| {
            let [x, y, z] = ((item.middle() - origin) * per_step)
                .truncate()
                .to_array()
                .map(|x| (x as u32).min(ACROSS - 1));
            (z * ACROSS + y) * ACROSS + x
        };
        let count = ACROSS.pow(3) as usize;
        let mut spreads = vec![Lanes::EMPTY; count];
        let mut starts = vec![0_u32; count + 1];
        let cells: Vec<u16> = items
            .iter()
            .map(|item| {
                let cell = cell_of(item);
                let spread = &mut spreads[cell as usize];
                *spread = spread.merged(item.0);
                starts[cell as usize + 1] += 1;
                cell as u16
            })
            .collect();
        let boxes = (0..)
            .zip(&spreads)
            .filter(|(cell, _)| starts[*cell as usize + 1] > 0)
            .map(|(cell, &spread)| Item::new(cell, spread))
            .collect();
        // Where each begins, then, as it is filled, where it ends, which is where the next begins.
        for cell in 0..count {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut order = vec![0; items.len()];
        for (face, &cell) in (0..).zip(&cells) {
            let place = &mut next[usize::from(cell)];
            order[*place as usize] = face;
            *place += 1;
        }
        Self { boxes, starts, order }
    }

    /// How many faces some cells have.
    pub(super) fn count(&self, boxes: &[Item]) -> usize {
        boxes.iter().map(|cell| self.faces(cell).len()).sum()
    }

    /// Copies the faces of some cells, in place of what was there.
    pub(super) fn gather(&self, boxes: &[Item], items: &[Item], gathered: &mut Vec<Item>) {
        gathered.clear();
        for cell in boxes {
            gathered.extend(self.faces(cell).iter().map(|&face| items[face as usize]));
        }
    }

    fn faces(&self, cell: &Item) -> &[u32] {
        let cell = cell.number() as usize;
        &self.order[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

const _: () = assert!(ACROSS.pow(3) - 1 <= u16::MAX as u32);

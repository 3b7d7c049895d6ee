//! A grid of cells for building large trees in linear time. `build.rs` uses it.
//!
//! Splitting a large mesh down to single faces would pass over all faces some twenty times, mostly
//! waiting for memory. Instead the faces are sorted into the cells of a grid, and cells are split
//! as if each were a face. Single faces are split only once few enough are left to fit into a
//! cache. So the number of passes over a face does not depend on the number of faces.

use super::{
    grid::LaneBox,
    split::{Item, Spread},
};
use glam::Vec4;

/// The number of cells along each axis.
const CELLS_PER_AXIS: u32 = 32;

/// From this number of faces on, the grid saves time.
pub(super) const MIN_FACES: usize = 1 << 14;

/// The number of faces that fit into a cache.
pub(super) const CACHED_FACES: usize = 1 << 12;

/// The faces of a mesh, sorted by cell.
pub(super) struct Cells {
    /// The boxes of the non-empty cells, each with its cell's index.
    pub(super) boxes: Vec<Item>,
    /// The start of each cell's faces in `order`, and the end of the last one's.
    starts: Vec<u32>,
    /// All faces, sorted by cell.
    order: Vec<u32>,
}

impl Cells {
    /// Sorts faces by the centres of their boxes.
    pub(super) fn new(items: &[Item], spread: &Spread) -> Self {
        let bounds = spread.bounds;
        // Doubled centres range from twice the least to twice the greatest coordinate.
        let origin = 2.0 * bounds.min;
        let per_step = CELLS_PER_AXIS as f32 / (2.0 * bounds.lengths()).max(Vec4::ONE);
        let cell_of = |item: &Item| {
            let [x, y, z] = ((item.middle() - origin) * per_step)
                .truncate()
                .to_array()
                .map(|x| (x as u32).min(CELLS_PER_AXIS - 1));
            (z * CELLS_PER_AXIS + y) * CELLS_PER_AXIS + x
        };
        let count = CELLS_PER_AXIS.pow(3) as usize;
        let mut spreads = vec![LaneBox::EMPTY; count];
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
        // Prefix sums give the start of each cell. `next` moves to the cell's end while it is
        // filled.
        for cell in 0..count {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut order = vec![0; items.len()];
        for (face, &cell) in (0..).zip(&cells) {
            let position = &mut next[usize::from(cell)];
            order[*position as usize] = face;
            *position += 1;
        }
        Self { boxes, starts, order }
    }

    /// The number of faces in some cells.
    pub(super) fn count(&self, boxes: &[Item]) -> usize {
        boxes.iter().map(|cell| self.faces(cell).len()).sum()
    }

    /// Replaces `gathered` by the faces of some cells.
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

const _: () = assert!(CELLS_PER_AXIS.pow(3) - 1 <= u16::MAX as u32);

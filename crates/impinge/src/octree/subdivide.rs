//! Makes an octree from items that are handed down from cell to cell (section 2.4.3 of Smith and Kitamura).
//!
//! Called by the octrees of meshes, whose items are faces, and by motion, whose items are cubes. The cells of the new
//! octree are visited in preorder. A cell is only compared with the items that meet its parent, and its colour is
//! written as soon as it is known.

use super::{
    Cell, Color, Grid, OctreeError,
    nodes::{Nodes, Writer},
};
use std::ops::Range;

/// How a cell lies with respect to a black region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The cell has no black voxel because of this item.
    None,
    /// The cell may have black voxels because of this item.
    Partial,
    /// All voxels of the cell are black because of this item.
    Complete,
}

/// Items, and how they colour the cells of an octree.
pub(super) trait Contents {
    /// Called once for each cell, before its items are asked for.
    fn enter(&mut self, cell: Cell);

    /// The relation of the cell that was entered last and an item. If it is [`Relation::None`] for a cell, it must be
    /// so for all cells within, which are not asked about.
    fn relation(&mut self, item: u32) -> Relation;

    /// The colour of a cell that no item meets.
    fn color_without_items(&mut self, _cell: Cell) -> Color {
        Color::White
    }

    /// The colour of a voxel that some items meet partially.
    fn color_of_voxel(&mut self, _cell: Cell) -> Color {
        Color::Black
    }
}

/// A gray cell: its items, and the next of its children.
struct Frame {
    cell: Cell,
    items: Range<usize>,
    octant: u8,
}

/// Makes the nodes of an octree from the items `0..count`.
///
/// Takes memory for the nodes, and for the items of the cells on one way from the root to a voxel.
pub(super) fn subdivide(
    grid: &Grid,
    items: impl IntoIterator<Item = u32>,
    contents: &mut impl Contents,
) -> Result<Nodes, OctreeError> {
    let mut list: Vec<u32> = items.into_iter().collect();
    let mut writer = Writer::default();
    let mut frames: Vec<Frame> = Vec::new();
    let all = 0..list.len();
    frames.extend(visit(grid, Cell::ROOT, all, &mut list, &mut writer, contents)?);
    while let Some(Frame { cell, items, octant }) = frames.last_mut() {
        if *octant == 8 {
            list.truncate(items.start);
            frames.pop();
            continue;
        }
        let child = cell.child(*octant);
        *octant += 1;
        let items = items.clone();
        frames.extend(visit(grid, child, items, &mut list, &mut writer, contents)?);
    }
    Ok(writer.finish())
}

/// Writes a cell. If it is gray, returns it with the items that meet it, which are at the end of the list.
fn visit(
    grid: &Grid,
    cell: Cell,
    of_parent: Range<usize>,
    list: &mut Vec<u32>,
    writer: &mut Writer,
    contents: &mut impl Contents,
) -> Result<Option<Frame>, OctreeError> {
    contents.enter(cell);
    let first = list.len();
    for at in of_parent {
        let item = list[at];
        match contents.relation(item) {
            Relation::None => {}
            Relation::Partial => list.push(item),
            Relation::Complete => {
                list.truncate(first);
                writer.leaf(Color::Black)?;
                return Ok(None);
            }
        }
    }
    if list.len() == first {
        writer.leaf(contents.color_without_items(cell))?;
        return Ok(None);
    }
    if cell.level == grid.level() {
        list.truncate(first);
        writer.leaf(contents.color_of_voxel(cell))?;
        return Ok(None);
    }
    writer.open()?;
    Ok(Some(Frame { cell, items: first..list.len(), octant: 0 }))
}

//! The nodes of an octree in preorder, each with its cell.
//!
//! Called by everything that reads an octree. The stack has one entry per level, at most [`super::MAX_LEVEL`].

use super::{Cell, Color, nodes::Nodes};

/// Iterator over the nodes in preorder.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    nodes: &'a Nodes,
    next: usize,
    /// Gray cells on the way from the root, each with the next octant.
    path: Vec<(Cell, u8)>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(nodes: &'a Nodes) -> Self {
        Self { nodes, next: 0, path: Vec::new() }
    }
}

impl Iterator for Walk<'_> {
    type Item = (Cell, Color);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.nodes.len() {
            return None;
        }
        while self.path.last().is_some_and(|&(_, octant)| octant == 8) {
            self.path.pop();
        }
        let cell = match self.path.last_mut() {
            None => Cell::ROOT,
            Some((parent, octant)) => {
                let cell = parent.child(*octant);
                *octant += 1;
                cell
            }
        };
        let color = self.nodes.get(self.next);
        self.next += 1;
        if color == Color::Gray {
            self.path.push((cell, 0));
        }
        Some((cell, color))
    }
}

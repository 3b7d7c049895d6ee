//! An octree with pointers, into which one cube after the other is entered: the basic algorithm of section 2.2.2 of Smith
//! and Kitamura.
//!
//! Called by the algorithms that the paper compares with: that of Weng and Ahuja, and the conventional translation. A cell
//! that a cube does not meet is left alone. After each cube, cells with eight black children become black, and their
//! children are removed.

use super::super::{
    Cell, Color, OctreeError,
    nodes::{MAX_NODES, Nodes, Writer},
    subdivide::Relation,
};

/// An octree with pointers: for each gray node the first of its eight children, which are next to each other.
pub(super) struct Pointers {
    nodes: Vec<Node>,
    /// The first of eight nodes that are not used any more.
    free: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Node {
    White,
    Black,
    Gray(u32),
}

const ROOT: u32 = 0;

impl Default for Pointers {
    fn default() -> Self {
        Self { nodes: vec![Node::White], free: Vec::new() }
    }
}

impl Pointers {
    fn get(&self, node: u32) -> Node {
        self.nodes[node as usize]
    }

    /// Gives a white node eight white children, and returns the first.
    fn divide(&mut self, node: u32) -> Result<u32, OctreeError> {
        let children = match self.free.pop() {
            Some(children) => {
                self.nodes[children as usize..][..8].fill(Node::White);
                children
            }
            None if self.nodes.len() > MAX_NODES => return Err(OctreeError::TooManyNodes),
            None => {
                let children = self.nodes.len() as u32;
                self.nodes.resize(self.nodes.len() + 8, Node::White);
                children
            }
        };
        self.nodes[node as usize] = Node::Gray(children);
        Ok(children)
    }

    /// Colours a node, and removes all of its descendants.
    fn set_leaf(&mut self, node: u32, color: Node) {
        if let Node::Gray(children) = self.get(node) {
            // Each of the eight that are removed may have children of its own.
            let mut removed = vec![children];
            while let Some(children) = removed.pop() {
                self.free.push(children);
                let all = &self.nodes[children as usize..][..8];
                removed.extend(all.iter().filter_map(|child| match child {
                    Node::Gray(children) => Some(*children),
                    _ => None,
                }));
            }
        }
        self.nodes[node as usize] = color;
    }

    /// Makes a gray node black or white if all of its children are.
    fn condense(&mut self, node: u32, children: u32) {
        let all = &self.nodes[children as usize..][..8];
        if all.iter().all(|child| matches!(child, Node::Black)) {
            self.set_leaf(node, Node::Black);
        } else if all.iter().all(|child| matches!(child, Node::White)) {
            self.set_leaf(node, Node::White);
        }
    }

    /// Enters a cube, given by its relation to any cell. A voxel is never [`Relation::Partial`].
    pub(super) fn enter(
        &mut self,
        relation: &mut impl FnMut(Cell) -> Relation,
    ) -> Result<(), OctreeError> {
        self.enter_cell(ROOT, Cell::ROOT, relation)
    }

    /// Enters a cube into a cell and those within. Calls itself no deeper than there are levels.
    fn enter_cell(
        &mut self,
        node: u32,
        cell: Cell,
        relation: &mut impl FnMut(Cell) -> Relation,
    ) -> Result<(), OctreeError> {
        if matches!(self.get(node), Node::Black) {
            return Ok(());
        }
        match relation(cell) {
            Relation::None => return Ok(()),
            Relation::Complete => {
                self.set_leaf(node, Node::Black);
                return Ok(());
            }
            Relation::Partial => {}
        }
        let children = match self.get(node) {
            Node::Gray(children) => children,
            _ => self.divide(node)?,
        };
        for octant in 0..8 {
            self.enter_cell(children + u32::from(octant), cell.child(octant), relation)?;
        }
        self.condense(node, children);
        Ok(())
    }

    /// The same octree as nodes in preorder.
    pub(super) fn linear(&self) -> Result<Nodes, OctreeError> {
        let mut writer = Writer::default();
        let mut next = vec![ROOT];
        while let Some(node) = next.pop() {
            match self.get(node) {
                Node::White => writer.leaf(Color::White)?,
                Node::Black => writer.leaf(Color::Black)?,
                Node::Gray(children) => {
                    writer.open()?;
                    next.extend((children..children + 8).rev());
                }
            }
        }
        Ok(writer.finish())
    }
}

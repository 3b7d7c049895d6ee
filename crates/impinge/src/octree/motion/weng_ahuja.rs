//! The algorithm of Weng and Ahuja (1987), with which Smith and Kitamura compare theirs.
//!
//! Each source cube is entered into the target, an octree with pointers, from the root down. A cell that the cube does
//! not meet is left alone. A voxel becomes black by the rule. After each cube, cells with eight black children
//! become black, and their children are removed. Cells are compared with the box around the sphere around the
//! placed cube (section 2.4.1), or by the exact test (section 2.4.2), which can also find a cell completely inside.

use super::{
    super::{
        Cell, Color, OctreeError,
        nodes::{MAX_NODES, Nodes, Writer},
        subdivide::Relation,
    },
    MotionCounts,
    cubes::PlacedCubes,
};
use glam::DVec3;

/// Makes the nodes of the octree of placed cubes.
pub(super) fn moved(
    cubes: &PlacedCubes<'_>,
    is_exact: bool,
    counts: &mut MotionCounts,
) -> Result<Nodes, OctreeError> {
    let mut tree = Pointers::default();
    for cube in 0..cubes.len() {
        let center = cubes.center_in_target(cube);
        let mut entry = Entry { cubes, cube, center, is_exact, counts };
        entry.enter(&mut tree, ROOT, Cell::ROOT)?;
    }
    tree.linear()
}

/// An octree with pointers: for each gray node the first of its eight children, which are next to each other.
struct Pointers {
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
        let mut removed = vec![node];
        while let Some(node) = removed.pop() {
            if let Node::Gray(children) = self.get(node) {
                removed.extend(children..children + 8);
                self.free.push(children);
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

    /// The same octree as nodes in preorder.
    fn linear(&self) -> Result<Nodes, OctreeError> {
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

/// A source cube that is entered into an octree.
struct Entry<'a> {
    cubes: &'a PlacedCubes<'a>,
    cube: u32,
    /// The centre of the cube in the frame of the target.
    center: DVec3,
    is_exact: bool,
    counts: &'a mut MotionCounts,
}

impl Entry<'_> {
    /// Enters the cube into a cell. Calls itself at most once per level.
    fn enter(&mut self, tree: &mut Pointers, node: u32, cell: Cell) -> Result<(), OctreeError> {
        if matches!(tree.get(node), Node::Black) {
            return Ok(());
        }
        match self.relation(cell) {
            Relation::None => return Ok(()),
            Relation::Complete => {
                tree.set_leaf(node, Node::Black);
                return Ok(());
            }
            Relation::Partial => {}
        }
        let children = match tree.get(node) {
            Node::Gray(children) => children,
            _ => tree.divide(node)?,
        };
        for octant in 0..8 {
            self.enter(tree, children + u32::from(octant), cell.child(octant))?;
        }
        tree.condense(node, children);
        Ok(())
    }

    fn relation(&mut self, cell: Cell) -> Relation {
        if self.cubes.is_voxel(cell) {
            self.counts.voxel_tests += 1;
            return self.cubes.relation(self.cubes.place(cell), self.cube);
        }
        self.counts.cell_tests += 1;
        if self.is_exact {
            return self.cubes.relation(self.cubes.place(cell), self.cube);
        }
        match self.cubes.sphere_box_overlaps(cell, self.cube, self.center) {
            true => Relation::Partial,
            false => Relation::None,
        }
    }
}

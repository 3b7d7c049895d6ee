//! Linear octrees: objects as black and white cubes, at two bits a node, and octrees of moving objects.
//!
//! An [`Octree`] halves a root cube along each axis, again and again, down to the voxels of its [`Grid`]. A cell is
//! black inside of the object, white outside, and gray if it has voxels of both colours. The nodes are listed in
//! preorder (the DF representation), and condensed: no gray node has eight children of one
//! colour. So two octrees with one grid are equal exactly if they have the same black voxels.
//!
//! A [`MovingOctree`] makes the octree of an object at any pose, always from the same source, so that errors cannot
//! add up. Its algorithms are those of chapter 2 of Smith and Kitamura, TR-C-0103, 1994.
//!
//! The command `impinge octree` and collision detection with octrees call this module. It relies on `narrow` for exact
//! signs, and on `mesh` and `pose` for what is placed.
//!
//! | file | content |
//! |---|---|
//! | `grid.rs` | [`Grid`], [`Cell`]: where cells are |
//! | `nodes.rs` | packed nodes, and the writer that condenses them |
//! | `walk.rs` | nodes in preorder with their cells |
//! | `text.rs` | the text of the paper, such as `(BWWWWWWW` |
//! | `subdivide.rs` | makes an octree from items that are handed down from cell to cell; used by all builders |
//! | `from_mesh.rs`, `face_box.rs` | octrees of meshes: the exact test of a face and a cell, and inside or outside |
//! | `boolean.rs`, `measure.rs`, `to_mesh.rs` | union and so on; volume and points; surfaces |
//! | `compact.rs` | fewer cubes that cover the same voxels |
//! | `cube.rs` | the test of a turned cube against an upright one |
//! | `motion/` | octrees of moving objects |

mod boolean;
mod compact;
mod cube;
mod error;
mod face_box;
mod from_mesh;
mod grid;
mod measure;
mod motion;
mod nodes;
#[cfg(test)]
mod oracle;
mod subdivide;
mod text;
mod to_mesh;
mod walk;

pub use boolean::Operation;
pub use compact::Compaction;
pub use error::OctreeError;
pub use grid::{Cell, Grid, MAX_LEVEL, VoxelCube};
pub use measure::ColorCounts;
pub use motion::{Motion, MotionAlgorithm, MotionCounts, MotionOptions, MovingOctree};
pub use nodes::{Color, MAX_NODES};

use crate::Bounds;
use nodes::Nodes;

/// An object as black and white cubes, in preorder at two bits a node.
///
/// ```
/// use impinge::{generate, octree::{Grid, Octree, VoxelRule}, glam::DVec3};
///
/// let block = generate::cuboid(DVec3::splat(2.0))?;
/// let grid = Grid::new(DVec3::splat(-2.0), 4.0, 3)?;
/// let octree = Octree::from_solid(&block, grid, VoxelRule::CenterInside)?;
/// assert_eq!(octree.volume(), 8.0);
/// assert_eq!(octree.complement().volume(), 56.0);
/// assert_eq!(octree.text().len(), octree.node_count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Octree {
    grid: Grid,
    nodes: Nodes,
}

/// Which voxels are black.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VoxelRule {
    /// Voxels that share a point with the object, and be it one of their border. This is the safe rule for collision
    /// detection and path planning: no part of the object is in a white voxel.
    #[default]
    AnyTouch,
    /// Voxels whose centre is inside of the object or on its surface. The volume is about that of the object.
    CenterInside,
}

impl Octree {
    /// An octree without any black voxel.
    pub fn empty(grid: Grid) -> Self {
        let mut nodes = Nodes::default();
        nodes.push(Color::White);
        Self { grid, nodes }
    }

    /// The root cube and the level of the voxels.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The number of nodes, of all colours.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of bytes that the nodes take.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
    }

    /// The nodes in preorder.
    pub fn nodes(&self) -> impl Iterator<Item = (Cell, Color)> + '_ {
        walk::Walk::new(&self.nodes)
    }

    /// The black cells as cubes of voxels, in preorder.
    pub fn black_cubes(&self) -> Vec<VoxelCube> {
        let black = self.nodes().filter(|(_, color)| *color == Color::Black);
        black.map(|(cell, _)| self.grid.cube(cell)).collect()
    }

    /// The bounding box of the black cells; empty if there are none.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for (cell, color) in self.nodes() {
            if color == Color::Black {
                bounds.merge(&self.grid.bounds(cell));
            }
        }
        bounds
    }
}

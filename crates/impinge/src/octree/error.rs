//! Why an octree cannot be made, read, combined or moved.

use super::{MAX_LEVEL, MAX_NODES};
use crate::{MeshError, mesh::NotSolid};
use glam::DVec3;

/// Why an octree cannot be made, read, combined or moved.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OctreeError {
    /// The level is beyond [`MAX_LEVEL`].
    #[error("level {level} is beyond {MAX_LEVEL}, the finest level of an octree")]
    LevelTooHigh {
        /// The level that was asked for.
        level: u32,
    },
    /// The root cube has a side that is not a positive number, or a coordinate that is not finite or too large.
    #[error("the root cube at ({}, {}, {}) with the side {side} is not one: sides are positive, coordinates at most 1e101", min.x, min.y, min.z)]
    BadCube {
        /// The corner with the least coordinates.
        min: DVec3,
        /// The side.
        side: f64,
    },
    /// Voxels are smaller than the rounding of their coordinates.
    #[error(
        "voxels of the side {voxel} cannot be told apart at coordinates as large as {largest}: choose a lower level or a larger cube"
    )]
    VoxelsTooSmall {
        /// The side of a voxel.
        voxel: f64,
        /// The largest magnitude of a coordinate of the root cube.
        largest: f64,
    },
    /// The octree would have more than [`MAX_NODES`] nodes.
    #[error("the octree would have more than {MAX_NODES} nodes: choose a lower level")]
    TooManyNodes,
    /// The mesh encloses no solid.
    #[error("{0}; close the mesh, or make an octree of its faces alone")]
    NotSolid(#[from] NotSolid),
    /// The text has a character that is not a node.
    #[error("`{}` is not a node: nodes are `(` or `G` (gray), `B` (black) and `W` (white)", found.escape_debug())]
    NotANode {
        /// The offset of the character in the text, in bytes.
        byte: usize,
        /// The character.
        found: char,
    },
    /// The text ends before all children of a gray node.
    #[error("the text ends after {nodes} nodes, and {missing} more are needed: it was cut off")]
    CutOff {
        /// The number of nodes in the text.
        nodes: usize,
        /// The number of nodes that must follow at least.
        missing: usize,
    },
    /// The text goes on after the last node.
    #[error("the octree is complete after {nodes} nodes, and the text goes on")]
    TextGoesOn {
        /// The offset of the first character too many, in bytes.
        byte: usize,
        /// The number of nodes of the octree.
        nodes: usize,
    },
    /// A gray node is at the finest level, so its children would be beyond it.
    #[error(
        "a gray node at level {level}, the finest level of the octree, which has only black and white nodes"
    )]
    TooDeep {
        /// The offset of the node in the text, in bytes.
        byte: usize,
        /// The finest level.
        level: u8,
    },
    /// Two octrees have different root cubes or levels, so their nodes do not match.
    #[error("the octrees have different root cubes or levels: make both with the same ones")]
    DifferentGrids,
    /// A pose turns, but the algorithm can only translate.
    #[error(
        "the pose turns, and this algorithm only translates: choose an algorithm for arbitrary motion"
    )]
    NotATranslation,
    /// The black part is too large to be compacted.
    #[error(
        "the box around the black part has {voxels} voxels, and at most {limit} can be compacted: move the octree without compaction"
    )]
    TooLargeToCompact {
        /// The number of voxels in the box.
        voxels: u64,
        /// The largest number that is accepted.
        limit: u64,
    },
    /// The surface has too many faces for a mesh.
    #[error("the surface would have over {limit} squares: choose a lower level")]
    SurfaceTooLarge {
        /// The largest number of squares.
        limit: u64,
    },
    /// The surface is not a mesh, because of its coordinates.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

//! Binary trees of bounding volumes (Klosowski 1998, Gottschalk 1996). One tree and one traversal
//! serve every kind of volume.

mod build;
mod face_boxes;
mod front;
pub(super) mod methods;
mod nearest;
mod refit;
mod resumable;
mod save;
mod solid;
mod split;
mod tumbling;
mod walk;

pub(super) use build::node_count;
pub use build::{BuildOptions, leaf_by_size};
pub(crate) use face_boxes::{FaceBoxes, NodeBox, Within};
pub use methods::METHODS;
pub use split::{Regroup, SplitDirections, SplitPoint, SplitRule};
pub use tumbling::Tumbling;
pub use walk::{Scratch, TreePair};

use super::fit_quality::FitQuality;
use crate::volume::{BoundingVolume, Frame};
use std::sync::atomic::{AtomicU64, Ordering};
use tumbling::Outlines;

/// A binary tree of bounding volumes over the faces of a mesh.
///
/// It refers to the mesh's faces by index only, and bounds them in the mesh's own [`Frame`], so one
/// tree serves any pose.
#[derive(Clone, Debug)]
pub struct BvTree<V> {
    /// Unique, except that clones of a tree share it.
    id: u64,
    frame: Frame,
    /// The root first; children side by side, after their parent. Empty for a mesh without faces.
    nodes: Vec<Node<V>>,
    /// The faces in the order of the leaves.
    faces: Vec<u32>,
    /// The piece that each entry of `faces` stands for, if faces were split; otherwise empty.
    pieces: Vec<u32>,
    /// Hulls and vertices of nodes, by which they are placed; `None` if all are placed by the linear map of
    /// their volumes.
    outlines: Option<Box<Outlines>>,
    fit_quality: FitQuality,
}

/// A bounding volume, and its children or faces.
#[derive(Clone, Copy, Debug)]
struct Node<V> {
    volume: V,
    /// A leaf's first face in the tree's list, or an inner node's first child.
    first: u32,
    /// The number of faces of a leaf; 0 for an inner node.
    count: u32,
}

impl<V> Node<V> {
    fn is_leaf(&self) -> bool {
        self.count > 0
    }
}

impl<V: BoundingVolume> BvTree<V> {
    /// The coordinates in which the volumes are stored.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The number of nodes: one less than twice the leaves.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The sum of the volumes of all nodes, in cubic units of the mesh. A tree with less total volume usually
    /// needs fewer volume tests. Infinity or 0 for meshes so large or small that cubes overflow.
    pub fn total_volume(&self) -> f64 {
        let unit = self.frame.unit();
        self.nodes.iter().map(|node| node.volume.volume(0.0)).sum::<f64>() * unit * unit * unit
    }

    /// The number of levels below the root: 0 for a single leaf or an empty tree.
    pub fn height(&self) -> u32 {
        let mut levels = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if !node.is_leaf() {
                // Children come after their parent.
                let (level, first) = (levels[i] + 1, node.first as usize);
                levels[first..first + 2].fill(level);
            }
        }
        levels.into_iter().max().unwrap_or(0)
    }

    /// The memory of nodes and faces, and of what [`Tumbling`] adds to them, in bytes.
    pub fn bytes(&self) -> usize {
        Self::bytes_for(self.nodes.len(), self.faces.len() + self.pieces.len())
            + self.outlines.as_ref().map_or(0, |outlines| outlines.bytes())
    }

    /// Whether a face may be in several leaves, so that a traversal may visit a pair of faces
    /// twice. True if the tree was built with [`split_skinny`](BuildOptions::split_skinny) and some
    /// face was split.
    pub fn repeats_faces(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// The memory of a tree with these numbers of nodes and faces, in bytes.
    pub(super) fn bytes_for(nodes: usize, faces: usize) -> usize {
        nodes * size_of::<Node<V>>() + faces * size_of::<u32>()
    }

    /// An id for a new tree.
    fn next_id() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    fn faces_of(&self, leaf: &Node<V>) -> &[u32] {
        &self.faces[leaf.first as usize..(leaf.first + leaf.count) as usize]
    }

    /// The faces of all leaves below a node.
    fn faces_below(&self, node: u32) -> &[u32] {
        let mut ends = [&self.nodes[node as usize]; 2];
        for (side, end) in (0..).zip(&mut ends) {
            while !end.is_leaf() {
                *end = &self.nodes[(end.first + side) as usize];
            }
        }
        let [first, last] = ends;
        &self.faces[first.first as usize..(last.first + last.count) as usize]
    }
}

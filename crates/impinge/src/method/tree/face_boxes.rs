//! Trees of boxes over the faces of a mesh, one face to a leaf, for searches that walk them themselves.

use super::{BuildOptions, BvTree};
use crate::{
    Mesh, Threads,
    volume::{Aabb, BoundingVolume, Obb},
};
use glam::{DMat3, DVec3};

/// A tree of boxes over the faces of a mesh, in the mesh's own coordinates: oriented boxes, or boxes along the axes.
#[derive(Clone, Debug)]
pub(crate) struct FaceBoxes<V = Obb>(BvTree<V>);

/// The box of a node: all points that are within `half` of the center along each axis. Off by a few roundings of the
/// largest coordinate of the mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBox {
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
    /// Orthonormal to 1e-6.
    pub(crate) axes: DMat3,
}

/// What is in a node.
pub(crate) enum Within {
    Children([u32; 2]),
    Face(u32),
}

impl<V: BoundingVolume> FaceBoxes<V> {
    /// The number of the root. A mesh without faces has no root.
    pub(crate) const ROOT: u32 = 0;

    pub(crate) fn build(mesh: &Mesh) -> Self {
        let tree = BvTree::build(mesh, BuildOptions::default().leaf(1));
        debug_assert!(tree.nodes.iter().all(|node| node.count <= 1), "every leaf has one face");
        Self(tree)
    }

    #[inline]
    pub(crate) fn within(&self, node: u32) -> Within {
        let node = &self.0.nodes[node as usize];
        match node.is_leaf() {
            true => Within::Face(self.0.faces[node.first as usize]),
            false => Within::Children([node.first, node.first + 1]),
        }
    }

    #[inline]
    fn in_mesh(&self, center: DVec3, half: DVec3, axes: DMat3) -> NodeBox {
        let unit = self.0.frame.unit();
        NodeBox { center: self.0.frame.center() + center * unit, half: half * unit, axes }
    }
}

impl FaceBoxes<Obb> {
    #[inline]
    pub(crate) fn node_box(&self, node: u32) -> NodeBox {
        let (center, half, axes) = self.0.nodes[node as usize].volume.parts();
        self.in_mesh(center, half, axes)
    }
}

impl FaceBoxes<Aabb> {
    #[inline]
    pub(crate) fn node_box(&self, node: u32) -> NodeBox {
        let (center, half) = self.0.nodes[node as usize].volume.center_and_half();
        self.in_mesh(center, half, DMat3::IDENTITY)
    }

    /// The same nodes with boxes around the faces at other positions.
    pub(crate) fn refitted(&self, mesh: &Mesh) -> Self {
        let mut tree = self.0.clone();
        // However well it fits: it is used for one motion.
        tree.refit(mesh, Threads::One);
        Self(tree)
    }
}

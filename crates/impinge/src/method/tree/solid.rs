//! Down one tree, to the faces that a swept solid may touch.

use super::BvTree;
use crate::{
    Pose,
    method::{SolidScratch, SolidVisitor, hierarchy::SolidBox},
    solid::SweptSolid,
    volume::BoundingVolume,
};

impl<V: BoundingVolume> BvTree<V> {
    /// Visits the faces of all leaves whose volumes, and those above them, overlap a volume around a solid; see
    /// [`Prepared::faces_near_solid`](crate::method::Prepared::faces_near_solid).
    ///
    /// Of each kind of volume, the tightest around the solid is taken: a k-DOP has the extents of the true solid along its
    /// normals.
    pub(super) fn near_solid(
        &self,
        pose: &Pose,
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let around = SolidBox::new(&self.frame, pose, solid).placed::<V>();
        let stack = &mut scratch.stack;
        stack.clear();
        stack.push(0);
        while let Some(node) = stack.pop() {
            let node = &self.nodes[node as usize];
            if !node.volume.overlaps(&around) {
                continue;
            }
            if !node.is_leaf() {
                stack.extend([node.first + 1, node.first]);
            } else if self.faces_of(node).iter().try_for_each(|&face| visit(face)).is_break() {
                return;
            }
        }
    }
}

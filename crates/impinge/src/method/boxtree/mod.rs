//! The restricted boxtree: a tree of boxes that keeps a plane or two a node (Zachmann 2002).
//!
//! A child's box is its parent's with one or two of the six sides moved inward. So a node stores
//! which, and by how far, and where its children or its faces are: 8 bytes, where a node of another
//! tree takes 32 to 112. Boxes exist on the way down only, and there not as boxes either: what a
//! walk keeps are the gaps between two boxes along some axes, to which every plane adds a little.
//!
//! The paper has one plane a node, and so does [`PlaneChoice::Parallel`]. With two, a third of the
//! boxes are looked at, for the same memory.

mod build;
mod cells;
mod fine;
mod grid;
mod lookup;
mod nearest;
mod node;

mod overlap;
mod refit;
mod resumable;
mod split;
mod walk;

#[cfg(test)]
mod tests;

pub use build::{BoxtreeOptions, Measure, PlaneChoice, SeedAxis};
pub use overlap::OverlapTest;
pub use walk::BoxtreeScratch;

use super::{MethodInfo, Prepared, Recipe, Search, hierarchy::HierarchySearch};
use crate::{Mesh, Method, volume::Frame};
use grid::GridBox;
use node::{Kind, Node};
use std::sync::Arc;

/// The method `boxtree`.
pub(super) static METHOD: MethodInfo = MethodInfo::new(
    "boxtree",
    "restricted boxtree: 8 bytes a node, the least memory",
    // It is built on one thread: as fast as a file could be checked.
    |mesh, _threads| BoxtreeOptions::default().prepare(mesh),
)
.paper("Zachmann 2002, Minimal hierarchical collision detection");

impl Recipe for BoxtreeOptions {
    fn method(&self) -> Method {
        Method::BOXTREE
    }

    fn prepare(&self, mesh: &Mesh) -> Arc<dyn Prepared> {
        Arc::new(Boxtree::build(mesh, *self))
    }
}

impl Prepared for Boxtree {
    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(HierarchySearch::<Self>::new())
    }

    fn refitted(mut self: Arc<Self>, mesh: &Mesh) -> Option<Arc<dyn Prepared>> {
        Arc::make_mut(&mut self).refit(mesh).ok()?;
        Some(self)
    }
}

/// A binary tree of boxes over the faces of a mesh, each its parent's with a side or two moved inward.
///
/// It knows the mesh's faces by number only, and bounds them in the mesh's own [`Frame`], so it
/// serves at any pose. It takes at most 16 bytes a face.
#[derive(Clone, Debug)]
pub struct Boxtree {
    frame: Frame,
    options: BoxtreeOptions,
    /// What the root's box is; all others follow from it.
    bounds: GridBox,
    /// How large most leaves are: the sum of the sides, in steps.
    grain: f32,
    /// Nothing for a mesh without faces.
    root: Option<Node>,
    /// The two children of each inner node, after those of its parent.
    pairs: Vec<[Node; 2]>,
    /// Where the faces of each leaf that has several begin, and where the last one's end.
    starts: Vec<u32>,
    /// The faces of those leaves, in order. A leaf with one face names it itself.
    faces: Vec<u32>,
}

impl Boxtree {
    /// The coordinates in which the boxes are kept.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// How many nodes there are: one less than twice the leaves.
    pub fn node_count(&self) -> usize {
        2 * self.pairs.len() + usize::from(self.root.is_some())
    }

    /// What nodes and faces take, in bytes.
    pub fn bytes(&self) -> usize {
        let lists = self.starts.len() + self.faces.len();
        self.node_count() * size_of::<Node>() + lists * size_of::<u32>()
    }

    /// What a tree over so many faces takes if every leaf has one; no tree over them takes more.
    pub fn bytes_for(faces: usize) -> usize {
        (2 * faces).saturating_sub(1) * size_of::<Node>()
    }

    /// The faces of a leaf; none for an inner node.
    #[inline]
    fn faces_of<'n>(&'n self, node: &'n Node) -> &'n [u32] {
        match node.kind() {
            Kind::Inner => &[],
            Kind::Face => std::slice::from_ref(&node.link),
            Kind::Run => {
                let [start, end] = [0, 1].map(|i| self.starts[node.link as usize + i] as usize);
                &self.faces[start..end]
            }
        }
    }
}

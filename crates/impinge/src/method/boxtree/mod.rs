//! The restricted boxtree: a tree of boxes that stores one or two planes per node (Zachmann 2002).
//!
//! A child's box is its parent's box with one or two of the six sides moved inward. So a node
//! stores which sides move, how far, and where its children or faces are: 8 bytes, where a node of
//! another tree takes 32 to 112. Boxes are never stored. A traversal does not even compute them: it
//! keeps the gaps between two boxes along some axes, and every plane adds a little to them.
//!
//! The paper has one plane per node, and so does [`PlaneChoice::Parallel`]. With two planes, a
//! traversal tests a third of the boxes, for the same memory.

mod build;
mod cells;
mod empty_space;
mod fine;
mod grid;
mod lookup;
mod nearest;
mod node;
mod operations;
mod overlap;
mod point;
mod ray;
mod refit;
mod resumable;
mod single;
mod solid;
mod split;
mod walk;

#[cfg(test)]
mod tests;

pub use build::{BoxtreeOptions, Measure, PlaneChoice, SeedAxis};
pub use empty_space::EmptySpace;
pub use operations::Operations;
pub use overlap::OverlapTest;
pub(super) use single::OpenNode;
pub use walk::BoxtreeScratch;

use super::{
    MethodInfo, PointScratch, Prepared, Recipe, Search, SolidScratch, SolidVisitor,
    fit_quality::FitQuality,
    hierarchy::{FrameRay, HierarchySearch},
    prepared::visit_all,
};
use crate::{Mesh, Method, Pose, Ray, Threads, solid::SweptSolid, volume::Frame};
use glam::DVec3;
use grid::GridBox;
use node::{Kind, Node};
use std::sync::Arc;

/// The method `boxtree`.
pub(super) static METHOD: MethodInfo = MethodInfo::new(
    "boxtree",
    "restricted boxtree: 8 bytes a node, the least memory",
    // Built on one thread, because building is as fast as checking a file would be.
    |mesh, _threads| BoxtreeOptions::default().prepare(mesh),
)
.paper("Zachmann 2002, Minimal hierarchical collision detection");

impl Recipe for BoxtreeOptions {
    fn method(&self) -> Method {
        Method::BOXTREE
    }

    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared> {
        Arc::new(Boxtree::build(mesh, self))
    }
}

impl Prepared for Boxtree {
    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(HierarchySearch::<Self>::new())
    }

    fn refitted(mut self: Arc<Self>, mesh: &Mesh, _threads: Threads) -> Option<Arc<dyn Prepared>> {
        let tree = Arc::make_mut(&mut self);
        tree.refit(mesh).ok()?;
        let is_good = !tree.fit_quality.is_poor(tree.cost());
        is_good.then_some(self as Arc<dyn Prepared>)
    }

    fn has_point_search(&self) -> bool {
        true
    }

    fn faces_near_point(
        &self,
        (_mesh, pose): (&Mesh, &Pose),
        point: DVec3,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        self.near_point(pose, point, scratch, visit);
    }

    fn faces_near_solid(
        &self,
        (_mesh, pose): (&Mesh, &Pose),
        solid: &SweptSolid,
        scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        self.near_solid(pose, solid, scratch, visit);
    }

    fn faces_along_ray(
        &self,
        (mesh, pose): (&Mesh, &Pose),
        ray: &Ray,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        match FrameRay::new(&self.frame, pose, ray) {
            FrameRay::Misses => {}
            FrameRay::Unknown => visit_all(mesh, visit),
            FrameRay::Within(segment) => self.along_segment(&segment, scratch, visit),
        }
    }
}

/// A binary tree of boxes over the faces of a mesh. Each box is its parent's with one or two sides
/// moved inward.
///
/// It refers to the mesh's faces by index only, and bounds them in the mesh's own [`Frame`], so one
/// tree serves any pose. It takes at most 16 bytes per face.
#[derive(Clone, Debug)]
pub struct Boxtree {
    frame: Frame,
    options: BoxtreeOptions,
    /// The root's box; all others follow from it.
    bounds: GridBox,
    /// The size of a typical leaf: the sum of its box's sides, in steps.
    leaf_size: f32,
    /// `None` for a mesh without faces.
    root: Option<Node>,
    /// The two children of each inner node. They come after the pair that contains their parent.
    pairs: Vec<[Node; 2]>,
    /// The start in `faces` of each leaf with several faces, and the end of the last one.
    starts: Vec<u32>,
    /// The faces of those leaves, leaf by leaf. A leaf with one face holds it in its node.
    faces: Vec<u32>,
    fit_quality: FitQuality,
}

impl Boxtree {
    /// The coordinates in which the boxes are defined.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The number of nodes: one less than twice the leaves.
    pub fn node_count(&self) -> usize {
        2 * self.pairs.len() + usize::from(self.root.is_some())
    }

    /// The memory of nodes and faces, in bytes.
    pub fn bytes(&self) -> usize {
        let lists = self.starts.len() + self.faces.len();
        self.node_count() * size_of::<Node>() + lists * size_of::<u32>()
    }

    /// The memory of a tree over this number of faces with one face per leaf, in bytes. No tree
    /// over them takes more.
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

//! The search structure that a method prepares for a mesh, and ways to prepare it.

use super::{GroupSearch, Method, Search, boxtree::OpenNode, save::TreeFileError};
use crate::{Mesh, Pose, Ray, Threads, solid::SweptSolid};
use glam::DVec3;
use std::{any::Any, fmt, ops::ControlFlow, sync::Arc};

/// A method's search structure for one mesh.
///
/// It is made once and never changed, so that any number of shapes, pairs, worlds and threads share
/// it. It knows the mesh's faces by number only and serves at any pose. A query gives it the mesh
/// again where positions are needed.
///
/// A method that prepares nothing has an empty type for this.
pub trait Prepared: Any + fmt::Debug + Send + Sync {
    /// How many bytes it holds. The mesh itself is not counted.
    fn bytes(&self) -> usize;

    /// A new search of two bodies that this method prepared.
    fn new_search(&self) -> Box<dyn Search>;

    /// A new search of many bodies at once; `None` for a method that takes bodies pair by pair.
    fn new_group_search(&self) -> Option<Box<dyn GroupSearch>> {
        None
    }

    /// Whether its searches can start from a [`Front`](super::Front): see
    /// [`Search::visit_from`].
    fn has_front(&self) -> bool {
        false
    }

    /// This structure as bytes, from which the method's [loader](super::MethodInfo::loader) makes it
    /// again; `None` for a method that cannot be saved.
    fn to_bytes(&self, _mesh: &Mesh) -> Option<Vec<u8>> {
        None
    }

    /// This structure fitted to a mesh with the same faces at other positions; `None` if the mesh had better
    /// be prepared anew: by a method that has no faster way, or because the faces have moved apart so far that
    /// queries of the fitted structure would be slow.
    ///
    /// A fitted structure gives the right answers however the faces have moved.
    fn refitted(self: Arc<Self>, _mesh: &Mesh, _threads: Threads) -> Option<Arc<dyn Prepared>> {
        None
    }

    /// Measures of the structure, if it is a binary tree of bounding volumes.
    fn tree_report(&self) -> Option<TreeReport> {
        None
    }

    /// Whether [`faces_near_point`](Self::faces_near_point) and [`faces_along_ray`](Self::faces_along_ray) leave out
    /// faces that are far away. By default they visit all faces.
    fn has_point_search(&self) -> bool {
        false
    }

    /// Visits every face of the placed mesh that is close to a point, and possibly others; the closest
    /// first, as far as the method can tell.
    ///
    /// After each face `visit` returns a distance: faces that are farther than that need not be visited
    /// any more. A negative one ends the search.
    fn faces_near_point(
        &self,
        (mesh, _pose): (&Mesh, &Pose),
        _point: DVec3,
        _scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        visit_all(mesh, visit);
    }

    /// The same for a caller who knows from the start that faces farther than `reach` need not be visited, for example from
    /// the closest face of a moment ago. By default that is not made use of.
    fn faces_near_point_within(
        &self,
        placed: (&Mesh, &Pose),
        point: DVec3,
        _reach: f64,
        scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        self.faces_near_point(placed, point, scratch, visit);
    }

    /// Visits every face of the placed mesh that a ray meets, and possibly others; the first along the
    /// ray first, as far as the method can tell.
    ///
    /// After each face `visit` returns a parameter of the ray: faces that the ray meets only beyond it
    /// need not be visited any more. A negative one ends the search.
    fn faces_along_ray(
        &self,
        (mesh, _pose): (&Mesh, &Pose),
        _ray: &Ray,
        _scratch: &mut PointScratch,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        visit_all(mesh, visit);
    }

    /// Visits every face of the placed mesh that a solid touches, and possibly others, in any order, until `visit` returns
    /// `Break`. By default all faces.
    ///
    /// If the scratch has a [front](Self::solid_front) of this structure, the search starts there.
    fn faces_near_solid(
        &self,
        (mesh, _pose): (&Mesh, &Pose),
        _solid: &SweptSolid,
        _scratch: &mut SolidScratch,
        visit: &mut SolidVisitor<'_>,
    ) {
        let _ = (0..mesh.faces().len() as u32).try_for_each(visit);
    }

    /// Finds the parts of this structure that are near a solid, for searches with solids inside of it: the moves of a tool
    /// that stays in a region, for example. By default the front is the whole structure.
    fn solid_front(
        &self,
        _placed: (&Mesh, &Pose),
        _region: &SweptSolid,
        scratch: &mut SolidScratch,
    ) {
        scratch.has_front = false;
    }
}

/// Callback for each face that a solid may touch. `Break` ends the search.
pub type SolidVisitor<'v> = dyn FnMut(u32) -> ControlFlow<()> + 'v;

/// Memory for searches with solids, reused from search to search so that none allocates once warm.
#[derive(Debug, Default)]
pub struct SolidScratch {
    pub(crate) stack: Vec<u32>,
    /// The nodes near a region, from which searches start.
    pub(crate) front: Vec<u32>,
    pub(crate) has_front: bool,
    /// Nodes to visit, for trees whose nodes do not know their boxes.
    pub(super) boxes: Vec<OpenNode>,
}

impl SolidScratch {
    /// Forgets the front: the next searches start at the root.
    pub fn drop_front(&mut self) {
        self.has_front = false;
    }
}

/// Measures of a binary tree of bounding volumes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TreeReport {
    /// The number of nodes, inner nodes and leaves.
    pub nodes: usize,
    /// The number of levels below the root.
    pub height: u32,
    /// The sum of the volumes of all nodes, in cubic units of the mesh.
    pub total_volume: f64,
}

/// Visits the faces of a mesh in order until `visit` returns a negative number.
pub(super) fn visit_all(mesh: &Mesh, visit: &mut dyn FnMut(u32) -> f64) {
    for face in 0..mesh.faces().len() as u32 {
        if visit(face) < 0.0 {
            return;
        }
    }
}

/// Memory for queries about points and rays, reused from query to query so that none allocates once
/// warm: nodes yet to be visited, each with a lower bound of its distance or of the ray's parameter.
#[derive(Debug, Default)]
pub struct PointScratch {
    pub(crate) stack: Vec<(f64, u32)>,
    /// The same for trees whose nodes do not know their boxes.
    pub(super) boxes: Vec<OpenNode>,
}

impl PointScratch {
    /// Memory that is yet to be allocated.
    pub(crate) const fn new() -> Self {
        Self { stack: Vec::new(), boxes: Vec::new() }
    }
}

/// A way to prepare a mesh: a [`Method`], or the options of one.
pub trait Recipe: Clone + Send + Sync + 'static {
    /// The method.
    fn method(&self) -> Method;

    /// Prepares a mesh by the method.
    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared>;

    /// The same on all threads of the current pool, if the method can and `threads` says so. What is prepared does
    /// not depend on the number of threads.
    fn prepare_on(self, mesh: &Mesh, _threads: Threads) -> Arc<dyn Prepared> {
        self.prepare(mesh)
    }
}

/// A method with its default options, on one thread.
impl Recipe for Method {
    fn method(&self) -> Method {
        *self
    }

    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared> {
        self.build(mesh, Threads::One)
    }

    fn prepare_on(self, mesh: &Mesh, threads: Threads) -> Arc<dyn Prepared> {
        self.build(mesh, threads)
    }
}

/// Why what was prepared of one mesh cannot be fitted to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the shape was prepared from {expected} faces, but the mesh has {found}")]
pub struct RefitError {
    /// How many faces the shape was prepared from.
    pub expected: usize,
    /// How many faces the mesh has.
    pub found: usize,
}

/// How a saved structure is loaded: see [`MethodInfo::loader`](super::MethodInfo::loader).
pub type Load = fn(&[u8], &Mesh) -> Result<Arc<dyn Prepared>, TreeFileError>;

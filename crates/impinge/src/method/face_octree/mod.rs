//! The face octree: space is divided into cells until few faces of different bodies share one (Smith, Kitamura 1994,
//! chapter 3).
//!
//! Nothing is prepared of a mesh, so bodies may deform freely. A query places the bodies, takes the faces that meet an
//! overlap region of two bounding boxes (`gather.rs`), and divides the space around them (`method/cells/`). All
//! bodies of a [`World`](crate::World) are searched in one subdivision, not pair by pair. The tests of pairs of faces
//! that share a cell can be [distributed](FaceOctreeOptions::distribution) among threads (chapter 4).
//!
//! | file | what it holds |
//! |---|---|
//! | `options.rs` | [`FaceOctreeOptions`] |
//! | `search.rs` | the searches of two bodies and of a group |
//! | `gather.rs` | the faces that meet overlap regions |
//! | `sample.rs` | an estimate of how many faces do |

mod gather;
mod options;
mod sample;
mod search;

pub use super::cells::{CellTest, Division, SubdivisionDepth};
pub use options::FaceOctreeOptions;
pub(crate) use sample::RegionSample;

use super::{GroupSearch, MethodInfo, Prepared, Recipe, Search};
use crate::{Mesh, Method, Threads};
use search::FaceOctreeSearch;
use std::sync::Arc;

/// The method `face-octree`.
pub(super) static METHOD: MethodInfo = MethodInfo::new(
    "face-octree",
    "cells of space with faces of two bodies; no index; all bodies of a world at once",
    |mesh, _threads| FaceOctreeOptions::default().prepare(mesh),
)
.paper("Smith, Kitamura 1994, TR-C-0103, chapter 3");

/// A search of many bodies at once with the default options, whatever was prepared of their meshes.
pub(crate) fn new_group_search() -> Box<dyn GroupSearch> {
    Box::new(FaceOctreeSearch::default())
}

/// What this method prepares of a mesh: nothing but its options.
#[derive(Debug)]
struct FaceOctree {
    options: FaceOctreeOptions,
}

impl Recipe for FaceOctreeOptions {
    fn method(&self) -> Method {
        Method::FACE_OCTREE
    }

    fn prepare(self, _mesh: &Mesh) -> Arc<dyn Prepared> {
        Arc::new(FaceOctree { options: self })
    }
}

impl Prepared for FaceOctree {
    fn bytes(&self) -> usize {
        0
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(FaceOctreeSearch::default())
    }

    fn new_group_search(&self) -> Option<Box<dyn GroupSearch>> {
        Some(new_group_search())
    }

    /// There is nothing to fit.
    fn refitted(self: Arc<Self>, _mesh: &Mesh, _threads: Threads) -> Option<Arc<dyn Prepared>> {
        Some(self)
    }
}

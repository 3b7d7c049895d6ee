//! Octrees: cubes that hold the faces of a mesh, moved with the body and compared in cells of space (Kitamura,
//! Takemura, Kishino 1994; with the optimisations of Smith, Kitamura 1994, chapter 1).
//!
//! An octree of each mesh is built once in the mesh's own coordinates (`source.rs`). While the bounding shapes of two bodies
//! are apart, nothing is moved: a pose already is the sum of all motions. Then the cubes are moved (`place.rs`), and
//! sorted into the cells of a common octree, either where two bodies interfere only (`method/cells/`) or
//! completely (`rebuild.rs`). The exact test decides about faces whose cubes interfere (`search.rs`).
//!
//! | file | what it holds |
//! |---|---|
//! | `options.rs` | [`OctreeOptions`] |
//! | `source.rs` | the octree of a mesh |
//! | `place.rs` | the cubes of bodies where they stand |
//! | `rebuild.rs` | complete octrees of moved bodies |
//! | `search.rs` | the searches of two bodies and of a group |

mod options;
mod place;
mod rebuild;
mod search;
mod source;

pub use options::{BoundingShape, OctreeOptions};

use super::{GroupSearch, MethodInfo, Prepared, Recipe, Search};
use crate::{Mesh, Method};
use search::OctreeSearch;
use source::SourceOctree;
use std::sync::Arc;

/// The method `octree`.
pub(super) static METHOD: MethodInfo = MethodInfo::new(
    "octree",
    "octrees of cubes that hold faces, moved with the bodies and compared in cells",
    |mesh, _threads| OctreeOptions::default().prepare(mesh),
)
.paper("Kitamura, Takemura, Kishino 1994; Smith, Kitamura 1994, chapter 1");

impl Recipe for OctreeOptions {
    fn method(&self) -> Method {
        Method::OCTREE
    }

    fn prepare(self, mesh: &Mesh) -> Arc<dyn Prepared> {
        Arc::new(SourceOctree::build(mesh, self))
    }
}

impl Prepared for SourceOctree {
    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(OctreeSearch::default())
    }

    fn new_group_search(&self) -> Option<Box<dyn GroupSearch>> {
        Some(Box::new(OctreeSearch::default()))
    }
}

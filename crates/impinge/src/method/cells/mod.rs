//! The subdivision of space into cells, which the methods `face-octree` and `octree` share: the first divides among
//! faces, the second among cubes that hold faces.
//!
//! | file | what it holds |
//! |---|---|
//! | `options.rs` | how deep cells are divided, into how many, and how items are tested against them |
//! | `regions.rs` | the boxes of bodies, their overlap regions, and which pairs of bodies are compared |
//! | `subdivide.rs` | cells, and the pairs of items in them |
//! | `cell_test.rs` | the test of a triangle against a box |

mod cell_test;
mod options;
mod regions;
mod subdivide;

pub(super) use cell_test::may_meet;
pub use options::{CellTest, Division, SubdivisionDepth};
pub(super) use regions::{Regions, grown_outward};
pub(super) use subdivide::{CellItem, PairVisitor, Rules, Subdivision};

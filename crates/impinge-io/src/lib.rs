//! Mesh files in, [`Model`]s out, and back: OBJ, STL, PLY, OFF, glTF 2.0. Several of them, folders
//! and robots (URDF) as an [`Assembly`] of parts; STEP files too, by a program of their own.
//!
//! The only place of the project that parses mesh files. Every reader takes bytes that may be
//! anything and answers with a [`Model`] or with an [`Error`] that names the file and the place in
//! it; none panics, hangs, or takes memory beyond a small multiple of the file.
#![forbid(unsafe_code)]
// A part's faces are a list of runs, and often of one.
#![allow(clippy::single_range_in_vec_init)]

pub mod assembly;
pub mod bcf;
mod draft;
mod error;
mod escape;
mod format;
mod index;
mod model;
mod polygon;
mod poses;
mod reads;
mod sniff;
mod text;
mod triangle_cases;
mod xml;

mod gltf;
mod obj;
mod off;
mod ply;
mod stl;

pub use assembly::Assembly;
pub use draft::{Draft, DraftFolder, abandon_files, commit_all, write_atomically};
pub use error::{Error, Location};
pub use escape::{csv_field, excerpt, one_line, write_json};
pub use format::{Format, load, load_mesh, read, save, write};
pub use gltf::{Color, Paint, save_painted, write_painted};
pub use index::{load_index, save_index};
pub use model::{MAX_MERGED, Model, ModelError, ModelPart};
pub use poses::{load_poses, save_poses, write_poses};
pub use reads::recorded;
pub use triangle_cases::{TriangleCase, load_triangle_cases};

//! Reads and writes mesh files: OBJ, STL, PLY, OFF and glTF 2.0. Reads elevation grids as terrains: ESRI ASCII grids,
//! USGS DEM and DTED.
//!
//! [`load`] reads one file into a [`Model`]. [`assembly::load`] reads several files, folders, robots (URDF), 3MF, STEP
//! and IFC files into an [`Assembly`] of named parts. STEP files need the separate program `impinge-step`, IFC files
//! need Python with IfcOpenShell.
//! The crate also holds files of poses, paths, points and rays, index files, octree files and BCF issues.
//!
//! This is the only crate of the workspace that parses mesh files. The bytes of a file are not trusted: every
//! reader returns a [`Model`] or an [`Error`] that names the file and the location in it. No reader panics or
//! hangs, and memory stays within a small multiple of the file size.
#![forbid(unsafe_code)]
// The faces of a part are a list of ranges, and the list often has one element.
#![allow(clippy::single_range_in_vec_init)]

pub mod assembly;
pub mod bcf;
mod draft;
mod error;
mod escape;
mod format;
mod index;
mod model;
mod motion_cases;
mod number_rows;
mod octree;
mod path;
mod points;
mod polygon;
mod poses;
mod reads;
mod sniff;
mod text;
mod triangle_cases;
mod unzip;
mod xml;

mod elevation;
mod gltf;
mod obj;
mod off;
mod ply;
mod stl;

pub use assembly::Assembly;
pub use draft::{Draft, DraftFolder, abandon_files, commit_all, write_atomically};
pub use elevation::{GridCoordinates, GridOptions};
pub use error::{Error, Location};
pub use escape::{csv_field, excerpt, one_line, write_json};
pub use format::{Format, load, load_mesh, load_with, read, read_with, save, write};
pub use gltf::{Color, Paint, save_painted, write_painted};
pub use index::{load_index, save_index};
pub use model::{MAX_MERGED, Model, ModelError, ModelPart};
pub use motion_cases::{MotionCase, load_motion_cases};
pub use octree::{load_octree, read_octree, save_octree, write_octree};
pub use path::{PathRows, PathRowsError};
pub use points::{load_points, load_rays, write_points, write_rays};
pub use poses::{
    first_turned, load_motions, load_poses, load_translations, save_poses, write_poses,
};
pub use reads::recorded;
pub use triangle_cases::{TriangleCase, load_triangle_cases};

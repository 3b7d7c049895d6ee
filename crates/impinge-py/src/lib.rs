//! The Python package `impinge`: everything that is written in Rust, as the module `impinge._impinge`.
//!
//! The package in `python/impinge` re-exports it, adds what is easier in Python (a collision manager with the interface
//! of trimesh, readers of other packages' scenes, Ray), and documents the types in stubs.
//!
//! | file | what it holds |
//! |---|---|
//! | `error.rs` | Python exceptions for the errors of the libraries, with the same text |
//! | `arguments.rs` | integers, lengths and texts as arguments |
//! | `arrays.rs` | NumPy arrays in and out: points, faces, poses |
//! | `pool.rs` | the threads of batches, also after a fork |
//! | `interrupt.rs` | Ctrl-C during long calls |
//! | `mesh.rs`, `shape.rs` | `Mesh`, `Shape` |
//! | `pair.rs`, `batch.rs` | `Pair`, and queries of two shapes at one pose and at many |
//! | `probe.rs` | nearest points, rays, and whether points are inside |
//! | `impact.rs` | first impacts of two moving shapes |
//! | `world/` | `World` |
//! | `manager/` | what the collision manager with the interface of trimesh calls |
//! | `assembly/`, `clash/` | `Assembly`, and clash checks |
//! | `received.rs` | assemblies that other packages have read |
//! | `path/` | clash checks of parts that move along a path |
//! | `report.rs` | what the reports of all checks share |
//! | `notebook.rs` | pictures in notebooks |
//! | `nc/` | NC verification |
//! | `robot.rs`, `robot_checker.rs` | robots: `RobotCore`, `RobotChecker`, on which `impinge/robot.py` is built |
//! | `shares.rs`, `prepared.rs` | clash checks on a cluster |
//! | `command.rs` | the command `impinge` |
//!
//! All classes may be used from several threads at once, also on free-threaded builds of Python: they are frozen, and what
//! changes is behind a mutex. A thread that waits for a mutex must be detached from the interpreter (`lock_py_attached`),
//! and a thread that holds one must not run code of Python. Calls that take long release the interpreter.

#![allow(
    clippy::needless_pass_by_value,
    reason = "Python's arguments arrive as values: texts, paths and lists are converted for the call"
)]

mod arguments;
mod arrays;
mod assembly;
mod batch;
mod clash;
mod command;
mod contact_lists;
mod error;
mod impact;
mod interrupt;
mod manager;
mod mesh;
mod nc;
mod notebook;
mod pair;
mod path;
mod pool;
mod prepared;
mod probe;
mod received;
mod report;
mod robot;
mod robot_checker;
mod shape;
mod shares;
mod world;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _impinge {
    #[pymodule_export]
    use crate::assembly::{Assembly, Part};
    #[pymodule_export]
    use crate::batch::check;
    #[pymodule_export]
    use crate::clash::{Clash, ClashReport, check_assembly};
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::contact_lists::ContactLists;
    #[pymodule_export]
    use crate::impact::{Impact, first_impact};
    #[pymodule_export]
    use crate::manager::{Bodies, Geometry, geometry_contacts, split_transform};
    #[pymodule_export]
    use crate::mesh::{Mesh, load};
    #[pymodule_export]
    use crate::nc::{NcGouge, NcReport, check_program};
    #[pymodule_export]
    use crate::pair::{Distance, Pair, contacts, distance, intersects};
    #[pymodule_export]
    use crate::path::{PathClash, PathReport, check_assembly_path};
    #[pymodule_export]
    use crate::probe::{cast_ray, contains_point, nearest_point};
    #[pymodule_export]
    use crate::received::{ifc_reader, read_stream};
    #[pymodule_export]
    use crate::robot::RobotCore;
    #[pymodule_export]
    use crate::robot_checker::RobotChecker;
    #[pymodule_export]
    use crate::shape::{Shape, load_shape, methods};
    #[pymodule_export]
    use crate::shares::{Blobs, Fragment, Listing, Plan, check_task};
    #[pymodule_export]
    use crate::world::{Step, World};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

//! Generators for the meshes and motion paths that papers, tests and benchmarks use.
//!
//! Everything here is deterministic: the same parameters and the same seed give the same bits, on every
//! platform and in every version. So a test or a paper can name its input in one line. Random numbers come
//! from [`Random`], sines and the like from `libm`, not from the platform.
//!
//! | kind | functions |
//! | --- | --- |
//! | shapes | [`sphere`], [`icosphere`], [`cuboid`], [`bar`], [`cylinder`], [`torus`], [`gear`], [`convex_body`] |
//! | bodies from papers | [`shuttle`], [`chair`], [`deformed_torus`], [`torpedo`], [`roller_bed`] |
//! | parts of a feeder | [`bolt`], [`nut`], [`bracket`], [`bowl`] |
//! | environments | [`pipes`], [`terrain`], [`bsp_tetrahedra`], [`bsp_copies`] |
//! | assemblies | [`gearbox`], [`plant`] |
//! | paths | [`tumble`], [`billiard`], [`random_rotations`], [`terrain_flight`], [`hand_path`] |
//! | points and rays | [`random_points`], [`random_rays`], [`random_rays_within`] |
//! | arrangement | [`scaled_to_cube`], [`merged`] |
//!
//! Scenes and paths that depend on contacts are in [`scenario`](crate::scenario).
//!
//! Bodies are closed and manifold, and their face normals point outward, unless the function says otherwise.
//!
//! ```
//! use impinge::generate::{scaled_to_cube, shuttle, tumble};
//!
//! // Zachmann's benchmark, with a shuttle.
//! let body = scaled_to_cube(&shuttle(), 2.0)?;
//! let poses = tumble(1.5, 5000)?;
//! assert_eq!((body.faces().len(), poses.len()), (528, 5000));
//! # Ok::<(), impinge::generate::GenerateError>(())
//! ```

mod arrange;
mod bar;
mod bowl;
mod bsp;
mod chair;
#[cfg(test)]
pub(crate) mod check;
mod convex;
mod error;
mod fasteners;
mod gear;
mod gearbox;
mod hand;
mod icosphere;
mod paths;
mod pipes;
mod plant;
mod probes;
mod random;
mod shuttle;
mod solids;
mod sphere;
mod surface;
mod terrain;
mod tetrahedra;
mod torpedo;
mod torus;
mod turn;

pub use arrange::{merged, scaled_to_cube};
pub use bar::bar;
pub use bowl::bowl;
pub use bsp::{BspCopy, BspOptions, bsp_copies};
pub use chair::chair;
pub use convex::convex_body;
pub use error::GenerateError;
pub(crate) use error::{check_count, check_measure, check_positive};
pub use fasteners::{bolt, bracket, nut};
pub use gear::gear;
pub use gearbox::{
    GEARBOX_CLASH, GEARBOX_GAP, GEARBOX_TIGHT, GEARBOX_TIGHT_CLEARANCE, GEARBOX_TOUCH, gearbox,
};
pub use hand::{HandOptions, hand_path};
pub use icosphere::icosphere;
pub(crate) use paths::check_steps;
pub use paths::{billiard, random_rotations, terrain_flight, tumble};
pub use pipes::{PipesOptions, pipes};
pub use plant::{Plant, PlantPart, plant};
pub use probes::{random_points, random_rays, random_rays_within};
pub use random::Random;
pub use shuttle::shuttle;
pub use solids::{cuboid, cylinder};
pub use sphere::sphere;
pub use terrain::{terrain, terrain_height};
pub use tetrahedra::bsp_tetrahedra;
pub(crate) use tetrahedra::tetrahedron_corners;
pub use torpedo::{roller_bed, torpedo};
pub use torus::{deformed_torus, torus, torus_segments};
pub(crate) use turn::about;

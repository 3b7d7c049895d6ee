//! Finds the faces of meshes that touch: exactly, for any triangle soup.
//!
//! Two faces touch if the two closed triangles share a point, with their corners exactly where
//! [`Pose::place`] puts them. There is no epsilon: touching in a single point counts, coplanar overlap
//! counts, and a degenerate triangle counts as the segment or point it is.
//!
//! ```
//! use impinge::{Mesh, Pair, Pose, Shape, glam::DVec3};
//!
//! let triangle = |z| vec![DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.0, 1.0, z)];
//! let floor = Shape::new(Mesh::new(triangle(0.0), vec![[0, 1, 2]])?);
//! let lid = Shape::new(Mesh::new(triangle(1.0), vec![[0, 1, 2]])?);
//!
//! let mut pair = Pair::new(&floor, &lid)?;
//! assert!(!pair.intersects(&Pose::IDENTITY, &Pose::IDENTITY));
//!
//! let down = Pose::from_translation(DVec3::new(0.0, 0.0, -1.0))?;
//! assert_eq!(pair.contacts(&Pose::IDENTITY, &down).len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to look:
//!
//! - [`Mesh`] and [`Pose`]: the input of a query. Both are validated on construction, so no query can fail.
//! - [`Shape`]: a mesh prepared for queries by a [`Method`]. It can be shared by any number of pairs and bodies, saved
//!   and loaded.
//! - [`Pair`]: two shapes, to be queried at any poses: contacts, distance, faces within a tolerance.
//! - [`intersects`], [`contacts`], [`distance`]: one question about two shapes in one call.
//! - [`Shape::cast_ray`], [`Shape::nearest_point`], [`Shape::contains_point`]: one body and rays or points.
//! - [`Shape::set_positions`], [`Shape::self_query`]: bodies that deform, and contacts of a body with itself.
//! - [`Motion`] and [`first_impact`]: bodies between two instants, when they touch first, and the proof that they do not.
//! - [`World`]: many moving bodies, the pairs that touch at each step, and their impacts between steps; [`broad`]: the
//!   broad phases to choose from.
//! - [`contact`]: contact regions of two bodies, with points, normals, depths and manifolds for a response.
//! - [`solid`]: balls, capsules, cylinders, cones and tori that are not meshes, against meshes and each other.
//! - [`clash`]: the parts of an assembly that penetrate, touch or come too close.
//! - [`force`]: the force and torque with which other bodies push back a body that is held against them.
//! - [`octree`]: linear octrees of meshes, and of moving objects.
//! - [`narrow`]: the exact test for two triangles, without a mesh.
//! - [`distribution`]: how tests are distributed among threads.
//! - [`convex`]: convex hulls, and their extent along a direction.
//! - [`generate`]: generated meshes and motion paths for tests and examples; [`scenario`]: those that depend on
//!   contacts.
//!
//! The crate `impinge-io` reads and writes files; the command `impinge` uses both.
#![forbid(unsafe_code)]

mod bounds;
pub mod broad;
pub mod clash;
pub mod contact;
pub mod convex;
pub mod distribution;
mod face_pair;
pub mod force;
pub mod generate;
pub mod mesh;
pub mod method;
pub mod motion;
pub mod narrow;
pub mod octree;
mod pair_map;
mod pose;
pub mod query;
pub mod scenario;
mod simd;
pub mod solid;
mod stopwatch;
mod threads;
mod tolerance;
pub mod volume;
pub mod world;

pub use bounds::Bounds;
pub use distribution::Distribution;
pub use face_pair::FacePair;
pub use glam;
pub use mesh::{Mesh, MeshError};
pub use method::{
    Budget, Cache, MeshDistance, Method, SharedBy, WalkOrder, WideOptions, WideQuality,
};
pub use motion::{Impact, Motion, MotionError, first_impact};
pub use narrow::{Ray, RayError};
pub use pose::{Pose, PoseError};
pub use query::{
    Batch, Bits, ContactLists, MethodMismatch, NearestPoint, Pair, PointLocation, RayHit, Shape,
    TimedVerdict, contacts, distance, intersects,
};
pub use threads::Threads;
pub use tolerance::{Tolerance, ToleranceError};
pub use world::World;

/// The README's program, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

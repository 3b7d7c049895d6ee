//! Tells which faces of which bodies touch: exactly, for any triangle soup.
//!
//! Two faces touch if the two closed triangles share a point, with their corners exactly where
//! [`Pose::place`] puts them. There is no epsilon anywhere: touching at a point counts, coplanar
//! overlap counts, a degenerate triangle is the segment or point that it is.
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
//! - [`Mesh`] and [`Pose`]: what a query is about. Both are checked when they are made, so that no
//!   query can fail.
//! - [`Pair`]: two meshes prepared for queries, by a [`Method`] from [`mid`]; [`Index`]: one mesh
//!   prepared, to be shared among pairs, saved and loaded.
//! - [`Shape::cast_ray`], [`Shape::nearest_point`], [`Shape::contains_point`]: one body and rays or points.
//! - [`World`]: many bodies that move, and what touches step by step; [`Shape`]: a mesh prepared once, to be
//!   shared by any number of them; [`broad`]: ways to find those that are near each other.
//! - [`narrow`]: the exact test itself, for two triangles.
//! - [`convex`]: convex hulls, and how far they reach.
//! - [`generate`]: meshes and paths to try things on.
//!
//! Files are read by the crate `impinge-io`; the command `impinge` puts both to use.
#![forbid(unsafe_code)]

mod bounds;
pub mod broad;
pub mod clash;
pub mod convex;
mod face_pair;
pub mod generate;
pub mod mesh;
pub mod method;
pub mod narrow;
mod pose;
pub mod query;
mod simd;
mod threads;
mod tolerance;
pub mod volume;
pub mod world;

pub use bounds::Bounds;
pub use face_pair::FacePair;
pub use glam;
pub use mesh::{Mesh, MeshError};
pub use method::{Budget, Cache, MeshDistance, Method, WideOptions, WideQuality};
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
#[doc = include_str!("../../../README.md")]
struct Readme;

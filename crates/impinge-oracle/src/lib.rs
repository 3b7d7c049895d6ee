//! Independent answers for the tests of `impinge`.
//!
//! The oracle decides the same questions as the library, but shares neither code nor method with it. The library
//! takes the signs of orientation determinants, computed in filtered floating point; the oracle asks an exact
//! linear program whether a common point exists. It is slow and simple, so that one reading can convince you that
//! it is correct. Read the modules in this order: `scale`, `simplex`, `touch`.
//!
//! [`OracleSolid`] measures true solids by dense subdivision, because curved surfaces have no exact answer.
//!
//! [`cases`] makes pairs of triangles, rays and triangles, and pairs of hulls that are hard to decide.
#![forbid(unsafe_code)]

mod beyond;
pub mod cases;
mod distance;
mod hull_distance;
mod hull_penetration;
mod integer;
mod moving;
mod polynomial;
mod ray;
mod rotating;
mod round;
mod scale;
mod sign;
mod simplex;
mod solid;
mod touch;

pub use beyond::meet_beyond;
pub use distance::{SquaredDistance, closest_distance_squared};
pub use hull_distance::{HullDistance, hull_distance};
pub use hull_penetration::{HullPenetration, hull_penetration};
pub use moving::{FirstContact, Moving, edge_edge_first_contact, vertex_face_first_contact};
pub use ray::{RayParameter, first_hit_of_ray};
pub use rotating::{RotatingContact, RotatingTriangle, first_rotating_contact};
pub use sign::{is_degenerate, orient2d_sign, orient3d_sign};
pub use solid::OracleSolid;
pub use touch::{Triangle, hulls_touch, meet_dimension, triangles_touch};

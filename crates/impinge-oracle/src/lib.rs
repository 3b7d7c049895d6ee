//! Independent answers for the tests of `impinge`.
//!
//! A test is worth no more than what it compares with. This crate decides the same questions as
//! the library, but shares neither code nor method with it: where the library takes the signs of
//! orientation determinants, found by filtered floating point, the oracle asks an exact linear
//! program whether a common point exists. It is slow, plain, and meant to be believed after one
//! reading, which goes best in this order: `scale`, `simplex`, `touch`.
//!
//! [`cases`] makes pairs of triangles, and rays and triangles, that are hard to decide.
#![forbid(unsafe_code)]

pub mod cases;
mod distance;
mod integer;
mod ray;
mod scale;
mod sign;
mod simplex;
mod touch;

pub use distance::{SquaredDistance, closest_distance_squared};
pub use ray::{RayParameter, first_hit_of_ray};
pub use sign::{is_degenerate, orient2d_sign, orient3d_sign};
pub use touch::{Triangle, meet_dimension, triangles_touch};

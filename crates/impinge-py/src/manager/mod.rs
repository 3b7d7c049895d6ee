//! What `impinge.collision.CollisionManager` calls: bodies, which of them collide, and which are nearest.
//!
//! Unlike in a [`World`](crate::world::World), a body may be a convex solid: then it also collides with bodies that are
//! wholly inside of it. And a query may stop at the first pair of bodies.
//!
//! | file | what it holds |
//! |---|---|
//! | `geometry.rs` | a shape of a body, a placed one, and what is asked about two placed ones |
//! | `bodies.rs` | the table of bodies |
//! | `contacts.rs` | points, normals and depths of contacts |
//! | `placement.rs` | transforms that also scale, as a pose and a stretch |

mod bodies;
mod contacts;
mod geometry;
mod placement;

pub(crate) use bodies::Bodies;
pub(crate) use contacts::geometry_contacts;
pub(crate) use geometry::{Geometry, Prepared};
pub(crate) use placement::split_transform;

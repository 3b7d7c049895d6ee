//! The queries: what can be asked about two bodies, and about one body and points or rays.
//!
//! Queries know [methods](crate::method) only through two traits: what is prepared of a mesh, and the
//! search of two prepared bodies.
//!
//! | file | what it holds |
//! |---|---|
//! | `shape.rs` | [`Shape`]: a mesh and what a method prepared of it |
//! | `renewable.rs` | what was prepared, renewed when it is needed after vertices have moved |
//! | `call.rs` | [`intersects`], [`contacts`], [`distance`]: one question in one call |
//! | `pair.rs` | [`Pair`] and [`Query`]: two shapes, and all that can be asked about them |
//! | `batch.rs` | [`Batch`]: one pair at many poses, on all cores; [`Bits`] and [`ContactLists`]: its answers |
//! | `timed.rs` | [`Timed`]: queries that can be interrupted and continued |
//! | `points.rs` | a shape and points: the nearest point, faces within a distance, inside or outside |
//! | `rays.rs` | a shape and rays: the first hit, all hits |
//! | `near_solid.rs` | a shape and a swept solid: the faces that the solid touches |
//! | `self_query.rs` | [`SelfQuery`]: a shape and itself |
//! | `solids.rs` | a shape and a true solid: the faces that it touches, the distance |
//! | `searcher.rs` | any two shapes, one pair after another, for worlds and assemblies |

mod batch;
mod call;
mod near_solid;
mod pair;
mod points;
mod rays;
mod renewable;
mod searcher;
mod self_query;
mod shape;
mod solids;
mod timed;

pub use batch::{Batch, Bits, ContactLists};
pub use call::{contacts, distance, intersects};
pub use pair::{Pair, Query};
pub use points::{NearestPoint, PointLocation};
pub use rays::RayHit;
pub(crate) use searcher::Searcher;
pub use self_query::SelfQuery;
pub use shape::{MethodMismatch, Renewal, Shape};
pub use solids::SolidGap;
pub use timed::{Timed, TimedVerdict};

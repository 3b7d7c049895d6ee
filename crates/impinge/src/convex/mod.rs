//! Convex hulls, and how far they reach.
//!
//! | file | what it holds |
//! |---|---|
//! | `hull.rs` | [`Hull`]: corners, edges and facets of the hull of any points, flat ones included |
//! | `quick.rs` | the hull of points that are not flat, as triangles (quickhull) |
//! | `facets.rs` | from triangles to facets: those of one plane are joined |
//! | `climb.rs` | [`Climber`]: how far a body reaches along a direction, by hill climbing |

mod climb;
mod facets;
mod hull;
mod quick;

pub use climb::Climber;
pub use hull::{Edge, Hull, HullError, Shape};

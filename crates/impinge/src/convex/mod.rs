//! Convex hulls, and their extents along directions. [`volume`](crate::volume) uses them for roots of trees
//! and for oriented boxes. Relies on the exact predicates of [`narrow`](crate::narrow).
//!
//! | file | what it holds |
//! |---|---|
//! | `hull.rs` | [`Hull`]: corners, edges and facets of the hull of any points, coplanar ones included |
//! | `quick.rs` | quickhull: the hull of points that are not coplanar, as triangles |
//! | `facets.rs` | merges coplanar triangles into facets |
//! | `climb.rs` | [`Climber`]: the extent of a hull along a direction, by hill climbing |

mod climb;
mod facets;
mod hull;
mod quick;

pub use climb::Climber;
pub use hull::{Edge, Hull, HullError, Shape};

//! Convex hulls, and their extents along directions. Trees of k-DOPs and boxes use them for nodes that are
//! placed by hill climbing, [`volume`](crate::volume) for oriented boxes. Relies on the exact predicates of [`narrow`](crate::narrow).
//!
//! | file | what it holds |
//! |---|---|
//! | `hull.rs` | [`Hull`]: corners, edges and facets of the hull of any points, coplanar ones included |
//! | `quick.rs` | quickhull: the hull of points that are not coplanar, as triangles |
//! | `facets.rs` | merges coplanar triangles into facets |
//! | `meet.rs` | whether two hulls meet or come within a distance of each other: [`Hull::intersects`] |
//! | `climb.rs` | [`Climber`]: the extent of a hull along a direction, by hill climbing |

mod climb;
mod facets;
mod hull;
mod meet;
mod quick;

pub use climb::{ClimbDirection, ClimbEnds, Climber};
pub use hull::{Hull, HullEdge, HullError, HullKind};

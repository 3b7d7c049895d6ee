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
//! | `polytope.rs` | [`Polytope`]: a hull prepared for what follows; [`Feature`]: a vertex, an edge or a facet |
//! | `placed_pair.rs` | two hulls at their poses, and [`HullDistance`] |
//! | `feature_distance.rs` | the closest points of two features |
//! | `normal_cone.rs` | which feature faces a direction, and pseudo-internal regions |
//! | `tracker.rs` | [`Tracker`]: the closest features, followed from step to step |
//! | `gjk.rs`, `simplex.rs` | [`Gjk`]: the distance by simplices, with a warm start |
//! | `coverage.rs` | [`Coverage`]: which facets of a hull are covered by faces of the mesh |
//! | `crossing.rs` | where the surfaces of two overlapping hulls cross |
//! | `patches.rs` | [`convex_patches`]: a surface divided into convex patches |
//! | `pieces.rs` | [`Pieces`]: bodies that are unions of convex pieces |
//! | `separating_plane.rs` | [`SeparatingPlane`]: a plane between two hulls, kept from step to step |
//! | `penetration.rs` | [`penetration`]: how deep two overlapping hulls penetrate each other |

mod climb;
mod coverage;
mod crossing;
mod facets;
mod feature_distance;
mod gjk;
mod hull;
mod meet;
mod normal_cone;
mod patches;
mod penetration;
mod pieces;
mod placed_pair;
mod polytope;
mod quick;
mod separating_plane;
mod simplex;
mod tracker;

pub use climb::{ClimbDirection, ClimbEnds, Climber};
pub use coverage::Coverage;
pub(crate) use crossing::visit_crossing_facets;
pub use gjk::Gjk;
pub use hull::{Hull, HullEdge, HullError, HullKind};
pub use patches::convex_patches;
pub use penetration::{Penetration, PenetrationSearch, penetration};
pub use pieces::{Pieces, PiecesDistance, PiecesTracker};
pub use placed_pair::{HullDistance, PlacedPolytope};
pub use polytope::{Feature, Polytope};
pub use separating_plane::SeparatingPlane;
pub(crate) use simplex::nearest_to_origin;
pub use tracker::Tracker;

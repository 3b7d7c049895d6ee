//! The narrow phase: exact decisions about two placed triangles.
//!
//! Methods propose candidate pairs of faces, and [`TriangleTest`] decides whether they touch. The wide tree
//! first decides most pairs itself, with an `f32` kernel and proven error bounds
//! (`method/wide/triangles.rs`), and passes only the undecided pairs here. So every contact is decided either
//! exactly here, or by signs that are proven to agree.
//!
//! | file | what it holds | who calls it |
//! |---|---|---|
//! | `triangle.rs` | [`triangles_intersect`]: the floating-point filter and the intersection test | every method |
//! | `adjacent.rs` | faces of one mesh that share vertices: whether they have more in common | contacts of a body with itself |
//! | `degenerate.rs` | coplanar triangles, and triangles that are segments or points | `triangle.rs` |
//! | `meeting.rs` | [`triangles_meet`]: the common point, segment or polygon | contact reports |
//! | `distance.rs` | [`triangles_distance`]: the distance, and the two closest points | distance and tolerance queries |
//! | `distance/point.rs` | the distance of a point and a triangle, in plain floating point with a bound on its error | `distance.rs` |
//! | `moving/` | [`moving_triangles_contact`]: the first contact of triangles whose corners move linearly | first impacts |
//! | `ray.rs` | [`ray_hit`]: the first point of a triangle on a ray | ray queries |
//! | `point.rs` | the point of a triangle closest to a given point, rounded | depths of clashes |
//! | `winding.rs` | the exact contribution of a triangle to the winding number of a point | clashes, points in solids |
//! | `predicates.rs` | signs of determinants, exact for all finite `f64` | all of the above, mesh reports |
//! | `exact/` | integer arithmetic for signs that the filter cannot decide | `predicates.rs` |

mod adjacent;
mod degenerate;
mod distance;
mod exact;
mod meeting;
mod moving;
mod point;
mod predicates;
mod ray;
mod triangle;
mod winding;

pub(crate) use adjacent::{meet_beyond_edge, meet_beyond_vertex};
pub(crate) use distance::closest_to_point;
pub use distance::{Closest, triangles_distance, triangles_within};
pub(crate) use meeting::{Crossed, triangles_cross};
pub use meeting::{Meeting, triangles_meet};
pub use moving::{
    ContactTime, MovingContact, MovingFeatures, MovingPoint, MovingTriangle, edge_edge_contact,
    edge_edge_contact_until, moving_triangles_contact, moving_triangles_contact_until,
    vertex_face_contact, vertex_face_contact_until,
};
#[doc(hidden)]
pub use moving::{DecidedBy, decided_by};
pub(crate) use point::{distance_between, nearest_point};
pub(crate) use predicates::{Projection, compare_along, is_collinear, orient2d, orient3d};
pub use ray::{Ray, RayError, ray_hit};
pub use triangle::{TriangleTest, triangles_intersect};
pub(crate) use winding::winding_along_x;

use glam::DVec3;

/// The three corners of a placed triangle.
pub type Triangle = [DVec3; 3];

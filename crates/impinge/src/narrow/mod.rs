//! The fine stage: the exact decision about two placed triangles, which has the last word.
//!
//! Methods of the mid stage only propose face pairs. Each proposal ends here, in
//! [`triangles_intersect`], and nowhere else is it decided whether two faces touch.
//!
//! | file | what it holds | who calls it |
//! |---|---|---|
//! | `triangle.rs` | [`triangles_intersect`]: the float filter and the test proper | every method |
//! | `degenerate.rs` | coplanar triangles, and those that are segments or points | `triangle.rs` |
//! | `meeting.rs` | [`triangles_meet`]: the point, segment or polygon in common | contact reports |
//! | `distance.rs` | [`triangles_distance`]: how far apart, and the two closest points | distance and tolerance queries |
//! | `ray.rs` | [`ray_hit`]: where a ray first meets a triangle | ray queries |
//! | `point.rs` | the point of a triangle closest to another, measured only | depths of clashes |
//! | `winding.rs` | what a triangle adds to a point's winding number, exactly | clashes, points in solids |
//! | `predicates.rs` | signs of determinants, exact for all finite `f64` | all of the above, mesh reports |
//! | `exact/` | the integer arithmetic behind an undecided sign | `predicates.rs` |

mod degenerate;
mod distance;
mod exact;
mod meeting;
mod point;
mod predicates;
mod ray;
mod triangle;
mod winding;

pub(crate) use distance::closest_to_point;
pub use distance::{Closest, triangles_distance, triangles_within};
pub use meeting::{Meeting, triangles_meet};
pub(crate) use point::{is_farther, nearest_point, point_distance};
pub(crate) use predicates::{Projection, is_collinear, orient2d, orient3d};
pub use ray::{Ray, RayError, ray_hit};
pub use triangle::{TriangleTest, triangles_intersect};
pub(crate) use winding::winding_along_x;

use glam::DVec3;

/// Three corners, as placed.
pub type Triangle = [DVec3; 3];

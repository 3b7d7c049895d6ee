//! True solids: balls, cylinders, cones, capsules, tori and other solids of revolution, not approximated by triangles.
//!
//! | file | what it holds |
//! |---|---|
//! | `primitive.rs` | [`Solid`]: a solid as users make it |
//! | `placed.rs` | [`PlacedSolid`]: a solid at a pose, against triangles |
//! | `pair.rs` | two solids |
//! | `gjk.rs` | the distance of two convex bodies |
//! | `meridian.rs` | the distance of a point to a convex solid of revolution |
//! | `torus.rs` | [`PlacedTorus`]: a torus at its place, against triangles |
//! | `ring.rs` | the distance of a circle to points, segments and triangles |
//! | `profile.rs`, `tessellate.rs` | volumes and meshes of solids |
//! | `revolved.rs` | [`RevolvedHull`]: a convex solid of revolution, as the hull of rounded discs |
//! | `swept.rs` | [`SweptSolid`]: such a solid at a place, swept along a segment |
//! | `separation.rs` | the distance of a swept solid and a triangle, with proven bounds |

mod gjk;
mod meridian;
mod pair;
mod placed;
mod primitive;
mod profile;
mod revolved;
mod ring;
mod separation;
mod swept;
mod tessellate;
mod torus;

pub use placed::{PlacedSolid, SolidDistance};
pub use primitive::Solid;
pub use revolved::{RevolvedHull, RoundedDisc, Shrinking, SolidError};
pub use separation::{ERROR, Separation};
pub use swept::SweptSolid;
pub use torus::{PlacedTorus, TORUS_ERROR};

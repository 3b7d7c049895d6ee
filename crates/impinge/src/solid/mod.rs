//! True solids: balls, cylinders, cones, capsules and other solids of revolution, not approximated by triangles.
//!
//! | file | what it holds |
//! |---|---|
//! | `revolved.rs` | [`RevolvedHull`]: a convex solid of revolution, as the hull of rounded discs |
//! | `swept.rs` | [`SweptSolid`]: such a solid at a place, swept along a segment |
//! | `separation.rs` | the distance of a swept solid and a triangle, with proven bounds |

mod revolved;
mod separation;
mod swept;

pub use revolved::{RevolvedHull, RoundedDisc, Shrinking, SolidError};
pub use separation::{ERROR, Separation};
pub use swept::SweptSolid;

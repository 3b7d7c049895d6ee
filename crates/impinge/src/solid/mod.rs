//! True solids: balls, cylinders, cones, capsules, tori and other solids of revolution, not approximated by triangles.
//!
//! | file | what it holds |
//! |---|---|
//! | `revolved.rs` | [`RevolvedHull`]: a convex solid of revolution, as the hull of rounded discs |

mod revolved;

pub use revolved::{RevolvedHull, RoundedDisc, SolidError};

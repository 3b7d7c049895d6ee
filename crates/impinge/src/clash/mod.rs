//! Which parts of an assembly collide, touch or come too close.
//!
//! [`find`] takes parts, each a mesh with a pose, and compares every two parts that are near each
//! other. For each pair that is not clear it reports a [`Verdict`], with depth, distance, points
//! and faces.
//!
//! | verdict | the surfaces | besides |
//! |---|---|---|
//! | [duplicate](Verdict::Duplicate) | coincide | the same part in the same place |
//! | [inside](Verdict::Inside) | do not meet | a part, or a connected piece of it, lies inside the other's solid |
//! | [penetrating](Verdict::Penetrating) | meet | one part reaches deeper into the other than the touch band |
//! | [clearance](Verdict::Clearance) | do not meet | they are closer than the requested clearance |
//! | [touching](Verdict::Touching) | meet | neither part reaches deeper than the touch band |
//!
//! Two answers are exact, for coordinates as [`Pose::place`](crate::Pose::place) rounds them:
//! whether surfaces meet, and in which faces; and whether a point lies inside a solid. Depths,
//! distances, lengths and points are measured in `f64` and carry rounding errors, which the touch
//! band exceeds by far. They hold for sizes between 1e-60 and 1e60: beyond that, products of
//! coordinates underflow or overflow.
//!
//! # Solids
//! A part is *closed* if every edge has as many faces on one side as on the other. Vertices at
//! equal positions count as the same vertex. A closed part encloses a solid: all points around
//! which its surface winds at least once. So overlapping shells are one solid, and a shell that
//! faces inward is a cavity. An open part encloses nothing, and can only be inside another.
//!
//! # Depth
//! For closed parts the depth is the largest distance from a point of one surface, inside the other
//! solid, to that solid's surface. The search probes vertices, the middles of chords across the
//! faces that touch, the centroids of faces inside, and then points of the same face around the
//! deepest of these. Where the surfaces coincide and the solids lie on the same side, no point of
//! either surface is inside. There the search probes points below the surface, whose depth is the
//! distance to the nearer of the two surfaces.
//!
//! Every probed point is really as deep as measured, so the result is a lower bound of the local
//! depth. The depth is local: two plates that lie in each other may have to be moved farther than
//! that to come apart.
//!
//! If either part is open, no depth is reported. An open part penetrates a closed one if it has
//! points inside, deeper than the touch band. Two open parts penetrate each other if they cross
//! along some segment of a curve, and each reaches farther than the touch band to both sides of it.
//!
//! # Files
//!
//! | file | what it holds |
//! |---|---|
//! | `find.rs` | [`find`]: from parts to candidate pairs to the report, on one thread or many |
//! | `options.rs`, `report.rs` | input and output |
//! | `check.rs` | checks one pair, the cheapest question first |
//! | `placed.rs`, `surface.rs` | a part with its pose; which of its faces are connected |
//! | `duplicate.rs` | whether two parts are duplicates |
//! | `common.rs` | the intersection of two surfaces: curves, their lengths, connected components |
//! | `winding.rs` | which points lie inside a solid, exactly |
//! | `depth.rs` | the penetration depth |
//! | `crossing.rs` | whether two open surfaces cross |

mod band;
mod check;
mod common;
mod crossing;
mod depth;
mod duplicate;
mod find;
mod fit;
mod interior;
mod options;
mod placed;
mod report;
mod solid;
mod surface;
mod volume;
mod way_out;

pub use find::{Finder, find, find_watched};
pub use options::{Effort, Options, Part, Progress, Stage, Tessellation, Watch};
pub use report::{Clash, Depth, Fit, Gap, Place, Report, Side, Verdict};

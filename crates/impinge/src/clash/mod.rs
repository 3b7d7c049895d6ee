//! Which parts of an assembly collide, touch or come too close.
//!
//! [`find`] takes parts, each a mesh somewhere, and says of every two of them that are near each other
//! how they stand to each other: a [`Verdict`], with what belongs to it.
//!
//! | verdict | the surfaces | besides |
//! |---|---|---|
//! | [duplicate](Verdict::Duplicate) | lie in each other | the same part in the same place |
//! | [inside](Verdict::Inside) | do not meet | a part, or a separate piece of it, lies in the other's solid |
//! | [penetrating](Verdict::Penetrating) | meet | one reaches deeper into the other than the touch band |
//! | [clearance](Verdict::Clearance) | do not meet | they are closer than was asked for |
//! | [touching](Verdict::Touching) | meet | nothing lies deeper than the touch band |
//!
//! Whether surfaces meet, and in which faces, is exact, and so is whether a point lies inside a solid:
//! on coordinates as [`Pose::place`](crate::Pose::place) rounds them. Depths, distances, lengths and
//! points are measured, and so carry roundings; the touch band stands above them. They are measured in
//! `f64`, whose squares end at coordinates of 1e-60 and 1e60.
//!
//! # Solids
//! A part is *closed* if every edge has as many faces on the one side as on the other, with vertices
//! the same where their positions are equal. A closed part encloses a solid: all points around which
//! its surface goes, once or more. So shells that overlap are one solid, and a shell that looks inward
//! is a cavity. An open part encloses nothing, and can only be inside another.
//!
//! # Depth
//! For closed parts the depth is the largest distance from a point of the one surface that lies inside
//! the other solid to that solid's surface. It is looked for at vertices, at points across the faces
//! that touch, between the pieces of the intersection curve, at the middles of faces inside, and from
//! the deepest of these on, in the same face. Where the surfaces lie in each other and the solids
//! coincide, no point of either surface is inside, and points below the surface are measured instead, by
//! how far they are from either. Every one of them is a point at which it is as deep as is told, so
//! that is a lower bound of the local depth. And it is local: two plates that lie in each other may
//! have to be moved farther than that to come apart. Where a part is open, no depth is told.
//! Whether it reaches into a closed one is then a matter of its own points inside; and two open
//! parts penetrate if they cross each other along some piece of a curve, each reaching farther than the
//! touch band to both sides of it.
//!
//! # How it goes
//!
//! | file | what it holds |
//! |---|---|
//! | `find.rs` | [`find`]: from parts to the pairs that are near each other, over all cores |
//! | `options.rs`, `report.rs` | what is asked, and what is said |
//! | `check.rs` | one pair: step by step, the cheapest question first |
//! | `placed.rs`, `surface.rs` | a part where it stands; how its faces hang together |
//! | `duplicate.rs` | whether two parts are the same in the same place |
//! | `common.rs` | what two surfaces have in common: the curve, its length and its places |
//! | `winding.rs` | which points lie inside, exactly |
//! | `depth.rs` | how deep one part reaches into the other |
//! | `crossing.rs` | whether two surfaces cross that enclose nothing |

mod check;
mod common;
mod crossing;
mod depth;
mod duplicate;
mod find;
mod options;
mod placed;
mod report;
mod surface;
mod winding;

pub use find::{find, find_watched};
pub use options::{Options, Part, Progress, Stage, Watch};
pub use report::{Clash, Place, Report, Verdict};

//! Which parts of an assembly collide, touch or come too close.
//!
//! [`find`] takes parts, each a mesh with a pose, and compares every two parts that are near each
//! other. For each pair that is not clear it reports a [`Verdict`], with depth, distance, points
//! and faces. [`Finder`] does the same again and again at other poses.
//!
//! | verdict | meaning |
//! |---|---|
//! | [duplicate](Verdict::Duplicate) | the same part in the same place, whatever its triangles |
//! | [inside](Verdict::Inside) | a part, or a connected piece of it, lies inside the other's solid |
//! | [penetrating](Verdict::Penetrating) | one part reaches deeper into the other than the touch band |
//! | [undecided](Verdict::Undecided) | holes in a surface leave open whether the other part is inside |
//! | [fit](Verdict::Fit) | a shaft in a hole of the same axis and about the same radius, overlapping |
//! | [clearance](Verdict::Clearance) | farther apart than the touch band, closer than the requested clearance |
//! | [touching](Verdict::Touching) | no farther apart than the touch band, and not deeper in each other |
//!
//! Whether surfaces meet, and in which faces, is exact for coordinates as
//! [`Pose::place`](crate::Pose::place) rounds them. So is whether a point lies inside a closed surface. Depths,
//! distances, volumes, lengths and points are measured in `f64` and carry rounding errors, which the touch
//! band exceeds by far. They hold for sizes between 1e-60 and 1e60: beyond that, products of
//! coordinates underflow or overflow.
//!
//! # Solids
//! A surface encloses a solid: all points around which it winds at least once. So overlapping shells are one
//! solid, and a shell that faces inward is a cavity. Files often miss this by little, so a copy of the faces is
//! mended first (`solid.rs`): faces written several times count once, faces that look the other way than their
//! neighbours are turned, and edges that almost meet are joined. A part is *closed* if what had to be joined was no
//! wider than its touch band; [`Report::gaps`] has the widths.
//!
//! What is still open is a hole. A connected piece whose holes have more than a third of its area is a sheet and
//! encloses nothing. Other pieces get caps, and a point around which the capped surface winds is inside if the caps
//! fill less than a quarter of the directions that are seen from it: then the surface itself, without caps, has a
//! generalised winding number above ½ by more than the holes could take away. If the caps fill more, it is undecided.
//!
//! # Touch band
//! Two surfaces within the touch band of each other touch, whether they overlap by that much or leave a gap. The band
//! is that of the pair:
//! - the rounding of the two parts ([`Part::rounding`]; if unknown, 8 · 2⁻²⁴ of the diagonal of the mesh), at most
//!   1/500 of the smaller part,
//! - and the deviations of the two faces that meet from the curved surfaces that they stand for
//!   ([`Part::tessellation`]), at most 1/50 of the smaller part. Planes have none.
//!
//! [`Options::touch`] sets one band for all pairs instead.
//!
//! # Depth
//! The depth is a bracket of the length of the shortest translation that frees the parts.
//! - *At least*: around a point inside both solids, each of them holds a ball. A translation that frees the parts must
//!   move one ball out of the other, so it is at least as long as the sum of the point's distances to the two surfaces.
//!   Points of the surfaces are probed (`depth.rs`), and then points inside both solids (`interior.rs`).
//! - *At most*: a translation that was verified to free the parts (`way_out.rs`), either because a plane separates them
//!   afterwards, or because they were checked again where they would stand.
//!
//! A part that encloses nothing has a depth in a solid, but no volume. Two parts that enclose nothing penetrate each
//! other if they cross along some segment of a curve, and each reaches farther than the touch band to both sides of it;
//! they have no depth.
//!
//! # Files
//!
//! | file | what it holds |
//! |---|---|
//! | `find.rs` | [`find`], [`Finder`]: from parts to candidate pairs to the report, on one thread or many |
//! | `share.rs` | [`near_pairs`], [`merge`]: the same on several machines, each of which checks some of the pairs |
//! | `options.rs`, `report.rs` | input and output |
//! | `check.rs` | checks one pair, the cheapest question first |
//! | `band.rs` | the touch band of a pair |
//! | `placed.rs`, `surface.rs` | a part with its pose; which of its faces are connected |
//! | `solid.rs` | the solid that a mesh encloses, with gaps mended; which points lie inside |
//! | `enclosure.rs` | [`Enclosure`]: the same for other crates |
//! | `swept.rs` | the solid that a part sweeps when it is translated |
//! | `duplicate.rs` | whether two parts are duplicates |
//! | `common.rs` | the intersection of two surfaces: curves, their lengths, connected components |
//! | `depth.rs`, `interior.rs` | how deep parts reach into each other |
//! | `way_out.rs` | translations that free parts from each other |
//! | `volume.rs` | the common volume |
//! | `fit.rs` | whether the overlap is that of a shaft in a hole |
//! | `crossing.rs` | how far two surfaces cross that enclose nothing |

mod band;
mod check;
mod common;
mod crossing;
mod depth;
mod duplicate;
mod enclosure;
mod find;
mod fit;
mod interior;
mod options;
mod placed;
mod report;
mod share;
mod solid;
mod surface;
mod swept;
mod volume;
mod way_out;

pub use enclosure::Enclosure;
pub use find::{Finder, NotClosed, find, find_watched};
pub use options::{Effort, Options, Part, Progress, Stage, Tessellation, Watch};
pub use placed::PreparedMesh;
pub use report::{Clash, Depth, Fit, Gap, Place, Report, Side, Verdict};
pub use share::{KnownSolid, Outline, Share, ShareError, merge, near_pairs};

//! The force and torque with which other bodies push back a body that is held against them: force feedback.
//!
//! A hand that holds a body in a virtual workspace feels the force through a device, which needs one about a thousand times a
//! second, without jumps. [`Feedback::reaction`] computes it from how deep the surfaces lie in each other.
//!
//! # What is computed
//!
//! Let s(x) be the depth of a point in a solid: its distance from the solid's surface, positive inside, negative outside.
//! Each solid is filled with a pressure of *stiffness* · s, which acts on the surface of the other body where that is
//! inside, against its outward normal n. With A the held body and B an obstacle, the force on A is
//!
//! ```text
//! F = ½ stiffness · ( −∫ s_B n_A over the surface of A in B  +  ∫ s_A n_B over the surface of B in A )
//! ```
//!
//! and the torque that of the same pressures. Both surfaces count one half: a flat side of area a, pressed to a depth d
//! into a flat body, is pushed back by *stiffness* · a · d. By the divergence theorem the first integral is that of −∇s_B
//! over the volume that the solids share, so every point of the overlap is pushed towards the nearest surface, and so
//! does a needle in a large face count, with its volume. Exchanging the bodies reverses the force. It has no friction and no
//! damping.
//!
//! Stiffness is in force per area and depth; all lengths are in the unit of the meshes, with sizes from about 1e-60 to 1e60:
//! beyond, squares of lengths and areas overflow or vanish, and the force is 0.
//!
//! # How it changes
//!
//! The pressure acts along the normals of the surface that it presses on, not towards the nearest point of the other
//! surface. That direction jumps where two sides are equally near (at the medial axis). A body's own normals turn with it and
//! nothing else, so what is left is how s changes: at a fixed point of A, by at most the way that the point makes relative
//! to B.
//!
//! The surfaces are divided into triangles, the depth is measured at their corners, and is linear in between. The integral
//! of its positive part over a triangle is a convex function of the three depths, whose slopes add up to the share of the
//! triangle inside. So if no depth changes by more than δ, the integral changes by at most δ times the larger of the areas
//! inside, before and after. Between two calls, with δ the largest way of a point of either surface relative to the other
//! body, θ the larger angle by which the bodies turn, and [`Reaction::area`] and [`Reaction::load`] before and after,
//!
//! ```text
//! |F' − F| ≤ stiffness · δ · (area + area')  +  θ · max(load, load')
//! ```
//!
//! for every motion. There is no exception: not at edges, not where contacts begin, merge or end, not at the medial axis, and
//! not for other values of the options, except that [`most_force`](FeedbackOptions::most_force) scales what exceeds it. The
//! torque is bounded by this times the distance of the contacts from the reference point, plus load · δ.
//! `tests/suite/force.rs` checks both at every step.
//!
//! # What it is not
//!
//! - Depths are true distances, rounded, but only at the samples. The integral over a flat side in a flat body is exact.
//!   The rim of a contact between samples is found by linear interpolation; where a body's edge crosses a large face,
//!   the force is too small by up to a strip as wide as the [`spacing`](FeedbackOptions::spacing). Parts of a body that are
//!   thinner than the spacing may not be felt by the surface of the other one, but by their own.
//! - A body that is pushed through a thin wall is pushed out on the other side, once that is nearer.
//! - Bodies have to enclose a solid ([`Mesh::check_solid`](crate::Mesh::check_solid)); others are refused. They may be inside
//!   out, have cavities and consist of shells that overlap. The depth is then that below the nearest face of any shell,
//!   and walls inside the solid take no force.
//!
//! | file | what it holds |
//! |---|---|
//! | `feedback.rs` | [`Feedback`] and [`Reaction`] |
//! | `options.rs` | [`FeedbackOptions`] and [`FeedbackError`] |
//! | `samples.rs`, `cluster.rs` | the samples of a body, the triangles between them, and samples that are near each other |
//! | `depth.rs`, `near.rs` | the depths of samples, and what is remembered of them |
//! | `pressure.rs` | the integrals over a triangle |
//! | `region.rs` | [`ForceRegion`]: contacts that are connected |

mod cluster;
mod depth;
mod feedback;
mod near;
mod options;
mod pressure;
mod region;
mod samples;

pub use feedback::{Feedback, ObstacleId, Reaction};
pub use options::{FeedbackError, FeedbackOptions};
pub use region::ForceRegion;

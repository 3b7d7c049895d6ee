//! Bodies between two instants: where they are at each time, when they touch first, and the proof that they do not.
//!
//! [`Motion`] defines where each vertex is at each time. Every search below follows it in real numbers: errors of
//! computed positions are bounded, and the bounds are added where they are needed. So *clear* is a proof for the whole
//! interval, not a statement about samples.
//!
//! | file | what it holds |
//! |---|---|
//! | `rigid.rs` | [`Motion`]: a rigid body between two poses |
//! | `path.rs` | [`Path`]: motions in a row, with times |
//! | `deformation.rs` | [`Deformation`]: a body whose vertices move on straight lines |
//! | `moving.rs` | [`Moving`]: a body and its motion, as the searches see it |
//! | `approach.rs` | how far two bodies can come closer during an interval |
//! | `candidates.rs` | which faces can touch during an interval, by any method |
//! | `advance.rs` | when two faces come within a distance, by conservative advancement |
//! | `impact.rs` | [`first_impact`]: the first time at which two bodies touch |
//! | `timeline.rs` | [`contact_intervals`]: when they are in contact |
//! | `profile.rs` | [`distance_profile`], [`least_distance`]: their distance over time |

mod advance;
mod approach;
mod candidates;
mod deformation;
mod impact;
mod moving;
mod path;
mod profile;
mod rigid;
mod timeline;

pub use deformation::Deformation;
pub use impact::{Impact, ImpactOptions, first_impact};
pub use moving::Moving;
pub use path::Path;
pub use profile::{DistanceAt, distance_profile, least_distance};
pub use rigid::{MAX_TURN, Motion, MotionError};
pub use timeline::{ContactInterval, contact_intervals};

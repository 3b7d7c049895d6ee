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
//! | `relative.rs` | the boxes of one body as seen from the other, during an interval |
//! | `descent.rs` | which faces come close, and when, the first ones first |
//! | `advance.rs` | when two faces come within a distance, by conservative advancement |
//! | `impact.rs` | [`first_impact`]: the first time at which two bodies touch |
//! | `swept.rs` | [`swept_contacts`]: the faces whose swept spaces meet, as in the papers |
//! | `timeline.rs` | [`contact_intervals`]: when they are in contact |
//! | `profile.rs` | [`distance_profile`], [`least_distance`]: their distance over time |
//! | `envelope.rs` | volumes that enclose a body during its whole motion |
//! | `extrapolate.rs` | [`Track`]: the last poses of a body, and where it will go from there |

mod advance;
mod approach;
mod candidates;
mod deformation;
mod descent;
mod envelope;
mod extrapolate;
mod impact;
mod moving;
mod path;
mod profile;
mod relative;
mod rigid;
mod swept;
mod timeline;

pub use deformation::Deformation;
pub(crate) use envelope::{Envelope, deformation_bounds};
pub use extrapolate::Track;
pub use impact::{Impact, ImpactOptions, first_impact};
pub use moving::Moving;
pub use path::Path;
pub use profile::{DistanceAt, distance_profile, least_distance};
pub use rigid::{MAX_TURN, Motion, MotionError};
pub use swept::{SweptContacts, swept_bounds, swept_contacts, swept_contacts_on};
pub use timeline::{ContactInterval, contact_intervals};

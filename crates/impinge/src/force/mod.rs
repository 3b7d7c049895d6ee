//! The force and torque with which other bodies push back a body that is held against them.

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

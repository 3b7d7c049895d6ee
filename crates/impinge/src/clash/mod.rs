//! Which parts of an assembly collide, touch or come too close.

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

pub use find::find;
pub use options::{Options, Part, Progress, Stage, Watch};
pub use report::{Clash, Place, Report, Verdict};

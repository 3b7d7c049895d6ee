//! Which parts of an assembly collide, touch or come too close.

mod check;
mod find;
mod options;
mod report;

pub use find::find;
pub use options::{Options, Part, Progress, Stage, Watch};
pub use report::{Clash, Place, Report, Verdict};

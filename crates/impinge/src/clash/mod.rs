//! Which parts of an assembly collide, touch or come too close.

mod report;

pub use report::{Clash, Place, Report, Verdict};

//! Generated scenes and paths that depend on contacts: they are made with the exact queries of this library.
//!
//! | function | result |
//! | --- | --- |
//! | [`swept`] | a random path of a body, and obstacles close to and in its way |
//! | [`bounce`] | a path that bounces off the obstacles of an environment, from a random free start |
//!
//! Both are the test cases of Klosowski (1998, chapters 2 and 5). As in [`generate`](crate::generate), the same
//! parameters and the same seed give the same bits on every platform: only yes-or-no answers of exact queries are
//! used, and these are the same everywhere.

mod bounce;
mod motion;
mod swept;

pub use bounce::{BounceOptions, bounce};
pub use swept::{Swept, SweptOptions, swept};

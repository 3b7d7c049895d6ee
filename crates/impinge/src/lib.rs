//! Tells which faces of which bodies touch: exactly, for any triangle soup.
#![forbid(unsafe_code)]

mod bounds;
pub mod generate;
pub mod mesh;
pub mod mid;
pub mod narrow;
mod pose;

pub use bounds::Bounds;
pub use glam;
pub use mesh::{Mesh, MeshError};
pub use mid::{FacePair, Method, Pair, Threads};
pub use pose::{Pose, PoseError};

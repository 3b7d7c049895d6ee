//! Volumes that benchmarks compare with the others and that no method uses.

mod vertex_dop;

pub use vertex_dop::VertexDop;

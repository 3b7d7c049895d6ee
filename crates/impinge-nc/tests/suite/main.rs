//! The integration tests of the crate, in one binary, because every further binary would be linked separately.

mod check;
mod csv_paths;
mod data;
mod depth_oracle;
mod docs;
mod drop_cutter;
mod gcode;
mod machines;
mod mesh_tools;
mod reach;
mod same_tools;
mod tool_fuzz;

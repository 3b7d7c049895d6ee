//! NC verification: finds every place where a moving tool cuts into the shape that should remain.
//!
//! This crate neither prints nor reads arguments. It relies on `impinge::solid` for swept solids and on `impinge-io`
//! for meshes.
//!
//! | file | what it holds |
//! |---|---|
//! | `motion.rs` | [`Motion`]: how a tool moves during one command of a program |
//! | `program/` | [`Program`]: the moves of a program, and the readers of G-code and CSV paths |
//! | `machine/` | [`Machine`]: the rotary axes of a machine, from a kinematics file |
//! | `toml_file.rs` | errors of TOML files, with line and column |
//! | `tool/` | [`Tool`]: cutter, shank and holder; tool specifications, tool tables, tools from meshes |
#![forbid(unsafe_code)]

pub mod machine;
pub mod motion;
pub mod program;
mod toml_file;
pub mod tool;

pub use machine::{Machine, RotaryAxis, Side};
pub use motion::{ArcMotion, Motion, ToolPose};
pub use program::{
    Move, MoveKind, Note, Program, Unit,
    gcode::{GcodeOptions, Rapids, ToolOffset},
};
pub use tool::{TipShape, Tool, ToolPart, ToolPartKind, ToolTable, Tools};

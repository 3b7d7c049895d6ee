//! NC verification: finds every place where a moving tool cuts into the shape that should remain.
//!
//! This crate neither prints nor reads arguments. It relies on `impinge::solid` for swept solids and on `impinge-io`
//! for meshes.
//!
//! | file | what it holds |
//! |---|---|
//! | `setup.rs` | [`Setup`]: the part, the stock and the fixtures |
//! | `check.rs`, `options.rs` | [`check()`]: every move of a program against every body of a setup |
//! | `patch.rs` | the surface around a point, seen along a direction |
//! | `sweep.rs`, `depth.rs` | one part of a tool during one move against one body: does it touch, and how deep |
//! | `outcome.rs` | [`Outcome`]: the gouges that were found |
//! | `report.rs` | [`Report`]: a checked program with everything that reports show |
//! | `json.rs`, `table_csv.rs`, `glb.rs`, `page.rs` | the reports: JSON, CSV, GLB and an HTML page |
//! | `drawn_path.rs`, `tool_mesh.rs`, `colors.rs` | paths, tools and colours of GLB and the page |
//! | `motion.rs` | [`Motion`]: how a tool moves during one command of a program |
//! | `program/` | [`Program`]: the moves of a program, and the readers of G-code and CSV paths |
//! | `machine/` | [`Machine`]: the rotary axes of a machine, from a kinematics file |
//! | `toml_file.rs` | errors of TOML files, with line and column |
//! | `tool/` | [`Tool`]: cutter, shank and holder; tool specifications, tool tables, tools from meshes |
//! | `job.rs` | [`Job`]: a program with the tools that it uses, loaded from what a user names |
//! | `state.rs` | jobs and outcomes as bytes |
//! | `demo/` | [`demo`]: a part and a program with known faults |
#![forbid(unsafe_code)]

pub mod check;
mod colors;
pub mod demo;
mod depth;
mod drawn_path;
pub mod glb;
mod job;
pub mod json;
pub mod machine;
pub mod motion;
pub mod options;
pub mod outcome;
pub mod page;
mod patch;
pub mod program;
mod report;
pub mod setup;
mod state;
mod sweep;
pub mod table_csv;
mod toml_file;
pub mod tool;
mod tool_mesh;

pub use check::{CheckError, Watch, check};
pub use job::{Job, JobError, JobOptions, ToolChoice};
pub use machine::{Machine, RotaryAxis, Side};
pub use motion::{ArcMotion, Motion, ToolPose};
pub use options::Options;
pub use outcome::{Gouge, Outcome};
pub use program::{
    Move, MoveKind, Note, Program, Unit,
    gcode::{GcodeOptions, Rapids, ToolOffset},
};
pub use report::Report;
pub use setup::{Body, Role, Setup};
pub use state::StateError;
pub use tool::{TipShape, Tool, ToolPart, ToolPartKind, ToolTable, Tools};

//! Scenes of moving bodies: from a TOML file to a world, and from cycle to cycle.
//!
//! A [`Scene`] is a file that says which bodies there are, where they stand and how they move;
//! `docs/scenes.md` in the repository describes every key. A [`Builder`] reads the meshes that it
//! names, through [`Sources`], and makes a [`Run`]. [`Run::next_cycle`] moves the bodies, finds the
//! faces that touch and lets bodies respond to what they hit; it returns a [`Cycle`] with a [`Row`] of
//! times and counts. [`Run::summary`] tells about all cycles.
//!
//! Nothing here prints or reads arguments.
//!
//! ```
//! use impinge_scene::{Builder, Files, Overrides, Scene};
//! use std::ops::ControlFlow;
//!
//! # let folder = std::env::temp_dir().join(format!("impinge-scene-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let (path, part) = (folder.join("scene.toml"), folder.join("part.obj"));
//! # std::fs::write(&part, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
//! std::fs::write(&path, r#"
//!     cycles = 3
//!     [[body]]
//!     mesh = "part.obj"
//!     fixed = true
//!     [[body]]
//!     mesh = "part.obj"
//!     at = [0.0, 0.0, 2.0]
//!     steady = { by = [0.0, 0.0, -1.0] }
//! "#)?;
//! let scene = Scene::load(&path)?;
//! let mut run = Builder::new(&scene, Overrides::default(), &Files).run(0)?;
//! let mut contacts = Vec::new();
//! while let Some(cycle) = run.next_cycle(|_| ControlFlow::Continue(()))? {
//!     contacts.push(cycle.row().contacts);
//! }
//! assert_eq!(contacts, [0, 0, 1]);
//! assert_eq!(run.summary().first_contact, Some(2));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `scene.rs`, `document.rs` | a scene, and the keys of its file |
//! | `text.rs`, `values.rs` | the file's text, checked values, and the positions of errors |
//! | `build.rs`, `copies.rs`, `sources.rs` | from there to a world with bodies in it |
//! | `run.rs` | cycle by cycle |
//! | `motion.rs`, `response.rs` | how bodies move, and what they do when they hit something |
//! | `rows.rs`, `summary.rs` | what is told about a cycle, and about a run |
#![forbid(unsafe_code)]

mod build;
mod copies;
mod document;
mod error;
mod motion;
mod response;
mod rows;
mod run;
mod scene;
mod sources;
mod summary;
mod text;
mod values;

pub use build::{Builder, MAX_THREADS, Overrides};
pub use document::{Broad, PlotAxis};
pub use error::Error;
pub use rows::Row;
pub use run::{Cycle, Run};
pub use scene::Scene;
pub use sources::{Files, SourceError, Sources};
pub use summary::{End, Summary};

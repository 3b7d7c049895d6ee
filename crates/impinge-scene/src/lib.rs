//! Scenes of moving bodies: builds a world from a TOML file, and runs it cycle by cycle.
//!
//! A [`Scene`] file lists the bodies, where they stand and how they move; `docs/scenes.md` in the repository
//! describes every key. A [`Builder`] reads the meshes that the scene names, through [`Sources`], and makes a
//! [`Run`]. [`Run::next_cycle`] moves the bodies, finds the faces that touch, and makes bodies respond to
//! what they hit. It returns a [`Cycle`] with a [`Row`] of times and counts. [`Run::summary`] covers all
//! cycles so far.
//!
//! This crate neither prints nor reads arguments. It relies on `impinge::World` for contacts and on
//! `impinge-io` for files.
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
//! | `choices.rs` | the broad phases and other choices that a scene names |
//! | `text.rs`, `values.rs` | the text of the file, checks of values, positions of errors |
//! | `build.rs`, `copies.rs`, `sources.rs` | builds a world with bodies from the scene |
//! | `run.rs` | runs the cycles |
//! | `motion.rs`, `flight.rs`, `inertia.rs` | how bodies move; free flight; the inertia of a mesh |
//! | `between.rs` | an impact between two cycles, as a row |
//! | `deform.rs` | bodies that deform: built-in deformations, sequences of meshes |
//! | `dynamics.rs` | forces, restitution and walls |
//! | `response.rs`, `set_back.rs`, `impact.rs` | how bodies respond to hits; first contacts; impulses |
//! | `regions.rs` | contact regions of a cycle, as rows |
//! | `swept.rs` | faces whose swept spaces meet between two cycles |
//! | `rows.rs`, `summary.rs`, `figures.rs` | numbers of one cycle, of a whole run, and of a paper |
#![forbid(unsafe_code)]

mod between;
mod build;
mod choices;
mod contact_normal;
mod copies;
mod deform;
mod document;
mod dynamics;
mod error;
mod figures;
mod flight;
mod impact;
mod inertia;
mod motion;
mod regions;
mod response;
mod rows;
mod run;
mod scene;
mod set_back;
mod sources;
mod summary;
mod swept;
mod text;
mod values;

pub use between::ImpactRow;
pub use build::{Builder, MAX_THREADS, Overrides};
pub use choices::{
    Broad, CoherenceKind, DeformedKind, FaceOctreeChoice, OctreeChoice, Optimisation, UnknownBroad,
};
pub use document::{Paper, PlotAxis};
pub use error::Error;
pub use figures::Figure;
pub use regions::RegionRows;
pub use rows::{Row, RowImpacts, RowStats, RowSteps, RowSwept};
pub use run::{Cycle, Run};
pub use scene::Scene;
pub use sources::{Files, SourceError, Sources};
pub use summary::{End, Summary, SummaryImpacts, SummaryStats, SummarySteps, SummarySwept};

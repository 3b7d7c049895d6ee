//! Clash checks of assemblies: rules for pairs of parts, baselines, and writers for every output format.
//!
//! [`check`] takes an assembly that [`impinge_io::assembly`] has loaded, and [`CheckOptions`]. It calls
//! [`impinge::clash::find`] for every pair of parts that the options do not exclude, and returns an
//! [`Outcome`]: the listed clashes in order, compared with a [`Baseline`] if there is one. An outcome can be
//! written any number of times, to any [`std::io::Write`]:
//!
//! | module | output |
//! |---|---|
//! | [`json`] | one JSON object with every field; a [`Baseline`] is loaded from it |
//! | [`csv`] | a row for each clash |
//! | [`review_file`] | what people decided about findings; a [`ReviewFile`] is loaded from it |
//! | [`page`] | an HTML page with the list and a 3D view, in one file |
//! | [`bcf`] | topics of the BIM Collaboration Format, with viewpoints and snapshots |
//! | [`glb`] | the assembly, with the faces that clash in the colour of their verdict |
//! | [`pictures`] | PNG pictures of the assembly and of each clash |
//!
//! A check can be done on several machines, too: see [`Plan`].
//!
//! This crate neither prints nor reads arguments. A [`CheckWatch`] receives progress, and can stop the search.
//!
//! ```
//! use impinge::clash::Verdict;
//! use impinge_clash::{CheckOptions, check, json};
//! use impinge_io::assembly::{Assembly, AssemblyPart};
//!
//! let mut assembly = Assembly::default();
//! for (name, mesh, pose) in impinge::generate::gearbox() {
//!     assembly.parts.push(AssemblyPart::new(name, assembly.meshes.len(), pose));
//!     assembly.meshes.push(mesh.into());
//! }
//! let mut options = CheckOptions::default();
//! options.clearance = 0.1;
//! options.pairs.ignore.push("touching: *".parse()?);
//! let outcome = check(assembly, &options, &())?;
//! assert_eq!(outcome.count(Verdict::Penetrating), 1);
//! assert_eq!(outcome.count(Verdict::Touching), 0);
//!
//! let mut text = Vec::new();
//! json::write(&outcome, &mut text)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod baseline;
pub mod bcf;
mod cells;
mod check;
mod clash_state;
mod cluster;
mod colors;
mod configuration_files;
mod configurations;
mod coverage;
pub mod csv;
mod document;
mod error;
mod filter;
mod findings;
pub mod glb;
mod hidden;
mod identity;
mod inside;
pub mod json;
mod matrix;
mod measured;
mod options;
mod outcome;
mod outcome_state;
pub mod page;
mod path;
mod path_files;
mod path_page;
mod pattern;
pub mod pictures;
mod plan;
mod renderer;
mod review;
pub mod review_file;
mod robot_check;
mod rules;
mod task;
mod totals;
mod trajectory;
mod verdicts;

pub use baseline::Baseline;
pub use cells::{Cell, CellLimits};
pub use check::{CheckWatch, check};
pub use cluster::{Cluster, ClusterNumbers, Clusters};
pub use configuration_files::CheckedConfigurations;
pub use configurations::{
    CollidingConfiguration, Collision, check_configurations, check_configurations_with,
    robot_finder,
};
pub use error::Error;
pub use filter::{Pairs, SameGroup};
pub use findings::{Findings, Resolved, Row, Status};
pub use hidden::Hidden;
pub use identity::PartIdentity;
pub use matrix::{AllowedReason, DefaultPose, Matrix, MatrixOptions, allowed_collisions};
pub use options::{Allowed, CheckOptions, Listing, Sort};
pub use outcome::Outcome;
pub use path::{Doubt, PathClash, PathOptions, PathOutcome, PathPlace, check_path};
pub use path_files::CheckedPath;
pub use path_page::PathPage;
pub use pattern::Pattern;
pub use plan::Plan;
pub use review::{Review, ReviewEntry, ReviewStatus};
pub use review_file::ReviewFile;
pub use robot_check::{PartsInCollision, RobotCheck};
pub use rules::{Rule, RuleError, load_rules};
pub use task::{Content, Task, TaskError, share_from_bytes, share_to_bytes};
pub use totals::Total;
pub use trajectory::{Approach, Between, CollidingStep, check_between, check_between_with};
pub use verdicts::{UnknownVerdict, Verdicts};

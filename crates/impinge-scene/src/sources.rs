//! Loads the meshes and poses that a scene names.

use impinge::{Mesh, Pose};
use std::error::Error;

/// The error of a source; the builder adds the position of the name in the scene file.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// Loads the meshes and poses that a scene names, and shows progress.
///
/// A name is a path relative to the folder of the scene. A name that begins with `gen:` is passed on
/// unchanged, for callers that can generate meshes.
pub trait Sources {
    /// Returns the mesh with this name.
    ///
    /// # Errors
    /// If the mesh cannot be read or generated.
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError>;

    /// Returns the poses with this name, at least one.
    ///
    /// # Errors
    /// If the poses cannot be read or generated.
    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError>;

    /// Calls `work` once. The work may take long; `label` describes it, for example `preparing wheel.stl`.
    fn during(&self, label: &str, work: &mut dyn FnMut()) {
        let _ = label;
        work();
    }
}

/// Loads meshes and poses from files, and shows no progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files;

impl Sources for Files {
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError> {
        Ok(impinge_io::load_mesh(name)?)
    }

    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError> {
        Ok(impinge_io::load_poses(name)?)
    }
}

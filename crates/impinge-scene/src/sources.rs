//! Where the meshes and poses that a scene names come from.

use impinge::{Mesh, Pose};
use std::error::Error;

/// What a source answers with if it fails; the scene adds where the name stands.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// Where the meshes and poses that a scene names come from, and who is told what takes long.
///
/// Names are paths, from the scene's folder on; names that begin with `gen:` come as they stand, for
/// callers that can make meshes.
pub trait Sources {
    /// The mesh of a name.
    ///
    /// # Errors
    /// If it cannot be read or made.
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError>;

    /// The poses of a name, at least one.
    ///
    /// # Errors
    /// If they cannot be read or made.
    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError>;

    /// Does some work that may take long, such as `preparing wheel.stl`. Calls `work` once.
    fn during(&self, label: &str, work: &mut dyn FnMut()) {
        let _ = label;
        work();
    }
}

/// Meshes and poses from files, with no progress shown.
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

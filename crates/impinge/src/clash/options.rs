//! The input of a clash check: parts, options, and the watcher for progress and cancellation.

use crate::{Mesh, Pose, Threads, ToleranceError, tolerance::checked as checked_tolerance};
use std::sync::Arc;

/// A part of an assembly: a mesh, its pose, and how exact the mesh is. Parts with the same `Arc` of a mesh share
/// its search structure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// The geometry, in the part's own coordinates.
    pub mesh: Arc<Mesh>,
    /// Where the part stands in the assembly.
    pub pose: Pose,
    /// How far rounding may have moved each vertex, for example in a file of single precision. `None` if unknown:
    /// then a few units in the last place of single precision are assumed, at the size of the mesh.
    pub rounding: Option<f64>,
    /// How far the faces may be from the curved surface that they stand for.
    pub tessellation: Tessellation,
}

impl Part {
    /// Returns a part whose rounding is unknown and whose faces are exact.
    pub fn new(mesh: Arc<Mesh>, pose: Pose) -> Self {
        Self { mesh, pose, rounding: None, tessellation: Tessellation::default() }
    }
}

/// How far the faces of a part may be from the curved surfaces that they stand for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tessellation {
    /// The same distance for all faces; 0 if all faces are exact.
    Uniform(f64),
    /// One distance for each face: 0 where the surface is a plane.
    Faces(Arc<[f32]>),
}

impl Default for Tessellation {
    fn default() -> Self {
        Self::Uniform(0.0)
    }
}

/// How much a check finds out about each pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Only the verdict. Faces, places, depths and volumes are left out, and so is the difference between a fit
    /// and a penetration.
    Quick,
    /// Everything.
    #[default]
    Full,
}

/// What counts as a clash, and how many threads look for it. Lengths are in the unit of the meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    pub(super) touch: Option<f64>,
    pub(super) clearance: f64,
    pub(super) effort: Effort,
    pub(super) threads: Threads,
}

impl Options {
    /// Reports clashes but no clearances, with a [touch band](super#touch-band) for each pair of parts that
    /// follows from these two parts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the touch band of all pairs: parts that reach no deeper than this into each other, or whose surfaces
    /// are no farther apart, count as touching.
    ///
    /// # Errors
    /// If the band is negative or NaN.
    pub fn touch(mut self, band: f64) -> Result<Self, ToleranceError> {
        self.touch = Some(checked_tolerance(band)?);
        Ok(self)
    }

    /// Also reports parts that are closer to each other than this distance. The default is 0, which
    /// reports none.
    ///
    /// # Errors
    /// If the distance is negative or NaN.
    pub fn clearance(mut self, distance: f64) -> Result<Self, ToleranceError> {
        self.clearance = checked_tolerance(distance)?;
        Ok(self)
    }

    /// Sets how much to find out about each pair. The default is everything.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Sets the number of threads. The default is one. The answer does not depend on it.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }
}

/// Watches a search: chooses the pairs to check, hears about progress, and may stop the search.
/// `()` does nothing.
pub trait Watch: Sync {
    /// Whether to check the parts numbered `a` and `b`, where `a < b`.
    fn includes(&self, a: usize, b: usize) -> bool {
        let _ = (a, b);
        true
    }

    /// Called now and then, from any thread, with the progress so far. Returns `false` to stop the
    /// search.
    fn proceed(&self, progress: Progress) -> bool {
        let _ = progress;
        true
    }
}

impl Watch for () {}

/// The progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// The number of items finished in this stage.
    pub done: u64,
    /// The number of items in this stage.
    pub total: u64,
}

impl Progress {
    /// A stage with this many items, of which some are finished.
    pub fn new(stage: Stage, done: u64, total: u64) -> Self {
        Self { stage, done, total }
    }
}

/// The stages of a search, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Building the search structures of the meshes.
    Meshes,
    /// Checking pairs of parts that are near each other.
    Pairs,
}

//! The input of a clash check: parts, options, and the watcher for progress and cancellation.

use crate::{Mesh, Pose, Threads, ToleranceError, tolerance::checked as checked_tolerance};
use std::sync::Arc;

/// A part of an assembly: a mesh and its pose. Parts with the same `Arc` of a mesh share its search
/// structure.
#[derive(Clone, Debug)]
pub struct Part {
    /// The geometry, in the part's own coordinates.
    pub mesh: Arc<Mesh>,
    /// Where the part stands in the assembly.
    pub pose: Pose,
}

/// What counts as a clash, and how many threads look for it. Lengths are in the unit of the meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    pub(super) touch: Option<f64>,
    pub(super) tolerance: f64,
    pub(super) clearance: f64,
    pub(super) threads: Threads,
}

impl Options {
    /// Reports clashes but no clearances, with a touch band that follows from the assembly.
    ///
    /// That band is a millionth of the assembly's diagonal, about 10 units in the last place of the
    /// single precision in which most files hold coordinates; or twice the
    /// [`tolerance`](Self::tolerance), if that is more. For a small part it is at most a
    /// five-hundredth of the part, so that it hides no part in another.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the touch band: parts that reach no deeper than this into each other count as touching.
    ///
    /// # Errors
    /// If the band is negative or NaN.
    pub fn touch(mut self, band: f64) -> Result<Self, ToleranceError> {
        self.touch = Some(checked_tolerance(band)?);
        Ok(self)
    }

    /// Sets how far the meshes may deviate from the true shapes, for example where curved surfaces
    /// were cut into triangles.
    ///
    /// The touch band is then at least twice as wide, so that parts that fit into each other count
    /// as touching. A band set by [`touch`](Self::touch) is kept as it is.
    ///
    /// # Errors
    /// If the tolerance is negative or NaN.
    pub fn tolerance(mut self, tolerance: f64) -> Result<Self, ToleranceError> {
        self.tolerance = checked_tolerance(tolerance)?;
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

/// The stages of a search, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Building the search structures of the meshes.
    Meshes,
    /// Checking pairs of parts that are near each other.
    Pairs,
}

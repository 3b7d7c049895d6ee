//! What is asked about an assembly.

use crate::{Mesh, Pose, Threads, ToleranceError, tolerance::checked as checked_tolerance};
use std::sync::Arc;

/// A part of an assembly: a mesh, somewhere. Parts that share a mesh share all that is prepared of
/// it.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it looks like.
    pub mesh: Arc<Mesh>,
    /// Where it stands.
    pub pose: Pose,
}

/// What counts as a clash.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    pub(super) touch: Option<f64>,
    pub(super) tolerance: f64,
    pub(super) clearance: f64,
    pub(super) threads: Threads,
}

impl Options {
    /// Clashes alone, no matter how close other parts come, with a touch band that follows from the
    /// assembly: a millionth of its diagonal, some 10 units in the last place of the single precision
    /// in which most files hold coordinates; or twice the [`tolerance`](Self::tolerance), if that is more.
    /// It is no wider than a five-hundredth of the smaller part, so that it hides no part in another.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how deep one part may reach into another to be said to touch it.
    ///
    /// # Errors
    /// If it is below zero or not a number.
    pub fn touch(mut self, band: f64) -> Result<Self, ToleranceError> {
        self.touch = Some(checked_tolerance(band)?);
        Ok(self)
    }

    /// Says how far meshes may be off the shapes that they stand for, as round ones are that were cut into
    /// triangles. So that parts that fit into each other touch, the band is at least twice as wide,
    /// unless one is [asked for](Self::touch).
    ///
    /// # Errors
    /// If it is below zero or not a number.
    pub fn tolerance(mut self, tolerance: f64) -> Result<Self, ToleranceError> {
        self.tolerance = checked_tolerance(tolerance)?;
        Ok(self)
    }

    /// Asks for parts that are closer to each other than this, too; 0, the default, for none.
    ///
    /// # Errors
    /// If it is below zero or not a number.
    pub fn clearance(mut self, distance: f64) -> Result<Self, ToleranceError> {
        self.clearance = checked_tolerance(distance)?;
        Ok(self)
    }

    /// Sets how many threads may be used: one unless told otherwise. The answer does not depend on
    /// it.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }
}

/// Somebody who watches a search, leaves pairs out of it, and may stop it. `()` does none of it.
pub trait Watch: Sync {
    /// Whether two parts, the one with the lower number first, are to be looked at.
    fn includes(&self, a: usize, b: usize) -> bool {
        let _ = (a, b);
        true
    }

    /// Told now and then how far it is, from any thread; `false` stops the search.
    fn proceed(&self, progress: Progress) -> bool {
        let _ = progress;
        true
    }
}

impl Watch for () {}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How much of it is done.
    pub done: u64,
    /// How much there is.
    pub total: u64,
}

/// What a search does, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Meshes are prepared.
    Meshes,
    /// Pairs of parts that are near each other are looked at.
    Pairs,
}

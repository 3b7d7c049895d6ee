//! How many tests a search made, and how long its steps took.

use crate::distribution::Work;
use std::time::Duration;

/// How many tests a search made, for the cost formula `T = N_v C_v + N_p C_p + N_u C_u` (Gottschalk 1996,
/// Klosowski 1998).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WalkCounts {
    /// N_v: pairs of volumes tested for overlap.
    pub volume_tests: u64,
    /// N_p: pairs of faces tested.
    pub face_tests: u64,
    /// N_u: volumes placed in the other body's frame.
    pub placed: u64,
}

impl WalkCounts {
    /// The counts of two searches together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            volume_tests: self.volume_tests + other.volume_tests,
            face_tests: self.face_tests + other.face_tests,
            placed: self.placed + other.placed,
        }
    }
}

/// The four steps of a search of many bodies by a face octree whose tests are [distributed](crate::Distribution) among
/// threads (Smith, Kitamura 1994, section 4.1), with their times if these are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchSteps {
    /// Step 1: time to place all vertices, and to find the overlap regions of the bodies' bounding boxes.
    pub regions: Duration,
    /// Step 2: time to find the faces that meet overlap regions.
    pub faces: Duration,
    /// Step 3, the subdivision of space, which produces pairs of faces that share a cell, and step 4, their tests.
    pub pairs: Work,
}

impl SearchSteps {
    /// The steps of two searches, one after the other.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            regions: self.regions + other.regions,
            faces: self.faces + other.faces,
            pairs: self.pairs.plus(other.pairs),
        }
    }

    /// The time of all four steps.
    pub fn total(&self) -> Duration {
        self.regions + self.faces + self.pairs.produce + self.pairs.test
    }
}

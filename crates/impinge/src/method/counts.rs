//! How many tests a search made.

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

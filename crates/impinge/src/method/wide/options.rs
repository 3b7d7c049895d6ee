//! How a wide tree is built.

use crate::Threads;

/// How a wide tree is built. The answer of a query does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WideOptions {
    /// How much thought goes into it.
    pub quality: WideQuality,
    /// How many threads may be used. The tree is the same, bit for bit.
    pub threads: Threads,
}

/// How much thought goes into a wide tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WideQuality {
    /// Faces are halved along the longest side: built in the least time, for a body that changes
    /// often or is asked about seldom.
    Fast,
    /// Faces are split where the surfaces of the boxes are least: takes longer, and queries are
    /// faster.
    #[default]
    Quality,
}

impl WideOptions {
    /// Sets [`quality`](Self::quality).
    #[must_use]
    pub fn quality(mut self, quality: WideQuality) -> Self {
        self.quality = quality;
        self
    }

    /// Sets [`threads`](Self::threads).
    #[must_use]
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }
}

//! Build options of a wide tree.

use crate::Threads;

/// Build options of a wide tree. They affect speed, never the answers of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WideOptions {
    /// The trade-off between build time and query time.
    pub quality: WideQuality,
    /// The number of threads to build with. The tree is the same for any number, bit for bit.
    pub threads: Threads,
}

/// The trade-off between build time and query time of a wide tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WideQuality {
    /// Halves the faces along the longest side. Builds fastest; for a body that changes often or is
    /// queried seldom.
    Fast,
    /// Splits the faces by the surface-area heuristic. Takes longer to build, and queries are
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

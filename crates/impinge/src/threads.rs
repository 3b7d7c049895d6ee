//! How many threads a computation may use.

/// How many threads a query or a build may use. The answer does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The caller's thread alone.
    #[default]
    One,
    /// All threads of the current [rayon] pool.
    Pool,
}

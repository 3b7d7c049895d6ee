//! What a check is asked for.

use impinge::Threads;

/// Options of a check. Lengths in millimetres.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How deep a tool may reach into a body without being reported, and how far a reported depth may be off.
    pub tolerance: f64,
    /// The allowance that must remain on the part: the cutter must keep this distance from it.
    pub stock_to_leave: f64,
    /// The distance that shank and holder must keep from everything.
    pub clearance: f64,
    /// Whether the check may use all threads of the current pool. Results do not depend on it.
    pub threads: Threads,
    /// Whether searches start near the last move instead of at the root of the trees. Results do not depend on it.
    pub coherence: bool,
    /// The most faces that are listed for a gouge.
    pub most_faces: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 0.01,
            stock_to_leave: 0.0,
            clearance: 0.0,
            threads: Threads::One,
            coherence: true,
            most_faces: 1000,
        }
    }
}

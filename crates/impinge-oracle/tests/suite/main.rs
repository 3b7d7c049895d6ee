//! The integration tests of the oracle, in one binary: every further binary would be linked again.

mod known;
mod second;
mod second_methods;
mod symmetry;

//! The integration tests of the oracle, in one binary, because every further binary would be linked separately.

mod hulls;
mod known;
mod second;
mod second_methods;
mod symmetry;

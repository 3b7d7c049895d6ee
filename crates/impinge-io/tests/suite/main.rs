//! The integration tests of the readers and writers, in one binary: every further binary would be linked again.
//! Its allocator counts per thread, so tests can run side by side.

mod assembly;
mod bad_input;
mod common;
mod corpus;
mod fuzz;
mod roundtrip;
mod step;

//! The integration tests of readers and writers, in one binary, because every further binary would be linked
//! separately. The allocator counts per thread, so tests can run in parallel.

mod assembly;
mod bad_input;
mod common;
mod corpus;
mod elevation;
mod fragments;
mod fuzz;
mod ifc;
mod precision;
mod roundtrip;
mod step;
mod threemf;

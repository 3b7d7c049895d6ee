//! All integration tests of this crate, in one binary to save linking time.

mod truth;

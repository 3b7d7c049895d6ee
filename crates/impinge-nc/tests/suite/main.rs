//! The integration tests of the crate, in one binary, because every further binary would be linked separately.

mod gcode;

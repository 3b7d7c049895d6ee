//! `impinge clash`: which parts of an assembly collide, touch or come too close.
#![cfg_attr(not(test), expect(dead_code, reason = "the command itself is still to come"))]

mod findings;
mod page;

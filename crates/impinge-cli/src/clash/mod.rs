//! Outputs of clash detection (a stand-in until the command is there).
#![allow(dead_code)]

mod bcf;
mod findings;
mod glb;
mod pictures;

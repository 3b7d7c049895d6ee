//! All integration tests of the command, in one binary to save linking time.

mod bcf;
mod bench;
mod between;
mod clash;
mod clash_review;
mod common;
mod continuous;
mod corpus;
mod deform;
mod elevation;
mod generate;
mod ifc;
mod index;
mod inspect;
mod malformed;
mod methods;
mod near;
mod octree_command;
mod octree_methods;
mod outputs;
mod pairs;
mod probe;
mod query;
mod robots;
mod run;
mod verify;

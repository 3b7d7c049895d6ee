//! All integration tests of the command, in one binary to save linking time.

mod bcf;
mod bench;
mod clash;
mod clash_review;
mod common;
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
mod octree;
mod octrees;
mod outputs;
mod pairs;
mod path;
mod query;
mod robots;
mod run;
mod verify;

//! The integration tests of the library, in one binary: every further binary would compile and link the library
//! again.

mod allocation;
mod batch;
mod broad;
mod clash;
mod distance;
mod mesh_distance;
mod methods;
mod points;
mod rays;
mod toy;
mod triangles;
mod world;

//! The integration tests of the library, in one binary: every further binary would compile and link the library
//! again.

use impinge::Method;

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

/// The table of methods, and a line for a method that is written in a file of its own.
fn methods() -> Vec<Method> {
    [Method::ALL, &[Method::new(&toy::METHOD)]].concat()
}

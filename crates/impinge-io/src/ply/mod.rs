//! Reads and writes PLY, the Stanford polygon format: text, or binary in either byte order.
//!
//! The element `vertex` gives positions, `face` polygons and `tristrips` strips of triangles; other elements are ignored.
//! Only blanks (or, in binary files, zeros) may follow the last element: anything else means that the counts of the
//! header are wrong.
//!
//! The crate `ply-rs-bw` 4.0 is not used, because the counts of a header cannot be trusted: it runs out of memory if a
//! binary file declares four billion elements without properties. It also does not check indices, makes a map for every
//! vertex, and is some fifty times slower.

mod faces;
mod header;
mod read;
mod source;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

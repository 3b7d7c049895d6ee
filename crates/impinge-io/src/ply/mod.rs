//! PLY, the Stanford polygon format: text, or binary in either byte order.
//!
//! Of a file's elements, `vertex` gives positions, `face` polygons and `tristrips` strips of
//! triangles; everything else is passed over. What follows the last element may only be blanks (or,
//! in binary files, zeros): anything else means that the header's counts are wrong.
//!
//! The reader is our own because a header's counts must not be believed: `ply-rs-bw` 4.0 aborts for
//! want of memory where a binary file promises an element without properties four thousand million
//! times. It also leaves out-of-range indices to the caller, who no longer knows where they were,
//! and makes a map of every vertex, which is some fifty times slower.

mod faces;
mod header;
mod read;
mod source;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

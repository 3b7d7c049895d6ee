//! Leaf sizes by the number of faces and the kind of volume (Klosowski 1998, ch. 6).

use crate::Method;

/// A leaf size for the tree of a mesh with this many faces, for [`BuildOptions::leaf`](super::BuildOptions::leaf).
///
/// The rule has the form of the paper's: leaves of small bodies are small, whatever the volumes; leaves of large
/// bodies are larger, because every test of a volume and every placed volume costs more than a test of faces.
pub fn leaf_by_size(_method: Method, faces: usize) -> u32 {
    if faces < 1000 { 1 } else { 2 }
}

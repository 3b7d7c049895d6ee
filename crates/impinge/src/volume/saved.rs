//! Saving and loading of the volumes of a tree.

use super::BoundingVolume;
use glam::DVec3;

/// A volume whose trees can be saved (see [`BvTree::to_bytes`](crate::method::tree::BvTree::to_bytes)).
///
/// Volumes that [merge](BoundingVolume::merged) follow from the mesh and the structure of the tree. They are
/// not stored but recomputed on loading, so a file cannot hold wrong ones. Volumes of other types are stored,
/// and loading checks that each encloses the geometry below it.
pub trait SavedVolume: BoundingVolume {
    /// The number of this type of volume in a file. Never changed, and never reused for another type.
    const KIND: u32;

    /// Bytes per volume in a file; 0 for a type that merges.
    const BYTES: usize = 0;

    /// Appends [`BYTES`](Self::BYTES) bytes.
    fn write(&self, _bytes: &mut Vec<u8>) {}

    /// Reads a volume from [`BYTES`](Self::BYTES) bytes, which may hold anything. `None` if the numbers are
    /// out of the range for which the tests of the volume are proven.
    fn read(_bytes: &[u8]) -> Option<Self> {
        None
    }

    /// Whether the volume encloses triangles, given in their [`Frame`](super::Frame), with the margin for
    /// rounding that [`enclosing`](BoundingVolume::enclosing) adds.
    ///
    /// Always true for a volume that `enclosing` computed from the same triangles. Never called for a type
    /// that merges.
    fn encloses(&self, _triangles: &[[DVec3; 3]]) -> bool {
        false
    }
}

/// The largest coordinate of a stored volume's center, and its largest half-size. All geometry is within ±1,
/// and the error bounds of placing allow for this much.
pub(super) const MAX_CENTER: f32 = 2.0;
pub(super) const MAX_REACH: f32 = 4.0;

pub(super) fn write_floats(floats: impl IntoIterator<Item = f32>, bytes: &mut Vec<u8>) {
    bytes.extend(floats.into_iter().flat_map(f32::to_le_bytes));
}

/// The floats in `bytes`, if there are exactly `N`.
pub(super) fn read_floats<const N: usize>(bytes: &[u8]) -> Option<[f32; N]> {
    let (words, []) = bytes.as_chunks::<4>() else { return None };
    let words: &[[u8; 4]; N] = words.try_into().ok()?;
    Some(words.map(f32::from_le_bytes))
}

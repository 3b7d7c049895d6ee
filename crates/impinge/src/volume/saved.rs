//! What a volume has to tell so that its trees can be saved and loaded.

use super::BoundingVolume;
use glam::DVec3;

/// A volume whose trees can be saved (see [`BvTree::to_bytes`](crate::method::tree::BvTree::to_bytes)).
///
/// Kinds that [merge](BoundingVolume::merged) follow from the mesh and the shape of the tree, so
/// they are not stored at all and made anew on loading: what is not in a file cannot be wrong in it.
/// The others are stored, and on loading each is asked whether it encloses the geometry below it.
pub trait SavedVolume: BoundingVolume {
    /// The kind's number in a file. Never changed and never used again for another.
    const KIND: u32;

    /// How many bytes a volume takes in a file; 0 for a kind that merges.
    const BYTES: usize = 0;

    /// Appends [`BYTES`](Self::BYTES) bytes.
    fn write(&self, _bytes: &mut Vec<u8>) {}

    /// The volume from as many bytes, which may be anything; nothing if it is none on whose tests
    /// one could rely.
    fn read(_bytes: &[u8]) -> Option<Self> {
        None
    }

    /// Whether it encloses triangles, given in their [`Frame`](super::Frame), with all the room
    /// that [`enclosing`](BoundingVolume::enclosing) leaves for rounding.
    ///
    /// True of whatever `enclosing` made of these triangles. Never asked of a kind that merges.
    fn encloses(&self, _triangles: &[[DVec3; 3]]) -> bool {
        false
    }
}

/// How far from the origin a volume's centre may be, along an axis, and how far it may reach: all
/// geometry is within ±1, and placing allows for this much.
pub(super) const MAX_CENTER: f32 = 2.0;
pub(super) const MAX_REACH: f32 = 4.0;

pub(super) fn write_floats(floats: impl IntoIterator<Item = f32>, bytes: &mut Vec<u8>) {
    bytes.extend(floats.into_iter().flat_map(f32::to_le_bytes));
}

/// The floats in some bytes, if they are `N`.
pub(super) fn read_floats<const N: usize>(bytes: &[u8]) -> Option<[f32; N]> {
    let (words, []) = bytes.as_chunks::<4>() else { return None };
    let words: &[[u8; 4]; N] = words.try_into().ok()?;
    Some(words.map(f32::from_le_bytes))
}

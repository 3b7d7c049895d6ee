//! The file format shared by all saved trees: header, list of faces, checksum. Used by
//! `tree/save.rs` and `wide/save.rs`.
//!
//! All numbers are little endian:
//!
//! | byte | content |
//! | --- | --- |
//! | 0 | `IMPBVTRE` |
//! | 8 | `u32` version of the format: 2 |
//! | 12 | `u32` kind of tree: 1 boxes, 2 spheres, 3 oriented boxes, 5 wide tree, k for k-DOPs |
//! | 16 | `u64` hash of the mesh: all bits of its positions, and its faces |
//! | 24 | `u32` n, the number of faces, or of pieces of faces |
//! | 28 | `u32` m, the number of nodes |
//! | 32 | n × `u32`: the faces or pieces in the order of the leaves |
//! | | more data, by kind of tree: see `tree/save.rs` and `wide/save.rs` |
//! | | `u64` checksum of all bytes before |
//!
//! Version 1 had no pieces.

mod error;
pub(super) mod hash;

pub use error::{NodeProblem, TreeFileError, VolumeProblem};

use crate::Mesh;

const MAGIC: [u8; 8] = *b"IMPBVTRE";
const VERSION: u32 = 2;
/// The number of bytes before the list of faces.
pub(super) const HEADER: usize = 32;
/// The number of bytes of the checksum.
pub(super) const CHECKSUM: usize = 8;

/// Reads the kind of volume from the header of a saved tree.
pub(super) fn saved_kind(bytes: &[u8]) -> Result<u32, TreeFileError> {
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
        return Err(TreeFileError::NotATree);
    }
    if bytes.len() < HEADER + CHECKSUM {
        let (expected, found) = ((HEADER + CHECKSUM) as u64, bytes.len() as u64);
        return Err(TreeFileError::Length { expected, found });
    }
    let version = u32_at(bytes, 8);
    if version != VERSION {
        return Err(TreeFileError::Version { found: version });
    }
    Ok(u32_at(bytes, 12))
}

/// Writes the header of a file for `counts` pieces and nodes. `body` is the number of bytes that
/// will follow.
pub(super) fn begun(kind: u32, mesh: &Mesh, counts: [u32; 2], body: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + body as usize + CHECKSUM);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(hash::of_mesh(mesh).to_le_bytes());
    bytes.extend(counts.into_iter().flat_map(u32::to_le_bytes));
    bytes
}

/// Appends the checksum.
pub(super) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(hash::of_bytes(&bytes).to_le_bytes());
    bytes
}

/// Checks the header, the length and the checksum. Returns the numbers of pieces and nodes, and the
/// bytes between header and checksum. `length` computes the expected number of these bytes.
pub(super) fn body<'b>(
    bytes: &'b [u8],
    kind: u32,
    mesh: &Mesh,
    length: impl Fn(u32, u32) -> u64,
) -> Result<([u32; 2], &'b [u8]), TreeFileError> {
    let found = saved_kind(bytes)?;
    if found != kind {
        return Err(TreeFileError::Kind { found, expected: kind });
    }
    let (pieces, nodes) = (u32_at(bytes, 24), u32_at(bytes, 28));
    let expected = (HEADER + CHECKSUM) as u64 + length(pieces, nodes);
    let found = bytes.len() as u64;
    if found != expected {
        return Err(TreeFileError::Length { expected, found });
    }
    let at = bytes.len() - CHECKSUM;
    let (stored, computed) = (u64_at(bytes, at), hash::of_bytes(&bytes[..at]));
    if stored != computed {
        return Err(TreeFileError::Checksum { at, stored, computed });
    }
    if (pieces as usize) < mesh.faces().len() || u64_at(bytes, 16) != hash::of_mesh(mesh) {
        return Err(TreeFileError::OtherMesh);
    }
    Ok(([pieces, nodes], &bytes[HEADER..at]))
}

/// Reads the list of pieces or faces that follows the header, and checks that each occurs once.
pub(super) fn permutation(words: &[[u8; 4]]) -> Result<Vec<u32>, TreeFileError> {
    let mut is_named = vec![false; words.len()];
    let mut pieces = Vec::with_capacity(words.len());
    for (i, &bytes) in words.iter().enumerate() {
        let piece = u32::from_le_bytes(bytes);
        match is_named.get_mut(piece as usize) {
            Some(is_named) if !*is_named => *is_named = true,
            _ => return Err(TreeFileError::Piece { at: HEADER + 4 * i, piece }),
        }
        pieces.push(piece);
    }
    Ok(pieces)
}

/// The largest accepted depth of a tree over this number of pieces. Built trees are less deep.
pub(super) fn max_depth(pieces: usize) -> u8 {
    4 * pieces.max(1).ilog2() as u8 + 32
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

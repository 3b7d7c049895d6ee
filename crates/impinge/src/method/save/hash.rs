//! A fast 64-bit hash that is the same on every platform and in every version.
//!
//! It guards against accidents: a damaged file, or one that belongs to another mesh. It does not
//! guard against intent, and nothing relies on that: loading checks the contents whatever the hash
//! says.

use crate::Mesh;

/// The state of the hash. Four lanes let four multiplications overlap.
///
/// A step is a bijection of the lane for a given word, and of the word for a given lane. So
/// changing a single word always changes the hash, and any other change does with probability 1 −
/// 2^−64.
struct Hash {
    lanes: [u64; 4],
}

/// 2^64 divided by the golden ratio: an odd number without a bit pattern.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

fn step(lane: u64, word: u64) -> u64 {
    let product = (lane ^ word).wrapping_mul(FACTOR);
    // Multiplication carries upward only; the shift brings the upper half down again.
    product ^ (product >> 32)
}

impl Hash {
    fn new(seed: u64) -> Self {
        Self { lanes: [1, 2, 3, 4].map(|lane| step(lane, seed)) }
    }

    #[inline]
    fn add(&mut self, words: [u64; 4]) {
        for (lane, word) in self.lanes.iter_mut().zip(words) {
            *lane = step(*lane, word);
        }
    }

    fn finish(&self) -> u64 {
        self.lanes.iter().fold(FACTOR, |hash, &lane| step(step(hash, lane), FACTOR))
    }
}

/// The hash of some bytes.
pub(in crate::method) fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = Hash::new(bytes.len() as u64);
    let words = |block: &[u8; 32]| {
        let (words, _) = block.as_chunks::<8>();
        std::array::from_fn(|i| u64::from_le_bytes(words[i]))
    };
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        hash.add(words(block));
    }
    let mut last = [0; 32];
    last[..rest.len()].copy_from_slice(rest);
    hash.add(words(&last));
    hash.finish()
}

/// The hash of a mesh: every bit of its positions, and its faces, in order.
pub(in crate::method) fn of_mesh(mesh: &Mesh) -> u64 {
    let mut hash = Hash::new(mesh.positions().len() as u64);
    for position in mesh.positions() {
        let [x, y, z] = position.to_array().map(f64::to_bits);
        hash.add([x, y, z, 0]);
    }
    for face in mesh.faces() {
        let [a, b, c] = face.map(u64::from);
        hash.add([a, b, c, 1]);
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn the_numbers_never_change() {
        // Computed by the same steps in another language.
        assert_eq!(of_bytes(b""), 0x14EB_9946_B935_B9CB);
        assert_eq!(of_bytes(b"impinge"), 0xFBA6_4629_13D2_FCDA);
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(of_mesh(&Mesh::new(corners, vec![[0, 1, 2]]).unwrap()), 0x3805_5C1B_BA67_005C);
    }

    #[test]
    fn every_bit_and_the_length_count() {
        let bytes = [7; 77];
        let mut seen: Vec<u64> = (0..77).map(|length| of_bytes(&bytes[..length])).collect();
        for bit in 0..8 * 77 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            seen.push(of_bytes(&changed));
        }
        // Two sign bits at once cancel in hashes that only multiply.
        for byte in (7..56).step_by(8) {
            let mut changed = bytes;
            changed[byte] ^= 0x80;
            changed[byte + 8] ^= 0x80;
            seen.push(of_bytes(&changed));
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn positions_and_faces_count() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh =
            |corners: &[DVec3], face| of_mesh(&Mesh::new(corners.into(), vec![face]).unwrap());
        let hash = mesh(&corners, [0, 1, 2]);
        assert_ne!(hash, mesh(&corners, [1, 2, 0]));
        assert_ne!(hash, mesh(&corners[..3], [0, 1, 2]));
        let mut mirrored = corners.clone();
        mirrored[0] = DVec3::new(-0.0, -0.0, 0.0);
        assert_ne!(hash, mesh(&mirrored, [0, 1, 2]));
    }
}

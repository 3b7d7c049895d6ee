//! Hash tables by a pair of numbers, with a hash that is fast for two small integers. Broad phases and worlds look
//! up pairs of bodies in them, methods look up pairs of faces.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
};

/// Values by pair.
pub(crate) type PairMap<V> = HashMap<[u32; 2], V, BuildHasherDefault<PairHasher>>;
/// A set of pairs.
pub(crate) type PairSet = HashSet<[u32; 2], BuildHasherDefault<PairHasher>>;

/// A set of two pairs: two bodies, and a face of each.
pub(crate) type QuadSet = HashSet<[u32; 4], BuildHasherDefault<PairHasher>>;

/// A fast hash of two integers. The keys are numbers of bodies or faces, which no attacker chooses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        // The multiplication mixes the upper bits best; hash tables use the lower bits too.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_ne_bytes(eight));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(29) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

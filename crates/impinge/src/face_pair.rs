//! A face of one body and a face of another.

/// A face of one body and a face of another that touch, or are as close as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FacePair {
    /// The face of the first body.
    pub a: u32,
    /// The face of the second body.
    pub b: u32,
}

impl FacePair {
    /// Sorts pairs by their first face, then by their second.
    pub(crate) fn sort(pairs: &mut [Self]) {
        // One number compares faster than two.
        pairs.sort_unstable_by_key(|pair| (u64::from(pair.a) << 32) | u64::from(pair.b));
    }
}

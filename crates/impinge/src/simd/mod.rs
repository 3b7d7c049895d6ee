//! Arithmetic on eight numbers at a time: the choice of the instruction set, and vectors of eight
//! lanes.
//!
//! Used by the wide tree (`method/wide`) and by the packed broad phase (`broad/packed`).

pub(crate) mod lanes;
pub(crate) mod vector;

pub(crate) use lanes::{Lanes, on};

/// One number for each of eight lanes.
pub(crate) type Eight = [f32; 8];

/// The indices of the bits that are set in a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let lane = (mask != 0).then(|| mask.trailing_zeros())?;
            mask &= mask - 1;
            Some(lane)
        },
    )
}

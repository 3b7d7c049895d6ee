//! A block of eight `f32` boxes, and the comparison of one box with all eight.

use fearless_simd::{f32x8, prelude::*};

/// The number of boxes in a block.
pub(super) const WIDTH: usize = 8;

/// A box in `f32` coordinates of a [`Frame`](super::frame::Frame).
#[derive(Clone, Copy, Debug)]
pub(super) struct Box32 {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
}

impl Box32 {
    /// An empty box. It overlaps nothing, because comparisons with NaN are false.
    pub(super) const EMPTY: Self = Self { min: [f32::NAN; 3], max: [f32::NAN; 3] };

    /// The length of the longest side; −1 for an empty box.
    pub(super) fn extent(&self) -> f32 {
        let side = |axis: usize| self.max[axis] - self.min[axis];
        side(0).max(side(1)).max(side(2)).max(-1.0)
    }
}

/// Eight boxes, one per lane. The last block of a list may hold fewer; its other lanes are empty.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    min: [[f32; WIDTH]; 3],
    max: [[f32; WIDTH]; 3],
}

const _: () = assert!(size_of::<Block>() == 192, "three cache lines");

impl Block {
    pub(super) const EMPTY: Self =
        Self { min: [[f32::NAN; WIDTH]; 3], max: [[f32::NAN; WIDTH]; 3] };

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Box32 {
        Box32 {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, bounds32: &Box32) {
        for axis in 0..3 {
            self.min[axis][lane] = bounds32.min[axis];
            self.max[axis][lane] = bounds32.max[axis];
        }
    }

    /// The box around all eight.
    #[inline(always)]
    pub(super) fn around(&self) -> Box32 {
        let mut around = Box32::EMPTY;
        for axis in 0..3 {
            // Written so that NaN is skipped, and each step compiles to one instruction.
            let low = self.min[axis].iter().fold(f32::INFINITY, |m, &x| if x < m { x } else { m });
            let high =
                self.max[axis].iter().fold(f32::NEG_INFINITY, |m, &x| if x > m { x } else { m });
            if low <= high {
                (around.min[axis], around.max[axis]) = (low, high);
            }
        }
        around
    }

    /// A bit for each box that may overlap `bounds32`, by non-strict comparisons.
    #[inline(always)]
    pub(super) fn may_overlap<S: Simd>(&self, simd: S, bounds32: &Box32) -> u32 {
        let mut all =
            f32x8::load_array_ref(simd, &self.min[0]).simd_le(f32x8::splat(simd, bounds32.max[0]));
        all &=
            f32x8::load_array_ref(simd, &self.max[0]).simd_ge(f32x8::splat(simd, bounds32.min[0]));
        for axis in 1..3 {
            let min = f32x8::load_array_ref(simd, &self.min[axis]);
            let max = f32x8::load_array_ref(simd, &self.max[axis]);
            all &= min.simd_le(f32x8::splat(simd, bounds32.max[axis]));
            all &= max.simd_ge(f32x8::splat(simd, bounds32.min[axis]));
        }
        all.to_bitmask() as u32
    }

    /// A bit for each box that certainly overlaps `bounds32`, by strict comparisons.
    #[inline(always)]
    pub(super) fn surely_overlaps<S: Simd>(&self, simd: S, bounds32: &Box32) -> u32 {
        let mut all =
            f32x8::load_array_ref(simd, &self.min[0]).simd_lt(f32x8::splat(simd, bounds32.max[0]));
        all &=
            f32x8::load_array_ref(simd, &self.max[0]).simd_gt(f32x8::splat(simd, bounds32.min[0]));
        for axis in 1..3 {
            let min = f32x8::load_array_ref(simd, &self.min[axis]);
            let max = f32x8::load_array_ref(simd, &self.max[axis]);
            all &= min.simd_lt(f32x8::splat(simd, bounds32.max[axis]));
            all &= max.simd_gt(f32x8::splat(simd, bounds32.min[axis]));
        }
        all.to_bitmask() as u32
    }
}

//! Eight boxes side by side, and one box against eight.

use fearless_simd::{f32x8, prelude::*};

/// How many boxes a block has.
pub(super) const WIDTH: usize = 8;

/// A box in narrow numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrow {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
}

impl Narrow {
    /// Overlaps nothing: what is not a number compares with nothing.
    pub(super) const NOWHERE: Self = Self { min: [f32::NAN; 3], max: [f32::NAN; 3] };

    /// How large it is; below zero if it is nowhere.
    pub(super) fn extent(&self) -> f32 {
        let side = |axis: usize| self.max[axis] - self.min[axis];
        side(0).max(side(1)).max(side(2)).max(-1.0)
    }
}

/// Eight boxes, and fewer at the end of a list: the rest is nowhere.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    min: [[f32; WIDTH]; 3],
    max: [[f32; WIDTH]; 3],
}

const _: () = assert!(size_of::<Block>() == 192, "three cache lines");

impl Block {
    pub(super) const NOWHERE: Self =
        Self { min: [[f32::NAN; WIDTH]; 3], max: [[f32::NAN; WIDTH]; 3] };

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Narrow {
        Narrow {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, narrow: &Narrow) {
        for axis in 0..3 {
            self.min[axis][lane] = narrow.min[axis];
            self.max[axis][lane] = narrow.max[axis];
        }
    }

    /// The box around all eight.
    #[inline(always)]
    pub(super) fn around(&self) -> Narrow {
        let mut around = Narrow::NOWHERE;
        for axis in 0..3 {
            // Written so that what is not a number loses, in one instruction.
            let low = self.min[axis].iter().fold(f32::INFINITY, |m, &x| if x < m { x } else { m });
            let high =
                self.max[axis].iter().fold(f32::NEG_INFINITY, |m, &x| if x > m { x } else { m });
            if low <= high {
                (around.min[axis], around.max[axis]) = (low, high);
            }
        }
        around
    }

    /// A bit for each that a box may overlap.
    #[inline(always)]
    pub(super) fn touching<S: Simd>(&self, simd: S, narrow: &Narrow) -> u32 {
        let mut all =
            f32x8::load_array_ref(simd, &self.min[0]).simd_le(f32x8::splat(simd, narrow.max[0]));
        all &= f32x8::load_array_ref(simd, &self.max[0]).simd_ge(f32x8::splat(simd, narrow.min[0]));
        for axis in 1..3 {
            let min = f32x8::load_array_ref(simd, &self.min[axis]);
            let max = f32x8::load_array_ref(simd, &self.max[axis]);
            all &= min.simd_le(f32x8::splat(simd, narrow.max[axis]));
            all &= max.simd_ge(f32x8::splat(simd, narrow.min[axis]));
        }
        all.to_bitmask() as u32
    }

    /// A bit for each that a box overlaps for certain.
    #[inline(always)]
    pub(super) fn overlapping<S: Simd>(&self, simd: S, narrow: &Narrow) -> u32 {
        let mut all =
            f32x8::load_array_ref(simd, &self.min[0]).simd_lt(f32x8::splat(simd, narrow.max[0]));
        all &= f32x8::load_array_ref(simd, &self.max[0]).simd_gt(f32x8::splat(simd, narrow.min[0]));
        for axis in 1..3 {
            let min = f32x8::load_array_ref(simd, &self.min[axis]);
            let max = f32x8::load_array_ref(simd, &self.max[axis]);
            all &= min.simd_lt(f32x8::splat(simd, narrow.max[axis]));
            all &= max.simd_gt(f32x8::splat(simd, narrow.min[axis]));
        }
        all.to_bitmask() as u32
    }
}

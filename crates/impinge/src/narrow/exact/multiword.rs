//! Determinants in as many words as the coordinates need, for any finite `f64`.
//!
//! Used when the coordinates of one axis span more than 60 bits, such as 1 and 1e-30. This is rare, so the
//! code is kept simple. Nothing is allocated: the worst case is known and fits the stack.

use super::Determinant;
use std::cmp::Ordering;

/// From the last bit of the least denormal (2^−1074) to the first of `f64::MAX` (2^1023) there are 2098 bits;
/// a difference has one more; the sum of six products of three such has 3 · 2099 + 3 = 6300 bits, which is 99
/// words.
const MOST_WORDS: usize = 99;

/// Most coordinates that do not fit in a machine word still span far less. With 188 bits a difference has
/// 189, and the sum of six products of three has 570 bits, which is 9 words.
const FEW_WORDS: usize = 9;
const FEW_BITS: i32 = 188;

/// An integer as sign and magnitude, least significant word first, without leading zero words.
#[derive(Clone, Copy)]
pub(in crate::narrow) struct Integer<const WORDS: usize> {
    negative: bool,
    len: usize,
    words: [u64; WORDS],
}

impl<const WORDS: usize> Integer<WORDS> {
    const ZERO: Self = Self { negative: false, len: 0, words: [0; WORDS] };

    /// `value / 2^exponent`, which must be an integer.
    pub(in crate::narrow) fn from_f64(value: f64, exponent: i32) -> Self {
        let mut integer = Self::ZERO;
        if value == 0.0 {
            return integer;
        }
        let (mantissa, own_exponent) = decomposed(value);
        let shift = (own_exponent - exponent) as usize;
        let (word, bit) = (shift / 64, shift % 64);
        integer.words[word] = mantissa << bit;
        if bit != 0 {
            integer.words[word + 1] = mantissa >> (64 - bit);
        }
        integer.negative = value < 0.0;
        integer.len = word + 2;
        integer.trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.len > 0 && self.words[self.len - 1] == 0 {
            self.len -= 1;
        }
        self
    }

    fn digits(&self) -> &[u64] {
        &self.words[..self.len]
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        self.len
            .cmp(&other.len)
            .then_with(|| self.digits().iter().rev().cmp(other.digits().iter().rev()))
    }

    pub(in crate::narrow) fn sign(&self) -> i32 {
        if self.len == 0 {
            0
        } else if self.negative {
            -1
        } else {
            1
        }
    }

    pub(in crate::narrow) fn negated(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    pub(in crate::narrow) fn plus(&self, other: &Self) -> Self {
        let (large, small) = match self.compare_magnitude(other) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let mut sum = *large;
        let mut carry = false;
        let subtract = large.negative != small.negative;
        for i in 0..large.len {
            let digit = if i < small.len { small.words[i] } else { 0 };
            let (partial, first) = if subtract {
                large.words[i].overflowing_sub(digit)
            } else {
                large.words[i].overflowing_add(digit)
            };
            let (whole, second) = if subtract {
                partial.overflowing_sub(u64::from(carry))
            } else {
                partial.overflowing_add(u64::from(carry))
            };
            sum.words[i] = whole;
            carry = first || second;
        }
        if carry {
            // Only an addition can carry out: in a subtraction the larger magnitude is the minuend.
            sum.words[large.len] = 1;
            sum.len += 1;
        }
        sum.trimmed()
    }

    pub(in crate::narrow) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(in crate::narrow) fn times(&self, other: &Self) -> Self {
        let mut product = Self::ZERO;
        for (i, &a) in self.digits().iter().enumerate() {
            let mut carry = 0u128;
            for (j, &b) in other.digits().iter().enumerate() {
                let sum = u128::from(product.words[i + j]) + u128::from(a) * u128::from(b) + carry;
                product.words[i + j] = sum as u64;
                carry = sum >> 64;
            }
            // Past the last word the carry is zero: the product is known to fit.
            if carry != 0 {
                product.words[i + other.len] = carry as u64;
            }
        }
        product.negative = self.negative != other.negative;
        product.len = (self.len + other.len).min(WORDS);
        product.trimmed()
    }

    /// Compares the magnitudes of `self · 2^exponent` and `other · 2^other_exponent`.
    pub(in crate::narrow) fn compare_scaled(
        &self,
        exponent: i32,
        other: &Self,
        other_exponent: i32,
    ) -> Ordering {
        let (Some(first), Some(other_first)) = (self.digits().last(), other.digits().last()) else {
            return self.len.cmp(&other.len);
        };
        let (zeros, other_zeros) = (first.leading_zeros(), other_first.leading_zeros());
        let end = exponent + 64 * self.len as i32 - zeros as i32;
        let other_end = other_exponent + 64 * other.len as i32 - other_zeros as i32;
        // The first bits are aligned, then words are compared from there.
        let words = 0..self.len.max(other.len);
        let digits = words.clone().map(|i| self.aligned_word(i, zeros));
        let other_digits = words.map(|i| other.aligned_word(i, other_zeros));
        end.cmp(&other_end).then_with(|| digits.cmp(other_digits))
    }

    /// The word at a distance from the first one, after shifting the number up by less than a word.
    fn aligned_word(&self, from_first: usize, shift: u32) -> u64 {
        let word = |i: usize| if i < self.len { self.words[self.len - 1 - i] } else { 0 };
        let next = if shift == 0 { 0 } else { word(from_first + 1) >> (64 - shift) };
        (word(from_first) << shift) | next
    }

    pub(in crate::narrow) fn determinant(&self, exponent: i32) -> Determinant {
        let Some(&first) = self.digits().last() else {
            return Determinant { mantissa: 0.0, exponent: 0 };
        };
        let second = if self.len > 1 { self.words[self.len - 2] } else { 0 };
        let leading = (u128::from(first) << 64) | u128::from(second);
        let mantissa =
            leading as f64 * f64::from_bits((1023 - 128 + u64::from(first.leading_zeros())) << 52);
        Determinant {
            mantissa: if self.negative { -mantissa } else { mantissa },
            exponent: exponent + 64 * self.len as i32 - first.leading_zeros() as i32,
        }
    }
}

/// A finite nonzero value as `mantissa · 2^exponent`, without its sign.
pub(in crate::narrow) fn decomposed(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52) as i32 & 0x7ff {
        0 => (fraction, -1074),
        field => (fraction | (1 << 52), field - 1075),
    }
}

/// The exponent of the last bit of some values, and the number of bits they span from there.
pub(in crate::narrow) fn span(values: &[f64]) -> (i32, i32) {
    let parts = || values.iter().filter(|v| **v != 0.0).map(|v| decomposed(*v));
    let last = parts().map(|(_, exponent)| exponent).min().unwrap_or(0);
    let first = parts().map(|(mantissa, exponent)| exponent + 64 - mantissa.leading_zeros() as i32);
    (last, first.max().unwrap_or(0) - last)
}

/// Whether each axis spans at most [`FEW_BITS`] bits.
fn are_short<const N: usize>(axes: &[[f64; N]]) -> bool {
    axes.iter().all(|axis| span(axis).1 <= FEW_BITS)
}

/// The differences of one axis from the first point, in units of a power of two.
fn differences<const WORDS: usize, const N: usize, const M: usize>(
    values: [f64; N],
) -> ([Integer<WORDS>; M], i32) {
    let (exponent, _) = span(&values);
    let first = Integer::from_f64(values[0], exponent);
    let difference = |i: usize| Integer::from_f64(values[i + 1], exponent).minus(&first);
    (std::array::from_fn(difference), exponent)
}

#[cold]
#[inline(never)]
pub(super) fn orient2d(points: &[[f64; 2]; 3]) -> Determinant {
    let axes = [0, 1].map(|axis| points.map(|p| p[axis]));
    if are_short(&axes) { orient2d_in::<FEW_WORDS>(axes) } else { orient2d_in::<MOST_WORDS>(axes) }
}

fn orient2d_in<const WORDS: usize>([x, y]: [[f64; 3]; 2]) -> Determinant {
    let (x, x_exponent) = differences::<WORDS, 3, 2>(x);
    let (y, y_exponent) = differences::<WORDS, 3, 2>(y);
    x[0].times(&y[1]).minus(&y[0].times(&x[1])).determinant(x_exponent + y_exponent)
}

#[cold]
#[inline(never)]
pub(super) fn orient3d(points: &[[f64; 3]; 4]) -> Determinant {
    let axes = [0, 1, 2].map(|axis| points.map(|p| p[axis]));
    if are_short(&axes) { orient3d_in::<FEW_WORDS>(axes) } else { orient3d_in::<MOST_WORDS>(axes) }
}

fn orient3d_in<const WORDS: usize>(axes: [[f64; 4]; 3]) -> Determinant {
    let axes = axes.map(differences::<WORDS, 4, 3>);
    let mut sum = Integer::ZERO;
    for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        let (p, q) = (&axes[j].0, &axes[k].0);
        let minor = p[0].times(&q[1]).minus(&q[0].times(&p[1]));
        sum = sum.plus(&minor.times(&axes[i].0[2]));
    }
    sum.determinant(axes.iter().map(|(_, exponent)| exponent).sum())
}

#[cold]
#[inline(never)]
pub(super) fn dot_difference(direction: [f64; 3], [a, b]: &[[f64; 3]; 2]) -> Determinant {
    let (unit, _) = span(&direction);
    let (exponent, _) = span(&[a[0], a[1], a[2], b[0], b[1], b[2]]);
    let mut sum = Integer::<MOST_WORDS>::ZERO;
    for axis in 0..3 {
        let apart =
            Integer::from_f64(b[axis], exponent).minus(&Integer::from_f64(a[axis], exponent));
        sum = sum.plus(&apart.times(&Integer::from_f64(direction[axis], unit)));
    }
    sum.determinant(unit + exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate::Random, narrow::exact::machine};

    /// Both compute without rounding, so they agree in sign, and nearly in value.
    #[test]
    fn machine_integers_and_multiword_integers_agree() {
        let mut machine_answers = 0;
        for seed in 0..200_000u64 {
            let mut random = Random::new(seed);
            let scale = 2f64.powi(random.below(1200) as i32 - 600);
            let bits = 2 + random.below(58);
            let mut coordinate = || ((random.next_u64() >> (64 - bits)) as f64 - 1.0) * scale;
            let points: [[f64; 3]; 4] =
                std::array::from_fn(|_| std::array::from_fn(|_| coordinate()));
            let Some(machine) = machine::orient3d(&points) else { continue };
            machine_answers += 1;
            let multiword = orient3d(&points);
            assert_eq!(machine.sign(), multiword.sign(), "seed {seed}: {points:?}");
            if multiword.sign() != 0 {
                let ratio = machine.mantissa / multiword.mantissa
                    * libm::ldexp(1.0, machine.exponent - multiword.exponent);
                assert!((ratio - 1.0).abs() < 1e-14, "seed {seed}: {machine:?} {multiword:?}");
            }
            let axes = [0, 1, 2].map(|axis| points.map(|p| p[axis]));
            assert_eq!(
                multiword,
                orient3d_in::<MOST_WORDS>(axes),
                "seed {seed}: few words and most words differ"
            );
            let flat = [0, 1, 2].map(|i| [points[i][0], points[i][2]]);
            let machine = machine::orient2d(&flat).unwrap();
            assert_eq!(machine.sign(), orient2d(&flat).sign(), "seed {seed}: {flat:?}");
        }
        assert!(machine_answers > 100_000, "hardly any results were compared: {machine_answers}");
    }

    #[test]
    fn the_largest_and_the_least_number_fit_together() {
        let (max, min) = (f64::MAX, f64::from_bits(1));
        let points = [[-max, -max, -max], [max, min, -max], [min, max, max], [max, -max, max]];
        assert_ne!(orient3d(&points).sign(), 0);
        let swapped = [points[1], points[0], points[2], points[3]];
        assert_eq!(orient3d(&points).sign(), -orient3d(&swapped).sign());
    }
}

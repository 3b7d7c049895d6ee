//! Integers of any size, for polynomials whose remainders outgrow every fixed number of words.
//!
//! The integers of `narrow/exact/multiword.rs` are for determinants, whose size is known in advance. Remainders of
//! polynomials double their size at each step. Most integers are short, and are stored without allocation.

use crate::narrow::exact::decomposed;
use std::cmp::Ordering;

/// Integers of at most this many words are stored inline. Coordinates that span 150 bits have cubic polynomials of
/// about 460 bits, and values of those at times with 53 bits have 620.
const INLINE: usize = 10;

/// Sign and magnitude, least significant word first, without leading zero words. Zero is not negative.
#[derive(Clone, Debug)]
pub(super) struct BigInteger {
    is_negative: bool,
    len: usize,
    inline: [u64; INLINE],
    /// The words, if there are more than [`INLINE`].
    heap: Vec<u64>,
}

impl BigInteger {
    pub(super) const ZERO: Self =
        Self { is_negative: false, len: 0, inline: [0; INLINE], heap: Vec::new() };

    fn with_len(len: usize) -> Self {
        let heap = if len > INLINE { vec![0; len] } else { Vec::new() };
        Self { is_negative: false, len, inline: [0; INLINE], heap }
    }

    #[inline]
    fn words(&self) -> &[u64] {
        if self.len <= INLINE { &self.inline[..self.len] } else { &self.heap[..self.len] }
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        if self.len <= INLINE { &mut self.inline[..self.len] } else { &mut self.heap[..self.len] }
    }

    /// Removes leading zero words.
    fn trimmed(mut self) -> Self {
        let len = self.words().iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        if self.len > INLINE && len <= INLINE {
            self.inline[..len].copy_from_slice(&self.heap[..len]);
        }
        self.len = len;
        self.is_negative &= len > 0;
        self
    }

    pub(super) fn from_u64(value: u64) -> Self {
        let mut integer = Self::ZERO;
        integer.inline[0] = value;
        integer.len = usize::from(value != 0);
        integer
    }

    /// `value / 2^exponent`, which must be an integer.
    pub(super) fn from_f64(value: f64, exponent: i32) -> Self {
        let (mantissa, own_exponent) = odd_part(value);
        if mantissa == 0 {
            return Self::ZERO;
        }
        let mut integer = Self::from_u64(mantissa).shifted((own_exponent - exponent) as usize);
        integer.is_negative = value < 0.0;
        integer
    }

    pub(super) fn is_zero(&self) -> bool {
        self.len == 0
    }

    pub(super) fn sign(&self) -> i32 {
        match (self.len, self.is_negative) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    pub(super) fn negated(mut self) -> Self {
        self.is_negative = !self.is_negative && self.len > 0;
        self
    }

    pub(super) fn abs(mut self) -> Self {
        self.is_negative = false;
        self
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        let digits = || self.words().iter().rev().cmp(other.words().iter().rev());
        self.len.cmp(&other.len).then_with(digits)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        self.sum(other, other.is_negative)
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.sum(other, !other.is_negative)
    }

    /// The sum of `self` and the magnitude of `other` with the given sign.
    fn sum(&self, other: &Self, other_is_negative: bool) -> Self {
        let (large, small, is_negative) = match self.compare_magnitude(other) {
            Ordering::Less => (other, self, other_is_negative),
            _ => (self, other, self.is_negative),
        };
        if small.len == 0 {
            let mut sum = large.clone();
            sum.is_negative = is_negative && large.len > 0;
            return sum;
        }
        let is_difference = self.is_negative != other_is_negative;
        let mut sum = Self::with_len(large.len + usize::from(!is_difference));
        sum.is_negative = is_negative;
        let (low, high) = large.words().split_at(small.len);
        let out = sum.words_mut();
        let mut carry = false;
        for (word, (&a, &b)) in out.iter_mut().zip(low.iter().zip(small.words())) {
            let (first, second);
            if is_difference {
                (*word, first) = a.overflowing_sub(b);
                (*word, second) = word.overflowing_sub(u64::from(carry));
            } else {
                (*word, first) = a.overflowing_add(b);
                (*word, second) = word.overflowing_add(u64::from(carry));
            }
            carry = first || second;
        }
        for (word, &a) in out[small.len..].iter_mut().zip(high) {
            (*word, carry) = if is_difference {
                a.overflowing_sub(u64::from(carry))
            } else {
                a.overflowing_add(u64::from(carry))
            };
        }
        if carry {
            // Only an addition carries out: a difference is taken from the larger magnitude.
            out[large.len] = 1;
        }
        sum.trimmed()
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        if self.len == 0 || other.len == 0 {
            return Self::ZERO;
        }
        let mut product = Self::with_len(self.len + other.len);
        product.is_negative = self.is_negative != other.is_negative;
        let out = product.words_mut();
        for (i, &a) in self.words().iter().enumerate() {
            let mut carry = 0u128;
            for (word, &b) in out[i..].iter_mut().zip(other.words()) {
                let sum = u128::from(*word) + u128::from(a) * u128::from(b) + carry;
                *word = sum as u64;
                carry = sum >> 64;
            }
            out[i + other.len] = carry as u64;
        }
        product.trimmed()
    }

    /// `self · 2^bits`.
    pub(super) fn shifted(&self, bits: usize) -> Self {
        if self.len == 0 || bits == 0 {
            return self.clone();
        }
        let (skipped, bits) = (bits / 64, bits % 64);
        let mut result = Self::with_len(self.len + skipped + 1);
        result.is_negative = self.is_negative;
        let out = &mut result.words_mut()[skipped..];
        for (i, &word) in self.words().iter().enumerate() {
            out[i] |= word << bits;
            if bits > 0 {
                out[i + 1] = word >> (64 - bits);
            }
        }
        result.trimmed()
    }

    /// The number of bits of the magnitude.
    pub(super) fn bits(&self) -> i64 {
        self.words().last().map_or(0, |last| 64 * self.len as i64 - i64::from(last.leading_zeros()))
    }

    /// `self / 2^exponent`, rounded; values out of the range of `f64` become zero or infinite.
    pub(super) fn to_f64(&self, exponent: i64) -> f64 {
        let words = self.words();
        let Some(&first) = words.last() else {
            return 0.0;
        };
        let second = if words.len() > 1 { words[words.len() - 2] } else { 0 };
        let leading = (u128::from(first) << 64) | u128::from(second);
        let shift = (64 * (self.len as i64 - 2) - exponent).clamp(-4000, 4000);
        let value = libm::ldexp(leading as f64, shift as i32);
        if self.is_negative { -value } else { value }
    }
}

/// A finite value as `mantissa · 2^exponent`, without its sign; the mantissa is odd or zero.
pub(super) fn odd_part(value: f64) -> (u64, i32) {
    match decomposed(value) {
        (0, _) => (0, 0),
        (mantissa, exponent) => {
            let zeros = mantissa.trailing_zeros();
            (mantissa >> zeros, exponent + zeros as i32)
        }
    }
}

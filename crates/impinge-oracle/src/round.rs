//! Rounds exact fractions and their square roots to the nearest `f64`.

use dashu_int::ops::{BitTest, SquareRoot};
use dashu_int::{IBig, UBig};

/// More bits than an `f64` has, so that what is cut off only decides how to round.
const BITS: usize = 66;

/// Returns the `f64` nearest to `numerator / denominator * 2^exponent`, the even one of two; infinite beyond the range.
/// The denominator must be positive.
pub(crate) fn nearest(numerator: &IBig, denominator: &IBig, exponent: i32) -> f64 {
    let magnitude = magnitude(numerator);
    let shift = shift_for(&magnitude, denominator, BITS);
    let (dividend, divisor) = shifted(&magnitude, denominator, shift);
    let quotient = &dividend / &divisor;
    let is_exact = &quotient * &divisor == dividend;
    let rounded = round(&quotient, is_exact, exponent as isize - shift);
    if *numerator < IBig::ZERO { -rounded } else { rounded }
}

/// Returns the `f64` nearest to the square root of `numerator / denominator`, times `2^exponent`. The numerator must not be
/// negative, the denominator must be positive.
pub(crate) fn nearest_root(numerator: &IBig, denominator: &IBig, exponent: i32) -> f64 {
    let magnitude = magnitude(numerator);
    // An even shift, so that the root is shifted by a whole number of bits.
    let shift = shift_for(&magnitude, denominator, 2 * BITS) / 2 * 2;
    let (dividend, divisor) = shifted(&magnitude, denominator, shift);
    let quotient = &dividend / &divisor;
    let root = quotient.sqrt();
    let is_exact = &root * &root * &divisor == dividend;
    round(&root, is_exact, exponent as isize - shift / 2)
}

fn magnitude(number: &IBig) -> UBig {
    number.clone().into_parts().1
}

/// The power of two by which to multiply the numerator so that the quotient has at least so many bits.
fn shift_for(numerator: &UBig, denominator: &IBig, bits: usize) -> isize {
    bits as isize + 2 + denominator.bit_len() as isize - numerator.bit_len() as isize
}

fn shifted(numerator: &UBig, denominator: &IBig, shift: isize) -> (UBig, UBig) {
    let denominator = magnitude(denominator);
    let by = shift.unsigned_abs();
    if shift >= 0 { (numerator << by, denominator) } else { (numerator.clone(), denominator << by) }
}

/// Rounds `number * 2^exponent`; if it is not exact, the true number is larger, by less than one unit.
fn round(number: &UBig, is_exact: bool, exponent: isize) -> f64 {
    if *number == UBig::ZERO {
        return 0.0;
    }
    let top = exponent + number.bit_len() as isize - 1;
    if top > 1023 {
        return f64::INFINITY;
    }
    // The exponent of the last bit that an `f64` of this size has.
    let last = (top - 52).max(-1074);
    let cut = (last - exponent) as usize;
    let kept: UBig = number >> cut;
    let rest = number - (&kept << cut);
    let half = UBig::ONE << (cut - 1);
    let is_odd = kept.bit(0);
    let is_up = match rest.cmp(&half) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => !is_exact || is_odd,
        std::cmp::Ordering::Greater => true,
    };
    let kept = u64::try_from(kept).expect("53 bits") + u64::from(is_up);
    // Bits of an `f64` as an integer count through all of them in order, so a carry into the exponent is right.
    let biased = (last + 1074) as u64;
    match kept >> 52 {
        0 => f64::from_bits(kept),
        _ => f64::from_bits((biased << 52) + kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::Rng;
    use crate::scale::decompose;

    fn fraction(value: f64) -> (IBig, i32) {
        let (mantissa, exponent) = decompose(value);
        (IBig::from(mantissa), exponent)
    }

    fn random(rng: &mut Rng) -> f64 {
        loop {
            let value = f64::from_bits(rng.bits());
            if value.is_finite() {
                return value;
            }
        }
    }

    /// An `f64` stays what it is; with a little more than half a step, the next one comes.
    #[test]
    fn numbers_and_midpoints_of_the_whole_range() {
        let mut rng = Rng::new(5);
        for _ in 0..20_000 {
            let denormal = rng.one_in(8);
            let value = random(&mut rng).abs();
            let value = if denormal { f64::from_bits(value.to_bits() >> 12) } else { value };
            let bits = value.to_bits();
            let (n, e) = fraction(value);
            let three = IBig::from(3);
            assert_eq!(nearest(&(&n * &three), &three, e), value);
            assert_eq!(nearest(&-(&n * &three), &three, e), -value);
            if value == 0.0 || value == f64::MAX {
                continue;
            }
            let (next, next_e) = fraction(value.next_up());
            let low = e.min(next_e) - 70;
            let wide = |n: &IBig, e: i32| n << (e - low) as usize;
            // Twice the midpoint, and a bit beside it.
            let middle = wide(&n, e) + wide(&next, next_e);
            let two = IBig::from(2);
            let even = if bits & 1 == 0 { value } else { value.next_up() };
            assert_eq!(nearest(&middle, &two, low), even, "{value:e}");
            assert_eq!(nearest(&(&middle + 1), &two, low), value.next_up(), "{value:e}");
            assert_eq!(nearest(&(&middle - 1), &two, low), value, "{value:e}");
        }
    }

    /// IEEE 754 demands a correctly rounded division and square root, so the processor knows the answers.
    #[test]
    fn the_processor_agrees() {
        let mut rng = Rng::new(6);
        for _ in 0..20_000 {
            let (p, q) = (random(&mut rng), random(&mut rng));
            let ((n, ne), (d, de)) = (fraction(p), fraction(q));
            if d == IBig::ZERO {
                continue;
            }
            let (n, d) = if d < IBig::ZERO { (-n, -d) } else { (n, d) };
            assert_eq!(nearest(&n, &d, ne - de), p / q, "{p:e} / {q:e}");
            let (n, e) = fraction(p.abs());
            let (n, e) = if e % 2 == 0 { (n, e) } else { (n << 1, e - 1) };
            assert_eq!(nearest_root(&n, &IBig::ONE, e / 2), p.abs().sqrt(), "{p:e}");
        }
        assert_eq!(nearest_root(&IBig::ZERO, &IBig::ONE, 5), 0.0);
        assert_eq!(nearest(&IBig::from(1), &IBig::from(2), -1074), 0.0);
        assert_eq!(nearest(&IBig::from(3), &IBig::from(4), -1074), f64::from_bits(1));
        assert_eq!(nearest(&IBig::from(1), &IBig::ONE, 1024), f64::INFINITY);
    }
}

//! Converts `f64` coordinates to integers without loss.

use crate::integer::Integer;

/// Multiplies each axis of the points by its own power of two, the smallest that makes all
/// coordinates on that axis integers.
///
/// Such a scaling is an invertible linear map with a positive determinant, so it changes neither
/// whether two shapes meet, nor the dimension in which they do, nor the sign of an orientation.
/// `None` if a coordinate does not fit the integer type.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub(crate) fn to_integers<N: Integer, const D: usize, const K: usize>(
    points: &[[f64; D]; K],
) -> Option<[[N; D]; K]> {
    let zero = N::small(0)?;
    let mut scaled: [[N; D]; K] = std::array::from_fn(|_| std::array::from_fn(|_| zero.clone()));
    for axis in 0..D {
        let parts = points.map(|point| decompose(point[axis]));
        let nonzero = parts.iter().filter(|(mantissa, _)| *mantissa != 0);
        let lowest = nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0);
        for (point, (mantissa, exponent)) in scaled.iter_mut().zip(parts) {
            if mantissa != 0 {
                point[axis] = N::shifted(mantissa, exponent.abs_diff(lowest))?;
            }
        }
    }
    Some(scaled)
}

/// Returns `value` as `mantissa * 2^exponent` with an odd mantissa; `(0, 0)` for zero.
pub(crate) fn decompose(value: f64) -> (i64, i32) {
    assert!(value.is_finite(), "the oracle answers for finite coordinates only, not {value}");
    // IEEE 754: 1 sign bit, 11 exponent bits, 52 fraction bits.
    let bits = value.to_bits();
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let biased = ((bits >> 52) & 0x7ff) as i32;
    let (magnitude, exponent) = match biased {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), biased - 1075),
    };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let mantissa = if value < 0.0 { -(magnitude >> zeros) } else { magnitude >> zeros };
    (mantissa, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::IBig;

    #[test]
    fn decomposes_the_whole_range() {
        assert_eq!(decompose(0.0), (0, 0));
        assert_eq!(decompose(-0.0), (0, 0));
        assert_eq!(decompose(1.0), (1, 0));
        assert_eq!(decompose(-0.75), (-3, -2));
        assert_eq!(decompose(96.0), (3, 5));
        assert_eq!(decompose(f64::from_bits(1)), (1, -1074));
        assert_eq!(decompose(f64::MIN_POSITIVE), (1, -1022));
        assert_eq!(decompose(-f64::MAX), (-((1 << 53) - 1), 971));
        assert_eq!(decompose(1.0 + f64::EPSILON), ((1 << 52) + 1, -52));
    }

    #[test]
    fn axes_are_scaled_separately_and_without_loss() {
        let scaled = to_integers::<i128, 2, 3>(&[[0.5, 4.0], [-1.25, 0.0], [0.0, -12.0]]);
        assert_eq!(scaled, Some([[2, 1], [-5, 0], [0, -3]]));
    }

    #[test]
    fn values_that_do_not_fit_need_big_integers() {
        let points = [[f64::MAX], [f64::from_bits(1)]];
        assert_eq!(to_integers::<i128, 1, 2>(&points), None);
        let [[largest], [smallest]] = to_integers::<IBig, 1, 2>(&points).unwrap();
        assert_eq!(smallest, IBig::ONE);
        assert_eq!(largest, ((IBig::ONE << 53) - 1) << (971 + 1074_usize));
    }
}

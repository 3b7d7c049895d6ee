//! Determinants in 64-bit and 128-bit machine integers, for coordinates that fit in 60 bits per axis.

use super::Determinant;

/// Scaled coordinates are below 2^60, so differences are below 2^61, products of two below 2^122, and every
/// sum below fits in an `i128`.
const BITS: i32 = 60;

/// The coordinates of one axis as integers, and the exponent of the power of two by which they are to be
/// multiplied. `None` if they do not fit.
#[inline]
fn scaled<const N: usize>(values: [f64; N]) -> Option<([i64; N], i32)> {
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return Some(([0; N], 0));
    }
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    // Within these exponents the scale below and its products are normal numbers.
    if !(-900..=900).contains(&exponent) {
        return None;
    }
    let shift = BITS - 1 - exponent;
    let scale = f64::from_bits(((1023 + shift) as u64) << 52);
    let mut integers = [0; N];
    for (integer, value) in integers.iter_mut().zip(values) {
        let scaled_value = value * scale;
        *integer = scaled_value as i64;
        // A product that underflowed to zero would look like an integer.
        if *integer as f64 != scaled_value || (scaled_value == 0.0) != (value == 0.0) {
            return None;
        }
    }
    Some((integers, -shift))
}

/// All coordinates have one scale, and so have the components of the direction: products must be comparable.
#[inline]
pub(super) fn dot_difference(
    direction: [f64; 3],
    [[ax, ay, az], [bx, by, bz]]: &[[f64; 3]; 2],
) -> Option<Determinant> {
    let (direction, direction_exponent) = scaled(direction)?;
    let ([ax, ay, az, bx, by, bz], exponent) = scaled([*ax, *ay, *az, *bx, *by, *bz])?;
    // Three products of 60 and 61 bits.
    let products = [bx - ax, by - ay, bz - az].into_iter().zip(direction);
    let value: i128 = products.map(|(apart, along)| i128::from(apart) * i128::from(along)).sum();
    Some(determinant(value >> 64, value as u64, direction_exponent + exponent))
}

#[inline]
pub(super) fn orient2d(points: &[[f64; 2]; 3]) -> Option<Determinant> {
    let (x, x_exponent) = scaled(points.map(|p| p[0]))?;
    let (y, y_exponent) = scaled(points.map(|p| p[1]))?;
    let difference = |axis: &[i64; 3], i: usize| i128::from(axis[i] - axis[0]);
    let value = difference(&x, 1) * difference(&y, 2) - difference(&y, 1) * difference(&x, 2);
    Some(determinant(value >> 64, value as u64, x_exponent + y_exponent))
}

#[inline]
pub(super) fn orient3d(points: &[[f64; 3]; 4]) -> Option<Determinant> {
    let (x, x_exponent) = scaled(points.map(|p| p[0]))?;
    let (y, y_exponent) = scaled(points.map(|p| p[1]))?;
    let (z, z_exponent) = scaled(points.map(|p| p[2]))?;
    let row = |i: usize| [x[i] - x[0], y[i] - y[0], z[i] - z[0]];
    let (u, v, w) = (row(1), row(2), row(3));

    // The result needs up to 187 bits: a high part in units of 2^64, and a low part that overlaps it.
    let (mut high, mut low) = (0i128, 0i128);
    for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        let minor = i128::from(u[j]) * i128::from(v[k]) - i128::from(u[k]) * i128::from(v[j]);
        high += (minor >> 64) * i128::from(w[i]);
        low += i128::from(minor as u64) * i128::from(w[i]);
    }
    let high = high + (low >> 64);
    Some(determinant(high, low as u64, x_exponent + y_exponent + z_exponent))
}

/// The value `high · 2^64 + low`, times a power of two, as a [`Determinant`].
#[inline]
fn determinant(high: i128, low: u64, exponent: i32) -> Determinant {
    let negative = high < 0;
    // The magnitude, still as a high and a low part.
    let (high, low) = if negative {
        let (low, borrowed) = 0u64.overflowing_sub(low);
        (high.unsigned_abs() - u128::from(borrowed), low)
    } else {
        (high as u128, low)
    };
    let (leading, dropped) = if high == 0 {
        (u128::from(low), 0)
    } else {
        // Keep the top 64 bits or more: enough for an f64, and never zero unless the value is.
        let free = high.leading_zeros().min(64);
        let low_bits = if free == 0 { 0 } else { u128::from(low) >> (64 - free) };
        ((high << free) | low_bits, 64 - free as i32)
    };
    if leading == 0 {
        return Determinant { mantissa: 0.0, exponent: 0 };
    }
    let length = 128 - leading.leading_zeros() as i32;
    let mantissa = leading as f64 * f64::from_bits(((1023 - length) as u64) << 52);
    Determinant {
        mantissa: if negative { -mantissa } else { mantissa },
        exponent: exponent + dropped + length,
    }
}

//! Two more ways to decide whether triangles touch, both unlike the oracle's linear program.

pub(crate) mod clipping;
pub(crate) mod separation;

use dashu_int::IBig;
use impinge_oracle::Triangle;

pub(crate) type Vector = [IBig; 3];

/// Returns the corners as integers: each axis multiplied by `2^1074`, then divided by its common power of two.
///
/// Scaling each axis separately changes neither the answer nor the dimension. Unlike the oracle's version, this
/// one does not read the bits of an `f64`: a number is doubled until it is whole.
pub(crate) fn integers(a: &Triangle, b: &Triangle) -> [[Vector; 3]; 2] {
    let mut result = [a, b].map(|t| t.map(|corner| corner.map(whole)));
    for axis in 0..3 {
        let numbers = || result.iter().flatten().map(|corner| &corner[axis]);
        let zeros = numbers().filter_map(IBig::trailing_zeros).min().unwrap_or(0);
        for corner in result.iter_mut().flatten() {
            corner[axis] = &corner[axis] >> zeros;
        }
    }
    result
}

/// `value * 2^1074`, which is a whole number for every `f64`.
fn whole(value: f64) -> IBig {
    let (mut value, mut power) = (value, 1074_usize);
    // Above 2^53 all numbers are whole, and below it doubling is exact.
    while value != value.trunc() {
        value *= 2.0;
        power -= 1;
    }
    // A whole f64 may exceed i64: halve it while that is exact, down to 53 bits.
    while value.abs() >= 2.0_f64.powi(53) {
        value *= 0.5;
        power += 1;
    }
    IBig::from(value as i64) << power
}

pub(crate) fn minus(u: &Vector, v: &Vector) -> Vector {
    std::array::from_fn(|axis| &u[axis] - &v[axis])
}

pub(crate) fn dot(u: &Vector, v: &Vector) -> IBig {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

pub(crate) fn cross(u: &Vector, v: &Vector) -> Vector {
    [&u[1] * &v[2] - &u[2] * &v[1], &u[2] * &v[0] - &u[0] * &v[2], &u[0] * &v[1] - &u[1] * &v[0]]
}

pub(crate) fn is_zero(v: &Vector) -> bool {
    v.iter().all(IBig::is_zero)
}

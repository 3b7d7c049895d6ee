//! Signs of orientation determinants.

use crate::scale::to_integers;
use crate::touch::{Triangle, cross};
use dashu_int::IBig;
use std::cmp::Ordering;

/// Returns the sign of the determinant with rows `a - d`, `b - d`, `c - d`: -1, 0 or 1.
///
/// Positive if `d` lies below the plane through `a`, `b`, `c`, where they appear in
/// counterclockwise order from above: Shewchuk's convention.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn orient3d_sign(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> i32 {
    let [a, b, c, d] = integers(&[a, b, c, d]);
    let (u, v, w) = (minus(&a, &d), minus(&b, &d), minus(&c, &d));
    let normal = cross(&v, &w);
    sign(&(0..3).map(|axis| &u[axis] * &normal[axis]).sum())
}

/// Returns the sign of the determinant with rows `a - c`, `b - c`: 1 if `a`, `b`, `c` turn left, -1 if they turn
/// right, 0 if they are collinear.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn orient2d_sign(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> i32 {
    let [a, b, c] = integers(&[a, b, c]);
    let (u, v) = (minus(&a, &c), minus(&b, &c));
    sign(&(&u[0] * &v[1] - &u[1] * &v[0]))
}

/// Returns whether the corners lie on one line; true also if corners coincide.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn is_degenerate(t: &Triangle) -> bool {
    let [a, b, c] = integers(t);
    cross(&minus(&b, &a), &minus(&c, &a)).iter().all(IBig::is_zero)
}

fn integers<const D: usize, const K: usize>(points: &[[f64; D]; K]) -> [[IBig; D]; K] {
    to_integers(points).expect("big integers do not overflow")
}

fn minus<const D: usize>(p: &[IBig; D], q: &[IBig; D]) -> [IBig; D] {
    std::array::from_fn(|axis| &p[axis] - &q[axis])
}

fn sign(value: &IBig) -> i32 {
    match value.cmp(&IBig::ZERO) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_follow_shewchuk() {
        let (x, y, z, o) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]);
        assert_eq!(orient3d_sign(x, y, z, o), 1);
        assert_eq!(orient3d_sign(y, x, z, o), -1);
        assert_eq!(orient3d_sign(x, y, [1.0, 1.0, 0.0], o), 0);
        assert_eq!(orient2d_sign([1.0, 0.0], [0.0, 1.0], [0.0, 0.0]), 1);
        assert_eq!(orient2d_sign([0.0, 1.0], [1.0, 0.0], [0.0, 0.0]), -1);
        assert_eq!(orient2d_sign([1.0, 1.0], [3.0, 3.0], [2.0, 2.0]), 0);
    }

    /// Differences that are too small for a determinant in `f64`.
    #[test]
    fn orientations_see_the_last_bit() {
        let tiny = f64::from_bits(1);
        assert_eq!(orient2d_sign([1.0, tiny], [-1.0, 0.0], [0.0, 0.0]), 1);
        assert_eq!(orient2d_sign([f64::MAX, tiny], [-f64::MAX, 0.0], [0.0, 0.0]), 1);
        let third = 1.0 / 3.0_f64;
        assert_eq!(orient2d_sign([third; 2], [third.next_up(), third], [-7.0; 2]), -1);
        let (x, y) = ([f64::MAX, 0.0, 0.0], [0.0, f64::MAX, 0.0]);
        assert_eq!(orient3d_sign(x, y, [1.0, 1.0, tiny], [0.0; 3]), 1);
        assert_eq!(orient3d_sign(x, y, [1.0, 1.0, -tiny], [0.0; 3]), -1);
    }

    #[test]
    fn degenerate_triangles_are_told_apart_exactly() {
        let p = [0.1, 0.2, 0.3];
        assert!(is_degenerate(&[p, p, p]));
        assert!(is_degenerate(&[p, [5.0, 6.0, 7.0], p]));
        assert!(is_degenerate(&[[0.0; 3], [1.0, 2.0, 3.0], [-2.0, -4.0, -6.0]]));
        assert!(!is_degenerate(&[[0.0; 3], [1.0, 2.0, 3.0], [-2.0, -4.0, (-6.0_f64).next_up()]]));
        // Decimal tenths look collinear but are not: 0.1 + 0.2 is not 0.3 in binary.
        assert!(!is_degenerate(&[[0.1, 0.1, 1.0], [0.2, 0.2, 2.0], [0.3, 0.3, 3.0]]));
    }
}

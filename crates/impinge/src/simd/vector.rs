//! Eight 3D vectors side by side.
//!
//! All functions are `inline(always)`: only inside a function that was compiled for the instruction
//! set in use are they single instructions. For the same reason they contain no closures.
//!
//! A product and a sum are fused and rounded once where the instruction set allows it, and rounded
//! twice elsewhere. Error bounds assume two roundings. So instruction sets may differ in which
//! pairs stay undecided, but never in what they decide.

use super::Eight;
use fearless_simd::{f32x8, prelude::*};

/// Eight 3D vectors, as one register per coordinate.
pub(crate) type Vector<S> = [f32x8<S>; 3];

#[inline(always)]
pub(crate) fn splat<S: Simd>(simd: S, value: f32) -> f32x8<S> {
    f32x8::splat(simd, value)
}

#[inline(always)]
pub(crate) fn splats<S: Simd>(simd: S, [x, y, z]: [f32; 3]) -> Vector<S> {
    [splat(simd, x), splat(simd, y), splat(simd, z)]
}

#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, eight: &Eight) -> f32x8<S> {
    f32x8::load_array_ref(simd, eight)
}

#[inline(always)]
pub(crate) fn loads<S: Simd>(simd: S, [x, y, z]: &[Eight; 3]) -> Vector<S> {
    [load(simd, x), load(simd, y), load(simd, z)]
}

#[inline(always)]
pub(crate) fn store<S: Simd>([x, y, z]: Vector<S>) -> [Eight; 3] {
    [x.into(), y.into(), z.into()]
}

/// One of eight vectors, in all lanes.
#[inline(always)]
pub(crate) fn pick<S: Simd>(simd: S, [x, y, z]: &[Eight; 3], lane: usize) -> Vector<S> {
    splats(simd, [x[lane], y[lane], z[lane]])
}

#[inline(always)]
pub(crate) fn dot<S: Simd>(p: &Vector<S>, q: &Vector<S>) -> f32x8<S> {
    p[2].mul_add(q[2], p[1].mul_add(q[1], p[0] * q[0]))
}

#[inline(always)]
pub(crate) fn cross<S: Simd>(p: &Vector<S>, q: &Vector<S>) -> Vector<S> {
    [
        p[1].mul_sub(q[2], p[2] * q[1]),
        p[2].mul_sub(q[0], p[0] * q[2]),
        p[0].mul_sub(q[1], p[1] * q[0]),
    ]
}

#[inline(always)]
pub(crate) fn minus<S: Simd>(p: &Vector<S>, q: &Vector<S>) -> Vector<S> {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

/// A matrix, given by its columns, times a vector.
#[inline(always)]
pub(crate) fn times<S: Simd>(m: &[Vector<S>; 3], p: &Vector<S>) -> Vector<S> {
    [
        m[2][0].mul_add(p[2], m[1][0].mul_add(p[1], m[0][0] * p[0])),
        m[2][1].mul_add(p[2], m[1][1].mul_add(p[1], m[0][1] * p[0])),
        m[2][2].mul_add(p[2], m[1][2].mul_add(p[1], m[0][2] * p[0])),
    ]
}

#[inline(always)]
pub(crate) fn plus<S: Simd>(p: &Vector<S>, q: &Vector<S>) -> Vector<S> {
    [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
}

#[inline(always)]
pub(crate) fn least<S: Simd>(p: f32x8<S>, q: f32x8<S>, r: f32x8<S>) -> f32x8<S> {
    p.min(q).min(r)
}

#[inline(always)]
pub(crate) fn greatest<S: Simd>(p: f32x8<S>, q: f32x8<S>, r: f32x8<S>) -> f32x8<S> {
    p.max(q).max(r)
}

/// The least coordinates of three points.
#[inline(always)]
pub(crate) fn lows<S: Simd>(p: &Vector<S>, q: &Vector<S>, r: &Vector<S>) -> Vector<S> {
    [least(p[0], q[0], r[0]), least(p[1], q[1], r[1]), least(p[2], q[2], r[2])]
}

/// The greatest coordinates of three points.
#[inline(always)]
pub(crate) fn highs<S: Simd>(p: &Vector<S>, q: &Vector<S>, r: &Vector<S>) -> Vector<S> {
    [greatest(p[0], q[0], r[0]), greatest(p[1], q[1], r[1]), greatest(p[2], q[2], r[2])]
}

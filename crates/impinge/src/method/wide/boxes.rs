//! One box against eight.
//!
//! The separating-axis test over the 3 + 3 face normals of two boxes. The nine products of edges
//! are left out: they tell few more boxes apart and cost more than all the rest.
//!
//! # Why no two boxes that share a point are told apart
//!
//! Let box A have centre c, extents h and axes U, and box B centre C, extents H and axes V, all as
//! stored, and T = C − c. Axes are orthonormal to within F: stored ones to 1.25e-7 in each entry of
//! `UᵀU − I` (two roundings of 2^−24), so 4e-7 in norm; placed ones, which come from stored ones
//! turned by a matrix with a skew g (see [`Stance::placed`](super::stance::Stance::placed)) and moved
//! by up to 8e-7, to `3 g + 5e-6` in norm. Let Σh and ΣH be the sums of the extents.
//!
//! A point p of both boxes has `|ui·(p − c)| ≤ hi` and `|vj·(p − C)| ≤ Hj`. With q the three products
//! `vj·(p − C)`, p − C is `V q` but for a vector no longer than `F (1 + 1e-5) ΣH`. So
//!
//! `|ui·T| ≤ hi + Σj Hj |ui·vj| + (3 g + 5.1e-6) ΣH`
//!
//! and with the roles exchanged `|vj·T| ≤ Hj + Σi hi |ui·vj| + 4.1e-7 Σh`.
//!
//! Rounding, in units of 2^−24: a product `ui·vj` is off by 3, so the sums over it by 3 ΣH or 3 Σh.
//! T is off by 1 in each coordinate and its product with an axis by 3 more, each relative to √3 |T|;
//! and |T| is at most Σh + ΣH, so that is 7 (Σh + ΣH). Adding up the right-hand side takes 4
//! roundings of what is at most Σh + ΣH, with some to spare. All in all less than
//! `14 · 6e-8 (Σh + ΣH)`, that is 8.4e-7.
//!
//! So it is enough if every hi is stored with 2e-6 Σh more than it needs, and every placed Hj has
//! `(3 g + 7e-6) ΣH` more: the first are added to at least once by every right-hand side, because
//! the magnitudes of a row or column of `ui·vj` add up to at least 0.9999.

use super::{
    Node,
    stance::PlacedBox,
    vector::{dot, load, loads, minus, splats},
};
use fearless_simd::{f32x8, prelude::*};

/// How much larger than needed extents are stored, relative to their sum.
pub(super) const ROOM: f64 = 2e-6;

/// How far a box is from each of eight, along the eight's axes and along its own: above 0 there is
/// a gap of at least as much between the two.
#[inline(always)]
pub(super) fn gaps<S: Simd>(simd: S, node: &Node, other: &PlacedBox) -> [f32x8<S>; 6] {
    let t = minus(&splats(simd, other.center), &loads(simd, &node.center));
    let [[x0, y0, z0, _], [x1, y1, z1, _], [x2, y2, z2, _]] = other.axes;
    let v = [splats(simd, [x0, y0, z0]), splats(simd, [x1, y1, z1]), splats(simd, [x2, y2, z2])];
    let big = splats(simd, other.half);

    let mut own = t;
    let mut reach = big;
    for (own, (axis, half)) in own.iter_mut().zip(node.axes.iter().zip(&node.half)) {
        let u = loads(simd, axis);
        let half = load(simd, half);
        let mut sum = half;
        for j in 0..3 {
            let turned = dot(&u, &v[j]).abs();
            sum = big[j].mul_add(turned, sum);
            reach[j] = half.mul_add(turned, reach[j]);
        }
        *own = dot(&u, &t).abs() - sum;
    }
    [
        own[0],
        own[1],
        own[2],
        dot(&v[0], &t).abs() - reach[0],
        dot(&v[1], &t).abs() - reach[1],
        dot(&v[2], &t).abs() - reach[2],
    ]
}

/// The largest of the gaps to each of eight.
#[inline(always)]
pub(super) fn largest<S: Simd>(gaps: [f32x8<S>; 6]) -> f32x8<S> {
    let [a, b, c, d, e, f] = gaps;
    a.max(b).max(c.max(d)).max(e.max(f))
}

/// A bit for each of eight that the box may share a point with.
#[inline(always)]
pub(super) fn overlaps<S: Simd>(largest: f32x8<S>) -> u32 {
    // What is not a number is no proof.
    !(largest.simd_gt(0.0).to_bitmask() as u32) & 0xff
}

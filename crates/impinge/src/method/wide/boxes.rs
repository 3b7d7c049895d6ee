//! The overlap test of one box against eight. `walk.rs` calls it for every pair of nodes that it
//! opens.
//!
//! This is the separating-axis test over the 3 + 3 face normals of two boxes. It leaves out the
//! nine cross products of edges: they separate few more boxes and cost more than all the rest.
//!
//! # Why boxes that share a point are never reported as separate
//!
//! Let box A have centre c, extents h and axes U, and box B centre C, extents H and axes V, all as
//! stored, and T = C − c. Axes are orthonormal to within F. For stored ones, each entry of `UᵀU −
//! I` is at most 1.25e-7 (two roundings of 2^−24), so the norm is at most 4e-7. Placed axes are
//! stored ones rotated by a matrix with a skew g (see
//! [`RelativePose::placed`](super::relative_pose::RelativePose::placed)) and moved by up to 8e-7,
//! so their norm is at
//! most `3 g + 5e-6`. Let Σh and ΣH be the sums of the extents.
//!
//! A point p of both boxes has `|ui·(p − c)| ≤ hi` and `|vj·(p − C)| ≤ Hj`. With q the three
//! products `vj·(p − C)`, p − C equals `V q` up to a vector no longer than `F (1 + 1e-5) ΣH`. So
//!
//! `|ui·T| ≤ hi + Σj Hj |ui·vj| + (3 g + 5.1e-6) ΣH`
//!
//! and with the roles exchanged `|vj·T| ≤ Hj + Σi hi |ui·vj| + 4.1e-7 Σh`.
//!
//! Rounding errors, in units of 2^−24: a product `ui·vj` is off by 3, so the sums over it by 3 ΣH
//! or 3 Σh. T is off by 1 in each coordinate and its product with an axis by 3 more, each relative
//! to √3 |T|. If the boxes meet, |T| is at most Σh + ΣH, so that is 7 (Σh + ΣH). Adding up the
//! right-hand side takes 4 roundings of a value of at most Σh + ΣH, with some to spare. The total
//! is less than `14 · 6e-8 (Σh + ΣH)`, that is 8.4e-7.
//!
//! So the test is sound if every hi is stored with a margin of 2e-6 Σh, and every placed Hj has a
//! margin of `(3 g + 7e-6) ΣH`. Every right-hand side contains the first margin at least once,
//! because the magnitudes of a row or column of `ui·vj` add up to at least 0.9999.

use super::{
    Node,
    relative_pose::PlacedBox,
    vector::{dot, load, loads, minus, splats},
};
use fearless_simd::{f32x8, prelude::*};

/// The margin added to stored extents, relative to their sum.
pub(super) const MARGIN: f64 = 2e-6;

/// The gaps between one box and eight others, along the eight boxes' axes and along the one box's
/// axes. A positive value proves a gap of at least that size.
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

/// The largest gap to each of the eight boxes.
#[inline(always)]
pub(super) fn largest<S: Simd>(gaps: [f32x8<S>; 6]) -> f32x8<S> {
    let [a, b, c, d, e, f] = gaps;
    a.max(b).max(c.max(d)).max(e.max(f))
}

/// A bit mask of the boxes that may share a point with the one box.
#[inline(always)]
pub(super) fn overlaps<S: Simd>(largest: f32x8<S>) -> u32 {
    // A NaN gap proves nothing, so the pair is kept.
    !(largest.simd_gt(0.0).to_bitmask() as u32) & 0xff
}
